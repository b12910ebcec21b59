//! Events as servers keep them, in both of their APIs. A test compares them with the generated types, field by field.

use super::reference::ObjectReference;
use crate::generated::*;

/// `Event` of `events.k8s.io/v1`.
#[derive(Clone, Default)]
pub struct Event {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// When it happened first.
    pub event_time: MicroTime,
    /// Its repetitions; absent if there was none.
    pub series: Option<Box<EventSeries>>,
    /// Who tells: a qualified name such as `example.com/reaper`.
    pub reporting_controller: Str,
    /// Which of its processes.
    pub reporting_instance: Str,
    /// What was done.
    pub action: Str,
    /// Why, in CamelCase.
    pub reason: Str,
    /// What it is about.
    pub regarding: ObjectReference,
    /// What else has to do with it.
    pub related: Option<Box<ObjectReference>>,
    /// For people.
    pub note: Str,
    /// `Normal` or `Warning`.
    pub type_: Str,
    /// Of the older API; unset in events that are made by this one.
    pub deprecated_source: EventSource,
    /// Of the older API.
    pub deprecated_first_timestamp: Time,
    /// Of the older API.
    pub deprecated_last_timestamp: Time,
    /// Of the older API.
    pub deprecated_count: i32,
}

record! { Event = "events.k8s.io/v1" "Event" {
    0 metadata "metadata" [1] KEEP;
    1 event_time "eventTime" [2] KEEP;
    2 series "series" [3] OPT;
    3 reporting_controller "reportingController" [4] OMIT;
    4 reporting_instance "reportingInstance" [5] OMIT;
    5 action "action" [6] OMIT;
    6 reason "reason" [7] OMIT;
    7 regarding "regarding" [8] KEEP;
    8 related "related" [9] OPT;
    9 note "note" [10] OMIT;
    10 type_ "type" [11] OMIT;
    11 deprecated_source "deprecatedSource" [12] KEEP;
    12 deprecated_first_timestamp "deprecatedFirstTimestamp" [13] KEEP;
    13 deprecated_last_timestamp "deprecatedLastTimestamp" [14] KEEP;
    14 deprecated_count "deprecatedCount" [15] OMIT;
} }

/// The repetitions of an [`Event`].
#[derive(Clone, Default)]
pub struct EventSeries {
    /// How many times it happened, the first included; at least 2.
    pub count: i32,
    /// When it happened last.
    pub last_observed_time: MicroTime,
}

record! { EventSeries {
    0 count "count" [1] KEEP;
    1 last_observed_time "lastObservedTime" [2] KEEP;
} }

/// Who tells, in the older API.
#[derive(Clone, Default)]
pub struct EventSource {
    /// The program.
    pub component: Str,
    /// The host, or whatever tells its processes apart.
    pub host: Str,
}

record! { EventSource {
    0 component "component" [1] OMIT;
    1 host "host" [2] OMIT;
} }

/// `Event` of `core/v1`, without `series`, which this API's own recorders do not use.
#[derive(Clone, Default)]
pub struct CoreEvent {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What it is about.
    pub involved_object: ObjectReference,
    /// Why, in CamelCase.
    pub reason: Str,
    /// For people.
    pub message: Str,
    /// Who tells.
    pub source: EventSource,
    /// When it happened first.
    pub first_timestamp: Time,
    /// When it happened last.
    pub last_timestamp: Time,
    /// How many times.
    pub count: i32,
    /// `Normal` or `Warning`.
    pub type_: Str,
    /// Of the newer API; unset in events that are made by this one.
    pub event_time: MicroTime,
    /// What was done.
    pub action: Str,
    /// What else has to do with it.
    pub related: Option<Box<ObjectReference>>,
    /// The same as `source.component`.
    pub reporting_component: Str,
    /// The same as `source.host`.
    pub reporting_instance: Str,
}

record! { CoreEvent = "v1" "Event" {
    0 metadata "metadata" [1] KEEP;
    1 involved_object "involvedObject" [2] KEEP;
    2 reason "reason" [3] OMIT;
    3 message "message" [4] OMIT;
    4 source "source" [5] KEEP;
    5 first_timestamp "firstTimestamp" [6] KEEP;
    6 last_timestamp "lastTimestamp" [7] KEEP;
    7 count "count" [8] OMIT;
    8 type_ "type" [9] OMIT;
    9 event_time "eventTime" [10] KEEP;
    10 action "action" [12] OMIT;
    11 related "related" [13] OPT;
    12 reporting_component "reportingComponent" [14] KEEP;
    13 reporting_instance "reportingInstance" [15] KEEP;
} }

/// Names and verbs of the two kinds.
macro_rules! resource {
    ($kind:ident $group:literal $api_version:literal) => {
        impl Resource for $kind {
            type Scope = Namespaced;
            const GROUP: &'static str = $group;
            const VERSION: &'static str = "v1";
            const API_VERSION: &'static str = $api_version;
            const KIND: &'static str = "Event";
            const PLURAL: &'static str = "events";
            const SINGULAR: &'static str = "event";
            const PROTOBUF: bool = true;
            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }

        offers! { $kind { verb::Create, verb::Get, verb::List, verb::Patch, verb::Watch } }
    };
}

resource!(Event "events.k8s.io" "events.k8s.io/v1");
resource!(CoreEvent "" "v1");
