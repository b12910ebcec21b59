//! Objects through the server: what a type holds comes back, what it cannot hold is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kubeloom::dynamic::DynamicObject;
use kubeloom::meta::{Condition, LabelSelector, OwnerReference};
use kubeloom::rest::{FieldValidation, GroupVersionResource};
use kubeloom::value::{RawJson, map};
use kubeloom_k8s::core_v1::{Container, ContainerPort, ResourceRequirements};
use serde_json::{Value, json};

use crate::fixture;
use crate::kinds::{
    Adjacent, AnyShape, External, Flat, GROUP, Inner, Internal, Mixed, Runner, Shapes, ShapesSpec, Tier,
    Untagged,
};
use crate::server::install;

fn inner(x: i32) -> Inner {
    Inner {
        x,
        y: Some("ä".into()),
    }
}

/// Every field of the type holds something.
pub(crate) fn full() -> ShapesSpec {
    ShapesSpec {
        unit: Some(Tier::Back),
        nullable_unit: Some(Tier::Front),
        nullable_text: Some(String::new()),
        nullable_choice: Some(External::Number(1)),
        external: Some(External::Inner(inner(1))),
        internal: Some(Internal::Right { a: 1, b: true }),
        adjacent: Some(Adjacent::Inner(inner(2))),
        untagged: Some(Untagged::Fields { a: 4 }),
        any_shape: Some(AnyShape::List(vec!["x".into()])),
        mixed: Some(Mixed::Data(inner(3))),
        flat: Some(Flat {
            name: "flat".into(),
            inner: inner(4),
            choice: External::Fields { a: 5 },
            rest: BTreeMap::from([("more".into(), json!({"deep": [1, null, {"a": 1.5}]}))]),
        }),
        port: Some("http".into()),
        memory: Some("1536Mi".parse().unwrap()),
        limits: map([("cpu", "100m".parse::<kubeloom::value::Quantity>().unwrap())]),
        bytes: b"\x00\xffbytes".to_vec().into(),
        time: Some("2026-01-02T03:04:05Z".parse().unwrap()),
        micro_time: Some("2026-01-02T03:04:05.000006Z".parse().unwrap()),
        wait: Some("1h2m3.5s".parse().unwrap()),
        raw: RawJson::new(r#"{"any":[1,"two",{"three":3.5}]}"#).unwrap(),
        values: vec![json!(1), json!("two"), json!({"three": [3]})],
        nested: BTreeMap::from([("k".into(), vec![inner(5), inner(6)])]),
        free: HashMap::from([("f".into(), json!([true]))]),
        numbered: BTreeMap::from([(-7, "seven".into())]),
        set: BTreeSet::from(["a".into(), "b".into()]),
        listed: vec![3, i64::MAX],
        pair: (1, -2),
        triple: (1, "two".into(), true),
        array: [0, 128, 255],
        small: 255,
        large: 1 << 62,
        float: 0.25,
        embedded: Some({
            let mut object = DynamicObject::new("v1", "ConfigMap", "inside");
            object.set("/data/a", "b").unwrap();
            object
        }),
        config_map: Some(BTreeMap::from([
            ("apiVersion".into(), json!("v1")),
            ("kind".into(), json!("ConfigMap")),
            ("metadata".into(), json!({"name": "x"})),
            ("data".into(), json!({"k": "v"})),
        ])),
        resources: ResourceRequirements {
            limits: map([("memory", "1Gi".parse::<kubeloom::value::Quantity>().unwrap())]),
            ..ResourceRequirements::default()
        },
        selector: LabelSelector {
            match_labels: map([("app", "web")]),
            ..LabelSelector::default()
        },
        owner: Some(OwnerReference {
            api_version: "v1".into(),
            kind: "Pod".into(),
            name: "p".into(),
            uid: "u".into(),
            controller: Some(true),
            block_owner_deletion: Some(false),
        }),
        conditions: vec![Condition {
            type_: "Ready".into(),
            status: "True".into(),
            observed_generation: 3,
            last_transition_time: "2026-01-02T03:04:05Z".parse().unwrap(),
            reason: "Fine".into(),
            message: "fine".into(),
        }],
        short: "short".into(),
        three: 4,
    }
}

/// A spec for each variant of each enum.
pub(crate) fn variants() -> Vec<ShapesSpec> {
    vec![
        ShapesSpec {
            external: Some(External::Number(1)),
            ..Default::default()
        },
        ShapesSpec {
            external: Some(External::Fields { a: 1 }),
            ..Default::default()
        },
        ShapesSpec {
            internal: Some(Internal::None),
            ..Default::default()
        },
        ShapesSpec {
            internal: Some(Internal::Inner(inner(1))),
            ..Default::default()
        },
        ShapesSpec {
            internal: Some(Internal::Left { a: 1 }),
            ..Default::default()
        },
        ShapesSpec {
            adjacent: Some(Adjacent::None),
            ..Default::default()
        },
        ShapesSpec {
            adjacent: Some(Adjacent::Number(7)),
            ..Default::default()
        },
        ShapesSpec {
            untagged: Some(Untagged::Inner(inner(1))),
            ..Default::default()
        },
        ShapesSpec {
            any_shape: Some(AnyShape::Number(1)),
            ..Default::default()
        },
        ShapesSpec {
            any_shape: Some(AnyShape::Inner(inner(1))),
            ..Default::default()
        },
        ShapesSpec {
            mixed: Some(Mixed::Plain),
            ..Default::default()
        },
        ShapesSpec {
            port: Some(80.into()),
            ..Default::default()
        },
        ShapesSpec {
            nullable_unit: None,
            nullable_text: None,
            nullable_choice: None,
            ..Default::default()
        },
    ]
}

pub(crate) fn shapes(name: &str, spec: ShapesSpec) -> Shapes {
    let mut shapes = Shapes {
        spec,
        ..Shapes::default()
    };
    shapes.metadata.name = name.into();
    shapes
}

#[tokio::test]
async fn pruning_drops_nothing_that_the_type_has() {
    let (client, namespace) = fixture!("derived-full");
    install(&client, &Shapes::crd().unwrap()).await;
    let api = client.namespaced::<Shapes>(&namespace);
    // Strict: the server refuses what it would prune.
    for (name, spec) in [("full", full()), ("empty", ShapesSpec::default())] {
        let wanted = shapes(name, spec);
        let created = api
            .create(&wanted)
            .field_validation(FieldValidation::Strict)
            .await
            .unwrap();
        assert_eq!(created.spec, wanted.spec, "{name}");
        assert_eq!(api.get(name).await.unwrap().spec, wanted.spec, "{name}");
    }
    let untyped = client
        .dynamic(GroupVersionResource::new(GROUP, "v1", "shapes"))
        .namespace(&namespace);
    let stored = untyped.get("full").await.unwrap();
    let written = serde_json::to_value(full()).unwrap();
    // To the byte but for quantities, which the server keeps as they are as well.
    assert_eq!(stored.pointer("/spec"), Some(&written));
}

#[tokio::test]
async fn generated_types_stand_in_a_spec() {
    let (client, namespace) = fixture!("derived-template");
    install(&client, &Runner::crd().unwrap()).await;
    let mut runner = Runner::default();
    runner.metadata.name = "a".into();
    let template = &mut runner.spec.template;
    template.metadata.labels = map([("app", "web")]);
    template.spec.containers = vec![Container {
        name: "a".into(),
        image: "b".into(),
        ports: vec![ContainerPort {
            container_port: 80,
            ..ContainerPort::default()
        }],
        resources: ResourceRequirements {
            limits: map([("cpu", "1".parse::<kubeloom::value::Quantity>().unwrap())]),
            ..ResourceRequirements::default()
        },
        ..Container::default()
    }];
    let api = client.namespaced::<Runner>(&namespace);
    let created = api
        .create(&runner)
        .field_validation(FieldValidation::Strict)
        .await
        .unwrap();
    assert_eq!(created.spec, runner.spec);
}

#[tokio::test]
async fn every_variant_is_taken() {
    let (client, namespace) = fixture!("derived-variants");
    install(&client, &Shapes::crd().unwrap()).await;
    let api = client.namespaced::<Shapes>(&namespace);
    for (number, spec) in variants().into_iter().enumerate() {
        let wanted = shapes(&format!("variant-{number}"), spec);
        let created = api
            .create(&wanted)
            .field_validation(FieldValidation::Strict)
            .await;
        assert_eq!(created.unwrap().spec, wanted.spec, "{number}");
    }
}

#[tokio::test]
async fn what_the_type_cannot_hold_is_refused() {
    let (client, namespace) = fixture!("derived-refused");
    install(&client, &Shapes::crd().unwrap()).await;
    let untyped = client
        .dynamic(GroupVersionResource::new(GROUP, "v1", "shapes"))
        .namespace(&namespace);
    let rows: [(&str, Value, &str); 25] = [
        ("unit", json!("Middle"), "spec.unit"),
        ("unit", json!(1), "spec.unit"),
        ("nullableUnit", json!("Middle"), "spec.nullableUnit"),
        ("external", json!({}), "spec.external"),
        (
            "external",
            json!({"number": 1, "fields": {"a": 1}}),
            "spec.external",
        ),
        ("external", json!({"inner": {}}), "spec.external.inner.x"),
        ("external", json!({"number": "x"}), "spec.external.number"),
        ("internal", json!({"a": 1}), "spec.internal.type"),
        ("internal", json!({"type": "Right", "a": 1}), "spec.internal"),
        ("internal", json!({"type": "Other"}), "spec.internal"),
        ("adjacent", json!({"t": "Inner"}), "spec.adjacent"),
        ("untagged", json!({}), "spec.untagged"),
        ("flat", json!({"name": "a", "x": 1}), "spec.flat"),
        ("port", json!(true), "spec.port"),
        ("memory", json!("lots"), "spec.memory"),
        ("bytes", json!("%"), "spec.bytes"),
        ("time", json!("yesterday"), "spec.time"),
        ("wait", json!("soon"), "spec.wait"),
        ("nested", json!({"k": [{}]}), "spec.nested"),
        ("set", json!(["a", "a"]), "spec.set[1]"),
        ("listed", json!([1, 1]), "spec.listed[1]"),
        ("pair", json!([1]), "spec.pair"),
        ("array", json!([1, 2, 256]), "spec.array[2]"),
        ("small", json!(-1), "spec.small"),
        ("embedded", json!({"data": {}}), "spec.embedded"),
    ];
    for (field, value, place) in rows {
        let mut object = DynamicObject::new(format!("{GROUP}/v1"), "Shape", "refused");
        object.set(&format!("/spec/{field}"), value.clone()).unwrap();
        let error = match untyped.create(&object).await {
            Err(error) => error,
            Ok(_) => panic!("{field}: {value} is taken"),
        };
        assert!(error.is_invalid(), "{field}: {error}");
        assert!(error.to_string().contains(place), "{field}: {error}");
    }
    let mut unknown = DynamicObject::new(format!("{GROUP}/v1"), "Shape", "unknown");
    unknown.set("/spec/unheardOf", 1).unwrap();
    assert!(
        untyped
            .create(&unknown)
            .field_validation(FieldValidation::Strict)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn servers_fill_in_what_serde_would() {
    let (client, namespace) = fixture!("derived-defaults");
    install(&client, &Shapes::crd().unwrap()).await;
    let untyped = client
        .dynamic(GroupVersionResource::new(GROUP, "v1", "shapes"))
        .namespace(&namespace);
    let mut object = DynamicObject::new(format!("{GROUP}/v1"), "Shape", "defaults");
    object.set("/spec", json!({})).unwrap();
    let stored = untyped.create(&object).await.unwrap();
    assert_eq!(stored.pointer("/spec/three"), Some(&json!(3)));
    assert_eq!(stored.pointer("/spec/set"), None);
    let typed: Shapes = stored.to_typed().unwrap();
    let serde: ShapesSpec = serde_json::from_value(json!({})).unwrap();
    assert_eq!(typed.spec, serde);
}
