//! What changes a store: one object, several at once, or all of them.
//!
//! The functions of indices run first, with the lock of writers alone; then the maps change, with readers kept out.

use std::sync::Arc;

use hashbrown::HashSet;

use super::Indexer;
use super::index::IndexWriter;
use super::table::Table;
use crate::cache::object::{KeyRef, Object, ObjectKey, is_same_state};
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

/// What a write did.
#[derive(Clone, Debug)]
pub enum Written<K> {
    /// Nothing: the same object was there, or none was there to remove.
    Unchanged,
    /// There is an object where none was.
    Inserted(Arc<K>),
    /// An object is in the place of another of the same key.
    Replaced {
        /// The one that was there.
        old: Arc<K>,
        /// The one that is there now.
        new: Arc<K>,
    },
    /// The object is gone.
    Removed(Arc<K>),
}

/// The whole of a collection, as a list found it.
#[derive(Clone, Debug)]
pub struct Replacement<K> {
    /// The objects.
    pub objects: Vec<Arc<K>>,
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

impl<K: Object> Indexer<K> {
    /// Puts an object in the place of the one of its key, or in a new one.
    pub fn put(&self, object: Arc<K>) -> Written<K> {
        let mut writers = lock(&self.shared.writers);
        let old = self.get_ref(KeyRef::of(&*object));
        if old.as_ref().is_some_and(|old| Arc::ptr_eq(old, &object)) {
            return Written::Unchanged;
        }
        stage(&mut writers, old.as_deref(), Some(&*object));
        let new = object.clone();
        match write(&self.shared.table).put(object, &mut writers) {
            Some(old) => Written::Replaced { old, new },
            None => Written::Inserted(new),
        }
    }

    /// Removes the object of a key.
    pub fn remove(&self, key: &ObjectKey) -> Written<K> {
        let mut writers = lock(&self.shared.writers);
        let Some(old) = self.get_key(key) else {
            return Written::Unchanged;
        };
        stage(&mut writers, Some(&*old), None);
        match write(&self.shared.table).remove(key.into(), &mut writers) {
            Some(old) => Written::Removed(old),
            None => Written::Unchanged,
        }
    }

    /// Makes several changes at once: no reader sees some of them without the others. No two may be of one key.
    /// `version` is the store's version from then on, if there is a new one.
    pub fn transaction(&self, changes: Vec<Write<K>>, version: Option<Str>) -> Vec<Written<K>> {
        let mut writers = lock(&self.shared.writers);
        // What cannot do anything is not staged.
        let mut written = vec![Written::Unchanged; changes.len()];
        let mut effective = Vec::with_capacity(changes.len());
        for (place, change) in changes.into_iter().enumerate() {
            let (old, new) = match &change {
                Write::Put(new) | Write::PutIfChanged(new) => (self.get_ref(KeyRef::of(&**new)), Some(new)),
                Write::Remove(key) => (self.get_key(key), None),
            };
            let is_idle = match (&old, &change) {
                (Some(old), Write::Put(new)) => Arc::ptr_eq(old, new),
                (Some(old), Write::PutIfChanged(new)) => {
                    Arc::ptr_eq(old, new) || is_same_state(&**old, &**new)
                }
                (old, Write::Remove(_)) => old.is_none(),
                _ => false,
            };
            if !is_idle {
                stage(&mut writers, old.as_deref(), new.map(|new| &**new));
                effective.push((place, change));
            }
        }
        let mut table = write(&self.shared.table);
        for (place, change) in effective {
            written[place] = apply(&mut table, change, &mut writers);
        }
        let told = version.is_some_and(|version| set_version(&mut table, version));
        drop(table);
        self.tell(told);
        written
    }

    /// Makes the store what a list found, at once. An object that has not changed stays where it is in memory.
    /// Handed back is what changed: first what is gone, then the objects of the list in its order.
    pub fn replace(&self, all: Replacement<K>) -> Vec<Written<K>> {
        let mut writers = lock(&self.shared.writers);
        let changes = {
            let table = read(&self.shared.table);
            replacing(&table, &all)
        };
        for (old, change) in &changes {
            let new = match change {
                Write::Put(new) | Write::PutIfChanged(new) => Some(&**new),
                Write::Remove(_) => None,
            };
            stage(&mut writers, old.as_deref(), new);
        }
        let mut table = write(&self.shared.table);
        let written = changes
            .into_iter()
            .map(|(_, change)| apply(&mut table, change, &mut writers))
            .collect();
        // A list counts even if its version is before the last: the server went back.
        table.resource_version = all.resource_version;
        drop(table);
        self.tell(true);
        written
    }
}

fn stage<K>(writers: &mut [Box<dyn IndexWriter<K>>], old: Option<&K>, new: Option<&K>) {
    for writer in writers {
        writer.stage(old, new);
    }
}

fn apply<K: Object>(
    table: &mut Table<K>,
    change: Write<K>,
    writers: &mut [Box<dyn IndexWriter<K>>],
) -> Written<K> {
    match change {
        Write::Put(new) | Write::PutIfChanged(new) => match table.put(new.clone(), writers) {
            Some(old) => Written::Replaced { old, new },
            None => Written::Inserted(new),
        },
        Write::Remove(key) => table
            .remove((&key).into(), writers)
            .map_or(Written::Unchanged, Written::Removed),
    }
}

pub(super) fn set_version<K>(table: &mut Table<K>, version: Str) -> bool {
    let is_news = !version.is_empty() && !is_before(&version, &table.resource_version);
    if is_news {
        table.resource_version = version;
    }
    is_news
}

/// The changes that make the table what the list is, with the objects they are made to. Of several objects of one key
/// the last counts.
fn replacing<K: Object>(table: &Table<K>, all: &Replacement<K>) -> Vec<(Option<Arc<K>>, Write<K>)> {
    let mut stays: HashSet<u32> = HashSet::with_capacity(all.objects.len());
    let mut later: HashSet<KeyRef<'_>> = HashSet::with_capacity(all.objects.len());
    stays.extend(all.unreadable.iter().filter_map(|key| table.place(key.into())));
    let mut puts = Vec::new();
    for object in all.objects.iter().rev() {
        let key = KeyRef::of(&**object);
        if !later.insert(key) {
            continue;
        }
        let place = table.place(key);
        stays.extend(place);
        let old = place.and_then(|slot| table.at(slot));
        let is_known = old.is_some_and(|old| {
            Arc::ptr_eq(old, object)
                || (all.sharing == Sharing::Unchanged && is_same_state(&**old, &**object))
        });
        if !is_known {
            puts.push((old.cloned(), Write::Put(object.clone())));
        }
    }
    let gone = table.iter_slots().filter(|(slot, _)| !stays.contains(slot));
    gone.map(|(_, old)| (Some(old.clone()), Write::Remove(ObjectKey::of(&**old))))
        .chain(puts.into_iter().rev())
        .collect()
}
