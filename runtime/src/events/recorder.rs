//! [`Recorder`]: tells of what happens to objects.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::counters::EventStats;
use super::occurrence::{Occurrence, Type};
use super::options::{EventOptions, InvalidSource};
use super::pipeline::Pipeline;
use super::reference::{ObjectReference, Referent};
use crate::rest::RestClient;
use crate::value::{Map, Str};

/// Where a recorder puts what it is told.
pub trait EventSink: Debug + Send + Sync {
    /// Takes note of an occurrence, or drops it. Called where the occurrence is; it must not block.
    fn record(&self, occurrence: Occurrence);
}

/// Tells of what happens to objects. Cheap to clone; used from any number of threads at once. Recording never waits
/// and never fails: what cannot be told is dropped and counted.
#[derive(Clone, Debug)]
pub struct Recorder {
    sink: Arc<dyn EventSink>,
    /// The sink, if it writes to a server.
    pipeline: Option<Arc<Pipeline>>,
}

impl Recorder {
    /// A recorder that writes to the server, by tasks of the current tokio runtime. When the last clone is dropped they
    /// write what waits and end; [`Recorder::shutdown`] waits for them.
    ///
    /// # Errors
    /// A controller or instance whose events servers refuse.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(client: &RestClient, options: EventOptions) -> Result<Self, InvalidSource> {
        options.check()?;
        let pipeline = Pipeline::start(client, options);
        Ok(Self {
            sink: pipeline.clone(),
            pipeline: Some(pipeline),
        })
    }

    /// A recorder of any other kind: for tests, or for programs that tell of things elsewhere.
    pub fn to(sink: Arc<dyn EventSink>) -> Self {
        Self { sink, pipeline: None }
    }

    /// Tells that something happened to an object: why (`reason`) and what was done (`action`), both in CamelCase and at
    /// most 128 bytes, and a note for people of at most 1,024 bytes. What is longer is cut.
    pub fn event(
        &self,
        regarding: &impl Referent,
        type_: Type,
        reason: &str,
        action: &str,
        note: impl Into<Str>,
    ) {
        self.about(regarding).emit(type_, reason, action, note);
    }

    /// Begins to tell of an object, with more to say than [`Recorder::event`] takes.
    pub fn about(&self, regarding: &impl Referent) -> EventBuilder<'_> {
        EventBuilder {
            recorder: self,
            regarding: regarding.reference(),
            related: None,
            annotations: Map::default(),
        }
    }

    /// What became of events so far; zeros if the recorder does not write to a server.
    pub fn stats(&self) -> EventStats {
        self.pipeline
            .as_ref()
            .map(|pipeline| pipeline.stats())
            .unwrap_or_default()
    }

    /// Writes all that waits, the counts of series included, and ends the tasks, for all clones. What is not written
    /// after `limit` is abandoned and counted; events that come later are dropped and counted.
    pub async fn shutdown(&self, limit: Duration) -> EventStats {
        match &self.pipeline {
            Some(pipeline) => pipeline.shut_down(limit).await,
            None => EventStats::default(),
        }
    }
}

/// An event in the making.
#[derive(Clone, Debug)]
#[must_use = "nothing is told unless emit is called"]
pub struct EventBuilder<'a> {
    recorder: &'a Recorder,
    regarding: ObjectReference,
    related: Option<ObjectReference>,
    annotations: Map<Str>,
}

impl EventBuilder<'_> {
    /// Another object that has to do with it.
    pub fn related(mut self, related: &impl Referent) -> Self {
        self.related = Some(related.reference());
        self
    }

    /// The part of the object that it is about: `spec.containers{web}`.
    pub fn field_path(mut self, path: impl Into<Str>) -> Self {
        self.regarding.field_path = path.into();
        self
    }

    /// An annotation of the event. Those of repetitions are not written.
    pub fn annotation(mut self, name: impl Into<Str>, value: impl Into<Str>) -> Self {
        self.annotations.insert(name.into(), value.into());
        self
    }

    /// Tells it; see [`Recorder::event`].
    pub fn emit(self, type_: Type, reason: &str, action: &str, note: impl Into<Str>) {
        tracing::debug!(
            kind = %self.regarding.kind,
            namespace = %self.regarding.namespace,
            name = %self.regarding.name,
            event_type = %type_,
            reason,
            action,
            "event"
        );
        self.recorder.sink.record(Occurrence {
            regarding: self.regarding,
            related: self.related,
            type_,
            reason: reason.into(),
            action: action.into(),
            note: note.into(),
            annotations: self.annotations,
        });
    }
}
