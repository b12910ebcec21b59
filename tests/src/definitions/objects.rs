//! Objects that a schema allows, and what must come back of them.
//!
//! Everything comes back as it went in, to the JSON value, with one exception: a `null` where the schema knows a value and no
//! default is as good as nothing, and nothing comes back.

use serde_json::{Map, Value, json};

/// How deep free JSON and schemas are followed.
const MAX_DEPTH: usize = 60;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// What is required, as empty as can be.
    Minimal,
    /// Everything, with fields that no schema names where they are kept.
    Maximal,
    /// Everything that may be there, empty: zeros, empty texts, lists and maps.
    Zeros,
    /// Everything, and `null` where that is allowed.
    Nulls,
    /// Everything, with texts and numbers that no `enum` names.
    Unknown,
}

impl Plan {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Minimal,
        Self::Maximal,
        Self::Zeros,
        Self::Nulls,
        Self::Unknown,
    ];
}

/// An object and what must come back of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// `group/version`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The plan.
    pub plan: Plan,
    /// What goes in.
    pub input: Value,
    /// What comes out.
    pub expected: Value,
}

impl Case {
    /// The case as the runner reads it.
    pub fn json(&self) -> Value {
        json!({
            "apiVersion": self.api_version, "kind": self.kind, "plan": format!("{:?}", self.plan),
            "input": self.input, "expected": self.expected,
        })
    }
}

/// The objects of all versions of a definition.
pub fn cases(definition: &super::collect::Definition) -> Vec<Case> {
    let text = |pointer: &str| {
        let text = definition.value.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let (group, kind) = (text("/spec/group"), text("/spec/names/kind"));
    let keeps_all = definition.value.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true));
    let mut cases = Vec::new();
    for version in definition.versions() {
        let api_version = format!("{group}/{}", version["name"].as_str().unwrap_or_default());
        let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let schema = version.pointer("/schema/openAPIV3Schema").unwrap_or(&free);
        for plan in Plan::ALL {
            let maker = Maker { plan, keeps_all };
            let (input, expected) = maker.root(schema, &api_version, &kind);
            cases.push(Case {
                api_version: api_version.clone(),
                kind: kind.clone(),
                plan,
                input,
                expected,
            });
        }
    }
    cases
}

/// A value and what must come back of it; nothing, if nothing must.
type Pair = (Value, Option<Value>);

struct Maker {
    plan: Plan,
    keeps_all: bool,
}

fn flag(schema: &Value, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}

fn same(value: Value) -> Pair {
    (value.clone(), Some(value))
}

/// JSON of every form.
fn free() -> Value {
    json!({"text": "a\"b\\c\u{1f980}", "whole": 9_007_199_254_740_993_i64, "part": 0.5, "yes": true,
        "list": [1, "two", null, {"three": []}], "map": {"": {}, "a.b/c": null}})
}

impl Maker {
    fn root(&self, schema: &Value, api_version: &str, kind: &str) -> (Value, Value) {
        let mut input = Map::new();
        input.insert("apiVersion".to_owned(), api_version.into());
        input.insert("kind".to_owned(), kind.into());
        input.insert(
            "metadata".to_owned(),
            json!({"name": "a", "labels": {"app": "web"}}),
        );
        let mut expected = input.clone();
        self.members(
            schema,
            &["apiVersion", "kind", "metadata"],
            0,
            &mut input,
            &mut expected,
        );
        if schema.get("type").is_none() && schema.get("properties").is_none() && self.plan == Plan::Maximal {
            input.insert("kubeloomFree".to_owned(), free());
            expected.insert("kubeloomFree".to_owned(), free());
        }
        (Value::Object(input), Value::Object(expected))
    }

    fn members(
        &self,
        schema: &Value,
        skipped: &[&str],
        depth: usize,
        input: &mut Map<String, Value>,
        expected: &mut Map<String, Value>,
    ) {
        let empty = Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let required = |name: &str| {
            let required = schema.get("required").and_then(Value::as_array);
            required.is_some_and(|required| required.iter().any(|one| one == name))
        };
        for (name, property) in properties
            .iter()
            .filter(|(name, _)| !skipped.contains(&name.as_str()))
        {
            let defaulted = property.get("default").is_some();
            let needed = required(name) && !defaulted;
            if self.plan == Plan::Minimal && !needed {
                continue;
            }
            if self.plan == Plan::Nulls && nullable(property) {
                input.insert(name.clone(), Value::Null);
                if needed || defaulted {
                    expected.insert(name.clone(), Value::Null);
                }
                continue;
            }
            let (value, back) = self.value(property, depth + 1);
            input.insert(name.clone(), value);
            if let Some(back) = back {
                expected.insert(name.clone(), back);
            }
        }
        let open = flag(schema, "x-kubernetes-preserve-unknown-fields")
            || flag(schema, "x-kubernetes-embedded-resource")
            || flag(schema, "additionalProperties")
            || (self.keeps_all && !properties.is_empty());
        if open && self.plan != Plan::Minimal {
            let more = if self.plan == Plan::Zeros {
                Value::Null
            } else {
                free()
            };
            input.insert("kubeloom-free".to_owned(), more.clone());
            expected.insert("kubeloom-free".to_owned(), more);
        }
    }

