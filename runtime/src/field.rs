//! Paths of fields and what is wrong with them, in the words that servers use.
//!
//! A controller or webhook that checks objects by hand collects [`Invalid`]s in an [`InvalidFields`]; as a
//! [`Status`] they read as the server's own: reason `Invalid`, code 422, one cause for each field.
//!
//! ```
//! use kubeloom::field::{InvalidFields, Path};
//!
//! let listeners = Path::new("spec").child("listeners");
//! let mut errors = InvalidFields::default();
//! errors.required(&listeners.index(0).child("name"), "each listener has a name");
//! errors.duplicate(&listeners.index(1).child("port"), 80);
//! assert_eq!(
//!     errors.to_string(),
//!     "[spec.listeners[0].name: Required value: each listener has a name, \
//!      spec.listeners[1].port: Duplicate value: 80]"
//! );
//! let status = errors.into_status("demo.example.com", "Gateway", "front");
//! assert_eq!((status.code, status.details.unwrap().causes.len()), (422, 2));
//! ```
//!
//! This module knows no schema and no request.

use std::fmt;

use serde::Serialize;

use crate::error::reason;
use crate::meta::{Status, StatusCause, StatusDetails};

/// The path of a field in an object, such as `spec.listeners[0].name` or `metadata.labels[app]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(String);

impl Path {
    /// The path of a field of the object itself.
    #[must_use]
    pub fn new(field: &str) -> Self {
        Self(field.to_owned())
    }

    /// The path of the object itself; its children are written without a leading dot.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// A field of the object at this path.
    #[must_use]
    pub fn child(&self, field: &str) -> Self {
        if self.0.is_empty() {
            Self::new(field)
        } else {
            Self(format!("{}.{field}", self.0))
        }
    }

    /// An item of the list at this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// An entry of the map at this path.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}[{key}]", self.0))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "<object>" } else { &self.0 })
    }
}

/// The type of a cause: what servers write as its reason, and the words they begin its message with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CauseType {
    /// What is referred to is not there.
    NotFound,
    /// A value is missing.
    Required,
    /// A value that must be unique is there twice.
    Duplicate,
    /// A value that is malformed, or does not fit others.
    Invalid,
    /// A value of the wrong type.
    TypeInvalid,
    /// A value that is none of those that are known.
    NotSupported,
    /// A value that is well-formed and may not be set here and now.
    Forbidden,
    /// A text that is too long.
    TooLong,
    /// A list or map with too many items.
    TooMany,
    /// The check itself failed.
    Internal,
}

impl CauseType {
    /// The reason of the cause in a [`Status`].
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

/// One field that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong.
    pub type_: CauseType,
    /// Where.
    pub path: Path,
    /// The value as JSON; empty where it says nothing (it is missing, forbidden, or must not be shown).
    pub value: String,
    /// Why, and what would be right.
    pub detail: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        message(self, f)
    }
}

/// The message without the path, as it stands in a cause.
fn message(invalid: &Invalid, f: &mut impl fmt::Write) -> fmt::Result {
    f.write_str(invalid.type_.words())?;
    for part in [&invalid.value, &invalid.detail] {
        if !part.is_empty() {
            write!(f, ": {part}")?;
        }
    }
    Ok(())
}

/// All that is wrong with an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvalidFields(Vec<Invalid>);

impl InvalidFields {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is wrong, in the order in which it was found.
    #[must_use]
    pub fn as_slice(&self) -> &[Invalid] {
        &self.0
    }

    /// Takes note of a fault.
    pub fn push(&mut self, type_: CauseType, path: &Path, value: impl Serialize, detail: impl Into<String>) {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.push(Invalid {
            type_,
            path: path.clone(),
            value: if value.is_null() {
                String::new()
            } else {
                value.to_string()
            },
            detail: detail.into(),
        });
    }

    /// A value is missing.
    pub fn required(&mut self, path: &Path, detail: impl Into<String>) {
        self.push(CauseType::Required, path, (), detail);
    }

    /// A value is malformed, or does not fit others.
    pub fn invalid(&mut self, path: &Path, value: impl Serialize, detail: impl Into<String>) {
        self.push(CauseType::Invalid, path, value, detail);
    }

    /// A value that must be unique is there twice.
    pub fn duplicate(&mut self, path: &Path, value: impl Serialize) {
        self.push(CauseType::Duplicate, path, value, "");
    }

    /// What is referred to is not there.
    pub fn not_found(&mut self, path: &Path, value: impl Serialize) {
        self.push(CauseType::NotFound, path, value, "");
    }

