//! The graph of features: which group-version needs which.

use std::collections::{BTreeMap, BTreeSet};

use super::graph;
use crate::ir::{Module, RustName};

/// Fills in what each module requires and what brings it in. Members of a cycle bring each other in and require what any
/// of them does.
pub(super) fn link(mut modules: Vec<Module>) -> Vec<Module> {
    let edges: BTreeMap<RustName, BTreeSet<RustName>> = modules
        .iter()
        .map(|module| {
            let needed = module.files.iter().flat_map(|file| file.modules.iter().cloned());
            (module.name.clone(), needed.collect())
        })
        .collect();
    let components = graph::components(&edges);
    for module in &mut modules {
        let Some(component) = components.get(&module.name) else {
            continue;
        };
        let outer = component.iter().filter_map(|member| edges.get(member)).flatten();
        module.requires = outer
            .filter(|needed| !component.contains(*needed))
            .cloned()
            .collect();
        module.gates = component.clone();
        let mut shared = Vec::new();
        for ty in module.files.iter().flat_map(|file| &file.types) {
            super::references(ty).for_each(|ty| super::shared(ty, &mut shared));
        }
        module.shared = shared.into_iter().map(|id| id.module.clone()).collect();
    }
    modules
}
