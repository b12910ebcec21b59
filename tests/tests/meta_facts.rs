//! The hand-written types of `meta/v1` say what the facts of the Go types say: names, order, numbers and presence.

#![allow(clippy::panic, reason = "helpers of tests fail as tests do")]

use kubeloom::meta;
use kubeloom::record::{KEEP, NIL, OMIT, OPT, Record};
use kubeloom_codegen::facts::{Facts, FieldFact, Holder, Kind, OwnShape, Shape};

fn presence(fact: &FieldFact) -> u8 {
    let is_message =
        matches!(fact.kind, Kind::Message) || matches!(fact.kind, Kind::Own(shape) if shape.is_time());
    match fact.holder {
        Holder::Value if is_message && !fact.omit_zero => KEEP,
        Holder::Value if matches!(fact.kind, Kind::Own(OwnShape::StringList)) && !fact.omit_empty => NIL,
        Holder::Value if fact.omit_empty || fact.omit_zero => OMIT,
        Holder::Value => KEEP,
        Holder::Pointer if fact.omit_empty => OPT,
        Holder::Slice | Holder::Map if fact.omit_empty => OMIT,
        Holder::Pointer | Holder::Slice | Holder::Map => NIL,
    }
}

fn check<T: Record + Default>(facts: &Facts) {
    let table = T::default().table();
    let name = format!("io.k8s.apimachinery.pkg.apis.meta.v1.{}", table.name);
    let message = facts
        .messages
        .get(&name)
        .unwrap_or_else(|| panic!("no facts about {name}"));
    let Shape::Fields { type_meta, fields } = &message.shape else {
        panic!("{name} has no fields")
    };
    assert_eq!(table.type_meta.is_some(), *type_meta, "{name}");
    let ours: Vec<(&str, Vec<u32>, u8)> = table
        .fields
        .iter()
        .map(|field| {
            let path = field
                .tags
                .iter()
                .take_while(|tag| **tag != 0)
                .map(|tag| u32::from(*tag))
                .collect();
            (field.json, path, field.presence())
        })
        .collect();
    let theirs: Vec<(&str, Vec<u32>, u8)> = fields
        .iter()
        .map(|fact| {
            let mut path = fact.path.clone();
            if fact.kind == Kind::Own(OwnShape::StringList) {
                path.push(1);
            }
            (fact.json.as_str(), path, presence(fact))
        })
        .collect();
    pretty_assertions::assert_eq!(ours, theirs, "{name}");
}

#[test]
fn meta_types_equal_the_facts() {
    let facts = Facts::embedded().unwrap();
    macro_rules! check_all {
        ($($name:ident)*) => { $(check::<meta::$name>(&facts);)* };
    }
    check_all! {
        APIGroup APIGroupList APIResource APIResourceList APIVersions Condition DeleteOptions FieldSelectorRequirement
        GroupResource GroupVersionForDiscovery LabelSelector LabelSelectorRequirement ListMeta ManagedFieldsEntry ObjectMeta
        OwnerReference PartialObjectMetadata Preconditions ServerAddressByClientCIDR ShardInfo Status StatusCause
        StatusDetails
    }
}
