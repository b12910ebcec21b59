//! What each definition is: a struct of ours, a type of the runtime, or another name for something else.

use std::collections::BTreeSet;

use super::homes::{Homes, last, package};
use crate::diagnostic::{Code, Diagnostic, Report};
use crate::facts::{self, Facts, OwnShape};
use crate::ir::{RustName, TypeId, TypeRef};
use crate::parse::{GroupVersion, GroupVersionKind, Model, Schema, Shape};

/// The package of the types that all groups share.
pub(super) const META_V1: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Types of [`META_V1`] that the runtime has, under the same name. Others are generated like any definition.
const RUNTIME_META: &[&str] = &[
    "APIGroup",
    "APIGroupList",
    "APIResource",
    "APIResourceList",
    "APIVersions",
    "Condition",
    "DeleteOptions",
    "FieldSelectorRequirement",
    "GroupResource",
    "GroupVersionForDiscovery",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Preconditions",
    "ServerAddressByClientCIDR",
    "ShardInfo",
    "Status",
    "StatusCause",
    "StatusDetails",
];

/// What a definition is.
pub(super) enum Class<'a> {
    /// A struct that is generated.
    Struct,
    /// A record of the runtime: a message to protobuf.
    RuntimeRecord(&'static str),
    /// A scalar of the runtime.
    Runtime(&'static str),
    /// A union of the runtime over another definition.
    Union(&'static str, String),
    /// Another name for what its schema says.
    Alias(&'a Schema),
    /// Not there.
    Missing,
}

/// The definitions and what is known about them.
#[derive(Clone, Copy)]
pub(super) struct Classes<'a> {
    pub(super) model: &'a Model,
    pub(super) facts: &'a Facts,
    pub(super) homes: &'a Homes,
    /// Types that come from the crate of the Kubernetes API, if the generated crate stands on it.
    pub(super) shared: Option<&'a Shared<'a>>,
}

/// The crate of the Kubernetes API.
pub(super) struct Shared<'a> {
    /// What it was made from.
    pub(super) model: &'a Model,
    /// Where its types are.
    pub(super) homes: Homes,
    /// Group-versions that the generated crate has itself.
    own: BTreeSet<RustName>,
}

impl<'a> Shared<'a> {
    pub(super) fn of(model: &'a Model, own: &BTreeSet<GroupVersion>) -> Self {
        let homes = Homes::of(model);
        let own = own.iter().filter_map(|gv| homes.module(gv)).cloned().collect();
        Self { model, homes, own }
    }
}

impl<'a> Classes<'a> {
    /// Where a definition is in the crate of the Kubernetes API, if it comes from there.
    fn elsewhere(&self, name: &str) -> Option<&'a TypeId> {
        let shared = self.shared?;
        let own = self
            .model
            .definitions
            .get(name)
            .is_some_and(|definition| definition.custom.is_some());
        let id = shared.homes.id(name).filter(|_| !own)?;
        (!shared.own.contains(&id.module)).then_some(id)
    }

    pub(super) fn class(&self, name: &str) -> Class<'a> {
        let fact = self.facts.messages.get(name).map(|message| &message.shape);
        if let Some(facts::Shape::Own(shape)) = fact {
            return own(*shape, name);
        }
        if package(name) == META_V1
            && let Some(known) = RUNTIME_META.iter().find(|known| **known == last(name))
        {
            return Class::RuntimeRecord(known);
        }
        let Some(definition) = self.model.definitions.get(name) else {
            return Class::Missing;
        };
        match &definition.schema.shape {
            Shape::Object(_) | Shape::Any if fact.is_some() || !definition.kinds.is_empty() => Class::Struct,
            Shape::Object(object) if !object.properties.is_empty() => Class::Struct,
            _ => Class::Alias(&definition.schema),
        }
    }

    /// The definition of a kind; the first by name if there are several.
    pub(super) fn of_kind(&self, kind: &GroupVersionKind) -> Option<&'a str> {
        let mut definitions = self.model.definitions.iter();
        definitions
            .find(|(_, definition)| definition.kinds.contains(kind))
            .map(|(name, _)| name.as_str())
    }

    /// The type of a definition, without regard to presence.
    pub(super) fn type_of(&self, name: &str) -> TypeRef {
        match self.class(name) {
            Class::Struct => match (self.elsewhere(name), self.homes.id(name)) {
                (Some(id), _) => TypeRef::Shared(id.clone()),
                (None, Some(id)) => TypeRef::Named(id.clone()),
                (None, None) => TypeRef::Runtime("RawJson"),
            },
            Class::RuntimeRecord(known) | Class::Runtime(known) => TypeRef::Runtime(known),
            Class::Union(union, over) => TypeRef::Union(union, Box::new(self.type_of(&over))),
            Class::Alias(_) | Class::Missing => TypeRef::Runtime("RawJson"),
        }
    }

    /// The structs that are reached from the seeds. References that lead nowhere are reported.
    pub(super) fn reach(&self, seeds: &BTreeSet<String>, report: &mut Report) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut structs = BTreeSet::new();
        let mut open: Vec<(String, Option<String>)> = seeds.iter().map(|seed| (seed.clone(), None)).collect();
        while let Some((name, from)) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let mut references = BTreeSet::new();
            match self.class(&name) {
                Class::Struct if self.elsewhere(&name).is_some() => {}
                Class::Struct => {
                    if let Some(definition) = self.model.definitions.get(&name) {
                        refs(&definition.schema, &mut references);
                    }
                    structs.insert(name.clone());
                }
                Class::Alias(schema) => refs(schema, &mut references),
                Class::Union(_, over) => {
                    references.insert(over);
                }
                Class::RuntimeRecord(_) | Class::Runtime(_) => {}
                Class::Missing => self.dangling(&name, from.as_deref(), report),
            }
            open.extend(
                references
                    .into_iter()
                    .map(|reference| (reference, Some(name.clone()))),
            );
        }
        structs
    }

    fn dangling(&self, name: &str, from: Option<&str>, report: &mut Report) {
        let at = from
            .and_then(|from| self.model.definitions.get(from))
            .map(|from| from.location.clone());
        let message = format!("the schema {name} is referred to and is not there");
        report.push(
            Diagnostic::new(Code::DanglingRef, at.unwrap_or_default(), message)
                .help("is the document complete? The server's own always is"),
        );
    }

    /// Follows other names to a schema that is none. `following` are those that are being followed already and takes on
    /// more; a name that leads to itself is any JSON.
    pub(super) fn resolve(&self, schema: &'a Schema, following: &mut Vec<&'a str>) -> Resolved<'a> {
        let mut schema = schema;
        loop {
            let Shape::Ref(name) = &schema.shape else {
                return Resolved::Schema(schema);
            };
            match self.class(name) {
                Class::Alias(_) if following.contains(&name.as_str()) => return Resolved::Any,
                Class::Alias(next) => {
                    following.push(name);
                    schema = next;
                }
                _ => return Resolved::Definition(name),
            }
        }
    }
}

