//! Collections, numbers, texts, defaults, rules, and what is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::{list_map, of, rule};
use super::{Inner, Unit, inner, inner_with, schema};
use crate::meta::ObjectMeta;
use crate::value::{IntOrString, Map, Quantity, RawJson, Time};

#[test]
fn maps_and_lists() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Collections {
        nested: BTreeMap<String, Vec<Inner>>,
        free: HashMap<String, Value>,
        ours: Map<Quantity>,
        numbered: BTreeMap<i32, String>,
        keyed: HashMap<String, Unit>,
        set: HashSet<String>,
        objects: BTreeSet<Vec<u8>>,
        tuple: (i32, i32),
        mixed: (i32, String, bool),
        array: [u8; 3],
    }
    let schema = schema::<Collections>();
    let properties = &schema["properties"];
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    for (name, values) in [
        ("nested", json!({"type": "array", "items": inner()})),
        ("free", any.clone()),
        ("numbered", json!({"type": "string"})),
        ("keyed", json!({"type": "string", "enum": ["A", "B"]})),
    ] {
        assert_eq!(
            properties[name],
            json!({"type": "object", "additionalProperties": values}),
            "{name}"
        );
    }
    assert_eq!(
        properties["ours"]["additionalProperties"]["x-kubernetes-int-or-string"],
        json!(true)
    );
    assert_eq!(
        properties["set"],
        json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"})
    );
    assert_eq!(properties["objects"].get("uniqueItems"), None);
    assert_eq!(properties["objects"].get("x-kubernetes-list-type"), None);
    let item = json!({"type": "integer", "format": "int32"});
    assert_eq!(
        properties["tuple"],
        json!({"type": "array", "items": item, "minItems": 2, "maxItems": 2})
    );
    assert_eq!(properties["mixed"]["items"], any);
    assert_eq!(properties["array"]["items"]["maximum"], json!(255));
}

#[test]
fn numbers_have_formats_that_servers_know() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Numbers {
        a: u8,
        b: i16,
        c: u32,
        d: u64,
        e: usize,
        f: f32,
        g: Option<u8>,
        h: std::num::NonZeroU16,
        #[schemars(range(min = 1, max = 5))]
        i: i32,
        #[schemars(extend("exclusiveMinimum" = 0))]
        j: f64,
        k: u128,
    }
    let schema = schema::<Numbers>();
    let rows = [
        (
            "a",
            json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 255}),
        ),
        (
            "b",
            json!({"type": "integer", "format": "int32", "minimum": -32768, "maximum": 32767}),
        ),
        ("c", json!({"type": "integer", "format": "int64", "minimum": 0})),
        ("d", json!({"type": "integer", "format": "int64", "minimum": 0})),
        ("e", json!({"type": "integer", "format": "int64", "minimum": 0})),
        ("f", json!({"type": "number", "format": "float"})),
        (
            "g",
            json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 255, "nullable": true}),
        ),
        (
            "h",
            json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535}),
        ),
        (
            "i",
            json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 5}),
        ),
        (
            "j",
            json!({"type": "number", "format": "double", "minimum": 0, "exclusiveMinimum": true}),
        ),
        ("k", json!({"type": "integer", "minimum": 0})),
    ];
    for (name, expected) in rows {
        assert_eq!(schema["properties"][name], expected, "{name}");
    }
}

