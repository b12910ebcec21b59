//! [`DynamicObject`]: an object of any kind.

use std::fmt;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::meta::{Object, ObjectMeta};
use crate::resource::Resource;
use crate::rest::{ApplyBody, GroupVersionKind, PatchBody};
use crate::value::Str;
use crate::wire::{DecodeError, EncodeError, Format, Wire};

/// An object of any kind: `apiVersion`, `kind` and metadata as Rust values, all else as JSON.
///
/// Numbers keep their kind: what was an integer (64 bits, signed or unsigned) is one, and what was written with a
/// fraction or an exponent is a float, so that a round trip changes neither. Metadata is that of [`ObjectMeta`]; a
/// field of metadata that it does not know is dropped.
///
/// ```
/// use kubeloom::dynamic::DynamicObject;
///
/// let mut widget = DynamicObject::new("demo.example.com/v1", "Widget", "first");
/// widget.set("/spec/size", 3)?;
/// assert_eq!(widget.read::<i64>("/spec/size")?, Some(3));
/// assert_eq!(widget.read::<String>("/spec/colour")?, None);
/// assert_eq!(
///     serde_json::to_string(&widget)?,
///     r#"{"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"first"},"spec":{"size":3}}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynamicObject {
    /// `group/version`, or the version alone for the core group. Empty if the server did not say.
    pub api_version: Str,
    /// The kind. Empty if the server did not say.
    pub kind: Str,
    /// The metadata.
    pub metadata: ObjectMeta,
    /// All other fields of the object, such as `spec` and `status`.
    pub data: serde_json::Map<String, Value>,
}

impl DynamicObject {
    /// An object with a name and nothing else.
    pub fn new(api_version: impl Into<Str>, kind: impl Into<Str>, name: impl Into<Str>) -> Self {
        Self {
            api_version: api_version.into(),
            kind: kind.into(),
            metadata: ObjectMeta {
                name: name.into(),
                ..ObjectMeta::default()
            },
            data: serde_json::Map::new(),
        }
    }

    /// The same object in a namespace.
    #[must_use]
    pub fn within(mut self, namespace: impl Into<Str>) -> Self {
        self.metadata.namespace = namespace.into();
        self
    }

    /// Group, version and kind, as the object says.
    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::of_object(&self.api_version, &self.kind)
    }

    /// The value at a JSON pointer (RFC 6901) such as `/spec/template/spec/containers/0/image`; in keys, `~1` stands
    /// for `/` and `~0` for `~`. Metadata, `apiVersion` and `kind` are not reached by pointers: they are fields.
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        let (key, rest) = first_segment(pointer)?;
        self.data.get(&key)?.pointer(rest)
    }

    /// The value at a JSON pointer, to be changed.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        let (key, rest) = first_segment(pointer)?;
        self.data.get_mut(&key)?.pointer_mut(rest)
    }

    /// The value at a JSON pointer as a `T`; `None` if there is none or it is `null`.
    ///
    /// # Errors
    /// A value of another shape.
    pub fn read<T: DeserializeOwned>(&self, pointer: &str) -> Result<Option<T>, DecodeError> {
        match self.pointer(pointer) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => T::deserialize(value)
                .map(Some)
                .map_err(|error| DecodeError::other(error).within(pointer)),
        }
    }

    /// Sets the value at a JSON pointer and makes the objects on the way to it where there are none. In an array the
    /// index of an item replaces it, and the index after the last, or `-`, adds one.
    ///
    /// # Errors
    /// A pointer that is none, that is to metadata, `apiVersion` or `kind`, or that leads through a value that is
    /// neither object nor array. Nothing is changed then, but for empty objects made on the way.
    pub fn set(&mut self, pointer: &str, value: impl Into<Value>) -> Result<(), EncodeError> {
        let fail = |what: &str| EncodeError::new(format_args!("{pointer}: {what}"));
        let segments: Vec<String> = match pointer.strip_prefix('/') {
            Some(path) => path.split('/').map(unescape).collect(),
            None => return Err(fail("a JSON pointer begins with '/'")),
        };
        if matches!(segments[0].as_str(), "metadata" | "apiVersion" | "kind") {
            return Err(fail("set through the field of the object"));
        }
        let mut place = self.data.entry(&segments[0]).or_insert(Value::Null);
        for segment in &segments[1..] {
            if place.is_null() {
                *place = Value::Object(serde_json::Map::new());
            }
            place = match place {
                Value::Object(map) => map.entry(segment).or_insert(Value::Null),
                Value::Array(items) => {
                    let index = if segment == "-" {
                        Some(items.len())
                    } else {
                        segment.parse().ok()
                    };
                    match index {
                        Some(index) if index < items.len() => &mut items[index],
                        Some(index) if index == items.len() => {
                            items.push(Value::Null);
                            &mut items[index]
                        }
                        _ => return Err(fail("an index that is none of the array")),
                    }
                }
                _ => return Err(fail("the way leads through a value without fields")),
            };
        }
        *place = value.into();
        Ok(())
    }

    /// The object of a type as one of any kind.
    ///
    /// # Errors
    /// Values that JSON cannot hold.
    pub fn from_typed<K: Resource>(object: &K) -> Result<Self, ConvertError> {
        let body = object.encode(Format::Json).map_err(ConvertError::new)?;
        Self::decode(Format::Json, &body).map_err(ConvertError::new)
    }

    /// The object as one of the type.
    ///
    /// # Errors
    /// An object of another group, version or kind (one that does not say is taken for the right one), and values of
    /// another shape.
    pub fn to_typed<K: Resource>(&self) -> Result<K, ConvertError> {
        let wrong = |is: &str, expected| !is.is_empty() && is != expected;
        if wrong(&self.api_version, K::API_VERSION) || wrong(&self.kind, K::KIND) {
            return Err(ConvertError::new(format_args!(
                "the object is {}/{}, not {}/{}",
                self.api_version,
                self.kind,
                K::API_VERSION,
                K::KIND
            )));
        }
        let body = self.encode(Format::Json).map_err(ConvertError::new)?;
        K::decode(Format::Json, &body).map_err(ConvertError::new)
    }

    /// The status of a condition (`True`, `False` or `Unknown`) in `status.conditions`.
    pub fn condition(&self, type_: &str) -> Option<&str> {
        let conditions = self.pointer("/status/conditions")?.as_array()?;
        let found = conditions
            .iter()
            .find(|one| one.get("type").and_then(Value::as_str) == Some(type_))?;
        found.get("status")?.as_str()
    }
}

