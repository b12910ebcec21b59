use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::cache::testing::{Thing, texts, thing};

fn parity(object: &Thing) -> Vec<Str> {
    object
        .metadata
        .labels
        .get("parity")
        .cloned()
        .into_iter()
        .collect()
}

fn replacement(objects: Vec<Arc<Thing>>, version: &str) -> Replacement<Thing> {
    Replacement {
        objects: objects.into_iter().map(Held::from).collect(),
        unreadable: Vec::new(),
        resource_version: version.into(),
        sharing: Sharing::Unchanged,
    }
}

#[test]
fn indices_follow_changes_and_forget_values_without_objects() {
    let store = Indexer::new();
    let index = store.add_index("parity", parity).unwrap();
    assert!(store.add_index("parity", parity).is_err(), "the name is taken");
    store.put(thing("a/1", "u", 1));
    store.put(thing("a/2", "v", 3));
    assert_eq!(texts(&index.get("odd")), ["a/1@1", "a/2@3"]);
    store.put(thing("a/1", "u", 4));
    assert_eq!(texts(&store.by_index("parity", "odd")), ["a/2@3"]);
    assert_eq!(texts(&index.get("even")), ["a/1@4"]);
    store.remove(&ObjectKey::namespaced("a", "2"));
    assert_eq!(index.values(), ["even"], "a value without objects is gone");
    assert!(store.by_index("nothing", "odd").is_empty());
    assert!(store.index::<u32>("parity").is_none(), "values of another type");
}

#[test]
fn an_index_that_is_added_later_has_what_is_there() {
    let store = Indexer::new();
    for version in 1..=10 {
        store.put(thing(&format!("a/{version}"), "", version));
    }
    let by_version = store
        .add_index("version", |object: &Thing| {
            object
                .metadata
                .resource_version
                .parse::<u64>()
                .into_iter()
                .collect()
        })
        .unwrap();
    assert_eq!(by_version.keys(&7), [ObjectKey::namespaced("a", "7")]);
    store.put(thing("a/7", "", 70));
    assert!(by_version.get(&7).is_empty());
    assert_eq!(by_version.get(&70).len(), 1);
}

#[test]
fn an_index_function_that_panics_harms_one_object_and_one_index() {
    let store = Indexer::new();
    let bad = store.add_index("bad", |object: &Thing| {
        assert_ne!(object.metadata.name, "bad", "on purpose");
        vec![1_u8]
    });
    let bad = bad.unwrap();
    let good = store.add_index("parity", parity).unwrap();
    for name in ["x", "bad", "y"] {
        store.put(thing(name, "", 2));
    }
    assert_eq!(texts(&bad.get(&1)), ["x@2", "y@2"]);
    assert_eq!(good.get("even").len(), 3);
    store.put(thing("bad", "", 3));
    store.remove(&ObjectKey::cluster("bad"));
    assert_eq!(store.len(), 2);
}

#[test]
fn a_relist_keeps_the_arcs_of_unchanged_objects() {
    let store = Indexer::new();
    let (a, b) = (thing("a", "1", 5), thing("b", "2", 6));
    store.replace(replacement(vec![a.clone(), b.clone(), thing("c", "3", 7)], "9"));
    // The same state; the same version of another object; a new object.
    let again = vec![thing("a", "1", 5), thing("b", "other", 6), thing("d", "4", 11)];
    let changes = store.replace(replacement(again, "12"));
    assert!(Arc::ptr_eq(&store.get("", "a").unwrap(), &a));
    assert!(!Arc::ptr_eq(&store.get("", "b").unwrap(), &b));
    let told: Vec<_> = changes
        .iter()
        .map(|change| match change {
            Written::Removed(old) => format!("-{}", old.key()),
            Written::Replaced { new, .. } => format!("~{}", new.key()),
            Written::Inserted(new) => format!("+{}", new.key()),
            Written::Unchanged => "=".to_owned(),
        })
        .collect();
    assert_eq!(
        told,
        ["-c", "~b", "+d"],
        "what is gone first, then in the list's order"
    );
    let mut distrusting = replacement(vec![thing("a", "1", 5)], "3");
    distrusting.sharing = Sharing::Nothing;
    store.replace(distrusting);
    assert!(!Arc::ptr_eq(&store.get("", "a").unwrap(), &a));
    assert_eq!(store.resource_version(), "3", "a list counts even if it is older");
}

#[test]
fn a_relist_leaves_what_could_not_be_read() {
    let store = Indexer::new();
    store.replace(replacement(vec![thing("a", "1", 5), thing("b", "2", 6)], "9"));
    let mut partial = replacement(vec![thing("c", "3", 10)], "10");
    partial.unreadable = vec![ObjectKey::cluster("a"), ObjectKey::cluster("never-seen")];
    store.replace(partial);
    assert_eq!(texts(&store.list()), ["a@5", "c@10"]);
}

#[test]
fn of_two_objects_of_one_key_in_a_list_the_last_counts() {
    let store = Indexer::new();
    let changes = store.replace(replacement(vec![thing("a", "1", 5), thing("a", "1", 6)], "9"));
    assert_eq!((changes.len(), texts(&store.list())), (1, vec!["a@6".to_owned()]));
}

