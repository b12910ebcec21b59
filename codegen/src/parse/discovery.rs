//! Discovery, aggregated and legacy, and `/version`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::model::{
    DiscoveredResource, DiscoveredSubresource, GroupVersion, GroupVersionKind, Model, ServerVersion,
};
use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// Reads `APIGroupDiscoveryList`.
pub(super) fn aggregated(value: &Value, at: &Location, model: &mut Model, report: &mut Report) {
    for (at, group) in entries(value, "items", at) {
        let name = group
            .pointer("/metadata/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        for (at, version) in entries(group, "versions", &at) {
            let Some(version_name) = required(version, "version", &at, report) else {
                continue;
            };
            let gv = GroupVersion::new(name, version_name);
            let mut resources = BTreeMap::new();
            for (at, resource) in entries(version, "resources", &at) {
                let Some(plural) = required(resource, "resource", &at, report) else {
                    continue;
                };
                resources.insert(plural.to_owned(), aggregated_resource(resource, &gv, at, report));
            }
            add(gv, resources, model, report);
        }
    }
}

fn aggregated_resource(
    value: &Value,
    gv: &GroupVersion,
    at: Location,
    report: &mut Report,
) -> DiscoveredResource {
    let subresources = entries(value, "subresources", &at).filter_map(|(at, sub)| {
        let name = required(sub, "subresource", &at, report)?;
        let kind = kind(sub.get("responseKind"), gv);
        Some((
            name.to_owned(),
            DiscoveredSubresource {
                kind,
                verbs: texts(sub, "verbs").into_iter().collect(),
            },
        ))
    });
    let subresources = subresources.collect();
    DiscoveredResource {
        kind: kind(value.get("responseKind"), gv),
        singular: text(value, "singularResource").to_owned(),
        namespaced: text(value, "scope") == "Namespaced",
        verbs: texts(value, "verbs").into_iter().collect(),
        short_names: texts(value, "shortNames"),
        categories: texts(value, "categories"),
        subresources,
        location: at,
    }
}

/// The kind of a response; an empty group and version stand for those of the resource.
fn kind(value: Option<&Value>, gv: &GroupVersion) -> Option<GroupVersionKind> {
    let value = value?;
    let name = text(value, "kind");
    let (group, version) = (text(value, "group"), text(value, "version"));
    let gv = match version.is_empty() {
        true => gv.clone(),
        false => GroupVersion::new(group, version),
    };
    (!name.is_empty()).then(|| GroupVersionKind {
        gv,
        kind: name.to_owned(),
    })
}

/// Reads `APIResourceList`.
pub(super) fn legacy(value: &Value, at: &Location, model: &mut Model, report: &mut Report) {
    let Some(name) = required(value, "groupVersion", at, report) else {
        return;
    };
    let (group, version) = name.rsplit_once('/').unwrap_or(("", name));
    let gv = GroupVersion::new(group, version);
    let mut resources: BTreeMap<String, DiscoveredResource> = BTreeMap::new();
    let mut subresources = Vec::new();
    for (at, resource) in entries(value, "resources", at) {
        let Some(name) = required(resource, "name", &at, report) else {
            continue;
        };
        let kind = kind(Some(resource), &gv);
        let verbs: BTreeSet<_> = texts(resource, "verbs").into_iter().collect();
        let namespaced = resource
            .get("namespaced")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        if let Some((parent, name)) = name.split_once('/') {
            let sub = DiscoveredSubresource { kind, verbs };
            subresources.push((parent.to_owned(), name.to_owned(), namespaced, at, sub));
            continue;
        }
        let found = DiscoveredResource {
            location: at,
            kind,
            singular: text(resource, "singularName").to_owned(),
            namespaced,
            verbs,
            short_names: texts(resource, "shortNames"),
            categories: texts(resource, "categories"),
            subresources: BTreeMap::new(),
        };
        resources.insert(name.to_owned(), found);
    }
    for (parent, name, namespaced, location, sub) in subresources {
        let parent = resources.entry(parent).or_insert_with(|| DiscoveredResource {
            location,
            kind: None,
            singular: String::new(),
            namespaced,
            verbs: BTreeSet::new(),
            short_names: Vec::new(),
            categories: Vec::new(),
            subresources: BTreeMap::new(),
        });
        parent.subresources.insert(name, sub);
    }
    add(gv, resources, model, report);
}

fn add(
    gv: GroupVersion,
    resources: BTreeMap<String, DiscoveredResource>,
    model: &mut Model,
    report: &mut Report,
) {
    let known = model.groups.entry(gv.clone()).or_default();
    for (plural, resource) in resources {
        match known.get(&plural) {
            Some(other) if !same(other, &resource) => report.push(
                Diagnostic::new(
                    Code::ConflictingResources,
                    resource.location,
                    format!(
                        "{plural} of {gv} is listed differently in {}",
                        other.location.document
                    ),
                )
                .help("are the documents of different servers or versions? Take a fresh snapshot of one"),
            ),
            Some(_) => {}
            None => {
                known.insert(plural, resource);
            }
        }
    }
}

fn same(a: &DiscoveredResource, b: &DiscoveredResource) -> bool {
    DiscoveredResource {
        location: Location::default(),
        ..a.clone()
    } == DiscoveredResource {
        location: Location::default(),
        ..b.clone()
    }
}

/// Reads `/version`.
pub(super) fn version(value: &Value, at: &Location, model: &mut Model, report: &mut Report) {
    // Some providers write the minor as "27+".
    let digits: String = text(value, "minor")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    match digits.parse() {
        Ok(minor) => {
            let git = text(value, "gitVersion").to_owned();
            model.version.get_or_insert(ServerVersion { minor, git });
        }
        Err(_) => {
            let message = format!("{:?} is no minor version", text(value, "minor"));
            report.push(Diagnostic::new(Code::Malformed, at.at("minor"), message));
        }
    }
}

fn entries<'a>(value: &'a Value, key: &'a str, at: &Location) -> impl Iterator<Item = (Location, &'a Value)> {
    let at = at.at(key);
    let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
    list.enumerate()
        .map(move |(index, entry)| (at.at(&index.to_string()), entry))
}

fn required<'a>(value: &'a Value, key: &str, at: &Location, report: &mut Report) -> Option<&'a str> {
    let found = value
        .get(key)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty());
    if found.is_none() {
        report.push(Diagnostic::new(
            Code::Malformed,
            at.clone(),
            format!("`{key}` must be a text and is missing"),
        ));
    }
    found
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
