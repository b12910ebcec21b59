//! Typed access to the keys of a parsed mapping. Errors name the key's path and never repeat the value, which may be a
//! secret. Null and the empty string count as absent, as Go's `omitempty` has it.

use serde_json::{Map, Value};

use super::{ConfigError, Origin};

/// The keys of one mapping that were not taken yet.
pub(super) struct Fields<'a> {
    map: Map<String, Value>,
    path: String,
    origin: &'a Origin,
}

impl<'a> Fields<'a> {
    /// The keys of `value`, which `path` leads to; null has none.
    pub(super) fn new(
        value: Value,
        path: impl Into<String>,
        origin: &'a Origin,
    ) -> Result<Self, ConfigError> {
        let path = path.into();
        match value {
            Value::Object(map) => Ok(Self { map, path, origin }),
            Value::Null => Ok(Self {
                map: Map::new(),
                path,
                origin,
            }),
            other => {
                let key = if path.is_empty() {
                    "the document".to_owned()
                } else {
                    path
                };
                Err(mismatch(origin, key, "a mapping", &other))
            }
        }
    }

    fn key(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    fn mismatch(&self, name: &str, expected: &str, found: &Value) -> ConfigError {
        mismatch(self.origin, self.key(name), expected, found)
    }

    pub(super) fn string(&mut self, name: &str) -> Result<Option<String>, ConfigError> {
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
            Some(other) => Err(self.mismatch(name, "a string", &other)),
        }
    }

    pub(super) fn boolean(&mut self, name: &str) -> Result<bool, ConfigError> {
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(value)) => Ok(value),
            Some(other) => Err(self.mismatch(name, "true or false", &other)),
        }
    }

    /// A mapping or null, not looked into.
    pub(super) fn opaque(&mut self, name: &str) -> Result<Option<Value>, ConfigError> {
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(value)),
            Some(other) => Err(self.mismatch(name, "a mapping", &other)),
        }
    }

    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Value>, ConfigError> {
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.mismatch(name, "a list", &other)),
        }
    }

    pub(super) fn strings(&mut self, name: &str) -> Result<Vec<String>, ConfigError> {
        let items = self.list(name)?;
        items
            .into_iter()
            .enumerate()
            .map(|(index, item)| match item {
                Value::String(text) => Ok(text),
                other => Err(self.mismatch(&format!("{name}[{index}]"), "a string", &other)),
            })
            .collect()
    }

    /// The keys and values of a mapping.
    pub(super) fn entries(&mut self, name: &str) -> Result<Fields<'a>, ConfigError> {
        let value = self.map.remove(name).unwrap_or(Value::Null);
        Fields::new(value, self.key(name), self.origin)
    }

    /// The names of the keys that are left.
    pub(super) fn names(&self) -> Vec<String> {
        self.map.keys().cloned().collect()
    }

    /// An error at a key.
    pub(super) fn invalid(&self, name: &str, problem: &str, remedy: &str) -> ConfigError {
        invalid(self.origin, self.key(name), problem, remedy)
    }

    /// What nobody took.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.map
    }
}

pub(super) fn invalid(
    origin: &Origin,
    key: impl Into<String>,
    problem: impl Into<String>,
    remedy: impl Into<String>,
) -> ConfigError {
    ConfigError::InvalidField {
        origin: origin.clone(),
        key: key.into(),
        problem: problem.into(),
        remedy: remedy.into(),
    }
}

fn mismatch(origin: &Origin, key: String, expected: &str, found: &Value) -> ConfigError {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    };
    let remedy = match expected {
        "a string" => "put the value in quotes",
        _ => "correct the file",
    };
    invalid(origin, key, format!("expected {expected}, found {found}"), remedy)
}
