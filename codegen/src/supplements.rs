//! Definitions of Kubernetes' own that sources need and do not hold: CustomResourceDefinitions alone say nothing about `Scale`.
//! They come from the embedded bundle.

use std::collections::BTreeSet;
use std::collections::btree_map::Entry;

use crate::diagnostic::Report;
use crate::parse::{self, Definition, Model, Schema, Shape};
use crate::sources::{self, Document, Documents};

/// Adds what is missing.
pub(crate) fn add(model: &mut Model, report: &mut Report) {
    let resources = model.groups.values().flat_map(|resources| resources.values());
    let kinds: BTreeSet<_> = resources
        .flat_map(|resource| resource.subresources.values())
        .filter_map(|sub| sub.kind.clone())
        .collect();
    for kind in kinds {
        if model
            .definitions
            .values()
            .any(|definition| definition.kinds.contains(&kind))
        {
            continue;
        }
        let bundle = bundle(&kind.kind, report);
        let named = |definition: &Definition| definition.kinds.contains(&kind);
        if let Some((name, _)) = bundle
            .definitions
            .iter()
            .find(|(_, definition)| named(definition))
        {
            take(name, &bundle, model);
        }
    }
}

/// The smallest document of the bundle that mentions a kind: every document repeats what it refers to.
fn bundle(kind: &str, report: &mut Report) -> Model {
    let quoted = format!("{kind:?}");
    let mentions = |document: &&Document| {
        document.path.starts_with("openapi/v3/")
            && std::str::from_utf8(&document.bytes).is_ok_and(|text| text.contains(&quoted))
    };
    let embedded = sources::embedded();
    let smallest = embedded
        .iter()
        .filter(mentions)
        .min_by_key(|document| document.bytes.len());
    let mut documents = Documents::default();
    if let Some(document) = smallest {
        documents.insert(document.path.as_str(), document.bytes.as_slice());
    }
    parse::parse(&documents, report)
}

/// Takes over a definition and those that it refers to.
fn take(name: &str, from: &Model, model: &mut Model) {
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        let Some(definition) = from.definitions.get(&name) else {
            continue;
        };
        if let Entry::Vacant(place) = model.definitions.entry(name) {
            references(&definition.schema, &mut open);
            place.insert(definition.clone());
        }
    }
}

fn references(schema: &Schema, found: &mut Vec<String>) {
    match &schema.shape {
        Shape::Ref(name) => found.push(name.clone()),
        Shape::Object(object) => {
            let below = object.properties.values().chain(object.additional.as_deref());
            below.for_each(|schema| references(schema, found));
        }
        Shape::List(Some(items)) => references(items, found),
        _ => {}
    }
}
