//! The module of each definition, and the names of modules and types.
//!
//! Names are given to all definitions of the sources, wanted or not, so that they do not depend on what is wanted.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{Scope, snake, type_name};
use crate::ir::{RustName, TypeId};
use crate::parse::{Definition, GroupVersion, Model};

const META: &str = "io.k8s.apimachinery.";

/// Where everything is.
pub(super) struct Homes {
    modules: BTreeMap<GroupVersion, RustName>,
    titles: BTreeMap<RustName, String>,
    ids: BTreeMap<String, TypeId>,
    scopes: BTreeMap<RustName, Scope>,
}

impl Homes {
    pub(super) fn of(model: &Model) -> Self {
        let packages = packages(model);
        let home = |name: &str, definition: &Definition| match definition.kinds.as_slice() {
            [only] if !name.starts_with(META) => only.gv.clone(),
            _ => packages
                .get(package(name))
                .cloned()
                .unwrap_or_else(|| fallback(package(name))),
        };
        let homes: BTreeMap<_, _> = model
            .definitions
            .iter()
            .map(|(name, definition)| (name, home(name, definition)))
            .collect();
        let gvs: BTreeSet<_> = homes.values().chain(model.groups.keys()).cloned().collect();
        let modules = module_names(&gvs);
        let mut scopes: BTreeMap<RustName, Scope> = BTreeMap::new();
        let mut ids = BTreeMap::new();
        // Kinds come first: they keep their names.
        for kinds in [true, false] {
            for (name, definition) in model
                .definitions
                .iter()
                .filter(|(_, d)| d.kinds.is_empty() != kinds)
            {
                debug_assert!(definition.kinds.is_empty() != kinds);
                let module = modules[&homes[name]].clone();
                let rust = scopes
                    .entry(module.clone())
                    .or_default()
                    .take(type_name(last(name)));
                ids.insert(name.clone(), TypeId { module, name: rust });
            }
        }
        let titles = modules
            .iter()
            .map(|(gv, name)| (name.clone(), super::docs::code(&gv.to_string())))
            .collect();
        Self {
            modules,
            titles,
            ids,
            scopes,
        }
    }

    /// The module of a group-version.
    pub(super) fn module(&self, gv: &GroupVersion) -> Option<&RustName> {
        self.modules.get(gv)
    }

    /// The group-version of a module, for people; it may stand between backticks.
    pub(super) fn title(&self, module: &RustName) -> String {
        self.titles.get(module).cloned().unwrap_or_default()
    }

    /// The type of a definition.
    pub(super) fn id(&self, definition: &str) -> Option<&TypeId> {
        self.ids.get(definition)
    }

    /// The names that are taken in a module.
    pub(super) fn scope(&self, module: &RustName) -> Scope {
        self.scopes.get(module).cloned().unwrap_or_default()
    }
}

/// The part of a definition's name before the last dot.
pub(super) fn package(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(package, _)| package)
}

/// The part of a definition's name behind the last dot.
pub(super) fn last(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// The group-version of each package: that of most kinds in it, else the group of a package beside it
/// (`io.k8s.api.scheduling.v1alpha3` has no kind of its own, `io.k8s.api.scheduling.v1` has).
fn packages(model: &Model) -> BTreeMap<String, GroupVersion> {
    let mut votes: BTreeMap<&str, BTreeMap<&GroupVersion, usize>> = BTreeMap::new();
    for (name, definition) in model
        .definitions
        .iter()
        .filter(|(name, _)| !name.starts_with(META))
    {
        let votes = votes.entry(package(name)).or_default();
        if let [only] = definition.kinds.as_slice() {
            *votes.entry(&only.gv).or_default() += 1;
        }
    }
    let mut packages = BTreeMap::new();
    let mut groups: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, votes) in &votes {
        if let Some((gv, _)) = votes.iter().rev().max_by_key(|(_, votes)| **votes) {
            packages.insert((*name).to_owned(), (*gv).clone());
            groups.entry(package(name)).or_insert(&gv.group);
        }
    }
    for (name, votes) in &votes {
        if let (true, Some(group)) = (votes.is_empty(), groups.get(package(name))) {
            packages.insert((*name).to_owned(), GroupVersion::new(group, last(name)));
        }
    }
    packages
}

/// The last two labels of a package.
fn fallback(name: &str) -> GroupVersion {
    GroupVersion::new(last(package(name)), last(name))
}

/// `core_v1`, `apps_v1`, `rbac_v1`: the first label of the group and the version; group-versions of one name take more
/// labels.
fn module_names(gvs: &BTreeSet<GroupVersion>) -> BTreeMap<GroupVersion, RustName> {
    let most = gvs
        .iter()
        .map(|gv| gv.group.split('.').count())
        .max()
        .unwrap_or(1);
    let mut names = BTreeMap::new();
    let mut open: Vec<&GroupVersion> = gvs.iter().collect();
    for labels in 1..=most {
        let mut by_name: BTreeMap<RustName, Vec<&GroupVersion>> = BTreeMap::new();
        for gv in open {
            by_name.entry(module_name(gv, labels)).or_default().push(gv);
        }
        open = Vec::new();
        for (name, gvs) in by_name {
            match gvs.as_slice() {
                [only] if !names.values().any(|taken| *taken == name) => {
                    names.insert((*only).clone(), name);
                }
                _ => open.extend(gvs),
            }
        }
    }
    // Groups that only differ in signs that no identifier has.
    let mut scope = Scope::default();
    names.values().for_each(|name| {
        scope.take(name.clone());
    });
    for gv in open {
        names.insert(gv.clone(), scope.take(module_name(gv, most)));
    }
    names
}

fn module_name(gv: &GroupVersion, labels: usize) -> RustName {
    let group = if gv.group.is_empty() { "core" } else { &gv.group };
    let labels: Vec<_> = group.split('.').take(labels).collect();
    snake(&format!("{}_{}", labels.join("_"), gv.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_take_as_many_labels_as_they_need() {
        let gvs = [
            ("", "v1"),
            ("apps", "v1"),
            ("rbac.authorization.k8s.io", "v1"),
            ("storage.k8s.io", "v1"),
            ("storage.example.com", "v1"),
            ("storage.example.com", "v2"),
            ("a.b-c", "v1"),
            ("a.b.c", "v1"),
        ];
        let gvs = gvs
            .iter()
            .map(|(group, version)| GroupVersion::new(group, version))
            .collect();
        let names = module_names(&gvs);
        let names: Vec<_> = names.iter().map(|(gv, name)| format!("{gv} {name}")).collect();
        assert_eq!(
            names,
            [
                "core/v1 core_v1",
                "a.b-c/v1 a_b_c_v1",
                "a.b.c/v1 a_b_v1",
                "apps/v1 apps_v1",
                "rbac.authorization.k8s.io/v1 rbac_v1",
                "storage.example.com/v1 storage_example_v1",
                "storage.example.com/v2 storage_v2",
                "storage.k8s.io/v1 storage_k8s_v1",
            ]
        );
    }
}
