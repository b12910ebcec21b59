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
//! | `docs` | documentation |
//!
//! This module must not know how any of it is printed.

mod classes;
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
use crate::ir::{Api, Client, Informers, Module, RustName, Type, TypeRef};
use crate::parse::{GroupVersion, Model};

use classes::Classes;
use homes::Homes;
use resources::Lowered;

/// Lowers what the wanted group-versions reach. `groups` as in [`Options`](crate::Options).
pub(crate) fn lower(model: &Model, facts: &Facts, groups: &[String], report: &mut Report) -> Api {
    let wanted = select::select(model, groups, report);
    let homes = Homes::of(model);
    let classes = Classes {
        model,
        facts,
        homes: &homes,
    };
    let mut lowered = Lowered::default();
    for gv in &wanted {
        resources::lower(gv, &classes, &mut lowered, report);
    }
    let reached = classes.reach(&lowered.seeds, report);
    let mut types = types::build(&reached, &mut lowered, &classes, report);
    types::break_cycles(&mut types);
    let modules = modules(&wanted, types, lowered, &homes);
    Api {
        server: model.version.as_ref().map(|version| version.git.clone()),
        modules: features::link(modules),
    }
}

/// Puts types and clients into modules. Features are not linked yet.
fn modules(
    wanted: &BTreeSet<GroupVersion>,
    types: BTreeMap<RustName, Vec<Type>>,
    mut lowered: Lowered,
    homes: &Homes,
) -> Vec<Module> {
    let mut types = types;
    let mut names: BTreeSet<RustName> = types.keys().cloned().collect();
    names.extend(wanted.iter().filter_map(|gv| homes.module(gv)).cloned());
    let module = |name: RustName| {
        let types = types.remove(&name).unwrap_or_default();
        let handles = lowered.handles.remove(&name).unwrap_or_default();
        let mut scope = names::Scope::default();
        for ty in &types {
            scope.take(ty.name.clone());
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
            files: files::place(&name, types),
            markers: lowered.markers.remove(&name).unwrap_or_default(),
            requires: BTreeSet::new(),
            gates: BTreeSet::new(),
            name,
        }
    };
    names.into_iter().map(module).collect()
}

/// The generated types that a type is made of.
fn named<'a>(ty: &'a TypeRef, found: &mut Vec<&'a crate::ir::TypeId>) {
    match ty {
        TypeRef::Named(id) => found.push(id),
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Option(inner)
        | TypeRef::Boxed(inner)
        | TypeRef::Union(_, inner) => named(inner, found),
        TypeRef::Primitive(_) | TypeRef::Runtime(_) | TypeRef::Unit => {}
    }
}

/// All generated types that stand in the fields and offers of a type.
fn mentions(ty: &Type) -> Vec<&crate::ir::TypeId> {
    let mut found = Vec::new();
    ty.fields.iter().for_each(|field| named(&field.ty, &mut found));
    for offer in ty.resource.iter().flat_map(|resource| &resource.offers) {
        for exchange in offer.verbs.values().flatten() {
            named(&exchange.input, &mut found);
            named(&exchange.output, &mut found);
        }
    }
    found
}
