//! Schemas put together: both of two, or one of several.

use serde_json::Value;

use super::node::{Alternatives, Json, Node, alternatives_json};

const RULES: &str = "x-kubernetes-validations";

/// A value that fits both schemas; `over` has the last word where they differ.
pub(super) fn both(base: Node, over: Node) -> Node {
    let mut out = base;
    out.description = over.description.or(out.description);
    out.type_ = match (out.type_, over.type_) {
        (Some(one), Some(other)) if one == "integer" && other == "number" => Some(one),
        (one, other) => other.or(one),
    };
    out.nullable |= over.nullable;
    out.int_or_string |= over.int_or_string;
    out.preserve |= over.preserve;
    if out.type_.as_deref().is_some_and(|one| one != "object") {
        out.preserve = false;
    }
    for (name, node) in over.properties {
        let known = out.properties.remove(&name);
        let node = match known {
            Some(known) => both(known, node),
            None => node,
        };
        out.properties.insert(name, node);
    }
    out.items = pair(out.items, over.items);
    out.additional = pair(out.additional, over.additional);
    out.required.extend(over.required);
    out.enum_ = over.enum_.or(out.enum_);
    out.checks.extend(over.checks);
    for (key, value) in over.extensions {
        let value = match (out.extensions.remove(&key), value) {
            (Some(Value::Array(mut known)), Value::Array(more)) if key == RULES => {
                known.extend(more);
                Value::Array(known)
            }
            (_, value) => value,
        };
        out.extensions.insert(key, value);
    }
    out.alternatives.extend(over.alternatives);
    out
}

fn pair(base: Option<Box<Node>>, over: Option<Box<Node>>) -> Option<Box<Node>> {
    match (base, over) {
        (Some(base), Some(over)) => Some(Box::new(both(*base, *over))),
        (base, over) => over.or(base),
    }
}

/// A value that fits one of the schemas: what they have in common, and what tells them apart as validations.
pub(super) fn either(keyword: &'static str, variants: Vec<Node>) -> Node {
    let variants: Vec<Node> = variants.into_iter().map(settle_description).collect();
    let mut base = variants.clone().into_iter().reduce(common).unwrap_or_default();
    let members: Vec<Json> = variants.iter().map(|variant| beyond(variant, &base)).collect();
    let says_more = |member: &Json| member.keys().any(|key| key != "enum");
    // A member that says nothing always holds; members that only name values repeat what the base says.
    if members.len() > 1 && members.iter().all(|one| !one.is_empty()) && members.iter().any(says_more) {
        base.alternatives.push(Alternatives { keyword, members });
    }
    base
}

/// The description of a variant goes to the field that is the variant, or away: it is not that of the whole.
fn settle_description(mut variant: Node) -> Node {
    let text = variant.description.take();
    let mut required = variant.required.iter();
    if let (Some(only), None, 1) = (required.next(), required.next(), variant.properties.len())
        && let Some(property) = variant.properties.get_mut(only)
        && let Some(text) = text
    {
        property.description = Some(text);
    }
    variant
}

/// What holds of a value that fits one of both.
fn common(one: Node, other: Node) -> Node {
    if one == other {
        return one;
    }
    let blank = Node::default();
    if one == blank || other == blank {
        // Beside a variant that asks for nothing the other one's demands are off; its shape is not.
        let shape = if one == blank { other } else { one };
        return Node {
            required: Default::default(),
            enum_: None,
            checks: Default::default(),
            alternatives: Vec::new(),
            ..shape
        };
    }
    let nullable = one.nullable || other.nullable;
    let description = one
        .description
        .clone()
        .filter(|text| other.description.as_ref() == Some(text));
    let mut out = match common_type(&one, &other) {
        Common::Any => Node::any(),
        Common::IntOrString => Node {
            int_or_string: true,
            ..Node::default()
        },
        Common::Type(type_) => Node {
            type_: Some(type_),
            ..common_parts(one, other)
        },
    };
    out.nullable = nullable;
    out.description = description;
    out
}

