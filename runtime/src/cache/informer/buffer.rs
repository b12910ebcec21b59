//! [`Buffer`]: the events between the informer and one handler.

use std::collections::{BTreeMap, VecDeque};

use hashbrown::HashMap;

use super::notice::{Gone, Notice};
use crate::cache::indexer::Held;
use crate::cache::object::{KeyRef, Object, ObjectKey};

/// What happens when a handler is slower than the changes come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// Changes of one object that wait beyond the buffer's size become one: the handler sees the last state of each
    /// object, the states between are left out, and changes of different objects may change places. What waits is never
    /// more than the buffer's size and two changes an object. Others are not affected.
    #[default]
    Coalesce,
    /// The informer, with all its handlers, waits until there is room, and so does the reading from the server. Nothing
    /// is left out. What waits is never more than the buffer's size and one batch (1,000 changes, or one relist).
    Block,
}

/// A thing that waits.
#[derive(Debug)]
pub(super) enum Entry<K> {
    Event(Notice<K>),
    /// All events of the first list are before this.
    Synced,
}

/// The events that wait for one handler, oldest first.
pub(super) struct Buffer<K> {
    /// The objects that were there when the handler was added.
    initial: std::vec::IntoIter<Held<K>>,
    /// In order, as they came.
    front: VecDeque<Entry<K>>,
    /// What came after `front` was full, by number; events of one key are merged here.
    back: BTreeMap<u64, Entry<K>>,
    /// Where in `back` the last event of a key is.
    last: HashMap<ObjectKey, u64>,
    next: u64,
    capacity: usize,
    overflow: Overflow,
    /// How many events were merged away.
    pub(super) coalesced: u64,
}

impl<K: Object> Buffer<K> {
    pub(super) fn new(capacity: usize, overflow: Overflow) -> Self {
        Self {
            initial: Vec::new().into_iter(),
            front: VecDeque::new(),
            back: BTreeMap::new(),
            last: HashMap::new(),
            next: 0,
            capacity: capacity.max(1),
            overflow,
            coalesced: 0,
        }
    }

    /// The handler begins with these.
    pub(super) fn begin_with(&mut self, objects: Vec<Held<K>>) {
        self.initial = objects.into_iter();
    }

    pub(super) fn len(&self) -> usize {
        self.initial.len() + self.front.len() + self.back.len()
    }

    /// Whether the informer may go on.
    pub(super) fn has_room(&self) -> bool {
        self.overflow == Overflow::Coalesce || self.front.len() < self.capacity
    }

    pub(super) fn push(&mut self, entry: Entry<K>) {
        let in_order = self.overflow == Overflow::Block || self.front.len() < self.capacity;
        if in_order && self.back.is_empty() {
            self.front.push_back(entry);
            return;
        }
        match entry {
            Entry::Event(event) => self.merge(event),
            Entry::Synced => self.append(None, Entry::Synced),
        }
    }

    pub(super) fn pop(&mut self) -> Option<Entry<K>> {
        if let Some(object) = self.initial.next() {
            return Some(Entry::Event(Notice::Added {
                object,
                initial: true,
            }));
        }
        if self.front.is_empty() {
            self.refill();
        }
        let entry = self.front.pop_front();
        if self.front.is_empty() && self.front.capacity() > 2 * self.capacity.max(1024) {
            self.front = VecDeque::new();
        }
        entry
    }

    /// Moves what came later to the front.
    fn refill(&mut self) {
        while self.front.len() < self.capacity {
            let Some((number, entry)) = self.back.pop_first() else {
                break;
            };
            if let Entry::Event(event) = &entry {
                let key = event.key();
                if self.last.get(&key) == Some(&number) {
                    self.last.remove(&key);
                }
            }
            self.front.push_back(entry);
        }
        if self.back.is_empty() {
            self.last = HashMap::new();
        }
    }

    fn append(&mut self, key: Option<ObjectKey>, entry: Entry<K>) {
        if let Some(key) = key {
            self.last.insert(key, self.next);
        }
        self.back.insert(self.next, entry);
        self.next += 1;
    }

    fn merge(&mut self, event: Notice<K>) {
        let key = event.key();
        let Some(number) = self.last.get(&KeyRef::from(&key)).copied() else {
            return self.append(Some(key), Entry::Event(event));
        };
        let Some(Entry::Event(waiting)) = self.back.remove(&number) else {
            return self.append(Some(key), Entry::Event(event));
        };
        match merged(waiting, event) {
            Merged::One(event) => {
                self.coalesced += 1;
                self.back.insert(number, Entry::Event(event));
            }
            Merged::None => {
                self.coalesced += 2;
                self.last.remove(&key);
                // A deletion before it may be the last of the key again; it needs no merging: only an addition can
                // follow it.
            }
            Merged::Both(waiting, event) => {
                self.back.insert(number, Entry::Event(waiting));
                self.append(Some(key), Entry::Event(event));
            }
        }
    }
}

enum Merged<K> {
    None,
    One(Notice<K>),
    Both(Notice<K>, Notice<K>),
}

/// Two events of one key, in order, as few as tell the same.
fn merged<K>(first: Notice<K>, second: Notice<K>) -> Merged<K> {
    match (first, second) {
        (Notice::Added { initial, .. }, Notice::Updated { new, .. }) => {
            Merged::One(Notice::Added { object: new, initial })
        }
        (Notice::Added { .. }, Notice::Deleted(_)) => Merged::None,
        (Notice::Updated { old, .. }, Notice::Updated { new, .. }) => {
            Merged::One(Notice::Updated { old, new })
        }
        (Notice::Updated { .. }, Notice::Deleted(deleted)) => Merged::One(Notice::Deleted(deleted)),
        (Notice::Deleted(first), Notice::Deleted(second)) => Merged::One(Notice::Deleted(match second {
            Gone::Unknown { .. } => first,
            known @ Gone::Known(_) => known,
        })),
        // A new object of the same name: two events.
        (first, second) => Merged::Both(first, second),
    }
}
