//! Lists the files of the embedded bundle, so that a file added to it cannot be forgotten.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The bundle of the newest Kubernetes minor.
const BUNDLE: &str = "specs/kubernetes-1.37";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join(BUNDLE);
    println!("cargo::rerun-if-changed={BUNDLE}");
    let mut files = Vec::new();
    list(&root, &mut files)?;
    files.sort();
    let mut code = String::from("/// Paths and texts, sorted by path.\nconst BUNDLE: &[(&str, &str)] = &[\n");
    for file in files {
        let relative = file.strip_prefix(&root).map_err(io::Error::other)?;
        let relative = relative.to_string_lossy().replace('\\', "/");
        writeln!(
            code,
            "    ({relative:?}, include_str!({:?})),",
            file.display().to_string()
        )
        .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(
        PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("bundle.rs"),
        code,
    )
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => list(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
