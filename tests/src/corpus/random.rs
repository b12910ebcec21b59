//! Words, names, addresses and times that look random and are the same everywhere.

use crate::arbitrary::Rng;

/// What texts of the corpus are made of.
#[derive(Clone, Debug)]
pub(super) struct Random(Rng);

const WORDS: [&str; 48] = [
    "access",
    "amount",
    "backend",
    "bucket",
    "cache",
    "channel",
    "cluster",
    "config",
    "container",
    "control",
    "default",
    "delay",
    "domain",
    "endpoint",
    "expected",
    "field",
    "gateway",
    "group",
    "header",
    "health",
    "interval",
    "ingress",
    "label",
    "limit",
    "listener",
    "maximum",
    "memory",
    "metrics",
    "minimum",
    "module",
    "network",
    "object",
    "optional",
    "policy",
    "priority",
    "queue",
    "region",
    "replica",
    "request",
    "retry",
    "schedule",
    "secret",
    "selector",
    "service",
    "shard",
    "storage",
    "timeout",
    "volume",
];

impl Random {
    /// The texts that belong to `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self(Rng::new(seed))
    }

    /// A number below `end`, which is not zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// A number from `first` to `last`.
    pub(super) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last + 1 - first)
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which are not empty.
    pub(super) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        self.0.pick(choices)
    }

    /// A word.
    pub(super) fn word(&mut self) -> &'static str {
        self.pick(&WORDS)
    }

    /// `count` words between spaces.
    pub(super) fn words(&mut self, count: usize) -> String {
        let words: Vec<_> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    /// Two words as a name.
    pub(super) fn name(&mut self) -> String {
        format!("{}-{}", self.word(), self.word())
    }

    /// `len` hexadecimal digits.
    pub(super) fn hex(&mut self, len: usize) -> String {
        (0..len)
            .map(|_| char::from(b"0123456789abcdef"[self.below(16)]))
            .collect()
    }

    /// `len` of the characters that generated names end in.
    pub(super) fn suffix(&mut self, len: usize) -> String {
        let letters = b"bcdfghjklmnpqrstvwxz2456789";
        (0..len)
            .map(|_| char::from(letters[self.below(letters.len())]))
            .collect()
    }

    /// A UUID.
    pub(super) fn uid(&mut self) -> String {
        let parts = [8, 4, 4, 4, 12].map(|len| self.hex(len));
        parts.join("-")
    }

    /// A time in one October.
    pub(super) fn time(&mut self) -> String {
        let (day, hour, minute) = (self.between(1, 31), self.below(24), self.below(60));
        format!("2026-10-{day:02}T{hour:02}:{minute:02}:{:02}Z", self.below(60))
    }

    /// An address of a private network.
    pub(super) fn ip(&mut self) -> String {
        format!(
            "10.{}.{}.{}",
            self.below(32),
            self.below(256),
            self.between(1, 254)
        )
    }

    /// `len` bytes.
    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.0.bits() as u8).collect()
    }
}
