//! Prints the [`ir`](crate::ir). It decides nothing and cannot fail.
//!
//! Items are `syn` items made by `quote`; `layout` turns them into text. Identifiers come from
//! [`RustName`](crate::ir::RustName)s, which are valid by construction.

mod crate_docs;
mod crate_files;
mod layout;
mod resources;
mod scope;
mod types;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::ir::Api;
use crate::options::Options;

/// Texts of the files of a crate by relative path, without the provenance file.
pub(crate) fn emit(api: &Api, options: &Options) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    files.insert("Cargo.toml".to_owned(), crate_files::manifest(api, options));
    files.insert("src/lib.rs".to_owned(), crate_files::lib(api, options));
    for module in &api.modules {
        let folder = format!("src/{}", module.name);
        files.insert(format!("{folder}/mod.rs"), crate_files::module(module));
        for file in &module.files {
            files.insert(format!("{folder}/{}.rs", file.name), types::file(module, file));
        }
    }
    files
}
