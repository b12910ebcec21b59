//! [`ControllerHandle`]: status, health, stop.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::metrics::Outcome;
use super::reconcile::ReconcileKey;
use super::run::Core;
use crate::cache::{Failed, ObjectKey};
use crate::rest::GroupVersionResource;
use crate::sync::lock;
use crate::workqueue::{Added, QueueStats, WorkQueue};

/// What a controller is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// It waits for the first lists of what it watches.
    Syncing,
    /// It has them, and waits to be let in by its gate.
    Standby,
    /// Its workers work.
    Working,
    /// It is being stopped.
    Stopping,
    /// It has stopped.
    Stopped,
    /// It ended by an error of its own, which was logged.
    Failed,
}

/// In which way a reconciler failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It returned an error.
    Error,
    /// It panicked.
    Panic,
    /// It took longer than it may.
    Timeout,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure<Q> {
    /// What it was run for.
    pub key: Q,
    /// In which way it failed.
    pub kind: FailureKind,
    /// The error with its causes, or the text of the panic.
    pub message: String,
    /// When, by the wall clock.
    pub at: jiff::Timestamp,
    /// How many times in a row the key has failed by now.
    pub attempt: u32,
}

/// A worker at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerStatus<Q> {
    /// The key that it works on, and since when.
    pub running: Option<(Q, Instant)>,
    /// How many of its runs failed.
    pub failures: u64,
    /// The last of them.
    pub last_failure: Option<Failure<Q>>,
}

impl<Q> Default for WorkerStatus<Q> {
    fn default() -> Self {
        Self {
            running: None,
            failures: 0,
            last_failure: None,
        }
    }
}

/// A source at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The resource that is watched.
    pub resource: GroupVersionResource,
    /// Whether its informer runs.
    pub running: bool,
    /// Whether its informer has the first list.
    pub synced: bool,
    /// The last failure of its informer's reading, if there was one, even if it has been overcome.
    pub last_error: Option<Failed>,
}

/// A controller at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ControllerStatus<Q> {
    /// The name.
    pub name: String,
    /// What it is doing.
    pub phase: Phase,
    /// The queue.
    pub queue: QueueStats,
    /// How many runs ended in which way.
    pub outcomes: Vec<(Outcome, u64)>,
    /// The workers.
    pub workers: Vec<WorkerStatus<Q>>,
    /// What is watched.
    pub sources: Vec<SourceStatus>,
}

impl<Q> ControllerStatus<Q> {
    /// How many runs ended in this way.
    pub fn count(&self, outcome: Outcome) -> u64 {
        let counted = self.outcomes.iter().find(|(known, _)| *known == outcome);
        counted.map_or(0, |(_, count)| *count)
    }

    /// The last failure of any worker.
    pub fn last_failure(&self) -> Option<&Failure<Q>> {
        let failures = self
            .workers
            .iter()
            .filter_map(|worker| worker.last_failure.as_ref());
        failures.max_by_key(|failure| failure.at)
    }
}

/// Why a controller is not healthy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unhealthy {
    /// It has ended without being asked to.
    Failed,
    /// A run has been going on for very long ([`stuck_after`](super::Controller::stuck_after)).
    Stuck {
        /// The key.
        key: String,
        /// How long.
        running: Duration,
    },
    /// An informer that it needs was stopped.
    SourceStopped {
        /// The informer's resource.
        resource: GroupVersionResource,
    },
}

impl fmt::Display for Unhealthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed => f.write_str("the controller ended by an error of its own; its log tells which"),
            Self::Stuck { key, running } => write!(f, "{key} has been worked on for {running:?}"),
            Self::SourceStopped { resource } => write!(f, "the informer of {resource} was stopped"),
        }
    }
}

impl std::error::Error for Unhealthy {}

/// A controller that was started. Cheap to clone; when the last clone is dropped, the controller is stopped.
pub struct ControllerHandle<Q: ReconcileKey = ObjectKey> {
    core: Arc<Core<Q>>,
    _stops: Arc<StopsOnDrop<Q>>,
}

