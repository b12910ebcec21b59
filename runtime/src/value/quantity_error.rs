//! [`QuantityError`]: what is wrong with a quantity.

use std::error::Error;
use std::fmt;

use super::Str;

/// Why a text is no quantity, or a result none that can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuantityErrorKind {
    /// The text is empty, has no digit, or something that is no digit, point, sign or suffix.
    Syntax,
    /// The suffix is none of those known.
    Suffix,
    /// More than 38 significant digits, an exponent beyond 32 bits, or more than the asked integer holds.
    OutOfRange,
}

/// A text that is no quantity, or arithmetic whose result cannot be held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuantityError {
    kind: QuantityErrorKind,
    text: Str,
}

impl QuantityError {
    pub(super) fn new(kind: QuantityErrorKind, text: impl Into<Str>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> QuantityErrorKind {
        self.kind
    }

    /// The offending text, or the amount or operation that went out of range.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.kind {
            QuantityErrorKind::Syntax => "not a number with an optional suffix",
            QuantityErrorKind::Suffix => "unknown suffix",
            QuantityErrorKind::OutOfRange => "out of range",
        };
        write!(f, "invalid quantity {:?}: {why}", self.text)
    }
}

impl Error for QuantityError {}
