//! What a cluster says about itself, in a form that can be committed: a lock file for an API.
//!
//! Two snapshots of one API are equal to the byte: keys are sorted, a path and a schema stand on a line each, and what
//! changes without the API changing (build dates, hashes in URLs, the server's address) is left out.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::Documents;
use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::parse::{DocumentKind, group_version_of_paths, is_deprecated_watch, recognise};

/// Whether a snapshot keeps the descriptions of schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptions {
    /// They become the documentation of generated code.
    Keep,
    /// They are left out; the snapshot holds facts alone.
    Strip,
}

/// Documents in their committed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<String, Vec<u8>>,
}

impl Snapshot {
    /// Brings raw responses of an API server into their committed form. Paths mean nothing: documents are known by
    /// their content. Documents that say nothing about resources are dropped.
    ///
    /// # Errors
    /// Documents that are no JSON or none that the generator reads, and two different ones for one place.
    pub fn from_documents(documents: &Documents, descriptions: Descriptions) -> Result<Self, Report> {
        let mut report = Report::default();
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for document in documents.iter() {
            let recognised = recognise(document, &mut report);
            for (path, place, value) in recognised
                .into_iter()
                .flat_map(|(kind, _, value)| places(kind, value))
            {
                let bytes = write(&normalise(&value, place, descriptions)).into_bytes();
                match files.get(&path) {
                    Some(other) if *other != bytes => report.push(Diagnostic::new(
                        Code::ConflictingSchemas,
                        Location::document(&document.path),
                        format!("another document says something else about {path}"),
                    )),
                    _ => {
                        files.insert(path, bytes);
                    }
                }
            }
        }
        if report.has_errors() {
            report.sort();
            return Err(report);
        }
        Ok(Self { files })
    }

    /// The files by relative path, sorted.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// The files as documents.
    pub fn documents(&self) -> Documents {
        let mut documents = Documents::default();
        for (path, bytes) in &self.files {
            documents.insert(path.as_str(), bytes.as_slice());
        }
        documents
    }

    /// Writes the snapshot into a folder: what changed, and nothing of what did not. Files of an earlier snapshot that
    /// this one has not are removed.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let files = self
            .files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
            .collect();
        for old in ["version.json", "crds", "discovery", "openapi"] {
            remove_others(&folder.join(old), old, &self.files)?;
        }
        crate::output::write_changed(folder, &files).map(|_| ())
    }
}

fn remove_others(path: &Path, relative: &str, keep: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let below = format!("{relative}/{}", entry.file_name().to_string_lossy());
            remove_others(&entry.path(), &below, keep)?;
        }
    } else if path.is_file() && relative.ends_with(".json") && !keep.contains_key(relative) {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// Where the parts of a document go, what their keys are, and what is kept of them.
fn places(kind: DocumentKind, value: Value) -> Vec<(String, Place, Value)> {
    let one = |place: Option<(String, Value)>| {
        place
            .map(|(path, value)| (path, Place::Schema, value))
            .into_iter()
            .collect()
    };
    match kind {
        DocumentKind::OpenApiV3 => {
            let gv = group_version_of_paths(&value);
            one(gv.map(|gv| {
                (
                    format!("openapi/v3/{}.json", gv.url()),
                    without_watch_paths(value),
                )
            }))
        }
        DocumentKind::OpenApiV2 => one(Some(("openapi/v2.json".to_owned(), without_watch_paths(value)))),
        DocumentKind::Discovery => {
            let core = value
                .pointer("/items/0/metadata/name")
                .is_none_or(|name| name.as_str() == Some(""));
            one(Some((
                format!("discovery/{}.json", if core { "api" } else { "apis" }),
                value,
            )))
        }
        DocumentKind::Resources => {
            let gv = value
                .get("groupVersion")
                .and_then(Value::as_str)
                .map(str::to_owned);
            one(gv.map(|gv| {
                (
                    format!(
                        "discovery/{}/{gv}.json",
                        if gv.contains('/') { "apis" } else { "api" }
                    ),
                    value,
                )
            }))
        }
        DocumentKind::Version => {
            let kept = ["gitVersion", "major", "minor"].into_iter();
            let kept = kept.filter_map(|key| Some((key.to_owned(), value.get(key)?.clone())));
            one(Some(("version.json".to_owned(), Value::Object(kept.collect()))))
        }
        DocumentKind::Crd => definition(&value).into_iter().collect(),
        DocumentKind::Groups | DocumentKind::Index => Vec::new(),
    }
}

/// A CustomResourceDefinition: its name and spec. Labels, annotations, the status and what the server keeps about it are of
/// this cluster; so is the certificate of a conversion webhook, which is renewed while the API stays.
fn definition(value: &Value) -> Option<(String, Place, Value)> {
    let name = value
        .pointer("/metadata/name")?
        .as_str()
        .filter(|name| is_file_name(name))?;
    let mut spec = value.get("spec")?.clone();
    if let Some(Value::Object(webhook)) = spec.pointer_mut("/conversion/webhook/clientConfig") {
        webhook.remove("caBundle");
    }
    let kept = json!({
        "apiVersion": value.get("apiVersion").and_then(Value::as_str).unwrap_or("apiextensions.k8s.io/v1"),
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": spec,
    });
    Some((format!("crds/{name}.json"), Place::Schema, kept))
}

/// Whether a name is one of an object, and so one of a file in this folder.
fn is_file_name(name: &str) -> bool {
    !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
}

fn without_watch_paths(mut value: Value) -> Value {
    if let Some(paths) = value.get_mut("paths").and_then(Value::as_object_mut) {
        paths.retain(|path, _| !is_deprecated_watch(path));
    }
    value
}

/// What the keys of an object are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Keys are words of the document's language; `description` is one.
    Schema,
    /// Keys are names of fields or definitions; `description` may be one of them.
    Names,
    /// Keys are status codes or names of responses, whose description OpenAPI demands: an empty one stays.
    Responses,
    /// A response.
    Response,
    /// Values are data of the API's authors, such as a default.
    Data,
}

