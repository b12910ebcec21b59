//! [`MutationCache`]: what this program wrote, until the store has seen it too.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashbrown::HashMap;

use super::indexer::Indexer;
use super::object::{KeyRef, Object, ObjectKey};
use super::sync::lock;
use super::version::is_before;
use crate::clock::{Clock, TokioClock};
use crate::value::Str;

/// How long and how much a [`MutationCache`] keeps.
#[derive(Clone, Debug)]
pub struct MutationOptions {
    /// How many objects are kept; for one more the oldest goes.
    pub capacity: usize,
    /// After so long an object goes even if the store has not caught up: its watch is not healthy.
    pub keep: Duration,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl Default for MutationOptions {
    /// 100 objects for 5 minutes, as client-go's.
    fn default() -> Self {
        Self {
            capacity: 100,
            keep: Duration::from_secs(300),
            clock: Arc::new(TokioClock),
        }
    }
}

/// A view of a store that has what this program wrote, before the watch has brought it.
///
/// Tell it of each answer to a create, update, patch or apply; reads then show that state, until the store is at its
/// version: from then on the store is right, even if it says that the object is gone. Deletions of this program are
/// seen when the store sees them.
///
/// To wait until the store has caught up instead, see [`Indexer::at_least`].
pub struct MutationCache<K> {
    store: Indexer<K>,
    options: MutationOptions,
    written: Mutex<Written<K>>,
}

struct Written<K> {
    objects: HashMap<ObjectKey, Mutation<K>>,
    count: u64,
}

struct Mutation<K> {
    object: Arc<K>,
    until: Instant,
    /// Which one it is, in order.
    number: u64,
}

impl<K: Object> fmt::Debug for MutationCache<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutationCache")
            .field("store", &self.store)
            .field("written", &lock(&self.written).objects.len())
            .finish_non_exhaustive()
    }
}

impl<K: Object> MutationCache<K> {
    /// A view of a store.
    pub fn new(store: &Indexer<K>) -> Self {
        Self::with_options(store, MutationOptions::default())
    }

    /// A view of a store with other bounds.
    pub fn with_options(store: &Indexer<K>, options: MutationOptions) -> Self {
        Self {
            store: store.clone(),
            options,
            written: Mutex::new(Written {
                objects: HashMap::new(),
                count: 0,
            }),
        }
    }

    /// The server answered a write with this object. One whose version is not after the store's, or cannot be compared
    /// with it, is not kept: then the store is right.
    pub fn mutated(&self, object: Arc<K>) {
        let version = self.store.resource_version();
        let mut written = lock(&self.written);
        written.drop_old(&version, self.options.clock.now());
        if !is_before(&version, &object.object_meta().resource_version) {
            return;
        }
        let key = ObjectKey::of(&*object);
        let is_older = written.objects.get(&key).is_some_and(|known| {
            let known = &known.object.object_meta().resource_version;
            is_before(&object.object_meta().resource_version, known)
        });
        if is_older {
            return;
        }
        if written.objects.len() >= self.options.capacity.max(1) && !written.objects.contains_key(&key) {
            written.drop_oldest();
        }
        written.count += 1;
        let mutation = Mutation {
            object,
            until: self.options.clock.now() + self.options.keep,
            number: written.count,
        };
        written.objects.insert(key, mutation);
    }

    /// The object of a key: as it was written here, or as the store has it.
    pub fn get(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        // The version first: a store that moves on meanwhile has the newer object.
        let version = self.store.resource_version();
        let known = self.store.get(namespace, name);
        let mut written = lock(&self.written);
        written.drop_old(&version, self.options.clock.now());
        let mutation = written.objects.get(&KeyRef { namespace, name });
        match (mutation.map(|mutation| &mutation.object), known) {
            (Some(mutation), Some(known)) if is_newer(mutation, &known) => Some(mutation.clone()),
            (Some(mutation), None) => Some(mutation.clone()),
            (_, known) => known,
        }
    }

