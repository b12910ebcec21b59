//! Makes the fact table of the Kubernetes types (`kubeloom_codegen::facts`) from two sources that must agree:
//!
//! - the `.proto` files of the Kubernetes modules: messages, field numbers, kinds;
//! - the Go types of the same modules ([`go`]): order, JSON names, presence, inlined structs, and the protobuf struct
//!   tags, which repeat numbers and names.
//!
//! [`join`] brings them together. Only names, numbers, kinds and flags pass; no comment does.

pub mod go;
pub mod join;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use kubeloom_codegen::facts::proto::{ProtoRoot, ProtoTable};
use kubeloom_codegen::facts::{Facts, Source};

/// The modules the table is read from; `go.mod` beside the Go program pins their versions.
const MODULES: [&str; 4] = [
    "k8s.io/api",
    "k8s.io/apiextensions-apiserver",
    "k8s.io/apimachinery",
    "k8s.io/kube-aggregator",
];
/// Packages without `.proto` file that are read as well: the type of `/version`, and the named strings that API types
/// use.
const EXTRA_PACKAGES: [&str; 2] = ["k8s.io/apimachinery/pkg/version", "k8s.io/apimachinery/pkg/types"];

/// Downloads the modules if need be, reads them with the Go program in `program`, and joins the facts.
///
/// # Errors
///
/// If Go fails, a `.proto` file does not compile, or the two sources disagree.
pub fn collect(program: &Path) -> anyhow::Result<Facts> {
    let modules = go::download(program, &MODULES)?;
    let roots: Vec<ProtoRoot> = modules
        .iter()
        .map(|module| ProtoRoot {
            prefix: module.path.clone(),
            dir: module.dir.clone(),
        })
        .collect();
    let protos = ProtoTable::read(&roots)?;
    let mut packages = BTreeMap::new();
    for import_path in protos.files.keys().map(|file| parent(file)).chain(EXTRA_PACKAGES) {
        let module = modules
            .iter()
            .find(|module| import_path.starts_with(&format!("{}/", module.path)));
        let module = module.with_context(|| format!("no module holds {import_path}"))?;
        let relative = import_path
            .trim_start_matches(&module.path)
            .trim_start_matches('/');
        packages.insert(import_path, module.dir.join(relative));
    }
    let types = go::read(program, &packages)?;
    let messages = join::join(&protos, &types)?;
    let sources = modules
        .into_iter()
        .map(|module| Source {
            module: module.path,
            version: module.version,
            sum: module.sum,
        })
        .collect();
    Ok(Facts { sources, messages })
}

/// The folder part of an import name.
fn parent(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(parent, _)| parent)
}
