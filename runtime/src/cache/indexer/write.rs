//! What changes a store: one object, several at once, or all of them.
//!
//! The functions of indices run first, with the lock of writers alone; then the maps change, with readers kept out.

use std::sync::Arc;

use hashbrown::HashSet;

use super::Indexer;
use super::held::Held;
use super::index::IndexWriter;
use super::table::Table;
use crate::cache::object::{KeyRef, Object, ObjectKey};
use crate::cache::sync::{lock, read, write};
use crate::cache::version::is_before;
use crate::value::Str;

/// One change to be made to a store.
#[derive(Clone, Debug)]
pub enum Write<K> {
    /// The object takes the place of the one of its key, if there is one.
    Put(Arc<K>),
    /// The same, unless the one of its key is the same by UID and version: then that one stays.
    PutIfChanged(Arc<K>),
    /// The object of the key goes.
    Remove(ObjectKey),
}

/// What a write did. Of a store that packs, what one write changes is handed out whole and what a list changes packed.
#[derive(Clone, Debug)]
pub enum Written<K> {
    /// Nothing: the same object was there, or none was there to remove.
    Unchanged,
    /// There is an object where none was.
    Inserted(Held<K>),
    /// An object is in the place of another of the same key.
    Replaced {
        /// The one that was there.
        old: Held<K>,
        /// The one that is there now.
        new: Held<K>,
    },
    /// The object is gone.
    Removed(Held<K>),
}

/// The whole of a collection, as a list found it.
#[derive(Clone, Debug)]
pub struct Replacement<K> {
    /// The objects.
    pub objects: Vec<Held<K>>,
    /// Keys whose objects are there but could not be read: what is known of them stays.
    pub unreadable: Vec<ObjectKey>,
    /// The version of the list.
    pub resource_version: Str,
    /// Whether an object of the same UID and version is the same object. It is, unless the server went back in time.
    pub sharing: Sharing,
}

/// Whether an object that is known already, by UID and version, keeps its place in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// It does: readers that hold it and the store share it.
    #[default]
    Unchanged,
    /// All objects are taken as new: versions of the server cannot be trusted.
    Nothing,
}

/// What is kept, and the slot it is in. The slot stays its own for as long as the writer has the lock.
type Placed<K> = (u32, Held<K>);

/// A change that is ready to be made.
struct Change<K> {
    old: Option<Placed<K>>,
    /// The same, unpacked.
    old_object: Option<Arc<K>>,
    /// `None` for a removal.
    new: Option<(Held<K>, Arc<K>)>,
}

impl<K: Object> Indexer<K> {
    /// Puts an object in the place of the one of its key, or in a new one.
    pub fn put(&self, object: Arc<K>) -> Written<K> {
        let mut writers = lock(&self.shared.writers);
        let Some(change) = self.change(Write::Put(object)) else {
            return Written::Unchanged;
        };
        change.stage(&mut writers);
        change.apply(&mut write(&self.shared.table), &mut writers);
        self.made(change)
    }

    /// Removes the object of a key.
    pub fn remove(&self, key: &ObjectKey) -> Written<K> {
        let mut writers = lock(&self.shared.writers);
        let Some(change) = self.change(Write::Remove(key.clone())) else {
            return Written::Unchanged;
        };
        change.stage(&mut writers);
        change.apply(&mut write(&self.shared.table), &mut writers);
        self.made(change)
    }

    /// Makes several changes at once: no reader sees some of them without the others. No two may be of one key.
    /// `version` is the store's version from then on, if there is a new one.
    pub fn transaction(&self, changes: Vec<Write<K>>, version: Option<Str>) -> Vec<Written<K>> {
        let mut writers = lock(&self.shared.writers);
        // What cannot do anything is not staged.
        let changes: Vec<_> = changes.into_iter().map(|change| self.change(change)).collect();
        for change in changes.iter().flatten() {
            change.stage(&mut writers);
        }
        let mut table = write(&self.shared.table);
        for change in changes.iter().flatten() {
            change.apply(&mut table, &mut writers);
        }
        let is_news = version.is_some_and(|version| set_version(&mut table, version));
        drop(table);
        let made = changes.into_iter();
        let made = made
            .map(|change| change.map_or(Written::Unchanged, |change| self.made(change)))
            .collect();
        self.tell(is_news);
        made
    }

    /// The change with the object that it is made to; `None` if it would do nothing.
    fn change(&self, change: Write<K>) -> Option<Change<K>> {
        let (object, only_if_changed) = match change {
            Write::Put(object) => (object, false),
            Write::PutIfChanged(object) => (object, true),
            Write::Remove(key) => {
                let old = self.placed_at((&key).into())?;
                return Some(Change {
                    old_object: self.open(&old.1),
                    old: Some(old),
                    new: None,
                });
            }
        };
        let old = self.placed_at(KeyRef::of(&*object));
        let is_idle = old.as_ref().is_some_and(|(_, old)| {
            old.is(&Held::from(object.clone())) || (only_if_changed && old.is_state_of(&object))
        });
        (!is_idle).then(|| Change {
            old_object: old.as_ref().and_then(|(_, old)| self.open(old)),
            old,
            new: Some((self.hold(object.clone()), object)),
        })
    }

    fn placed_at(&self, key: KeyRef<'_>) -> Option<Placed<K>> {
        let table = read(&self.shared.table);
        table.find(key).map(|(slot, held)| (slot, held.clone()))
    }

