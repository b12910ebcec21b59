//! Test sources that list what was generated, so that no list is kept by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use kubeloom_codegen::ir::{Api, Offer, Resource, Subresource, Verb};
use kubeloom_codegen::{Options, describe, sources};

/// Arguments of `tables`.
#[derive(clap::Args, Debug)]
pub struct TablesArgs {
    /// Write nothing; fail if a table is not what it would be.
    #[arg(long)]
    check: bool,
}

/// Writes or checks the tables.
///
/// # Errors
/// The file system's, and with `--check` a stale table.
pub fn run(args: TablesArgs) -> Result<()> {
    for (path, text) in tables()? {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            println!("{} is up to date", path.display());
        } else if args.check {
            bail!(
                "{} is stale; to repair it: cargo run -p kubeloom-tests -- tables",
                path.display()
            );
        } else {
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
            println!("{} written", path.display());
        }
    }
    Ok(())
}

/// The tables by path below the folder of the tests.
///
/// # Errors
/// When the embedded bundle cannot be read.
pub fn tables() -> Result<BTreeMap<&'static str, String>> {
    let documents = sources::read(&[]).map_err(|report| anyhow::anyhow!(report.render(false)))?;
    let api = describe(&documents, &Options::new("kubeloom-k8s"));
    let (api, _) = api.map_err(|report| anyhow::anyhow!(report.render(false)))?;
    Ok(BTreeMap::from([
        ("tests/e2e/every_verb_table.rs", every_verb(&api)),
        ("facts/methods.txt", methods(&api)),
    ]))
}

/// A call of the probe for each verb of each resource and subresource.
fn every_verb(api: &Api) -> String {
    let mut text = String::from(
        "// Written by `cargo run -p kubeloom-tests -- tables`.\n#![cfg_attr(rustfmt, rustfmt_skip)]\n\n\
         use kubeloom::resource::sub;\nuse kubeloom_k8s as k8s;\n\nuse super::Probe;\n\n",
    );
    let mut all = String::from("pub(super) async fn call_all(probe: &mut Probe) {\n");
    for module in &api.modules {
        let mut calls = String::new();
        for ty in module.files.iter().flat_map(|file| &file.types) {
            let Some(resource) = &ty.resource else { continue };
            let kind = format!("k8s::{}::{}", module.name, ty.name);
            for offer in &resource.offers {
                write_calls(&kind, offer, &mut calls);
            }
        }
        if !calls.is_empty() {
            let _ = writeln!(all, "    {}(probe).await;", module.name);
            let _ = write!(
                text,
                "async fn {}(probe: &mut Probe) {{\n{calls}}}\n\n",
                module.name
            );
        }
    }
    text + &all + "}\n"
}

fn write_calls(kind: &str, offer: &Offer, calls: &mut String) {
    let part = match &offer.subresource {
        None => None,
        Some(Subresource::Known("Root")) => None,
        Some(Subresource::Known(name)) => Some(format!("sub::{name}")),
        Some(Subresource::Marker(marker)) => {
            let module = kind.rsplit_once("::").map_or("", |(module, _)| module);
            Some(format!("{module}::{}", marker.name))
        }
    };
    for (verb, exchange) in &offer.verbs {
        let Some(method) = method(*verb) else { continue };
        // A resource whose create answers with something else than itself has no typed `create`.
        let _ = match (&part, exchange) {
            (None, Some(_)) => Ok(()),
            (None, None) => writeln!(calls, "    probe.{method}::<{kind}>().await;"),
            (Some(part), _) => writeln!(calls, "    probe.{method}_part::<{kind}, {part}>().await;"),
        };
    }
}

/// The probe's method of a verb; streams have tests of their own.
fn method(verb: Verb) -> Option<&'static str> {
    Some(match verb {
        Verb::Connect => return None,
        Verb::Create => "create",
        Verb::Delete => "delete",
        Verb::DeleteCollection => "delete_collection",
        Verb::Get => "get",
        Verb::List => "list",
        Verb::Patch => "patch",
        Verb::Update => "update",
        Verb::Watch => "watch",
    })
}

/// A line per resource: its methods, by the names that client-go gives them.
fn methods(api: &Api) -> String {
    let mut lines = Vec::new();
    for module in &api.modules {
        for resource in module
            .files
            .iter()
            .flat_map(|file| &file.types)
            .filter_map(|ty| ty.resource.as_ref())
        {
            let group = if resource.group.as_str().is_empty() {
                "core"
            } else {
                resource.group.as_str()
            };
            let mut names: Vec<String> = method_names(resource);
            names.sort();
            lines.push(format!(
                "{group}/{} {}: {}",
                resource.version.as_str(),
                resource.plural.as_str(),
                names.join(" ")
            ));
        }
    }
    lines.sort();
    lines.join("\n") + "\n"
}

fn method_names(resource: &Resource) -> Vec<String> {
    let mut names = Vec::new();
    for offer in &resource.offers {
        let suffix = match &offer.subresource {
            None | Some(Subresource::Known("Root")) => "",
            Some(Subresource::Known(name)) => name,
            Some(Subresource::Marker(marker)) => marker.name.as_str(),
        };
        for verb in offer.verbs.keys() {
            names.push(format!("{verb:?}{suffix}"));
            if *verb == Verb::Patch {
                names.push(format!("Apply{suffix}"));
            }
        }
    }
    names
}
