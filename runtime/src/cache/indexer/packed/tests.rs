use std::collections::BTreeSet;

use super::*;
use crate::cache::indexer::{Indexer, Replacement, Sharing, Storage, Written};
use crate::cache::testing::{Thing, thing};
use crate::dynamic::DynamicObject;

fn store() -> Indexer<Thing> {
    Indexer::packed(PackedOptions::default())
}

/// An object of a template: some kilobytes that all of a template have, and some hundred bytes of its own.
fn of_template(template: u64, number: u64, version: u64) -> Arc<Thing> {
    let mut object = (*thing(
        &format!("ns-{}/web-{template}-{number}", template % 5),
        &format!("uid-{template}-{number}"),
        version,
    ))
    .clone();
    let mut shape = fastrand::Rng::with_seed(template);
    let mut own = fastrand::Rng::with_seed(template << 32 | number << 8 | version);
    let text =
        |random: &mut fastrand::Rng, len| -> String { (0..len).map(|_| random.alphanumeric()).collect() };
    for annotation in 0..40 {
        let value = text(&mut shape, 100);
        object.metadata.annotations.insert(
            format!("{annotation}.example.com").as_str().into(),
            value.as_str().into(),
        );
    }
    let own = text(&mut own, 100);
    object
        .metadata
        .annotations
        .insert("own".into(), own.as_str().into());
    Arc::new(object)
}

#[test]
fn what_resembles_each_other_takes_little_and_reads_as_it_was() {
    let store = store();
    let mut all = Vec::new();
    for number in 0..25 {
        for template in 0..40 {
            let object = of_template(template, number, 1);
            store.put(object.clone());
            all.push(object);
        }
    }
    for object in &all {
        let key = ObjectKey::of(&**object);
        assert_eq!(store.get_key(&key).as_ref(), Some(object));
    }
    let stats = store.packed_stats().unwrap();
    assert_eq!((stats.packed, stats.whole), (1000, 0));
    assert_eq!(stats.dictionaries, 40, "{stats:?}");
    assert!(stats.bytes / 1000 < 450, "{stats:?}");
    assert!(stats.encoded_bytes / 1000 > 4000, "{stats:?}");
}

#[test]
fn dictionaries_come_and_go_with_what_they_are_of() {
    let store = store();
    // The same ten keys, rolled out again and again.
    for template in 0..300 {
        for number in 0..10 {
            let mut object = (*of_template(template, number, template + 1)).clone();
            object.metadata.namespace = "web".into();
            object.metadata.name = format!("web-{number}").as_str().into();
            store.put(Arc::new(object));
        }
        let stats = store.packed_stats().unwrap();
        assert!(stats.dictionaries <= 2, "{template}: {stats:?}");
        assert!(template < 2 || stats.bytes / 10 < 600, "{template}: {stats:?}");
    }
    let packing = store.shared.packing.as_ref().unwrap();
    let packer = lock(&packing.packer);
    assert!(packer.families.settled() <= 32, "{}", packer.families.settled());
    assert!(packer.repacked.is_empty());
}

#[test]
fn a_slow_change_of_all_objects_does_not_wear_out_dictionaries() {
    let store = store();
    let mut text: Vec<String> = {
        let mut random = fastrand::Rng::with_seed(1);
        (0..60)
            .map(|_| (0..80).map(|_| random.alphanumeric()).collect())
            .collect()
    };
    let mut random = fastrand::Rng::with_seed(2);
    for version in 1..400 {
        let place = random.usize(..text.len());
        text[place] = (0..80).map(|_| random.alphanumeric()).collect();
        for number in 0..5 {
            let mut object = (*thing(&format!("a/{number}"), "u", version)).clone();
            object.metadata.finalizers = text.iter().map(|text| text.as_str().into()).collect();
            store.put(Arc::new(object));
        }
    }
    let stats = store.packed_stats().unwrap();
    assert!(stats.bytes / 5 < stats.encoded_bytes / 5 / 3, "{stats:?}");
    assert!(stats.dictionaries <= 3, "{stats:?}");
}

