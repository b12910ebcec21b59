//! From documents to a [`Model`]: what an API server says, in one form for OpenAPI v2 and v3, aggregated and legacy
//! discovery.
//!
//! OpenAPI v3 and all schemas are read as the types of [`openapiv3`], piece by piece: a schema, an operation. So each complaint
//! has its JSON pointer, and one piece that is not as it should be costs that piece. What is not understood is taken in the
//! loosest way or reported; nothing panics.
//!
//! This module must not know Rust names, facts, or what is generated.

mod discovery;
mod model;
mod openapi;
mod schema;
mod v3;

use std::collections::BTreeMap;

use serde_json::Value;

pub(crate) use model::{
    Body, Definition, DiscoveredResource, DiscoveredSubresource, GroupVersion, GroupVersionKind, Model,
    Object, Operation, OperationKey, Schema, Shape,
};
pub(crate) use openapi::{group_version_of_paths, is_deprecated_watch};

use crate::diagnostic::{Code, Diagnostic, Excerpt, Location, Report};
use crate::sources::{Document, Documents};

/// How many characters of a line are shown before and after an error of syntax.
const EXCERPT: usize = 60;

/// The documents that the generator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DocumentKind {
    /// OpenAPI v3 of one group-version.
    OpenApiV3,
    /// Swagger 2.0 of everything.
    OpenApiV2,
    /// `APIGroupDiscoveryList`: aggregated discovery.
    Discovery,
    /// `APIResourceList`: legacy discovery of one group-version.
    Resources,
    /// `APIGroupList`, `APIGroup` or `APIVersions`: says nothing that the resources do not say.
    Groups,
    /// The list of OpenAPI v3 documents.
    Index,
    /// `/version`.
    Version,
    /// A CustomResourceDefinition. Its group-versions are generated from OpenAPI and discovery, which the server makes of it.
    Crd,
    /// A list of them.
    Crds,
}

/// Reads all documents.
pub(crate) fn parse(documents: &Documents, report: &mut Report) -> Model {
    let mut recognised: Vec<_> = documents
        .iter()
        .filter_map(|document| {
            let (kind, value) = recognise(document, report)?;
            Some((kind, document.path.as_str(), value))
        })
        .collect();
    // OpenAPI v3 comes before v2, so that v2 only adds what v3 does not say; aggregated before legacy discovery.
    recognised.sort_by_key(|(kind, path, _)| (*kind, *path));
    let mut model = Model::default();
    let mut seen = BTreeMap::new();
    for (kind, path, value) in &recognised {
        let at = Location::document(path);
        match kind {
            DocumentKind::OpenApiV3 => openapi::v3(value, &at, &mut model, &mut seen, report),
            DocumentKind::OpenApiV2 => openapi::v2(value, &at, &mut model, report),
            DocumentKind::Discovery => discovery::aggregated(value, &at, &mut model, report),
            DocumentKind::Resources => discovery::legacy(value, &at, &mut model, report),
            DocumentKind::Groups | DocumentKind::Index | DocumentKind::Crd | DocumentKind::Crds => {}
            DocumentKind::Version => discovery::version(value, &at, &mut model, report),
        }
    }
    model
}

/// Reads a document as JSON and sees what it is.
pub(crate) fn recognise(document: &Document, report: &mut Report) -> Option<(DocumentKind, Value)> {
    let at = Location::document(&document.path);
    let bytes = document
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&document.bytes);
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            report.push(syntax(&error, bytes, at));
            return None;
        }
    };
    match kind_of(&value) {
        Some(kind) => Some((kind, value)),
        None => {
            report.push(
                Diagnostic::new(
                    Code::UnknownDocument,
                    at,
                    format!("this is {}, which the generator does not read", what(&value)),
                )
                .help("take it out of the sources: they are OpenAPI v3 and v2, discovery, CustomResourceDefinitions and /version of an API server"),
            );
            None
        }
    }
}

fn kind_of(value: &Value) -> Option<DocumentKind> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    if text("openapi").is_some_and(|version| version.starts_with("3.")) {
        return Some(DocumentKind::OpenApiV3);
    }
    if text("swagger").is_some_and(|version| version.starts_with("2.")) {
        return Some(DocumentKind::OpenApiV2);
    }
    match text("kind") {
        Some("APIGroupDiscoveryList") => Some(DocumentKind::Discovery),
        Some("APIResourceList") => Some(DocumentKind::Resources),
        Some("APIGroupList" | "APIGroup" | "APIVersions") => Some(DocumentKind::Groups),
        Some("CustomResourceDefinition") => Some(DocumentKind::Crd),
        Some("CustomResourceDefinitionList") => Some(DocumentKind::Crds),
        Some(_) => None,
        None if text("gitVersion").is_some() && text("major").is_some() => Some(DocumentKind::Version),
        None => {
            let paths = value.get("paths")?.as_object()?;
            let index = paths
                .values()
                .all(|entry| entry.get("serverRelativeURL").is_some());
            index.then_some(DocumentKind::Index)
        }
    }
}

fn what(value: &Value) -> String {
    let Value::Object(map) = value else {
        return format!("JSON with {} at its root", type_name(value));
    };
    match (
        map.get("kind").and_then(Value::as_str),
        map.get("apiVersion").and_then(Value::as_str),
    ) {
        (Some(kind), Some(version)) => format!("a {kind} of {version}"),
        (Some(kind), None) => format!("a {kind}"),
        _ => "a JSON object of no known kind".to_owned(),
    }
}

/// What a JSON value is, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A syntax error with the part of its line that is around it.
fn syntax(error: &serde_json::Error, bytes: &[u8], location: Location) -> Diagnostic {
    let line = bytes
        .split(|byte| *byte == b'\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let column = error.column().saturating_sub(1).min(line.len());
    let before = String::from_utf8_lossy(&line[..column]);
    let after = String::from_utf8_lossy(&line[column..]);
    let skip = before.chars().count().saturating_sub(EXCERPT);
    let head: String = before.chars().skip(skip).collect();
    let tail: String = after.chars().take(EXCERPT).collect();
    let clean = |text: &str| {
        text.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect::<String>()
    };
    let excerpt = Excerpt {
        line: error.line().max(1),
        column: head.chars().count(),
        text: clean(&head) + &clean(&tail),
    };
    let (message, help) = match error.is_eof() {
        true => (
            "the JSON ends too early".to_owned(),
            "was the document cut off when it was fetched?",
        ),
        false => (
            format!("this is no JSON: {error}"),
            "sources are JSON as the API server sends it",
        ),
    };
    let mut diagnostic = Diagnostic::new(Code::Syntax, location, message).help(help);
    diagnostic.excerpt = Some(excerpt);
    diagnostic
}
