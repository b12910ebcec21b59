//! What can be wrong with an encoding.

use std::fmt;

use super::Format;

/// A body that could not be read. The text names the place, never the content.
#[derive(Debug)]
pub struct DecodeError(Box<Inner>);

/// On the heap, so that the results of readers stay small.
#[derive(Debug)]
struct Inner {
    format: Option<Format>,
    message: String,
}

impl DecodeError {
    pub(crate) fn new(format: Format, message: impl fmt::Display) -> Self {
        Self(Box::new(Inner {
            format: Some(format),
            message: message.to_string(),
        }))
    }

    /// An error of an encoding that is not one of [`Format`]'s.
    pub fn other(message: impl fmt::Display) -> Self {
        Self(Box::new(Inner {
            format: None,
            message: message.to_string(),
        }))
    }

    /// What is wrong, without the name of the format.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    pub(crate) fn within(mut self, place: impl fmt::Display) -> Self {
        self.0.message = format!("{place}: {}", self.0.message);
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.format {
            Some(format) => write!(f, "not valid {}: {}", format.content_type(), self.0.message),
            None => f.write_str(&self.0.message),
        }
    }
}

impl std::error::Error for DecodeError {}

/// An object that could not be written.
#[derive(Clone, Debug)]
pub struct EncodeError {
    message: String,
}

impl EncodeError {
    /// An error with a text that says what cannot be written and why.
    pub fn new(message: impl fmt::Display) -> Self {
        Self {
            message: message.to_string(),
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EncodeError {}
