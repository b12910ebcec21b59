//! [`DateTime`]: an instant of a custom resource, kept as it was written.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::rfc3339::TimeError;
use super::{MicroTime, Str, Time};

/// A text of format `date-time` in a custom resource, kept to the letter.
///
/// A schema does not say whether the author's type cuts instants to the second, to the microsecond or not at all, nor in which
/// offset it writes, and the server stores the text as it came. So what came is what is written, and any text can be read;
/// the instant is read where it is asked for. Two are equal if their texts are.
///
/// ```
/// use kubeloom::value::{DateTime, Time};
///
/// let at = DateTime::from("2026-01-31T13:00:00.25+01:00");
/// assert_eq!(at.as_str(), "2026-01-31T13:00:00.25+01:00");
/// assert_eq!(at.time()?, Time::from_wire("2026-01-31T12:00:00Z")?);
/// assert_eq!(DateTime::from(at.time()?), "2026-01-31T12:00:00Z");
/// assert!(DateTime::from("soon").time().is_err());
/// # Ok::<(), kubeloom::value::TimeError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct DateTime(Str);

impl DateTime {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The instant, cut to the second.
    ///
    /// # Errors
    /// When the text is not RFC 3339, or out of the years 0 to 9999.
    pub fn time(&self) -> Result<Time, TimeError> {
        Time::from_wire(&self.0)
    }

    /// The instant, cut to the microsecond.
    ///
    /// # Errors
    /// As [`time`](Self::time).
    pub fn micro_time(&self) -> Result<MicroTime, TimeError> {
        MicroTime::from_wire(&self.0)
    }
}

impl fmt::Debug for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.as_str(), f)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for DateTime {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for DateTime {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Time> for DateTime {
    fn from(time: Time) -> Self {
        Self(time.to_string().into())
    }
}

impl From<MicroTime> for DateTime {
    fn from(time: MicroTime) -> Self {
        Self(time.to_string().into())
    }
}

impl From<Timestamp> for DateTime {
    fn from(time: Timestamp) -> Self {
        Self(time.to_string().into())
    }
}

impl PartialEq<str> for DateTime {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for DateTime {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DateTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Str::deserialize(deserializer).map(Self)
    }
}
