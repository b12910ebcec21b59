//! From events of informers to keys.

use std::sync::Arc;

use futures_core::future::BoxFuture;

use super::handle::SourceStatus;
use super::reconcile::ReconcileKey;
use crate::cache::{Deleted, Event, HandlerOptions, Object, ObjectKey, Registration, SharedInformer};
use crate::meta::ObjectMeta;
use crate::resource::{Resource, Scope};
use crate::workqueue::{LOW_PRIORITY, Request, WorkQueue};

/// Where keys come from: an informer and what its events mean.
pub(super) trait Source<Q>: Send + Sync {
    /// Puts keys into the queue from now on, and starts the informer if it does not run.
    fn attach(&self, controller: &str, queue: &WorkQueue<Q>) -> Box<dyn Attached>;

    /// The keys of all objects that are in the store.
    fn replay(&self, queue: &WorkQueue<Q>);

    fn status(&self) -> SourceStatus;
}

/// A source that puts keys into the queue.
pub(super) trait Attached: Send + Sync {
    /// Completes when the objects of the first list are in the queue.
    fn synced(&self) -> BoxFuture<'_, ()>;

    /// Completes when nothing more comes.
    fn detach(&self) -> BoxFuture<'_, ()>;
}

impl<K: Object> Attached for Registration<K> {
    fn synced(&self) -> BoxFuture<'_, ()> {
        Box::pin(Self::synced(self))
    }
    fn detach(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.remove())
    }
}

/// The keys that an event is about.
pub(super) type Map<K, Q> = Arc<dyn Fn(&Event<K>) -> Vec<Q> + Send + Sync>;

pub(super) struct Watched<K: Object, Q> {
    pub(super) informer: SharedInformer<K>,
    pub(super) map: Map<K, Q>,
}

impl<K: Object, Q: ReconcileKey> Source<Q> for Watched<K, Q> {
    fn attach(&self, controller: &str, queue: &WorkQueue<Q>) -> Box<dyn Attached> {
        let (map, queue) = (self.map.clone(), queue.clone());
        let handler = move |event: Event<K>| {
            let request = Request {
                priority: priority(&event),
                ..Request::default()
            };
            for key in map(&event) {
                queue.add_with(key, request);
            }
        };
        let options = HandlerOptions {
            name: controller.to_owned(),
            ..HandlerOptions::default()
        };
        let registration = self.informer.add_event_handler_with(handler, options);
        self.informer.start();
        Box::new(registration)
    }

    fn replay(&self, queue: &WorkQueue<Q>) {
        let events = self
            .informer
            .store()
            .list()
            .into_iter()
            .map(|object| Event::Added {
                object,
                initial: true,
            });
        queue.add_all(events.flat_map(|event| (self.map)(&event)), LOW_PRIORITY);
    }

    fn status(&self) -> SourceStatus {
        SourceStatus {
            resource: self.informer.resource(),
            running: self.informer.is_running(),
            synced: self.informer.has_synced(),
            last_error: self.informer.status().borrow().last_error.clone(),
        }
    }
}

/// Nobody waits for what was there before, nor for what is shown again unchanged.
fn priority<K: Object>(event: &Event<K>) -> i32 {
    let idle = event.is_resync() || matches!(event, Event::Added { initial: true, .. });
    if idle { LOW_PRIORITY } else { 0 }
}

/// The controlling owners of kind `K` of the object that an event is about: those of its state now and of its state
/// before, which are two if it was handed over.
pub(super) fn controlling_owners<K: Resource, C: Object>(event: &Event<C>) -> Vec<ObjectKey> {
    let key = |meta: &ObjectMeta| {
        let owner = meta.controller_owner()?;
        owner.is_of::<K>().then(|| ObjectKey {
            namespace: if K::Scope::NAMESPACED {
                meta.namespace.clone()
            } else {
                Default::default()
            },
            name: owner.name.clone(),
        })
    };
    let (one, other) = match event {
        Event::Added { object, .. } => (Some(object), None),
        Event::Updated { old, new } => (Some(new), Some(old)),
        Event::Deleted(Deleted::Known(last)) => (Some(last), None),
        Event::Deleted(Deleted::Unknown { last, .. }) => (last.as_ref(), None),
    };
    let mut keys: Vec<_> = [one, other]
        .into_iter()
        .flatten()
        .filter_map(|object| key(object.object_meta()))
        .collect();
    keys.dedup();
    keys
}