    /// What there is to say of a change that has been made.
    fn made(&self, change: Change<K>) -> Written<K> {
        let Change { old, old_object, new } = change;
        let new_form = new.as_ref().map(|(held, object)| (held, object));
        self.placed(new_form, old.as_ref().map(|(_, held)| held));
        let old = match (old, old_object) {
            (Some(_), Some(object)) => Some(Held::from(object)),
            (old, _) => old.map(|(_, held)| held),
        };
        let new = new.map(|(_, object)| Held::from(object));
        match (old, new) {
            (None, None) => Written::Unchanged,
            (None, Some(new)) => Written::Inserted(new),
            (Some(old), Some(new)) => Written::Replaced { old, new },
            (Some(old), None) => Written::Removed(old),
        }
    }

    /// Makes the store what a list found, at once. An object that has not changed stays where it is in memory.
    /// Handed back is what changed: first what is gone, then the objects of the list in its order.
    pub fn replace(&self, all: Replacement<K>) -> Vec<Written<K>> {
        let mut writers = lock(&self.shared.writers);
        let mut changes = {
            let table = read(&self.shared.table);
            replacing(&table, all.objects, &all.unreadable, all.sharing)
        };
        for (old, new) in &mut changes {
            let old_object = old.as_ref().and_then(|(_, held)| held.object());
            let new_object = new.as_ref().and_then(Held::object);
            stage(&mut writers, old_object.as_deref(), new_object.as_deref());
            *new = new.take().map(|held| self.held_here(held));
        }
        let mut table = write(&self.shared.table);
        for (old, new) in &changes {
            apply(&mut table, old.as_ref(), new.as_ref(), &mut writers);
        }
        // A list counts even if its version is before the last: the server went back.
        table.resource_version = all.resource_version;
        drop(table);
        for (old, _) in &changes {
            self.placed(None, old.as_ref().map(|(_, held)| held));
        }
        self.tell(true);
        let changes = changes
            .into_iter()
            .map(|(old, new)| (old.map(|(_, held)| held), new));
        let made = changes.map(|change| match change {
            (None, None) => Written::Unchanged,
            (None, Some(new)) => Written::Inserted(new),
            (Some(old), Some(new)) => Written::Replaced { old, new },
            (Some(old), None) => Written::Removed(old),
        });
        made.collect()
    }
}

impl<K: Object> Change<K> {
    fn stage(&self, writers: &mut [Box<dyn IndexWriter<K>>]) {
        let new = self.new.as_ref().map(|(_, object)| &**object);
        stage(writers, self.old_object.as_deref(), new);
    }

    fn apply(&self, table: &mut Table<K>, writers: &mut [Box<dyn IndexWriter<K>>]) {
        let new = self.new.as_ref().map(|(held, _)| held);
        apply(table, self.old.as_ref(), new, writers);
    }
}

fn stage<K>(writers: &mut [Box<dyn IndexWriter<K>>], old: Option<&K>, new: Option<&K>) {
    for writer in writers {
        writer.stage(old, new);
    }
}

fn apply<K: Object>(
    table: &mut Table<K>,
    old: Option<&Placed<K>>,
    new: Option<&Held<K>>,
    writers: &mut [Box<dyn IndexWriter<K>>],
) {
    match (old, new) {
        (old, Some(new)) => table.put(old.map(|(slot, _)| *slot), new.clone(), writers),
        (Some((slot, _)), None) => table.remove(*slot, writers),
        (None, None) => {}
    }
}

pub(super) fn set_version<K>(table: &mut Table<K>, version: Str) -> bool {
    let is_news = !version.is_empty() && !is_before(&version, &table.resource_version);
    if is_news {
        table.resource_version = version;
    }
    is_news
}

/// What is in a place and what is to be there.
type Exchange<K> = (Option<Placed<K>>, Option<Held<K>>);

/// The changes that make the table what the list is, with the objects they are made to. Of several objects of one key
/// the last counts.
fn replacing<K: Object>(
    table: &Table<K>,
    objects: Vec<Held<K>>,
    unreadable: &[ObjectKey],
    sharing: Sharing,
) -> Vec<Exchange<K>> {
    let mut stays: HashSet<u32> = HashSet::with_capacity(objects.len());
    stays.extend(unreadable.iter().filter_map(|key| table.place(key.into())));
    let is_last = last_of_each_key(&objects);
    let mut puts = Vec::new();
    for (object, is_last) in objects.into_iter().zip(is_last) {
        if !is_last {
            continue;
        }
        let place = table.place(object.key_ref());
        stays.extend(place);
        let old = place.and_then(|slot| Some((slot, table.at(slot)?)));
        let is_known = old.is_some_and(|(_, old)| {
            old.is(&object) || (sharing == Sharing::Unchanged && old.is_state(&object))
        });
        if !is_known {
            puts.push((old.map(|(slot, old)| (slot, old.clone())), Some(object)));
        }
    }
    let gone = table.iter_slots().filter(|(slot, _)| !stays.contains(slot));
    gone.map(|(slot, old)| (Some((slot, old.clone())), None))
        .chain(puts)
        .collect()
}

fn last_of_each_key<K: Object>(objects: &[Held<K>]) -> Vec<bool> {
    let mut later: HashSet<KeyRef<'_>> = HashSet::with_capacity(objects.len());
    let mut is_last: Vec<_> = objects
        .iter()
        .rev()
        .map(|object| later.insert(object.key_ref()))
        .collect();
    is_last.reverse();
    is_last
}
