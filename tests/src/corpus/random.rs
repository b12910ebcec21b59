//! Numbers that look random and are the same everywhere: the corpus must not change with a library's version.

/// SplitMix64, as published by Steele, Lea and Flood (OOPSLA 2014).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

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
    /// The numbers that belong to `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
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
        choices
            .get(self.below(choices.len()))
            .copied()
            .unwrap_or_default()
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
        (0..len).map(|_| self.next() as u8).collect()
    }
}
