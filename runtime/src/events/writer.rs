//! [`Writer`]: writes events, one at a time, until the server has them or will not.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use super::counters::{Counters, EventOutcome};
use super::job::{Job, Written};
use super::options::EventRetry;
use super::records::{CoreEvent, Event};
use crate::clock::{Clock, within};
use crate::error::{Error, ErrorKind};
use crate::rest::RestClient;
use crate::sync::panic_message;

/// No call takes longer.
const CALL: Duration = Duration::from_secs(30);

/// Between attempts while the recorder shuts down.
const CLOSING_WAIT: Duration = Duration::from_millis(500);

/// A job in its place of the queue.
pub(super) struct Ticket {
    pub(super) job: Job,
    /// The place, which is free when the job is done.
    pub(super) _place: OwnedSemaphorePermit,
}

#[derive(Clone)]
pub(super) struct Writer {
    pub(super) client: RestClient,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) counters: Arc<Counters>,
    pub(super) retry: EventRetry,
    pub(super) closing: watch::Receiver<bool>,
}

/// How an attempt ended.
enum Attempt {
    Done(EventOutcome),
    /// The server may take it another time.
    Again {
        why: String,
        after: Option<Duration>,
    },
}

impl Writer {
    /// Writes what comes until nothing can come any more. The queue is bounded by its places.
    pub(super) async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Ticket>) {
        while let Some(ticket) = queue.recv().await {
            let write = AssertUnwindSafe(self.write(&ticket.job)).catch_unwind().await;
            let outcome = write.unwrap_or_else(|panic| {
                let panic = panic_message(&*panic);
                tracing::error!(panic, "a panic while an event was written");
                EventOutcome::Abandoned
            });
            self.counters.count(outcome);
        }
    }

    async fn write(&mut self, job: &Job) -> EventOutcome {
        for attempt in 1..=self.retry.attempts.max(1) {
            let (why, after) = match self.attempt(job).await {
                Attempt::Done(outcome) => return outcome,
                Attempt::Again { why, after } => (why, after),
            };
            if attempt == self.retry.attempts {
                tracing::warn!(error = why, attempts = attempt, "an event could not be written");
                break;
            }
            tracing::debug!(error = why, attempt, "an event could not be written yet");
            self.counters.count(EventOutcome::Retried);
            self.pause(attempt, after.unwrap_or_default()).await;
        }
        EventOutcome::Abandoned
    }

    /// Waits for the next attempt; shorter when the recorder shuts down.
    async fn pause(&mut self, attempt: u32, asked: Duration) {
        if !*self.closing.borrow() {
            let wait = self.retry.wait(attempt, fastrand::f64()).max(asked);
            let sleep = self.clock.sleep(wait);
            let closing = Box::pin(async { self.closing.wait_for(|closing| *closing).await.is_ok() });
            match select(sleep, closing).await {
                Either::Left(_) => return,
                // The recorder is gone, which is no reason to hurry.
                Either::Right((false, rest)) => return rest.await,
                Either::Right((true, _)) => {}
            }
        }
        self.clock.sleep(CLOSING_WAIT).await;
    }

    async fn attempt(&self, job: &Job) -> Attempt {
        if job.is_change {
            match self.call(Self::patch, job).await {
                Ok(()) => return Attempt::Done(EventOutcome::Patched),
                Err(Some(error)) if error.is_not_found() => {}
                Err(error) => return self.failed(error),
            }
        }
        match self.call(Self::create, job).await {
            Ok(()) => Attempt::Done(EventOutcome::Created),
            Err(Some(error)) if error.is_already_exists() => {
                if job.is_change {
                    // It was not there a moment ago: now it is, and can be patched.
                    Attempt::Again {
                        why: error.to_string(),
                        after: None,
                    }
                } else {
                    // By an attempt whose answer was lost.
                    Attempt::Done(EventOutcome::Created)
                }
            }
            Err(error) => self.failed(error),
        }
    }

    /// Makes a call; no error is a call that took too long.
    async fn call<'a, F>(
        &'a self,
        what: impl FnOnce(&'a Self, &'a Job) -> F,
        job: &'a Job,
    ) -> Result<(), Option<Error>>
    where
        F: Future<Output = Result<(), Error>>,
    {
        match within(&*self.clock, CALL, what(self, job)).await {
            Some(result) => result.map_err(Some),
            None => Err(None),
        }
    }

    async fn create(&self, job: &Job) -> Result<(), Error> {
        match &job.event {
            Written::V1(event) => {
                let api = self.client.namespaced::<Event>(&event.metadata.namespace);
                api.create(event).await.map(drop)
            }
            Written::Core(event) => {
                let api = self.client.namespaced::<CoreEvent>(&event.metadata.namespace);
                api.create(event).await.map(drop)
            }
        }
    }

    async fn patch(&self, job: &Job) -> Result<(), Error> {
        match &job.event {
            Written::V1(event) => {
                let api = self.client.namespaced::<Event>(&event.metadata.namespace);
                api.patch(&event.metadata.name, job.patch()).await.map(drop)
            }
            Written::Core(event) => {
                let api = self.client.namespaced::<CoreEvent>(&event.metadata.namespace);
                api.patch(&event.metadata.name, job.patch()).await.map(drop)
            }
        }
    }

    /// What servers refuse they refuse again; what did not reach them, or found them busy, may get through.
    fn failed(&self, error: Option<Error>) -> Attempt {
        let Some(error) = error else {
            return Attempt::Again {
                why: format!("no answer within {CALL:?}"),
                after: None,
            };
        };
        let again = match error.kind() {
            ErrorKind::Api(status) => status.code == 429 || status.code >= 500,
            ErrorKind::Transport(_) => true,
            _ => false,
        };
        if again {
            return Attempt::Again {
                why: error.to_string(),
                after: error.retry_after(),
            };
        }
        if error.has_cause("NamespaceTerminating") {
            tracing::debug!(%error, "an event of a namespace that ends was refused");
        } else {
            tracing::warn!(%error, "an event was refused");
        }
        Attempt::Done(EventOutcome::Rejected)
    }
}
