//! The kubeconfig file: model, reading, merging, writing.
//!
//! Unknown keys are kept everywhere and written back. Files are read as client-go reads them; where it is stricter than
//! YAML (a number for a string is an error) so is this, because `token: 0123` has no one meaning.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::fields::{Fields, invalid};
use super::text::{decode, documents};
use super::{Cluster, ConfigError, Context, Origin, User};

/// One kubeconfig, or several merged.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Kubeconfig {
    /// The context in use.
    pub current_context: Option<String>,
    /// The clusters, in the order of the file, names unique.
    pub clusters: Vec<Named<Cluster>>,
    /// The contexts, in the order of the file, names unique.
    pub contexts: Vec<Named<Context>>,
    /// The users, in the order of the file, names unique.
    pub users: Vec<Named<User>>,
    /// The other keys: `apiVersion`, `kind`, `preferences`, `extensions` and whatever else.
    pub remaining: Remaining,
    /// The files this was read from, in the order of precedence.
    pub origins: Vec<Origin>,
}

/// A named entry and the file it stands in, whose directory its relative paths start from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Named<T> {
    /// The name.
    pub name: String,
    /// The entry.
    pub value: T,
    /// Where it was read.
    pub origin: Origin,
    /// Keys beside `name` and the entry.
    pub remaining: Remaining,
}

/// A mapping that may hold secrets and is kept as it is. `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Opaque(Value);

