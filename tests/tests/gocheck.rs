//! What Kubeloom writes of every built-in kind, Go reads strictly and writes the same.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod builtin;

use std::collections::BTreeSet;

use builtin::{first_difference, for_each_object, kinds};
use kubeloom::record::{self, Record, View};
use kubeloom::wire::{self, Format};
use kubeloom_tests::arbitrary::{Bound, Kind};
use kubeloom_tests::gocheck::{Answer, GoCheck};
use serde_json::{Value, json};

/// Kinds without a Go type in the schemes of client-go, apiextensions-apiserver and kube-aggregator: none.
const UNKNOWN_TO_GO: &[&str] = &[];

/// Lists that Go does not have: their kinds are reviews and bindings, which no server keeps.
const WITHOUT_LIST: &[&str] = &[
    "authentication.k8s.io/v1/SelfSubjectReviewList",
    "authentication.k8s.io/v1/TokenReviewList",
    "authorization.k8s.io/v1/LocalSubjectAccessReviewList",
    "authorization.k8s.io/v1/SelfSubjectAccessReviewList",
    "authorization.k8s.io/v1/SelfSubjectRulesReviewList",
    "authorization.k8s.io/v1/SubjectAccessReviewList",
    "v1/BindingList",
];

/// Has Go rewrite an object from our JSON and from our protobuf, and compares what comes back with what was sent.
///
/// From JSON Go must write the same JSON value and the same protobuf bytes. From protobuf too, but for `apiVersion` and
/// `kind` of objects within objects (items of a list, templates of volume claims): protobuf has them in the envelope
/// alone, so Go has no more of them to write, whereas ours come from the type. And the items of an empty list are nil to
/// Go when they come from protobuf, which it writes as `null`; we write `[]` always, as servers do.
fn check(go: &mut GoCheck, kind: &Kind, seed: u64) -> Result<(), String> {
    let object = kind.object(seed, Bound::Go);
    let encode =
        |format| wire::encode(object.as_ref(), format).map_err(|error| format!("{format:?}: {error}"));
    let (json, protobuf) = (encode(Format::Json)?, encode(Format::Protobuf)?);
    for (format, body) in [(Format::Json, &json), (Format::Protobuf, &protobuf)] {
        let answer = go
            .ask(kind.api_version, &kind.kind, format, body)
            .map_err(|error| format!("{error:#}"))?;
        let (go_json, go_protobuf) = match answer {
            Answer::Rewritten { json, protobuf } => (json, protobuf),
            other => return Err(format!("Go does not take our {format:?}: {other:?}")),
        };
        let mut expected = parse(&json)?;
        if format == Format::Protobuf {
            strip_inner_types(View::Record(object.as_ref()), &mut expected, true);
            if kind.is_list && expected["items"] == json!([]) {
                expected["items"] = Value::Null;
            }
        }
        if let Some(difference) = json_difference(&expected, &parse(&go_json)?, "$") {
            return Err(format!("Go's JSON from our {format:?}: {difference}"));
        }
        if go_protobuf != protobuf {
            let difference = first_difference(&protobuf, &go_protobuf);
            return Err(format!("Go's protobuf from our {format:?}: {difference}"));
        }
        let back = kind
            .decode(Format::Json, &go_json)
            .map_err(|error| format!("Go's JSON: {error}"))?;
        if !record::equal(back.as_ref(), object.as_ref()) {
            return Err(format!("Go's JSON from our {format:?} is another object to us"));
        }
    }
    let back = kind
        .decode(Format::Protobuf, &protobuf)
        .map_err(|error| format!("Go's protobuf: {error}"))?;
    match record::equal(back.as_ref(), object.as_ref()) {
        true => Ok(()),
        false => Err("Go's protobuf is another object to us".to_owned()),
    }
}

fn parse(json: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}

/// Takes `apiVersion` and `kind` out of the objects within an object, which stand where its records say so.
fn strip_inner_types(view: View<'_>, json: &mut Value, outermost: bool) {
    match (view, json) {
        (View::Record(record), Value::Object(fields)) => {
            if record.type_meta().is_some() && !outermost {
                fields.remove("apiVersion");
                fields.remove("kind");
            }
            strip_fields(record, fields);
        }
        (View::List(list), Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                strip_inner_types(list.at(index), item, false);
            }
        }
        (View::Map(map), Value::Object(entries)) => {
            for (key, value) in entries {
                strip_inner_types(map.get(key).unwrap_or(View::Absent), value, false);
            }
        }
        (View::Choice(choice), json) => strip_inner_types(choice.arm().1, json, false),
        _ => {}
    }
}