#[test]
fn objects_of_no_template_are_kept_too_and_nothing_grows() {
    let store = store();
    for round in 0..3_u64 {
        let objects = (0..600).map(|number| of_template(round * 10_000 + number, 0, 1));
        let keys: Vec<_> = objects
            .map(|object| {
                let key = ObjectKey::of(&*object);
                store.put(object);
                key
            })
            .collect();
        for key in keys {
            assert!(matches!(store.remove(&key), Written::Removed(_)));
        }
    }
    assert_eq!(store.packed_stats().unwrap().packed, 0);
    let packing = store.shared.packing.as_ref().unwrap();
    assert!(packing.hot.len() <= 16);
    let packer = lock(&packing.packer);
    assert!(packer.families.len() <= 1024 + 32, "{}", packer.families.len());
}

#[test]
fn a_list_is_packed_as_it_is_read_and_members_of_new_families_find_their_places() {
    let store = store();
    let objects: Vec<_> = (0..400)
        .map(|number| of_template(number % 20, number / 20, 1))
        .collect();
    // As a reflector does: each object is packed before the store has any.
    let held: Vec<_> = objects.iter().map(|object| store.hold(object.clone())).collect();
    assert!(held.iter().all(Held::is_packed));
    let list = |objects, version: &str| Replacement {
        objects,
        unreadable: Vec::new(),
        resource_version: version.into(),
        sharing: Sharing::Unchanged,
    };
    assert_eq!(store.replace(list(held, "5")).len(), 400);
    let stats = store.packed_stats().unwrap();
    assert!(
        stats.bytes / 400 < 600,
        "the first of each family are packed anew: {stats:?}"
    );
    assert_eq!(store.list().len(), 400);
    // Known objects are not packed again.
    let again: Vec<_> = objects
        .iter()
        .map(|object| store.same_state(object).unwrap())
        .collect();
    assert!(store.replace(list(again, "6")).is_empty());
}

#[test]
fn what_cannot_be_packed_is_kept_whole() {
    let store = store();
    let long = "n".repeat(300);
    store.put(thing(&format!("a/{long}"), "u", 1));
    let stats = store.packed_stats().unwrap();
    assert_eq!((stats.packed, stats.whole), (0, 1));
    assert!(store.get("a", &long).is_some());
}

#[test]
fn what_was_read_last_is_hot_and_what_has_left_is_not() {
    let store = store();
    store.put(thing("a/x", "u", 1));
    let first = store.get("a", "x").unwrap();
    assert!(Arc::ptr_eq(&first, &store.get("a", "x").unwrap()));
    store.put(thing("a/x", "u", 2));
    assert_eq!(store.get("a", "x").unwrap().metadata.resource_version, "2");
    store.remove(&ObjectKey::namespaced("a", "x"));
    assert_eq!(store.packed_stats().unwrap().hot, 0);
    let cold = Indexer::packed(PackedOptions::default().hot(0));
    cold.put(thing("a/x", "u", 1));
    assert!(!Arc::ptr_eq(
        &cold.get("a", "x").unwrap(),
        &cold.get("a", "x").unwrap()
    ));
}

#[test]
fn objects_without_protobuf_are_packed_as_json() {
    let store = Indexer::<DynamicObject>::with_storage(&Storage::Packed(PackedOptions::default()));
    let mut all = BTreeSet::new();
    for number in 0..50 {
        let mut object = DynamicObject::new("demo.example.com/v1", "Widget", format!("w-{number}").as_str());
        object.metadata.resource_version = "1".into();
        object.set("/spec/size", number).unwrap();
        object.set("/spec/ratio", 0.1).unwrap();
        object
            .set(
                "/spec/text",
                "a text that all of them have, as objects of a kind do".repeat(20),
            )
            .unwrap();
        all.insert(serde_json::to_string(&object).unwrap());
        store.put(Arc::new(object));
    }
    let listed: BTreeSet<_> = store
        .list()
        .iter()
        .map(|object| serde_json::to_string(&**object).unwrap())
        .collect();
    assert_eq!(listed, all);
    assert_eq!(store.packed_stats().unwrap().packed, 50);
}

#[test]
fn many_readers_and_a_writer() {
    let store = store();
    store.put(of_template(1, 1, 1));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut last = 0;
                while last < 400 {
                    let object = store.get("ns-1", "web-1-1").unwrap();
                    let version: u64 = object.metadata.resource_version.parse().unwrap();
                    assert!(version >= last, "{version} after {last}");
                    assert_eq!(*object, *of_template(1, 1, version));
                    last = version;
                }
            });
        }
        for version in 2..=400 {
            store.put(of_template(1, 1, version));
        }
    });
}
