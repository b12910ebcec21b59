//! [`SharedInformer`]: one list and watch, one store, any number of handlers.
//!
//! | file | what is there |
//! |---|---|
//! | `event` | [`Event`], [`EventHandler`], [`Filtered`] |
//! | `buffer` | what waits for a handler, and what happens when that is too much |
//! | `handler` | the task of a handler, and [`Registration`] |
//! | `stream` | [`EventStream`]: events to be awaited |
//! | `run` | what an informer does while it runs |
//! | `notice` | an event on its way to a handler |
//! | `hub` | the store and its handlers, changed together |
//!
//! An informer is one task, and one more for each handler. The task reads from the server, makes changes in the store
//! and puts events into buffers; it never calls a handler.
//!
//! This module must not know how a resource is read; a [`ListWatch`] does.

mod buffer;
mod event;
mod handler;
mod hub;
mod notice;
mod run;
mod stream;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::watch;

pub use self::buffer::Overflow;
pub use self::event::{Event, EventHandler, Filtered};
use self::handler::Cell;
pub use self::handler::{HandlerMetrics, HandlerOptions, Registration};
use self::hub::Hub;
use self::run::{Done, Run, StopsOnDrop};
pub use self::stream::EventStream;
use super::indexer::{DuplicateIndex, Index, IndexValue, Indexer, NAMESPACE_INDEX, Storage};
use super::list_watch::{AnyListWatch, ListWatch};
use super::lister::Lister;
use super::object::Object;
use super::queue::{DeltaFifo, InOrderQueue, QUEUE_CAPACITY, Queue};
use super::reflector::{ReflectorOptions, ReflectorStatus, Transform};
use super::sync::lock;
use crate::clock::{Clock, TokioClock};
use crate::rest::GroupVersionResource;

/// Which queue is between the reflector and the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// [`InOrderQueue`]
    #[default]
    InOrder,
    /// [`DeltaFifo`]
    DeltaFifo,
}

/// What an informer is told besides where to read.
#[derive(Clone, Debug)]
pub struct InformerOptions<K> {
    /// Done to each object before anyone sees it.
    pub transform: Option<Transform<K>>,
    /// How often handlers added without options of their own are shown all objects again; `None` is never.
    pub resync: Option<Duration>,
    /// How the store keeps its objects.
    pub storage: Storage,
    /// The queue.
    pub queue: QueueKind,
    /// How many changes the queue holds before the reflector waits.
    pub queue_capacity: usize,
    /// How the resource is read.
    pub reflector: ReflectorOptions,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl<K> Default for InformerOptions<K> {
    fn default() -> Self {
        Self {
            transform: None,
            resync: None,
            storage: Storage::Whole,
            queue: QueueKind::InOrder,
            queue_capacity: QUEUE_CAPACITY,
            reflector: ReflectorOptions::default(),
            clock: Arc::new(TokioClock),
        }
    }
}

/// Why something has not synced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSynced {
    /// The resource.
    pub resource: GroupVersionResource,
}

impl fmt::Display for NotSynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the informer of {} does not run: start it, or the factory that it is from",
            self.resource
        )
    }
}

impl std::error::Error for NotSynced {}

/// Keeps the objects of a resource in memory and tells any number of handlers of changes. Cheap to clone.
///
/// When the last clone is dropped the informer stops. A stopped informer keeps its store and its handlers and may be
/// started again: what happened in between is then told.
///
/// What handlers can rely on: an object is added once, updated any number of times and deleted once, and so on; `old`
/// is what was told before; the store has a change before a handler is told of it, and may have later ones by then.
/// States between may be missing. An object that was deleted and created again between two looks is told as both.
pub struct SharedInformer<K: Object> {
    core: Arc<Core<K>>,
    _stops: Arc<StopsOnDrop<K>>,
    /// Of handlers that are added through this clone.
    resync: Option<Duration>,
}

impl<K: Object> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            _stops: self._stops.clone(),
            resync: self.resync,
        }
    }
}

