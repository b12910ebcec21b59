//! Types of CustomResourceDefinitions: of every shape that was ever hard, from the small definitions in `fixtures/definitions`.
//! `kubeloom-shapes` is what the generator makes of them; here it is compiled, looked at and sent objects through.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../src/definitions/runner.rs"]
mod runner;

use std::path::{Path, PathBuf};

use kubeloom::record::{Nullable, Record, Validate, Value as RecordValue};
use kubeloom::resource::{KindVisitor, Resource};
use kubeloom::value::{DateTime, IntOrString, Map, Quantity, RawJson, Str, map};
use kubeloom_shapes::{
    collisions_v1, defaults_v1, enums_v1, free_v1, names_v1, nullable_v1, numbers_v1, recursion_v1, roots_v1,
    rules_v1, unions_v1, versions_old, versions_v1, versions_v1beta1,
};
use kubeloom_tests::definitions::{collect, objects};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

struct All(runner::Kinds);

impl KindVisitor for All {
    fn visit<K: Resource + Record + RecordValue + Default>(&mut self) {
        self.0.add::<K>();
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/definitions")
}

#[test]
fn every_object_comes_back() {
    let mut all = All(runner::Kinds::default());
    kubeloom_shapes::visit_kinds(&mut all);
    all.0.add::<versions_old::Scaler>();
    let collected = collect::collect(&[folder()], 1).unwrap();
    assert!(collected.unreadable.is_empty(), "{:?}", collected.unreadable);
    let definitions = collected.shards.iter().flat_map(|shard| &shard.definitions);
    let cases: Vec<_> = definitions.flat_map(objects::cases).collect();
    assert_eq!(cases.len(), objects::Plan::ALL.len() * 23);
    let failed = cases.iter().filter_map(|case| match all.0.verdict(&case.json()) {
        (place, Some(why)) => Some(format!("{place}: {why}")),
        _ => None,
    });
    assert_eq!(failed.collect::<Vec<_>>(), Vec::<String>::new());
}

/// What comes back of an object's `spec`.
fn back<K: Resource + Record + serde::de::DeserializeOwned + serde::Serialize>(spec: &Value) -> Value {
    let object = json!({"metadata": {}, "spec": spec});
    let object: K = serde_json::from_str(&object.to_string()).unwrap();
    let mut written = serde_json::to_value(&object).unwrap();
    written["spec"].take()
}

#[test]
fn texts_outside_of_a_set_are_kept_and_known_ones_are_told_apart() {
    use enums_v1::{ChoiceBooleans, ChoiceCase, ChoiceNextHop, ChoicePreludes, ChoiceSpec, ChoiceSymbols};
    let spec: ChoiceSpec = serde_json::from_value(json!({
        "needed": "Three", "case": "REPLACE", "nextHop": "Self", "symbols": "!~", "booleans": "", "preludes": "Other",
    }))
    .unwrap();
    assert_eq!(spec.needed, "Three");
    assert_eq!(spec.needed, enums_v1::ChoiceNeeded::Other("Three".into()));
    assert_eq!(spec.needs_empty, "");
    assert_eq!(spec.case, Some(ChoiceCase::REPLACE));
    assert_eq!(spec.next_hop, Some(ChoiceNextHop::Self_));
    assert_eq!(spec.symbols, Some(ChoiceSymbols::NotTilde));
    assert_eq!(spec.booleans, Some(ChoiceBooleans::Empty));
    assert_eq!(spec.preludes, Some(ChoicePreludes::Other_));
    for text in ChoiceBooleans::VALUES
        .iter()
        .chain(ChoiceCase::VALUES)
        .chain(&["", "never heard of"])
    {
        assert_eq!(ChoiceBooleans::from(*text).as_str(), *text);
        assert_eq!(ChoiceCase::from(*text).to_string(), *text);
    }
    assert!(
        !ChoiceCase::VALUES
            .iter()
            .any(|text| matches!(ChoiceCase::from(*text), ChoiceCase::Other(_)))
    );
}

#[test]
fn numbers_and_booleans_of_a_set_stay_what_they_are() {
    let spec = enums_v1::ChoiceSpec {
        status_code: Some(404_i64),
        port: Some(80_i32),
        ratio: Some(0.5_f64),
        debug: Some(true),
        numbers: Some(vec![7_i64]),
        ..Default::default()
    };
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(
        written,
        json!({"needed": "", "needsEmpty": "", "statusCode": 404, "port": 80, "ratio": 0.5, "debug": true, "numbers": [7]})
    );
}

#[test]
fn names_on_the_wire_are_exact() {
    let spec = names_v1::NamesSpec {
        self_: Some("a".into()),
        jwks_uri: Some("b".into()),
        jwks_uri_2: Some("c".into()),
        jwks_uri_3: Some("d".into()),
        _3scale: Some("e".into()),
        rest: Some("f".into()),
        rest_2: map([("free", RawJson::new("[1]").unwrap())]),
        ..Default::default()
    };
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(
        written,
        json!({"self": "a", "jwks_uri": "b", "jwks-uri": "c", "jwksUri": "d", "3scale": "e", "rest": "f", "free": [1]})
    );
    // Equal schemas under two names: one type.
    let _: Option<Vec<names_v1::NamesHostAlias>> = spec.host_aliases;
    let _: Option<Vec<names_v1::NamesHostAlias>> = spec.host_aliases_2;
}

#[test]
fn names_of_types_are_short_and_each_place_has_its_own() {
    let spec = collisions_v1::JobSpec::default();
    let _: Option<collisions_v1::JobRolloutStrategy> = spec.rollout_strategy;
    let _: Option<collisions_v1::JobStrategy> = collisions_v1::JobRollout::default().strategy;
    let _: Option<collisions_v1::JobSpecStatus> = spec.status;
    let _: Option<Box<collisions_v1::JobStatus>> = collisions_v1::Job::default().status;
    let _: Option<Box<collisions_v1::JobPath>> = collisions_v1::JobFirst::default().path;
    let _: Option<Box<collisions_v1::JobSecondPath>> = collisions_v1::JobSecond::default().path;
    let _: Option<Box<collisions_v1::JobReadinessProbe>> = spec.liveness_probe;
    let _: Option<Box<collisions_v1::DeviceStatus2>> = collisions_v1::Device::default().status;
    let _: Option<Box<collisions_v1::DeviceStatusSpec>> = collisions_v1::DeviceStatus::default().spec;
    let _: Option<Vec<recursion_v1::GeneratorGenerator>> = recursion_v1::GeneratorSpec::default().generators;
    assert_eq!(collisions_v1::Option_::KIND, "Option");
}

#[test]
fn null_is_a_value_where_the_schema_says_so() {
    use nullable_v1::{Holder, HolderSpec};
    let required = json!({"neededText": null, "neededList": null, "neededObject": null});
    assert_eq!(back::<Holder>(&json!({})), required);
    for (field, given, expected) in [
        ("text", json!(null), json!(null)),
        ("withDefault", json!(null), json!({"withDefault": null})),
        ("withDefault", json!("a"), json!({"withDefault": "a"})),
        (
            "objectWithDefault",
            json!(null),
            json!({"objectWithDefault": null}),
        ),
        ("items", json!([1, null]), json!({"items": [1, null]})),
        ("objects", json!([{}, null]), json!({"objects": [{}, null]})),
        ("values", json!({"a": null}), json!({"values": {"a": null}})),
        ("list", json!([]), json!({"list": []})),
    ] {
        let mut all = required.clone();
        for (name, value) in expected.as_object().into_iter().flatten() {
            all[name] = value.clone();
        }
        assert_eq!(back::<Holder>(&json!({field: given})), all, "{field}");
    }
    let spec = HolderSpec {
        number_with_default: Some(Nullable::Null),
        items: Some(vec![3.into(), Nullable::Null]),
        needed_text: Some("a".into()),
        ..Default::default()
    };
    assert_eq!(spec.number_with_default.unwrap().into_option(), None);
    assert_eq!(spec.items.unwrap()[0].as_ref(), Some(&3));
}

#[test]
fn numbers_have_the_size_that_the_schema_says() {
    let spec = numbers_v1::NumbersSpec {
        port: IntOrString::from("http"),
        as_string: Some(80.into()),
        memory: Some(Quantity::parse("1024Mi").unwrap()),
        limits: Some(map([("cpu", Quantity::parse("100m").unwrap())])),
        ports: Some(vec![3_000_000_000_i64.into()]),
        thirty_two: Some(1_i32),
        thirty_twos: Some(vec![2_i32]),
        sixty_four: Some(i64::MAX),
        unsigned: Some(4_294_967_295_i64),
        whole: Some(3.0),
        ..Default::default()
    };
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(written["ports"], json!([3_000_000_000_i64]));
    assert_eq!(written["memory"], "1024Mi");
    assert_eq!(written["sixtyFour"], i64::MAX);
    assert_eq!(written["port"], "http");
}

#[test]
fn what_is_free_stays_free() {
    let spec = free_v1::FreeSpec::default();
    let _: Map<RawJson> = spec.needed;
    let _: Map<Str> = spec.needed_map;
    let _: Option<RawJson> = spec.any;
    let _: Option<Map<Map<Vec<free_v1::FreeDeep>>>> = spec.deep;
    let _: Option<Vec<Vec<Vec<free_v1::FreeMatrix>>>> = spec.matrix;
    let _: Option<Vec<RawJson>> = spec.lists;
    let spec = json!({"needed": {}, "neededMap": {}, "both": {"known": "a", "other": {"b": [null]}}, "more": {"x": 1, "known": 2},
        "embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
        "template": {"apiVersion": "v1", "kind": "Pod", "spec": {"size": 3}, "metadata": {"name": "b"}}, "any": "text"});
    assert_eq!(back::<free_v1::Free>(&spec), spec);
    // What a schema does not name and does not keep, the server drops.
    assert_eq!(back::<unions_v1::Action>(&json!({"unknown": 1})), json!({}));
}

#[test]
fn unions_are_structs_that_say_what_may_be_set() {
    use unions_v1::{ActionExec, ActionSpec};
    let broken = |spec: &ActionSpec| spec.validate().map_err(|invalid| invalid.to_string()).err();
    let mut spec = ActionSpec::default();
    assert_eq!(
        broken(&spec).as_deref(),
        Some("exactly one of these must be set: exec, httpGet, group")
    );
    spec.exec = Some(Box::new(ActionExec::default()));
    assert_eq!(broken(&spec), None);
    spec.http_get = Some(Box::default());
    assert_eq!(
        broken(&spec).as_deref(),
        Some(
            "exactly one of these must be set: exec, httpGet, group; httpGet: at least one of these must be set: port, path"
        )
    );
    let _: Option<RawJson> = spec.ids;
    let _: Option<RawJson> = spec.odd;
}

#[test]
fn roots_of_every_form_are_resources() {
    let class = roots_v1::SnapshotClass {
        driver: "d".into(),
        status: Some("up".into()),
        ..Default::default()
    };
    assert_eq!(class.driver, "d");
    let written = serde_json::to_value(&class).unwrap();
    assert_eq!(
        written,
        json!({"apiVersion": "roots.example.com/v1", "kind": "SnapshotClass", "metadata": {}, "driver": "d", "status": "up"})
    );
    assert_eq!(
        (roots_v1::Postgresql::KIND, roots_v1::Postgresql::PLURAL),
        ("postgresql", "postgresqls")
    );
    assert_eq!(
        (roots_v1::ArgoCDExport::KIND, roots_v1::ArgoCDExport::PLURAL),
        ("ArgoCDExport", "argocd-exports")
    );
    assert_eq!(roots_v1::SnapshotClass::SHORT_NAMES, ["sc", "scs"]);
    assert_eq!(roots_v1::SnapshotClass::SINGULAR, "snapshotclass");
    let export: roots_v1::ArgoCDExport =
        serde_json::from_str(r#"{"kind": "ArgoCDExport", "free": [1]}"#).unwrap();
    assert_eq!(export.rest["free"].get(), "[1]");
}

#[test]
fn versions_stand_on_their_own() {
    let _: Option<Str> = versions_old::ScalerSpec::default().size;
    let _: Option<i64> = versions_v1beta1::ScalerSpec::default().size;
    let spec = versions_v1::Scaler::default().spec;
    // Required, and filled in by the server: it need not be given.
    let _: Option<i32> = spec.replicas;
    assert_eq!(versions_v1::Scaler::API_VERSION, "versions.example.com/v1");
}

/// The methods of handles, which the compiler checks: a scale where there is one.
#[allow(dead_code, reason = "compiled, not run")]
async fn subresources(clientset: &kubeloom_shapes::Clientset) -> kubeloom_rest::Result<()> {
    let scalers = clientset.versions_v1().scalers("default");
    let mut scale = scalers.get_scale("a").await?;
    scale.spec.replicas = 3;
    scalers.update_scale("a", &scale).await?;
    scalers.update_status(&versions_v1::Scaler::default()).await?;
    let classes = clientset.roots_v1().classes();
    classes.list().await?;
    Ok(())
}

mod kubeloom_rest {
    pub(crate) type Result<T> = std::result::Result<T, kubeloom::Error>;
}

#[test]
fn rules_are_checked_without_a_server() {
    use rules_v1::{RuledPort, RuledSpec};
    let broken = |spec: RuledSpec| match spec.validate() {
        Ok(()) => String::new(),
        Err(invalid) => invalid.to_string(),
    };
    let port = |number, protocol: &str| RuledPort {
        number,
        protocol: Some(protocol.into()),
    };
    for (spec, expected) in [
        (
            RuledSpec {
                min: Some(0),
                ..Default::default()
            },
            "",
        ),
        (RuledSpec::default(), "fewer than 1 fields are set"),
        (
            RuledSpec {
                min: Some(-1),
                ..Default::default()
            },
            "min: -1 is less than 0",
        ),
        (
            RuledSpec {
                max: Some(100),
                ..Default::default()
            },
            "max: 100 is not below 100",
        ),
        (
            RuledSpec {
                step: Some(0.75),
                ..Default::default()
            },
            "step: 0.75 is no multiple of 0.5",
        ),
        (
            RuledSpec {
                name: Some("a".into()),
                ..Default::default()
            },
            "name: \"a\" is shorter than 2",
        ),
        (
            RuledSpec {
                name: Some("größer".into()),
                ..Default::default()
            },
            "name: \"größer\" is longer than 5; name: \"größer\" does not match ^[a-z]+$",
        ),
        (
            RuledSpec {
                address: Some("1.2.3".into()),
                ..Default::default()
            },
            "address: \"1.2.3\" is no ipv4",
        ),
        (
            RuledSpec {
                at: Some(DateTime::from("soon")),
                ..Default::default()
            },
            "at: \"soon\" is no date-time",
        ),
        (
            RuledSpec {
                tags: Some(vec![]),
                ..Default::default()
            },
            "tags: 0 items, at least 1 are needed",
        ),
        (
            RuledSpec {
                tags: Some(vec!["a".into(), "long".into(), "a".into()]),
                ..Default::default()
            },
            "tags: item 2 is item 0 once more; tags[1]: \"long\" is longer than 3",
        ),
        (
            RuledSpec {
                ports: Some(vec![port(1, "TCP"), port(1, "UDP"), port(1, "TCP")]),
                ..Default::default()
            },
            "ports: item 2 is item 0 once more",
        ),
        (
            RuledSpec {
                labels: Some(map([("a", "long")])),
                ..Default::default()
            },
            "labels[\"a\"]: \"long\" does not match ^.{0,3}$",
        ),
    ] {
        assert_eq!(broken(spec), expected);
    }
    let secret = RuledSpec {
        secret: Some("hush".into()),
        ..Default::default()
    };
    assert!(!format!("{secret:?}").contains("hush"));
}

#[test]
fn facts_stand_in_the_tables() {
    use kubeloom::record::Check;
    let spec = rules_v1::RuledSpec::default();
    let rules = spec.table().rules;
    let has = |field: &str, check: Check| {
        rules
            .iter()
            .any(|rule| rule.field == field && rule.check == check)
    };
    assert!(has("", Check::Cel("self.min <= self.max", "min is above max")));
    assert!(has("ports", Check::ListMap(&["number", "protocol"])));
    assert!(has("tags", Check::ListSet));
    let defaulted = defaults_v1::DefaultedSpec::default();
    let rules = defaulted.table().rules;
    let defaults: Vec<_> = rules
        .iter()
        .filter_map(|rule| match rule.check {
            Check::Default(json) => Some((rule.field, serde_json::from_str::<Value>(json).unwrap())),
            _ => None,
        })
        .collect();
    assert!(
        defaults.contains(&("text", json!("a \"b\" \\ c"))),
        "{defaults:?}"
    );
    assert!(defaults.contains(&("list", json!(["*"]))));
    assert_eq!(defaults.len(), 7);
}
