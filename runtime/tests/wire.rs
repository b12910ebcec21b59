//! Records through every encoding: what is lenient on the way in, and what is exact on the way out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail as tests do"
)]

use kubeloom::generated::*;
use kubeloom::wire::{self, Format, Wire};
use serde_json::{Value, json};

#[derive(Clone, Default)]
struct Secret {
    metadata: ObjectMeta,
    data: Map<ByteString>,
    immutable: Option<bool>,
    type_: Str,
}
record! { Secret = "v1" "Secret" {
    0 metadata "metadata" [1] KEEP;
    1 data "data" [2] OMIT | SENSITIVE;
    2 immutable "immutable" [5] OPT;
    3 type_ "type" [3] OMIT;
} }

#[derive(Clone, Default)]
struct Volume {
    name: Str,
    host_path: Option<Box<HostPath>>,
    cursor: Option<Box<HostPath>>,
}
record! { Volume {
    0 name "name" [1] KEEP;
    1 host_path "hostPath" [2, 1] OPT;
    2 cursor "cursor" [2, 9] OPT;
} }

#[derive(Clone, Default)]
struct HostPath {
    path: Str,
}
record! { HostPath { 0 path "path" [1] KEEP; } }

#[derive(Clone, Default)]
struct Everything {
    replicas: Option<i32>,
    count: i32,
    big: i64,
    ratio: Option<f64>,
    ready: bool,
    names: Vec<Str>,
    required: Vec<Str>,
    volumes: Vec<Volume>,
    limits: Map<Quantity>,
    extra: Map<Vec<Str>>,
    port: IntOrString,
    optional_port: Option<IntOrString>,
    since: Time,
    until: Option<MicroTime>,
    every: Option<Duration>,
    template: RawJson,
    selector: Option<Box<LabelSelector>>,
    numbers: Vec<i32>,
    schema: Option<OrBool<HostPath>>,
    items: Option<OrArray<HostPath>>,
    nested: Map<Map<Vec<i64>>>,
    missing: Option<Str>,
}
record! { Everything {
    0 replicas "replicas" [1] OPT;
    1 count "count" [2] KEEP;
    2 big "big" [3] OMIT;
    3 ratio "ratio" [4] OPT;
    4 ready "ready" [5] OMIT;
    5 names "names" [6] OMIT;
    6 required "required" [7] NIL;
    7 volumes "volumes" [8] OMIT;
    8 limits "limits" [9] OMIT;
    9 extra "extra" [10] OMIT;
    10 port "port" [11] KEEP;
    11 optional_port "optionalPort" [12] OPT;
    12 since "since" [13] OMIT;
    13 until "until" [14] OPT;
    14 every "every" [15] OPT;
    15 template "template" [16] OMIT;
    16 selector "selector" [17] NIL;
    17 numbers "numbers" [18] OMIT;
    18 schema "schema" [19] OPT;
    19 items "items" [20] OPT;
    20 nested "nested" [21] OMIT;
    21 missing "missing" [22] NULL;
} }

#[derive(Clone, Default)]
struct Free {
    known: Option<Str>,
    rest: Map<RawJson>,
}
record! { Free { 0 known "known" [] OPT; rest rest; } }

fn decode<T: Wire>(value: &Value) -> T {
    T::decode(Format::Json, value.to_string().as_bytes()).unwrap()
}

fn json_of<T: Wire>(object: &T) -> Value {
    serde_json::from_slice(&object.encode(Format::Json).unwrap()).unwrap()
}

fn full() -> Value {
    json!({
        "replicas": 0, "count": 0, "big": -9_007_199_254_740_993_i64, "ratio": 0.5, "ready": true,
        "names": ["a", ""], "required": ["x"],
        "volumes": [{"name": "v", "hostPath": {"path": "/"}}, {"name": ""}],
        "limits": {"cpu": "100m", "memory": "1024Mi"}, "extra": {"a": ["1", "2"], "b": []},
        "port": "http", "optionalPort": 8080, "since": "2026-01-02T03:04:05Z",
        "until": "2026-01-02T03:04:05.000006Z", "every": "1h0m0s", "template": {"z": [1, {"a": null}]},
        "selector": {"matchLabels": {"app": "web"}}, "numbers": [1, -1, 2_147_483_647],
        "schema": {"path": "p"}, "items": [{"path": "a"}, {"path": "b"}],
        "nested": {"m": {"n": [1, 2]}}, "missing": null,
    })
}

