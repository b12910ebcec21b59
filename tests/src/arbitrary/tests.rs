use kubeloom::generated::*;
use kubeloom::record::{Record, View, equal};

use super::{Bound, fill};

/// A schema that contains itself in every way there is.
#[derive(Clone, Default)]
struct Schema {
    name: Str,
    count: Option<i64>,
    ratio: f64,
    flag: Option<bool>,
    port: IntOrString,
    size: Option<Quantity>,
    since: Option<Time>,
    at: MicroTime,
    every: Option<Duration>,
    key: ByteString,
    free: Option<RawJson>,
    not: Option<Box<Schema>>,
    all: Vec<Schema>,
    properties: Map<Schema>,
    additional: Option<OrBool<Schema>>,
    items: Option<OrArray<Schema>>,
    dependencies: Map<OrStrings<Schema>>,
    matrix: Map<Vec<i32>>,
    rest: Map<RawJson>,
}
record! { Schema {
    0 name "name" [1] OMIT;
    1 count "count" [2] OPT;
    2 ratio "ratio" [3] KEEP;
    3 flag "flag" [4] OPT;
    4 port "port" [5] KEEP;
    5 size "size" [6] OPT;
    6 since "since" [7] OPT;
    7 at "at" [8] KEEP;
    8 every "every" [9] OPT;
    9 key "key" [10] OMIT;
    10 free "free" [11] OPT;
    11 not "not" [12] OPT;
    12 all "all" [13] OMIT;
    13 properties "properties" [14] OMIT;
    14 additional "additional" [15] OPT;
    15 items "items" [16] OPT;
    16 dependencies "dependencies" [17] OMIT;
    17 matrix "matrix" [18] OMIT;
    rest rest;
} }

fn object(seed: u64) -> Schema {
    let mut object = Schema::default();
    fill(&mut object, seed, Bound::Kubeloom);
    object
}

fn fields(object: &Schema) -> impl Iterator<Item = (&'static str, View<'_>)> {
    object
        .table()
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| (field.json, object.view(index)))
}

#[test]
fn a_seed_is_one_object() {
    for seed in 0..20 {
        assert!(equal(&object(seed), &object(seed)), "seed {seed}");
    }
    assert!(!equal(&object(3), &object(4)));
}

#[test]
fn shapes_are_what_they_say() {
    assert!(equal(&object(0), &Schema::default()));
    let zero = object(1);
    assert!(
        fields(&zero).all(|(_, view)| !matches!(view, View::Absent)),
        "{zero:?}"
    );
    assert_eq!(
        (zero.count, zero.flag, zero.name.as_str()),
        (Some(0), Some(false), "")
    );
    assert!(zero.size.is_some_and(|size| size.is_zero()) && zero.matrix[""] == [0]);
    let full = object(2);
    for (name, view) in fields(&full) {
        assert!(!view.is_zero(), "{name} of {full:?}");
    }
    assert_eq!(
        (full.all.len(), full.properties.len(), full.rest.len()),
        (2, 2, 2)
    );
}

#[test]
fn every_field_is_random_and_recursion_ends() {
    let objects: Vec<_> = (3..200).map(object).collect();
    for index in 0..objects[0].table().fields.len() {
        let name = objects[0].table().fields[index].json;
        assert!(
            objects.iter().any(|object| !object.view(index).is_zero()),
            "{name} is never set"
        );
        assert!(
            objects
                .iter()
                .any(|object| object.view(index) == Schema::default().view(index)),
            "{name} is always set"
        );
    }
    let arms = |arm: fn(&Schema) -> bool| objects.iter().any(arm);
    assert!(arms(|object| matches!(
        &object.additional,
        Some(OrBool::Allows(true))
    )));
    assert!(arms(|object| matches!(
        &object.additional,
        Some(OrBool::Allows(false))
    )));
    assert!(arms(|object| matches!(
        &object.additional,
        Some(OrBool::Schema(_))
    )));
    assert!(arms(|object| matches!(&object.items, Some(OrArray::Schemas(_)))));
    assert!(arms(|object| matches!(&object.items, Some(OrArray::Schema(_)))));
    assert!(arms(
        |object| matches!(object.port, IntOrString::Int(port) if port > i64::from(i32::MAX))
    ));
    assert!(arms(|object| object.matrix.values().any(Vec::is_empty)));
}
