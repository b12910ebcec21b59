//! Single keywords of JSON Schema in the dialect of servers.

use serde_json::Value;

use super::node::{Json, Node};

/// Formats that servers check. Others are not written: servers warn about them.
///
/// Source: the formats of CustomResourceDefinitions in the Kubernetes documentation. `duration` is Go's there and ISO
/// 8601 in JSON Schema, so that it comes from [`Duration`](crate::value::Duration) alone, through [`GO_DURATION`].
const FORMATS: [&str; 17] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "date",
    "date-time",
    "double",
    "email",
    "float",
    "hostname",
    "int32",
    "int64",
    "ipv4",
    "ipv6",
    "mac",
    "password",
    "uri",
    "uuid",
];

/// The format of our own durations on the way to the server's `duration`.
pub(super) const GO_DURATION: &str = "go-duration";

/// Writes a format and what else it means.
pub(super) fn format(node: &mut Node, format: &str) {
    let known = match format {
        GO_DURATION => "duration",
        "int8" | "uint8" | "int16" | "uint16" => "int32",
        "uint32" | "uint64" | "uint" | "int" | "int64" => "int64",
        known if FORMATS.contains(&known) => known,
        _ => return,
    };
    node.checks.insert("format".to_owned(), known.into());
}

/// Writes a bound; an exclusive one is a number in JSON Schema and a flag here.
pub(super) fn bound(node: &mut Node, key: &str, value: &Value) {
    let (key, exclusive) = match key {
        "exclusiveMinimum" => ("minimum", Some("exclusiveMinimum")),
        "exclusiveMaximum" => ("maximum", Some("exclusiveMaximum")),
        _ => (key, None),
    };
    node.checks.insert(key.to_owned(), value.clone());
    if let Some(flag) = exclusive {
        node.checks.insert(flag.to_owned(), true.into());
    }
}

/// Writes a default; one that reads as absence (`null`, an empty text, list or object) is left out.
pub(super) fn default(node: &mut Node, value: &Value) {
    let value = without_nulls(value);
    let is_empty = match &value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    if !is_empty {
        node.extensions.insert("default".to_owned(), value);
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), without_nulls(value)))
            .collect::<Json>()
            .into(),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// Writes the values that are allowed; `null` is no value here but a flag.
pub(super) fn values(node: &mut Node, values: &[Value]) {
    node.nullable |= values.contains(&Value::Null);
    let values: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
    if !values.is_empty() {
        node.enum_ = Some(values);
    }
}

/// Writes the type or types.
pub(super) fn types(node: &mut Node, value: &Value) {
    let mut names: Vec<&str> = match value {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let count = names.len();
    names.retain(|name| *name != "null");
    node.nullable |= names.len() < count;
    match names.as_slice() {
        [] => node.type_ = Some("object".to_owned()),
        [one] => node.type_ = Some((*one).to_owned()),
        ["integer", "string"] | ["string", "integer"] => node.int_or_string = true,
        ["integer", "number"] | ["number", "integer"] => node.type_ = Some("number".to_owned()),
        _ => node.preserve = true,
    }
}
