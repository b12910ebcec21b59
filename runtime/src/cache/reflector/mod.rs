//! [`Reflector`]: follows a resource, whatever the server and the network do.
//!
//! | file | what is there |
//! |---|---|
//! | `state` | what to do next: a state machine without network |
//! | `driver` | does it |
//! | `open`, `collected` | a watch that is open, a list that is being read |
//! | `report` | what is shown and logged |
//! | `classify` | which failure an error is |
//! | `backoff` | how long to wait |
//! | `transform` | [`Transform`]: what is done to each object first |
//!
//! The rules are client-go's, with these differences: a server that takes a streaming list and never ends it is given
//! up on after a bounded time and remembered; a server whose version went back (an etcd restored from a backup) is
//! noticed, when a watch was cut off, by asking for its version, and listed anew, unless the version has overtaken the
//! old one by then; the first relist for a version that
//! is too old comes at once and further ones wait; one object that cannot be read or transformed is left out and
//! reported, and what is known of it stays; a panic is an error like any other.
//!
//! This module must not know what is done with the objects.

mod backoff;
mod classify;
mod collected;
mod driver;
mod open;
mod report;
mod state;
mod transform;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::sync::watch;

pub use self::backoff::ReflectorBackoff;
use self::driver::Driver;
pub use self::state::WatchList;
pub use self::transform::Transform;
use super::list_watch::{ListWatch, Skipped};
use super::queue::Sink;
use super::sync::panic_message;
use crate::clock::{Clock, TokioClock};
use crate::error::Error;
use crate::value::Str;

/// What a reflector is told besides where to read and where to write.
#[derive(Clone, Debug)]
pub struct ReflectorOptions {
    /// Whether lists are asked for as streams (KEP-3157). A server that does not offer that is noticed.
    pub watch_list: WatchList,
    /// The number of objects of a page; `None` is 500 where a list is read from etcd and all at once where the server
    /// reads it from its cache; 0 is all at once always.
    pub page_size: Option<u32>,
    /// A watch is asked to last from this long to twice this long, at random. Whole seconds.
    pub watch_timeout: Duration,
    /// A watch that the server does not end at the asked time is ended so much later: its connection is dead.
    pub watch_grace: Duration,
    /// The initial events of a streaming list are given up after so long without one.
    pub initial_events_idle: Duration,
    /// The initial events of a streaming list are given up after so long altogether.
    pub initial_events_limit: Duration,
    /// The waits after failures.
    pub backoff: ReflectorBackoff,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            watch_list: WatchList::Used,
            page_size: None,
            watch_timeout: Duration::from_secs(300),
            watch_grace: Duration::from_secs(30),
            initial_events_idle: Duration::from_secs(10),
            initial_events_limit: Duration::from_secs(180),
            backoff: ReflectorBackoff::default(),
        }
    }
}

/// What a reflector is doing.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum ReflectorState {
    /// It does not run.
    #[default]
    Stopped,
    /// It reads the collection.
    Listing,
    /// It follows changes.
    Watching,
    /// It waits after a failure.
    BackingOff {
        /// When it goes on.
        until: Instant,
        /// What failed.
        last_error: Failed,
    },
}

/// Why something failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Failed {
    /// A call or a stream.
    Call(Arc<Error>),
    /// The server ended a watch at once, or said nothing at all.
    ShortWatch,
    /// The server's version went back.
    WentBack,
    /// The source of the objects panicked.
    Panicked(String),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::ShortWatch => f.write_str("the server ended a watch at once"),
            Self::WentBack => f.write_str("the resource version of the server went back"),
            Self::Panicked(message) => write!(f, "a panic: {message}"),
        }
    }
}

/// How a reflector fares.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReflectorStatus {
    /// What it is doing.
    pub state: ReflectorState,
    /// The last failure, if there was one, even if it has been overcome.
    pub last_error: Option<Failed>,
    /// The version of the last list; empty before.
    pub listed_version: Str,
    /// How many lists have been read whole.
    pub lists: u64,
    /// Whether lists are asked for as streams, and why not.
    pub watch_list: WatchList,
    /// How many times the server's version went back.
    pub went_back: u64,
    /// How many objects were left out because they could not be read or transformed.
    pub skipped: u64,
    /// The last of them.
    pub last_skipped: Option<Skipped>,
    /// How many panics were caught.
    pub panics: u64,
}

impl ReflectorStatus {
    pub(super) fn new(watch_list: WatchList) -> Self {
        Self {
            state: ReflectorState::Stopped,
            last_error: None,
            listed_version: Str::default(),
            lists: 0,
            watch_list,
            went_back: 0,
            skipped: 0,
            last_skipped: None,
            panics: 0,
        }
    }
}

/// Follows a resource and writes what it sees to a sink.
pub struct Reflector<L: ListWatch> {
    source: L,
    sink: Arc<dyn Sink<L::Object>>,
    transform: Option<Transform<L::Object>>,
    options: ReflectorOptions,
    clock: Arc<dyn Clock>,
    status: Arc<watch::Sender<ReflectorStatus>>,
}

impl<L: ListWatch> fmt::Debug for Reflector<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reflector")
            .field("resource", &self.source.resource())
            .field("status", &*self.status.borrow())
            .finish_non_exhaustive()
    }
}

impl<L: ListWatch> Reflector<L> {
    /// A reflector from a source to a sink: a queue, or an [`Indexer`](super::Indexer) directly.
    pub fn new(source: L, sink: Arc<dyn Sink<L::Object>>) -> Self {
        let options = ReflectorOptions::default();
        Self {
            status: Arc::new(watch::Sender::new(ReflectorStatus::new(options.watch_list))),
            source,
            sink,
            transform: None,
            options,
            clock: Arc::new(TokioClock),
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn options(mut self, options: ReflectorOptions) -> Self {
        self.options = options;
        self
    }

    /// The same with a change of each object.
    #[must_use]
    pub fn transform(mut self, transform: Transform<L::Object>) -> Self {
        self.transform = Some(transform);
        self
    }

    /// The same with another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The same with a status that outlives it.
    pub(super) fn with_status(mut self, status: Arc<watch::Sender<ReflectorStatus>>) -> Self {
        self.status = status;
        self
    }

    /// How it fares, now and at each change.
    pub fn status(&self) -> watch::Receiver<ReflectorStatus> {
        self.status.subscribe()
    }

    /// Follows the resource. Never completes: drop the future to stop. Whatever fails is retried and shown by
    /// [`Reflector::status`]. One run at a time.
    pub async fn run(&self) {
        let _stopped = Stopped(&self.status);
        let mut driver = Driver::new(self);
        loop {
            if let Err(panic) = AssertUnwindSafe(driver.turn()).catch_unwind().await {
                driver.panicked(panic_message(&*panic));
            }
        }
    }
}

/// Shows, when a run is dropped, that it has stopped.
struct Stopped<'a>(&'a watch::Sender<ReflectorStatus>);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0
            .send_modify(|status| status.state = ReflectorState::Stopped);
    }
}

#[cfg(test)]
mod tests;