enum Common {
    Any,
    IntOrString,
    Type(String),
}

fn common_type(one: &Node, other: &Node) -> Common {
    let name = |node: &Node| {
        if node.int_or_string {
            "int-or-string"
        } else {
            match node.type_.as_deref() {
                Some("object") => "object",
                Some("array") => "array",
                Some("string") => "string",
                Some("integer") => "integer",
                Some("number") => "number",
                Some("boolean") => "boolean",
                _ => "any",
            }
        }
    };
    match (name(one), name(other)) {
        ("any", _) | (_, "any") => Common::Any,
        ("int-or-string" | "string" | "integer", "int-or-string" | "string" | "integer")
            if name(one) != name(other) || one.int_or_string =>
        {
            Common::IntOrString
        }
        (one, other) if one == other => Common::Type(one.to_owned()),
        ("integer" | "number", "integer" | "number") => Common::Type("number".to_owned()),
        _ => Common::Any,
    }
}

/// Of two schemas of one type.
fn common_parts(one: Node, mut other: Node) -> Node {
    let mut out = Node {
        preserve: one.preserve || other.preserve,
        ..Node::default()
    };
    for (name, node) in one.properties {
        let node = match other.properties.remove(&name) {
            Some(twin) => common(node, twin),
            None => node,
        };
        out.properties.insert(name, node);
    }
    out.properties.extend(other.properties);
    out.items = either_place(one.items, other.items);
    out.additional = match (one.additional, other.additional) {
        (Some(one), Some(other)) => Some(Box::new(common(*one, *other))),
        (one, other) => one.or(other),
    };
    out.required = one.required.intersection(&other.required).cloned().collect();
    out.enum_ = match (one.enum_, other.enum_) {
        (Some(mut values), Some(more)) => {
            let new: Vec<Value> = more.into_iter().filter(|value| !values.contains(value)).collect();
            values.extend(new);
            Some(values)
        }
        _ => None,
    };
    out.checks = one.checks;
    out.checks
        .retain(|key, value| other.checks.get(key) == Some(value));
    out.extensions = one.extensions;
    out.extensions
        .retain(|key, value| other.extensions.get(key) == Some(value));
    out
}

fn either_place(one: Option<Box<Node>>, other: Option<Box<Node>>) -> Option<Box<Node>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Box::new(common(*one, *other))),
        (one, other) => one.or(other),
    }
}

/// The validations of `node` that `base` does not have: all that may stand in `oneOf` and its like.
pub(super) fn beyond(node: &Node, base: &Node) -> Json {
    let mut out = Json::new();
    if base.type_.is_none() && !base.int_or_string {
        return out;
    }
    let required: Vec<&String> = node.required.difference(&base.required).collect();
    if !required.is_empty() {
        out.insert("required".to_owned(), serde_json::json!(required));
    }
    if let Some(values) = node
        .enum_
        .as_ref()
        .filter(|values| base.enum_.as_ref() != Some(values))
    {
        out.insert("enum".to_owned(), values.clone().into());
    }
    let checks = node
        .checks
        .iter()
        .filter(|(key, value)| base.checks.get(*key) != Some(value));
    for (key, value) in checks {
        if key != "uniqueItems" {
            out.insert(key.clone(), value.clone());
        }
    }
    let blank = Node::default();
    let mut properties = Json::new();
    for (name, property) in &node.properties {
        let more = beyond(property, base.properties.get(name).unwrap_or(&blank));
        if !more.is_empty() {
            properties.insert(name.clone(), more.into());
        }
    }
    if !properties.is_empty() {
        out.insert("properties".to_owned(), properties.into());
    }
    if let (Some(items), Some(known)) = (&node.items, &base.items) {
        let more = beyond(items, known);
        if !more.is_empty() {
            out.insert("items".to_owned(), more.into());
        }
    }
    if node.alternatives != base.alternatives {
        out.extend(alternatives_json(node.alternatives.clone()));
    }
    out
}
