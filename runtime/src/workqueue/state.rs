//! What a queue holds, and how keys go from one place to another. No lock, no clock, nobody who waits.
//!
//! A key is in at most one of two places, ready or running, and may have one later run besides. Asked for while ready,
//! it stays where it is; asked for while running, it becomes ready when the run ends.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::ready::{Order, Ready};
use super::slots::{Due, List, Phase, Slots};
use super::{Added, QueueStats};

/// What a queue holds.
#[derive(Debug)]
pub(super) struct State<T> {
    slots: Slots<T>,
    ready: Ready,
    running: List,
    /// How many running keys become ready when their runs end.
    again: usize,
    delayed: BTreeMap<(Instant, u64), usize>,
    next_due: u64,
    /// Nothing comes any more.
    pub(super) closing: bool,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    added: u64,
    coalesced: u64,
    superseded: u64,
}

/// A key on its way to a worker.
#[derive(Debug)]
pub(super) struct Taken<T> {
    pub(super) index: usize,
    pub(super) key: T,
    pub(super) priority: i32,
    /// If times are kept.
    pub(super) waited: Option<Duration>,
}

/// What the end of a run leaves behind.
#[derive(Debug)]
pub(super) struct Finished<T> {
    /// Whether the key is ready again.
    pub(super) ready: bool,
    /// A key that is no longer needed, to be dropped outside of locks.
    pub(super) spare: Option<T>,
    pub(super) worked: Option<Duration>,
    pub(super) priority: i32,
}

impl<T: Clone + Eq> State<T> {
    pub(super) fn new(order: Order, epoch: Instant) -> Self {
        Self {
            slots: Slots::new(),
            ready: Ready::new(order, epoch),
            running: List::new(),
            again: 0,
            delayed: BTreeMap::new(),
            next_due: 0,
            closing: false,
            counts: Counts::default(),
        }
    }

    /// A key is asked for now. Hands back a key that is not needed.
    pub(super) fn add(
        &mut self,
        key: T,
        hash: u64,
        priority: i32,
        now: Option<Instant>,
        supersede: bool,
    ) -> (Added, Option<T>) {
        if self.closing {
            return (Added::Refused, Some(key));
        }
        let (index, spare) = self.slots.find_or_insert(key, hash);
        if supersede && self.cancel_due(index) {
            self.counts.superseded += 1;
        }
        (self.enqueue(index, priority, now), spare)
    }

    fn enqueue(&mut self, index: usize, priority: i32, now: Option<Instant>) -> Added {
        self.counts.added += 1;
        let slot = self.slots.at_mut(index);
        match slot.phase {
            Phase::Resting => {
                self.make_ready(index, priority, now);
                Added::Queued
            }
            Phase::Ready => {
                self.counts.coalesced += 1;
                if priority > slot.priority {
                    self.ready.raise(&mut self.slots, index, priority);
                }
                Added::Coalesced
            }
            Phase::Running => {
                match &mut slot.again {
                    Some(known) => {
                        self.counts.coalesced += 1;
                        *known = priority.max(*known);
                    }
                    none => {
                        *none = Some(priority);
                        self.again += 1;
                    }
                }
                Added::AfterRun
            }
        }
    }

    fn make_ready(&mut self, index: usize, priority: i32, now: Option<Instant>) {
        let slot = self.slots.at_mut(index);
        slot.phase = Phase::Ready;
        slot.priority = priority;
        slot.since = now;
        self.ready.push(&mut self.slots, index);
    }

    /// A key is asked for at `at`; the earlier of two times counts.
    pub(super) fn delay(&mut self, key: T, hash: u64, priority: i32, at: Instant) -> (Added, Option<T>) {
        if self.closing {
            return (Added::Refused, Some(key));
        }
        let (index, spare) = self.slots.find_or_insert(key, hash);
        let slot = self.slots.at_mut(index);
        let known = slot.due;
        let priority = known.map_or(priority, |due| due.priority.max(priority));
        if let Some(known) = known {
            self.counts.coalesced += 1;
            if known.at.0 <= at {
                slot.due = Some(Due { priority, ..known });
                return (Added::Delayed, spare);
            }
            self.delayed.remove(&known.at);
        }
        let at = (at, self.next_due);
        self.next_due += 1;
        slot.due = Some(Due { at, priority });
        self.delayed.insert(at, index);
        (Added::Delayed, spare)
    }