impl Opaque {
    /// Wraps a value.
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// The value. Neither log it nor put it into an error.
    pub fn expose(&self) -> &Value {
        &self.0
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// Keys that are kept for writing back. `Debug` shows the keys without their values.
#[derive(Clone, Default, PartialEq)]
pub struct Remaining(Map<String, Value>);

impl Remaining {
    /// Wraps keys and values.
    pub fn new(map: Map<String, Value>) -> Self {
        Self(map)
    }

    /// The keys and values. Neither log the values nor put them into an error.
    pub fn expose(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The same, to change.
    pub fn expose_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.0
    }
}

impl fmt::Debug for Remaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<T> Named<T> {
    /// An entry that was not read from a file.
    pub fn new(name: impl Into<String>, value: T) -> Self {
        Self {
            name: name.into(),
            value,
            origin: Origin::Memory,
            remaining: Remaining::default(),
        }
    }
}

impl Kubeconfig {
    /// Reads one file.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`], and those of [`Kubeconfig::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| unreadable("kubeconfig", path, source))?;
        Self::parse(&bytes, Origin::File(absolute(path)))
    }

    /// Reads several files and merges them, the first taking precedence. Missing files are skipped, repeated ones read
    /// once.
    ///
    /// # Errors
    /// The first file's that exists but cannot be used.
    pub fn read_merged<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, ConfigError> {
        let mut merged = Self::default();
        let mut seen: Vec<PathBuf> = Vec::new();
        for path in paths {
            let path = path.as_ref().to_owned();
            if path.as_os_str().is_empty() || seen.contains(&path) {
                continue;
            }
            match Self::read(&path) {
                Err(ConfigError::Unreadable {
                    reason: io::ErrorKind::NotFound,
                    ..
                }) => {}
                file => merged.merge(file?),
            }
            seen.push(path);
        }
        Ok(merged)
    }

    /// Reads a text: YAML or JSON, in UTF-8 (with or without a byte order mark) or UTF-16 with one. Several documents
    /// are merged, the first taking precedence.
    ///
    /// # Errors
    /// [`ConfigError::InvalidYaml`] or [`ConfigError::InvalidField`].
    pub fn parse(bytes: &[u8], origin: Origin) -> Result<Self, ConfigError> {
        let text = decode(bytes, &origin)?;
        let mut merged = Self {
            origins: vec![origin.clone()],
            ..Self::default()
        };
        for document in documents(&text, &origin)? {
            merged.merge(Self::from_value(document, &origin)?);
        }
        Ok(merged)
    }

    /// Adds what `later` has and this has not: whole entries by name, whole keys, no merging inside of one.
    pub fn merge(&mut self, later: Self) {
        fn add<T>(entries: &mut Vec<Named<T>>, later: Vec<Named<T>>) {
            for entry in later {
                if !entries.iter().any(|known| known.name == entry.name) {
                    entries.push(entry);
                }
            }
        }
        self.current_context = self.current_context.take().or(later.current_context);
        add(&mut self.clusters, later.clusters);
        add(&mut self.contexts, later.contexts);
        add(&mut self.users, later.users);
        for (key, value) in later.remaining.0 {
            self.remaining.0.entry(key).or_insert(value);
        }
        for origin in later.origins {
            if !self.origins.contains(&origin) {
                self.origins.push(origin);
            }
        }
    }

    /// Whether there is nothing in it that could lead to a cluster.
    pub fn is_empty(&self) -> bool {
        self.current_context.is_none()
            && self.clusters.is_empty()
            && self.contexts.is_empty()
            && self.users.is_empty()
    }

    fn from_value(document: Value, origin: &Origin) -> Result<Self, ConfigError> {
        let mut fields = Fields::new(document, "", origin)?;
        Ok(Self {
            current_context: fields.string("current-context")?,
            clusters: named(&mut fields, "clusters", "cluster", origin, Cluster::read)?,
            contexts: named(&mut fields, "contexts", "context", origin, Context::read)?,
            users: named(&mut fields, "users", "user", origin, User::read)?,
            remaining: Remaining(fields.rest()),
            origins: vec![origin.clone()],
        })
    }

    /// The text of the file, with all secrets: keys in alphabetical order, unknown keys included, relative paths as
    /// they were read.
    ///
    /// # Errors
    /// [`ConfigError::InvalidYaml`] when a value cannot be written as YAML.
    pub fn to_yaml(&self) -> Result<String, ConfigError> {
        let mut map = self.remaining.0.clone();
        put(&mut map, "current-context", self.current_context.clone());
        map.insert(
            "clusters".into(),
            unnamed(&self.clusters, "cluster", Cluster::write),
        );
        map.insert(
            "contexts".into(),
            unnamed(&self.contexts, "context", Context::write),
        );
        map.insert("users".into(), unnamed(&self.users, "user", User::write));
        serde_saphyr::to_string(&Value::Object(map)).map_err(|_| ConfigError::InvalidYaml {
            origin: self.origins.first().cloned().unwrap_or(Origin::Memory),
            line: 0,
            column: 0,
            problem: "a value cannot be written as YAML".to_owned(),
        })
    }
}

pub(super) fn put(map: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

/// Reads a list of `{name, <inner>}`; a name used twice in one document is an error, as in client-go.
fn named<T>(
    fields: &mut Fields<'_>,
    list: &str,
    inner: &str,
    origin: &Origin,
    read: impl Fn(Fields<'_>) -> Result<T, ConfigError>,
) -> Result<Vec<Named<T>>, ConfigError> {
    let mut entries: Vec<Named<T>> = Vec::new();
    for (index, item) in fields.list(list)?.into_iter().enumerate() {
        let mut item = Fields::new(item, format!("{list}[{index}]"), origin)?;
        let name = item.string("name")?.unwrap_or_default();
        let path = format!("{list}[{name}].{inner}");
        let value = item.opaque(inner)?.unwrap_or(Value::Null);
        let value = read(Fields::new(value, path, origin)?)?;
        if entries.iter().any(|known| known.name == name) {
            let key = format!("{list}[{index}].name");
            return Err(invalid(
                origin,
                key,
                format!("the name {name:?} is used twice"),
                "rename or remove one",
            ));
        }
        entries.push(Named {
            name,
            value,
            origin: origin.clone(),
            remaining: Remaining(item.rest()),
        });
    }
    Ok(entries)
}

fn unnamed<T>(entries: &[Named<T>], inner: &str, write: impl Fn(&T) -> Map<String, Value>) -> Value {
    let items = entries.iter().map(|entry| {
        let mut map = entry.remaining.0.clone();
        map.insert("name".to_owned(), entry.name.clone().into());
        map.insert(inner.to_owned(), Value::Object(write(&entry.value)));
        Value::Object(map)
    });
    Value::Array(items.collect())
}

pub(super) fn unreadable(role: &'static str, path: &Path, source: io::Error) -> ConfigError {
    ConfigError::Unreadable {
        role,
        path: path.to_owned(),
        reason: source.kind(),
        source,
    }
}

/// `path` below the current directory when it is relative; left alone when there is no current directory.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
