//! The methods of client-go's typed clients, read from their interfaces: what ours are compared with.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// The version whose methods are in the table.
const VERSION: &str = "v0.37.2";

/// Where the table is, below the folder of the tests.
pub const TABLE: &str = "facts/client-go-methods.txt";

/// Arguments of `client-go`.
#[derive(clap::Args, Debug)]
pub struct ClientGoArgs {
    /// Write nothing; fail if the table is not what it would be.
    #[arg(long)]
    check: bool,
}

/// Writes or checks the table of client-go's methods: a line per resource.
///
/// # Errors
/// Without Go, when the module cannot be had, and with `--check` a stale table.
pub fn run(args: ClientGoArgs) -> Result<()> {
    let mut text = format!(
        "# Methods of the typed clients of k8s.io/client-go {VERSION}, a line per resource: names from their interfaces.\n\
         # To make it anew: cargo run -p kubeloom-tests -- client-go\n"
    );
    for (resource, methods) in read(&module()?)? {
        let _ = writeln!(text, "{resource}: {}", methods.join(" "));
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::fs::read_to_string(&path).unwrap_or_default() == text {
        println!("{TABLE} is up to date");
    } else if args.check {
        bail!("{TABLE} is stale; to repair it: cargo run -p kubeloom-tests -- client-go");
    } else {
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        println!("{TABLE} written");
    }
    Ok(())
}

/// The folder of the module in Go's cache.
fn module() -> Result<PathBuf> {
    let output = Command::new("go")
        .args(["mod", "download", "-json", &format!("k8s.io/client-go@{VERSION}")])
        .current_dir(std::env::temp_dir())
        .output()
        .context("Go is needed to read client-go; install it and run this again")?;
    let answer: Value = serde_json::from_slice(&output.stdout).context("go mod download says no JSON")?;
    let folder = answer["Dir"].as_str();
    let folder = folder.with_context(|| format!("client-go cannot be had: {}", answer["Error"]))?;
    Ok(PathBuf::from(folder))
}

/// Methods by `group directory/version resource`.
fn read(module: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let mut found = BTreeMap::new();
    let root = module.join("kubernetes/typed");
    for group in entries(&root)? {
        for version in entries(&group)? {
            for file in entries(&version)?
                .iter()
                .filter(|file| file.extension().is_some_and(|ext| ext == "go"))
            {
                let text = std::fs::read_to_string(file)?;
                let Some((resource, methods)) = read_client(&text) else {
                    continue;
                };
                let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
                let (group, version) = (
                    name(&group).unwrap_or_default(),
                    name(&version).unwrap_or_default(),
                );
                found.insert(format!("{group}/{version} {resource}"), methods);
            }
        }
    }
    ensure!(!found.is_empty(), "no clients below {}", root.display());
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// The plural and the methods of the client in a file, if there is one: the lines of `type XInterface interface`, and the
/// text that the constructor hands to the generic client.
fn read_client(text: &str) -> Option<(String, Vec<String>)> {
    let (_, body) = text.split_once("Interface interface {\n")?;
    let (body, _) = body.split_once("\n}")?;
    let mut methods: Vec<String> = body
        .lines()
        .filter_map(|line| line.trim().split_once('('))
        .map(|(name, _)| name.to_owned())
        .filter(|name| !name.is_empty() && name.chars().all(char::is_alphanumeric))
        .collect();
    methods.sort();
    let (_, constructor) = text.split_once("gentype.NewClient")?;
    let (_, resource) = constructor.split_once("(\n")?;
    let resource = resource
        .lines()
        .next()?
        .trim()
        .trim_matches(|c| c == '"' || c == ',')
        .to_owned();
    Some((resource, methods))
}

#[cfg(test)]
mod tests {
    use super::read_client;

    #[test]
    fn methods_and_plural_are_found() {
        let text = "type ThingsGetter interface {\n\tThings(ns string) ThingInterface\n}\n\
            type ThingInterface interface {\n\tGet(ctx X, name string) (*T, error)\n\t// Add a marker (or not).\n\
            \tCreate(ctx X)\n\n\tThingExpansion\n}\nreturn &things{\n\tgentype.NewClientWithList[*T, *L](\n\t\t\"things\",\n";
        let found = read_client(text).unwrap();
        assert_eq!(
            found,
            ("things".to_owned(), vec!["Create".to_owned(), "Get".to_owned()])
        );
        assert_eq!(read_client("type PodExpansion interface{}\n"), None);
    }
}
