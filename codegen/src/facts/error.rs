//! What can be wrong with the text of a fact table.

use std::fmt;

/// First line of every table; the number changes when the format does.
pub(super) const MAGIC: &str = "kubeloom-facts 1";

/// A table that cannot be read: the line and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsError {
    /// Line of the text, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The text does not start with the line that names the format and its version.
    NotATable,
    /// The line does not start with a known word, or has too few or too many words.
    Malformed,
    /// A `message` or `own` line without a `package` line before it.
    NoPackage,
    /// A field line that does not follow a `message` line.
    NoMessage,
    /// The definition, given by its full name, occurs twice.
    DuplicateMessage(String),
    /// The JSON field occurs twice in its message.
    DuplicateField(String),
    /// The protobuf path is taken by another field of the message, as a whole or as the way to it.
    PathTaken(String),
    /// Not a dotted path of protobuf field numbers.
    BadPath(String),
    /// The message has no protobuf form, but the field has a path.
    PathWithoutProto(String),
    /// Not a type: holder and kind.
    BadType(String),
    /// Not a known shape.
    UnknownShape(String),
    /// Not a flag, or a flag that occurs twice.
    BadFlag(String),
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fact table, line {}: ", self.line)?;
        match &self.problem {
            Problem::NotATable => write!(f, "the first line must be `{MAGIC}`"),
            Problem::Malformed => {
                f.write_str("expected `source`, `package`, `message`, `own` or an indented field")
            }
            Problem::NoPackage => f.write_str("no `package` line comes before this message"),
            Problem::NoMessage => f.write_str("no `message` line comes before this field"),
            Problem::DuplicateMessage(name) => write!(f, "`{name}` occurs twice"),
            Problem::DuplicateField(name) => write!(f, "field `{name}` occurs twice in its message"),
            Problem::PathTaken(path) => write!(
                f,
                "protobuf path {path} collides with another field of the message"
            ),
            Problem::BadPath(path) => write!(f, "`{path}` is neither `-` nor a dotted path of field numbers"),
            Problem::PathWithoutProto(path) => write!(f, "path {path} in a message without protobuf form"),
            Problem::BadType(text) => write!(f, "`{text}` is not a type of the table"),
            Problem::UnknownShape(name) => write!(f, "`{name}` is not a known shape"),
            Problem::BadFlag(flag) => write!(f, "`{flag}` is unknown here or occurs twice"),
        }
    }
}

impl std::error::Error for FactsError {}
