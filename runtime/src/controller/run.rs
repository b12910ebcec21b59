//! A controller's life: sync, gate, work, stop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{join_all, select};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use super::builder::{Controller, OnStop};
use super::gate::Gate;
use super::handle::{ControllerHandle, Phase, WorkerStatus};
use super::metrics::{ControllerMetrics, Outcome};
use super::reconcile::{ReconcileKey, Reconciler};
use super::sources::{Attached, Source};
use crate::clock::{Clock, within};
use crate::sharding::Shards;
use crate::sync::panic_message;
use crate::workqueue::WorkQueue;

/// What the tasks and the handle of a controller share.
pub(super) struct Core<Q: ReconcileKey> {
    pub(super) name: Arc<str>,
    pub(super) queue: WorkQueue<Q>,
    pub(super) reconciler: Reconciler<Q>,
    pub(super) sources: Vec<Box<dyn Source<Q>>>,
    pub(super) workers: Vec<Mutex<WorkerStatus<Q>>>,
    pub(super) timeout: Option<Duration>,
    pub(super) stuck_after: Duration,
    grace: Duration,
    on_stop: OnStop,
    gate: Arc<dyn Gate>,
    pub(super) shards: Option<Shards>,
    pub(super) place: Option<fn(&Q) -> u64>,
    pub(super) metrics: Option<Arc<dyn ControllerMetrics>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stop: watch::Sender<bool>,
    pub(super) phase: watch::Sender<Phase>,
    outcomes: [AtomicU64; Outcome::ALL.len()],
}

impl<Q: ReconcileKey> Core<Q> {
    pub(super) fn new(controller: Controller<Q>, queue: WorkQueue<Q>, reconciler: Reconciler<Q>) -> Self {
        Self {
            name: controller.name,
            queue,
            reconciler,
            sources: controller.sources,
            workers: (0..controller.workers).map(|_| Mutex::default()).collect(),
            timeout: controller.timeout,
            stuck_after: controller.stuck_after,
            grace: controller.grace,
            on_stop: controller.on_stop,
            gate: controller.gate,
            shards: controller.shards,
            place: controller.place,
            metrics: controller.metrics,
            clock: controller.clock,
            stop: watch::Sender::new(false),
            phase: watch::Sender::new(Phase::Syncing),
            outcomes: Default::default(),
        }
    }

    pub(super) fn count(&self, outcome: Outcome) {
        self.outcomes[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn counted(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize].load(Ordering::Relaxed)
    }

    fn enter(&self, phase: Phase) {
        tracing::info!(controller = &*self.name, phase = ?phase, "the controller goes on");
        self.phase.send_replace(phase);
    }

    async fn stopping(&self) {
        let mut stop = self.stop.subscribe();
        // The sender lives as long as `self`.
        let _ = stop.wait_for(|stop| *stop).await;
    }

    /// The whole life.
    async fn live(self: &Arc<Self>) {
        let attached: Vec<_> = self
            .sources
            .iter()
            .map(|source| source.attach(&self.name, &self.queue))
            .collect();
        let mut workers = JoinSet::new();
        let work = async {
            join_all(attached.iter().map(|source| source.synced())).await;
            loop {
                self.enter(Phase::Standby);
                self.gate.opened().await;
                self.enter(Phase::Working);
                self.work_while_open(&mut workers).await;
                // What runs is dropped, and is in the queue again when this is over.
                workers.shutdown().await;
            }
        };
        select(Box::pin(work), Box::pin(self.stopping())).await;
        self.wind_up(&attached, workers).await;
    }

    /// Completes when the gate closes; workers that end before are replaced.
    async fn work_while_open(self: &Arc<Self>, workers: &mut JoinSet<usize>) {
        for worker in 0..self.workers.len() {
            self.spawn(workers, worker);
        }
        let supervise = async {
            let mut numbers: Vec<usize> = Vec::new();
            while let Some(ended) = workers.join_next().await {
                numbers.extend(self.ended(ended));
                for worker in numbers.drain(..) {
                    self.spawn(workers, worker);
                }
            }
            // No worker is left: the queue is shut down.
            std::future::pending::<()>().await;
        };
        let replay = async {
            let Some(shards) = &self.shards else {
                return std::future::pending().await;
            };
            let mut gains = shards.gains();
            loop {
                gains.borrow_and_update();
                self.sources.iter().for_each(|source| source.replay(&self.queue));
                if gains.changed().await.is_err() {
                    return std::future::pending().await;
                }
            }
        };
        let background = select(Box::pin(supervise), Box::pin(replay));
        select(background, self.gate.closed()).await;
    }

    fn spawn(self: &Arc<Self>, workers: &mut JoinSet<usize>, worker: usize) {
        let core = self.clone();
        workers.spawn(async move {
            let work = std::panic::AssertUnwindSafe(core.clone().work(worker)).catch_unwind();
            if let Err(panic) = work.await {
                let panic = panic_message(&*panic);
                tracing::error!(
                    controller = &*core.name,
                    panic,
                    "a worker panicked and is replaced"
                );
            }
            worker
        });
    }

    /// The number of a worker that is to be replaced.
    fn ended(&self, ended: Result<usize, JoinError>) -> Option<usize> {
        ended.ok().filter(|_| !self.queue.is_shut_down())
    }

    /// In order: sources, queue, workers, election.
    async fn wind_up(&self, attached: &[Box<dyn Attached>], mut workers: JoinSet<usize>) {
        self.enter(Phase::Stopping);
        join_all(attached.iter().map(|source| source.detach())).await;
        match self.on_stop {
            OnStop::Drain if !workers.is_empty() => self.queue.shutdown(),
            _ => self.queue.shutdown_now(),
        }
        let ended = async { while workers.join_next().await.is_some() {} };
        if within(&*self.clock, self.grace, ended).await.is_none() {
            let grace = self.grace;
            tracing::warn!(
                controller = &*self.name,
                ?grace,
                "runs did not end in time and are dropped"
            );
            self.queue.shutdown_now();
            workers.shutdown().await;
        }
        self.gate.release().await;
    }
}

/// Runs a controller on a task of its own.
pub(super) fn launch<Q: ReconcileKey>(core: Core<Q>) -> ControllerHandle<Q> {
    let core = Arc::new(core);
    let handle = ControllerHandle::new(core.clone());
    tokio::spawn(async move {
        let mut end = Ended(core.clone(), Phase::Stopped);
        let life = std::panic::AssertUnwindSafe(core.live()).catch_unwind();
        if let Err(panic) = life.await {
            let panic = panic_message(&*panic);
            tracing::error!(controller = &*core.name, panic, "the controller failed");
            end.1 = Phase::Failed;
        }
    });
    handle
}

/// Tells, by being dropped, that a controller has ended, however it did.
struct Ended<Q: ReconcileKey>(Arc<Core<Q>>, Phase);

impl<Q: ReconcileKey> Drop for Ended<Q> {
    fn drop(&mut self) {
        self.0.enter(self.1);
    }
}
