//! Values of a set, or `null`.
//!
//! Servers compare `null` with the values of an `enum` and refuse it, whatever `nullable` says, even if it is one of them.
//! They leave `anyOf` out for it. So the values stand in an `anyOf` where the type writes `null`, and where they belong, for
//! people and tools to find, where it does not: an `Option` with `skip_serializing_if`.

use super::node::{Alternatives, Json, Node};

/// Settles all fields below a place. `written` is what the type writes there, if that is known.
pub(super) fn settle(node: &mut Node, written: Option<&Node>) {
    // What variants require is not told field by field.
    let has_variants = !node.alternatives.is_empty();
    for (name, field) in &mut node.properties {
        let twin = written.and_then(|all| all.properties.get(name));
        let is_always_there = has_variants || written.is_none_or(|all| all.required.contains(name));
        place(field, twin, is_always_there);
    }
    let twin = |pick: fn(&Node) -> Option<&Node>| written.and_then(pick);
    if let Some(items) = &mut node.items {
        place(items, twin(|all| all.items.as_deref()), true);
    }
    if let Some(values) = &mut node.additional {
        place(values, twin(|all| all.additional.as_deref()), true);
    }
}

fn place(node: &mut Node, written: Option<&Node>, is_always_there: bool) {
    if node.nullable
        && is_always_there
        && written.is_none_or(|written| written.nullable)
        && let Some(values) = node.enum_.take()
    {
        node.alternatives.push(Alternatives {
            keyword: "anyOf",
            members: vec![Json::from_iter([("enum".to_owned(), values.into())])],
        });
    }
    settle(node, written);
}
