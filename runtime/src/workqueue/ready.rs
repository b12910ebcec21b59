//! In which order keys that are ready are handed out.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::slots::{List, Slots};

/// The priority of keys that nobody waits for: objects of a first list, and of resyncs that show nothing new.
pub const LOW_PRIORITY: i32 = -100;

/// In which order keys that are ready are handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// As they come. Priorities are remembered and change nothing.
    #[default]
    Fifo,
    /// Higher priorities first, and as they come within a priority; but a key gains one point of priority for each
    /// `point` that it waits, so that none waits for ever.
    ///
    /// The gain tells how long a key waits at most behind an endless stream of others: with
    /// [`Order::by_priority`] a key of [`LOW_PRIORITY`] is before all keys of priority 0 that come 30 seconds after it.
    Priority {
        /// The wait that is worth one point; at most an hour counts. `None`: priorities are strict and keys may starve.
        point: Option<Duration>,
    },
}

impl Order {
    /// By priority, with a point for each 300 ms of waiting.
    pub fn by_priority() -> Self {
        Self::Priority {
            point: Some(Duration::from_millis(300)),
        }
    }
}

/// The keys that are ready.
#[derive(Debug)]
pub(super) enum Ready {
    Fifo(List),
    Ranked(Ranked),
}

/// Keys by rank, least first. Under ageing the rank is the time at which a key of priority 0 would have to come to be as
/// urgent; it does not change while the key waits, since all age alike.
#[derive(Debug)]
pub(super) struct Ranked {
    keys: BTreeMap<(i64, u64), usize>,
    /// Microseconds.
    point: Option<i64>,
    epoch: Instant,
    next: u64,
}

impl Ready {
    pub(super) fn new(order: Order, epoch: Instant) -> Self {
        let Order::Priority { point } = order else {
            return Self::Fifo(List::new());
        };
        let micros = |point: Duration| micros(point.min(Duration::from_secs(3600)));
        Self::Ranked(Ranked {
            keys: BTreeMap::new(),
            point: point.map(micros),
            epoch,
            next: 0,
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fifo(list) => list.len(),
            Self::Ranked(ranked) => ranked.keys.len(),
        }
    }

    /// Puts in a slot whose priority and `since` are set.
    pub(super) fn push<T: Eq>(&mut self, slots: &mut Slots<T>, index: usize) {
        match self {
            Self::Fifo(list) => list.push(slots, index),
            Self::Ranked(ranked) => {
                let slot = slots.at_mut(index);
                slot.rank = (ranked.rank(slot.priority, slot.since), ranked.next);
                ranked.next += 1;
                ranked.keys.insert(slot.rank, index);
            }
        }
    }

    pub(super) fn pop<T: Eq>(&mut self, slots: &mut Slots<T>) -> Option<usize> {
        match self {
            Self::Fifo(list) => list.pop(slots),
            Self::Ranked(ranked) => ranked.keys.pop_first().map(|(_, index)| index),
        }
    }

    /// Gives a slot that waits a higher priority; what it waited so far counts.
    pub(super) fn raise<T: Eq>(&mut self, slots: &mut Slots<T>, index: usize, priority: i32) {
        let slot = slots.at_mut(index);
        slot.priority = priority;
        if let Self::Ranked(ranked) = self {
            ranked.keys.remove(&slot.rank);
            slot.rank.0 = ranked.rank(priority, slot.since);
            ranked.keys.insert(slot.rank, index);
        }
    }
}

impl Ranked {
    fn rank(&self, priority: i32, since: Option<Instant>) -> i64 {
        let Some(point) = self.point else {
            return -i64::from(priority);
        };
        let came = since.map_or(0, |since| micros(since.saturating_duration_since(self.epoch)));
        came.saturating_sub(i64::from(priority).saturating_mul(point))
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
