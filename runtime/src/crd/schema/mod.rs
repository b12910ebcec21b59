//! Schemas of Rust types as CustomResourceDefinitions have them: *structural* ones.
//!
//! A type says what it is through [`JsonSchema`] (derived beside serde's traits, whose attributes it reads); this module
//! puts that in the words that servers accept:
//!
//! | Rust | schema |
//! |---|---|
//! | `Option<T>` | `nullable: true`; values of an enum stand in an `anyOf` where the type may write `null` |
//! | [`ByteString`](crate::value::ByteString) | a text with the pattern of Base64 (by `format: byte` servers refuse the empty one) |
//! | an enum of units | `type: string` and `enum` |
//! | an enum with data, tagged in any of serde's ways | the fields of all variants, and a `oneOf` of what each requires |
//! | variants of different JSON types | any JSON value |
//! | `#[serde(flatten)]` of a struct or an enum | its fields beside the others |
//! | `#[serde(flatten)]` of a map | fields that are not described are kept |
//! | `HashMap<String, T>`, [`Map<T>`](crate::Map) | `additionalProperties` |
//! | `HashSet<T>` of scalars | `x-kubernetes-list-type: set` |
//! | `u8` to `u64`, `NonZero` | `int32` or `int64`, with bounds |
//! | a tuple | an array of a fixed length |
//! | [`IntOrString`](crate::value::IntOrString), [`Quantity`](crate::value::Quantity) | `x-kubernetes-int-or-string: true`, the latter with a pattern |
//! | [`RawJson`](crate::value::RawJson), `serde_json::Value` | any JSON value, kept as it is |
//! | [`DynamicObject`](crate::dynamic::DynamicObject) | an embedded resource |
//! | generated types, [`ObjectMeta`](crate::meta::ObjectMeta), ... | their fields; required are scalars that are always written |
//! | `#[serde(default)]` | not required; a default that is not empty is written |
//! | `#[serde(deny_unknown_fields)]` | nothing: servers prune, or refuse where the client asks for strict validation |
//! | `#[schemars(range, length, regex, inner)]` | bounds and patterns |
//! | `#[schemars(extend("x-kubernetes-..." = ...))]`, `#[schemars(transform = ...)]` | as written; see [`rule`], [`list_map`] and their like |
//!
//! [`Str`](crate::Str) is another crate's type and has no schema of its own: `#[schemars(with = "String")]`.
//!
//! A type that contains itself is refused, and so is a keyword that servers do not know.

mod error;
mod merge;
mod node;
mod nulls;
mod rewrite;
mod scalar;
mod table;
#[cfg(test)]
mod tests;
mod transforms;
mod types;

pub use error::SchemaError;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;
pub use table::of_record;
pub use transforms::{
    Keywords, Rule, default, embedded_resource, list_atomic, list_map, list_set, map_atomic,
    preserve_unknown_fields, rule,
};

use self::node::{Json, Node};
use self::rewrite::Rewriter;
use super::Schema;
use crate::field::Path;

/// The structural schema of a type, as it stands in a place of its own.
///
/// # Errors
/// A type that contains itself or says what servers do not understand.
pub fn of<T: JsonSchema>() -> Result<Schema, SchemaError> {
    let name = T::schema_name();
    let node = node_of::<T>(&name).map_err(|error| error.of(&name))?;
    Ok(Schema::from(node.finish().into_json()))
}

/// The structural schema of a root type: metadata is left to the server.
pub(super) fn of_root<T: JsonSchema>(rules: Vec<Value>) -> Result<Schema, SchemaError> {
    let mut node = node_of::<T>(&T::schema_name())?;
    if !node.is("object") || !node.properties.contains_key("metadata") {
        return Err(SchemaError::no_object());
    }
    for name in ["apiVersion", "kind", "metadata"] {
        let type_ = if name == "metadata" { "object" } else { "string" };
        node.properties.insert(name.to_owned(), Node::typed(type_));
        node.required.remove(name);
    }
    if let Some(status) = node.properties.get_mut("status") {
        // What was not observed yet is absent.
        status.extensions.remove("default");
    }
    node.extensions
        .insert("title".to_owned(), T::schema_name().into());
    if !rules.is_empty() {
        let place = node
            .extensions
            .entry("x-kubernetes-validations".to_owned())
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(all) = place {
            all.extend(rules);
        }
    }
    Ok(Schema::from(node.finish().into_json()))
}

fn node_of<T: JsonSchema>(name: &str) -> Result<Node, SchemaError> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut node = rewrite::<T>(name, settings.clone().for_deserialize())?;
    let written = rewrite::<T>(name, settings.for_serialize()).ok();
    nulls::settle(&mut node, written.as_ref());
    Ok(node)
}

fn rewrite<T: JsonSchema>(name: &str, settings: SchemaSettings) -> Result<Node, SchemaError> {
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let none = Json::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    Rewriter::new(name, definitions).node(schema.as_value(), &Path::root())
}
