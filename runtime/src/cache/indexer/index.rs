//! Named indices: from values that a function finds in an object to the slots of the objects that have them.

use std::any::Any;
use std::borrow::Borrow;
use std::collections::VecDeque;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hashbrown::{HashMap, HashSet};

/// What can be a value of an index.
pub trait IndexValue: Clone + Eq + Hash + Send + Sync + 'static {}
impl<V: Clone + Eq + Hash + Send + Sync + 'static> IndexValue for V {}

/// The slots that share a value. Most values of most indices have one object.
#[derive(Debug)]
enum Slots {
    One(u32),
    Many(HashSet<u32>),
}

/// From values to slots; what readers look into.
pub(super) struct ValueMap<V>(HashMap<V, Slots>);

impl<V: IndexValue> ValueMap<V> {
    pub(super) fn new() -> Self {
        Self(HashMap::new())
    }

    pub(super) fn slots<Q>(&self, value: &Q) -> impl Iterator<Item = u32> + '_
    where
        V: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let (one, many) = match self.0.get(value) {
            None => (None, None),
            Some(Slots::One(slot)) => (Some(*slot), None),
            Some(Slots::Many(slots)) => (None, Some(slots.iter().copied())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.0.keys()
    }

    fn insert(&mut self, value: V, slot: u32) {
        match self.0.entry(value) {
            hashbrown::hash_map::Entry::Vacant(entry) => {
                entry.insert(Slots::One(slot));
            }
            hashbrown::hash_map::Entry::Occupied(mut entry) => match entry.get_mut() {
                Slots::One(known) if *known == slot => {}
                Slots::One(known) => {
                    let both = HashSet::from_iter([*known, slot]);
                    entry.insert(Slots::Many(both));
                }
                Slots::Many(slots) => {
                    slots.insert(slot);
                }
            },
        }
    }

    /// A value without slots goes: values come and go for ever, such as the names of jobs.
    fn remove(&mut self, value: &V, slot: u32) {
        let is_empty = match self.0.get_mut(value) {
            None => false,
            Some(Slots::One(known)) => *known == slot,
            Some(Slots::Many(slots)) => {
                slots.remove(&slot);
                slots.is_empty()
            }
        };
        if is_empty {
            self.0.remove(value);
        }
    }
}

/// The writing side of an index: first the functions of the user run, then, with the lock that readers wait for, maps
/// change.
pub(super) trait IndexWriter<K>: Send {
    /// Remembers how the index changes when `old` gives way to `new`.
    fn stage(&mut self, old: Option<&K>, new: Option<&K>);

    /// Changes the map as was remembered first; `map` is the `ValueMap<V>` of this index.
    fn commit(&mut self, map: &mut (dyn Any + Send + Sync), slot: u32);
}

pub(super) struct Writer<V, F> {
    name: String,
    values: F,
    staged: VecDeque<Change<V>>,
}

struct Change<V> {
    gone: Vec<V>,
    come: Vec<V>,
}

impl<V: IndexValue, F> Writer<V, F> {
    pub(super) fn new(name: &str, values: F) -> Self {
        Self {
            name: name.to_owned(),
            values,
            staged: VecDeque::new(),
        }
    }

    /// The values of an object; none if the function panics, which then is reported and harms nobody else.
    fn values<K>(&self, object: Option<&K>) -> Vec<V>
    where
        F: Fn(&K) -> Vec<V>,
    {
        let Some(object) = object else {
            return Vec::new();
        };
        catch_unwind(AssertUnwindSafe(|| (self.values)(object))).unwrap_or_else(|_| {
            tracing::error!(
                index = self.name,
                "an index function panicked; the object is left out"
            );
            Vec::new()
        })
    }
}

impl<K, V: IndexValue, F: Fn(&K) -> Vec<V> + Send> IndexWriter<K> for Writer<V, F> {
    fn stage(&mut self, old: Option<&K>, new: Option<&K>) {
        let mut gone = self.values(old);
        let mut come = self.values(new);
        if gone == come {
            gone.clear();
            come.clear();
        } else if !gone.is_empty() && !come.is_empty() {
            let stays = |value: &V, others: &[V]| others.contains(value);
            let old = gone.clone();
            gone.retain(|value| !stays(value, &come));
            come.retain(|value| !stays(value, &old));
        }
        self.staged.push_back(Change { gone, come });
    }

    fn commit(&mut self, map: &mut (dyn Any + Send + Sync), slot: u32) {
        let (Some(change), Some(map)) = (self.staged.pop_front(), map.downcast_mut::<ValueMap<V>>()) else {
            debug_assert!(false, "an index is committed as it was staged");
            return;
        };
        for value in &change.gone {
            map.remove(value, slot);
        }
        for value in change.come {
            map.insert(value, slot);
        }
    }
}
