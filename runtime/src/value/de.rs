//! Serde helpers shared by the scalars that are a string on the wire.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// Reads a string with `parse`; `null` (and an absent optional) is the default.
///
/// Asks the format for an optional string, so that YAML keeps `1h` and `12` apart from its own scalar types.
pub(super) fn text_or_null<'de, D, T, E>(
    deserializer: D,
    expecting: &'static str,
    parse: fn(&str) -> Result<T, E>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default,
    E: fmt::Display,
{
    deserializer.deserialize_option(TextOrNull { expecting, parse })
}

struct TextOrNull<T, E> {
    expecting: &'static str,
    parse: fn(&str) -> Result<T, E>,
}

impl<'de, T: Default, E: fmt::Display> Visitor<'de> for TextOrNull<T, E> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_unit<Err: Error>(self) -> Result<T, Err> {
        Ok(T::default())
    }

    fn visit_none<Err: Error>(self) -> Result<T, Err> {
        Ok(T::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<Err: Error>(self, text: &str) -> Result<T, Err> {
        (self.parse)(text).map_err(Err::custom)
    }
}
