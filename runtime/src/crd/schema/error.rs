//! Why a Rust type has no schema that servers accept.

use std::fmt;

use crate::field::Path;

/// A type that has no structural schema, or whose attributes do not fit it. Says where and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    kind: String,
    path: Path,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Recursion(Vec<String>),
    Keyword(String),
    Reference(String),
    Nothing,
    NoObject,
    Missing { key: &'static str, path: String },
    Other(String),
}

impl SchemaError {
    fn new(path: &Path, what: What) -> Self {
        Self {
            kind: String::new(),
            path: path.clone(),
            what,
        }
    }

    pub(super) fn recursion(cycle: Vec<String>, path: &Path) -> Self {
        Self::new(path, What::Recursion(cycle))
    }

    pub(super) fn keyword(keyword: &str, path: &Path) -> Self {
        Self::new(path, What::Keyword(keyword.to_owned()))
    }

    pub(super) fn reference(reference: &str, path: &Path) -> Self {
        Self::new(path, What::Reference(reference.to_owned()))
    }

    pub(super) fn nothing(path: &Path) -> Self {
        Self::new(path, What::Nothing)
    }

    pub(super) fn no_object() -> Self {
        Self::new(&Path::root(), What::NoObject)
    }

    pub(crate) fn missing(key: &'static str, path: &str) -> Self {
        let path = path.to_owned();
        Self::new(&Path::root(), What::Missing { key, path })
    }

    pub(crate) fn other(path: &Path, what: impl Into<String>) -> Self {
        Self::new(path, What::Other(what.into()))
    }

    pub(crate) fn of(mut self, kind: &str) -> Self {
        kind.clone_into(&mut self.kind);
        self
    }

    /// The field that it is about; the root for the type as a whole.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the type contains itself.
    #[must_use]
    pub fn is_recursion(&self) -> bool {
        matches!(self.what, What::Recursion(_))
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind)?;
        if self.path != Path::root() {
            write!(f, "{}: ", self.path)?;
        }
        match &self.what {
            What::Recursion(cycle) => write!(
                f,
                "{} contains itself, and schemas of CustomResourceDefinitions cannot: keep the inner value as any JSON with \
                 `#[schemars(with = \"kubeloom::value::RawJson\")]` on the field, or refer to it by name",
                cycle.join(" > ")
            ),
            What::Keyword(keyword) => write!(
                f,
                "servers know no `{keyword}` in the schema of a CustomResourceDefinition: say it as a rule \
                 (`#[schemars(transform = kubeloom::crd::schema::rule(...))]`)"
            ),
            What::Reference(reference) => write!(f, "the schema refers to {reference}, which is not there"),
            What::Nothing => f.write_str("the schema allows no value at all"),
            What::NoObject => f.write_str("the type is no struct with named fields to serde"),
            What::Missing { key, path } => write!(
                f,
                "`{key}` names {path}, and the type has no such field; names are those in JSON"
            ),
            What::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SchemaError {}
