//! CustomResourceDefinitions of `apiextensions.k8s.io/v1`, and of `v1beta1`, which no server has served since 1.22 but which
//! files still hold.
//!
//! A definition is the best source about its kind: what OpenAPI and discovery say about it, which the server makes of it with
//! losses, gives way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::model::{
    Custom, Definition, DiscoveredResource, DiscoveredSubresource, GroupVersion, GroupVersionKind, Model,
    Schema, Shape,
};
use super::structural::Reader;
use super::{rules, type_name};
use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// The verbs of every custom resource.
const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// The verbs of its subresources.
const SUB_VERBS: [&str; 3] = ["get", "patch", "update"];

/// The group-version of the kind behind every `scale` of a custom resource.
const SCALE: (&str, &str, &str) = ("autoscaling", "v1", "Scale");

/// Reads one definition.
pub(super) fn definition(value: &Value, at: &Location, model: &mut Model, report: &mut Report) {
    let mut reading = Reading { at, report };
    let Some(names) = reading.names(value) else { return };
    let spec = at.at("spec");
    let versions = reading.versions(value, &spec);
    if versions.is_empty() {
        reading.malformed(
            &spec.at("versions"),
            "there is no version",
            "a definition has at least one version",
        );
    }
    for (at, version) in versions {
        reading.version(value, &names, &version, &at, model);
    }
}

/// What all versions share.
struct Names<'v> {
    group: &'v str,
    kind: &'v str,
    plural: &'v str,
    singular: &'v str,
    namespaced: bool,
    short_names: Vec<String>,
    categories: Vec<String>,
}

struct Reading<'a> {
    at: &'a Location,
    report: &'a mut Report,
}