fn strip_fields(record: &dyn Record, json: &mut serde_json::Map<String, Value>) {
    for (index, field) in record.table().fields.iter().enumerate() {
        if let Some(value) = json.get_mut(field.json) {
            strip_inner_types(record.view(index), value, false);
        }
    }
}

/// Where two JSON values differ first. Numbers are what they count: `1e2` is `100`.
fn json_difference(ours: &Value, go: &Value, path: &str) -> Option<String> {
    match (ours, go) {
        (Value::Object(ours), Value::Object(go)) => {
            let names: BTreeSet<_> = ours.keys().chain(go.keys()).collect();
            names
                .into_iter()
                .find_map(|name| match (ours.get(name), go.get(name)) {
                    (Some(ours), Some(go)) => json_difference(ours, go, &format!("{path}.{name}")),
                    (Some(ours), None) => Some(format!("{path}.{name} is {ours}, absent in Go's")),
                    (None, go) => Some(format!(
                        "{path}.{name} is absent, {} in Go's",
                        go.unwrap_or(&Value::Null)
                    )),
                })
        }
        (Value::Array(ours), Value::Array(go)) if ours.len() == go.len() => {
            let mut pairs = ours.iter().zip(go).enumerate();
            pairs.find_map(|(index, (ours, go))| json_difference(ours, go, &format!("{path}[{index}]")))
        }
        (Value::Number(a), Value::Number(b)) if a == b || (is_float(a, b) && a.as_f64() == b.as_f64()) => {
            None
        }
        _ if ours == go => None,
        _ => Some(format!("{path} is {ours}, {go} in Go's")),
    }
}

/// Whether one of two numbers is written as a float; integers are compared as such.
fn is_float(one: &serde_json::Number, other: &serde_json::Number) -> bool {
    one.is_f64() || other.is_f64()
}

fn is_registered(go: &mut GoCheck, kind: &Kind) -> bool {
    let body = wire::encode(kind.empty().as_ref(), Format::Json).unwrap();
    go.ask(kind.api_version, &kind.kind, Format::Json, &body).unwrap() != Answer::Unregistered
}

#[test]
fn go_writes_every_kind_as_we_do() {
    let Some(mut go) = GoCheck::start().unwrap() else {
        kubeloom_tests::go::skipped("go_writes_every_kind_as_we_do");
        return;
    };
    let (known, unknown): (Vec<_>, Vec<_>) =
        kinds().into_iter().partition(|kind| is_registered(&mut go, kind));
    let (lists, objects): (Vec<_>, Vec<_>) = unknown.iter().partition(|kind| kind.is_list);
    let names = |kinds: &[&Kind]| {
        let mut names: Vec<_> = kinds.iter().map(ToString::to_string).collect();
        names.sort();
        names
    };
    assert_eq!(names(&objects), UNKNOWN_TO_GO, "kinds unknown to Go");
    assert_eq!(names(&lists), WITHOUT_LIST, "lists unknown to Go");
    assert!(known.len() > 150, "{} kinds", known.len());

    for_each_object(&known, |kind, seed| check(&mut go, kind, seed));
}

#[test]
fn go_refuses_what_is_wrong() {
    let Some(mut go) = GoCheck::start().unwrap() else {
        kubeloom_tests::go::skipped("go_refuses_what_is_wrong");
        return;
    };
    let cases: [(&str, &str, Format, &[u8], &str); 5] = [
        (
            "v1",
            "Pod",
            Format::Json,
            br#"{"apiVersion":"v1","kind":"Pod","spec":{"nodename":"a"}}"#,
            "unknown field",
        ),
        (
            "v1",
            "Pod",
            Format::Json,
            br#"{"apiVersion":"v1","kind":"Pod","spec":{},"spec":{}}"#,
            "duplicate field",
        ),
        (
            "v1",
            "Pod",
            Format::Json,
            br#"{"apiVersion":"v1","kind":"Node"}"#,
            "not a /v1, Kind=Pod",
        ),
        ("v1", "Pod", Format::Json, b"{", "decode json"),
        ("v1", "Pod", Format::Protobuf, b"k8s\0\x0a", "decode protobuf"),
    ];
    for (api_version, kind, format, body, expected) in cases {
        match go.ask(api_version, kind, format, body).unwrap() {
            Answer::Refused(words) => assert!(words.contains(expected), "{words}"),
            other => panic!("{}: {other:?}", String::from_utf8_lossy(body)),
        }
    }
    assert_eq!(
        go.ask("v1", "Prod", Format::Json, b"{}").unwrap(),
        Answer::Unregistered
    );
}
