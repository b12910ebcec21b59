//! One worker: takes a key, runs the reconciler, decides about the next run.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use tracing::Instrument;

use super::handle::{Failure, FailureKind};
use super::metrics::Outcome;
use super::reconcile::{Action, BoxError, Context, ReconcileKey, with_causes};
use super::run::Core;
use crate::clock::within;
use crate::error::Error;
use crate::sharding::Claim;
use crate::sync::{lock, panic_message};
use crate::workqueue::{Item, Request};

/// How a run ended.
enum End {
    Action(Action),
    Failed(FailureKind, String, Duration),
    /// The shard of the key is another replica's now.
    Lost,
}

/// A run under way. Dropped before its end, when its worker is, it leaves the key in the queue.
struct Run<'a, Q: ReconcileKey> {
    core: &'a Core<Q>,
    worker: usize,
    item: &'a Item<'a, Q>,
    started: Instant,
    ended: bool,
}

impl<Q: ReconcileKey> Drop for Run<'_, Q> {
    fn drop(&mut self) {
        lock(&self.core.workers[self.worker]).running = None;
        if self.ended {
            return;
        }
        let request = Request {
            priority: self.item.priority(),
            ..Request::default()
        };
        self.core.queue.add_with(self.item.key().clone(), request);
        self.report(Outcome::Cancelled);
    }
}

impl<Q: ReconcileKey> Run<'_, Q> {
    fn report(&self, outcome: Outcome) {
        let took = self.core.clock.now().saturating_duration_since(self.started);
        self.core.count(outcome);
        if let Some(metrics) = &self.core.metrics {
            metrics.reconciled(&self.core.name, outcome, took);
        }
    }
}

impl<Q: ReconcileKey> Core<Q> {
    /// Works until the queue is shut down.
    pub(super) async fn work(self: Arc<Self>, worker: usize) {
        while let Some(item) = self.queue.get().await {
            let claim = match self.claim(item.key()) {
                Ok(claim) => claim,
                // Another replica's. If it becomes this one's, it is asked for again.
                Err(()) => {
                    item.forget();
                    continue;
                }
            };
            let span = tracing::info_span!("reconcile", controller = &*self.name, key = %item.key());
            self.run(worker, &item, claim).instrument(span).await;
        }
    }

    fn claim(&self, key: &Q) -> Result<Option<Claim>, ()> {
        match (&self.shards, self.place) {
            (Some(shards), Some(place)) => shards.claim(place(key)).map(Some).ok_or(()),
            _ => Ok(None),
        }
    }

    async fn run(&self, worker: usize, item: &Item<'_, Q>, claim: Option<Claim>) {
        let started = self.clock.now();
        lock(&self.workers[worker]).running = Some((item.key().clone(), started));
        let mut run = Run {
            core: self,
            worker,
            item,
            started,
            ended: false,
        };
        let reconcile = self.reconcile(item);
        let end = match claim {
            None => reconcile.await,
            Some(claim) => match select(Box::pin(reconcile), Box::pin(claim.lost())).await {
                Either::Left((end, _)) => end,
                Either::Right(_) => End::Lost,
            },
        };
        run.ended = true;
        let outcome = self.conclude(worker, item, end);
        run.report(outcome);
    }

    /// Runs the reconciler, which may panic or take too long.
    async fn reconcile(&self, item: &Item<'_, Q>) -> End {
        let context = Context {
            controller: self.name.clone(),
            attempt: item.retries(),
            clock: self.clock.clone(),
            stopping: self.stop.subscribe(),
        };
        // The call itself is within what is caught: it may panic before there is a future.
        let run = AssertUnwindSafe(async { (self.reconciler)(context, item.key().clone()).await });
        let run = run.catch_unwind();
        let result = match self.timeout {
            None => Some(run.await),
            Some(limit) => within(&*self.clock, limit, run).await,
        };
        match result {
            Some(Ok(Ok(action))) => End::Action(action),
            Some(Ok(Err(error))) => End::Failed(FailureKind::Error, with_causes(&*error), asked_wait(&error)),
            Some(Err(panic)) => End::Failed(FailureKind::Panic, panic_message(&*panic), Duration::ZERO),
            None => {
                let limit = self.timeout.unwrap_or_default();
                End::Failed(
                    FailureKind::Timeout,
                    format!("no end after {limit:?}"),
                    Duration::ZERO,
                )
            }
        }
    }

    /// Decides about the next run.
    fn conclude(&self, worker: usize, item: &Item<'_, Q>, end: End) -> Outcome {
        match end {
            End::Action(Action::Done) => {
                item.forget();
                Outcome::Done
            }
            End::Action(Action::After(delay)) => {
                item.forget();
                item.again_after(delay);
                Outcome::After
            }
            End::Action(Action::Retry) => {
                item.retry();
                Outcome::Retry
            }
            End::Lost => {
                item.forget();
                Outcome::Cancelled
            }
            End::Failed(kind, message, wait) => {
                item.retry_after(wait);
                tracing::warn!(error = message, kind = ?kind, attempt = item.retries(), "a reconciler failed");
                let mut status = lock(&self.workers[worker]);
                status.failures += 1;
                status.last_failure = Some(Failure {
                    key: item.key().clone(),
                    kind,
                    message,
                    at: self.clock.wall(),
                    attempt: item.retries(),
                });
                match kind {
                    FailureKind::Error => Outcome::Error,
                    FailureKind::Panic => Outcome::Panic,
                    FailureKind::Timeout => Outcome::Timeout,
                }
            }
        }
    }
}

/// How long the server asked to wait, if a call failed.
fn asked_wait(error: &BoxError) -> Duration {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&**error);
    while let Some(error) = cause {
        if let Some(wait) = error.downcast_ref::<Error>().and_then(Error::retry_after) {
            return wait;
        }
        cause = error.source();
    }
    Duration::ZERO
}
