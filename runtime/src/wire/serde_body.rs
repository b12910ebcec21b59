//! Bodies of types that implement serde and have no table.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{DecodeError, EncodeError, Format, cbor};
use crate::resource::Resource;

/// Reads a body as anything that serde can read.
///
/// # Errors
/// A malformed body, a value of another shape, and protobuf, which cannot be read without a table.
pub fn decode_serde<T: DeserializeOwned>(format: Format, body: &[u8]) -> Result<T, DecodeError> {
    match format {
        Format::Json => serde_json::from_slice(body).map_err(|error| DecodeError::new(format, error)),
        Format::Yaml => {
            let text = std::str::from_utf8(body).map_err(|error| DecodeError::new(format, error))?;
            serde_saphyr::from_str(text).map_err(|error| DecodeError::new(format, error))
        }
        Format::Cbor => cbor::from_slice(body),
        Format::Protobuf => Err(DecodeError::new(format, "protobuf cannot be read without a type")),
    }
}

/// Writes anything that serde can write.
///
/// # Errors
/// A value that the format cannot hold, and protobuf, which cannot be written without a table.
pub fn encode_serde(value: &impl Serialize, format: Format) -> Result<Vec<u8>, EncodeError> {
    match format {
        Format::Json => serde_json::to_vec(value).map_err(EncodeError::new),
        Format::Yaml => serde_saphyr::to_string(value)
            .map(String::into_bytes)
            .map_err(EncodeError::new),
        Format::Cbor => cbor::from_serialize(value),
        Format::Protobuf => Err(EncodeError::new("protobuf cannot be written without a type")),
    }
}

/// Writes an object with the `apiVersion` and `kind` of its type, whether it has such fields or not.
///
/// # Errors
/// As [`encode_serde`], and a type that serde writes as something else than an object.
pub fn encode_kind<K: Resource + Serialize>(object: &K, format: Format) -> Result<Vec<u8>, EncodeError> {
    let Value::Object(members) = serde_json::to_value(object).map_err(EncodeError::new)? else {
        return Err(EncodeError::new(format_args!(
            "{} is no object to serde",
            K::KIND
        )));
    };
    let mut out = serde_json::Map::with_capacity(members.len() + 2);
    out.insert("apiVersion".to_owned(), K::API_VERSION.into());
    out.insert("kind".to_owned(), K::KIND.into());
    for (name, value) in members {
        if name != "apiVersion" && name != "kind" {
            out.insert(name, value);
        }
    }
    encode_serde(&out, format)
}
