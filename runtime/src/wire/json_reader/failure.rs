//! Where in a JSON text reading stopped, and why.

use std::fmt;

use crate::value::Str;
use crate::wire::{DecodeError, Format};

/// At most so many characters of a map's key stand in an error.
const KEY_LIMIT: usize = 60;

/// A text that could not be read. One word in size, since nearly every function of the reader returns it or nothing.
pub(crate) struct Failure(Box<Details>);

struct Details {
    at: usize,
    what: What,
    /// From the innermost outwards.
    path: Vec<Step>,
}

enum What {
    /// The text ends within the value.
    CutOff,
    /// The text is not JSON, or nested too deeply.
    Malformed(&'static str),
    /// The text is JSON that does not fit.
    Mismatch {
        expected: &'static str,
        found: &'static str,
    },
    /// A foreign value did not take it, and said why.
    Foreign(String),
}

/// One step of the path to a value.
enum Step {
    Field(&'static str),
    Key(Str),
    Index(usize),
}

impl Failure {
    fn new(at: usize, what: What) -> Self {
        Self(Box::new(Details {
            at,
            what,
            path: Vec::new(),
        }))
    }

    #[cold]
    pub(crate) fn cut_off(at: usize) -> Self {
        Self::new(at, What::CutOff)
    }

    #[cold]
    pub(super) fn malformed(at: usize, why: &'static str) -> Self {
        Self::new(at, What::Malformed(why))
    }

    #[cold]
    pub(crate) fn mismatch(at: usize, expected: &'static str, found: &'static str) -> Self {
        Self::new(at, What::Mismatch { expected, found })
    }

    #[cold]
    pub(super) fn foreign(at: usize, why: &str) -> Self {
        Self::new(at, What::Foreign(why.to_owned()))
    }

    /// Whether more text might have made it readable.
    pub(crate) fn is_cut_off(&self) -> bool {
        matches!(self.0.what, What::CutOff)
    }

    /// The same failure with its place counted from `start`.
    pub(crate) fn counted_from(mut self, start: usize) -> Self {
        self.0.at = self.0.at.saturating_sub(start);
        self
    }

    /// Adds the field that the failure was in. Below a sensitive one no further step is named.
    #[cold]
    pub(super) fn in_field(mut self, name: &'static str, sensitive: bool) -> Self {
        if sensitive {
            self.0.path.clear();
        }
        self.0.path.push(Step::Field(name));
        self
    }

    #[cold]
    pub(super) fn in_entry(mut self, key: &str) -> Self {
        self.0.path.push(Step::Key(key.chars().take(KEY_LIMIT).collect()));
        self
    }

    #[cold]
    pub(super) fn in_item(mut self, index: usize) -> Self {
        self.0.path.push(Step::Index(index));
        self
    }

    /// The error to hand out; `text` is what was read.
    pub(crate) fn into_error(self, text: &[u8]) -> DecodeError {
        let before = text.get(..self.0.at).unwrap_or(text);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        DecodeError::new(
            Format::Json,
            format_args!("{self} at line {line} column {column}"),
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.path.iter().rev().enumerate() {
            match step {
                Step::Field(name) if index == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Key(key) => write!(f, "[{:?}]", key.as_str())?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        if !self.0.path.is_empty() {
            f.write_str(": ")?;
        }
        match &self.0.what {
            What::CutOff => f.write_str("the text ends too early"),
            What::Malformed(why) => f.write_str(why),
            What::Foreign(why) => f.write_str(why),
            What::Mismatch { expected, found: "" } => write!(f, "{expected} expected"),
            What::Mismatch { expected, found } => write!(f, "{expected} expected, {found} found"),
        }
    }
}
