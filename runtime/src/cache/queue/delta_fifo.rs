//! [`DeltaFifo`]: the changes of one object together.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use hashbrown::HashSet;

use super::items::Items;
use super::{Batch, Deleted, Delta, Progress, QUEUE_CAPACITY, Queue, Receipt, Replacement, Sink};
use crate::cache::indexer::{Held, Indexer};
use crate::cache::object::{KeyRef, Object};
use crate::cache::sync::{Waiter, lock, wake};
use crate::cache::version::is_before;
use crate::value::Str;

/// A queue of objects, each with all that happened to it since it was last popped.
///
/// A batch is the changes of one object in their order; the order of changes of different objects is lost. Two
/// deletions in a row are one, and the deletion of an object that neither the queue nor the store knows is none. A list
/// becomes one [`Delta::Replaced`] for each of its objects and a tombstone for each object that is known and not in it;
/// a resync one [`Delta::Sync`] for each known object that no change waits for.
///
/// [`InOrderQueue`](super::InOrderQueue) is the better choice unless a consumer wants to see the changes of an object
/// together.
pub struct DeltaFifo<K> {
    state: Mutex<State<K>>,
    progress: Arc<Progress>,
    known: Indexer<K>,
    capacity: usize,
}

struct State<K> {
    items: Items<K>,
    /// Deltas in all items.
    len: usize,
    /// How many keys at the front belong to the first list.
    initial: usize,
    populated: bool,
    closed: bool,
    /// The last version seen; the store has it when the queue is empty.
    version: Str,
    consumer: Waiter,
    producer: Waiter,
}

impl<K> fmt::Debug for DeltaFifo<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.state);
        f.debug_struct("DeltaFifo")
            .field("len", &state.len)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<K: Object> DeltaFifo<K> {
    /// A queue of [`QUEUE_CAPACITY`] before a store, which says what is known of objects that are not queued.
    pub fn new(known: &Indexer<K>) -> Self {
        Self::with_capacity(known, QUEUE_CAPACITY)
    }

    /// A queue that asks its producer to wait when it holds `capacity` changes.
    pub fn with_capacity(known: &Indexer<K>, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items: Items::new(),
                len: 0,
                initial: 0,
                populated: false,
                closed: false,
                version: Str::default(),
                consumer: Waiter::default(),
                producer: Waiter::default(),
            }),
            progress: Progress::new(),
            known: known.clone(),
            capacity: capacity.max(1),
        }
    }

    /// Changes the state unless the queue is closed, and wakes the consumer.
    fn change(&self, change: impl FnOnce(&mut State<K>)) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        change(&mut state);
        let waker = state.consumer.take();
        drop(state);
        wake(waker);
    }

    fn one(&self, delta: Delta<K>, version: Option<Str>) {
        self.change(|state| {
            state.populate(&self.progress, 0);
            state.push(delta);
            state.set_version(version.unwrap_or_default());
        });
    }
}

impl<K: Object> State<K> {
    fn populate(&mut self, progress: &Progress, initial: usize) {
        if !self.populated {
            self.populated = true;
            self.initial = initial;
            progress.begin(initial);
        }
    }

    fn set_version(&mut self, version: Str) {
        if !version.is_empty() && !is_before(&version, &self.version) {
            self.version = version;
        }
    }

    fn push(&mut self, delta: Delta<K>) {
        if let Some(deltas) = self.items.push(delta) {
            let with = deltas.len();
            merge_deletions(deltas);
            self.len += 1 + deltas.len() - with;
        }
    }

    /// The objects that are queued or known and that a list did not find go.
    fn delete_missing(&mut self, found: &HashSet<KeyRef<'_>>, known: &Indexer<K>) {
        let mut gone = Vec::new();
        for last in self.items.iter().filter_map(<[_]>::last) {
            let key = last.key_ref().filter(|key| !found.contains(key));
            if let (Some(key), false) = (key, matches!(last, Delta::Deleted(_))) {
                gone.push((key.to_owned(), last.object().cloned()));
            }
        }
        for object in known.list_held() {
            let key = object.key_ref();
            if !found.contains(&key) && !self.items.contains(key) {
                gone.push((object.key(), object.object()));
            }
        }
        for (key, last) in gone {
            self.push(Delta::Deleted(Deleted::Unknown { key, last }));
        }
    }
}

