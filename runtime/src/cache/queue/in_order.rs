//! [`InOrderQueue`]: changes in the order the server made them.

use std::collections::VecDeque;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};

use super::{Batch, Deleted, Delta, Progress, QUEUE_CAPACITY, Queue, Receipt, Replacement, Sink};
use crate::cache::indexer::{Held, Indexer};
use crate::cache::object::Object;
use crate::cache::sync::{Waiter, lock, wake};
use crate::value::Str;

/// At most so many changes are handed out together (client-go's number).
const BATCH: usize = 1000;

/// A queue that keeps the order of changes across objects, and keeps a list and a resync whole.
///
/// Nothing is merged. A batch is up to 1,000 changes of objects that are all different, or one [`Delta::ReplacedAll`],
/// [`Delta::SyncAll`] or [`Delta::Bookmark`]; it never spans the end of the first list. The consumer compares a whole
/// list with its own store, so that no reader of that store sees half of a relist.
pub struct InOrderQueue<K> {
    state: Mutex<State<K>>,
    progress: Arc<Progress>,
    /// Where known objects are found, to be shared.
    known: Indexer<K>,
    capacity: usize,
}

struct State<K> {
    deltas: VecDeque<Delta<K>>,
    /// How many deltas at the front belong to the first list.
    initial: usize,
    populated: bool,
    closed: bool,
    consumer: Waiter,
    producer: Waiter,
}

impl<K> fmt::Debug for InOrderQueue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InOrderQueue")
            .field("len", &lock(&self.state).deltas.len())
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<K: Object> InOrderQueue<K> {
    /// A queue of [`QUEUE_CAPACITY`] before a store.
    pub fn new(known: &Indexer<K>) -> Self {
        Self::with_capacity(known, QUEUE_CAPACITY)
    }

    /// A queue that asks its producer to wait when it holds `capacity` changes.
    pub fn with_capacity(known: &Indexer<K>, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                deltas: VecDeque::new(),
                initial: 0,
                populated: false,
                closed: false,
                consumer: Waiter::default(),
                producer: Waiter::default(),
            }),
            progress: Progress::new(),
            known: known.clone(),
            capacity: capacity.max(1),
        }
    }

    fn push(&self, delta: Delta<K>) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        if !state.populated && !matches!(delta, Delta::Bookmark(_) | Delta::SyncAll) {
            state.populated = true;
            // A change before any list means that there will be none.
            let is_list = matches!(delta, Delta::ReplacedAll(_));
            state.initial = if is_list { state.deltas.len() + 1 } else { 0 };
            self.progress.begin(state.initial);
        }
        // Of bookmarks in a row the last says all; of resyncs in a row one is enough.
        match (state.deltas.back_mut(), &delta) {
            (Some(Delta::Bookmark(last)), Delta::Bookmark(next)) => last.clone_from(next),
            (Some(Delta::SyncAll), Delta::SyncAll) => {}
            _ => state.deltas.push_back(delta),
        }
        let waker = state.consumer.take();
        drop(state);
        wake(waker);
    }
}

impl<K: Object> State<K> {
    fn take_batch(&mut self) -> Option<(Vec<Delta<K>>, usize)> {
        let first = self.deltas.pop_front()?;
        let limit = match self.initial {
            0 => BATCH,
            initial => initial.min(BATCH),
        };
        let mut batch = vec![first];
        let mut seen = Seen::default();
        if !self.deltas.is_empty() && seen.add(&batch, 0, &batch[0]) {
            while batch.len() < limit {
                let is_new = self
                    .deltas
                    .front()
                    .is_some_and(|next| seen.add(&batch, batch.len(), next));
                if !is_new {
                    break;
                }
                batch.extend(self.deltas.pop_front());
            }
        }
        let initial = self.initial.min(batch.len());
        self.initial -= initial;
        // A burst does not keep its memory for ever.
        if self.deltas.is_empty() && self.deltas.capacity() > 2 * QUEUE_CAPACITY {
            self.deltas = VecDeque::new();
        }
        Some((batch, initial))
    }
}

/// Which keys are in a batch, by the places of their changes.
#[derive(Default)]
struct Seen {
    places: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

impl Seen {
    /// Notes the key of a change that has this place in a batch, or will have; false for a key that is there already and
    /// for a change without one.
    fn add<K: Object>(&mut self, batch: &[Delta<K>], place: usize, delta: &Delta<K>) -> bool {
        let Some(key) = delta.key_ref() else {
            return false;
        };
        let (places, hasher) = (&mut self.places, &self.hasher);
        let key_at = |place: &usize| batch.get(*place).and_then(Delta::key_ref);
        let hash = hasher.hash_one(key);
        if places.find(hash, |place| key_at(place) == Some(key)).is_some() {
            return false;
        }
        places.insert_unique(hash, place, |place| {
            key_at(place).map_or(0, |key| hasher.hash_one(key))
        });
        true
    }
}

fn version_after<K: Object>(delta: &Delta<K>) -> Option<Str> {
    match delta {
        Delta::Bookmark(version) => Some(version.clone()),
        Delta::ReplacedAll(all) => Some(all.resource_version.clone()),
        Delta::Deleted(Deleted::Known(object)) | Delta::Added(object) | Delta::Updated(object) => {
            Some(object.object_meta().resource_version.clone())
        }
        _ => None,
    }
}

impl<K: Object> Sink<K> for InOrderQueue<K> {
    fn add(&self, object: Arc<K>) {
        self.push(Delta::Added(object));
    }

    fn update(&self, object: Arc<K>) {
        self.push(Delta::Updated(object));
    }

    fn delete(&self, deleted: Deleted<K>) {
        self.push(Delta::Deleted(deleted));
    }

    fn replace(&self, all: Replacement<K>) {
        self.push(Delta::ReplacedAll(all));
    }

    fn bookmark(&self, version: Str) {
        self.push(Delta::Bookmark(version));
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
        if state.closed || state.deltas.len() < self.capacity {
            return Poll::Ready(());
        }
        state.producer.register(cx.waker());
        Poll::Pending
    }
}

impl<K: Object> Queue<K> for InOrderQueue<K> {
    fn resync(&self) {
        self.push(Delta::SyncAll);
    }

    fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Option<Batch<K>>> {
        let mut state = lock(&self.state);
        let Some((deltas, initial)) = state.take_batch() else {
            if state.closed {
                return Poll::Ready(None);
            }
            state.consumer.register(cx.waker());
            return Poll::Pending;
        };
        let waker = state.producer.take();
        drop(state);
        wake(waker);
        Poll::Ready(Some(Batch {
            resource_version: deltas.last().and_then(version_after),
            deltas,
            initial: initial > 0,
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
        let mut seen = HashSet::new();
        let newest = state
            .deltas
            .iter()
            .rev()
            .filter(|delta| delta.key().is_some_and(|key| seen.insert(key)));
        newest.filter_map(|delta| delta.object().cloned()).collect()
    }

    fn len(&self) -> usize {
        lock(&self.state).deltas.len()
    }

    fn has_synced(&self) -> bool {
        self.progress.is_done()
    }
}
