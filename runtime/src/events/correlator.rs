//! [`Correlator`]: repetitions of events of `core/v1`.
//!
//! An event that is told again has its count raised by a patch. When ten that differ only by their message came within
//! [`WINDOW`], further ones become one event whose message says so. And of all that one source tells of one object, a
//! burst of 25 is written, then one in 300 s. The values are client-go's.

use std::hash::{BuildHasher, Hash};
use std::time::{Duration, Instant};

use hashbrown::{DefaultHashBuilder, HashSet};

use super::job::{Correlate, Job, Now, Source, Verdict, Written};
use super::occurrence::{MAX_NOTE, Occurrence, cut, event_name};
use super::recent::{REMEMBERED, Recent};
use super::records::{CoreEvent, EventSource};
use crate::meta::ObjectMeta;
use crate::value::{Str, Time};

/// So many different messages of one kind make a group.
const GROUP: usize = 10;

/// Messages of one kind that are further apart make no group.
pub(super) const WINDOW: Duration = Duration::from_secs(600);

/// So many events of one source about one object are written at once.
pub(super) const BURST: u32 = 25;

/// After that, one in this time.
pub(super) const REFILL: Duration = Duration::from_secs(300);

const COMBINED: &str = "(combined from similar events): ";

/// The first things that an event says about itself: source, object, type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SpamKey([Str; 8]);

/// The same with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct GroupKey(SpamKey, Str);

/// What has one count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CountKey {
    /// Events with one message, about one part of the object.
    Message {
        group: GroupKey,
        field_path: Str,
        message: Str,
    },
    /// A group.
    Group(GroupKey),
}

/// The messages of a group: their hashes, for there may be much text.
#[derive(Debug, Default)]
struct Group {
    messages: HashSet<u64>,
    last: Option<Instant>,
}

/// An event that was told.
#[derive(Clone, Debug)]
struct Told {
    name: Str,
    count: i32,
    first: Time,
}

/// A bucket of [`BURST`] tokens.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// When it would be full if nobody took anything more.
    full_at: Instant,
}

impl Bucket {
    fn take(&mut self, now: Instant) -> bool {
        let full_at = self.full_at.max(now) + REFILL;
        let fits = full_at.saturating_duration_since(now) <= REFILL * BURST;
        if fits {
            self.full_at = full_at;
        }
        fits
    }
}

/// What was told, of one recorder.
#[derive(Debug)]
pub(super) struct Correlator {
    groups: Recent<GroupKey, Group>,
    told: Recent<CountKey, Told>,
    buckets: Recent<SpamKey, Bucket>,
    hasher: DefaultHashBuilder,
}

impl Correlator {
    pub(super) fn new() -> Self {
        Self {
            groups: Recent::new(REMEMBERED),
            told: Recent::new(REMEMBERED),
            buckets: Recent::new(REMEMBERED),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Whether the event belongs to a group that is told as one.
    fn is_grouped(&mut self, key: &GroupKey, message: &str, now: Instant) -> bool {
        let message = self.hasher.hash_one(message);
        if self.groups.get(key).is_none() {
            self.groups.insert(key.clone(), Group::default());
        }
        let Some(group) = self.groups.get(key) else {
            return false;
        };
        let is_old = |last| now.saturating_duration_since(last) > WINDOW;
        if group.last.is_some_and(is_old) {
            group.messages.clear();
        }
        group.last = Some(now);
        group.messages.insert(message);
        let is_grouped = group.messages.len() >= GROUP;
        if is_grouped {
            // One goes, so that the set does not grow.
            let any = group.messages.iter().next().copied();
            any.map(|any| group.messages.remove(&any));
        }
        is_grouped
    }

    fn count(&mut self, key: CountKey, event: &mut CoreEvent) -> bool {
        let told = self.told.get(&key).cloned();
        if let Some(told) = &told {
            event.metadata.name = told.name.clone();
            event.first_timestamp = told.first;
            event.count = told.count.saturating_add(1);
        }
        let now = Told {
            name: event.metadata.name.clone(),
            count: event.count,
            first: event.first_timestamp,
        };
        self.told.insert(key, now);
        told.is_some()
    }

    fn is_spam(&mut self, key: SpamKey, now: Instant) -> bool {
        if self.buckets.get(&key).is_none() {
            self.buckets.insert(key.clone(), Bucket { full_at: now });
        }
        let bucket = self.buckets.get(&key);
        !bucket.is_some_and(|bucket| bucket.take(now))
    }
}

impl Correlate for Correlator {
    fn take(&mut self, occurrence: Occurrence, source: &Source, now: Now) -> Verdict {
        let mut event = event(occurrence, source, now);
        let group = group_key(&event);
        let key = if self.is_grouped(&group, &event.message, now.monotonic) {
            let mut message = Str::from(COMBINED);
            message.push_str(&event.message);
            cut(&mut message, MAX_NOTE, "...");
            event.message = message;
            event.metadata.annotations = Default::default();
            CountKey::Group(group.clone())
        } else {
            CountKey::Message {
                group: group.clone(),
                field_path: event.involved_object.field_path.clone(),
                message: event.message.clone(),
            }
        };
        let is_change = self.count(key, &mut event);
        if self.is_spam(group.0, now.monotonic) {
            return Verdict::Suppressed;
        }
        Verdict::Write(vec![Job {
            event: Written::Core(Box::new(event)),
            is_change,
        }])
    }

    /// A count that was not written is in the next one, and an event that is not there is made by the change that does
    /// not find it: there is nothing to undo.
    fn undo(&mut self, _job: &Job) {}

    fn sweep(&mut self, _now: Instant) -> Vec<Job> {
        Vec::new()
    }

    fn flush(&mut self) -> Vec<Job> {
        Vec::new()
    }
}

fn group_key(event: &CoreEvent) -> GroupKey {
    let object = &event.involved_object;
    let spam = SpamKey([
        event.source.component.clone(),
        event.source.host.clone(),
        object.kind.clone(),
        object.namespace.clone(),
        object.name.clone(),
        object.uid.clone(),
        object.api_version.clone(),
        event.type_.clone(),
    ]);
    GroupKey(spam, event.reason.clone())
}

fn event(occurrence: Occurrence, source: &Source, now: Now) -> CoreEvent {
    let time = Time::from(now.wall);
    CoreEvent {
        metadata: ObjectMeta {
            name: event_name(&occurrence.regarding.name, now.unique),
            namespace: occurrence.namespace(),
            annotations: occurrence.annotations,
            ..ObjectMeta::default()
        },
        involved_object: occurrence.regarding,
        reason: occurrence.reason,
        message: occurrence.note,
        source: EventSource {
            component: source.controller.clone(),
            host: source.instance.clone(),
        },
        first_timestamp: time,
        last_timestamp: time,
        count: 1,
        type_: occurrence.type_.as_str().into(),
        action: occurrence.action,
        related: occurrence.related.map(Box::new),
        reporting_component: source.controller.clone(),
        reporting_instance: source.instance.clone(),
        ..CoreEvent::default()
    }
}
