//! From the JSON Schema of a Rust type to a structural schema.
//!
//! References are written out, variants of enums become properties with validations beside them, and what servers do
//! not know is put in their words or refused.

use serde_json::Value;

use super::error::SchemaError;
use super::merge::{beyond, both, either};
use super::node::{Alternatives, Json, Node};
use super::scalar;
use crate::field::Path;

/// Keywords that say nothing about values.
const NOTES: [&str; 14] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentSchema",
    "unevaluatedItems",
    "propertyNames",
];

/// Keywords that are read together with others.
const COMBINING: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "not"];

/// Where definitions are, and the types that are being written out.
pub(super) struct Rewriter<'a> {
    definitions: &'a Json,
    root: &'a str,
    stack: Vec<String>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(root: &'a str, definitions: &'a Json) -> Self {
        Self {
            definitions,
            root,
            stack: Vec::new(),
        }
    }

    /// The schema of one place, complete.
    pub(super) fn place(&mut self, schema: &Value, at: &Path) -> Result<Node, SchemaError> {
        Ok(self.node(schema, at)?.finish())
    }

    /// What a schema says, which need not be all there is to say of a place.
    pub(super) fn node(&mut self, schema: &Value, at: &Path) -> Result<Node, SchemaError> {
        let map = match schema {
            Value::Bool(true) => return Ok(Node::any()),
            Value::Object(map) => map,
            _ => return Err(SchemaError::nothing(at)),
        };
        let mut node = self.own(map, at)?;
        if node.int_or_string {
            return Ok(node);
        }
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            node = both(self.target(reference, at)?, node);
        }
        for member in list(map, "allOf") {
            node = both(node, self.node(member, at)?);
        }
        for keyword in ["oneOf", "anyOf"] {
            if map.contains_key(keyword) {
                node = both(self.alternatives(keyword, list(map, keyword), at)?, node);
            }
        }
        if let Some(not) = map.get("not") {
            let not = beyond(
                &self.node(not, at)?,
                &Node::typed(node.type_.as_deref().unwrap_or("object")),
            );
            if !not.is_empty() {
                let members = vec![not];
                node.alternatives.push(Alternatives {
                    keyword: "not",
                    members,
                });
            }
        }
        Ok(node)
    }

    /// The type that a reference names, written out.
    fn target(&mut self, reference: &str, at: &Path) -> Result<Node, SchemaError> {
        let name = reference.strip_prefix("#/$defs/").map(unescape);
        let Some(name) = name else {
            return Err(match reference {
                "#" => self.recursion(self.root, at),
                _ => SchemaError::reference(reference, at),
            });
        };
        if self.stack.contains(&name) {
            return Err(self.recursion(&name, at));
        }
        let Some(schema) = self.definitions.get(&name) else {
            return Err(SchemaError::reference(reference, at));
        };
        self.stack.push(name);
        let node = self.node(schema, at);
        self.stack.pop();
        node
    }

    fn recursion(&self, name: &str, at: &Path) -> SchemaError {
        let first = self.stack.iter().position(|one| one == name).unwrap_or(0);
        let mut cycle: Vec<String> = self.stack[first..].to_vec();
        if name == self.root {
            cycle.insert(0, name.to_owned());
        }
        cycle.push(name.to_owned());
        SchemaError::recursion(cycle, at)
    }

    /// Members of `oneOf` or `anyOf`: variants of an enum, or a type and `null`.
    fn alternatives(
        &mut self,
        keyword: &'static str,
        members: &[Value],
        at: &Path,
    ) -> Result<Node, SchemaError> {
        let mut variants = Vec::new();
        let mut nullable = false;
        for member in members {
            if is_null(member) {
                nullable = true;
            } else {
                variants.push(self.node(member, at)?);
            }
        }
        let mut node = match variants.len() {
            1 => variants.remove(0),
            _ => either(keyword, variants),
        };
        node.nullable |= nullable;
        Ok(node)
    }

    /// What the keywords of the schema itself say.
    fn own(&mut self, map: &Json, at: &Path) -> Result<Node, SchemaError> {
        let mut node = Node::default();
        if map.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
            node.int_or_string = true;
        }
        for (key, value) in map {
            if node.int_or_string && matches!(key.as_str(), "type" | "format") {
                continue;
            }
            self.keyword(&mut node, key, value, at)?;
        }
        Ok(node)
    }

    fn keyword(&mut self, node: &mut Node, key: &str, value: &Value, at: &Path) -> Result<(), SchemaError> {
        match (key, value) {
            ("description", Value::String(text)) => node.description = Some(text.clone()),
            ("type", _) => scalar::types(node, value),
            ("format", Value::String(name)) => scalar::format(node, name),
            ("contentEncoding", Value::String(name)) if name == "base64" => scalar::format(node, "byte"),
            ("enum", Value::Array(all)) => scalar::values(node, all),
            ("const", _) => scalar::values(node, std::slice::from_ref(value)),
            ("default", _) => scalar::default(node, value),
            ("required", Value::Array(names)) => {
                node.required = names
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect();
            }
            ("nullable", Value::Bool(flag)) => node.nullable |= *flag,
            ("x-kubernetes-int-or-string", Value::Bool(_)) => {}
            ("x-kubernetes-preserve-unknown-fields", Value::Bool(flag)) => node.preserve = *flag,
            (key, _) if key.starts_with("x-kubernetes-") => {
                node.extensions.insert(key.to_owned(), value.clone());
            }
            (
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
                | "maxLength" | "pattern" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
                | "uniqueItems",
                _,
            ) => scalar::bound(node, key, value),
            ("properties", Value::Object(all)) => {
                for (name, schema) in all {
                    node.properties
                        .insert(name.clone(), self.place(schema, &at.child(name))?);
                }
            }
            ("items", Value::Bool(false)) => {}
            ("items", _) => node.items = Some(Box::new(self.place(value, &at.key("*"))?)),
            ("prefixItems", Value::Array(all)) => node.items = Some(Box::new(self.tuple(all, at)?)),
            ("additionalProperties" | "unevaluatedProperties" | "patternProperties", _) => {
                self.free_fields(node, key, value, at)?;
            }
            (key, _) if NOTES.contains(&key) || COMBINING.contains(&key) => {}
            (key, _) if key.starts_with("x-") => {}
            _ => return Err(SchemaError::keyword(key, at)),
        }
        Ok(())
    }

    /// Fields without a name of their own. Denied ones are pruned by servers, or refused with strict validation.
    fn free_fields(
        &mut self,
        node: &mut Node,
        key: &str,
        value: &Value,
        at: &Path,
    ) -> Result<(), SchemaError> {
        let at = at.key("*");
        let free = match (key, value) {
            (_, Value::Bool(false)) => return Ok(()),
            ("patternProperties", Value::Object(patterns)) => {
                let mut all = patterns.values().map(|schema| self.place(schema, &at));
                match (all.next(), all.next()) {
                    (None, _) => return Ok(()),
                    (Some(one), None) => one?,
                    _ => Node::any(),
                }
            }
            _ => self.place(value, &at)?,
        };
        node.additional = Some(Box::new(free));
        Ok(())
    }

    /// One schema for the positions of a tuple; servers know no other.
    fn tuple(&mut self, positions: &[Value], at: &Path) -> Result<Node, SchemaError> {
        let mut nodes = Vec::new();
        for (index, schema) in positions.iter().enumerate() {
            nodes.push(self.place(schema, &at.index(index))?);
        }
        let mut node = either("anyOf", nodes);
        node.alternatives.clear();
        Ok(node.finish())
    }
}

fn list<'v>(map: &'v Json, key: &str) -> &'v [Value] {
    map.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a schema allows nothing but `null`.
fn is_null(schema: &Value) -> bool {
    let is = |key: &str, value: &Value| schema.get(key) == Some(value);
    is("type", &"null".into()) || is("const", &Value::Null) || is("enum", &Value::Array(vec![Value::Null]))
}

/// A segment of a JSON pointer in a URI fragment, as the name that it stands for.
fn unescape(segment: &str) -> String {
    let plain = percent_encoding::percent_decode_str(segment)
        .decode_utf8_lossy()
        .into_owned();
    plain.replace("~1", "/").replace("~0", "~")
}