impl<K: Object> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("resource", &self.core.source.resource())
            .field("store", &self.core.hub.store)
            .field("synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}

struct Core<K: Object> {
    source: AnyListWatch<K>,
    options: InformerOptions<K>,
    hub: Arc<Hub<K>>,
    status: Arc<watch::Sender<ReflectorStatus>>,
    run: Mutex<Option<Run<K>>>,
}

impl<K: Object> SharedInformer<K> {
    /// An informer that does not run yet.
    pub fn new(source: impl ListWatch<Object = K>) -> Self {
        Self::with_options(source, InformerOptions::default())
    }

    /// An informer with options that does not run yet.
    pub fn with_options(source: impl ListWatch<Object = K>, options: InformerOptions<K>) -> Self {
        let resync = options.resync;
        let store = Indexer::with_storage(&options.storage);
        // The store is new: the name is free.
        let _ = store.add_index(NAMESPACE_INDEX, |object: &K| {
            let namespace = &object.object_meta().namespace;
            if namespace.is_empty() {
                Vec::new()
            } else {
                vec![namespace.clone()]
            }
        });
        let core = Arc::new(Core {
            source: AnyListWatch::new(source),
            hub: Hub::new(store),
            status: Arc::new(watch::Sender::new(ReflectorStatus::new(
                options.reflector.watch_list,
            ))),
            options,
            run: Mutex::new(None),
        });
        Self {
            _stops: Arc::new(StopsOnDrop(core.clone())),
            core,
            resync,
        }
    }

    /// The same informer; handlers that are added through this clone without options of their own are shown all objects
    /// again so often, `None` is never.
    #[must_use]
    pub fn with_resync(mut self, period: Option<Duration>) -> Self {
        self.resync = period;
        self
    }

    /// Begins to list, watch and call handlers, on a task of the current tokio runtime; nothing if it runs already.
    /// A run that is being stopped is waited for first.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(&self) {
        let mut run = lock(&self.core.run);
        let previous = match &*run {
            Some(run) if !*run.stop.borrow() && !*run.done.borrow() => return,
            Some(run) => Some(run.done.clone()),
            None => None,
        };
        let stop = Arc::new(watch::Sender::new(false));
        let (done, is_done) = watch::channel(false);
        let queue = self.core.queue();
        *run = Some(Run {
            stop: stop.clone(),
            done: is_done,
            queue: queue.clone(),
        });
        drop(run);
        let core = self.core.clone();
        let stopped = stop.subscribe();
        tokio::spawn(async move {
            let _done = Done(done);
            if let Some(mut previous) = previous {
                let _ = previous.wait_for(|done| *done).await;
            }
            core.run(queue, stopped).await;
        });
    }

    /// Stops and completes when no handler is being called and no task of the informer is left. What was not told yet is
    /// told if it is started again. Never await it in a handler of this informer.
    pub async fn stop(&self) {
        self.core.signal_stop();
        let done = lock(&self.core.run).as_ref().map(|run| run.done.clone());
        if let Some(mut done) = done {
            let _ = done.wait_for(|done| *done).await;
        }
    }

    /// Whether it has been started and not stopped.
    pub fn is_running(&self) -> bool {
        let run = lock(&self.core.run);
        run.as_ref()
            .is_some_and(|run| !*run.stop.borrow() && !*run.done.borrow())
    }

    /// How the reading fares, now and at each change.
    pub fn status(&self) -> watch::Receiver<ReflectorStatus> {
        self.core.status.subscribe()
    }

    /// How many changes wait between the reflector and the store; a relist is one.
    pub fn queue_depth(&self) -> usize {
        lock(&self.core.run).as_ref().map_or(0, |run| run.queue.len())
    }

    /// The store, to read and to add indices to. What is written to it by others is lost or told wrongly.
    pub fn store(&self) -> &Indexer<K> {
        &self.core.hub.store
    }

    /// Adds an index to the store; see [`Indexer::add_index`].
    ///
    /// # Errors
    /// The name is taken.
    pub fn add_index<V: IndexValue>(
        &self,
        name: &str,
        values: impl Fn(&K) -> Vec<V> + Send + 'static,
    ) -> Result<Index<K, V>, DuplicateIndex> {
        self.store().add_index(name, values)
    }

    /// Reads from the store.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.store().clone(), self.core.source.resource())
    }

    /// The resource.
    pub fn resource(&self) -> GroupVersionResource {
        self.core.source.resource()
    }

    /// Adds a handler, at any time: it is told of each object that is there, once, then of changes. A handler that holds
    /// the informer keeps it running; let it hold a [`Lister`] instead.
    pub fn add_event_handler(&self, handler: impl EventHandler<K>) -> Registration<K> {
        let options = HandlerOptions {
            resync: self.resync,
            ..HandlerOptions::default()
        };
        self.add_event_handler_with(handler, options)
    }

    /// Adds a handler with options.
    pub fn add_event_handler_with(
        &self,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Registration<K> {
        self.register(Some(Box::new(handler)), options)
    }

    /// The events as a stream, beginning with an addition for each object that is there. If nobody reads it, events wait
    /// and are coalesced as for any handler.
    pub fn events(&self) -> EventStream<K> {
        self.events_with(HandlerOptions::default())
    }

    /// The events as a stream, with options.
    pub fn events_with(&self, options: HandlerOptions) -> EventStream<K> {
        EventStream {
            registration: self.register(None, options),
        }
    }

    fn register(
        &self,
        handler: Option<Box<dyn EventHandler<K>>>,
        options: HandlerOptions,
    ) -> Registration<K> {
        let cell = Cell::new(options);
        self.core.hub.add(cell.clone(), handler);
        Registration {
            cell,
            hub: Arc::downgrade(&self.core.hub),
        }
    }

    /// Whether the store has the first list. Handlers may not have been told of all of it yet.
    pub fn has_synced(&self) -> bool {
        self.core.hub.has_synced()
    }

    /// Completes when the store has the first list and every handler that is there now has returned from the additions
    /// that belong to it. It waits for as long as the server cannot be reached: bound it by a timeout.
    ///
    /// # Errors
    /// The informer does not run, or is stopped before.
    pub async fn wait_synced(&self) -> Result<(), NotSynced> {
        let not_synced = || NotSynced {
            resource: self.core.source.resource(),
        };
        let run = lock(&self.core.run)
            .as_ref()
            .map(|run| (run.stop.subscribe(), run.done.clone()));
        let (mut stop, mut done) = run.ok_or_else(not_synced)?;
        let synced = async {
            self.core.hub.synced().await;
            for cell in self.core.hub.handlers() {
                cell.synced().await;
            }
        };
        let stopped = async {
            let stop = Box::pin(stop.wait_for(|stop| *stop));
            let done = Box::pin(done.wait_for(|done| *done));
            let _ = select(stop, done).await;
        };
        match select(Box::pin(stopped), Box::pin(synced)).await {
            Either::Left(_) => Err(not_synced()),
            Either::Right(_) => Ok(()),
        }
    }
}

impl<K: Object> Core<K> {
    fn queue(&self) -> Arc<dyn Queue<K>> {
        let (store, capacity) = (&self.hub.store, self.options.queue_capacity);
        match self.options.queue {
            QueueKind::InOrder => Arc::new(InOrderQueue::with_capacity(store, capacity)),
            QueueKind::DeltaFifo => Arc::new(DeltaFifo::with_capacity(store, capacity)),
        }
    }
}