struct StopsOnDrop<Q: ReconcileKey>(Arc<Core<Q>>);

impl<Q: ReconcileKey> Drop for StopsOnDrop<Q> {
    fn drop(&mut self) {
        self.0.stop.send_replace(true);
    }
}

impl<Q: ReconcileKey> Clone for ControllerHandle<Q> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            _stops: self._stops.clone(),
        }
    }
}

impl<Q: ReconcileKey> fmt::Debug for ControllerHandle<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerHandle")
            .field("name", &self.core.name)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}

impl<Q: ReconcileKey> ControllerHandle<Q> {
    pub(super) fn new(core: Arc<Core<Q>>) -> Self {
        Self {
            _stops: Arc::new(StopsOnDrop(core.clone())),
            core,
        }
    }

    /// What it is doing.
    pub fn phase(&self) -> Phase {
        *self.core.phase.borrow()
    }

    /// Whether it has the first lists: it works, or would if it were let in.
    pub fn is_ready(&self) -> bool {
        matches!(self.phase(), Phase::Standby | Phase::Working)
    }

    /// Completes when it is ready, or will never be. It waits for as long as the server cannot be reached; the sources'
    /// [`SourceStatus::last_error`] tells why.
    pub async fn ready(&self) {
        let mut phase = self.core.phase.subscribe();
        // The sender lives as long as `self`.
        let _ = phase.wait_for(|phase| *phase != Phase::Syncing).await;
    }

    /// Whether it can be expected to do its work. Failures of reconcilers do not count: they are retried.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn health(&self) -> Result<(), Unhealthy> {
        let phase = self.phase();
        if phase == Phase::Failed {
            return Err(Unhealthy::Failed);
        }
        let now = self.core.clock.now();
        for worker in &self.core.workers {
            if let Some((key, since)) = &lock(worker).running {
                let running = now.saturating_duration_since(*since);
                if running >= self.core.stuck_after {
                    let key = key.to_string();
                    return Err(Unhealthy::Stuck { key, running });
                }
            }
        }
        let live = !matches!(phase, Phase::Stopping | Phase::Stopped);
        let mut sources = self.core.sources.iter().map(|source| source.status());
        match sources.find(|source| live && !source.running) {
            Some(SourceStatus { resource, .. }) => Err(Unhealthy::SourceStopped { resource }),
            None => Ok(()),
        }
    }

    /// All that is known.
    pub fn status(&self) -> ControllerStatus<Q> {
        let core = &self.core;
        ControllerStatus {
            name: core.name.to_string(),
            phase: self.phase(),
            queue: core.queue.stats(),
            outcomes: Outcome::ALL
                .map(|outcome| (outcome, core.counted(outcome)))
                .to_vec(),
            workers: core.workers.iter().map(|worker| lock(worker).clone()).collect(),
            sources: core.sources.iter().map(|source| source.status()).collect(),
        }
    }

    /// The queue, to ask for keys by other ways than informers.
    pub fn queue(&self) -> &WorkQueue<Q> {
        &self.core.queue
    }

    /// Asks for a key.
    pub fn trigger(&self, key: Q) -> Added {
        self.core.queue.add(key)
    }

    /// Stops it and completes when it has stopped: informers are left first, then the queue is shut down, runs that go on
    /// have their [`grace`](super::Controller::grace), and at last another replica is let in. Informers go on. Never await
    /// it in a reconciler of this controller.
    pub async fn stop(&self) {
        self.core.stop.send_replace(true);
        self.stopped().await;
    }

    /// Completes when it has ended, for whatever reason.
    pub async fn stopped(&self) {
        let mut phase = self.core.phase.subscribe();
        // The sender lives as long as `self`.
        let _ = phase
            .wait_for(|phase| matches!(phase, Phase::Stopped | Phase::Failed))
            .await;
    }
}
