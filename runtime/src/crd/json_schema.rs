//! [`Schema`]: the schema of a version, as JSON.

use std::fmt;

use serde_json::{Map, Value};

use crate::record::{Foreign, Slot, Value as FieldValue, View};
use crate::wire::{DecodeError, EncodeError};

/// The schema of a version: `JSONSchemaProps` as a JSON object, to look into and to change.
///
/// ```
/// use kubeloom::crd::Schema;
/// use serde_json::json;
///
/// let mut schema: Schema = serde_json::from_value(json!({"type": "object", "properties": {"spec": {"type": "object"}}}))?;
/// assert_eq!(schema.at("/properties/spec/type"), Some(&json!("object")));
/// schema.as_map_mut().insert("description".into(), "A website.".into());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Schema(Map<String, Value>);

impl Schema {
    /// The members of the object.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The members of the object, to change.
    pub fn as_map_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.0
    }

    /// The value at a JSON pointer (RFC 6901).
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        let (first, rest) = match pointer.strip_prefix('/')?.split_once('/') {
            Some((first, rest)) => (first, format!("/{rest}")),
            None => (&pointer[1..], String::new()),
        };
        let first = first.replace("~1", "/").replace("~0", "~");
        self.0.get(&first)?.pointer(&rest)
    }

    /// The schema of the field at a path with dots alone, such as `.spec.replicas`.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&Value> {
        let mut schema = None;
        for name in path.strip_prefix('.')?.split('.') {
            let properties = match schema {
                None => self.0.get("properties"),
                Some(schema) => Value::get(schema, "properties"),
            };
            schema = Some(properties?.get(name)?);
        }
        schema
    }
}

impl From<Map<String, Value>> for Schema {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FieldValue for Schema {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Foreign(self)
    }
    fn view(&self) -> View<'_> {
        View::Foreign(self)
    }
}

impl Foreign for Schema {
    fn read_json(&mut self, json: &str) -> Result<(), DecodeError> {
        self.0 = serde_json::from_str(json).map_err(DecodeError::other)?;
        Ok(())
    }
    fn write_json(&self) -> Result<String, EncodeError> {
        serde_json::to_string(&self.0).map_err(EncodeError::new)
    }
}