    fn value(&self, schema: &Value, depth: usize) -> Pair {
        let zeros = matches!(self.plan, Plan::Zeros | Plan::Minimal);
        if depth > MAX_DEPTH {
            return same(json!({}));
        }
        if flag(schema, "x-kubernetes-int-or-string") {
            let quantity = schema
                .get("pattern")
                .and_then(Value::as_str)
                .is_some_and(|pattern| pattern.contains("[KMGTPE]i"));
            return same(match (quantity, depth % 2) {
                (true, _) => "1024Mi".into(),
                (false, 0) => json!(4_000_000_000_i64),
                (false, _) => "25%".into(),
            });
        }
        let kind = schema.get("type").and_then(Value::as_str);
        let kind = match kind {
            None if schema.get("properties").is_some() => Some("object"),
            None if schema.get("items").is_some() => Some("array"),
            None if schema.get("additionalProperties").is_some_and(Value::is_object) => Some("object"),
            kind => kind,
        };
        match kind {
            Some("object") => self.object(schema, depth),
            Some("array") => self.list(schema, depth),
            Some("string") => same(self.text(schema)),
            Some("boolean") => same(Value::Bool(!zeros)),
            Some("integer") if zeros => same(json!(0)),
            Some("integer") if self.plan == Plan::Unknown => same(json!(-424_242)),
            Some("integer") => same(match schema.get("enum").and_then(|values| values.get(0)) {
                Some(known) => known.clone(),
                None if schema.get("format").is_some_and(|format| format == "int32") => json!(i32::MIN),
                None => json!(i64::MAX),
            }),
            Some("number") => same(if zeros { json!(0) } else { json!(-1.5e-7) }),
            // Any JSON; `null` is nothing there.
            _ => same(if zeros { json!("") } else { free() }),
        }
    }

    fn text(&self, schema: &Value) -> Value {
        let known = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let known = known.rev().find(|value| value.is_string());
        let format = schema.get("format").and_then(Value::as_str);
        match (self.plan, known, format) {
            (Plan::Zeros | Plan::Minimal, ..) => "".into(),
            (Plan::Unknown, _, format) if format != Some("byte") => {
                "kubeloom: no known \u{1f980} value".into()
            }
            (_, Some(known), _) => known.clone(),
            (_, _, Some("byte")) => "AAECAw==".into(),
            (_, _, Some("date-time")) => "2026-01-31T12:00:00.123456789+02:00".into(),
            (_, _, Some("int-or-string")) => "http".into(),
            _ => "text with \"quotes\" and \n lines".into(),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Pair {
        let zeros = matches!(self.plan, Plan::Zeros | Plan::Minimal);
        let (mut input, mut expected) = (Map::new(), Map::new());
        let has_properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|map| !map.is_empty());
        let values = schema
            .get("additionalProperties")
            .filter(|values| values.is_object());
        if has_properties {
            self.members(schema, &[], depth, &mut input, &mut expected);
        } else if let (Some(values), false) = (values, zeros) {
            for key in ["a", "b.c/d"] {
                let (value, back) = self.held(values, depth);
                input.insert(key.to_owned(), value);
                expected.insert(key.to_owned(), back);
            }
        } else if !zeros {
            input.insert("kubeloom-free".to_owned(), free());
            expected = input.clone();
        }
        (Value::Object(input), Some(Value::Object(expected)))
    }

    fn list(&self, schema: &Value, depth: usize) -> Pair {
        if matches!(self.plan, Plan::Zeros | Plan::Minimal) {
            return same(json!([]));
        }
        let Some(items) = schema.get("items").filter(|items| items.is_object()) else {
            return same(json!([free(), null, 1]));
        };
        let (full, full_back) = self.held(items, depth);
        let least = Maker {
            plan: Plan::Minimal,
            keeps_all: self.keeps_all,
        };
        let (small, small_back) = least.value(items, depth + 1);
        let small_back = small_back.unwrap_or_default();
        (json!([full, small]), Some(json!([full_back, small_back])))
    }

    /// What a list or map holds.
    fn held(&self, schema: &Value, depth: usize) -> (Value, Value) {
        if self.plan == Plan::Nulls && nullable(schema) {
            return (Value::Null, Value::Null);
        }
        let (value, back) = self.value(schema, depth + 1);
        (value, back.unwrap_or_default())
    }
}

fn nullable(schema: &Value) -> bool {
    flag(schema, "nullable")
}
