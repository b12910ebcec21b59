//! [`Series`]: repetitions of events of `events.k8s.io/v1`.
//!
//! The first occurrence makes an event. A second of the same kind within [`FINISH`] of the last makes it a series, which
//! is written at once; further ones are counted here and written every [`REFRESH`], and when the series has ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{Correlate, Job, Now, Source, Verdict, Written};
use super::occurrence::{Occurrence, event_name};
use super::recent::{REMEMBERED, Recent};
use super::records::{Event, EventSeries};
use super::reference::ObjectReference;
use crate::meta::ObjectMeta;
use crate::value::{MicroTime, Str};

/// A series without an occurrence for so long has ended; client-go's value.
pub(super) const FINISH: Duration = Duration::from_secs(6 * 60);

/// How often the count of a series that goes on is written; client-go's value. Servers keep events for an hour.
pub(super) const REFRESH: Duration = Duration::from_secs(30 * 60);

/// What occurrences of one kind have in common: all but the note, the annotations, the time and the version of the
/// object, which changes while the same goes on happening to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    type_: &'static str,
    action: Str,
    reason: Str,
    controller: Str,
    instance: Str,
    regarding: [Str; 6],
    related: Option<[Str; 6]>,
}

fn fields(reference: &ObjectReference) -> [Str; 6] {
    let reference = reference.clone();
    [
        reference.kind,
        reference.namespace,
        reference.name,
        reference.uid,
        reference.api_version,
        reference.field_path,
    ]
}

impl Key {
    fn of(event: &Event) -> Self {
        Self {
            type_: if event.type_ == "Warning" {
                "Warning"
            } else {
                "Normal"
            },
            action: event.action.clone(),
            reason: event.reason.clone(),
            controller: event.reporting_controller.clone(),
            instance: event.reporting_instance.clone(),
            regarding: fields(&event.regarding),
            related: event.related.as_deref().map(fields),
        }
    }
}

/// What is known of the occurrences of one kind.
#[derive(Debug)]
struct Entry {
    /// With the series as it is here.
    event: Event,
    last: Instant,
    written: Instant,
    /// Whether the server was told that it is a series.
    is_told: bool,
    /// Whether the count here is higher than the one that was written.
    is_unsaved: bool,
}

impl Entry {
    fn change(&mut self, now: Instant) -> Job {
        self.written = now;
        self.is_told = true;
        self.is_unsaved = false;
        Job {
            event: Written::V1(Box::new(self.event.clone())),
            is_change: true,
        }
    }

    fn repeat(&mut self, now: Now) {
        let count = self.event.series.as_ref().map_or(1, |series| series.count);
        self.event.series = Some(Box::new(EventSeries {
            count: count.saturating_add(1),
            last_observed_time: MicroTime::from(now.wall),
        }));
        self.last = now.monotonic;
        self.is_unsaved = true;
    }
}

/// The series of one recorder.
#[derive(Debug)]
pub(super) struct Series {
    entries: Recent<Arc<Key>, Entry>,
}

impl Series {
    pub(super) fn new() -> Self {
        Self {
            entries: Recent::new(REMEMBERED),
        }
    }
}

impl Correlate for Series {
    fn take(&mut self, occurrence: Occurrence, source: &Source, now: Now) -> Verdict {
        let event = event(occurrence, source, now);
        let key = Arc::new(Key::of(&event));
        let mut jobs = Vec::new();
        if let Some(entry) = self.entries.get(&key) {
            if now.monotonic.saturating_duration_since(entry.last) < FINISH {
                entry.repeat(now);
                return if entry.is_told {
                    Verdict::Counted
                } else {
                    Verdict::Write(vec![entry.change(now.monotonic)])
                };
            }
            if entry.is_unsaved {
                jobs.push(entry.change(now.monotonic));
            }
        }
        jobs.push(Job {
            event: Written::V1(Box::new(event.clone())),
            is_change: false,
        });
        let entry = Entry {
            event,
            last: now.monotonic,
            written: now.monotonic,
            is_told: false,
            is_unsaved: false,
        };
        if let Some((_, mut oldest)) = self.entries.insert(key, entry)
            && oldest.is_unsaved
        {
            jobs.push(oldest.change(now.monotonic));
        }
        Verdict::Write(jobs)
    }

    fn undo(&mut self, job: &Job) {
        let Written::V1(event) = &job.event else {
            return;
        };
        let key = Key::of(event);
        let Some(entry) = self.entries.get(&key) else {
            return;
        };
        if entry.event.metadata.name != event.metadata.name {
            return;
        }
        if job.is_change {
            entry.is_told = false;
            entry.is_unsaved = true;
        } else {
            self.entries.remove(&key);
        }
    }

    fn sweep(&mut self, now: Instant) -> Vec<Job> {
        let mut jobs = Vec::new();
        self.entries.retain(|_, entry| {
            let has_ended = now.saturating_duration_since(entry.last) >= FINISH;
            let is_due = entry.is_told && now.saturating_duration_since(entry.written) >= REFRESH;
            if is_due || has_ended && entry.is_unsaved {
                jobs.push(entry.change(now));
            }
            !has_ended
        });
        jobs
    }

    fn flush(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        self.entries.retain(|_, entry| {
            if entry.is_unsaved {
                jobs.push(entry.change(entry.last));
            }
            true
        });
        jobs
    }
}

fn event(occurrence: Occurrence, source: &Source, now: Now) -> Event {
    Event {
        metadata: ObjectMeta {
            name: event_name(&occurrence.regarding.name, now.unique),
            namespace: occurrence.namespace(),
            annotations: occurrence.annotations,
            ..ObjectMeta::default()
        },
        event_time: MicroTime::from(now.wall),
        reporting_controller: source.controller.clone(),
        reporting_instance: source.instance.clone(),
        action: occurrence.action,
        reason: occurrence.reason,
        regarding: occurrence.regarding,
        related: occurrence.related.map(Box::new),
        note: occurrence.note,
        type_: occurrence.type_.as_str().into(),
        ..Event::default()
    }
}
