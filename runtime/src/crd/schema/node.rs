//! A schema in the shape that servers ask for: one type per place, and validations apart from it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Json = Map<String, Value>;

/// What a schema says of one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) description: Option<String>,
    /// `object`, `array`, `string`, `integer`, `number` or `boolean`; `None` where nothing was said.
    pub(super) type_: Option<String>,
    pub(super) nullable: bool,
    pub(super) int_or_string: bool,
    /// Whether fields that are not described are kept.
    pub(super) preserve: bool,
    pub(super) properties: BTreeMap<String, Self>,
    pub(super) items: Option<Box<Self>>,
    pub(super) additional: Option<Box<Self>>,
    pub(super) required: BTreeSet<String>,
    pub(super) enum_: Option<Vec<Value>>,
    /// Bounds, pattern and format.
    pub(super) checks: BTreeMap<String, Value>,
    /// `default`, `title` and all of `x-kubernetes-*` that is not above.
    pub(super) extensions: BTreeMap<String, Value>,
    pub(super) alternatives: Vec<Alternatives>,
}

/// Validations of which one must hold (or none): what structural schemas allow inside `oneOf`, `anyOf` and `not`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alternatives {
    pub(super) keyword: &'static str,
    pub(super) members: Vec<Json>,
}

impl Node {
    /// Any JSON value.
    pub(super) fn any() -> Self {
        Self {
            preserve: true,
            ..Self::default()
        }
    }

    /// Nothing but a type.
    pub(super) fn typed(type_: &str) -> Self {
        Self {
            type_: Some(type_.to_owned()),
            ..Self::default()
        }
    }

    pub(super) fn is(&self, type_: &str) -> bool {
        self.type_.as_deref() == Some(type_)
    }

    /// Completes what servers want spelled out: a type or the statement that there is none, items of arrays, the
    /// metadata of embedded resources.
    pub(super) fn finish(mut self) -> Self {
        if self.type_.is_none() && !self.int_or_string {
            self.type_ = self.guess_type();
            self.preserve |= self.type_.is_none();
        }
        if self.is("array") && self.items.is_none() {
            self.items = Some(Box::new(Self::any()));
        }
        if self.additional.is_some() && !self.properties.is_empty() {
            // Servers refuse both in one place.
            self.additional = None;
            self.preserve = true;
        }
        if self.extensions.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true)) {
            self.type_ = Some("object".to_owned());
            // Servers refuse to have free fields of an embedded resource described.
            let free = self.additional.take().is_some();
            self.preserve |= free || self.properties.is_empty();
            if let Some(metadata) = self.properties.get_mut("metadata") {
                // Servers know metadata and refuse to have it described.
                *metadata = Self::typed("object");
            }
        }
        self.finish_set();
        self
    }

    fn guess_type(&self) -> Option<String> {
        let named = !self.properties.is_empty() || !self.required.is_empty() || self.additional.is_some();
        let texts = self
            .enum_
            .as_ref()
            .is_some_and(|values| values.iter().all(Value::is_string));
        if named {
            Some("object".to_owned())
        } else if self.items.is_some() {
            Some("array".to_owned())
        } else if texts {
            Some("string".to_owned())
        } else {
            None
        }
    }

    /// `uniqueItems` is refused by servers; a list of scalars is a set to them.
    fn finish_set(&mut self) {
        let unique = self.checks.remove("uniqueItems") == Some(Value::Bool(true));
        let scalar = self.items.as_ref().is_some_and(|items| {
            !items.nullable
                && items
                    .type_
                    .as_deref()
                    .is_some_and(|one| !matches!(one, "object" | "array"))
        });
        if unique && scalar {
            self.extensions
                .entry("x-kubernetes-list-type".to_owned())
                .or_insert_with(|| "set".into());
        }
    }

    /// The JSON of the schema, keys in alphabetical order.
    pub(super) fn into_json(self) -> Json {
        let mut out: BTreeMap<String, Value> = self.extensions;
        out.extend(self.checks);
        let mut set = |key: &str, value: Value| out.insert(key.to_owned(), value);
        if let Some(text) = self.description {
            set("description", text.into());
        }
        if let Some(type_) = self.type_ {
            set("type", type_.into());
        }
        for (key, flag) in [
            ("nullable", self.nullable),
            ("x-kubernetes-int-or-string", self.int_or_string),
            ("x-kubernetes-preserve-unknown-fields", self.preserve),
        ] {
            if flag {
                set(key, true.into());
            }
        }
        if !self.properties.is_empty() {
            let properties = self.properties.into_iter();
            let properties = properties.map(|(name, node)| (name, Value::Object(node.into_json())));
            set("properties", properties.collect::<Json>().into());
        }
        for (key, node) in [("items", self.items), ("additionalProperties", self.additional)] {
            if let Some(node) = node {
                set(key, node.into_json().into());
            }
        }
        if !self.required.is_empty() {
            set("required", self.required.into_iter().collect());
        }
        if let Some(values) = self.enum_ {
            set("enum", values.into());
        }
        for (key, value) in alternatives_json(self.alternatives) {
            out.insert(key, value);
        }
        out.into_iter().collect()
    }
}

/// `oneOf`, `anyOf` and `not`, in `allOf` where there are several of one.
pub(super) fn alternatives_json(all: Vec<Alternatives>) -> Json {
    let mut out = Json::new();
    let mut more = Vec::new();
    for one in all {
        let value = match (one.keyword, one.members) {
            ("not", mut members) => members.pop().map_or(Value::Null, Value::Object),
            (_, members) => members.into_iter().map(Value::Object).collect(),
        };
        if out.contains_key(one.keyword) {
            more.push(Value::Object(Json::from_iter([(one.keyword.to_owned(), value)])));
        } else {
            out.insert(one.keyword.to_owned(), value);
        }
    }
    if !more.is_empty() {
        out.insert("allOf".to_owned(), more.into());
    }
    out
}
