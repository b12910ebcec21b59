//! From the model to the [`ir`](crate::ir): every decision is made here.
//!
//! | part | decides |
//! |---|---|
//! | [`names`] | Rust names |
//! | `select` | which group-versions are wanted |
//! | `homes` | the module of each definition |
//! | `classes` | which definitions become structs, and what the others are |
//! | `resources` | verbs, subresources, handles, informers |
//! | `types`, `presence` | structs, their fields, boxing and when a field is written |
//! | `files`, `features` | files, imports, the graph of features |
//! | `custom` | the same for CustomResourceDefinitions: shared shapes, short names, enums |
//! | `docs` | documentation |
//!
//! This module must not know how any of it is printed.

mod classes;
mod custom;
mod docs;
mod features;
mod files;
mod graph;
mod homes;
pub(crate) mod names;
mod presence;
mod resources;
mod select;
#[cfg(test)]
mod tests;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Report;
use crate::facts::Facts;
use crate::ir::{Api, Client, Informers, Module, RustName, Type, TypeId, TypeRef};
use crate::options::Options;
use crate::parse::{GroupVersion, Model};

use classes::{Classes, Shared};
use custom::Known;
use homes::Homes;
use resources::Lowered;

/// Lowers what the wanted group-versions reach. `kubernetes` is what the crate of the Kubernetes API was made from, if types come
/// from there.
pub(crate) fn lower(
    model: &Model,
    facts: &Facts,
    options: &Options,
    kubernetes: Option<&Model>,
    report: &mut Report,
) -> Api {
    let wanted = select::select(model, &options.groups, report);
    let homes = Homes::of(model);
    let shared = kubernetes.map(|kubernetes| Shared::of(kubernetes, &wanted));
    let classes = Classes {
        model,
        facts,
        homes: &homes,
        shared: shared.as_ref(),
    };
    let known = shared.as_ref().filter(|_| !options.own_shapes).map(|shared| {
        Known::of(Classes {
            model: shared.model,
            facts,
            homes: &shared.homes,
            shared: None,
        })
    });
    let mut lowered = Lowered::default();
    for gv in &wanted {
        resources::lower(gv, &classes, &mut lowered, report);
    }
    let reached = classes.reach(&lowered.seeds, report);
    let customs = custom::build(&reached, &mut lowered, &classes, known.as_ref());
    let mut types = types::build(&reached, &mut lowered, &classes, report);
    types::break_cycles(&mut types);
    let modules = modules(&wanted, types, customs, lowered, &homes);
    Api {
        server: model.version.as_ref().map(|version| version.git.clone()),
        modules: features::link(modules),
    }
}

/// Puts types and clients into modules. Features are not linked yet.
fn modules(
    wanted: &BTreeSet<GroupVersion>,
    types: BTreeMap<RustName, Vec<Type>>,
    customs: BTreeMap<RustName, Vec<custom::Kind>>,
    mut lowered: Lowered,
    homes: &Homes,
) -> Vec<Module> {
    let (mut types, mut customs) = (types, customs);
    let mut names: BTreeSet<RustName> = types.keys().chain(customs.keys()).cloned().collect();
    names.extend(wanted.iter().filter_map(|gv| homes.module(gv)).cloned());
    let module = |name: RustName| {
        let types = types.remove(&name).unwrap_or_default();
        let customs = customs.remove(&name).unwrap_or_default();
        let handles = lowered.handles.remove(&name).unwrap_or_default();
        let mut scope = names::Scope::default();
        let of_customs = customs.iter().flat_map(custom::Kind::names);
        for ty in types.iter().map(|ty| &ty.name).chain(of_customs) {
            scope.take(ty.clone());
        }
        let client = (!handles.is_empty()).then(|| Client {
            name: scope.take(names::client_name(&name)),
            handles,
        });
        let informers = lowered.informers.remove(&name).unwrap_or_default();
        let informers = (!informers.is_empty()).then(|| Informers {
            name: scope.take(names::informers_name(&name)),
            list: informers,
        });
        Module {
            title: homes.title(&name),
            client,
            informers,
            files: files::place(&name, types, customs),
            markers: lowered.markers.remove(&name).unwrap_or_default(),
            requires: BTreeSet::new(),
            shared: BTreeSet::new(),
            gates: BTreeSet::new(),
            name,
        }
    };
    names.into_iter().map(module).collect()
}

/// The generated types that a type is made of.
fn named<'a>(ty: &'a TypeRef, found: &mut Vec<&'a TypeId>) {
    match ty {
        TypeRef::Named(id) => found.push(id),
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Option(inner)
        | TypeRef::Nullable(inner)
        | TypeRef::Boxed(inner)
        | TypeRef::Union(_, inner) => named(inner, found),
        TypeRef::Primitive(_) | TypeRef::Runtime(_) | TypeRef::Shared(_) | TypeRef::Unit => {}
    }
}

/// The types of the crate of the Kubernetes API that a type is made of.
fn shared<'a>(ty: &'a TypeRef, found: &mut Vec<&'a TypeId>) {
    match ty {
        TypeRef::Shared(id) => found.push(id),
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Option(inner)
        | TypeRef::Nullable(inner)
        | TypeRef::Boxed(inner)
        | TypeRef::Union(_, inner) => shared(inner, found),
        TypeRef::Primitive(_) | TypeRef::Runtime(_) | TypeRef::Named(_) | TypeRef::Unit => {}
    }
}

/// All types that stand in the fields and offers of a type.
fn references(ty: &Type) -> impl Iterator<Item = &TypeRef> {
    let offers = ty.resource.iter().flat_map(|resource| &resource.offers);
    let exchanges = offers.flat_map(|offer| offer.verbs.values().flatten());
    let exchanged = exchanges.flat_map(|exchange| [&exchange.input, &exchange.output]);
    ty.fields.iter().map(|field| &field.ty).chain(exchanged)
}

/// All generated types that stand in the fields and offers of a type.
fn mentions(ty: &Type) -> Vec<&TypeId> {
    let mut found = Vec::new();
    references(ty).for_each(|ty| named(ty, &mut found));
    found
}
