//! [`Captured`]: what a recorder was told, for tests.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use super::occurrence::Occurrence;
use super::recorder::{EventSink, Recorder};
use crate::sync::lock;

/// What a recorder was told, for tests. Bounded: the code under test never waits, and what does not fit is counted.
/// Clones are the same one.
///
/// ```
/// use kubeloom::events::{Captured, ObjectReference, Type};
///
/// let (recorder, captured) = Captured::new(100);
/// recorder.event(&ObjectReference::default(), Type::Warning, "NoQuota", "Create", "no room for web-0");
/// let events = captured.take();
/// assert_eq!((&*events[0].reason, events.len(), captured.dropped()), ("NoQuota", 1, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Captured(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    events: Mutex<VecDeque<Occurrence>>,
    capacity: usize,
    dropped: AtomicU64,
    count: watch::Sender<usize>,
}

impl Captured {
    /// A recorder, and what it is told: at most `capacity` events until they are taken.
    #[allow(
        clippy::new_ret_no_self,
        reason = "the recorder is what is wanted; this is its other end"
    )]
    pub fn new(capacity: usize) -> (Recorder, Self) {
        let captured = Self(Arc::new(Shared {
            events: Mutex::default(),
            capacity,
            dropped: AtomicU64::new(0),
            count: watch::Sender::new(0),
        }));
        (Recorder::to(Arc::new(captured.clone())), captured)
    }

    /// The events that were told and not taken yet, oldest first; they stay.
    pub fn events(&self) -> Vec<Occurrence> {
        lock(&self.0.events).iter().cloned().collect()
    }

    /// Takes the events, oldest first.
    pub fn take(&self) -> Vec<Occurrence> {
        let events = std::mem::take(&mut *lock(&self.0.events));
        self.0.count.send_replace(0);
        events.into()
    }

    /// How many did not fit.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Ordering::Relaxed)
    }

    /// Completes when so many events wait to be taken. Bound it by a timeout.
    pub async fn wait_for(&self, count: usize) {
        let mut counts = self.0.count.subscribe();
        // The sender lives as long as this does.
        let _ = counts.wait_for(|waiting| *waiting >= count).await;
    }
}

impl EventSink for Captured {
    fn record(&self, occurrence: Occurrence) {
        let mut events = lock(&self.0.events);
        if events.len() >= self.0.capacity {
            drop(events);
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        events.push_back(occurrence.fitted());
        self.0.count.send_replace(events.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{ObjectReference, Type};

    #[tokio::test]
    async fn what_does_not_fit_is_counted_and_nobody_waits() {
        let (recorder, captured) = Captured::new(3);
        let object = ObjectReference::default();
        for round in 0..10 {
            recorder.event(&object, Type::Normal, "Round", "", format!("round {round}"));
        }
        captured.wait_for(3).await;
        assert_eq!(captured.dropped(), 7);
        assert_eq!(captured.events().len(), 3);
        let taken = captured.take();
        assert_eq!((&*taken[2].note, &*taken[0].action), ("round 2", "Round"));
        recorder.event(&object, Type::Normal, "Round", "", "again");
        assert_eq!(captured.take().len(), 1);
    }
}
