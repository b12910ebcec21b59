//! The types of CustomResourceDefinitions.
//!
//! Every version of a kind stands on its own, in one file. Within it, places whose schemas are equal share one type
//! ([`shapes`]); each place has a name of its own for it, made of the kind and the field ([`names`]): `HTTPRoute` and `rules[]`
//! give `HTTPRouteRule`. Where one type has several such names, one is the struct and the others are aliases, so that a schema
//! that grows never takes a name away. Schemas of Kubernetes' own types may become those ([`known`]).

mod fields;
mod known;
mod names;
mod shapes;
mod variants;

use std::collections::{BTreeMap, BTreeSet};

use super::classes::Classes;
use super::docs;
use super::resources::Lowered;
use crate::ir::{Alias, Enum, Root, RustName, Type, TypeId, WireName};
use crate::parse::{Definition, Shape};

pub(crate) use known::Known;

use fields::Builder;
use names::{Names, Place};
use shapes::{Shapes, Walk};

/// A version of a kind with all that belongs to it.
pub(super) struct Kind {
    /// The name of the root type.
    pub(super) name: RustName,
    /// The types, the root first.
    pub(super) types: Vec<Type>,
    /// Open sets of texts, by name.
    pub(super) enums: Vec<Enum>,
    /// Further names, by name.
    pub(super) aliases: Vec<Alias>,
}

impl Kind {
    /// All names that it takes in its module.
    pub(super) fn names(&self) -> impl Iterator<Item = &RustName> {
        let types = self.types.iter().map(|ty| &ty.name);
        let enums = self.enums.iter().map(|texts| &texts.name);
        types
            .chain(enums)
            .chain(self.aliases.iter().map(|alias| &alias.name))
    }
}

/// Builds the reached custom resources, by module. Takes their resources out of `lowered`.
pub(super) fn build(
    reached: &BTreeSet<String>,
    lowered: &mut Lowered,
    classes: &Classes<'_>,
    known: Option<&Known<'_>>,
) -> BTreeMap<RustName, Vec<Kind>> {
    // Names are given to all kinds of the sources, wanted or not, so that they do not depend on what is wanted.
    let mut scopes = BTreeMap::new();
    let mut built: BTreeMap<RustName, Vec<Kind>> = BTreeMap::new();
    for (name, definition) in &classes.model.definitions {
        let Some(id) = classes.homes.id(name).filter(|_| definition.custom.is_some()) else {
            continue;
        };
        let scope = scopes
            .entry(id.module.clone())
            .or_insert_with(|| classes.homes.scope(&id.module));
        let mut shapes = Shapes::new(known);
        let walk = Walk::of(&definition.schema, &mut shapes);
        let names = Names::give(&id.name, &walk, scope);
        if reached.contains(name) {
            let resource = lowered.resources.remove(name);
            let mut kind = kind(id, definition, &shapes, &walk, &names);
            if let Some(root) = kind.types.first_mut() {
                root.wire = WireName::new(name.as_str());
                root.docs = docs::of_type(root, definition, resource.as_ref(), classes, &id.module);
                root.resource = resource;
            }
            built.entry(id.module.clone()).or_default().push(kind);
        }
    }
    built
}

fn kind(id: &TypeId, definition: &Definition, shapes: &Shapes<'_>, walk: &Walk<'_>, names: &Names) -> Kind {
    let builder = Builder {
        module: &id.module,
        shapes,
        names,
    };
    let mut kind = Kind {
        name: id.name.clone(),
        types: Vec::new(),
        enums: Vec::new(),
        aliases: Vec::new(),
    };
    let mut root = builder.root(&id.name, &definition.schema);
    root.root = definition.kinds.first().map(|kind| Root {
        api_version: WireName::new(kind.gv.api_version()),
        kind: WireName::new(kind.kind.as_str()),
    });
    kind.types.push(root);
    let mut types = Vec::new();
    for (place, name) in names.iter() {
        match names.canonical(place.shape) {
            Some(target) if target != name => kind.aliases.push(alias(place, name, target)),
            _ => {
                let Some(first) = walk.first(place) else { continue };
                match &first.schema.shape {
                    Shape::Object(object) => types.push(builder.object(name, first, object)),
                    Shape::Texts(texts) => kind.enums.push(variants::of(name, first, texts)),
                    _ => {}
                }
            }
        }
    }
    types.sort_by(|a, b| a.name.cmp(&b.name));
    kind.types.extend(types);
    kind.enums.sort_by(|a, b| a.name.cmp(&b.name));
    kind.aliases.sort_by(|a, b| a.name.cmp(&b.name));
    kind
}

fn alias(place: &Place, name: &RustName, target: &RustName) -> Alias {
    Alias {
        name: name.clone(),
        target: target.clone(),
        docs: vec![format!(
            "`{}` has the schema of [`{target}`].",
            docs::code(&place.path.join("."))
        )],
    }
}
