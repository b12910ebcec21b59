//! The informers that a factory keeps, of any kind.

use std::any::{Any, TypeId};

use futures_core::future::BoxFuture;
use hashbrown::HashMap;

use super::setup::Selection;
use crate::cache::indexer::Storage;
use crate::cache::informer::{InformerOptions, NotSynced, QueueKind, SharedInformer};
use crate::cache::object::Object;
use crate::cache::reflector::{ReflectorStatus, Transform};
use crate::rest::GroupVersionResource;

/// What an informer is kept under: all that decides what is in its store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    object: TypeId,
    /// For objects whose type does not say it.
    resource: Option<GroupVersionResource>,
    selection: Selection,
    /// The address of the transform, which the informer that is kept holds on to.
    transform: Option<usize>,
    queue: QueueKind,
    storage: Storage,
}

impl Key {
    pub(super) fn new<K: Object>(
        resource: Option<&GroupVersionResource>,
        selection: &Selection,
        options: &InformerOptions<K>,
    ) -> Self {
        Self {
            object: TypeId::of::<K>(),
            resource: resource.cloned(),
            selection: selection.clone(),
            transform: options.transform.as_ref().map(Transform::address),
            queue: options.queue,
            storage: options.storage.clone(),
        }
    }
}

/// The informers, in the order in which they were asked for first.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) list: Vec<Box<dyn AnyInformer>>,
    places: HashMap<Key, usize>,
    /// After a shutdown nothing starts.
    pub(super) shut_down: bool,
}

impl Kept {
    pub(super) fn get<K: Object>(&self, key: &Key) -> Option<SharedInformer<K>> {
        let place = self.places.get(key)?;
        self.list.get(*place)?.as_any().downcast_ref().cloned()
    }

    pub(super) fn put<K: Object>(&mut self, key: Key, informer: SharedInformer<K>) {
        self.places.insert(key, self.list.len());
        self.list.push(Box::new(informer));
    }
}

/// What a factory does with informers of any kind.
pub(super) trait AnyInformer: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn start(&self);
    fn wait_synced(&self) -> BoxFuture<'static, Result<(), NotSynced>>;
    fn stop(&self) -> BoxFuture<'static, ()>;
    fn overview(&self) -> InformerOverview;
}

impl<K: Object> AnyInformer for SharedInformer<K> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn start(&self) {
        Self::start(self);
    }
    fn wait_synced(&self) -> BoxFuture<'static, Result<(), NotSynced>> {
        let informer = self.clone();
        Box::pin(async move { Self::wait_synced(&informer).await })
    }
    fn stop(&self) -> BoxFuture<'static, ()> {
        let informer = self.clone();
        Box::pin(async move { Self::stop(&informer).await })
    }
    fn overview(&self) -> InformerOverview {
        InformerOverview {
            resource: self.resource(),
            running: self.is_running(),
            synced: self.has_synced(),
            objects: self.store().len(),
            queued: self.queue_depth(),
            reflector: self.status().borrow().clone(),
        }
    }
}

/// How an informer of a factory fares.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InformerOverview {
    /// The resource.
    pub resource: GroupVersionResource,
    /// Whether it has been started and not stopped.
    pub running: bool,
    /// Whether its store has the first list.
    pub synced: bool,
    /// How many objects are in the store.
    pub objects: usize,
    /// How many changes wait between the reflector and the store.
    pub queued: usize,
    /// How the reading fares: its state and its last error.
    pub reflector: ReflectorStatus,
}
