//! Runs Go: downloads modules, and reads Go types with the program in `tests/go-facts`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, ensure};
use serde::Deserialize;

/// A downloaded module, as `go mod download -json` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Module {
    /// Module path.
    pub path: String,
    /// Version with its `v`.
    pub version: String,
    /// Folder with the module's files.
    pub dir: PathBuf,
    /// The `h1:` sum, which Go has verified against `go.sum`.
    pub sum: String,
}

/// One Go package, as the program prints it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Package {
    /// Import path.
    pub path: String,
    /// Declared types by name.
    pub types: Vec<Type>,
}

/// A declared Go type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Type {
    /// Name within the package.
    pub name: String,
    /// Whether it is another name for [`underlying`](Self::underlying) and not a new type.
    pub alias: bool,
    /// Whether it has a `MarshalJSON` method.
    pub own_json: bool,
    /// `struct`, or a type expression: `*T`, `[]T`, `map[K]V`, a predeclared name, a name behind its full import path,
    /// `?` for anything else.
    pub underlying: String,
    /// Fields of a struct in the order of the declaration.
    pub fields: Vec<Field>,
}

/// A field of a Go struct.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Field {
    /// Go name; that of the type if embedded.
    pub name: String,
    /// Type expression.
    #[serde(rename = "type")]
    pub type_: String,
    /// Whether the field is embedded.
    pub embedded: bool,
    /// Whether there is a `json` tag, empty or not.
    pub has_json: bool,
    /// Text of the `json` tag.
    pub json: String,
    /// Text of the `protobuf` tag.
    pub protobuf: String,
}

/// Downloads modules in the versions that `go.mod` in `program` pins, unless the module cache has them.
///
/// # Errors
///
/// If Go fails, for want of a network or because a sum does not match `go.sum`.
pub fn download(program: &Path, modules: &[&str]) -> anyhow::Result<Vec<Module>> {
    let mut command = go(program);
    command.args(["mod", "download", "-json"]).args(modules);
    let output = run(command, "go mod download")?;
    let found: Vec<Module> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .context("cannot read what `go mod download -json` printed")?;
    let mut sorted = found;
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let paths: Vec<&str> = sorted.iter().map(|module| module.path.as_str()).collect();
    ensure!(paths == modules, "asked Go for {modules:?}, got {paths:?}");
    Ok(sorted)
}

/// Reads Go packages, given as import path and folder.
///
/// # Errors
///
/// If the program fails: a folder without types, a file that does not parse.
pub fn read(program: &Path, packages: &BTreeMap<&str, PathBuf>) -> anyhow::Result<Vec<Package>> {
    let mut command = go(program);
    command.args(["run", "."]);
    for (import_path, dir) in packages {
        command.arg(format!("{import_path}={}", dir.display()));
    }
    let output = run(command, "tests/go-facts")?;
    serde_json::from_slice(&output.stdout).context("cannot read what tests/go-facts printed")
}

fn go(program: &Path) -> Command {
    let mut command = Command::new("go");
    command
        .current_dir(program)
        .env("GOWORK", "off")
        .env("GOFLAGS", "-mod=readonly")
        .stdin(Stdio::null());
    command
}

fn run(mut command: Command, what: &str) -> anyhow::Result<Output> {
    let output = command.output().with_context(|| format!("cannot start {what}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    // `go mod download -json` reports errors on standard output.
    let printed = if output.status.success() {
        "".into()
    } else {
        String::from_utf8_lossy(&output.stdout)
    };
    ensure!(
        output.status.success(),
        "{what} failed ({}): {said}{printed}",
        output.status
    );
    Ok(output)
}
