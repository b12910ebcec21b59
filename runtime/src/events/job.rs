//! [`Job`]: an event to be written.

use serde_json::json;

use super::occurrence::Occurrence;
use super::records::{CoreEvent, Event};
use crate::rest::PatchBody;
use crate::value::Str;

/// Who tells.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) controller: Str,
    pub(super) instance: Str,
}

/// An event to be written.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) event: Written,
    /// Whether it is there already and only its count changes. If it is gone it is made anew, count and all.
    pub(super) is_change: bool,
}

/// The event as it is to be.
#[derive(Clone, Debug)]
pub(super) enum Written {
    V1(Box<Event>),
    Core(Box<CoreEvent>),
}

impl Job {
    /// The worker, of so many, that writes this event: one at a time, in order.
    pub(super) fn worker(&self, workers: usize) -> usize {
        let name = match &self.event {
            Written::V1(event) => &event.metadata.name,
            Written::Core(event) => &event.metadata.name,
        };
        // FNV-1a: the same for each look at the same name.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        usize::try_from(hash % workers.max(1) as u64).unwrap_or_default()
    }

    /// What changes.
    pub(super) fn patch(&self) -> PatchBody {
        match &self.event {
            Written::V1(event) => PatchBody::strategic(&json!({ "series": event.series })),
            Written::Core(event) => PatchBody::strategic(&json!({
                "count": event.count,
                "lastTimestamp": event.last_timestamp,
                "message": event.message,
            })),
        }
    }
}

/// What became of an occurrence.
#[derive(Debug)]
pub(super) enum Verdict {
    /// These are to be written, in order.
    Write(Vec<Job>),
    /// It was counted; the count is written later.
    Counted,
    /// There were too many from this source about this object.
    Suppressed,
}

/// When something happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub(super) monotonic: std::time::Instant,
    pub(super) wall: jiff::Timestamp,
    /// Nanoseconds of the time of day, each different from all others of this recorder.
    pub(super) unique: u64,
}

/// Finds out which occurrences are repetitions.
pub(super) trait Correlate: Send + std::fmt::Debug {
    /// What is to be done about an occurrence.
    fn take(&mut self, occurrence: Occurrence, source: &Source, now: Now) -> Verdict;

    /// A job was dropped for want of room: what was assumed to be written is not.
    fn undo(&mut self, job: &Job);

    /// What is due after some time: counts that were not written, series that have ended.
    fn sweep(&mut self, now: std::time::Instant) -> Vec<Job>;

    /// All counts that were not written.
    fn flush(&mut self) -> Vec<Job>;
}
