//! The changes of a typed object, made to the JSON that it was read from.

use serde_json::{Map, Value};

/// Makes the changes from `before` to `after` in `raw`, and no others: fields that the type does not know stay, and
/// fields that it writes though they were absent stay absent, as long as they are unchanged.
pub(super) fn overlay(raw: &mut Value, before: &Value, after: &Value) {
    if before == after {
        return;
    }
    match (raw, before, after) {
        (Value::Object(raw), Value::Object(before), Value::Object(after)) => members(raw, before, after),
        (Value::Array(raw), Value::Array(before), Value::Array(after))
            if raw.len() == before.len() && before.len() == after.len() =>
        {
            for (raw, (before, after)) in raw.iter_mut().zip(before.iter().zip(after)) {
                overlay(raw, before, after);
            }
        }
        (raw, _, after) => *raw = after.clone(),
    }
}

fn members(raw: &mut Map<String, Value>, before: &Map<String, Value>, after: &Map<String, Value>) {
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        raw.remove(key);
    }
    for (key, after) in after {
        match (before.get(key), raw.get_mut(key)) {
            (Some(before), Some(raw)) => overlay(raw, before, after),
            (Some(before), None) if before == after => {}
            _ => {
                raw.insert(key.clone(), after.clone());
            }
        }
    }
}