    /// All objects, as they were written here or as the store has them, in no particular order.
    pub fn list(&self) -> Vec<Arc<K>> {
        let version = self.store.resource_version();
        let mut objects = self.store.list();
        let mut written = lock(&self.written);
        written.drop_old(&version, self.options.clock.now());
        let mut left: HashMap<&ObjectKey, &Arc<K>> = written
            .objects
            .iter()
            .map(|(key, mutation)| (key, &mutation.object))
            .collect();
        if left.is_empty() {
            return objects;
        }
        for object in &mut objects {
            if let Some(mutation) = left.remove(&ObjectKey::of(&**object))
                && is_newer(mutation, object)
            {
                *object = mutation.clone();
            }
        }
        objects.extend(left.into_values().cloned());
        objects
    }

    /// How many written objects are shown in place of the store's.
    pub fn len(&self) -> usize {
        let version = self.store.resource_version();
        let mut written = lock(&self.written);
        written.drop_old(&version, self.options.clock.now());
        written.objects.len()
    }

    /// Whether the store has all that was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Object> Written<K> {
    /// What the store has seen, or what was kept for too long.
    fn drop_old(&mut self, version: &Str, now: Instant) {
        self.objects.retain(|_, mutation| {
            now < mutation.until && is_before(version, &mutation.object.object_meta().resource_version)
        });
    }

    fn drop_oldest(&mut self) {
        let oldest = self.objects.iter().min_by_key(|(_, mutation)| mutation.number);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            self.objects.remove(&key);
        }
    }
}

fn is_newer<K: Object>(mutation: &Arc<K>, known: &Arc<K>) -> bool {
    is_before(
        &known.object_meta().resource_version,
        &mutation.object_meta().resource_version,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::testing::thing;

    #[tokio::test(start_paused = true)]
    async fn what_was_written_is_seen_until_the_store_has_it() {
        let store = Indexer::new();
        let cache = MutationCache::new(&store);
        store.put(thing("web/a", "u", 5));
        store.set_resource_version("5".into());
        let version = |name: &str| Some(cache.get("web", name)?.metadata.resource_version.to_string());
        cache.mutated(thing("web/a", "u", 9));
        cache.mutated(thing("web/b", "u", 10));
        // An answer that was overtaken by another.
        cache.mutated(thing("web/a", "u", 7));
        // What the store knows already, and what cannot be compared.
        cache.mutated(thing("web/c", "u", 4));
        let mut odd = (*thing("web/d", "u", 8)).clone();
        odd.metadata.resource_version = "x".into();
        cache.mutated(Arc::new(odd));
        assert_eq!(version("a").as_deref(), Some("9"));
        assert_eq!(version("b").as_deref(), Some("10"));
        assert_eq!((version("c"), version("d")), (None, None));
        let mut all: Vec<_> = cache
            .list()
            .iter()
            .map(|object| ObjectKey::of(&**object).to_string())
            .collect();
        all.sort();
        assert_eq!(
            (all, cache.len()),
            (vec!["web/a".to_owned(), "web/b".to_owned()], 2)
        );
        // The store is past the first: it went meanwhile.
        store.remove(&ObjectKey::namespaced("web", "a"));
        store.set_resource_version("9".into());
        assert_eq!(version("a"), None);
        assert_eq!((cache.list().len(), cache.len()), (1, 1));
        store.put(thing("web/b", "u", 12));
        assert_eq!(version("b").as_deref(), Some("12"), "the newer one");
        store.set_resource_version("12".into());
        assert!(cache.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_bounded_in_number_and_time() {
        let store = Indexer::new();
        store.set_resource_version("1".into());
        let options = MutationOptions {
            capacity: 3,
            keep: Duration::from_secs(60),
            ..MutationOptions::default()
        };
        let cache = MutationCache::with_options(&store, options);
        for number in 0..10 {
            cache.mutated(thing(&format!("web/{number}"), "u", 10 + number));
            tokio::time::sleep(Duration::from_secs(10)).await;
        }
        assert_eq!(cache.len(), 3);
        assert!(cache.get("web", "6").is_none() && cache.get("web", "7").is_some());
        // Written again: it does not push out another.
        cache.mutated(thing("web/9", "u", 30));
        assert!(cache.get("web", "7").is_some());
        tokio::time::sleep(Duration::from_secs(35)).await;
        assert_eq!(cache.len(), 2);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(cache.is_empty());
    }
}