    /// A value is set that may not be set here and now.
    pub fn forbidden(&mut self, path: &Path, detail: impl Into<String>) {
        self.push(CauseType::Forbidden, path, (), detail);
    }

    /// A value is none of those that are known.
    pub fn not_supported(&mut self, path: &Path, value: impl Serialize, supported: &[&str]) {
        let list = supported.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>();
        let detail = format!("supported values: {}", list.join(", "));
        self.push(CauseType::NotSupported, path, value, detail);
    }

    /// A text is longer than `limit` bytes. The text itself is not repeated.
    pub fn too_long(&mut self, path: &Path, limit: usize) {
        self.push(
            CauseType::TooLong,
            path,
            (),
            format!("may not be more than {limit} bytes"),
        );
    }

    /// A list or map has more than `limit` items.
    pub fn too_many(&mut self, path: &Path, actual: usize, limit: usize) {
        self.push(
            CauseType::TooMany,
            path,
            actual,
            format!("must have at most {limit} items"),
        );
    }

    /// `Ok` if nothing is wrong.
    ///
    /// # Errors
    /// Itself, if something is.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    /// The answer of a server that refuses the object: reason `Invalid`, code 422.
    #[must_use]
    pub fn into_status(self, group: &str, kind: &str, name: &str) -> Status {
        let dot = if group.is_empty() { "" } else { "." };
        Status {
            status: "Failure".into(),
            message: format!("{kind}{dot}{group} {name:?} is invalid: {self}").into(),
            reason: reason::INVALID.into(),
            details: Some(Box::new(StatusDetails {
                name: name.into(),
                group: group.into(),
                kind: kind.into(),
                causes: self.0.iter().map(StatusCause::from).collect(),
                ..StatusDetails::default()
            })),
            code: 422,
            ..Status::default()
        }
    }
}

impl From<&Invalid> for StatusCause {
    fn from(invalid: &Invalid) -> Self {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = message(invalid, &mut text);
        Self {
            reason: invalid.type_.as_str().into(),
            message: text.into(),
            field: invalid.path.as_str().into(),
        }
    }
}

impl fmt::Display for InvalidFields {
    /// One fault as it is, several in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => one.fmt(f),
            all => {
                f.write_str("[")?;
                for (position, one) in all.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{one}")?;
                }
                f.write_str("]")
            }
        }
    }
}

impl std::error::Error for InvalidFields {}

impl Extend<Invalid> for InvalidFields {
    fn extend<I: IntoIterator<Item = Invalid>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl IntoIterator for InvalidFields {
    type Item = Invalid;
    type IntoIter = std::vec::IntoIter<Invalid>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_servers_write_them() {
        let spec = Path::new("spec");
        let rows = [
            (Path::root(), "<object>"),
            (Path::root().child("spec"), "spec"),
            (spec.child("a").index(2).child("b"), "spec.a[2].b"),
            (
                Path::new("metadata").child("labels").key("a/b"),
                "metadata.labels[a/b]",
            ),
        ];
        for (path, text) in rows {
            assert_eq!(path.to_string(), text);
        }
    }

    #[test]
    fn causes_carry_reason_message_and_field() {
        let path = Path::new("spec").child("mode");
        let mut errors = InvalidFields::default();
        assert_eq!(errors.clone().into_result(), Ok(()));
        errors.not_supported(&path, "fast", &["slow", "slower"]);
        errors.too_long(&path, 3);
        errors.too_many(&path, 5, 3);
        errors.forbidden(&path, "");
        let status = errors.clone().into_status("", "Pod", "web-0");
        assert!(
            status
                .message
                .starts_with("Pod \"web-0\" is invalid: [spec.mode: Unsupported")
        );
        let details = status.details.unwrap();
        let causes: Vec<(&str, &str, &str)> = details
            .causes
            .iter()
            .map(|cause| (&*cause.reason, &*cause.message, &*cause.field))
            .collect();
        assert_eq!(
            causes,
            [
                (
                    "FieldValueNotSupported",
                    "Unsupported value: \"fast\": supported values: \"slow\", \"slower\"",
                    "spec.mode"
                ),
                (
                    "FieldValueTooLong",
                    "Too long: may not be more than 3 bytes",
                    "spec.mode"
                ),
                (
                    "FieldValueTooMany",
                    "Too many: 5: must have at most 3 items",
                    "spec.mode"
                ),
                ("FieldValueForbidden", "Forbidden", "spec.mode"),
            ]
        );
        assert_eq!(errors.into_result().unwrap_err().as_slice().len(), 4);
    }
}
