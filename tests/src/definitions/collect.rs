//! The definitions of folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kubeloom_codegen::sources::{Descriptions, Documents, Snapshot};
use serde_json::Value;

/// A definition.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The file, relative to the folder that was given.
    pub file: String,
    /// The name of the object.
    pub name: String,
    /// The object.
    pub value: Value,
    /// Its text, as a snapshot keeps it.
    pub bytes: Vec<u8>,
}

impl Definition {
    /// Its versions.
    pub fn versions(&self) -> impl Iterator<Item = &Value> {
        self.value
            .pointer("/spec/versions")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    }

    fn resource(&self) -> (Option<&str>, Option<&str>) {
        let text = |pointer| self.value.pointer(pointer).and_then(Value::as_str);
        (text("/spec/group"), text("/spec/names/kind"))
    }
}

/// Definitions that make one crate: no two of them define one kind.
#[derive(Clone, Debug, Default)]
pub struct Shard {
    /// The name of the crate.
    pub name: String,
    /// The definitions.
    pub definitions: Vec<Definition>,
}

impl Shard {
    /// What the generator reads.
    pub fn documents(&self) -> Documents {
        let mut documents = Documents::default();
        for definition in &self.definitions {
            documents.insert(
                format!("{}#{}.json", definition.file, definition.name),
                definition.bytes.as_slice(),
            );
        }
        documents
    }
}

/// What folders hold.
#[derive(Debug, Default)]
pub struct Collected {
    /// Crates by project.
    pub shards: Vec<Shard>,
    /// Files that could not be read, and why.
    pub unreadable: Vec<(String, String)>,
}

/// Reads the files of folders. Each folder right below is a project of its own; of `every` projects one is taken.
///
/// # Errors
/// Folders that cannot be read, or hold no definition.
pub fn collect(folders: &[PathBuf], every: usize) -> Result<Collected> {
    let mut collected = Collected::default();
    let mut projects: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in folders {
        let mut below: Vec<PathBuf> = entries(folder)?
            .into_iter()
            .filter(|path| path.is_dir())
            .collect();
        if below.is_empty() {
            below.push(folder.clone());
        }
        for path in below {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            projects.entry(name.unwrap_or_default()).or_default().push(path);
        }
    }
    for (index, (name, paths)) in projects.into_iter().enumerate() {
        if index % every.max(1) != 0 {
            continue;
        }
        let mut shards: Vec<Shard> = Vec::new();
        for path in paths {
            let mut files = Vec::new();
            walk(&path, &mut files)?;
            for file in files {
                let relative = format!("{name}/{}", file.strip_prefix(&path).unwrap_or(&file).display());
                match read(&file, &relative) {
                    Ok(definitions) => definitions
                        .into_iter()
                        .for_each(|one| place(one, &name, &mut shards)),
                    Err(error) => collected.unreadable.push((relative, format!("{error:#}"))),
                }
            }
        }
        collected.shards.extend(shards);
    }
    ensure!(!collected.shards.is_empty(), "no definition in {folders:?}");
    Ok(collected)
}

/// Puts a definition into the first crate that does not define its kind yet.
fn place(definition: Definition, project: &str, shards: &mut Vec<Shard>) {
    let fits = |shard: &&mut Shard| {
        shard
            .definitions
            .iter()
            .all(|one| one.resource() != definition.resource())
    };
    match shards.iter_mut().find(fits) {
        Some(shard) => shard.definitions.push(definition),
        None => shards.push(Shard {
            name: format!("corpus-{project}-{}", shards.len() + 1),
            definitions: vec![definition],
        }),
    }
}

/// The definitions of a file, each in the form in which a snapshot keeps it.
fn read(file: &Path, relative: &str) -> Result<Vec<Definition>> {
    let mut documents = Documents::default();
    documents.insert(file.to_string_lossy(), fs::read(file)?);
    let snapshot = Snapshot::from_documents(&documents, Descriptions::Keep)?;
    let mut definitions = Vec::new();
    for (path, bytes) in snapshot.files() {
        let Some(name) = path
            .strip_prefix("crds/")
            .and_then(|path| path.strip_suffix(".json"))
        else {
            continue;
        };
        definitions.push(Definition {
            file: relative.to_owned(),
            name: name.to_owned(),
            value: serde_json::from_slice(bytes)?,
            bytes: bytes.clone(),
        });
    }
    ensure!(!definitions.is_empty(), "it holds no definition");
    Ok(definitions)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut entries = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    Ok(entries)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for path in entries(folder)? {
        let suffix = path.extension().and_then(|suffix| suffix.to_str());
        if path.is_dir() {
            walk(&path, files)?;
        } else if matches!(suffix, Some("yaml" | "yml" | "json")) {
            files.push(path);
        }
    }
    Ok(())
}
