//! Schemas of types with a table: [`ObjectMeta`](crate::meta::ObjectMeta) and all generated types.

use schemars::Schema;
use serde_json::{Value, json};

use super::node::Json;
use super::types::{DURATION, MICRO_TIME, TIME, bytes, int_or_string, quantity};
use crate::record::{KEEP, NIL, NULL, Record, Slot, Table};

/// Writes `JsonSchema` for a type with a table. Part of [`record!`](crate::record!).
#[doc(hidden)]
#[macro_export]
macro_rules! record_schema {
    ($name:ident) => {
        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(::core::stringify!($name))
            }
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    ::core::stringify!($name)
                ))
            }
            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::crd::schema::of_record(&mut <Self as ::core::default::Default>::default())
            }
        }
    };
}

/// The schema of a record, from its table and the places of an empty value. Required are scalars that are always written:
/// what else a type of the Kubernetes API requires is not in its table, and servers that read such an object check it
/// themselves. A type that contains itself is any object from the second time on.
#[doc(hidden)]
pub fn of_record(empty: &mut dyn Record) -> Schema {
    Schema::from(record(empty, &mut Vec::new()))
}

fn record(empty: &mut dyn Record, above: &mut Vec<*const Table>) -> Json {
    let table = empty.table();
    let this: *const Table = table;
    let mut out = Json::from_iter([("type".to_owned(), "object".into())]);
    if above.contains(&this) {
        out.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
        return out;
    }
    above.push(this);
    let (mut properties, mut required) = (Json::new(), Vec::new());
    if table.type_meta.is_some() {
        for name in ["apiVersion", "kind"] {
            properties.insert(name.to_owned(), json!({"type": "string"}));
        }
    }
    for (index, field) in table.fields.iter().enumerate() {
        let slot = empty.slot(index);
        if field.presence() == KEEP && is_scalar(&slot) {
            required.push(field.json);
        }
        let mut schema = place(slot, above);
        if matches!(field.presence(), NIL | NULL)
            && let Some(schema) = schema.as_object_mut()
        {
            schema.insert("nullable".to_owned(), true.into());
        }
        properties.insert(field.json.to_owned(), schema);
    }
    above.pop();
    if empty.rest().is_some() {
        out.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
    }
    if !required.is_empty() {
        out.insert("required".to_owned(), required.into());
    }
    if !properties.is_empty() {
        out.insert("properties".to_owned(), properties.into());
    }
    out
}

fn is_scalar(slot: &Slot<'_>) -> bool {
    matches!(
        slot,
        Slot::Str(_) | Slot::Text(_) | Slot::Bool(_) | Slot::I32(_) | Slot::I64(_) | Slot::Time(_)
    )
}

fn place(slot: Slot<'_>, above: &mut Vec<*const Table>) -> Value {
    let text = |format: &str| json!({"type": "string", "format": format});
    match slot {
        Slot::Str(_) | Slot::Text(_) => json!({"type": "string"}),
        Slot::Bool(_) => json!({"type": "boolean"}),
        Slot::I32(_) => json!({"type": "integer", "format": "int32"}),
        Slot::I64(_) => json!({"type": "integer", "format": "int64"}),
        Slot::F64(_) => json!({"type": "number"}),
        Slot::Bytes(_) => bytes(),
        Slot::Time(_) => text(TIME),
        Slot::MicroTime(_) => text(MICRO_TIME),
        Slot::Duration(_) => text(DURATION),
        Slot::Quantity(_) => quantity(),
        Slot::IntOrString(_) => int_or_string(),
        Slot::Record(inner) => record(inner, above).into(),
        Slot::List(list) => {
            let items = place(list.push(), above);
            json!({"type": "array", "items": items})
        }
        Slot::Map(map) => {
            let values = place(map.entry("key".into()), above);
            json!({"type": "object", "additionalProperties": values})
        }
        Slot::Nullable(value) => {
            let mut schema = place(value.fill(), above);
            schema["nullable"] = true.into();
            schema
        }
        Slot::Raw(_) | Slot::Choice(_) | Slot::Foreign(_) | Slot::Ignored => {
            json!({"x-kubernetes-preserve-unknown-fields": true})
        }
    }
}