#[test]
fn texts_and_our_own_types() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Values {
        #[schemars(length(min = 1, max = 5), regex(pattern = "^a$"))]
        text: String,
        #[schemars(inner(length(min = 1)))]
        list: Vec<String>,
        time: Time,
        port: IntOrString,
        memory: Quantity,
        raw: RawJson,
        /// Anything.
        any: Value,
        wait: crate::value::Duration,
        ip: std::net::IpAddr,
        v4: std::net::Ipv4Addr,
        bytes: crate::value::ByteString,
        object: crate::dynamic::DynamicObject,
        meta: ObjectMeta,
        unit: (),
        #[schemars(with = "String")]
        short: crate::Str,
    }
    let schema = schema::<Values>();
    let properties = &schema["properties"];
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    let rows = [
        (
            "text",
            json!({"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^a$"}),
        ),
        (
            "list",
            json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
        ),
        ("time", json!({"type": "string", "format": "date-time"})),
        ("port", json!({"x-kubernetes-int-or-string": true})),
        ("raw", any.clone()),
        (
            "any",
            json!({"x-kubernetes-preserve-unknown-fields": true, "description": "Anything."}),
        ),
        ("wait", json!({"type": "string", "format": "duration"})),
        ("ip", json!({"type": "string"})),
        ("v4", json!({"type": "string", "format": "ipv4"})),
        (
            "object",
            json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
        ),
        ("unit", json!({"type": "object", "nullable": true})),
        ("short", json!({"type": "string"})),
    ];
    for (name, expected) in rows {
        assert_eq!(properties[name], expected, "{name}");
    }
    assert!(properties["memory"]["pattern"].is_string());
    assert!(properties["bytes"]["pattern"].is_string());
    let meta = &properties["meta"]["properties"];
    assert_eq!(
        meta["labels"],
        json!({"type": "object", "additionalProperties": {"type": "string"}})
    );
    assert_eq!(
        meta["ownerReferences"]["items"]["properties"]["uid"],
        json!({"type": "string"})
    );
    assert_eq!(meta["managedFields"]["items"]["properties"]["fieldsV1"], any);
}

#[test]
fn defaults_are_written_where_they_say_something() {
    fn three() -> i32 {
        3
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Defaults {
        #[serde(default)]
        list: Vec<String>,
        #[serde(default)]
        text: String,
        #[serde(default)]
        flag: bool,
        #[serde(default = "three")]
        three: i32,
        #[serde(default)]
        inner: Inner,
        #[serde(default)]
        option: Option<i32>,
    }
    let schema = schema::<Defaults>();
    let default = |name: &str| schema["properties"][name].get("default").cloned();
    assert_eq!(
        (default("list"), default("text"), default("option")),
        (None, None, None)
    );
    assert_eq!(
        (default("flag"), default("three")),
        (Some(json!(false)), Some(json!(3)))
    );
    // Fields of the default that are null are absent.
    assert_eq!(default("inner"), Some(json!({"x": 0})));
    assert_eq!(schema.get("required"), None);
}

#[test]
fn rules_and_lists_by_key_are_kept_on_fields_and_types() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[schemars(transform = rule("self.x > 0").message("x is positive"))]
    #[serde(deny_unknown_fields)]
    struct Ruled {
        x: i32,
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Outer {
        #[schemars(transform = rule("self == oldSelf"))]
        fixed: Ruled,
        #[schemars(transform = list_map(&["x"]))]
        list: Vec<Ruled>,
        #[schemars(extend("x-kubernetes-map-type" = "atomic"))]
        map: Inner,
    }
    let schema = schema::<Outer>();
    let properties = &schema["properties"];
    let own = json!({"rule": "self.x > 0", "message": "x is positive"});
    assert_eq!(
        properties["fixed"]["x-kubernetes-validations"],
        json!([own, {"rule": "self == oldSelf"}])
    );
    assert_eq!(properties["fixed"].get("additionalProperties"), None);
    assert_eq!(properties["list"]["x-kubernetes-list-map-keys"], json!(["x"]));
    assert_eq!(
        properties["list"]["items"]["x-kubernetes-validations"],
        json!([own])
    );
    assert_eq!(
        properties["map"],
        inner_with("x-kubernetes-map-type", json!("atomic"))
    );
}

#[test]
fn what_has_no_schema_is_refused_with_a_way_out() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Node {
        name: String,
        children: Vec<Node>,
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Tree {
        root: Node,
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Ping {
        pong: Option<Box<Pong>>,
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Pong {
        ping: Option<Box<Ping>>,
    }
    let error = of::<Tree>().unwrap_err();
    assert!(error.is_recursion());
    assert_eq!(error.path().as_str(), "root.children[*]");
    assert!(
        error
            .to_string()
            .starts_with("Tree: root.children[*]: Node > Node contains itself"),
        "{error}"
    );
    assert!(error.to_string().contains("RawJson"), "{error}");
    let error = of::<Ping>().unwrap_err().to_string();
    assert!(error.contains("Ping > Pong > Ping contains itself"), "{error}");

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Odd {
        #[schemars(extend("contains" = true))]
        list: Vec<String>,
    }
    let error = of::<Odd>().unwrap_err().to_string();
    assert!(error.contains("list: servers know no `contains`"), "{error}");
}