/// An object that cannot be converted to another type.
#[derive(Debug)]
pub struct ConvertError(String);

impl ConvertError {
    fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConvertError {}

/// The first key of a pointer and the pointer from there on.
fn first_segment(pointer: &str) -> Option<(String, &str)> {
    let path = pointer.strip_prefix('/')?;
    let end = path.find('/').unwrap_or(path.len());
    Some((unescape(&path[..end]), &path[end..]))
}

fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

impl Object for DynamicObject {
    const COMPACT_FORMAT: Format = Format::Json;

    fn object_meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn object_meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl ApplyBody for DynamicObject {
    fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Refuses an object with `managedFields`: it was read from a server, and to apply all of it would own all of it.
    fn body(&self) -> PatchBody {
        if self.metadata.managed_fields.is_empty() {
            PatchBody::apply(self)
        } else {
            PatchBody::unusable(
                "metadata.managedFields must be empty to apply: the object was read from a server",
            )
        }
    }
}

impl Serialize for DynamicObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        for (key, text) in [("apiVersion", &self.api_version), ("kind", &self.kind)] {
            if !text.is_empty() {
                out.serialize_entry(key, text.as_str())?;
            }
        }
        out.serialize_entry("metadata", &self.metadata)?;
        for (key, value) in &self.data {
            out.serialize_entry(key, value)?;
        }
        out.end()
    }
}

impl<'de> Deserialize<'de> for DynamicObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = DynamicObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    /// `null` where an object is expected is an empty one, as everywhere.
    fn visit_unit<E>(self) -> Result<DynamicObject, E> {
        Ok(DynamicObject::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DynamicObject, A::Error> {
        let mut object = DynamicObject::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "apiVersion" => object.api_version = map.next_value::<Option<Str>>()?.unwrap_or_default(),
                "kind" => object.kind = map.next_value::<Option<Str>>()?.unwrap_or_default(),
                "metadata" => object.metadata = map.next_value()?,
                _ => {
                    object.data.insert(key, map.next_value()?);
                }
            }
        }
        Ok(object)
    }
}

/// Implements [`Wire`] through serde: JSON, YAML and CBOR, since protobuf needs a type.
macro_rules! wire_through_serde {
    ($type:ty) => {
        impl $crate::wire::Wire for $type {
            fn decode(format: $crate::wire::Format, body: &[u8]) -> Result<Self, $crate::wire::DecodeError> {
                $crate::wire::decode_serde(format, body)
            }
            fn encode(&self, format: $crate::wire::Format) -> Result<Vec<u8>, $crate::wire::EncodeError> {
                $crate::wire::encode_serde(self, format)
            }
        }
    };
}
pub(super) use wire_through_serde;

wire_through_serde!(DynamicObject);
