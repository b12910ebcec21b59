//! [`RawJson`]: JSON of any shape, kept as text.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::json_text;

/// JSON of any shape as text, never as a tree: `RawExtension`, `FieldsV1`, and whatever a schema leaves free.
///
/// [`new`](Self::new) checks the text and keeps it to the byte. Reading through serde works from every
/// self-describing format (JSON, YAML, CBOR) and gives text without white space; integers of 64 bits and floats keep
/// their value, larger numbers become floats as everywhere in `serde_json`. Writing through serde streams the text
/// into whatever format is written. Nesting is limited to 127 levels.
///
/// `null` and absence are one, the default: Go's raw types make both a nil. Equality is that of the JSON values: the
/// order of keys and white space do not count; integers and floats are two kinds of number, as in Go, so `1` and `1.0` differ.
/// Equal texts are told at the cost of comparing bytes, unequal ones at that of parsing both.
///
/// ```
/// use kubeloom::value::RawJson;
///
/// let raw = RawJson::new(r#"{"replicas": 3, "tier": "web"}"#)?;
/// assert_eq!(raw.get(), r#"{"replicas": 3, "tier": "web"}"#);
/// assert_eq!(raw, serde_json::from_str::<RawJson>(r#"{"tier":"web","replicas":3}"#)?);
/// #[derive(serde::Deserialize)]
/// struct Scale { replicas: u32 }
/// assert_eq!(raw.parse::<Scale>()?.replicas, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct RawJson(
    /// Empty for `null`.
    Box<str>,
);

/// A text that is not JSON, JSON of another shape than asked for, or a value that JSON cannot hold.
///
/// The cause is in `source()`.
#[derive(Debug)]
pub struct RawJsonError {
    what: &'static str,
    source: serde_json::Error,
}

impl fmt::Display for RawJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

impl Error for RawJsonError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

impl RawJson {
    /// Checks that `text` is one JSON value, and keeps it as it is but for white space around it.
    ///
    /// # Errors
    /// When it is not, or is nested more than 127 levels deep.
    pub fn new(text: impl Into<Box<str>>) -> Result<Self, RawJsonError> {
        let text = text.into();
        serde_json::from_str::<IgnoredAny>(&text).map_err(|source| RawJsonError {
            what: "the text is not JSON",
            source,
        })?;
        // The skipping parser above does not count levels, the one that will read the text does.
        if depth(&text) > MAX_DEPTH {
            let source = serde::de::Error::custom("nested too deeply");
            return Err(RawJsonError {
                what: "the text is not JSON that can be read back",
                source,
            });
        }
        Ok(Self::from_validated(text))
    }

    /// Keeps `text` unchecked; for a decoder that has just read it as JSON.
    ///
    /// A text that is not JSON after all does no harm in memory; it is an error where it is parsed or written by serde.
    #[must_use]
    pub fn from_validated(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        match trimmed {
            "null" => Self::default(),
            _ if trimmed.len() == text.len() => Self(text),
            _ => Self(trimmed.into()),
        }
    }

    /// The compact text of a tree.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        Self::from_validated(value.to_string())
    }

    /// The compact text of anything serde can write.
    ///
    /// # Errors
    /// When JSON cannot hold the value, for example a map whose keys are lists.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, RawJsonError> {
        serde_json::to_string(value)
            .map(Self::from_validated)
            .map_err(|source| RawJsonError {
                what: "the value cannot be written as JSON",
                source,
            })
    }

    /// The text; `null` for the default.
    #[must_use]
    pub fn get(&self) -> &str {
        if self.0.is_empty() { "null" } else { &self.0 }
    }

    /// The text by value; `null` for the default.
    #[must_use]
    pub fn into_text(self) -> Box<str> {
        if self.0.is_empty() { "null".into() } else { self.0 }
    }

    /// Reads the JSON as a `T`.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, RawJsonError> {
        serde_json::from_str(self.get()).map_err(|source| RawJsonError {
            what: "the JSON does not have the expected shape",
            source,
        })
    }

    /// Whether it is `null`, which is also what stands for absence.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is `null`, `{}` or `[]`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let inner = |text: &str| match (text.strip_prefix('{'), text.strip_prefix('[')) {
            (Some(rest), _) => rest.trim_ascii_start() == "}",
            (_, Some(rest)) => rest.trim_ascii_start() == "]",
            _ => false,
        };
        self.is_null() || inner(&self.0)
    }
}

/// The deepest nesting `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// How deep lists and objects of a valid text nest.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    deepest
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({})", self.get())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        if self.0 == other.0 {
            return true;
        }
        match (self.parse::<Value>(), other.parse::<Value>()) {
            (Ok(a), Ok(b)) => same(&a, &b),
            _ => false,
        }
    }
}

impl Eq for RawJson {}

/// Equality of two trees, with that of numbers independent of the features `serde_json` is built with.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let is_integer = |n: &serde_json::Number| n.as_i64().is_some() || n.as_u64().is_some();
            match (is_integer(a), is_integer(b)) {
                (true, true) => a.as_i64() == b.as_i64() && a.as_u64() == b.as_u64(),
                (false, false) => a.as_f64() == b.as_f64(),
                _ => false,
            }
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

impl FromStr for RawJson {
    type Err = RawJsonError;

    fn from_str(text: &str) -> Result<Self, RawJsonError> {
        Self::new(text)
    }
}

impl From<&Value> for RawJson {
    fn from(value: &Value) -> Self {
        Self::from_value(value)
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self::from_value(&value)
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json_text::write(self.get(), serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json_text::read(deserializer).map(Self::from_validated)
    }
}

#[cfg(test)]
#[path = "raw_json_tests.rs"]
mod tests;
