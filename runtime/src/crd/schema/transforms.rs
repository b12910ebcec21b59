//! What only servers know, as attributes: `#[schemars(transform = ...)]` on a field or a type.
//!
//! ```
//! use kubeloom::crd::schema::{list_map, rule};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! #[schemars(transform = rule("self.min <= self.max").message("min is above max"))]
//! struct Range {
//!     min: i32,
//!     max: i32,
//! }
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Spec {
//!     #[schemars(transform = list_map(&["name"]))]
//!     listeners: Vec<Listener>,
//!     #[schemars(transform = rule("self == oldSelf").message("cannot be changed"))]
//!     class: String,
//!     range: Range,
//! }
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Listener {
//!     name: String,
//! }
//! ```

use schemars::Schema;
use schemars::transform::Transform;
use serde_json::{Value, json};

use crate::crd::ValidationRule;

/// Sets keywords of a schema.
#[derive(Clone, Debug)]
pub struct Keywords(Vec<(&'static str, Value)>);

impl Transform for Keywords {
    fn transform(&mut self, schema: &mut Schema) {
        for (key, value) in &self.0 {
            schema.insert((*key).to_owned(), value.clone());
        }
    }
}

fn one(key: &'static str, value: impl Into<Value>) -> Keywords {
    Keywords(vec![(key, value.into())])
}

/// The items of a list are told apart by the fields named, as server-side apply merges them
/// (`x-kubernetes-list-type: map`). The fields are required, or have defaults.
#[must_use]
pub fn list_map(keys: &[&str]) -> Keywords {
    Keywords(vec![
        ("x-kubernetes-list-type", "map".into()),
        ("x-kubernetes-list-map-keys", json!(keys)),
    ])
}

/// The items of a list are scalars of which each is there once (`x-kubernetes-list-type: set`). A `HashSet` or
/// `BTreeSet` is one without saying so.
#[must_use]
pub fn list_set() -> Keywords {
    one("x-kubernetes-list-type", "set")
}

/// A list that has one owner: server-side apply replaces it as a whole, which is how lists are by default.
#[must_use]
pub fn list_atomic() -> Keywords {
    one("x-kubernetes-list-type", "atomic")
}

/// An object or map that has one owner: server-side apply replaces it as a whole.
#[must_use]
pub fn map_atomic() -> Keywords {
    one("x-kubernetes-map-type", "atomic")
}

/// Fields that the schema does not describe are kept.
#[must_use]
pub fn preserve_unknown_fields() -> Keywords {
    one("x-kubernetes-preserve-unknown-fields", true)
}

/// An object that is a whole Kubernetes object: `apiVersion`, `kind` and `metadata` are there and checked.
#[must_use]
pub fn embedded_resource() -> Keywords {
    Keywords(vec![
        ("type", "object".into()),
        ("x-kubernetes-embedded-resource", true.into()),
    ])
}

/// What servers fill in where the field is absent, if it is another value than serde's default.
#[must_use]
pub fn default(value: impl Into<Value>) -> Keywords {
    one("default", value)
}

/// A rule in CEL over the value, which is `self` (and `oldSelf` before an update).
#[must_use]
pub fn rule(rule: &str) -> Rule {
    Rule(ValidationRule {
        rule: rule.into(),
        ..ValidationRule::default()
    })
}

/// See [`rule`].
#[derive(Clone, Debug)]
pub struct Rule(ValidationRule);

impl Rule {
    /// What the user is told where the rule does not hold.
    #[must_use]
    pub fn message(mut self, message: &str) -> Self {
        self.0.message = message.into();
        self
    }

    /// An expression that makes the message.
    #[must_use]
    pub fn message_expression(mut self, expression: &str) -> Self {
        self.0.message_expression = expression.into();
        self
    }

    /// The reason of the cause, in place of `FieldValueInvalid`.
    #[must_use]
    pub fn reason(mut self, reason: super::super::Reason) -> Self {
        self.0.reason = Some(reason.as_str().into());
        self
    }

    /// The field that is at fault, relative to the value, such as `.spec.replicas`.
    #[must_use]
    pub fn field_path(mut self, path: &str) -> Self {
        self.0.field_path = path.into();
        self
    }

    /// The rule is applied to new objects too, with `oldSelf` an optional value.
    #[must_use]
    pub fn optional_old_self(mut self) -> Self {
        self.0.optional_old_self = Some(true);
        self
    }
}

impl Transform for Rule {
    fn transform(&mut self, schema: &mut Schema) {
        let rule = serde_json::to_value(&self.0).unwrap_or_default();
        let object = schema.ensure_object();
        match object.get_mut("x-kubernetes-validations") {
            Some(Value::Array(rules)) => rules.push(rule),
            _ => {
                object.insert("x-kubernetes-validations".to_owned(), Value::Array(vec![rule]));
            }
        }
    }
}