impl Reading<'_> {
    fn malformed(&mut self, at: &Location, message: impl Into<String>, help: &str) {
        self.report
            .push(Diagnostic::new(Code::Malformed, at.clone(), message).help(help));
    }

    fn names<'v>(&mut self, value: &'v Value) -> Option<Names<'v>> {
        let at = self.at.at("spec");
        let Some(spec) = value.get("spec").and_then(Value::as_object) else {
            self.malformed(
                &at,
                "a definition has a `spec`, this one has none",
                "is it a patch? Only whole definitions can be read",
            );
            return None;
        };
        let text =
            |map: &'v Map<String, Value>, key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
        let names_at = at.at("names");
        let Some(names) = spec.get("names").and_then(Value::as_object) else {
            self.malformed(
                &names_at,
                "a definition has `names`, this one has none",
                "is it a patch? Only whole definitions can be read",
            );
            return None;
        };
        let mut complete = true;
        for (at, text, rule) in [
            (at.at("group"), text(spec, "group"), is_dns as fn(&str) -> bool),
            (names_at.at("kind"), text(names, "kind"), is_kind),
            (names_at.at("plural"), text(names, "plural"), is_dns),
        ] {
            if !rule(text) {
                complete = false;
                self.malformed(
                    &at,
                    format!("{text:?} cannot stand here"),
                    "names are labels of DNS, a kind has letters and digits",
                );
            }
        }
        let namespaced = match text(spec, "scope") {
            "Namespaced" => true,
            "Cluster" => false,
            // The default of v1beta1.
            "" if value.get("apiVersion").is_some_and(|version| version == BETA) => true,
            "" => {
                let message = "there is no scope; it is taken as `Namespaced`";
                self.report
                    .push(Diagnostic::new(Code::NonStructural, at.at("scope"), message));
                true
            }
            other => {
                complete = false;
                self.malformed(
                    &at.at("scope"),
                    format!("{other:?} is no scope"),
                    "it is `Namespaced` or `Cluster`",
                );
                false
            }
        };
        complete.then(|| Names {
            group: text(spec, "group"),
            kind: text(names, "kind"),
            plural: text(names, "plural"),
            singular: text(names, "singular"),
            namespaced,
            short_names: rules::names(names.get("shortNames")),
            categories: rules::names(names.get("categories")),
        })
    }

    /// The versions, each with its place. In v1beta1 there may be one at the top, and what a version does not say stands there.
    fn versions(&mut self, value: &Value, spec_at: &Location) -> Vec<(Location, Map<String, Value>)> {
        let Some(spec) = value.get("spec").and_then(Value::as_object) else {
            return Vec::new();
        };
        let at = spec_at.at("versions");
        let mut versions = Vec::new();
        match spec.get("versions") {
            Some(Value::Array(list)) => {
                for (index, version) in list.iter().enumerate() {
                    let at = at.at(&index.to_string());
                    match version {
                        Value::Object(version) => versions.push((at, version.clone())),
                        other => self.malformed(
                            &at,
                            format!("a version is an object, this is {}", type_name(other)),
                            "a version has a `name`",
                        ),
                    }
                }
            }
            Some(Value::Null) | None => {}
            Some(other) => self.malformed(
                &at,
                format!("`versions` is an array, this is {}", type_name(other)),
                "each item is a version",
            ),
        }
        if let (true, Some(name)) = (versions.is_empty(), spec.get("version")) {
            let version = Map::from_iter([
                ("name".to_owned(), name.clone()),
                ("served".to_owned(), Value::Bool(true)),
            ]);
            versions.push((spec_at.clone(), version));
        }
        for (at, version) in &mut versions {
            for key in ["subresources", "additionalPrinterColumns"] {
                if let (false, Some(shared)) = (version.contains_key(key), spec.get(key)) {
                    version.insert(key.to_owned(), shared.clone());
                }
            }
            if let (false, Some(shared)) = (version.contains_key("schema"), spec.get("validation")) {
                *at = spec_at.at("validation");
                version.insert("schema".to_owned(), shared.clone());
            } else if version.contains_key("schema") {
                *at = at.at("schema");
            }
        }
        versions
    }

    fn version(
        &mut self,
        value: &Value,
        names: &Names<'_>,
        version: &Map<String, Value>,
        at: &Location,
        model: &mut Model,
    ) {
        let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
        if !is_dns(name) {
            self.malformed(at, format!("{name:?} is no name of a version"), "such as `v1`");
            return;
        }
        let gv = GroupVersion::new(names.group, name);
        let schema_at = at.at("openAPIV3Schema");
        let beta = value.get("apiVersion").is_some_and(|version| version == BETA);
        let keeps_all = value
            .pointer("/spec/preserveUnknownFields")
            .and_then(Value::as_bool)
            .unwrap_or(beta);
        let mut reader = Reader {
            keeps_all,
            report: &mut *self.report,
        };
        let schema = match version
            .get("schema")
            .and_then(|schema| schema.get("openAPIV3Schema"))
        {
            Some(schema) => reader.root(schema, &schema_at),
            None => {
                let message = format!(
                    "{} of {gv} has no schema; its objects are taken as any JSON",
                    names.kind
                );
                self.report
                    .push(Diagnostic::new(Code::NonStructural, at.clone(), message));
                reader_free()
            }
        };
        let served = version.get("served").and_then(Value::as_bool).unwrap_or(true);
        let deprecated = version
            .get("deprecated")
            .and_then(Value::as_bool)
            .unwrap_or(false)
            .then(|| {
                let warning = version.get("deprecationWarning").and_then(Value::as_str);
                warning.unwrap_or_default().to_owned()
            });
        let custom = Custom {
            served,
            deprecated,
            selectable: selectable(version),
        };
        let definition = Definition {
            location: schema_at,
            schema,
            kinds: vec![GroupVersionKind {
                gv: gv.clone(),
                kind: names.kind.to_owned(),
            }],
            custom: Some(custom),
        };
        let resource = names.resource(&gv, version, at);
        self.add(gv, names, definition, resource, model);
    }

    fn add(
        &mut self,
        gv: GroupVersion,
        names: &Names<'_>,
        definition: Definition,
        resource: DiscoveredResource,
        model: &mut Model,
    ) {
        let name = definition_name(&gv, names.kind);
        let served = definition.custom.as_ref().is_some_and(|custom| custom.served);
        if let Some(other) = model.definitions.get(&name)
            && other.custom.is_some()
        {
            if other.schema != definition.schema || other.custom != definition.custom {
                let message = format!(
                    "{} of {gv} is defined differently in {}",
                    names.kind, other.location.document
                );
                self.report.push(
                    Diagnostic::new(Code::ConflictingSchemas, definition.location, message)
                        .help("are these versions of one definition? Give one of them"),
                );
            }
            return;
        }
        // What the server made of the definition.
        let list = format!("{}List", names.kind);
        model.definitions.retain(|_, other| match other.kinds.as_slice() {
            [only] => {
                other.custom.is_some() || only.gv != gv || (only.kind != names.kind && only.kind != list)
            }
            _ => true,
        });
        model
            .operations
            .retain(|key, _| key.gv != gv || key.resource != names.plural);
        model.definitions.insert(name, definition);
        let group = model.groups.entry(gv).or_default();
        match served {
            true => group.insert(names.plural.to_owned(), resource),
            false => group.remove(names.plural),
        };
    }
}

