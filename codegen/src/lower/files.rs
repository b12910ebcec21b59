//! Which file a type stands in, and what the file imports.
//!
//! A type belongs to the one root kind that alone reaches it. If several do, to the one with the longest name that is a
//! prefix of the type's name; else to `shared.rs`.

use std::collections::{BTreeMap, BTreeSet};

use super::custom::Kind;
use super::names::{Scope, snake};
use super::{graph, mentions};
use crate::ir::{File, RustName, Subresource, Type};

/// Puts the types of a module into files.
pub(super) fn place(module: &RustName, types: Vec<Type>, customs: Vec<Kind>) -> Vec<File> {
    let mut names = Scope::with(&["shared", "mod_"]);
    let mut roots: Vec<&Type> = types.iter().filter(|ty| ty.root.is_some()).collect();
    roots.sort_by(|a, b| a.name.cmp(&b.name));
    let files: BTreeMap<RustName, RustName> = roots
        .iter()
        .map(|root| (root.name.clone(), names.take(snake(root.name.as_str()))))
        .collect();
    let owners = owners(module, &types, &files);
    let mut by_file: BTreeMap<RustName, (String, Vec<Type>)> = BTreeMap::new();
    for ty in types {
        let (file, title) = match owners
            .get(&ty.name)
            .and_then(|owner| Some((files.get(owner)?, owner)))
        {
            Some((file, owner)) => (
                file.clone(),
                format!("`{owner}` and the types that belong to it."),
            ),
            None => (snake("shared"), "Types that several kinds share.".to_owned()),
        };
        by_file
            .entry(file)
            .or_insert_with(|| (title, Vec::new()))
            .1
            .push(ty);
    }
    let mut placed: Vec<File> = by_file
        .into_iter()
        .map(|(name, (title, types))| file(module, name, title, types, &files))
        .collect();
    placed.extend(customs.into_iter().map(|kind| {
        let name = names.take(snake(kind.name.as_str()));
        file_of_kind(module, name, kind)
    }));
    placed.sort_by(|a, b| a.name.cmp(&b.name));
    placed
}

/// The file of a custom resource's kind, which has no types in common with others.
fn file_of_kind(module: &RustName, name: RustName, kind: Kind) -> File {
    let others = kind.types.iter().flat_map(mentions);
    let others = others.map(|id| &id.module).filter(|other| *other != module);
    File {
        name,
        title: format!("`{}` and the types that belong to it.", kind.name),
        siblings: BTreeSet::new(),
        modules: others.cloned().collect(),
        types: kind.types,
        enums: kind.enums,
        aliases: kind.aliases,
    }
}

/// The root kind that each type belongs to.
fn owners(
    module: &RustName,
    types: &[Type],
    files: &BTreeMap<RustName, RustName>,
) -> BTreeMap<RustName, RustName> {
    let edges: BTreeMap<RustName, BTreeSet<RustName>> = types
        .iter()
        .map(|ty| {
            let near = mentions(ty)
                .into_iter()
                .filter(|id| id.module == *module)
                .map(|id| id.name.clone());
            (ty.name.clone(), near.collect())
        })
        .collect();
    let mut reaching: BTreeMap<RustName, BTreeSet<RustName>> = BTreeMap::new();
    for root in files.keys() {
        for reached in graph::reachable(root, &edges) {
            reaching.entry(reached).or_default().insert(root.clone());
        }
    }
    let owner = |ty: &Type| {
        if files.contains_key(&ty.name) {
            return Some(ty.name.clone());
        }
        let candidates = reaching.get(&ty.name).cloned().unwrap_or_default();
        if candidates.len() == 1 {
            return candidates.into_iter().next();
        }
        let all = files.keys();
        let fitting = all.filter(|root| candidates.is_empty() || candidates.contains(*root));
        fitting
            .filter(|root| ty.name.as_str().starts_with(root.as_str()))
            .max_by_key(|root| root.as_str().len())
            .cloned()
    };
    types
        .iter()
        .filter_map(|ty| Some((ty.name.clone(), owner(ty)?)))
        .collect()
}

fn file(
    module: &RustName,
    name: RustName,
    title: String,
    mut types: Vec<Type>,
    files: &BTreeMap<RustName, RustName>,
) -> File {
    types.sort_by(|a, b| {
        (!files.contains_key(&a.name), &a.name).cmp(&(!files.contains_key(&b.name), &b.name))
    });
    let own: BTreeSet<&RustName> = types.iter().map(|ty| &ty.name).collect();
    let mut siblings = BTreeSet::new();
    let mut modules = BTreeSet::new();
    for ty in &types {
        for id in mentions(ty) {
            if id.module != *module {
                modules.insert(id.module.clone());
            } else if !own.contains(&id.name) {
                siblings.insert(id.name.clone());
            }
        }
        for offer in ty.resource.iter().flat_map(|resource| &resource.offers) {
            if let Some(Subresource::Marker(marker)) = &offer.subresource {
                siblings.insert(marker.name.clone());
            }
        }
    }
    File {
        name,
        title,
        siblings,
        modules,
        types,
        enums: Vec::new(),
        aliases: Vec::new(),
    }
}
