//! [`Plan`]: which fault comes when.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::arbitrary::Rng;

/// What a request or its answer meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The proxy answers with this status and the `Status` of an API server; 429 and 503 with `Retry-After: 1`.
    Status(u16),
    /// A watch is answered with one event: `ERROR` with the `Status` of 410. Another request gets 410.
    Expired,
    /// The request waits so long before it is sent on.
    Delay(Duration),
    /// The request is never answered.
    Stall,
    /// The connection is reset, with all that is on it.
    Reset,
    /// The answer begins, and nothing of its body comes.
    StallBody,
    /// Half of the answer's first piece is passed on, then the stream breaks.
    HalfBody,
}

impl Fault {
    pub(super) fn name(self) -> String {
        match self {
            Self::Status(code) => format!("status {code}"),
            Self::Expired => "expired".to_owned(),
            Self::Delay(_) => "delay".to_owned(),
            Self::Stall => "stall before the answer".to_owned(),
            Self::Reset => "reset before the answer".to_owned(),
            Self::StallBody => "stall in the answer".to_owned(),
            Self::HalfBody => "half a frame".to_owned(),
        }
    }
}

/// What a piece of an answer meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Delay(Duration),
    Stall,
    Half,
    Reset,
}

/// How likely faults are, each time; from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chances {
    /// For a request.
    pub request: f64,
    /// For each piece of an answer; on a watch a piece is mostly an event.
    pub piece: f64,
    /// What the choices are made from.
    pub seed: u64,
}

/// Faults to come and faults that have come.
#[derive(Debug, Default)]
pub(super) struct Plan(Mutex<State>);

#[derive(Debug)]
struct State {
    injected: Vec<(String, Fault)>,
    chances: Chances,
    random: Rng,
    counts: BTreeMap<String, u64>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            injected: Vec::new(),
            chances: Chances::default(),
            random: Rng::new(0),
            counts: BTreeMap::new(),
        }
    }
}

/// Whether something of this chance, from 0 to 1, happens.
fn happens(random: &mut Rng, chance: f64) -> bool {
    (random.below(1_000_000) as f64) < chance * 1e6
}

fn millis(random: &mut Rng, below: usize) -> Duration {
    Duration::from_millis(1 + random.below(below) as u64)
}

impl Plan {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_chances(&self, chances: Chances) {
        let mut state = self.state();
        state.chances = chances;
        state.random = Rng::new(chances.seed);
    }

    pub(super) fn inject(&self, path: &str, fault: Fault) {
        self.state().injected.push((path.to_owned(), fault));
    }

    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.chances = Chances::default();
        state.injected.clear();
    }

    pub(super) fn count(&self, what: &str) {
        *self.state().counts.entry(what.to_owned()).or_default() += 1;
    }

    pub(super) fn counts(&self) -> BTreeMap<String, u64> {
        self.state().counts.clone()
    }

    /// What a request of this path and query meets.
    pub(super) fn request(&self, path: &str) -> Option<Fault> {
        let mut state = self.state();
        let injected = state
            .injected
            .iter()
            .position(|(part, _)| path.contains(part.as_str()));
        let fault = match injected {
            Some(place) => Some(state.injected.remove(place).1),
            None => {
                let chance = state.chances.request;
                happens(&mut state.random, chance).then(|| any_fault(&mut state.random))
            }
        }?;
        *state.counts.entry(fault.name()).or_default() += 1;
        Some(fault)
    }

    /// What a piece of an answer meets.
    pub(super) fn piece(&self) -> Option<Piece> {
        let mut state = self.state();
        let chance = state.chances.piece;
        if !happens(&mut state.random, chance) {
            return None;
        }
        let (piece, name) = match state.random.below(8) {
            0 => (Piece::Stall, "stall in the answer"),
            1 | 2 => (Piece::Half, "half a frame"),
            3 => (Piece::Reset, "reset in the answer"),
            _ => (
                Piece::Delay(millis(&mut state.random, 500)),
                "delay in the answer",
            ),
        };
        *state.counts.entry(name.to_owned()).or_default() += 1;
        Some(piece)
    }
}

fn any_fault(random: &mut Rng) -> Fault {
    match random.below(12) {
        0 | 1 => Fault::Expired,
        2 => Fault::Status(429),
        3 => Fault::Status(500),
        4 => Fault::Status(503),
        5 => Fault::Status(504),
        6 => Fault::Status(410),
        7 => Fault::Reset,
        8 => Fault::HalfBody,
        9 => Fault::StallBody,
        10 => Fault::Stall,
        _ => Fault::Delay(millis(random, 2000)),
    }
}
