//! Rust types of every shape, and the schemas that servers take.

mod values;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::of;

/// The schema of a type.
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
