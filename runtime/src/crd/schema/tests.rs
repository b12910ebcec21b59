//! Rust types of every shape, and the schemas that servers take.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{list_map, of, rule};
use crate::meta::ObjectMeta;
use crate::value::{IntOrString, Map, Quantity, RawJson, Time};

/// The schema of a type, without what `skip` names.
#[track_caller]
fn schema<T: JsonSchema>() -> Value {
    Value::Object(of::<T>().unwrap().as_map().clone())
}

#[track_caller]
fn check<T: JsonSchema>(expected: Value) {
    assert_eq!(schema::<T>(), expected);
}

#[derive(Serialize, Deserialize, JsonSchema, Default)]
struct Inner {
    /// The size.
    x: i32,
    y: Option<String>,
}

fn inner() -> Value {
    json!({"type": "object", "required": ["x"], "properties": {
        "x": {"type": "integer", "format": "int32", "description": "The size."},
        "y": {"type": "string", "nullable": true}}})
}

fn inner_with(key: &str, value: Value) -> Value {
    let mut schema = inner();
    schema[key] = value;
    schema
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Unit {
    A,
    B,
}

/// A mode.
#[derive(Serialize, Deserialize, JsonSchema)]
enum Documented {
    /// The first.
    A,
    B,
    /// The last.
    C,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    N(Inner),
    /// A struct.
    S {
        a: i32,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Mixed {
    Plain,
    N(Inner),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "tag")]
enum Internal {
    Unit,
    N(Inner),
    Left { a: i32 },
    Right { a: i32, b: bool },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    U,
    N(Inner),
    I(i32),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    N(Inner),
    S { a: i32 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum AnyShape {
    I(i32),
    L(Vec<String>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum NumberOrText {
    I(i32),
    S(String),
}

#[test]
fn enums_of_units_are_texts() {
    check::<Unit>(json!({"type": "string", "enum": ["A", "B"]}));
    check::<Documented>(json!({"type": "string", "description": "A mode.", "enum": ["B", "A", "C"]}));
}

#[test]
fn optional_enums_are_nullable_and_nothing_else() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Options {
        #[serde(skip_serializing_if = "Option::is_none")]
        unit: Option<Unit>,
        /// Which.
        #[serde(skip_serializing_if = "Option::is_none")]
        documented: Option<Documented>,
        data: Option<External>,
        written: Option<Unit>,
    }
    let schema = schema::<Options>();
    // Servers refuse `null` in an enum, and the type writes it.
    assert_eq!(
        schema["properties"]["written"],
        json!({"type": "string", "nullable": true, "anyOf": [{"enum": ["A", "B"]}]})
    );
    let properties = &schema["properties"];
    assert_eq!(
        properties["unit"],
        json!({"type": "string", "enum": ["A", "B"], "nullable": true})
    );
    assert_eq!(
        properties["documented"],
        json!({"type": "string", "description": "Which.", "enum": ["B", "A", "C"], "nullable": true})
    );
    let data = &properties["data"];
    assert_eq!(
        (&data["type"], &data["nullable"]),
        (&json!("object"), &json!(true))
    );
    assert_eq!(data["oneOf"], json!([{"required": ["N"]}, {"required": ["S"]}]));
    assert_eq!((data.get("anyOf"), schema.get("required")), (None, None));
}

#[test]
fn data_of_external_variants_is_hoisted() {
    check::<External>(
        json!({"type": "object", "oneOf": [{"required": ["N"]}, {"required": ["S"]}], "properties": {
        "N": inner(),
        "S": {"type": "object", "description": "A struct.", "required": ["a"],
            "properties": {"a": {"type": "integer", "format": "int32"}}}}}),
    );
    check::<Mixed>(json!({"x-kubernetes-preserve-unknown-fields": true}));
}

#[test]
fn tags_are_enums_and_variants_require_their_fields() {
    check::<Internal>(json!({"type": "object", "required": ["tag"],
        "properties": {
            "tag": {"type": "string", "enum": ["Unit", "N", "Left", "Right"]},
            "x": {"type": "integer", "format": "int32", "description": "The size."},
            "y": {"type": "string", "nullable": true},
            "a": {"type": "integer", "format": "int32"},
            "b": {"type": "boolean"}},
        "oneOf": [
            {"properties": {"tag": {"enum": ["Unit"]}}},
            {"properties": {"tag": {"enum": ["N"]}}, "required": ["x"]},
            {"properties": {"tag": {"enum": ["Left"]}}, "required": ["a"]},
            {"properties": {"tag": {"enum": ["Right"]}}, "required": ["a", "b"]}]}));
    let adjacent = schema::<Adjacent>();
    assert_eq!(
        adjacent["properties"]["c"],
        json!({"x-kubernetes-preserve-unknown-fields": true})
    );
    assert_eq!(adjacent["required"], json!(["t"]));
    assert_eq!(
        adjacent["oneOf"][1],
        json!({"properties": {"t": {"enum": ["N"]}}, "required": ["c"]})
    );
}

#[test]
fn untagged_variants_are_told_apart_by_what_they_require() {
    let untagged = schema::<Untagged>();
    assert_eq!(
        untagged["anyOf"],
        json!([{"required": ["x"]}, {"required": ["a"]}])
    );
    assert_eq!(
        (untagged.get("required"), &untagged["type"]),
        (None, &json!("object"))
    );
    check::<AnyShape>(json!({"x-kubernetes-preserve-unknown-fields": true}));
    check::<NumberOrText>(json!({"x-kubernetes-int-or-string": true}));
}

#[test]
fn flattened_parts_stand_beside_the_others() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Flat {
        name: String,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        choice: External,
        #[serde(flatten)]
        rest: HashMap<String, Value>,
    }
    let flat = schema::<Flat>();
    let names: Vec<&String> = flat["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["N", "S", "name", "x", "y"]);
    assert_eq!(flat["required"], json!(["name", "x"]));
    assert_eq!(flat["oneOf"], json!([{"required": ["N"]}, {"required": ["S"]}]));
    assert_eq!(flat["x-kubernetes-preserve-unknown-fields"], json!(true));
    assert_eq!(flat.get("additionalProperties"), None);

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Optional {
        name: String,
        #[serde(flatten)]
        choice: Option<Internal>,
        #[serde(flatten)]
        more: Option<Inner>,
    }
    let optional = schema::<Optional>();
    assert_eq!(optional["required"], json!(["name"]));
    assert_eq!((optional.get("oneOf"), optional.get("anyOf")), (None, None));
    assert_eq!(
        optional["properties"]["tag"]["enum"],
        json!(["Unit", "N", "Left", "Right"])
    );

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Two {
        #[serde(flatten)]
        one: External,
        #[serde(flatten)]
        other: Internal,
    }
    let two = schema::<Two>();
    let count = two["oneOf"].as_array().unwrap().len() + two["allOf"][0]["oneOf"].as_array().unwrap().len();
    assert_eq!(count, 6);
}

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
