//! The schema of a custom resource.
//!
//! [Structural schemas](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema)
//! know no references, and what `allOf`, `anyOf`, `oneOf` and `not` hold only says more about what stands outside of them: types
//! come from outside, rules from both. What is not structural is said and taken in the way that loses nothing.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::model::{Object, Schema, Shape};
use super::rules;
use super::type_name;
use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// How deep schemas are read.
const MAX_DEPTH: usize = 128;

/// The pattern of quantities, as controller-gen writes it.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// Reads schemas of one definition.
pub(super) struct Reader<'r> {
    /// Whether fields that no schema names survive everywhere: `preserveUnknownFields` of old definitions.
    pub(super) keeps_all: bool,
    pub(super) report: &'r mut Report,
}

impl Reader<'_> {
    fn odd(&mut self, at: &Location, message: impl Into<String>) {
        self.report
            .push(Diagnostic::new(Code::NonStructural, at.clone(), message));
    }

    /// Reads the schema of whole objects.
    pub(super) fn root(&mut self, value: &Value, at: &Location) -> Schema {
        let mut schema = self.schema(value, at, 0);
        let object = match schema.shape {
            Shape::Object(object) => object,
            // Any JSON, or a type that no object has.
            _ => Object {
                open: true,
                ..Object::default()
            },
        };
        schema.shape = Shape::Object(object);
        schema
    }

    fn schema(&mut self, value: &Value, at: &Location, depth: usize) -> Schema {
        let Value::Object(map) = value else {
            self.odd(
                at,
                format!(
                    "a schema must be an object, this is {}; it is taken as any JSON",
                    type_name(value)
                ),
            );
            return Schema::of(Shape::Any);
        };
        if depth == MAX_DEPTH {
            self.odd(at, "this is too deep to be read; it is taken as any JSON");
            return Schema::of(Shape::Any);
        }
        for word in [
            "$ref",
            "definitions",
            "dependencies",
            "patternProperties",
            "additionalItems",
        ] {
            if map.contains_key(word) {
                self.odd(
                    &at.at(word),
                    format!("`{word}` is no word of structural schemas; it says nothing here"),
                );
            }
        }
        let shape = self.shape(map, at, depth);
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let mut schema = Schema {
            description: text("description").map(str::to_owned),
            nullable: flag(map, "nullable") || types(map).1,
            sensitive: text("format") == Some("password"),
            default: map.get("default").cloned(),
            ..Schema::of(shape)
        };
        schema.checks = rules::of(map, &schema.shape);
        schema
    }

    fn shape(&mut self, map: &Map<String, Value>, at: &Location, depth: usize) -> Shape {
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        if flag(map, "x-kubernetes-int-or-string") {
            return match text("pattern") {
                Some(QUANTITY) => Shape::Quantity,
                _ => Shape::IntOrString,
            };
        }
        match self.type_of(map, at) {
            Some("object") => self.object(map, at, depth),
            Some("array") => self.list(map, at, depth),
            Some("string") => match (rules::texts(map), text("format")) {
                (Some(texts), _) => Shape::Texts(texts),
                (None, Some("date-time")) => Shape::DateTime,
                (None, Some("byte")) => Shape::Bytes,
                (None, Some("int-or-string")) => Shape::IntOrString,
                _ => Shape::String,
            },
            Some("integer") if text("format") == Some("int32") => Shape::Int32,
            Some("integer") => Shape::Int64,
            Some("number") => Shape::Number,
            Some("boolean") => Shape::Boolean,
            _ => Shape::Any,
        }
    }

    /// The type, said or to be seen from the other words. `None` if any JSON is meant.
    fn type_of<'m>(&mut self, map: &'m Map<String, Value>, at: &Location) -> Option<&'m str> {
        let known = ["object", "array", "string", "integer", "number", "boolean"];
        if let Some(given) = map.get("type") {
            let found = types(map).0.filter(|found| known.contains(found));
            if found.is_none() {
                let message = format!("the type {given} is unknown; it is taken as any JSON");
                self.report
                    .push(Diagnostic::new(Code::UnknownType, at.at("type"), message));
            }
            return found;
        }
        let guess = if has_typed_branches(map) {
            None
        } else if map.contains_key("properties") {
            Some("object")
        } else if map.contains_key("items") {
            Some("array")
        } else if map.get("additionalProperties").is_some_and(Value::is_object) {
            Some("object")
        } else {
            None
        };
        if let Some(guess) = guess {
            self.odd(at, format!("a schema must have a `type`; it is taken as {guess}"));
        } else if !flag(map, "x-kubernetes-preserve-unknown-fields") {
            self.odd(at, "a schema must have a `type`; it is taken as any JSON");
        }
        guess
    }

    fn list(&mut self, map: &Map<String, Value>, at: &Location, depth: usize) -> Shape {
        match map.get("items") {
            Some(items @ Value::Object(_)) => {
                Shape::List(Some(Box::new(self.schema(items, &at.at("items"), depth + 1))))
            }
            Some(items) => {
                let message = format!(
                    "`items` must be a schema and is {}; items are taken as any JSON",
                    type_name(items)
                );
                self.odd(&at.at("items"), message);
                Shape::List(None)
            }
            None => Shape::List(None),
        }
    }

    fn object(&mut self, map: &Map<String, Value>, at: &Location, depth: usize) -> Shape {
        let embedded = flag(map, "x-kubernetes-embedded-resource");
        let mut object = Object {
            required: rules::names(map.get("required")).into_iter().collect(),
            open: flag(map, "x-kubernetes-preserve-unknown-fields") || embedded,
            ..Object::default()
        };
        if let Some(Value::Object(properties)) = map.get("properties") {
            let at = at.at("properties");
            let read: BTreeMap<_, _> = properties
                .iter()
                .map(|(name, value)| (name.clone(), self.schema(value, &at.at(name), depth + 1)))
                .collect();
            object.properties = read;
        }
        object.open |= self.keeps_all && !object.properties.is_empty();
        match map.get("additionalProperties") {
            Some(Value::Bool(open)) => object.open |= *open,
            Some(values @ Value::Object(_)) => {
                let values = self.schema(values, &at.at("additionalProperties"), depth + 1);
                if !object.properties.is_empty() {
                    self.odd(at, "`properties` and `additionalProperties` exclude each other; other fields are kept as any JSON");
                }
                object.additional = Some(Box::new(values));
            }
            _ => {}
        }
        for name in object
            .required
            .iter()
            .filter(|name| !object.properties.contains_key(*name))
        {
            if !object.open && object.additional.is_none() {
                self.odd(
                    &at.at("required"),
                    format!("{name:?} is required and not described; servers drop it"),
                );
            }
        }
        Shape::Object(object)
    }
}

fn flag(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Whether a union says what types there are.
fn has_typed_branches(map: &Map<String, Value>) -> bool {
    let branches = ["oneOf", "anyOf"]
        .iter()
        .filter_map(|word| map.get(*word)?.as_array());
    branches.flatten().any(|branch| branch.get("type").is_some())
}

/// The type, and whether `null` stands beside it in a list of types.
fn types(map: &Map<String, Value>) -> (Option<&str>, bool) {
    match map.get("type") {
        Some(Value::String(kind)) => (Some(kind), false),
        Some(Value::Array(kinds)) => super::schema::one_of_types(kinds),
        _ => (None, false),
    }
}
