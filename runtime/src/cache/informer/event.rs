//! What handlers are told.

use std::sync::Arc;

use crate::cache::object::{Object, ObjectKey};
use crate::cache::queue::Deleted;

/// A change of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<K> {
    /// An object appeared.
    Added {
        /// The object.
        object: Arc<K>,
        /// Whether it was there when the handler, or the informer, began: one of the first list.
        initial: bool,
    },
    /// An object changed, or is shown again by a resync: then both are the same `Arc`.
    Updated {
        /// The state that was told last.
        old: Arc<K>,
        /// The state now.
        new: Arc<K>,
    },
    /// An object went.
    Deleted(Deleted<K>),
}

impl<K: Object> Event<K> {
    /// The key of the object.
    pub fn key(&self) -> ObjectKey {
        match self {
            Self::Added { object, .. } => ObjectKey::of(&**object),
            Self::Updated { new, .. } => ObjectKey::of(&**new),
            Self::Deleted(deleted) => deleted.key(),
        }
    }

    /// The newest known state of the object.
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Added { object, .. } => Some(object),
            Self::Updated { new, .. } => Some(new),
            Self::Deleted(deleted) => deleted.last(),
        }
    }

    /// Whether nothing changed: the object is shown again by a resync.
    pub fn is_resync(&self) -> bool {
        matches!(self, Self::Updated { old, new } if Arc::ptr_eq(old, new))
    }
}

/// Is told of changes, one after the other.
///
/// Implemented by closures over [`Event`] too. A handler runs on a task of its own: a slow one delays no other, and one
/// that panics loses the event, is reported, and goes on with the next. It should not block its thread for long; what
/// has to wait belongs behind a channel or on an [event stream](super::SharedInformer::events). Never wait in a
/// handler for its own removal.
///
/// ```
/// use std::sync::Arc;
/// use kubeloom::cache::{Deleted, EventHandler, Object};
///
/// struct Names;
///
/// impl<K: Object> EventHandler<K> for Names {
///     fn on_add(&mut self, object: Arc<K>, initial: bool) {
///         println!("+ {} {initial}", object.object_meta().name);
///     }
///     fn on_delete(&mut self, deleted: Deleted<K>) {
///         println!("- {}", deleted.key());
///     }
/// }
/// ```
pub trait EventHandler<K>: Send + 'static {
    /// An object appeared; `initial` says that it was there when the handler began.
    fn on_add(&mut self, object: Arc<K>, initial: bool) {
        let _ = (object, initial);
    }

    /// An object changed; after a resync both are the same.
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        let _ = (old, new);
    }

    /// An object went.
    fn on_delete(&mut self, deleted: Deleted<K>) {
        let _ = deleted;
    }

    /// Any of the three; what is called first.
    fn on_event(&mut self, event: Event<K>) {
        match event {
            Event::Added { object, initial } => self.on_add(object, initial),
            Event::Updated { old, new } => self.on_update(old, new),
            Event::Deleted(deleted) => self.on_delete(deleted),
        }
    }
}

impl<K, F: FnMut(Event<K>) + Send + 'static> EventHandler<K> for F {
    fn on_event(&mut self, event: Event<K>) {
        self(event);
    }
}

/// Lets a handler see only some objects.
///
/// An object that begins to match is an addition to the handler, one that ceases to match a deletion.
#[derive(Clone, Debug)]
pub struct Filtered<F, H> {
    filter: F,
    handler: H,
}

impl<F, H> Filtered<F, H> {
    /// The handler behind a filter.
    pub fn new<K>(filter: F, handler: H) -> Self
    where
        F: Fn(&K) -> bool + Send + 'static,
        H: EventHandler<K>,
    {
        Self { filter, handler }
    }
}

impl<K, F, H> EventHandler<K> for Filtered<F, H>
where
    F: Fn(&K) -> bool + Send + 'static,
    H: EventHandler<K>,
{
    fn on_event(&mut self, event: Event<K>) {
        let passed = match event {
            Event::Added { object, initial } => {
                (self.filter)(&object).then_some(Event::Added { object, initial })
            }
            Event::Updated { old, new } => match ((self.filter)(&old), (self.filter)(&new)) {
                (true, true) => Some(Event::Updated { old, new }),
                (false, true) => Some(Event::Added {
                    object: new,
                    initial: false,
                }),
                (true, false) => Some(Event::Deleted(Deleted::Known(old))),
                (false, false) => None,
            },
            // What was never seen cannot be judged.
            Event::Deleted(deleted) => {
                let last = match &deleted {
                    Deleted::Known(object) => Some(object),
                    Deleted::Unknown { last, .. } => last.as_ref(),
                };
                let passes = last.is_none_or(|last| (self.filter)(last));
                passes.then_some(Event::Deleted(deleted))
            }
        };
        if let Some(event) = passed {
            self.handler.on_event(event);
        }
    }
}
