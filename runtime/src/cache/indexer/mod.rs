//! [`Indexer`]: the objects of a resource, by key and by the values of named indices.
//!
//! | file | what is there |
//! |---|---|
//! | `table` | slots and the hash table over them |
//! | `index` | indices: values to slots |
//!
//! One writer at a time, any number of readers. Readers share a lock that the writer takes for the change of the maps
//! alone, a microsecond an object: index functions run before it, handlers after it. Readers never wait for either. A
//! copy-on-write map would make snapshots cheaper and every other operation dearer (a path of nodes copied a write, a
//! tree walked a read), and the common operations here are reads of one object and writes of one object.
//!
//! Nothing but the object is kept for an object: the table is keyed by the names inside the objects, so an object costs
//! 8 bytes of slot and some 6 of table, and indices hold numbers of slots.
//!
//! This module must not know where objects come from, nor who is told of changes.

mod index;
mod table;

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, RwLock};

use hashbrown::HashSet;
use tokio::sync::watch;

pub use self::index::IndexValue;
use self::index::{IndexWriter, ValueMap, Writer};
use self::table::Table;
use super::object::{KeyRef, Object, ObjectKey, is_same_state};
use super::sync::{lock, read, write};
use super::version::{InvalidResourceVersion, compare_resource_versions, is_before};
use crate::value::Str;

/// The name of the index by namespace, which shared informers put on namespaced resources.
pub const NAMESPACE_INDEX: &str = "namespace";

/// The objects of a resource in memory. Cheap to clone; clones share the objects.
///
/// ```
/// use std::sync::Arc;
/// use kubeloom::cache::Indexer;
/// use kubeloom::meta::{ObjectMeta, PartialObjectMetadata};
///
/// let store = Indexer::<PartialObjectMetadata>::new();
/// let by_manager = store.add_index("manager", |object| {
///     object.metadata.labels.get("managed-by").cloned().into_iter().collect()
/// })?;
/// let mut metadata = ObjectMeta { name: "web".into(), ..ObjectMeta::default() };
/// metadata.labels.insert("managed-by".into(), "loom".into());
/// store.put(Arc::new(PartialObjectMetadata { metadata }));
/// assert_eq!(by_manager.get("loom").len(), 1);
/// assert_eq!(store.by_index("manager", "loom").len(), 1);
/// # Ok::<(), kubeloom::cache::DuplicateIndex>(())
/// ```
pub struct Indexer<K> {
    shared: Arc<Shared<K>>,
}

struct Shared<K> {
    table: RwLock<Table<K>>,
    /// Held by whoever writes, for the whole of a write.
    writers: Mutex<Vec<Box<dyn IndexWriter<K>>>>,
    /// Told when the store's version changes.
    versions: watch::Sender<()>,
}

impl<K> Clone for Indexer<K> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<K: Object> Default for Indexer<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Object> fmt::Debug for Indexer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = read(&self.shared.table);
        f.debug_struct("Indexer")
            .field("objects", &table.len())
            .field("resource_version", &table.resource_version)
            .finish_non_exhaustive()
    }
}

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

/// An index of this name is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateIndex(Str);

impl fmt::Display for DuplicateIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an index {:?} is there already", self.0)
    }
}

impl std::error::Error for DuplicateIndex {}

