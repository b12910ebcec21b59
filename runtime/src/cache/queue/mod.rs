//! Queues between a reflector and whoever keeps its objects.
//!
//! | file | what is there |
//! |---|---|
//! | `in_order` | [`InOrderQueue`]: changes in the order the server made them, a relist as one change |
//! | `items` | changes by the key of their object |
//! | `delta_fifo` | [`DeltaFifo`]: the changes of one object together, compressed |
//!
//! [`Sink`] is the side of the reflector, [`Queue`] adds that of the consumer. Both queues are bounded: the reflector
//! waits for [`Sink::poll_ready`] before each event and so stops reading from the server when its consumer is slow.
//! One task produces and one consumes; all other methods may be called by anyone.
//!
//! This module must not know who handles changes.

mod delta_fifo;
mod in_order;
mod items;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

pub use self::delta_fifo::DeltaFifo;
pub use self::in_order::InOrderQueue;
use super::indexer::{Held, Indexer, Replacement, Write};
use super::object::{KeyRef, Object, ObjectKey};
use crate::value::Str;

/// A queue takes this many changes before it asks its producer to wait; client-go's back-pressure begins at as many.
pub const QUEUE_CAPACITY: usize = 2000;

/// How an object went.
#[derive(Clone, Debug, PartialEq)]
pub enum Deleted<K> {
    /// The server said so; the object as it was last.
    Known(Arc<K>),
    /// It was there, and at the next list it was not: a tombstone.
    Unknown {
        /// The key of the object.
        key: ObjectKey,
        /// The last state that was seen; there may have been later ones.
        last: Option<Arc<K>>,
    },
}

impl<K: Object> Deleted<K> {
    /// The key of the object.
    pub fn key(&self) -> ObjectKey {
        self.key_ref().to_owned()
    }

    fn key_ref(&self) -> KeyRef<'_> {
        match self {
            Self::Known(object) => KeyRef::of(&**object),
            Self::Unknown { key, .. } => key.into(),
        }
    }

    /// The last state that was seen.
    pub fn last(&self) -> Option<&Arc<K>> {
        match self {
            Self::Known(object) => Some(object),
            Self::Unknown { last, .. } => last.as_ref(),
        }
    }
}

/// One change in a queue.
#[derive(Clone, Debug)]
pub enum Delta<K> {
    /// An object appeared.
    Added(Arc<K>),
    /// An object changed.
    Updated(Arc<K>),
    /// An object went.
    Deleted(Deleted<K>),
    /// An object as a list found it; from queues that take a list apart.
    Replaced(Arc<K>),
    /// An object is to be shown again; from queues that take a resync apart.
    Sync(Arc<K>),
    /// The collection as a list found it; from queues that keep a list whole.
    ReplacedAll(Replacement<K>),
    /// All objects are to be shown again; from queues that keep a resync whole.
    SyncAll,
    /// No change up to this version.
    Bookmark(Str),
}

impl<K: Object> Delta<K> {
    /// The key of the one object that the change is about.
    pub fn key(&self) -> Option<ObjectKey> {
        self.key_ref().map(KeyRef::to_owned)
    }

    fn key_ref(&self) -> Option<KeyRef<'_>> {
        match self {
            Self::Deleted(deleted) => Some(deleted.key_ref()),
            _ => self.object().map(|object| KeyRef::of(&**object)),
        }
    }

    /// The one object that there is after the change.
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Added(object) | Self::Updated(object) | Self::Replaced(object) | Self::Sync(object) => {
                Some(object)
            }
            _ => None,
        }
    }
}

/// Changes to be made together, and the receipt that says they have been.
pub struct Batch<K> {
    /// The changes, in order; never empty. See the queues for what can be together.
    pub deltas: Vec<Delta<K>>,
    /// Whether the changes belong to the first list.
    pub initial: bool,
    /// The version that a store has when it has these changes, if the queue knows.
    pub resource_version: Option<Str>,
    /// Held until the changes have been made: [`Queue::has_synced`] counts it.
    pub receipt: Receipt,
}

impl<K: fmt::Debug> fmt::Debug for Batch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("deltas", &self.deltas)
            .finish_non_exhaustive()
    }
}

