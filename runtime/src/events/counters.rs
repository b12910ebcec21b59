//! What became of events, counted.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What became of an event, or of a write of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventOutcome {
    /// It was told to the recorder.
    Recorded,
    /// There was no room for it, or the recorder was shut down.
    Dropped,
    /// It repeats an earlier one, whose count is written later.
    Counted,
    /// It was one of too many about one object, and is in no count but that of its repetitions.
    Suppressed,
    /// It was made on the server.
    Created,
    /// The count of one that is there was raised.
    Patched,
    /// The server refused it.
    Rejected,
    /// A write failed and is tried again.
    Retried,
    /// Its write failed too often, or was not done when the time to shut down was over.
    Abandoned,
}

const OUTCOMES: [EventOutcome; 9] = [
    EventOutcome::Recorded,
    EventOutcome::Dropped,
    EventOutcome::Counted,
    EventOutcome::Suppressed,
    EventOutcome::Created,
    EventOutcome::Patched,
    EventOutcome::Rejected,
    EventOutcome::Retried,
    EventOutcome::Abandoned,
];

/// Receives what becomes of events. Called on the task that records or writes them; it must not block.
pub trait EventMetrics: Debug + Send + Sync {
    /// Something became of an event.
    fn event(&self, outcome: EventOutcome);
}

/// Counts nothing; a recorder counts for itself, see [`EventStats`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEventMetrics;

impl EventMetrics for NoEventMetrics {
    fn event(&self, _outcome: EventOutcome) {}
}

/// What became of the events of a recorder so far. Each field counts the [`EventOutcome`] of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "the names are those of EventOutcome, which has the words"
)]
pub struct EventStats {
    pub recorded: u64,
    pub dropped: u64,
    pub counted: u64,
    pub suppressed: u64,
    pub created: u64,
    pub patched: u64,
    pub rejected: u64,
    pub retried: u64,
    pub abandoned: u64,
    /// How many writes wait or are under way now.
    pub queued: usize,
}

#[derive(Debug)]
pub(super) struct Counters {
    counts: [AtomicU64; OUTCOMES.len()],
    metrics: Arc<dyn EventMetrics>,
}

impl Counters {
    pub(super) fn new(metrics: Arc<dyn EventMetrics>) -> Self {
        Self {
            counts: Default::default(),
            metrics,
        }
    }

    pub(super) fn count(&self, outcome: EventOutcome) {
        if let Some(count) = self.counts.get(outcome as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.metrics.event(outcome);
    }

    pub(super) fn stats(&self, queued: usize) -> EventStats {
        let [
            recorded,
            dropped,
            counted,
            suppressed,
            created,
            patched,
            rejected,
            retried,
            abandoned,
        ] = std::array::from_fn(|index| self.counts[index].load(Ordering::Relaxed));
        EventStats {
            recorded,
            dropped,
            counted,
            suppressed,
            created,
            patched,
            rejected,
            retried,
            abandoned,
            queued,
        }
    }
}