/// What a schema comes down to.
pub(super) enum Resolved<'a> {
    /// A definition that is no other name.
    Definition(&'a str),
    /// A schema in place.
    Schema(&'a Schema),
    /// Nothing that has a shape.
    Any,
}

fn own(shape: OwnShape, name: &str) -> Class<'static> {
    let union = |union| Class::Union(union, format!("{}.JSONSchemaProps", package(name)));
    match shape {
        OwnShape::Time => Class::Runtime("Time"),
        OwnShape::MicroTime => Class::Runtime("MicroTime"),
        OwnShape::Duration => Class::Runtime("Duration"),
        OwnShape::Quantity => Class::Runtime("Quantity"),
        OwnShape::IntOrString => Class::Runtime("IntOrString"),
        OwnShape::RawExtension | OwnShape::FieldsV1 | OwnShape::Json | OwnShape::StringList => {
            Class::Runtime("RawJson")
        }
        OwnShape::JsonSchemaPropsOrBool => union("OrBool"),
        OwnShape::JsonSchemaPropsOrArray => union("OrArray"),
        OwnShape::JsonSchemaPropsOrStringArray => union("OrStrings"),
    }
}

fn refs(schema: &Schema, found: &mut BTreeSet<String>) {
    match &schema.shape {
        Shape::Ref(name) => {
            found.insert(name.clone());
        }
        Shape::Object(object) => {
            object.properties.values().for_each(|schema| refs(schema, found));
            object.additional.iter().for_each(|schema| refs(schema, found));
        }
        Shape::List(Some(items)) => refs(items, found),
        _ => {}
    }
}
