//! JSON text from any serde format, and back, value by value and without a tree.

use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

/// The deepest nesting written, so that `serde_json`, whose own limit is 128, can read every text we hold.
const MAX_DEPTH: usize = 127;
/// The key under which `serde_json` hands out a number as a map if its `arbitrary_precision` is on somewhere.
const NUMBER: &str = "$serde_json::private::Number";

/// Whether some crate of the build has turned on `arbitrary_precision`, in which case `serde_json` shows each number
/// that is no 64-bit integer as a map of one entry under [`NUMBER`]. Asked once, so that a document with that key is no number otherwise.
fn numbers_are_maps() -> bool {
    struct Probe;
    impl<'de> Visitor<'de> for Probe {
        type Value = bool;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number")
        }
        fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
            Ok(false)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(true)
        }
    }
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        serde_json::Deserializer::from_str("0.5")
            .deserialize_any(Probe)
            .unwrap_or(false)
    })
}

/// The number's text if the map is `serde_json`'s disguise of one.
pub(super) fn number_token<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<String>, A::Error> {
    if numbers_are_maps() && map.next_key::<String>()?.as_deref() == Some(NUMBER) {
        return map.next_value().map(Some);
    }
    Ok(None)
}

/// Reads one value of any self-describing format as compact JSON text.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let mut out = Vec::new();
    Writer {
        out: &mut out,
        depth: 0,
    }
    .deserialize(deserializer)?;
    String::from_utf8(out).map_err(D::Error::custom)
}

/// Writes one value at the end of `out`.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    depth: usize,
}

impl Writer<'_> {
    fn put<E: serde::de::Error>(self, value: &(impl Serialize + ?Sized)) -> Result<(), E> {
        serde_json::to_writer(self.out, value).map_err(E::custom)
    }

    fn inner<E: serde::de::Error>(&mut self) -> Result<Writer<'_>, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom("nested too deeply"));
        }
        Ok(Writer {
            out: self.out,
            depth: self.depth + 1,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Writer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Writer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON can hold")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.put(&())
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.put(&())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.put(&value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.put(&value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.put(&value)
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<(), E> {
        self.put(&value)
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<(), E> {
        self.put(&value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        if !value.is_finite() {
            return Err(E::invalid_value(Unexpected::Float(value), &self));
        }
        self.put(&value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.put(value)
    }

    /// Base64, as Kubernetes reads the byte strings of CBOR.
    fn visit_bytes<E: serde::de::Error>(self, value: &[u8]) -> Result<(), E> {
        self.put(&STANDARD.encode(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let mut inner = self.inner()?;
        inner.out.push(b'[');
        let mut first = true;
        while seq
            .next_element_seed(Item {
                writer: inner.reborrow(),
                first,
            })?
            .is_some()
        {
            first = false;
        }
        inner.out.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut first = true;
        let mut inner = self.inner()?;
        inner.out.push(b'{');
        while let Some(key) = map.next_key_seed(Key)? {
            if first && key == NUMBER && numbers_are_maps() {
                let number: String = map.next_value()?;
                inner.out.pop();
                inner.out.extend_from_slice(number.as_bytes());
                return Ok(());
            }
            if !first {
                inner.out.push(b',');
            }
            first = false;
            inner.reborrow().put(&key)?;
            inner.out.push(b':');
            map.next_value_seed(inner.reborrow())?;
        }
        inner.out.push(b'}');
        Ok(())
    }
}

impl Writer<'_> {
    fn reborrow(&mut self) -> Writer<'_> {
        Writer {
            out: self.out,
            depth: self.depth,
        }
    }
}

/// An element of a list, behind a comma unless the first.
struct Item<'a> {
    writer: Writer<'a>,
    first: bool,
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.first {
            self.writer.out.push(b',');
        }
        self.writer.deserialize(deserializer)
    }
}

/// A key: a string, or a number or boolean as its text, as YAML has them.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Key {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key that JSON can hold")
    }

    fn visit_str<E>(self, key: &str) -> Result<String, E> {
        Ok(key.to_owned())
    }

    fn visit_string<E>(self, key: String) -> Result<String, E> {
        Ok(key)
    }

    /// Text keys are byte strings in the CBOR of Kubernetes.
    fn visit_bytes<E: serde::de::Error>(self, key: &[u8]) -> Result<String, E> {
        str::from_utf8(key).map(str::to_owned).map_err(E::custom)
    }

    fn visit_bool<E>(self, key: bool) -> Result<String, E> {
        Ok(key.to_string())
    }

    fn visit_i64<E>(self, key: i64) -> Result<String, E> {
        Ok(key.to_string())
    }

    fn visit_u64<E>(self, key: u64) -> Result<String, E> {
        Ok(key.to_string())
    }

    fn visit_f64<E>(self, key: f64) -> Result<String, E> {
        Ok(key.to_string())
    }
}

/// Writes a JSON text to any serde format.
pub(super) fn write<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let ok = (&mut json)
        .deserialize_any(Transcoder(serializer))
        .map_err(S::Error::custom)?;
    json.end().map_err(S::Error::custom)?;
    Ok(ok)
}

/// Hands each value visited to a serializer.
struct Transcoder<S>(S);

/// One value still in the input, to be serialised once.
struct Pending<D>(Cell<Option<D>>);

impl<'de, D: Deserializer<'de>> Serialize for Pending<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let input = self
            .0
            .take()
            .ok_or_else(|| S::Error::custom("a streamed value can be written once only"))?;
        input
            .deserialize_any(Transcoder(serializer))
            .map_err(S::Error::custom)
    }
}

