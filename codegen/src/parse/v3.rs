//! The operations of OpenAPI v3, read as the types of [`openapiv3`].
//!
//! An operation is read without what it is not asked for and what may nest without end (headers, examples, links,
//! callbacks). Where one cannot be read, the others of its path are.

use openapiv3::{Components, MediaType, ReferenceOr, Response, SchemaKind, StatusCode, Type};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::model::{Body, Operation};
use super::openapi::{METHODS, PROTOBUF};
use super::schema::{level, local};
use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// Words of operations and what they hold that no type, body or result depends on.
const UNUSED: [&str; 6] = ["callbacks", "encoding", "example", "examples", "headers", "links"];

/// Reads operations of one document.
pub(super) struct Reader<'a> {
    components: Components,
    at: &'a Location,
    /// Operations without responses and responses without a description: the first, and how many.
    bare: Option<(Location, usize)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &Value, at: &'a Location, report: &mut Report) -> Self {
        let mut reader = Self {
            components: Components::default(),
            at,
            bare: None,
        };
        let Some(Value::Object(components)) = document.get("components") else {
            return reader;
        };
        let at = at.at("components");
        let mut kept = Map::new();
        for (key, value) in components {
            let value = match key.as_str() {
                "responses" => reader.responses(value, &at.at(key)),
                "parameters" | "requestBodies" => each(value, holder),
                _ => continue,
            };
            kept.insert(key.clone(), value);
        }
        if let Some(components) = read(Value::Object(kept), &at, report) {
            reader.components = components;
        }
        reader
    }

    /// The operations of a path, by method.
    pub(super) fn path(
        &mut self,
        item: &Value,
        at: &Location,
        report: &mut Report,
    ) -> Vec<(&'static str, Operation)> {
        let mut operations = Vec::new();
        for method in METHODS {
            let Some(value) = item.get(method) else { continue };
            let at = at.at(method);
            let value = self.lean(value, &at);
            let operation = read::<openapiv3::Operation>(value, &at, report)
                .map_or_else(Operation::default, |operation| {
                    self.operation(&operation, &at, report)
                });
            operations.push((method, operation));
        }
        operations
    }

    /// Says what was wrong everywhere, once.
    pub(super) fn finish(self, report: &mut Report) {
        if let Some((first, count)) = self.bare {
            let message = format!(
                "{count} times OpenAPI's `responses` or the `description` of a response is missing; this is the first place"
            );
            report.push(
                Diagnostic::new(Code::OddSchema, first, message)
                    .help("nothing is lost; an empty one will do"),
            );
        }
    }

    fn lean(&mut self, operation: &Value, at: &Location) -> Value {
        let Value::Object(map) = operation else {
            return operation.clone();
        };
        let mut kept = Map::new();
        for (key, value) in map {
            let value = match key.as_str() {
                key if UNUSED.contains(&key) => continue,
                "parameters" => match value {
                    Value::Array(parameters) => Value::Array(parameters.iter().map(holder).collect()),
                    other => other.clone(),
                },
                "requestBody" => holder(value),
                "responses" => self.responses(value, &at.at(key)),
                _ => value.clone(),
            };
            kept.insert(key.clone(), value);
        }
        kept.entry("responses").or_insert_with(|| {
            self.lacks(at);
            Value::Object(Map::new())
        });
        Value::Object(kept)
    }

    fn lacks(&mut self, at: &Location) {
        self.bare.get_or_insert_with(|| (at.clone(), 0)).1 += 1;
    }

    fn responses(&mut self, value: &Value, at: &Location) -> Value {
        let Value::Object(responses) = value else {
            return value.clone();
        };
        let complete = responses.iter().map(|(code, response)| {
            let mut response = holder(response);
            if let Value::Object(map) = &mut response
                && !map.contains_key("$ref")
                && !map.contains_key("description")
                && !code.starts_with("x-")
            {
                map.insert("description".to_owned(), Value::String(String::new()));
                self.lacks(&at.at(code));
            }
            (code.clone(), response)
        });
        Value::Object(complete.collect())
    }

    fn operation(&self, value: &openapiv3::Operation, at: &Location, report: &mut Report) -> Operation {
        let response = [200, 201, 202].into_iter().find_map(|code| {
            value
                .responses
                .responses
                .get(&StatusCode::Code(code))
                .map(|response| (code, response))
        });
        let response = response.and_then(|(code, response)| {
            let at = at.at("responses").at(&code.to_string());
            self.resolve(
                response,
                "responses",
                |name| self.components.responses.get(name),
                &at,
                report,
            )
        });
        let request = value.request_body.as_ref().and_then(|body| {
            let bodies = |name: &str| self.components.request_bodies.get(name);
            self.resolve(body, "requestBodies", bodies, &at.at("requestBody"), report)
        });
        let accepted = request.and_then(|request| request.content.values().next());
        Operation {
            connect: value
                .extensions
                .get("x-kubernetes-action")
                .is_some_and(|action| action == "connect"),
            body: accepted.and_then(body_of),
            result: response.and_then(result).and_then(body_of),
            protobuf: response.is_some_and(|response| response.content.contains_key(PROTOBUF)),
        }
    }

    fn resolve<'v, T>(
        &self,
        value: &'v ReferenceOr<T>,
        place: &str,
        known: impl Fn(&str) -> Option<&'v ReferenceOr<T>>,
        at: &Location,
        report: &mut Report,
    ) -> Option<&'v T> {
        let reference = match value {
            ReferenceOr::Item(item) => return Some(item),
            ReferenceOr::Reference { reference } => reference,
        };
        let name = reference
            .strip_prefix("#/components/")
            .and_then(|rest| rest.strip_prefix(place)?.strip_prefix('/'));
        let found = name.and_then(known).and_then(ReferenceOr::as_item);
        if found.is_none() {
            let message = format!("{reference:?} leads to nothing in {}", self.at.document);
            report.push(Diagnostic::new(Code::DanglingRef, at.at("$ref"), message));
        }
        found
    }
}

/// Reads a part of a document. One that is not as it should be is said and left out.
fn read<T: DeserializeOwned>(value: Value, at: &Location, report: &mut Report) -> Option<T> {
    match serde_json::from_value(value) {
        Ok(read) => Some(read),
        Err(error) => {
            let message = format!("this is not OpenAPI v3 ({error}); it is left out");
            report.push(Diagnostic::new(Code::OddSchema, at.clone(), message));
            None
        }
    }
}

/// What has a `schema`, itself or by media type: of the schema only the first level.
fn holder(value: &Value) -> Value {
    let Value::Object(map) = value else {
        return value.clone();
    };
    let kept = map.iter().filter(|(key, _)| !UNUSED.contains(&key.as_str()));
    let kept = kept.map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("content", value) => each(value, holder),
            ("schema", Value::Object(schema)) => level(schema),
            _ => value.clone(),
        };
        (key.clone(), value)
    });
    Value::Object(kept.collect())
}

fn each(value: &Value, change: fn(&Value) -> Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| (key.clone(), change(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn result(response: &Response) -> Option<&MediaType> {
    response
        .content
        .get("application/json")
        .or_else(|| response.content.values().next())
}

fn body_of(media: &MediaType) -> Option<Body> {
    Some(match media.schema.as_ref()? {
        ReferenceOr::Reference { reference } => local(reference).map_or(Body::Any, Body::Ref),
        ReferenceOr::Item(schema) => match &schema.schema_kind {
            SchemaKind::Type(Type::String(_)) => Body::Text,
            SchemaKind::Any(words) if words.typ.as_deref() == Some("string") => Body::Text,
            _ => Body::Any,
        },
    })
}