impl Place {
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Data, _) | (Self::Schema, "default" | "enum" | "example") => Self::Data,
            (Self::Schema, "properties" | "definitions" | "schemas" | "paths") => Self::Names,
            (Self::Schema, "responses") => Self::Responses,
            (Self::Responses, _) => Self::Response,
            _ => Self::Schema,
        }
    }
}

fn normalise(value: &Value, place: Place, descriptions: Descriptions) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            let entries = entries.into_iter().filter_map(|(key, value)| {
                let prose = matches!(key.as_str(), "description" | "summary") && value.is_string();
                let value = match (prose && descriptions == Descriptions::Strip, place) {
                    (true, Place::Schema) => return None,
                    (true, Place::Response) => Value::String(String::new()),
                    _ => normalise(value, place.below(key), descriptions),
                };
                Some((key.clone(), value))
            });
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| normalise(item, place, descriptions))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// How deep objects are opened up: `paths`, `definitions` and `components.schemas` by entry, discovery by resource,
/// definitions of custom resources by version.
fn opened(path: &[&str]) -> bool {
    matches!(
        path,
        [] | ["paths" | "components" | "definitions" | "items" | "spec"]
            | ["spec", "versions"]
            | ["components", "schemas"]
            | ["items", _]
            | ["items", _, "versions"]
            | ["items", _, "versions", _]
            | ["items", _, "versions", _, "resources"]
    )
}

/// A path and a schema on a line each: small, and its history reads well.
fn write(value: &Value) -> String {
    let mut text = String::new();
    write_at(value, &mut Vec::new(), &mut text);
    text.push('\n');
    text
}

fn write_at<'a>(value: &'a Value, path: &mut Vec<&'a str>, text: &mut String) {
    let open = opened(path);
    match value {
        Value::Object(map) if open && !map.is_empty() => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            text.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                text.push_str(if index == 0 { "\n" } else { ",\n" });
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                path.push(key);
                write_at(value, path, text);
                path.pop();
            }
            text.push_str("\n}");
        }
        Value::Array(items) if open && !items.is_empty() => {
            text.push('[');
            for (index, value) in items.iter().enumerate() {
                text.push_str(if index == 0 { "\n" } else { ",\n" });
                path.push("");
                write_at(value, path, text);
                path.pop();
            }
            text.push_str("\n]");
        }
        // The keys were sorted by `normalise`; a map that keeps insertion order keeps that one.
        other => text.push_str(&other.to_string()),
    }
}
