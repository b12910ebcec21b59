//! [`Collected`]: a list that is being read.

use hashbrown::HashMap;

use crate::cache::indexer::Held;
use crate::cache::object::{Object, ObjectKey};

/// The objects of a list that is being read.
pub(super) struct Collected<K> {
    pub(super) objects: Vec<Held<K>>,
    /// Where objects are, for events that change them before the list is complete.
    pub(super) places: HashMap<ObjectKey, usize>,
    pub(super) unreadable: Vec<ObjectKey>,
}

impl<K> Default for Collected<K> {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            places: HashMap::new(),
            unreadable: Vec::new(),
        }
    }
}

impl<K: Object> Collected<K> {
    pub(super) fn put(&mut self, object: Held<K>) {
        match self.places.entry(object.key()) {
            hashbrown::hash_map::Entry::Occupied(place) => self.objects[*place.get()] = object,
            hashbrown::hash_map::Entry::Vacant(place) => {
                place.insert(self.objects.len());
                self.objects.push(object);
            }
        }
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        let Some(place) = self.places.remove(key) else {
            return;
        };
        self.objects.swap_remove(place);
        if let Some(moved) = self.objects.get(place) {
            self.places.insert(moved.key(), place);
        }
    }

    pub(super) fn skip(&mut self, key: ObjectKey) {
        if !key.name.is_empty() {
            self.unreadable.push(key);
        }
    }
}
