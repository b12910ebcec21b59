//! [`Controller`]: what is watched, and how it is worked on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::elected::Elected;
use super::gate::{Gate, Open};
use super::handle::ControllerHandle;
use super::metrics::ControllerMetrics;
use super::reconcile::{Action, BoxError, Context, ReconcileKey};
use super::run::{Core, launch};
use super::sources::{Map, Source, Watched, controlling_owners};
use crate::cache::{Event, Object, ObjectKey, SharedInformer};
use crate::clock::{Clock, TokioClock};
use crate::leader_election::LeaderElector;
use crate::resource::Resource;
use crate::sharding::Shards;
use crate::workqueue::{Order, QueueOptions, RateLimiter, WorkQueue, default_limiter};

/// What becomes of keys that are ready when a controller is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnStop {
    /// They are dropped; whoever starts next finds them in its first list. Runs that go on are let end.
    #[default]
    DropQueued,
    /// They are worked on first.
    Drain,
}

/// A controller that does not run yet.
///
/// Keys are [`ObjectKey`]s unless something else is better: [`Controller::with_keys`].
#[must_use = "a controller does nothing until it is started"]
pub struct Controller<Q: ReconcileKey = ObjectKey> {
    pub(super) name: Arc<str>,
    pub(super) sources: Vec<Box<dyn Source<Q>>>,
    pub(super) workers: usize,
    pub(super) timeout: Option<Duration>,
    pub(super) stuck_after: Duration,
    pub(super) grace: Duration,
    pub(super) on_stop: OnStop,
    pub(super) gate: Arc<dyn Gate>,
    pub(super) shards: Option<Shards>,
    pub(super) place: Option<fn(&Q) -> u64>,
    pub(super) metrics: Option<Arc<dyn ControllerMetrics>>,
    limiter: Option<Arc<dyn RateLimiter<Q>>>,
    order: Order,
    pub(super) clock: Arc<dyn Clock>,
}

impl<Q: ReconcileKey> fmt::Debug for Controller<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.name)
            .field("sources", &self.sources.len())
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

impl Controller {
    /// A controller of objects; the name is for logs and metrics.
    pub fn new(name: &str) -> Self {
        Self::with_keys(name)
    }

    /// The objects of an informer are what is worked on: the reconciler is run for the key of each that appears, changes or
    /// goes.
    pub fn reconciles<K: Object>(self, informer: &SharedInformer<K>) -> Self {
        self.watches(informer, |event| [event.key()])
    }

    /// Changes of a child are changes of the object of kind `K` that controls it, by its owner references.
    pub fn owns<K: Resource, C: Object>(self, children: &SharedInformer<C>) -> Self {
        self.watches(children, controlling_owners::<K, C>)
    }

    /// Only the keys of this replica's shards are worked on. A key is placed by its namespace, or by all of it, as the
    /// [`Shards`] say.
    pub fn sharded(mut self, shards: &Shards) -> Self {
        self.place = Some(shards.place_of_keys());
        self.shards = Some(shards.clone());
        self
    }
}

impl<Q: ReconcileKey> Controller<Q> {
    /// A controller whose keys are something else than those of objects. Everything it watches is mapped by
    /// [`Controller::watches`].
    pub fn with_keys(name: &str) -> Self {
        Self {
            name: name.into(),
            sources: Vec::new(),
            workers: 1,
            timeout: None,
            stuck_after: Duration::from_secs(600),
            grace: Duration::from_secs(30),
            on_stop: OnStop::default(),
            gate: Arc::new(Open),
            shards: None,
            place: None,
            metrics: None,
            limiter: None,
            order: Order::by_priority(),
            clock: Arc::new(TokioClock),
        }
    }

    /// The events of an informer are about the keys that `map` says; called on the informer's task for this handler, it
    /// should be quick. The informer is started with the controller, and not stopped with it.
    pub fn watches<K: Object, I: IntoIterator<Item = Q>>(
        mut self,
        informer: &SharedInformer<K>,
        map: impl Fn(&Event<K>) -> I + Send + Sync + 'static,
    ) -> Self {
        let map: Map<K, Q> = Arc::new(move |event| map(event).into_iter().collect());
        self.sources.push(Box::new(Watched {
            informer: informer.clone(),
            map,
        }));
        self
    }

    /// How many keys are worked on at once; 1 unless said otherwise, 0 counts as 1. A key is never worked on twice at once.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// How long a run may take. It is then dropped, and retried as a failure. Without it, as long as it takes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// A run that has been going on for so long makes the controller unhealthy; ten minutes unless said otherwise.
    pub fn stuck_after(mut self, limit: Duration) -> Self {
        self.stuck_after = limit;
        self
    }

    /// How long runs may go on when the controller is stopped, before they are dropped; 30 seconds unless said otherwise.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// What becomes of keys that are ready when the controller is stopped.
    pub fn on_stop(mut self, on_stop: OnStop) -> Self {
        self.on_stop = on_stop;
        self
    }

    /// How long keys wait that failed; [`default_limiter`] unless said otherwise.
    pub fn limiter(mut self, limiter: Arc<dyn RateLimiter<Q>>) -> Self {
        self.limiter = Some(limiter);
        self
    }

    /// In which order keys come; by priority with ageing unless said otherwise, with objects of the first list last.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Whether this replica may work: a leader election. Informers run all the same, so that a replica that is let in begins
    /// at once.
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = gate;
        self
    }

    /// Only the candidate that leads works; [`Controller::gate`] with [`Elected`].
    pub fn elected(self, elector: &LeaderElector) -> Self {
        self.gate(Arc::new(Elected::new(elector)))
    }

    /// Only the keys of this replica's shards are worked on; `place` says where a key is, as 64 bits evenly spread
    /// ([`sharding::hash`](crate::sharding::hash)).
    pub fn sharded_by(mut self, shards: &Shards, place: fn(&Q) -> u64) -> Self {
        self.place = Some(place);
        self.shards = Some(shards.clone());
        self
    }

    /// Who is told of runs.
    pub fn metrics(mut self, metrics: Arc<dyn ControllerMetrics>) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// Another clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Runs it on the current tokio runtime, until it is stopped by its handle or the last clone of that is dropped.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start<F, R, E>(self, reconcile: F) -> ControllerHandle<Q>
    where
        F: Fn(Context, Q) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let queue = WorkQueue::with_options(QueueOptions {
            name: self.name.to_string(),
            order: self.order,
            limiter: match &self.limiter {
                Some(limiter) => limiter.clone(),
                None => default_limiter(self.clock.clone()),
            },
            supersede_delayed: false,
            metrics: self.metrics.clone().map(|metrics| metrics as _),
            times: true,
            clock: self.clock.clone(),
        });
        launch(Core::new(
            self,
            queue,
            Arc::new(move |context, key| {
                let run = reconcile(context, key);
                Box::pin(async move { run.await.map_err(Into::into) })
            }),
        ))
    }
}