const BETA: &str = "apiextensions.k8s.io/v1beta1";

fn reader_free() -> Schema {
    Schema::of(Shape::Object(super::model::Object {
        open: true,
        ..super::model::Object::default()
    }))
}

impl Names<'_> {
    fn resource(&self, gv: &GroupVersion, version: &Map<String, Value>, at: &Location) -> DiscoveredResource {
        let verbs = |verbs: &[&str]| {
            verbs
                .iter()
                .map(|verb| (*verb).to_owned())
                .collect::<BTreeSet<_>>()
        };
        let own = GroupVersionKind {
            gv: gv.clone(),
            kind: self.kind.to_owned(),
        };
        let scale = GroupVersionKind {
            gv: GroupVersion::new(SCALE.0, SCALE.1),
            kind: SCALE.2.to_owned(),
        };
        let mut subresources = BTreeMap::new();
        for (name, kind) in [("status", &own), ("scale", &scale)] {
            let given = version
                .get("subresources")
                .and_then(|subresources| subresources.get(name));
            if given.is_some_and(Value::is_object) {
                let sub = DiscoveredSubresource {
                    kind: Some(kind.clone()),
                    verbs: verbs(&SUB_VERBS),
                };
                subresources.insert(name.to_owned(), sub);
            }
        }
        let singular = match self.singular {
            "" => self.kind.to_ascii_lowercase(),
            given => given.to_owned(),
        };
        DiscoveredResource {
            location: at.clone(),
            kind: Some(own),
            singular,
            namespaced: self.namespaced,
            verbs: verbs(&VERBS),
            short_names: self.short_names.clone(),
            categories: self.categories.clone(),
            subresources,
        }
    }
}

/// The paths that field selectors may name.
fn selectable(version: &Map<String, Value>) -> Vec<String> {
    let fields = version
        .get("selectableFields")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    fields
        .filter_map(|field| field.get("jsonPath")?.as_str())
        .map(|path| path.trim_start_matches('.').to_owned())
        .collect()
}

/// The name that servers give the schema in OpenAPI: the labels of the group from behind, version, kind.
fn definition_name(gv: &GroupVersion, kind: &str) -> String {
    let labels: Vec<_> = gv.group.rsplit('.').collect();
    format!("{}.{}.{kind}", labels.join("."), gv.version)
}

fn is_dns(text: &str) -> bool {
    !text.is_empty()
        && text.split('.').all(|label| {
            let inner = label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
            inner && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
        })
}

fn is_kind(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
