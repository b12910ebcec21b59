//! Tests of the join: what it makes of agreeing sources, and that it refuses every way to disagree.

use std::collections::BTreeMap;

use kubeloom_codegen::facts::proto::{ProtoField, ProtoKind, ProtoLabel, ProtoTable};

use super::{Joiner, Types, definition_name};
use crate::facts::go::{Field, Package, Type};

fn message(fields: &[(u32, &str, ProtoLabel, ProtoKind)]) -> BTreeMap<u32, ProtoField> {
    let field = |name: &str, label: &ProtoLabel, kind: &ProtoKind| ProtoField {
        name: name.to_owned(),
        label: label.clone(),
        kind: kind.clone(),
    };
    fields
        .iter()
        .map(|(number, name, label, kind)| (*number, field(name, label, kind)))
        .collect()
}

fn go_field(name: &str, type_: &str, json: &str, protobuf: &str) -> Field {
    let embedded = name.is_empty();
    Field {
        embedded,
        has_json: true,
        name: name.into(),
        type_: type_.into(),
        json: json.into(),
        protobuf: protobuf.into(),
    }
}

fn go_type(name: &str, underlying: &str, fields: Vec<Field>) -> Type {
    Type {
        name: name.into(),
        underlying: underlying.into(),
        fields,
        ..Type::default()
    }
}

/// A `.proto` file and a Go package with a struct `Outer` that inlines `Inner`.
struct Sources {
    protos: ProtoTable,
    package: Package,
}

fn sources() -> Sources {
    let (string, int) = (ProtoKind::Scalar("string"), ProtoKind::Scalar("int32"));
    let named = |name: &str| ProtoKind::Message(format!("p.{name}"));
    let repeated = ProtoLabel::Repeated { packed: false };
    let outer = message(&[
        (1, "name", ProtoLabel::Optional, string.clone()),
        (2, "inner", ProtoLabel::Optional, named("Inner")),
        (3, "extra", ProtoLabel::Map(string.clone()), named("Extra")),
        (4, "tags", repeated.clone(), string.clone()),
    ]);
    let inner = message(&[(1, "count", ProtoLabel::Optional, int)]);
    let extra = message(&[(1, "items", repeated, string)]);
    let protos = ProtoTable {
        files: [("e.io/x/generated.proto".to_owned(), "p".to_owned())].into(),
        messages: [("Outer", outer), ("Inner", inner), ("Extra", extra)]
            .map(|(name, fields)| (format!("p.{name}"), fields))
            .into(),
    };
    let fields = vec![
        go_field("", super::TYPE_META, "", ""),
        go_field(
            "Name",
            "*e.io/x.Label",
            "name,omitempty",
            "bytes,1,opt,name=name,casttype=Label",
        ),
        go_field("", "e.io/x.Inner", "", "bytes,2,opt,name=inner"),
        go_field(
            "Extra",
            "map[string]e.io/x.Extra",
            "extra",
            "bytes,3,rep,name=extra",
        ),
        go_field("Tags", "e.io/x.Labels", "tags,omitzero", "bytes,4,rep,name=tags"),
    ];
    let types = vec![
        go_type("Outer", "struct", fields),
        go_type(
            "Inner",
            "struct",
            vec![go_field("Count", "int32", "count", "varint,1,opt,name=count")],
        ),
        go_type("Extra", "[]string", vec![]),
        go_type("Label", "string", vec![]),
        go_type("Labels", "[]e.io/x.Label", vec![]),
        go_type("Loop", "e.io/x.Loop", vec![]),
    ];
    Sources {
        protos,
        package: Package {
            path: "e.io/x".into(),
            types,
        },
    }
}

/// Joins `Outer` and writes its fields as the table does.
fn join(sources: &Sources) -> anyhow::Result<Vec<String>> {
    let packages = std::slice::from_ref(&sources.package);
    let joiner = Joiner {
        protos: &sources.protos,
        types: Types::new(&sources.protos, packages),
    };
    let message = joiner.message("e.io/x.Outer")?;
    Ok(message
        .iter()
        .flat_map(|message| message.fields())
        .map(ToString::to_string)
        .collect())
}

fn outer(sources: &mut Sources) -> &mut Vec<Field> {
    &mut sources.package.types[0].fields
}

fn proto<'a>(sources: &'a mut Sources, name: &str) -> &'a mut BTreeMap<u32, ProtoField> {
    sources.protos.messages.get_mut(name).unwrap()
}

#[test]
fn inlined_structs_are_flattened_in_place_and_named_types_resolved() {
    let expected = [
        "name 1 *string omitempty",
        "count 2.1 int32",
        "extra 3 {}StringList",
        "tags 4 []string omitzero",
    ];
    assert_eq!(join(&sources()).unwrap(), expected);
}

type Change = fn(&mut Sources);

