//! A schema of OpenAPI v2 or v3, read as [`openapiv3::Schema`].
//!
//! Each schema object is read on its own: while the words of one level are read, the schemas below it stand aside as `{}`.
//! So a complaint has the JSON pointer of the very level that is wrong and costs only that level, and the time stays linear:
//! read as a whole, a mistake `n` levels down is tried 2ⁿ times, since a reference or a schema is an untagged choice.

use std::collections::BTreeSet;

use openapiv3::{
    AdditionalProperties, IntegerFormat, ReferenceOr, SchemaData, SchemaKind, StringFormat, Type,
    VariantOrUnknownOrEmpty,
};
use serde_json::{Map, Value};

use super::model::{GroupVersion, GroupVersionKind, Object, Schema, Shape};
use super::type_name;
use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// Reads a schema. What is not understood is any JSON.
pub(super) fn schema(value: &Value, at: &Location, report: &mut Report) -> Schema {
    named(value, at, report).0
}

/// Reads a schema, and the kinds that it is the schema of.
pub(super) fn named(value: &Value, at: &Location, report: &mut Report) -> (Schema, Vec<GroupVersionKind>) {
    let Value::Object(map) = value else {
        // `true` is the schema of everything.
        if !value.is_boolean() {
            let message = format!("a schema must be an object, this is {}", type_name(value));
            report.push(Diagnostic::new(Code::Malformed, at.clone(), message));
        }
        return (any(), Vec::new());
    };
    if let Some(reference) = map.get("$ref") {
        // OpenAPI v2 allows a description beside a reference.
        let description = map.get("description").and_then(Value::as_str).map(str::to_owned);
        let shape = reference_to(reference, &at.at("$ref"), report);
        let schema = Schema {
            description,
            ..Schema::of(shape)
        };
        return (schema, Vec::new());
    }
    let level = match serde_json::from_value::<openapiv3::Schema>(level(map)) {
        Ok(level) => level,
        Err(error) => {
            let message = format!("this schema is none of OpenAPI ({error}); it is taken as any JSON");
            report.push(Diagnostic::new(Code::OddSchema, at.clone(), message));
            return (any(), Vec::new());
        }
    };
    let data = &level.schema_data;
    let shape = Level { below: map, data, at }.shape(&level.schema_kind, report);
    let schema = Schema {
        description: data.description.clone(),
        nullable: data.nullable,
        ..Schema::of(shape)
    };
    (schema, kinds(data))
}

/// The kinds that a schema is the schema of, without reading what is below.
pub(super) fn kinds_of(value: &Value) -> Vec<GroupVersionKind> {
    let data = value.as_object().map(|map| {
        let extensions = map.iter().filter(|(key, _)| key.starts_with("x-"));
        serde_json::from_value::<SchemaData>(Value::Object(
            extensions.map(|(k, v)| (k.clone(), v.clone())).collect(),
        ))
    });
    data.and_then(Result::ok)
        .map_or_else(Vec::new, |data| kinds(&data))
}

fn any() -> Schema {
    Schema::of(Shape::Any)
}

/// The words of one level: the schemas below stand aside.
pub(super) fn level(map: &Map<String, Value>) -> Value {
    let aside = |value: &Value| match value {
        Value::Object(below) => match below.get("$ref") {
            Some(reference @ Value::String(_)) => {
                Value::Object(Map::from_iter([("$ref".to_owned(), reference.clone())]))
            }
            _ => Value::Object(Map::new()),
        },
        // `true`, and what `schema` complains about when it comes to it.
        _ => Value::Object(Map::new()),
    };
    let mut level = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(entries)) => Value::Object(
                entries
                    .iter()
                    .map(|(name, entry)| (name.clone(), aside(entry)))
                    .collect(),
            ),
            ("allOf" | "anyOf" | "oneOf", Value::Array(entries)) => {
                Value::Array(entries.iter().map(aside).collect())
            }
            ("items" | "not" | "additionalProperties", Value::Object(_)) => aside(value),
            // What it is by default, or for example, is no part of its type.
            ("default" | "example", _) => continue,
            ("type", Value::Array(kinds)) => {
                let (kind, null) = one_of_types(kinds);
                if null {
                    level.insert("nullable".to_owned(), Value::Bool(true));
                }
                match kind {
                    Some(kind) => Value::String(kind.to_owned()),
                    None => continue,
                }
            }
            _ => value.clone(),
        };
        level.insert(key.clone(), value);
    }
    Value::Object(level)
}

