//! Writes a generated crate, or compares it with what is there.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::provenance;

/// How a folder differs from what would be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Files that are not there.
    pub missing: Vec<String>,
    /// Files with other content.
    pub stale: Vec<String>,
    /// Files that were generated once and would not be any more.
    pub orphan: Vec<String>,
}

impl Drift {
    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.stale.is_empty() && self.orphan.is_empty()
    }
}

/// A line per file.
impl std::fmt::Display for Drift {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (word, paths) in [
            ("missing", &self.missing),
            ("stale", &self.stale),
            ("orphan", &self.orphan),
        ] {
            for path in paths {
                writeln!(f, "{word:<8}{path}")?;
            }
        }
        Ok(())
    }
}

/// Compares a folder with the files of a crate. Files that the provenance file does not list are none of ours.
///
/// # Errors
/// Those of the file system.
pub fn compare(folder: &Path, files: &BTreeMap<String, String>) -> io::Result<Drift> {
    let mut drift = Drift::default();
    for (path, text) in files {
        match read(&folder.join(path))? {
            None => drift.missing.push(path.clone()),
            Some(bytes) if bytes != text.as_bytes() => drift.stale.push(path.clone()),
            Some(_) => {}
        }
    }
    let listed = read(&folder.join(provenance::FILE))?.unwrap_or_default();
    let gone = provenance::listed(&listed).into_iter();
    drift.orphan = gone
        .filter(|path| !files.contains_key(path) && folder.join(path).is_file())
        .collect();
    Ok(drift)
}

/// Writes what differs and removes orphans. Says what it did.
///
/// # Errors
/// Those of the file system. The provenance file is written last, so that a run that was cut off can be repeated.
pub fn write(folder: &Path, files: &BTreeMap<String, String>) -> io::Result<Drift> {
    let drift = compare(folder, files)?;
    for path in &drift.orphan {
        fs::remove_file(folder.join(path))?;
        remove_empty_parents(folder, path);
    }
    let (last, others): (BTreeMap<_, _>, BTreeMap<_, _>) = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_bytes()))
        .partition(|(path, _)| *path == provenance::FILE);
    write_changed(folder, &others)?;
    write_changed(folder, &last)?;
    Ok(drift)
}

/// Writes the files whose content differs; how many those were.
pub(crate) fn write_changed(folder: &Path, files: &BTreeMap<&str, &[u8]>) -> io::Result<usize> {
    let mut written = 0;
    for (path, bytes) in files {
        let target = folder.join(path);
        if read(&target)?.as_deref() == Some(*bytes) {
            continue;
        }
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&target, bytes)?;
        written += 1;
    }
    Ok(written)
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("{}: {error}", path.display()),
        )),
    }
}

/// Removes the folders above an orphan that are empty now, up to the crate's own.
fn remove_empty_parents(folder: &Path, path: &str) {
    let mut path = Path::new(path);
    while let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        // A folder that is not empty stays: that is the error.
        if fs::remove_dir(folder.join(parent)).is_err() {
            return;
        }
        path = parent;
    }
}
