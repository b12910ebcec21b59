//! `JsonSchema` of the values that fields are made of.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::scalar::GO_DURATION;
use crate::dynamic::DynamicObject;
use crate::value::{ByteString, Duration, IntOrString, Map, MicroTime, Quantity, RawJson, Time};

/// Base64 with padding (RFC 4648, section 4). Not `format: byte`, by which servers refuse the empty text.
const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

pub(super) fn bytes() -> Value {
    json!({"type": "string", "pattern": BASE64})
}

pub(super) const TIME: &str = "date-time";
pub(super) const MICRO_TIME: &str = "date-time";
pub(super) const DURATION: &str = GO_DURATION;

/// What a quantity is as text: a decimal number with an SI suffix, a binary suffix or an exponent
/// (the grammar in the API reference of `Quantity`).
const QUANTITY: &str = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$";

pub(super) fn quantity() -> Value {
    json!({"x-kubernetes-int-or-string": true, "pattern": QUANTITY})
}

pub(super) fn int_or_string() -> Value {
    json!({"x-kubernetes-int-or-string": true})
}

/// Schemas that are written where the type stands.
macro_rules! inline {
    ($($type:ty: $schema:expr;)*) => { $(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema($schema)
            }
        }
    )* };
}

inline! {
    ByteString: bytes();
    Time: json!({"type": "string", "format": TIME});
    MicroTime: json!({"type": "string", "format": MICRO_TIME});
    Duration: json!({"type": "string", "format": DURATION});
    Quantity: quantity();
    IntOrString: int_or_string();
    RawJson: json!({"x-kubernetes-preserve-unknown-fields": true});
    DynamicObject: json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
}

impl<V: JsonSchema> JsonSchema for Map<V> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("MapOf{}", V::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schema(json!({"type": "object", "additionalProperties": generator.subschema_for::<V>()}))
    }
}

/// The schema that a JSON object is.
fn schema(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}