/// Of two deletions at the end the one that knows more stays: the server's word before a tombstone.
fn merge_deletions<K>(deltas: &mut Vec<Delta<K>>) {
    if let [.., Delta::Deleted(first), Delta::Deleted(second)] = deltas.as_mut_slice() {
        if matches!(first, Deleted::Unknown { .. }) {
            std::mem::swap(first, second);
        }
        deltas.pop();
    }
}

fn version<K: Object>(object: &Arc<K>) -> Option<Str> {
    Some(object.object_meta().resource_version.clone())
}

impl<K: Object> Sink<K> for DeltaFifo<K> {
    fn add(&self, object: Arc<K>) {
        let version = version(&object);
        self.one(Delta::Added(object), version);
    }

    fn update(&self, object: Arc<K>) {
        let version = version(&object);
        self.one(Delta::Updated(object), version);
    }

    fn delete(&self, deleted: Deleted<K>) {
        let key = deleted.key();
        let version = match &deleted {
            Deleted::Known(object) => version(object),
            Deleted::Unknown { .. } => None,
        };
        let is_stored = self.known.held((&key).into()).is_some();
        self.change(|state| {
            state.populate(&self.progress, 0);
            if is_stored || state.items.contains((&key).into()) {
                state.push(Delta::Deleted(deleted));
            }
            state.set_version(version.unwrap_or_default());
        });
    }

    fn replace(&self, all: Replacement<K>) {
        self.change(|state| {
            let mut found: HashSet<KeyRef<'_>> = all.unreadable.iter().map(KeyRef::from).collect();
            found.extend(all.objects.iter().map(Held::key_ref));
            state.delete_missing(&found, &self.known);
            for object in all.objects.iter().filter_map(Held::object) {
                state.push(Delta::Replaced(object));
            }
            let initial = state.items.len();
            state.populate(&self.progress, initial);
            state.version = all.resource_version.clone();
        });
    }

    /// The version is the store's once the queue is empty; a bookmark alone is no change and wakes nobody.
    fn bookmark(&self, version: Str) {
        let mut state = lock(&self.state);
        state.set_version(version.clone());
        let is_empty = state.items.is_empty();
        drop(state);
        if is_empty {
            self.known.set_resource_version(version);
        }
    }

    fn known(&self, object: &K) -> Option<Held<K>> {
        self.known.same_state(object)
    }

    fn hold(&self, object: Arc<K>) -> Held<K> {
        self.known.hold(object)
    }

    fn resource_version(&self) -> Str {
        self.known.resource_version()
    }

    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.state);
        if state.closed || state.len < self.capacity {
            return Poll::Ready(());
        }
        state.producer.register(cx.waker());
        Poll::Pending
    }
}

impl<K: Object> Queue<K> for DeltaFifo<K> {
    fn resync(&self) {
        let known = self.known.list();
        self.change(|state| {
            for object in known {
                if !state.items.contains(KeyRef::of(&*object)) {
                    state.push(Delta::Sync(object));
                }
            }
        });
    }

    fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Option<Batch<K>>> {
        let mut state = lock(&self.state);
        let Some(deltas) = state.items.pop() else {
            if state.closed {
                return Poll::Ready(None);
            }
            state.consumer.register(cx.waker());
            return Poll::Pending;
        };
        state.len -= deltas.len();
        let initial = state.initial.min(1);
        state.initial -= initial;
        let is_last = state.items.is_empty();
        let resource_version = (is_last && !state.version.is_empty()).then(|| state.version.clone());
        let waker = state.producer.take();
        drop(state);
        wake(waker);
        Poll::Ready(Some(Batch {
            deltas,
            initial: initial > 0,
            resource_version,
            receipt: Receipt {
                progress: self.progress.clone(),
                initial,
            },
        }))
    }

    fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        let wakers = [state.consumer.take(), state.producer.take()];
        drop(state);
        wakers.into_iter().for_each(wake);
    }

    fn list(&self) -> Vec<Arc<K>> {
        let state = lock(&self.state);
        let newest = state.items.iter().filter_map(<[_]>::last);
        newest.filter_map(|delta| delta.object().cloned()).collect()
    }

    fn len(&self) -> usize {
        lock(&self.state).len
    }

    fn has_synced(&self) -> bool {
        self.progress.is_done()
    }
}
