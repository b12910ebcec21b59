//! [`Index`]: reads through an index.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use super::{Gathered, Held, IndexValue, Indexer, sort};
use crate::cache::object::{Object, ObjectKey};
use crate::cache::sync::read;

/// A named index of a store; finds objects by values of its own type. Cheap to clone.
pub struct Index<K, V> {
    store: Indexer<K>,
    place: usize,
    value: PhantomData<fn() -> V>,
}

impl<K, V> Index<K, V> {
    /// The index at a place of a store.
    pub(super) fn new(store: Indexer<K>, place: usize) -> Self {
        Self {
            store,
            place,
            value: PhantomData,
        }
    }
}

impl<K, V> Clone for Index<K, V> {
    fn clone(&self) -> Self {
        Self {
            store: self.store.clone(),
            place: self.place,
            value: PhantomData,
        }
    }
}

impl<K, V> fmt::Debug for Index<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl<K: Object, V: IndexValue> Index<K, V> {
    /// The objects with this value, in no particular order.
    pub fn get<Q>(&self, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let table = read(&self.store.shared.table);
        let slots = table.map::<V>(self.place).map(|map| map.slots(value));
        let held = slots.into_iter().flatten().filter_map(|slot| table.at(slot));
        let gathered = Gathered::of(held);
        drop(table);
        gathered.objects()
    }

    /// The objects with this value, by namespace and name.
    pub fn get_sorted<Q>(&self, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let mut objects = self.get(value);
        sort(&mut objects);
        objects
    }

    /// The keys of the objects with this value, sorted.
    pub fn keys<Q>(&self, value: &Q) -> Vec<ObjectKey>
    where
        V: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let table = read(&self.store.shared.table);
        let slots = table.map::<V>(self.place).map(|map| map.slots(value));
        let held = slots.into_iter().flatten().filter_map(|slot| table.at(slot));
        let mut keys: Vec<_> = held.map(Held::key).collect();
        drop(table);
        keys.sort_unstable();
        keys
    }

    /// All values that some object has, in no particular order.
    pub fn values(&self) -> Vec<V> {
        let table = read(&self.store.shared.table);
        let map = table.map::<V>(self.place);
        map.map(|map| map.values().cloned().collect()).unwrap_or_default()
    }
}