#[test]
fn every_disagreement_is_refused() {
    let cases: [(&str, &str, Change); 22] = [
        ("number that .proto lacks", "no protobuf field 9", |s| {
            outer(s)[1].protobuf = "bytes,9,opt".into()
        }),
        ("number used twice", "number 3 is used twice", |s| {
            outer(s)[4].protobuf = "bytes,3,rep".into()
        }),
        ("other name", "the Go tag names it", |s| {
            outer(s)[1].protobuf = "bytes,1,opt,name=nom".into()
        }),
        ("no protobuf tag", "protobuf tag: false", |s| {
            outer(s)[1].protobuf.clear()
        }),
        ("unknown part of a tag", "unknown part", |s| {
            outer(s)[1].protobuf.push_str(",proto3")
        }),
        ("tag without number", "no number", |s| {
            outer(s)[1].protobuf = "bytes".into()
        }),
        ("other kind", "Go says Scalar(\"int64\")", |s| {
            outer(s)[1].type_ = "int64".into()
        }),
        ("slice against single", "Go holds it as Slice", |s| {
            outer(s)[1].type_ = "[]string".into()
        }),
        ("single against repeated", "Go holds it as Value", |s| {
            outer(s)[4].type_ = "string".into()
        }),
        ("map with numbers for keys", "keys of type int32", |s| {
            outer(s)[3].type_ = "map[int32]string".into()
        }),
        ("list of lists", "a field of type []string", |s| {
            outer(s)[4].type_ = "[][]string".into()
        }),
        ("pointer to a list", "a field of type []string", |s| {
            outer(s)[1].type_ = "*[]string".into()
        }),
        ("type of no known form", "a field of type ?", |s| {
            outer(s)[1].type_ = "?".into()
        }),
        ("type of an unread package", "was not read", |s| {
            outer(s)[1].type_ = "e.io/y.T".into()
        }),
        ("type defined as itself", "by way of itself", |s| {
            outer(s)[1].type_ = "e.io/x.Loop".into()
        }),
        ("inlined by pointer", "not held by value", |s| {
            outer(s)[2].type_ = "*e.io/x.Inner".into()
        }),
        ("no json tag", "no json tag", |s| outer(s)[1].has_json = false),
        ("unknown json option", "unknown option \"string\"", |s| {
            outer(s)[1].json = "name,string".into()
        }),
        ("inlined struct repeats a name", "two JSON fields", |s| {
            outer(s)[1].json = "count".into()
        }),
        ("in protobuf alone", "not in JSON", |s| {
            outer(s)[1].json = "-".into()
        }),
        ("JSON of its own", "has JSON of its own", |s| {
            s.package.types[1].own_json = true
        }),
        ("field that Go lacks", "no Go field has number 7 (new)", |s| {
            let field = proto(s, "p.Inner")[&1].clone();
            proto(s, "p.Inner").insert(
                7,
                ProtoField {
                    name: "new".into(),
                    ..field
                },
            );
        }),
    ];
    for (why, expected, change) in cases {
        let mut sources = sources();
        change(&mut sources);
        let error = format!("{:#}", join(&sources).expect_err(why));
        assert!(error.contains(expected), "{why}: {error}");
    }
}

#[test]
fn packed_fields_and_late_type_meta_are_refused() {
    let mut packed = sources();
    proto(&mut packed, "p.Outer").get_mut(&4).unwrap().label = ProtoLabel::Repeated { packed: true };
    assert!(join(&packed).is_err());
    let mut late = sources();
    outer(&mut late).swap(0, 1);
    assert!(join(&late).is_err());
}

#[test]
fn a_message_without_go_type_is_refused() {
    let mut sources = sources();
    sources.protos.messages.insert("p.New".into(), BTreeMap::new());
    // Exceptions that do not exist are refused as well, and these sources hold none of Kubernetes'.
    let stale = super::join(&sources.protos, std::slice::from_ref(&sources.package))
        .unwrap_err()
        .to_string();
    assert!(stale.contains("listed as an exception"), "{stale}");
    let missed = super::unmet(
        &sources.protos,
        &Default::default(),
        &Types::new(&sources.protos, &[sources.package]),
    );
    assert!(missed.contains(&"p.New"), "{missed:?}");
    assert!(
        !missed.contains(&"p.Extra"),
        "a list of strings has no definition: {missed:?}"
    );
}

#[test]
fn definitions_are_named_as_openapi_names_them() {
    let cases = [
        ("k8s.io/api/core/v1.Pod", "io.k8s.api.core.v1.Pod"),
        (
            "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1.APIService",
            "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService",
        ),
        ("a.b.c/d.E", "c.b.a.d.E"),
    ];
    for (go_name, expected) in cases {
        assert_eq!(definition_name(go_name).unwrap(), expected);
    }
    assert!(definition_name("time.Duration").is_err());
}