/// Says, by being dropped, that a batch has been processed.
#[derive(Debug)]
pub struct Receipt {
    progress: Arc<Progress>,
    /// How many changes of the first list are in the batch.
    initial: usize,
}

impl Drop for Receipt {
    fn drop(&mut self) {
        self.progress.left.fetch_sub(self.initial, Ordering::AcqRel);
    }
}

/// How much of the first list is still to be processed; `UNKNOWN` more before there was one.
#[derive(Debug)]
struct Progress {
    left: AtomicUsize,
}

const UNKNOWN: usize = usize::MAX / 2;

impl Progress {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            left: AtomicUsize::new(UNKNOWN),
        })
    }

    /// The first list has come with so many changes.
    fn begin(&self, changes: usize) {
        self.left.store(changes, Ordering::Release);
    }

    fn is_done(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }
}

/// Where a reflector puts what it reads.
pub trait Sink<K>: Send + Sync {
    /// An object appeared.
    fn add(&self, object: Arc<K>);

    /// An object changed.
    fn update(&self, object: Arc<K>);

    /// An object went.
    fn delete(&self, deleted: Deleted<K>);

    /// A list found this.
    fn replace(&self, all: Replacement<K>);

    /// No change up to this version.
    fn bookmark(&self, version: Str);

    /// The object as it is kept already, if it is the same by UID and version, so that a list of known objects costs
    /// no second copy of them.
    fn known(&self, object: &K) -> Option<Held<K>> {
        let _ = object;
        None
    }

    /// The object of a list in the form in which it will be kept, so that a list of objects that are to be packed is
    /// packed as it is read.
    fn hold(&self, object: Arc<K>) -> Held<K> {
        object.into()
    }

    /// The version that is kept already, by a reflector that was stopped: the next list is not to be older. Empty if
    /// there is none.
    fn resource_version(&self) -> Str {
        Str::default()
    }

    /// Ready when more may be put in. Only the task that asked last is woken.
    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let _ = cx;
        Poll::Ready(())
    }
}

/// A queue of changes with one consumer.
pub trait Queue<K>: Sink<K> {
    /// All objects are to be shown again to those who asked for it.
    fn resync(&self);

    /// The next changes; `None` when the queue is closed and empty. Only the task that asked last is woken.
    fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Option<Batch<K>>>;

    /// Nothing more is taken; what is there can still be popped.
    fn close(&self);

    /// The newest known state of each object that a change waits for; tombstones and whole lists are left out.
    fn list(&self) -> Vec<Arc<K>>;

    /// How many changes wait, a whole list counted as one.
    fn len(&self) -> usize;

    /// Whether no change waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the first list, or changes that came before any, have been popped and processed.
    fn has_synced(&self) -> bool;
}

impl<K> dyn Queue<K> {
    /// The next changes; `None` when the queue is closed and empty. Cancel-safe.
    pub async fn pop(&self) -> Option<Batch<K>> {
        std::future::poll_fn(|cx| self.poll_pop(cx)).await
    }
}

/// A store without a queue before it: a reflector may write to it directly.
impl<K: Object> Sink<K> for Indexer<K> {
    fn add(&self, object: Arc<K>) {
        self.update(object);
    }

    fn update(&self, object: Arc<K>) {
        let version = object.object_meta().resource_version.clone();
        self.transaction(vec![Write::PutIfChanged(object)], Some(version));
    }

    fn delete(&self, deleted: Deleted<K>) {
        let version = deleted
            .last()
            .map(|last| last.object_meta().resource_version.clone());
        self.transaction(vec![Write::Remove(deleted.key())], version);
    }

    fn replace(&self, all: Replacement<K>) {
        Indexer::replace(self, all);
    }

    fn bookmark(&self, version: Str) {
        self.set_resource_version(version);
    }

    fn known(&self, object: &K) -> Option<Held<K>> {
        self.same_state(object)
    }

    fn hold(&self, object: Arc<K>) -> Held<K> {
        Indexer::hold(self, object)
    }

    fn resource_version(&self) -> Str {
        Indexer::resource_version(self)
    }
}

#[cfg(test)]
mod tests;