/// The type of a list of types, which OpenAPI 3.1 allows, with `null` in it.
pub(super) fn one_of_types(kinds: &[Value]) -> (Option<&str>, bool) {
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

/// `x-kubernetes-group-version-kind`, sorted.
fn kinds(data: &SchemaData) -> Vec<GroupVersionKind> {
    let listed = data
        .extensions
        .get("x-kubernetes-group-version-kind")
        .and_then(Value::as_array);
    let mut kinds: Vec<_> = listed.into_iter().flatten().filter_map(kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

fn kind(value: &Value) -> Option<GroupVersionKind> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let gv = GroupVersion::new(text("group")?, text("version")?);
    Some(GroupVersionKind {
        gv,
        kind: text("kind")?.to_owned(),
    })
}

/// One level of a schema.
struct Level<'a> {
    /// The whole, for the schemas below.
    below: &'a Map<String, Value>,
    data: &'a SchemaData,
    at: &'a Location,
}

impl Level<'_> {
    fn flag(&self, extension: &str) -> bool {
        self.data
            .extensions
            .get(extension)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    fn shape(&self, kind: &SchemaKind, report: &mut Report) -> Shape {
        if self.flag("x-kubernetes-int-or-string") {
            return Shape::IntOrString;
        }
        if self.flag("x-kubernetes-embedded-resource") {
            return Shape::Any;
        }
        match kind {
            SchemaKind::Type(Type::String(text)) => match &text.format {
                VariantOrUnknownOrEmpty::Item(StringFormat::DateTime) => Shape::DateTime,
                VariantOrUnknownOrEmpty::Item(StringFormat::Byte) => Shape::Bytes,
                VariantOrUnknownOrEmpty::Unknown(format) if format == INT_OR_STRING => Shape::IntOrString,
                _ => Shape::String,
            },
            SchemaKind::Type(Type::Integer(integer)) => match integer.format {
                VariantOrUnknownOrEmpty::Item(IntegerFormat::Int32) => Shape::Int32,
                _ => Shape::Int64,
            },
            SchemaKind::Type(Type::Number(_)) => Shape::Number,
            SchemaKind::Type(Type::Boolean(_)) => Shape::Boolean,
            SchemaKind::Type(Type::Array(_)) => self.list(report),
            SchemaKind::Type(Type::Object(object)) => {
                self.object(&object.required, object.additional_properties.as_ref(), report)
            }
            SchemaKind::AllOf { all_of } => self.wrapped(all_of, report),
            SchemaKind::OneOf { .. } | SchemaKind::AnyOf { .. } | SchemaKind::Not { .. } => Shape::Any,
            SchemaKind::Any(words) => self.mixed(words, report),
        }
    }

    /// Words of several kinds, such as the `type` and `oneOf` of a structural schema: the type says what it is.
    fn mixed(&self, words: &openapiv3::AnySchema, report: &mut Report) -> Shape {
        let format = words.format.as_deref();
        if format == Some(INT_OR_STRING) {
            return Shape::IntOrString;
        }
        let object =
            |report: &mut Report| self.object(&words.required, words.additional_properties.as_ref(), report);
        match words.typ.as_deref() {
            Some("object") => object(report),
            Some("array") => self.list(report),
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
                report.push(Diagnostic::new(Code::UnknownType, self.at.at("type"), message));
                Shape::Any
            }
            None if self.below.contains_key("properties") => object(report),
            None => self.wrapped(&words.all_of, report),
        }
    }

    fn list(&self, report: &mut Report) -> Shape {
        let items = self.below.get("items");
        Shape::List(items.map(|items| Box::new(schema(items, &self.at.at("items"), report))))
    }

    /// OpenAPI v3 wraps a reference that has siblings as `allOf: [{$ref}]`.
    fn wrapped(&self, all_of: &[ReferenceOr<openapiv3::Schema>], report: &mut Report) -> Shape {
        let below = self.below.get("allOf").and_then(|all| all.get(0));
        match (all_of.len(), below) {
            (1, Some(only)) => schema(only, &self.at.at("allOf").at("0"), report).shape,
            _ => Shape::Any,
        }
    }

    fn object(
        &self,
        required: &[String],
        additional: Option<&AdditionalProperties>,
        report: &mut Report,
    ) -> Shape {
        let mut object = Object {
            required: required.iter().cloned().collect::<BTreeSet<_>>(),
            open: self.flag("x-kubernetes-preserve-unknown-fields"),
            ..Object::default()
        };
        if let Some(Value::Object(properties)) = self.below.get("properties") {
            let at = self.at.at("properties");
            let read = properties
                .iter()
                .map(|(name, value)| (name.clone(), schema(value, &at.at(name), report)));
            object.properties = read.collect();
        }
        match (additional, self.below.get("additionalProperties")) {
            (Some(AdditionalProperties::Any(open)), _) => object.open |= *open,
            (Some(AdditionalProperties::Schema(_)), Some(value)) => {
                let at = self.at.at("additionalProperties");
                object.additional = Some(Box::new(schema(value, &at, report)));
            }
            _ => {}
        }
        Shape::Object(object)
    }
}

/// The format of an integer or a string; OpenAPI v2 has it beside `type: string`.
const INT_OR_STRING: &str = "int-or-string";

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
