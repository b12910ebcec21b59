//! A schema of OpenAPI v2 or v3.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::model::{Object, Schema, Shape};
use super::type_name;
use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// Reads a schema. What is not understood is any JSON.
pub(super) fn schema(value: &Value, at: &Location, report: &mut Report) -> Schema {
    let Value::Object(map) = value else {
        // `true` is the schema of everything.
        if !value.is_boolean() {
            let message = format!("a schema must be an object, this is {}", type_name(value));
            report.push(Diagnostic::new(Code::Malformed, at.clone(), message));
        }
        return any();
    };
    let (kind, null) = type_of(map);
    let nullable = null || map.get("nullable").and_then(Value::as_bool).unwrap_or(false);
    Schema {
        description: map.get("description").and_then(Value::as_str).map(str::to_owned),
        shape: shape(map, kind, at, report),
        nullable,
        sensitive: false,
    }
}

fn any() -> Schema {
    Schema {
        description: None,
        shape: Shape::Any,
        nullable: false,
        sensitive: false,
    }
}

/// The `type`, which OpenAPI 3.1 allows to be a list with `null` in it.
fn type_of(map: &Map<String, Value>) -> (Option<&str>, bool) {
    match map.get("type") {
        Some(Value::String(kind)) => (Some(kind), false),
        Some(Value::Array(kinds)) => {
            let null = kinds.iter().any(|kind| kind == "null");
            let mut others = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|kind| *kind != "null");
            match (others.next(), others.next()) {
                (Some(kind), None) => (Some(kind), null),
                _ => (None, null),
            }
        }
        _ => (None, false),
    }
}

fn shape(map: &Map<String, Value>, kind: Option<&str>, at: &Location, report: &mut Report) -> Shape {
    let flag = |key: &str| map.get(key).and_then(Value::as_bool).unwrap_or(false);
    let format = map.get("format").and_then(Value::as_str);
    if let Some(reference) = map.get("$ref") {
        return reference_to(reference, &at.at("$ref"), report);
    }
    if flag("x-kubernetes-int-or-string") || format == Some("int-or-string") {
        return Shape::IntOrString;
    }
    if flag("x-kubernetes-embedded-resource") {
        return Shape::Any;
    }
    match kind {
        Some("object") => object(map, at, report),
        Some("array") => {
            let items = map
                .get("items")
                .map(|items| Box::new(schema(items, &at.at("items"), report)));
            Shape::List(items)
        }
        Some("string") => match format {
            Some("date-time") => Shape::DateTime,
            Some("byte") => Shape::Bytes,
            _ => Shape::String,
        },
        Some("integer") if format == Some("int32") => Shape::Int32,
        Some("integer") => Shape::Int64,
        Some("number") => Shape::Number,
        Some("boolean") => Shape::Boolean,
        Some(other) => {
            let message = format!("the type {other:?} is unknown; it is taken as any JSON");
            report.push(Diagnostic::new(Code::UnknownType, at.at("type"), message));
            Shape::Any
        }
        None if map.contains_key("properties") => object(map, at, report),
        None => wrapped(map, at, report),
    }
}

/// OpenAPI v3 wraps a reference that has siblings as `allOf: [{$ref}]`.
fn wrapped(map: &Map<String, Value>, at: &Location, report: &mut Report) -> Shape {
    match map.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => schema(only, &at.at("allOf").at("0"), report).shape,
        _ => Shape::Any,
    }
}

fn object(map: &Map<String, Value>, at: &Location, report: &mut Report) -> Shape {
    let mut object = Object::default();
    match map.get("properties") {
        Some(Value::Object(properties)) => {
            let at = at.at("properties");
            for (name, value) in properties {
                object
                    .properties
                    .insert(name.clone(), schema(value, &at.at(name), report));
            }
        }
        Some(Value::Null) | None => {}
        Some(other) => {
            let message = format!("`properties` must be an object, this is {}", type_name(other));
            report.push(Diagnostic::new(Code::Malformed, at.at("properties"), message));
        }
    }
    let required = map
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    object.required = required
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect::<BTreeSet<_>>();
    match map.get("additionalProperties") {
        Some(value @ Value::Object(_)) => {
            object.additional = Some(Box::new(schema(value, &at.at("additionalProperties"), report)));
        }
        Some(Value::Bool(open)) => object.open = *open,
        _ => {}
    }
    object.open |= map
        .get("x-kubernetes-preserve-unknown-fields")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    Shape::Object(object)
}

fn reference_to(reference: &Value, at: &Location, report: &mut Report) -> Shape {
    match reference.as_str().and_then(local) {
        Some(name) => Shape::Ref(name),
        None => {
            let message = format!("{reference} is no reference into this document");
            report.push(Diagnostic::new(Code::DanglingRef, at.clone(), message));
            Shape::Any
        }
    }
}

/// The definition that a reference names.
pub(super) fn local(reference: &str) -> Option<String> {
    let name = reference
        .strip_prefix("#/components/schemas/")
        .or_else(|| reference.strip_prefix("#/definitions/"))?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}
