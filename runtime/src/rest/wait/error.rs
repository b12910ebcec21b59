//! [`WaitError`].

use std::fmt;
use std::time::Duration;

use crate::error::Error;

/// Why an object did not become as wished.
#[derive(Debug)]
#[non_exhaustive]
pub enum WaitError {
    /// Time ran out.
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        after: Duration,
        /// The last failure of a call, if the last one failed: the reason why nothing was seen.
        last: Option<Error>,
    },
    /// The object was deleted before it was as wished, or another one has its name now.
    Deleted {
        /// What was waited for.
        what: String,
    },
    /// A call failed in a way that time does not heal.
    Failed(Error),
}

impl WaitError {
    /// Time ran out.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }

    /// The object was deleted before it was as wished.
    pub fn is_deleted(&self) -> bool {
        matches!(self, Self::Deleted { .. })
    }
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout { what, after, last } => {
                write!(f, "{what} is not as wished after {after:?}")?;
                match last {
                    Some(error) => write!(f, "; {error}"),
                    None => Ok(()),
                }
            }
            Self::Deleted { what } => write!(f, "{what} was deleted before it was as wished"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WaitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => error.source(),
            _ => None,
        }
    }
}
