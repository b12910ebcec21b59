//! Where documents come from: folders, files, the embedded bundle, or whoever fetched them.
//!
//! A source yields [`Documents`]: paths and bytes. What a document is, is seen by its content in
//! `parse`; this module must not look inside.

mod embedded;
mod snapshot;

use std::path::{Path, PathBuf};

pub use embedded::embedded;
pub use snapshot::{Descriptions, Snapshot};

use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// The name of what came over standard input.
pub(crate) const STDIN: &str = "standard input";

/// How deep folders are read.
const MAX_DEPTH: usize = 16;

/// One input of a run.
#[derive(Clone, Debug)]
pub enum Source {
    /// The bundle of the newest Kubernetes minor that the generator was built with.
    Embedded,
    /// A file, a folder of which every `.json`, `.yaml` and `.yml` file is read, or a pattern (`crds/**/*.yaml`) for such.
    Path(PathBuf),
    /// What comes over standard input: JSON, or a stream of YAML documents.
    Stdin,
    /// Documents that are already there, such as those of a live cluster.
    Documents(Documents),
}

/// Documents by path, sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documents {
    documents: Vec<Document>,
}

/// A document as it came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Document {
    /// Where it came from: a path relative to its source, with `/`. Only used to name it.
    pub path: String,
    /// What it says.
    pub bytes: Vec<u8>,
}

impl Documents {
    /// Adds a document. Two with one path are both kept, unless they are equal.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        let document = Document {
            path: path.into(),
            bytes: bytes.into(),
        };
        if let Err(position) = self.documents.binary_search(&document) {
            self.documents.insert(position, document);
        }
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: Self) {
        for document in other.documents {
            self.insert(document.path, document.bytes);
        }
    }

    /// The documents, ordered by path.
    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

/// Reads all sources. None at all means the embedded bundle.
///
/// # Errors
/// Files that cannot be read, and folders and patterns without a file; all of them, not only the first.
pub fn read(sources: &[Source]) -> Result<Documents, Report> {
    let mut documents = Documents::default();
    let mut report = Report::default();
    if sources.is_empty() {
        return Ok(embedded());
    }
    for source in sources {
        match source {
            Source::Embedded => documents.extend(embedded()),
            Source::Documents(given) => documents.extend(given.clone()),
            Source::Path(path) => read_path(path, &mut documents, &mut report),
            Source::Stdin => read_stdin(&mut documents, &mut report),
        }
    }
    if report.has_errors() {
        report.sort();
        return Err(report);
    }
    Ok(documents)
}

fn read_stdin(documents: &mut Documents, report: &mut Report) {
    let mut bytes = Vec::new();
    match std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes) {
        Ok(_) => documents.insert(STDIN, bytes),
        Err(error) => {
            let message = format!("cannot read it: {error}");
            report.push(Diagnostic::new(Code::Io, Location::document(STDIN), message));
        }
    }
}

/// Reads the files that a pattern matches.
fn read_pattern(pattern: &Path, documents: &mut Documents, report: &mut Report) {
    let matching = match glob::glob(&pattern.to_string_lossy()) {
        Ok(matching) => matching,
        Err(error) => {
            report.push(Diagnostic::new(
                Code::Io,
                location(pattern),
                format!("this is no pattern: {error}"),
            ));
            return;
        }
    };
    let mut any = false;
    for path in matching {
        match path {
            Ok(path) => {
                any = true;
                read_path(&path, documents, report);
            }
            Err(error) => {
                let message = format!("cannot list it: {}", error.error());
                report.push(Diagnostic::new(Code::Io, location(error.path()), message));
            }
        }
    }
    if !any {
        report.push(Diagnostic::new(
            Code::Io,
            location(pattern),
            "the pattern matches no file",
        ));
    }
}

fn read_path(path: &Path, documents: &mut Documents, report: &mut Report) {
    if path.is_dir() {
        let before = documents.len();
        read_folder(path, "", 0, documents, report);
        if documents.len() == before && !report.has_errors() {
            report.push(
                Diagnostic::new(
                    Code::Io,
                    location(path),
                    "the folder holds no .json and no .yaml file",
                )
                .help("`kubeloom snapshot --out DIR` fills a folder from a cluster"),
            );
        }
        return;
    }
    let is_pattern = path.to_string_lossy().contains(['*', '?', '[']);
    if is_pattern && !path.exists() {
        return read_pattern(path, documents, report);
    }
    let name = path
        .file_name()
        .map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    match std::fs::read(path) {
        Ok(bytes) => documents.insert(name, bytes),
        Err(error) => report.push(
            Diagnostic::new(Code::Io, location(path), format!("cannot read it: {error}"))
                .help("a source is a file, a folder with .json or .yaml files, or a pattern for such"),
        ),
    }
}

/// Reads the `.json` and YAML files of a folder and those below; names that start with a dot and links to folders are skipped.
fn read_folder(folder: &Path, prefix: &str, depth: usize, documents: &mut Documents, report: &mut Report) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            report.push(Diagnostic::new(
                Code::Io,
                location(folder),
                format!("cannot list it: {error}"),
            ));
            return;
        }
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                report.push(Diagnostic::new(
                    Code::Io,
                    location(folder),
                    format!("cannot list it: {error}"),
                ));
                continue;
            }
        };
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let relative = format!("{prefix}{name}");
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth < MAX_DEPTH {
                read_folder(&path, &format!("{relative}/"), depth + 1, documents, report);
            }
        } else if is_document(&name) && path.is_file() {
            match std::fs::read(&path) {
                Ok(bytes) => documents.insert(relative, bytes),
                Err(error) => {
                    report.push(Diagnostic::new(
                        Code::Io,
                        location(&path),
                        format!("cannot read it: {error}"),
                    ));
                }
            }
        }
    }
}

fn is_document(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".yaml") || name.ends_with(".yml")
}

fn location(path: &Path) -> Location {
    Location::document(&path.to_string_lossy())
}