    /// Takes back the later run of a key; hands out the key if nothing is left of it.
    pub(super) fn cancel(&mut self, key: &T, hash: u64) -> (bool, Option<T>) {
        let Some(index) = self.slots.find(key, hash) else {
            return (false, None);
        };
        let cancelled = self.cancel_due(index);
        let spare = match self.slots.at(index).phase {
            Phase::Resting => self.slots.remove(index),
            _ => None,
        };
        (cancelled, spare)
    }

    fn cancel_due(&mut self, index: usize) -> bool {
        let due = self.slots.at_mut(index).due.take();
        due.is_some_and(|due| self.delayed.remove(&due.at).is_some())
    }

    /// When the next later run is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((at, _), _)| *at)
    }

    /// Asks for the keys whose time has come; how many of them became ready.
    pub(super) fn promote(&mut self, now: Instant) -> usize {
        let mut fresh = 0;
        while let Some(entry) = self.delayed.first_entry() {
            let at = entry.key().0;
            if at > now {
                break;
            }
            let index = entry.remove();
            let due = self.slots.at_mut(index).due.take();
            let priority = due.map_or(0, |due| due.priority);
            if self.enqueue(index, priority, Some(at)) == Added::Queued {
                fresh += 1;
            }
        }
        fresh
    }

    /// The next key, now running.
    pub(super) fn take(&mut self, now: Option<Instant>) -> Option<Taken<T>> {
        let index = self.ready.pop(&mut self.slots)?;
        self.running.push(&mut self.slots, index);
        let slot = self.slots.at_mut(index);
        slot.phase = Phase::Running;
        let waited = elapsed(slot.since, now);
        slot.since = now;
        Some(Taken {
            index,
            key: slot.key.clone()?,
            priority: slot.priority,
            waited,
        })
    }

    /// A run has ended.
    pub(super) fn finish(&mut self, index: usize, now: Option<Instant>) -> Finished<T> {
        self.running.remove(&mut self.slots, index);
        let slot = self.slots.at_mut(index);
        slot.phase = Phase::Resting;
        let (worked, priority) = (elapsed(slot.since, now), slot.priority);
        let (again, due) = (slot.again.take(), slot.due);
        let mut spare = None;
        if let Some(again) = again {
            self.again -= 1;
            self.make_ready(index, again, now);
        } else if due.is_none() {
            spare = self.slots.remove(index);
        }
        Finished {
            ready: again.is_some(),
            spare,
            worked,
            priority,
        }
    }

    /// From now on nothing is added; later runs are dropped, and with `discard` what is ready too. Hands out the keys
    /// that are no longer needed.
    pub(super) fn close(&mut self, discard: bool) -> Vec<T> {
        self.closing = true;
        let mut spare = Vec::new();
        for index in std::mem::take(&mut self.delayed).into_values() {
            self.slots.at_mut(index).due = None;
            if self.slots.at(index).phase == Phase::Resting {
                spare.extend(self.slots.remove(index));
            }
        }
        if discard {
            while let Some(index) = self.ready.pop(&mut self.slots) {
                spare.extend(self.slots.remove(index));
            }
            self.forget_again();
        }
        spare
    }

    fn forget_again(&mut self) {
        let running: Vec<usize> = self.running.indices(&self.slots).collect();
        for index in running {
            self.slots.at_mut(index).again = None;
        }
        self.again = 0;
    }

    /// Whether no key will come out any more.
    pub(super) fn is_exhausted(&self) -> bool {
        self.closing && self.ready.len() == 0 && self.again == 0
    }

    /// Whether nothing is ready and nothing runs.
    pub(super) fn is_idle(&self) -> bool {
        self.ready.len() == 0 && self.running.len() == 0
    }

    pub(super) fn has_ready(&self) -> bool {
        self.ready.len() > 0
    }

    pub(super) fn stats(&self, now: Instant) -> QueueStats {
        let running = self.running.indices(&self.slots);
        let ages = running.filter_map(|index| self.slots.at(index).since);
        let mut ages = ages.map(|since| now.saturating_duration_since(since)).peekable();
        QueueStats {
            ready: self.ready.len(),
            delayed: self.delayed.len(),
            running: self.running.len(),
            added: self.counts.added,
            coalesced: self.counts.coalesced,
            superseded: self.counts.superseded,
            longest_running: ages.peek().copied(),
            unfinished: ages.sum(),
        }
    }
}

fn elapsed(since: Option<Instant>, now: Option<Instant>) -> Option<Duration> {
    Some(now?.saturating_duration_since(since?))
}
