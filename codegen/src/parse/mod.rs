//! From documents to a [`Model`]: what an API server says, in one form for OpenAPI v2 and v3, aggregated and legacy
//! discovery.
//!
//! OpenAPI v3 and all schemas are read as the types of [`openapiv3`], piece by piece: a schema, an operation. So each complaint
//! has its JSON pointer, and one piece that is not as it should be costs that piece. What is not understood is taken in the
//! loosest way or reported; nothing panics.
//!
//! This module must not know Rust names, facts, or what is generated.

mod crd;
mod discovery;
mod model;
mod openapi;
mod rules;
mod schema;
mod structural;
mod text;
mod v3;

use std::collections::BTreeMap;

use serde_json::Value;

pub(crate) use model::{
    Body, Definition, DiscoveredResource, DiscoveredSubresource, GroupVersion, GroupVersionKind, Model,
    Object, Operation, OperationKey, Schema, Shape,
};
pub(crate) use openapi::{group_version_of_paths, is_deprecated_watch};

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::sources::{Document, Documents};

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
    /// A CustomResourceDefinition.
    Crd,
}

/// Reads all documents.
pub(crate) fn parse(documents: &Documents, report: &mut Report) -> Model {
    let mut recognised: Vec<_> = documents
        .iter()
        .flat_map(|document| recognise(document, report))
        .collect();
    // OpenAPI v3 comes before v2, so that v2 only adds what v3 does not say; aggregated before legacy discovery;
    // CustomResourceDefinitions last, which know best.
    recognised.sort_by(|(kind, at, _), (other, other_at, _)| (kind, at).cmp(&(other, other_at)));
    let mut model = Model::default();
    let mut seen = BTreeMap::new();
    for (kind, at, value) in &recognised {
        match kind {
            DocumentKind::OpenApiV3 => openapi::v3(value, at, &mut model, &mut seen, report),
            DocumentKind::OpenApiV2 => openapi::v2(value, at, &mut model, report),
            DocumentKind::Discovery => discovery::aggregated(value, at, &mut model, report),
            DocumentKind::Resources => discovery::legacy(value, at, &mut model, report),
            DocumentKind::Groups | DocumentKind::Index => {}
            DocumentKind::Version => discovery::version(value, at, &mut model, report),
            DocumentKind::Crd => crd::definition(value, at, &mut model, report),
        }
    }
    model
}

/// Reads the texts of a document and sees what they are. Lists are taken apart; of those that hold what the generator does
/// not read, and of YAML, which holds anything in files for kubectl, the rest is said to be left out.
pub(crate) fn recognise(document: &Document, report: &mut Report) -> Vec<(DocumentKind, Location, Value)> {
    let mut found = Vec::new();
    let mut others: Vec<(Location, String)> = Vec::new();
    let texts = text::read(document, report);
    let alone = texts.len() == 1;
    for (at, value) in texts {
        match take_apart(&at, value) {
            Ok(items) => {
                for (at, value) in items {
                    match kind_of(&value) {
                        Some(kind) => found.push((kind, at, value)),
                        None => others.push((at, what(&value))),
                    }
                }
            }
            Err(value) => match kind_of(&value) {
                Some(kind) => found.push((kind, at, value)),
                None if alone && !is_object_of_kubernetes(&value) => unknown(at, &what(&value), report),
                None if alone && !text::is_yaml_name(&document.path) => unknown(at, &what(&value), report),
                None => others.push((at, what(&value))),
            },
        }
    }
    if let Some((at, first)) = others.first() {
        let message = match others.len() {
            1 => format!("this is {first}, which says nothing about an API; it is left out"),
            count => {
                format!("{count} objects say nothing about an API and are left out, the first is {first}")
            }
        };
        report.push(Diagnostic::new(Code::LeftOut, at.clone(), message));
    }
    found
}

fn unknown(at: Location, what: &str, report: &mut Report) {
    report.push(
        Diagnostic::new(
            Code::UnknownDocument,
            at,
            format!("this is {what}, which the generator does not read"),
        )
        .help("take it out of the sources: they are OpenAPI v3 and v2, discovery, CustomResourceDefinitions and /version of an API server"),
    );
}

/// The items of a `List` or of a list of CustomResourceDefinitions, whose items may come without their kind.
fn take_apart(at: &Location, value: Value) -> Result<Vec<(Location, Value)>, Value> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let of_crds = text("kind") == Some("CustomResourceDefinitionList");
    let list = of_crds || (text("kind") == Some("List") && text("apiVersion") == Some("v1"));
    let version = text("apiVersion").unwrap_or_default().to_owned();
    let mut value = value;
    let Some(Value::Array(items)) = value.get_mut("items").filter(|_| list) else {
        return if list { Ok(Vec::new()) } else { Err(value) };
    };
    let at = at.at("items");
    let items = std::mem::take(items)
        .into_iter()
        .enumerate()
        .map(|(index, mut item)| {
            if let (true, Value::Object(item)) = (of_crds, &mut item) {
                item.entry("kind")
                    .or_insert_with(|| "CustomResourceDefinition".into());
                item.entry("apiVersion").or_insert_with(|| version.clone().into());
            }
            (at.at(&index.to_string()), item)
        });
    Ok(items.collect())
}

fn is_object_of_kubernetes(value: &Value) -> bool {
    ["apiVersion", "kind"]
        .iter()
        .all(|key| value.get(key).is_some_and(Value::is_string))
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
