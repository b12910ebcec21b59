//! Events: what happened to objects, told to people by way of the server.
//!
//! | file | what is there |
//! |---|---|
//! | `recorder` | [`Recorder`]: what programs tell events to, and [`EventSink`], the seam behind it |
//! | `reference` | [`ObjectReference`]: what an event is about |
//! | `occurrence` | [`Occurrence`]: what happened, within the limits of servers |
//! | `series`, `correlator` | which occurrences are repetitions, for either API |
//! | `pipeline`, `writer`, `job` | from an occurrence to the server, with bounded room |
//! | `counters` | what became of them: [`EventStats`], [`EventMetrics`] |
//! | `capture` | [`Captured`]: what a recorder was told, for tests |
//! | `records` | the objects on the server |
//!
//! ```no_run
//! # use kubeloom::events::ObjectReference;
//! # async fn example(client: kubeloom::RestClient, pod: ObjectReference) -> Result<(), Box<dyn std::error::Error>> {
//! use kubeloom::events::{EventOptions, Recorder, Type};
//! use std::time::Duration;
//!
//! let recorder = Recorder::start(&client, EventOptions::new("example.com/reaper"))?;
//! recorder.event(&pod, Type::Warning, "Unreachable", "Evict", "no answer for 5 minutes");
//! let stats = recorder.shutdown(Duration::from_secs(5)).await;
//! assert_eq!(stats.abandoned, 0);
//! # Ok(())
//! # }
//! ```
//!
//! Events are for people, and the server keeps them for an hour: a program must not depend on its own or on those of
//! others. Recording is a few table look-ups under a lock. Repetitions are found there, before the queue, so that a
//! storm of the same event costs one write and a count; what does not fit into the queue is dropped and counted, and
//! forgotten, so that the next of its kind is told again.
//!
//! The rules are client-go's, with these differences: a series does not end because its object was changed; the queue holds writes and not occurrences; a fixed number of
//! workers writes, each event by one of them, in order; a server that is busy (429, 5xx) is asked again as one that
//! does not answer; an event's note, reason and action are cut to what servers take; an event whose action is missing
//! has its reason as action; series that are remembered are bounded (4,096); counts are written when the recorder is shut down.
//!
//! A recorder needs the verbs `create` and `patch` of `events`, in `events.k8s.io` or in the core group, in all namespaces
//! of the objects that it tells of, and in `default` for those of cluster scope.
//!
//! This module must not know what is told.

mod capture;
mod correlator;
mod counters;
mod job;
mod occurrence;
mod options;
mod pipeline;
mod recent;
mod recorder;
mod records;
mod reference;
mod series;
#[cfg(test)]
mod tests;
mod writer;

pub use capture::Captured;
pub use counters::{EventMetrics, EventOutcome, EventStats, NoEventMetrics};
pub use occurrence::{MAX_NOTE, MAX_WORD, Occurrence, Type};
pub use options::{EventApi, EventOptions, EventRetry, InvalidSource};
pub use recorder::{EventBuilder, EventSink, Recorder};
pub use records::{CoreEvent, Event, EventSeries, EventSource};
pub use reference::{ObjectReference, Referent};
