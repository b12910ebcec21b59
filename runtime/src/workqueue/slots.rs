//! Where keys are kept: a slot for each key that the queue knows, with a hash table over the slots, and lists that run
//! through them.

use hashbrown::HashTable;
use std::time::Instant;

/// The end of a list.
const NONE: usize = usize::MAX;

/// More slots than this are given back when the last key goes.
const KEPT: usize = 1024;

/// Where a key is, apart from runs that are due later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Only a later run is planned.
    Resting,
    /// It waits for a worker.
    Ready,
    /// A worker has it.
    Running,
}

/// A later run of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// When, and the number that tells runs of the same time apart.
    pub(super) at: (Instant, u64),
    pub(super) priority: i32,
}

/// What is known of a key.
#[derive(Debug)]
pub(super) struct Slot<T> {
    /// `None` in a slot that is free.
    pub(super) key: Option<T>,
    hash: u64,
    pub(super) phase: Phase,
    /// Of the wait or run that is going on.
    pub(super) priority: i32,
    /// Asked for while running, with this priority: it becomes ready when the run ends.
    pub(super) again: Option<i32>,
    pub(super) due: Option<Due>,
    /// Since when it has been ready, then since when it has been running; only if times are kept.
    pub(super) since: Option<Instant>,
    /// Its place in a queue that is ordered by rank.
    pub(super) rank: (i64, u64),
    previous: usize,
    next: usize,
}

/// All keys.
#[derive(Debug)]
pub(super) struct Slots<T> {
    table: HashTable<usize>,
    slots: Vec<Slot<T>>,
    free: Vec<usize>,
}

impl<T: Eq> Slots<T> {
    pub(super) fn new() -> Self {
        Self {
            table: HashTable::new(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    pub(super) fn at(&self, index: usize) -> &Slot<T> {
        &self.slots[index]
    }

    pub(super) fn at_mut(&mut self, index: usize) -> &mut Slot<T> {
        &mut self.slots[index]
    }

    pub(super) fn find(&self, key: &T, hash: u64) -> Option<usize> {
        let is_key = |index: &usize| self.slots[*index].key.as_ref() == Some(key);
        self.table.find(hash, is_key).copied()
    }

    /// The slot of a key, a new one if it has none. What is handed back is a key that was not needed, to be dropped
    /// outside of locks.
    pub(super) fn find_or_insert(&mut self, key: T, hash: u64) -> (usize, Option<T>) {
        let slots = &mut self.slots;
        let entry = self.table.entry(
            hash,
            |index| slots[*index].key.as_ref() == Some(&key),
            |index| slots[*index].hash,
        );
        let place = match entry {
            hashbrown::hash_table::Entry::Occupied(known) => return (*known.get(), Some(key)),
            hashbrown::hash_table::Entry::Vacant(place) => place,
        };
        let slot = Slot {
            key: Some(key),
            hash,
            phase: Phase::Resting,
            priority: 0,
            again: None,
            due: None,
            since: None,
            rank: (0, 0),
            previous: NONE,
            next: NONE,
        };
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[index] = slot;
                index
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        place.insert(index);
        (index, None)
    }

    /// Frees a slot and hands out its key.
    pub(super) fn remove(&mut self, index: usize) -> Option<T> {
        let slot = &mut self.slots[index];
        let key = slot.key.take();
        if let Ok(entry) = self.table.find_entry(slot.hash, |other| *other == index) {
            entry.remove();
        }
        if self.table.is_empty() && self.slots.capacity() > KEPT {
            *self = Self::new();
        } else {
            self.free.push(index);
        }
        key
    }
}

/// A list through slots. A slot is in one list at most.
#[derive(Debug)]
pub(super) struct List {
    first: usize,
    last: usize,
    len: usize,
}

impl List {
    pub(super) fn new() -> Self {
        Self {
            first: NONE,
            last: NONE,
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push<T: Eq>(&mut self, slots: &mut Slots<T>, index: usize) {
        let slot = slots.at_mut(index);
        (slot.previous, slot.next) = (self.last, NONE);
        if self.last == NONE {
            self.first = index;
        } else {
            slots.at_mut(self.last).next = index;
        }
        self.last = index;
        self.len += 1;
    }

    pub(super) fn pop<T: Eq>(&mut self, slots: &mut Slots<T>) -> Option<usize> {
        let index = self.first;
        if index == NONE {
            return None;
        }
        self.remove(slots, index);
        Some(index)
    }

    /// Takes out a slot that is in this list.
    pub(super) fn remove<T: Eq>(&mut self, slots: &mut Slots<T>, index: usize) {
        let (previous, next) = (slots.at(index).previous, slots.at(index).next);
        match previous {
            NONE => self.first = next,
            _ => slots.at_mut(previous).next = next,
        }
        match next {
            NONE => self.last = previous,
            _ => slots.at_mut(next).previous = previous,
        }
        self.len -= 1;
    }

    /// The slots of the list, first to last.
    pub(super) fn indices<T: Eq>(&self, slots: &Slots<T>) -> impl Iterator<Item = usize> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let index = (next != NONE).then_some(next)?;
            next = slots.at(index).next;
            Some(index)
        })
    }
}
