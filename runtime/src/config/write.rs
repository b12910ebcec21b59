//! Changing kubeconfig files: [`Kubeconfig::modify`] and [`Environment::modify_kubeconfig`].
//!
//! A file is locked as client-go locks it, by `<file>.lock` beside it, so that kubectl and this do not undo each other's
//! changes. It is replaced as a whole, so that readers never see half of it; permissions, unknown keys and symbolic
//! links stay. Comments and the order of keys do not: the file is written anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Cluster, ConfigError, Context, Environment, Kubeconfig, Named, Origin, User};

impl Kubeconfig {
    /// Changes one file, made if it is not there: reads it, hands it to `change`, and writes it if something changed. The
    /// file stays as it is when `change` returns an error.
    ///
    /// Reads and writes files, and blocks while it does.
    ///
    /// # Errors
    /// [`ConfigError::Locked`] while somebody else changes the file, [`ConfigError::Unwritable`], what is wrong with the
    /// file, and whatever `change` returns.
    pub fn modify<R>(
        path: impl AsRef<Path>,
        change: impl FnOnce(&mut Self) -> Result<R, ConfigError>,
    ) -> Result<R, ConfigError> {
        // The file that a link points to is replaced, not the link.
        let path = path.as_ref();
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| unwritable(&path, error))?;
        }
        let _lock = Lock::take(&path)?;
        let before = match Self::read(&path) {
            Err(ConfigError::Unreadable {
                reason: io::ErrorKind::NotFound,
                ..
            }) => Self::default(),
            read => read?,
        };
        let mut after = before.clone();
        let result = change(&mut after)?;
        let text = after.to_yaml()?;
        if text != before.to_yaml()? {
            replace(&path, text.as_bytes()).map_err(|error| unwritable(&path, error))?;
        }
        Ok(result)
    }
}

impl Environment {
    /// Changes the files of `KUBECONFIG`, or `~/.kube/config`: reads them merged, hands that to `change`, and writes each
    /// difference to the file it belongs to. An entry goes to the file it came from; a new one to the first file that
    /// exists, else to the last of the list. `current-context` goes to the file that decides it now.
    ///
    /// Names and entries are written; what `change` does to other keys is not.
    ///
    /// # Errors
    /// As [`Kubeconfig::modify`]. Of several files some may have been written by then.
    pub fn modify_kubeconfig<R>(
        &self,
        change: impl FnOnce(&mut Kubeconfig) -> Result<R, ConfigError>,
    ) -> Result<R, ConfigError> {
        let paths = self.kubeconfig_paths();
        let before = Kubeconfig::read_merged(&paths)?;
        let mut after = before.clone();
        let result = change(&mut after)?;
        let newcomers = paths.iter().find(|path| path.exists()).or(paths.last());
        let mut files = paths.clone();
        // Entries that were read from elsewhere and moved here by the caller stay where they are.
        files.dedup();
        let decides = deciding_file(&files, &before)?;
        for path in &files {
            let takes_new = Some(path) == newcomers;
            let current = (after.current_context != before.current_context)
                .then(|| decides.as_ref().or(newcomers) == Some(path));
            let changes = Changes {
                clusters: differences(&before.clusters, &after.clusters, path, takes_new, Cluster::write),
                contexts: differences(&before.contexts, &after.contexts, path, takes_new, Context::write),
                users: differences(&before.users, &after.users, path, takes_new, User::write),
                current_context: current.filter(|own| *own).map(|_| after.current_context.clone()),
            };
            if !changes.is_empty() {
                Kubeconfig::modify(path, |file| {
                    changes.apply(file);
                    Ok(())
                })?;
            }
        }
        Ok(result)
    }
}

/// The file that says the current context, if one does.
fn deciding_file(paths: &[PathBuf], merged: &Kubeconfig) -> Result<Option<PathBuf>, ConfigError> {
    if merged.current_context.is_none() {
        return Ok(None);
    }
    for path in paths {
        let file = Kubeconfig::read_merged([path])?;
        if file.current_context.is_some() {
            return Ok(Some(path.clone()));
        }
    }
    Ok(None)
}

/// What changes in a list of one file: by name, the new entry or none.
type Differences<T> = Vec<(String, Option<Named<T>>)>;

struct Changes {
    clusters: Differences<Cluster>,
    contexts: Differences<Context>,
    users: Differences<User>,
    current_context: Option<Option<String>>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.clusters.is_empty()
            && self.contexts.is_empty()
            && self.users.is_empty()
            && self.current_context.is_none()
    }

    fn apply(self, file: &mut Kubeconfig) {
        fn put<T>(entries: &mut Vec<Named<T>>, differences: Differences<T>) {
            for (name, wanted) in differences {
                let at = entries.iter().position(|entry| entry.name == name);
                match (at, wanted) {
                    (Some(at), Some(entry)) => entries[at] = entry,
                    (Some(at), None) => drop(entries.remove(at)),
                    (None, Some(entry)) => entries.push(entry),
                    (None, None) => {}
                }
            }
        }
        put(&mut file.clusters, self.clusters);
        put(&mut file.contexts, self.contexts);
        put(&mut file.users, self.users);
        if let Some(current) = self.current_context {
            file.current_context = current;
        }
    }
}

/// What of the differences belongs to the file `path`.
fn differences<T: Clone>(
    before: &[Named<T>],
    after: &[Named<T>],
    path: &Path,
    takes_new: bool,
    write: impl Fn(&T) -> Map<String, Value>,
) -> Differences<T> {
    let is_here = |entry: &Named<T>| match &entry.origin {
        Origin::File(file) => std::path::absolute(path).is_ok_and(|path| path == *file),
        Origin::Memory => false,
    };
    let find = |entries: &[Named<T>], name: &str| entries.iter().find(|entry| entry.name == name).cloned();
    let mut found = Vec::new();
    for old in before.iter().filter(|old| is_here(old)) {
        let new = find(after, &old.name);
        let same = new
            .as_ref()
            .is_some_and(|new| write(&new.value) == write(&old.value) && new.remaining == old.remaining);
        if !same {
            found.push((old.name.clone(), new));
        }
    }
    for new in after {
        if takes_new && find(before, &new.name).is_none() {
            found.push((new.name.clone(), Some(new.clone())));
        }
    }
    found
}

/// The lock of a file, given up when dropped.
struct Lock(PathBuf);

impl Lock {
    fn take(path: &Path) -> Result<Self, ConfigError> {
        let lock = beside(path, ".lock");
        match OpenOptions::new().write(true).create_new(true).open(&lock) {
            Ok(_) => Ok(Self(lock)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(ConfigError::Locked {
                path: path.to_owned(),
                lock,
            }),
            Err(error) => Err(unwritable(path, error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a lock file cannot be removed");
        }
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Puts a whole new file in place of the old one, whose permissions it gets; a new one is for its owner alone.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = beside(path, &format!(".{}.new", std::process::id()));
    let written = (|| {
        let mut file = create(&new)?;
        file.write_all(content)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    if written.is_err() {
        // It may not have been made.
        let _ = fs::remove_file(&new);
    }
    written
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn unwritable(path: &Path, source: io::Error) -> ConfigError {
    ConfigError::Unwritable {
        path: path.to_owned(),
        reason: source.kind(),
        source,
    }
}