fn shut<T, A: fmt::Display, B: serde::de::Error>(result: Result<T, A>) -> Result<T, B> {
    result.map_err(B::custom)
}

impl<'de, S: Serializer> Visitor<'de> for Transcoder<S> {
    type Value = S::Ok;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<S::Ok, E> {
        shut(self.0.serialize_none())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<S::Ok, E> {
        shut(self.0.serialize_bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<S::Ok, E> {
        shut(self.0.serialize_i64(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<S::Ok, E> {
        shut(self.0.serialize_u64(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<S::Ok, E> {
        shut(self.0.serialize_f64(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<S::Ok, E> {
        shut(self.0.serialize_str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<S::Ok, A::Error> {
        let mut out = shut::<_, _, A::Error>(self.0.serialize_seq(None))?;
        while seq.next_element_seed(ElementTo(&mut out))?.is_some() {}
        shut(out.end())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<S::Ok, A::Error> {
        let mut key = map.next_key::<String>()?;
        if key.as_deref() == Some(NUMBER) && numbers_are_maps() {
            let number: serde_json::Number = map.next_value::<String>()?.parse().map_err(A::Error::custom)?;
            return number_to(&number, self.0).map_err(A::Error::custom);
        }
        let mut out = shut::<_, _, A::Error>(self.0.serialize_map(None))?;
        while let Some(name) = key {
            shut::<_, _, A::Error>(out.serialize_key(&name))?;
            map.next_value_seed(ValueTo(&mut out))?;
            key = map.next_key()?;
        }
        shut(out.end())
    }
}

/// In its own number type where the number has one, else as `serde_json` writes it.
fn number_to<S: Serializer>(number: &serde_json::Number, serializer: S) -> Result<S::Ok, S::Error> {
    if let Some(value) = number.as_u64() {
        serializer.serialize_u64(value)
    } else if let Some(value) = number.as_i64() {
        serializer.serialize_i64(value)
    } else if let Some(value) = number.as_f64() {
        serializer.serialize_f64(value)
    } else {
        number.serialize(serializer)
    }
}

struct ElementTo<'a, S>(&'a mut S);

impl<'de, S: SerializeSeq> DeserializeSeed<'de> for ElementTo<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        shut(self.0.serialize_element(&Pending(Cell::new(Some(deserializer)))))
    }
}

struct ValueTo<'a, S>(&'a mut S);

impl<'de, S: SerializeMap> DeserializeSeed<'de> for ValueTo<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        shut(self.0.serialize_value(&Pending(Cell::new(Some(deserializer)))))
    }
}
