//! [`QueueMetrics`]: what a queue tells about its work, and [`QueueStats`]: what it says when asked.

use std::fmt::Debug;
use std::time::Duration;

/// A priority, as few words: labels of metrics must not grow with what users do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PriorityClass {
    /// Below 0.
    Low,
    /// 0.
    Normal,
    /// Above 0.
    High,
}

impl PriorityClass {
    /// The class of a priority.
    pub fn of(priority: i32) -> Self {
        match priority {
            ..0 => Self::Low,
            0 => Self::Normal,
            1.. => Self::High,
        }
    }

    /// As a label: `low`, `normal`, `high`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// What a measurement is about: at most three values for each queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueLabels<'a> {
    /// The name of the queue; empty if it has none.
    pub queue: &'a str,
    /// The class of the key's priority.
    pub priority: PriorityClass,
}

impl<'a> QueueLabels<'a> {
    pub(super) fn new(queue: &'a str, priority: i32) -> Self {
        Self {
            queue,
            priority: PriorityClass::of(priority),
        }
    }
}

/// Receives measurements. All methods do nothing unless implemented; they are called by whoever adds or works, any
/// number at once, outside of locks, and must not block. What is ready or running now is not told but asked for:
/// [`WorkQueue::stats`](super::WorkQueue::stats).
pub trait QueueMetrics: Debug + Send + Sync {
    /// A key was asked for that was not ready.
    fn added(&self, labels: &QueueLabels<'_>) {
        let _ = labels;
    }

    /// A worker took a key that had been ready for `waited`.
    fn started(&self, labels: &QueueLabels<'_>, waited: Duration) {
        let _ = (labels, waited);
    }

    /// A run ended after `worked`.
    fn finished(&self, labels: &QueueLabels<'_>, worked: Duration) {
        let _ = (labels, worked);
    }

    /// A key was asked for again by way of the rate limiter, which lets it wait for `delay`.
    fn retried(&self, labels: &QueueLabels<'_>, delay: Duration) {
        let _ = (labels, delay);
    }
}

/// A queue at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueStats {
    /// How many keys are ready.
    pub ready: usize,
    /// How many keys have a later run.
    pub delayed: usize,
    /// How many keys are worked on.
    pub running: usize,
    /// How many times a key was asked for, those whose time had come included.
    pub added: u64,
    /// How many of them, or of the later runs, met one that was there already.
    pub coalesced: u64,
    /// How many later runs were cancelled by an addition ([`supersede_delayed`](super::QueueOptions::supersede_delayed)).
    pub superseded: u64,
    /// How long the oldest run has been going on; only if times are kept.
    pub longest_running: Option<Duration>,
    /// How long all runs that go on have been, together.
    pub unfinished: Duration,
}
