//! [`Pipeline`]: from an occurrence to the server, with bounded room.

use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinHandle;

use super::correlator::Correlator;
use super::counters::{Counters, EventOutcome, EventStats};
use super::job::{Correlate, Job, Now, Source, Verdict};
use super::occurrence::Occurrence;
use super::options::{EventApi, EventOptions};
use super::recorder::EventSink;
use super::series::Series;
use super::writer::{Ticket, Writer};
use crate::clock::{Clock, within};
use crate::rest::RestClient;
use crate::sync::lock;

/// How often series are looked at.
const SWEEP: Duration = Duration::from_secs(60);

/// What the threads that record share. Dropping it lets the writers finish and end.
pub(super) struct Pipeline {
    state: Mutex<State>,
    source: Source,
    /// One place for each write that waits or is under way.
    places: Arc<Semaphore>,
    capacity: usize,
    counters: Arc<Counters>,
    closing: watch::Sender<bool>,
    writers: Mutex<Vec<JoinHandle<()>>>,
    clock: Arc<dyn Clock>,
}

struct State {
    correlator: Box<dyn Correlate>,
    /// One for each writer; empty when the recorder was shut down. Bounded by the places.
    queues: Vec<mpsc::UnboundedSender<Ticket>>,
    last_nanos: u64,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("source", &self.source)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    /// Starts the writers on the current runtime.
    pub(super) fn start(client: &RestClient, options: EventOptions) -> Arc<Self> {
        let capacity = options.queue.clamp(1, Semaphore::MAX_PERMITS);
        let counters = Arc::new(Counters::new(options.metrics));
        let closing = watch::Sender::new(false);
        let writer = Writer {
            client: client.clone(),
            clock: options.clock.clone(),
            counters: counters.clone(),
            retry: options.retry,
            closing: closing.subscribe(),
        };
        let (queues, writers) = (0..options.workers.max(1))
            .map(|_| {
                let (queue, jobs) = mpsc::unbounded_channel();
                (queue, tokio::spawn(writer.clone().run(jobs)))
            })
            .unzip();
        let correlator: Box<dyn Correlate> = match options.api {
            EventApi::V1 => Box::new(Series::new()),
            EventApi::Core => Box::new(Correlator::new()),
        };
        let pipeline = Arc::new(Self {
            state: Mutex::new(State {
                correlator,
                queues,
                last_nanos: 0,
            }),
            source: Source {
                controller: options.controller,
                instance: options.instance,
            },
            places: Arc::new(Semaphore::new(capacity)),
            capacity,
            counters,
            closing,
            writers: Mutex::new(writers),
            clock: options.clock,
        });
        if options.api == EventApi::V1 {
            let clock = pipeline.clock.clone();
            tokio::spawn(sweep(
                Arc::downgrade(&pipeline),
                pipeline.closing.subscribe(),
                clock,
            ));
        }
        pipeline
    }

    pub(super) fn stats(&self) -> EventStats {
        self.counters
            .stats(self.capacity - self.places.available_permits().min(self.capacity))
    }

    /// Puts jobs into their queues if there is room, and never waits; how many there was no room for.
    fn enqueue(&self, state: &mut State, jobs: Vec<Job>) -> usize {
        let mut dropped = 0;
        for job in jobs {
            let place = self.places.clone().try_acquire_owned().ok();
            let sent = place.is_some_and(|place| send(&state.queues, job.clone(), place));
            if !sent {
                dropped += 1;
                state.correlator.undo(&job);
            }
        }
        dropped
    }

    /// What becomes of an occurrence, and how often.
    fn take(&self, occurrence: Occurrence) -> (EventOutcome, usize) {
        let mut state = lock(&self.state);
        if state.queues.is_empty() {
            return (EventOutcome::Dropped, 1);
        }
        let wall = self.clock.wall();
        let nanos = u64::try_from(wall.as_nanosecond()).unwrap_or_default();
        state.last_nanos = nanos.max(state.last_nanos.saturating_add(1));
        let now = Now {
            monotonic: self.clock.now(),
            wall,
            unique: state.last_nanos,
        };
        match state.correlator.take(occurrence.fitted(), &self.source, now) {
            Verdict::Write(jobs) => (EventOutcome::Dropped, self.enqueue(&mut state, jobs)),
            Verdict::Counted => (EventOutcome::Counted, 1),
            Verdict::Suppressed => (EventOutcome::Suppressed, 1),
        }
    }

    /// Puts jobs into their queues, waiting for room.
    async fn enqueue_all(&self, jobs: Vec<Job>) {
        for job in jobs {
            // Never closed.
            let Ok(place) = self.places.clone().acquire_owned().await else {
                return;
            };
            if !send(&lock(&self.state).queues, job, place) {
                self.counters.count(EventOutcome::Dropped);
            }
        }
    }

    /// Writes all that waits, counts of series included; what is not written after `limit` is abandoned.
    pub(super) async fn shut_down(&self, limit: Duration) -> EventStats {
        self.closing.send_replace(true);
        let writers = std::mem::take(&mut *lock(&self.writers));
        let aborts: Vec<_> = writers.iter().map(JoinHandle::abort_handle).collect();
        let jobs = lock(&self.state).correlator.flush();
        let work = async {
            self.enqueue_all(jobs).await;
            lock(&self.state).queues.clear();
            join_all(writers).await;
        };
        if within(&*self.clock, limit, work).await.is_none() {
            lock(&self.state).queues.clear();
            let left = self.stats().queued;
            for abort in aborts {
                abort.abort();
            }
            for _ in 0..left {
                self.counters.count(EventOutcome::Abandoned);
            }
            tracing::warn!(left, "events were not written in time");
        }
        self.stats()
    }
}

fn send(queues: &[mpsc::UnboundedSender<Ticket>], job: Job, place: OwnedSemaphorePermit) -> bool {
    let queue = queues.get(job.worker(queues.len()));
    queue.is_some_and(|queue| queue.send(Ticket { job, _place: place }).is_ok())
}

impl EventSink for Pipeline {
    fn record(&self, occurrence: Occurrence) {
        self.counters.count(EventOutcome::Recorded);
        // Counted when the lock is free again: who counts may record.
        let (outcome, times) = self.take(occurrence);
        for _ in 0..times {
            self.counters.count(outcome);
        }
    }
}

impl Drop for Pipeline {
    /// The writers go on with what waits; counts that were not written wait too, if there is room.
    fn drop(&mut self) {
        let jobs = lock(&self.state).correlator.flush();
        let state = self
            .state
            .get_mut()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for job in jobs {
            if let Ok(place) = self.places.clone().try_acquire_owned() {
                send(&state.queues, job, place);
            }
        }
    }
}

/// Writes what is due of series, until the recorder is gone or shuts down.
async fn sweep(pipeline: Weak<Pipeline>, mut closing: watch::Receiver<bool>, clock: Arc<dyn Clock>) {
    loop {
        let closed = Box::pin(closing.wait_for(|closing| *closing));
        if let Either::Right(_) = select(clock.sleep(SWEEP), closed).await {
            return;
        }
        let Some(pipeline) = pipeline.upgrade() else {
            return;
        };
        let jobs = lock(&pipeline.state).correlator.sweep(clock.now());
        pipeline.enqueue_all(jobs).await;
    }
}
