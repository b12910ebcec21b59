//! [`ControllerMetrics`]: what a controller tells about its work.

use std::time::Duration;

use crate::workqueue::QueueMetrics;

/// How a run of a reconciler ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing is left to do until something changes.
    Done,
    /// It asked to be run again after some time.
    After,
    /// It asked to be run again when the rate limiter says.
    Retry,
    /// It failed.
    Error,
    /// It panicked.
    Panic,
    /// It took longer than it may.
    Timeout,
    /// It was dropped: the controller stops, or may no longer work on the key.
    Cancelled,
}

impl Outcome {
    /// As a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::After => "after",
            Self::Retry => "retry",
            Self::Error => "error",
            Self::Panic => "panic",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
        }
    }

    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::After,
        Self::Retry,
        Self::Error,
        Self::Panic,
        Self::Timeout,
        Self::Cancelled,
    ];
}

/// Receives measurements of a controller and of its queue, whose name is the controller's. Called by workers, any number
/// at once; must not block.
pub trait ControllerMetrics: QueueMetrics {
    /// A run of the reconciler ended after `took`.
    fn reconciled(&self, controller: &str, outcome: Outcome, took: Duration) {
        let _ = (controller, outcome, took);
    }
}
