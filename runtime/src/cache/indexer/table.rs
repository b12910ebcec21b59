//! Where objects are kept: slots with a hash table over them.
//!
//! The keys of whole objects are copied beside the slots, some 70 bytes an object: names inside of objects are three jumps
//! through cold memory away, and that was four fifths of the time of a read. A packed object has its key at hand.

use std::any::Any;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::held::Held;
use super::index::{IndexWriter, ValueMap};
use crate::cache::object::{KeyRef, Object};
use crate::value::Str;

/// A copy of the key of a whole object; none for a packed one.
#[derive(Default)]
struct SlotKey {
    /// Namespace, then name.
    text: Box<str>,
    /// The length of the namespace.
    namespace: usize,
}

impl SlotKey {
    fn of<K: Object>(held: &Held<K>) -> Self {
        if held.is_packed() {
            return Self::default();
        }
        let KeyRef { namespace, name } = held.key_ref();
        Self {
            text: [namespace, name].concat().into_boxed_str(),
            namespace: namespace.len(),
        }
    }

    fn get(&self) -> Option<KeyRef<'_>> {
        if self.text.is_empty() {
            return None;
        }
        let (namespace, name) = self.text.split_at_checked(self.namespace)?;
        Some(KeyRef { namespace, name })
    }
}

/// What readers see, consistent under one lock.
pub(super) struct Table<K> {
    places: HashTable<u32>,
    slots: Vec<Option<Held<K>>>,
    /// Of each slot.
    keys: Vec<SlotKey>,
    free: Vec<u32>,
    hasher: DefaultHashBuilder,
    pub(super) indices: Vec<(Str, Box<dyn Any + Send + Sync>)>,
    pub(super) resource_version: Str,
}

impl<K: Object> Table<K> {
    pub(super) fn new() -> Self {
        Self {
            places: HashTable::new(),
            slots: Vec::new(),
            keys: Vec::new(),
            free: Vec::new(),
            hasher: DefaultHashBuilder::default(),
            indices: Vec::new(),
            resource_version: Str::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn place(&self, key: KeyRef<'_>) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        self.places.find(hash, |slot| self.is_at(*slot, key)).copied()
    }

    fn is_at(&self, slot: u32, key: KeyRef<'_>) -> bool {
        match self.keys.get(slot as usize).and_then(SlotKey::get) {
            Some(known) => known == key,
            None => self.at(slot).is_some_and(|held| held.has_key(key)),
        }
    }

    pub(super) fn at(&self, slot: u32) -> Option<&Held<K>> {
        self.slots.get(slot as usize).and_then(Option::as_ref)
    }

    /// The object of a key and the slot it is in.
    pub(super) fn find(&self, key: KeyRef<'_>) -> Option<(u32, &Held<K>)> {
        let slot = self.place(key)?;
        Some((slot, self.at(slot)?))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Held<K>> {
        self.slots.iter().flatten()
    }

    /// All objects with the slots they are in.
    pub(super) fn iter_slots(&self) -> impl Iterator<Item = (u32, &Held<K>)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(slot, held)| Some((u32::try_from(slot).ok()?, held.as_ref()?)))
    }

    pub(super) fn map<V: super::IndexValue>(&self, place: usize) -> Option<&ValueMap<V>> {
        self.indices.get(place)?.1.downcast_ref()
    }

    /// Puts an object in the slot of the one of its key, if there is one, or in a new one.
    pub(super) fn put(&mut self, slot: Option<u32>, held: Held<K>, writers: &mut [Box<dyn IndexWriter<K>>]) {
        // A change before this one of the same transaction may have been of the same key.
        let slot = slot.filter(|slot| self.at(*slot).is_some());
        let slot = match slot.or_else(|| self.place(held.key_ref())) {
            Some(slot) => {
                self.reform(slot, held);
                slot
            }
            None => self.insert(held),
        };
        self.commit(slot, writers);
    }

    /// Puts another object, or another form, of the same key in a slot.
    pub(super) fn reform(&mut self, slot: u32, held: Held<K>) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = Some(held);
        }
    }

    fn insert(&mut self, held: Held<K>) -> u32 {
        let hash = held.hash(&self.hasher);
        let key = SlotKey::of(&held);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(held);
                self.keys[slot as usize] = key;
                slot
            }
            None => {
                self.slots.push(Some(held));
                self.keys.push(key);
                u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
            }
        };
        let (slots, keys, hasher) = (&self.slots, &self.keys, &self.hasher);
        self.places.insert_unique(hash, slot, |slot| {
            if let Some(key) = keys[*slot as usize].get() {
                return hasher.hash_one(key);
            }
            let held = slots[*slot as usize].as_ref();
            held.map_or(0, |held| held.hash(hasher))
        });
        slot
    }

    /// Empties a slot.
    pub(super) fn remove(&mut self, slot: u32, writers: &mut [Box<dyn IndexWriter<K>>]) {
        let Some(old) = self.slots.get_mut(slot as usize).and_then(Option::take) else {
            return;
        };
        let hash = old.hash(&self.hasher);
        if let Ok(entry) = self.places.find_entry(hash, |known| *known == slot) {
            entry.remove();
        }
        self.keys[slot as usize] = SlotKey::default();
        self.free.push(slot);
        self.commit(slot, writers);
        self.shrink();
    }

    fn commit(&mut self, slot: u32, writers: &mut [Box<dyn IndexWriter<K>>]) {
        for (writer, (_, map)) in writers.iter_mut().zip(&mut self.indices) {
            writer.commit(&mut **map, slot);
        }
    }

    /// An empty table after a large one gives its memory back.
    fn shrink(&mut self) {
        if self.places.is_empty() && self.slots.len() > 1024 {
            self.places = HashTable::new();
            self.slots = Vec::new();
            self.keys = Vec::new();
            self.free = Vec::new();
        }
    }
}