#[test]
fn every_kind_of_field_round_trips_through_every_format() {
    let object: Everything = decode(&full());
    assert_eq!(json_of(&object), full());
    for format in [Format::Json, Format::Yaml, Format::Protobuf, Format::Cbor] {
        let bytes = object.encode(format).unwrap();
        let back = Everything::decode(format, &bytes).unwrap();
        assert_eq!(back, object, "{format:?}");
        assert_eq!(back.encode(format).unwrap(), bytes, "{format:?}");
    }
    let mut cbor = Vec::new();
    ciborium::into_writer(&object, &mut cbor).unwrap();
    let back: Everything = ciborium::from_reader(&cbor[..]).unwrap();
    assert_eq!(back, object);
}

#[test]
fn an_empty_object_is_written_as_go_writes_it() {
    assert_eq!(
        json_of(&Everything::default()),
        json!({"count": 0, "required": null, "port": 0, "selector": null, "missing": null})
    );
    let empty: Everything = decode(&json!({}));
    assert_eq!(empty, Everything::default());
}

#[test]
fn raw_json_that_is_empty_is_not_absent() {
    for raw in [json!({}), json!([]), json!(""), json!(0), json!(false)] {
        let object: Everything = decode(&json!({"template": raw}));
        for format in [Format::Json, Format::Yaml, Format::Protobuf, Format::Cbor] {
            let back = Everything::decode(format, &object.encode(format).unwrap()).unwrap();
            assert_eq!(json_of(&back)["template"], raw, "{format:?}");
        }
    }
}

#[test]
fn null_anywhere_equals_absent() {
    let names = full();
    let nulls: Value = names
        .as_object()
        .unwrap()
        .keys()
        .map(|key| (key.clone(), Value::Null))
        .collect();
    assert_eq!(decode::<Everything>(&nulls), Everything::default());
    let items =
        decode::<Everything>(&json!({"names": [null, "a"], "volumes": [null], "limits": {"cpu": null}}));
    assert_eq!(items.names, ["", "a"]);
    assert_eq!(items.volumes, [Volume::default()]);
    assert_eq!(items.limits["cpu"], Quantity::default());
}

#[test]
fn a_null_value_of_a_secret_keeps_its_key() {
    let secret: Secret = decode(&json!({"data": {"tls.crt": null, "tls.key": "aGk="}}));
    assert_eq!(secret.data.len(), 2);
    assert!(secret.data["tls.crt"].is_empty());
    assert_eq!(&secret.data["tls.key"][..], b"hi");
}

#[test]
fn the_type_says_kind_and_api_version_not_the_wire() {
    let secret: Secret =
        decode(&json!({"kind": "Other", "apiVersion": "v9", "type": "Opaque", "later": {"a": [1]}}));
    assert_eq!(
        json_of(&secret),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {}, "type": "Opaque"})
    );
}

#[test]
fn debug_hides_what_is_sensitive() {
    let secret: Secret = decode(&json!({"metadata": {"name": "s"}, "data": {"password": "aHVudGVyMg=="}}));
    let text = format!("{secret:?} {secret:#?}");
    assert!(text.contains("\"s\"") && text.contains("data"), "{text}");
    assert!(
        !text.contains("hunter2") && !text.contains("aHVudGVyMg") && !text.contains("password"),
        "{text}"
    );
}

