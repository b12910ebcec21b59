//! [`Items`]: changes by the key of their object, in the order in which the keys came.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::Delta;
use crate::cache::object::{KeyRef, Object};

/// The changes of objects. No key is kept: the changes have it.
pub(super) struct Items<K> {
    /// The changes of one object each, never none.
    slots: Vec<Vec<Delta<K>>>,
    free: Vec<u32>,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
    order: VecDeque<u32>,
}

impl<K: Object> Items<K> {
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            places: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            order: VecDeque::new(),
        }
    }

    /// How many objects there are.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    fn place(&self, key: KeyRef<'_>) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        let is_at = |slot: &u32| key_at(&self.slots, *slot) == Some(key);
        self.places.find(hash, is_at).copied()
    }

    pub(super) fn contains(&self, key: KeyRef<'_>) -> bool {
        self.place(key).is_some()
    }

    /// The changes of each object, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Delta<K>]> {
        self.slots
            .iter()
            .map(Vec::as_slice)
            .filter(|deltas| !deltas.is_empty())
    }

    /// Adds a change, after those of its object; hands back the changes of the object. A change of no object is none.
    pub(super) fn push(&mut self, delta: Delta<K>) -> Option<&mut Vec<Delta<K>>> {
        let key = delta.key_ref()?;
        let slot = match self.place(key) {
            Some(slot) => slot,
            None => {
                let hash = self.hasher.hash_one(key);
                let slot = self.free.pop().or_else(|| u32::try_from(self.slots.len()).ok())?;
                if slot as usize == self.slots.len() {
                    self.slots.push(Vec::new());
                }
                let (slots, hasher) = (&self.slots, &self.hasher);
                let hash_at = |slot: &u32| key_at(slots, *slot).map_or(0, |key| hasher.hash_one(key));
                self.places.insert_unique(hash, slot, hash_at);
                self.order.push_back(slot);
                slot
            }
        };
        let deltas = self.slots.get_mut(slot as usize)?;
        deltas.push(delta);
        Some(deltas)
    }

    /// Takes the changes of the object that came first.
    pub(super) fn pop(&mut self) -> Option<Vec<Delta<K>>> {
        let slot = self.order.pop_front()?;
        let hash = key_at(&self.slots, slot).map(|key| self.hasher.hash_one(key))?;
        if let Ok(entry) = self.places.find_entry(hash, |known| *known == slot) {
            entry.remove();
        }
        self.free.push(slot);
        let deltas = self.slots.get_mut(slot as usize).map(std::mem::take);
        if self.order.is_empty() && self.slots.len() > 2 * super::QUEUE_CAPACITY {
            // A burst does not keep its memory for ever.
            *self = Self::new();
        }
        deltas
    }
}

fn key_at<K: Object>(slots: &[Vec<Delta<K>>], slot: u32) -> Option<KeyRef<'_>> {
    slots.get(slot as usize)?.first()?.key_ref()
}