#[test]
fn memory_of_a_large_store_is_given_back() {
    let store = Indexer::new();
    for number in 0..5000 {
        store.put(thing(&number.to_string(), "", 1));
    }
    for number in 0..5000 {
        store.remove(&ObjectKey::cluster(number.to_string()));
    }
    assert!(store.is_empty() && store.list().is_empty());
    store.put(thing("a", "", 1));
    assert_eq!(store.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn at_least_waits_for_the_version_in_the_order_of_versions() {
    let store: Indexer<Thing> = Indexer::new();
    assert!(store.at_least("0").await.is_err());
    assert!(store.at_least("x").await.is_err());
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.at_least("1000").await }
    });
    for version in ["999", "998"] {
        store.set_resource_version(version.into());
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished(), "{version}");
        assert_eq!(store.resource_version(), "999", "an earlier version is no news");
    }
    store.transaction(vec![Write::Put(thing("a", "", 1001))], Some("1001".into()));
    waiting.await.unwrap().unwrap();
    store.at_least("1001").await.unwrap();
    assert_eq!(
        compare_resource_versions(&store.resource_version(), "1001"),
        Ok(Ordering::Equal)
    );
}

#[test]
fn model() {
    check_against_model(0..60, &Storage::Whole);
}

#[cfg(feature = "packed")]
#[test]
fn model_of_a_store_that_packs() {
    for hot in [0, 1, 5] {
        check_against_model(0..20, &Storage::Packed(PackedOptions::default().hot(hot)));
    }
}

/// A store against a sorted map, under random writes of all kinds.
fn check_against_model(seeds: std::ops::Range<u64>, storage: &Storage) {
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let store = Indexer::with_storage(storage);
        let mut model: BTreeMap<ObjectKey, Arc<Thing>> = BTreeMap::new();
        let mut index = None;
        let keys: Vec<String> = (0..12)
            .map(|key| format!("{}/{key}", ["a", "b"][key % 2]))
            .collect();
        for version in 1..300 {
            let some = |random: &mut fastrand::Rng| {
                let key = &keys[random.usize(..keys.len())];
                thing(key, &random.u8(..3).to_string(), version)
            };
            match random.u8(..10) {
                0..4 => {
                    let object = some(&mut random);
                    model.insert(ObjectKey::of(&*object), object.clone());
                    store.put(object);
                }
                4..6 => {
                    let key = ObjectKey::of(&*some(&mut random));
                    let was_there = model.remove(&key).is_some();
                    assert_eq!(matches!(store.remove(&key), Written::Removed(_)), was_there);
                }
                6 | 7 => {
                    let mut writes = BTreeMap::new();
                    for _ in 0..random.usize(..6) {
                        let object = some(&mut random);
                        let key = ObjectKey::of(&*object);
                        let write = if random.bool() {
                            Write::Put(object)
                        } else {
                            Write::Remove(key.clone())
                        };
                        writes.insert(key, write);
                    }
                    for (key, write) in &writes {
                        match write {
                            Write::Put(object) | Write::PutIfChanged(object) => {
                                model.insert(key.clone(), object.clone())
                            }
                            Write::Remove(_) => model.remove(key),
                        };
                    }
                    store.transaction(writes.into_values().collect(), None);
                }
                8 => {
                    let mut all: Vec<_> = model.values().filter(|_| random.bool()).cloned().collect();
                    all.push(some(&mut random));
                    model = all
                        .iter()
                        .map(|object| (ObjectKey::of(&**object), object.clone()))
                        .collect();
                    store.replace(replacement(all, &version.to_string()));
                }
                _ if index.is_none() => index = Some(store.add_index("parity", parity).unwrap()),
                _ => {}
            }
            let all: Vec<_> = model.values().cloned().collect();
            assert_eq!(store.list_sorted(), all, "seed {seed}, step {version}");
            assert_eq!(store.len(), all.len());
            for key in &keys {
                let key: ObjectKey = key.parse().unwrap();
                assert_eq!(store.get_key(&key).as_ref(), model.get(&key));
            }
            if let Some(index) = &index {
                for value in ["odd", "even"] {
                    let expected: Vec<_> = all
                        .iter()
                        .filter(|one| parity(one)[0] == value)
                        .cloned()
                        .collect();
                    assert_eq!(index.get_sorted(value), expected, "seed {seed}, step {version}");
                }
            }
        }
    }
}

#[test]
fn changes_of_one_key_in_one_transaction_do_not_ruin_the_store() {
    for storage in storages() {
        let store = Indexer::with_storage(&storage);
        let put = |version| Write::Put(thing("a/x", "u", version));
        let key = ObjectKey::namespaced("a", "x");
        store.transaction(vec![put(1), put(2)], None);
        assert_eq!((store.len(), texts(&store.list())), (1, vec!["a/x@2".to_owned()]));
        store.transaction(vec![Write::Remove(key.clone()), put(3)], None);
        assert_eq!((store.len(), texts(&store.list())), (1, vec!["a/x@3".to_owned()]));
        store.put(thing("a/y", "u", 4));
        store.remove(&key);
        assert_eq!(texts(&store.list()), ["a/y@4"]);
    }
}

fn storages() -> Vec<Storage> {
    vec![
        Storage::Whole,
        #[cfg(feature = "packed")]
        Storage::Packed(PackedOptions::default()),
    ]
}