#[test]
fn errors_never_show_the_value() {
    for body in [
        r#"{"data": {"a": "hunter2!"}}"#,
        r#"{"data": "hunter2"}"#,
        r#"{"immutable": "hunter2"}"#,
    ] {
        let error = Secret::decode(Format::Json, body.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn free_fields_survive_beside_known_ones() {
    let value = json!({"known": "k", "other": {"deep": [1, null]}, "x": null});
    let object: Free = decode(&value);
    assert_eq!(object.rest.len(), 2);
    assert_eq!(json_of(&object), value);
}

#[test]
fn inlined_structs_are_messages_in_protobuf_and_always_there() {
    let volume: Volume = decode(&json!({"name": "v", "hostPath": {"path": "/"}}));
    let message = wire::write_message(&volume).unwrap();
    assert_eq!(message, [0x0a, 1, b'v', 0x12, 5, 0x0a, 3, 0x0a, 1, b'/']);
    assert_eq!(
        wire::write_message(&Volume::default()).unwrap(),
        [0x0a, 0, 0x12, 0]
    );
}

#[test]
fn malformed_input_is_an_error() {
    for body in [
        "",
        "[]",
        "{",
        "{\"count\":",
        "{\"count\":\"x\"}",
        "{\"count\":3000000000}",
        "{} {}",
        "null x",
    ] {
        assert!(
            Everything::decode(Format::Json, body.as_bytes()).is_err(),
            "{body:?}"
        );
    }
    let whole = decode::<Everything>(&full()).encode(Format::Protobuf).unwrap();
    for end in 0..whole.len() {
        // Cut anywhere: an error or a prefix of the fields, never a panic.
        let _ = Everything::decode(Format::Protobuf, &whole[..end]);
    }
    for (index, bit) in (0..whole.len()).flat_map(|index| (0..8).map(move |bit| (index, bit))) {
        let mut flipped = whole.clone();
        flipped[index] ^= 1 << bit;
        let _ = Everything::decode(Format::Protobuf, &flipped);
    }
}

#[test]
fn depth_is_limited() {
    #[derive(Clone, Default)]
    struct Node {
        next: Option<Box<Node>>,
    }
    record! { Node { 0 next "next" [1] OPT; } }
    let mut message = Vec::new();
    for _ in 0..100_000 {
        let mut outer = vec![0x0a];
        let mut length = message.len();
        while length >= 0x80 {
            outer.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        outer.push(length as u8);
        if message.len() > 3000 {
            break;
        }
        outer.extend_from_slice(&message);
        message = outer;
    }
    let mut body = b"k8s\0\x12".to_vec();
    body.extend([(message.len() & 0x7f) as u8 | 0x80, (message.len() >> 7) as u8]);
    body.extend_from_slice(&message);
    assert!(
        Node::decode(Format::Protobuf, &body)
            .unwrap_err()
            .to_string()
            .contains("nested deeper")
    );
    let json = format!("{}null{}", "{\"next\":".repeat(100_000), "}".repeat(100_000));
    assert!(Node::decode(Format::Json, json.as_bytes()).is_err());
}

#[test]
fn free_json_that_is_empty_is_not_absent() {
    for text in ["{}", "[]", "\"\"", "0", "false"] {
        let object = Everything {
            template: text.parse().unwrap(),
            ..Everything::default()
        };
        assert_eq!(json_of(&object)["template"].to_string(), text);
        for format in [Format::Json, Format::Yaml, Format::Protobuf, Format::Cbor] {
            let back = Everything::decode(format, &object.encode(format).unwrap()).unwrap();
            assert_eq!(back.template.get(), text, "{format:?}");
        }
    }
}

#[test]
fn floats_keep_sign_and_last_digit() {
    for ratio in [
        -0.0,
        1.430_449_733_979_68e-92,
        -3.627_485_534_177_917e226,
        1e20,
        5e-324,
        f64::MAX,
    ] {
        let object = Everything {
            ratio: Some(ratio),
            template: RawJson::from_serialize(&ratio).unwrap(),
            ..Everything::default()
        };
        for format in [Format::Json, Format::Yaml, Format::Protobuf, Format::Cbor] {
            let back = Everything::decode(format, &object.encode(format).unwrap()).unwrap();
            assert_eq!(
                back.ratio.map(f64::to_bits),
                Some(ratio.to_bits()),
                "{ratio:e} in {format:?}"
            );
            assert_eq!(
                back.template.get(),
                object.template.get(),
                "{ratio:e} in {format:?}"
            );
        }
    }
}

/// A kind whose serde is its own.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    #[serde(default, rename = "apiVersion", skip_serializing)]
    _api_version: String,
    #[serde(default, rename = "kind", skip_serializing)]
    _kind: String,
    metadata: ObjectMeta,
    color: Color,
    #[serde(default)]
    weights: std::collections::BTreeMap<String, f64>,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
enum Color {
    #[default]
    Red,
    Rgb(u8, u8, u8),
    Named {
        name: String,
    },
}

impl Resource for Own {
    type Scope = Cluster;
    const GROUP: &'static str = "own.example.com";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "own.example.com/v1";
    const KIND: &'static str = "Own";
    const PLURAL: &'static str = "owns";
    const SINGULAR: &'static str = "own";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
kubeloom::serde_object! { Own }

fn owns() -> Value {
    let own = |name: &str, color: Value| {
        json!({"apiVersion": "own.example.com/v1", "kind": "Own", "metadata": {"name": name}, "color": color,
            "weights": {"a": 0.5, "b": -1.0}})
    };
    json!({"apiVersion": "own.example.com/v1", "kind": "OwnList", "metadata": {"resourceVersion": "7"}, "items":
        [own("a", json!("Red")), own("b", json!({"Rgb": [1, 2, 3]})), own("c", json!({"Named": {"name": "\u{e4}"}}))]})
}

#[test]
fn foreign_kinds_are_items_in_every_format_but_protobuf() {
    let list: List<Own> = decode(&owns());
    assert_eq!(list.items[2].color, Color::Named { name: "ä".into() });
    assert_eq!(json_of(&list), owns());
    for format in [Format::Json, Format::Yaml, Format::Cbor] {
        let body = list.encode(format).unwrap();
        assert_eq!(List::<Own>::decode(format, &body).unwrap(), list, "{format:?}");
        let item = list.items[1].encode(format).unwrap();
        assert_eq!(Own::decode(format, &item).unwrap()._kind, "Own");
        for size in [1, 10, 100_000] {
            let mut reader = wire::ListReader::<Own>::new(format, wire::Mode::Strict);
            body.chunks(size).for_each(|piece| reader.push(piece).unwrap());
            assert_eq!(reader.finish().unwrap().0, list, "{format:?} in pieces of {size}");
        }
    }
    assert_eq!(serde_json::to_value(&list).unwrap(), owns());
    assert_eq!(serde_json::from_value::<List<Own>>(owns()).unwrap(), list);

    assert!(
        list.encode(Format::Protobuf)
            .unwrap_err()
            .to_string()
            .contains("protobuf")
    );
    assert!(
        list.items[0]
            .encode(Format::Protobuf)
            .unwrap_err()
            .to_string()
            .contains("protobuf")
    );
    assert!(Own::decode(Format::Protobuf, b"k8s\0").is_err());
    let mut meta = list.clone();
    meta.items.clear();
    let body = meta.encode(Format::Protobuf).unwrap();
    assert_eq!(List::<Own>::decode(Format::Protobuf, &body).unwrap(), meta);
    let things = json!({"items": [{"metadata": {"name": "a"}}]});
    let things = decode::<PartialObjectMetadataList>(&things);
    let things = things.encode(Format::Protobuf).unwrap();
    let error = List::<Own>::decode(Format::Protobuf, &things).unwrap_err();
    assert!(error.to_string().contains("without protobuf"), "{error}");
}

#[test]
fn a_foreign_item_that_does_not_fit_says_so_by_name() {
    for (key, value, said) in [
        ("color", json!("Blue"), "Blue"),
        ("weights", json!({"a": "heavy"}), "f64"),
        ("unknown", json!(1), "unknown"),
        ("metadata", json!([]), "object"),
    ] {
        let mut owns = owns();
        owns["items"][1][key] = value;
        let list: List<Own> = serde_json::from_str(&owns.to_string()).unwrap_or_default();
        assert!(list.items.is_empty(), "{key}");
        for format in [Format::Json, Format::Cbor] {
            let body = match format {
                Format::Json => owns.to_string().into_bytes(),
                _ => wire::encode_serde(&owns, format).unwrap(),
            };
            let mut reader = wire::ListReader::<Own>::new(format, wire::Mode::Lenient);
            body.chunks(9).for_each(|piece| reader.push(piece).unwrap());
            let (list, errors) = reader.finish().unwrap();
            assert_eq!(
                (list.items.len(), errors.len(), errors[0].index),
                (2, 1, 1),
                "{key}"
            );
            if key != "metadata" {
                assert_eq!(errors[0].name, "b");
            }
            assert!(errors[0].error.to_string().contains(said), "{}", errors[0].error);
            assert!(List::<Own>::decode(format, &body).is_err());
        }
    }
}

/// A record with a foreign field, as no generator writes it, but as the traits allow.
#[derive(Clone, Default)]
struct Holder {
    own: Own,
    more: Map<Own>,
}
record! { Holder { 0 own "own" [1] KEEP; 1 more "more" [2] OMIT; } }

#[test]
fn foreign_fields_are_compared_printed_and_kept() {
    let own = owns()["items"][1].clone();
    let holder: Holder = decode(&json!({"own": own, "more": {"x": own, "empty": null}}));
    assert_eq!(holder.own, holder.more["x"]);
    assert_eq!(holder.more["empty"], Own::default());
    assert!(format!("{holder:?}").contains("Rgb(1, 2, 3)"));
    for format in [Format::Json, Format::Yaml, Format::Cbor] {
        let back = Holder::decode(format, &holder.encode(format).unwrap()).unwrap();
        assert_eq!(back, holder, "{format:?}");
    }
    assert_ne!(holder, Holder::default());
    assert!(holder.encode(Format::Protobuf).is_err());
    assert!(wire::write_message(&holder).is_err());
}
