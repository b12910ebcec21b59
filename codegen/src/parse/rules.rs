//! What a schema asks of values beyond their types.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::model::Shape;
use crate::ir::{Check, Demand};

/// The rules of one level of a schema, in a fixed order.
pub(super) fn of(map: &Map<String, Value>, shape: &Shape) -> Vec<Check> {
    let mut checks = Vec::new();
    match shape {
        Shape::String
        | Shape::DateTime
        | Shape::Bytes
        | Shape::Texts(_)
        | Shape::IntOrString
        | Shape::Quantity => {
            texts_of(map, shape, &mut checks);
        }
        _ => {}
    }
    match shape {
        Shape::Int32 | Shape::Int64 | Shape::Number | Shape::IntOrString => numbers(map, &mut checks),
        Shape::List(_) => lists(map, &mut checks),
        Shape::Object(_) => objects(map, &mut checks),
        _ => {}
    }
    if let Some(Value::Array(rules)) = map.get("x-kubernetes-validations") {
        for rule in rules {
            let text = |key: &str| {
                rule.get(key)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            if !text("rule").is_empty() {
                checks.push(Check::Cel(text("rule"), text("message")));
            }
        }
    }
    if let Some(default) = map.get("default") {
        checks.push(Check::Default(default.to_string()));
    }
    checks
}

fn size(map: &Map<String, Value>, key: &str, check: fn(u64) -> Check, checks: &mut Vec<Check>) {
    // Some generators write sizes as floats.
    let size = map
        .get(key)
        .and_then(|value| value.as_u64().or_else(|| Some(value.as_f64()? as u64)));
    checks.extend(size.map(check));
}

fn texts_of(map: &Map<String, Value>, shape: &Shape, checks: &mut Vec<Check>) {
    if let Shape::Texts(texts) = shape {
        checks.push(Check::Texts(texts.clone()));
    }
    size(map, "minLength", Check::MinLength, checks);
    size(map, "maxLength", Check::MaxLength, checks);
    let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
    if *shape != Shape::Quantity {
        checks.extend(text("pattern").map(Check::Pattern));
    }
    if *shape != Shape::IntOrString && *shape != Shape::Quantity {
        checks.extend(text("format").map(Check::Format));
    }
}

fn numbers(map: &Map<String, Value>, checks: &mut Vec<Check>) {
    let number = |key: &str| map.get(key).and_then(Value::as_number).cloned();
    let exclusive = |key: &str| map.get(key).and_then(Value::as_bool).unwrap_or(false);
    if let Some(least) = number("minimum") {
        checks.push(match exclusive("exclusiveMinimum") {
            true => Check::Above(least),
            false => Check::Minimum(least),
        });
    }
    if let Some(most) = number("maximum") {
        checks.push(match exclusive("exclusiveMaximum") {
            true => Check::Below(most),
            false => Check::Maximum(most),
        });
    }
    checks.extend(number("multipleOf").map(Check::MultipleOf));
    if let Some(Value::Array(values)) = map.get("enum") {
        let allowed: Vec<Number> = values
            .iter()
            .filter_map(|value| value.as_number().cloned())
            .collect();
        if !allowed.is_empty() {
            checks.push(Check::Numbers(allowed));
        }
    }
}

fn lists(map: &Map<String, Value>, checks: &mut Vec<Check>) {
    size(map, "minItems", Check::MinItems, checks);
    size(map, "maxItems", Check::MaxItems, checks);
    match map.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => checks.push(Check::ListSet),
        Some("map") => checks.push(Check::ListMap(names(map.get("x-kubernetes-list-map-keys")))),
        Some("atomic") => checks.push(Check::Atomic),
        _ => {}
    }
}

fn objects(map: &Map<String, Value>, checks: &mut Vec<Check>) {
    size(map, "minProperties", Check::MinProperties, checks);
    size(map, "maxProperties", Check::MaxProperties, checks);
    if map.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic") {
        checks.push(Check::Atomic);
    }
    for (word, value) in map {
        checks.extend(logic(word, value).into_iter().map(Check::Fields));
    }
}

/// What one of the words `allOf`, `anyOf`, `oneOf` and `not` demands of the fields that are set. `None` if it is about more
/// than that.
fn logic(word: &str, value: &Value) -> Option<Demand> {
    let branches = || value.as_array()?.iter().map(demand).collect::<Option<Vec<_>>>();
    match word {
        "not" => demand(value).map(|inner| Demand::Not(Box::new(inner))),
        "oneOf" => branches().map(Demand::One),
        "anyOf" => branches().map(Demand::Any),
        "allOf" => branches().map(Demand::All),
        _ => None,
    }
}

fn demand(value: &Value) -> Option<Demand> {
    let mut demands = Vec::new();
    for (word, value) in value.as_object()? {
        match word.as_str() {
            "required" => demands.push(Demand::Set(names(Some(value)))),
            "description" | "title" => {}
            // `properties: {a: {}}` only repeats that there is such a field.
            "properties" if is_empty(value) => {}
            word => demands.push(logic(word, value)?),
        }
    }
    match demands.len() {
        1 => demands.pop(),
        _ => Some(Demand::All(demands)),
    }
}

fn is_empty(properties: &Value) -> bool {
    let Some(properties) = properties.as_object() else {
        return false;
    };
    properties
        .values()
        .all(|value| value.as_object().is_some_and(Map::is_empty))
}

/// The texts of an array.
pub(super) fn names(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The texts that a string may be, each once and in the order of the schema. `null` among them says what `nullable` does. In
/// `allOf`, where some generators repeat them, those that all members name.
pub(super) fn texts(map: &Map<String, Value>) -> Option<Vec<String>> {
    let own = map.get("enum").map(|texts| names(Some(texts)));
    let members = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let members = members.filter_map(|member| Some(names(Some(member.get("enum")?))));
    let all = own.into_iter().chain(members).reduce(|mut all, more| {
        all.retain(|text| more.contains(text));
        all
    })?;
    let mut seen = BTreeSet::new();
    let texts: Vec<_> = all.into_iter().filter(|text| seen.insert(text.clone())).collect();
    (!texts.is_empty()).then_some(texts)
}
