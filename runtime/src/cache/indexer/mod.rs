//! [`Indexer`]: the objects of a resource, by key and by the values of named indices.
//!
//! | file | what is there |
//! |---|---|
//! | `held`, `storage` | an object as a store keeps it, and the choice between whole and packed |
//! | `packed` | objects as compressed bytes; behind the feature `packed` |
//! | `table` | slots and the hash table over them |
//! | `index` | indices: values to slots |
//! | `handle` | [`Index`]: reads through an index |
//! | `write` | what changes a store |
//!
//! One writer at a time, any number of readers. Readers share a lock that the writer takes for the change of the maps
//! alone, a microsecond an object: index functions run before it, handlers after it. Readers never wait for either. A
//! copy-on-write map would make snapshots cheaper and every other operation dearer (a path of nodes copied a write, a
//! tree walked a read), and the common operations here are reads of one object and writes of one object.
//!
//! Beside a whole object there is a copy of its key; an object costs some 90 bytes of slot, key and table, and indices hold
//! numbers of slots.
//!
//! This module must not know where objects come from, nor who is told of changes.

mod handle;
mod held;
mod index;
#[cfg(feature = "packed")]
mod packed;
mod storage;
mod table;
mod write;

use std::fmt;
use std::sync::{Arc, Mutex, RwLock};

use tokio::sync::watch;

pub use self::handle::Index;
pub use self::held::Held;
pub use self::index::IndexValue;
use self::index::{IndexWriter, ValueMap, Writer};
#[cfg(feature = "packed")]
pub use self::packed::{PackedOptions, PackedStats};
pub use self::storage::Storage;
use self::table::Table;
use self::write::set_version;
pub use self::write::{Replacement, Sharing, Write, Written};
use super::object::{KeyRef, Object, ObjectKey};
use super::sync::{lock, read, write};
use super::version::{InvalidResourceVersion, compare_resource_versions};
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
    /// What objects are packed with, if they are.
    #[cfg(feature = "packed")]
    packing: Option<packed::Packing<K>>,
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
        Self::with_storage(&Storage::Whole)
    }

    /// An empty store without indices that keeps its objects as is said.
    #[cfg_attr(not(feature = "packed"), allow(unused_variables))]
    pub fn with_storage(storage: &Storage) -> Self {
        Self {
            shared: Arc::new(Shared {
                table: RwLock::new(Table::new()),
                writers: Mutex::default(),
                versions: watch::Sender::new(()),
                #[cfg(feature = "packed")]
                packing: storage::packing(storage),
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

    fn get_ref(&self, key: KeyRef<'_>) -> Option<Arc<K>> {
        // Unpacked, if it is packed, when the lock is free again.
        let held = self.held(key)?;
        self.open(&held)
    }

    /// The object of a key as it is kept.
    pub(super) fn held(&self, key: KeyRef<'_>) -> Option<Held<K>> {
        let table = read(&self.shared.table);
        table.find(key).map(|(_, held)| held.clone())
    }

    /// All objects at one moment, in no particular order.
    pub fn list(&self) -> Vec<Arc<K>> {
        let gathered = Gathered::of(read(&self.shared.table).iter());
        gathered.objects()
    }

    /// All objects at one moment as they are kept, in no particular order.
    pub fn list_held(&self) -> Vec<Held<K>> {
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
        table.iter().map(Held::key).collect()
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
        let objects: Vec<(u32, Held<K>)> = {
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
            writer.stage(None, object.object().as_deref());
            IndexWriter::<K>::commit(&mut writer, &mut *map, *slot);
        }
        writers.push(Box::new(writer));
        let mut table = write(&self.shared.table);
        table.indices.push((name.into(), map));
        Ok(Index::new(self.clone(), table.indices.len() - 1))
    }

    /// The index of a name, if there is one and its values are of this type.
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<K, V>> {
        let table = read(&self.shared.table);
        let place = table.indices.iter().position(|(known, _)| known == name)?;
        table.map::<V>(place)?;
        drop(table);
        Some(Index::new(self.clone(), place))
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

    /// All changes up to this version have been made; earlier versions than the store's are ignored.
    pub fn set_resource_version(&self, version: Str) {
        let told = set_version(&mut write(&self.shared.table), version);
        self.tell(told);
    }

    /// The object as it is kept, if it is known by UID and version.
    pub(super) fn same_state(&self, object: &K) -> Option<Held<K>> {
        let known = self.held(KeyRef::of(object))?;
        known.is_state_of(object).then_some(known)
    }

    fn tell(&self, changed: bool) {
        if changed && self.shared.versions.receiver_count() > 0 {
            self.shared.versions.send_replace(());
        }
    }
}

/// Objects that were read under the lock; what is packed is unpacked when it is free again.
struct Gathered<K> {
    whole: Vec<Arc<K>>,
    #[cfg(feature = "packed")]
    packed: Vec<Held<K>>,
}

impl<K: Object> Gathered<K> {
    fn of<'a>(held: impl Iterator<Item = &'a Held<K>>) -> Self
    where
        K: 'a,
    {
        let mut gathered = Self {
            whole: Vec::with_capacity(held.size_hint().0),
            #[cfg(feature = "packed")]
            packed: Vec::new(),
        };
        for held in held {
            match &held.0 {
                held::Form::Whole(object) => gathered.whole.push(object.clone()),
                #[cfg(feature = "packed")]
                held::Form::Packed(_) => gathered.packed.push(held.clone()),
            }
        }
        gathered
    }

    fn objects(self) -> Vec<Arc<K>> {
        #[cfg(feature = "packed")]
        if !self.packed.is_empty() {
            let mut objects = self.whole;
            objects.extend(self.packed.iter().filter_map(Held::object));
            return objects;
        }
        self.whole
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