impl<K: Object> Indexer<K> {
    /// An empty store without indices.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                table: RwLock::new(Table::new()),
                writers: Mutex::default(),
                versions: watch::Sender::new(()),
            }),
        }
    }

    /// The object of a key.
    pub fn get(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.get_ref(KeyRef { namespace, name })
    }

    /// The object of a key.
    pub fn get_key(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.get_ref(key.into())
    }

    pub(super) fn get_ref(&self, key: KeyRef<'_>) -> Option<Arc<K>> {
        read(&self.shared.table).get(key).cloned()
    }

    /// All objects at one moment, in no particular order.
    pub fn list(&self) -> Vec<Arc<K>> {
        read(&self.shared.table).iter().cloned().collect()
    }

    /// All objects at one moment, by namespace and name.
    pub fn list_sorted(&self) -> Vec<Arc<K>> {
        let mut objects = self.list();
        sort(&mut objects);
        objects
    }

    /// The keys of all objects, in no particular order.
    pub fn keys(&self) -> Vec<ObjectKey> {
        let table = read(&self.shared.table);
        table.iter().map(|object| ObjectKey::of(&**object)).collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        read(&self.shared.table).len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The version up to which the store has all changes; empty before the first list.
    pub fn resource_version(&self) -> Str {
        read(&self.shared.table).resource_version.clone()
    }

    /// Completes when the store has all changes up to a version, such as the one an update of this program answered
    /// with: a read after it sees that update. It waits for ever if no such change comes, so bound it by a timeout.
    ///
    /// # Errors
    /// A version that cannot be compared.
    pub async fn at_least(&self, version: &str) -> Result<(), InvalidResourceVersion> {
        compare_resource_versions(version, version)?;
        let mut changes = self.shared.versions.subscribe();
        loop {
            changes.mark_unchanged();
            let known = self.resource_version();
            if compare_resource_versions(&known, version).is_ok_and(std::cmp::Ordering::is_ge) {
                return Ok(());
            }
            if changes.changed().await.is_err() {
                // The sender lives as long as this store.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Adds an index over values of any type, now or later: objects that are there are indexed at once.
    ///
    /// `values` must be a pure function of the object that neither reads nor writes the store. If it panics the object
    /// is left out of this index and the panic is logged.
    ///
    /// # Errors
    /// The name is taken.
    pub fn add_index<V: IndexValue>(
        &self,
        name: &str,
        values: impl Fn(&K) -> Vec<V> + Send + 'static,
    ) -> Result<Index<K, V>, DuplicateIndex> {
        let mut writers = lock(&self.shared.writers);
        let objects: Vec<(u32, Arc<K>)> = {
            let table = read(&self.shared.table);
            if table.indices.iter().any(|(known, _)| known == name) {
                return Err(DuplicateIndex(name.into()));
            }
            table
                .iter_slots()
                .map(|(slot, object)| (slot, object.clone()))
                .collect()
        };
        let mut map: Box<dyn std::any::Any + Send + Sync> = Box::new(ValueMap::<V>::new());
        let mut writer = Writer::new(name, values);
        for (slot, object) in &objects {
            writer.stage(None, Some(&**object));
            IndexWriter::<K>::commit(&mut writer, &mut *map, *slot);
        }
        writers.push(Box::new(writer));
        let mut table = write(&self.shared.table);
        table.indices.push((name.into(), map));
        Ok(Index {
            store: self.clone(),
            place: table.indices.len() - 1,
            value: PhantomData,
        })
    }

    /// The index of a name, if there is one and its values are of this type.
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<K, V>> {
        let table = read(&self.shared.table);
        let place = table.indices.iter().position(|(known, _)| known == name)?;
        table.map::<V>(place)?;
        drop(table);
        Some(Index {
            store: self.clone(),
            place,
            value: PhantomData,
        })
    }

    /// The names of the indices, in the order they were added.
    pub fn index_names(&self) -> Vec<Str> {
        let table = read(&self.shared.table);
        table.indices.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The objects with a value in an index of texts; none if there is no such index.
    pub fn by_index(&self, name: &str, value: &str) -> Vec<Arc<K>> {
        self.index::<Str>(name)
            .map(|index| index.get(value))
            .unwrap_or_default()
    }

    /// The keys of the objects with a value in an index of texts, sorted.
    pub fn index_keys(&self, name: &str, value: &str) -> Vec<ObjectKey> {
        self.index::<Str>(name)
            .map(|index| index.keys(value))
            .unwrap_or_default()
    }

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

    /// All changes up to this version have been made; earlier versions than the store's are ignored.
    pub fn set_resource_version(&self, version: Str) {
        let told = set_version(&mut write(&self.shared.table), version);
        self.tell(told);
    }

    /// The object as it is kept, if it is known by UID and version.
    pub(super) fn same_state(&self, object: &K) -> Option<Arc<K>> {
        let known = self.get_ref(KeyRef::of(object))?;
        is_same_state(&*known, object).then_some(known)
    }

    fn tell(&self, changed: bool) {
        if changed && self.shared.versions.receiver_count() > 0 {
            self.shared.versions.send_replace(());
        }
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

fn set_version<K>(table: &mut Table<K>, version: Str) -> bool {
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

/// A named index of a store; finds objects by values of its own type. Cheap to clone.
pub struct Index<K, V> {
    store: Indexer<K>,
    place: usize,
    value: PhantomData<fn() -> V>,
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
        slots
            .into_iter()
            .flatten()
            .filter_map(|slot| table.at(slot).cloned())
            .collect()
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
        let mut keys: Vec<_> = self
            .get(value)
            .iter()
            .map(|object| ObjectKey::of(&**object))
            .collect();
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

fn sort<K: Object>(objects: &mut [Arc<K>]) {
    objects.sort_unstable_by(|left, right| {
        let (left, right) = (KeyRef::of(&**left), KeyRef::of(&**right));
        (left.namespace, left.name).cmp(&(right.namespace, right.name))
    });
}

#[cfg(test)]
mod tests;
