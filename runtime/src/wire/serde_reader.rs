//! A record from any self-describing serde format.
//!
//! One visitor serves every kind of field: which methods make sense depends on the [`Slot`] it writes to, and the rest
//! answer with an error that names what was expected.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer};

use super::json_reader::{expected, null_field};
use crate::record::{ChoiceArm, Foreign, List, Mapping, Record, Slot};
use crate::value::{ByteString, Duration, IntOrString, MicroTime, Quantity, RawJson, Str, Time};

/// Reads a map into an empty record.
///
/// # Errors
/// Those of the deserializer, and values of the wrong type.
pub fn deserialize<'de, D: Deserializer<'de>>(
    record: &mut dyn Record,
    deserializer: D,
) -> Result<(), D::Error> {
    SlotSeed::new(Slot::Record(record)).deserialize(deserializer)
}

/// A place that waits for its value.
pub(super) struct SlotSeed<'a>(Place<'a>);

impl<'a> SlotSeed<'a> {
    pub(super) fn new(slot: Slot<'a>) -> Self {
        Self(Place::Slot(slot))
    }
}

impl<'de> DeserializeSeed<'de> for SlotSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self.0)
    }
}

/// Where the next value of the input goes. The slot is asked for only when the value turns out not to be `null`,
/// since asking brings an optional field into being.
enum Place<'a> {
    Slot(Slot<'a>),
    Field(&'a mut dyn Record, usize),
    Item(&'a mut dyn List),
    Entry(&'a mut dyn Mapping, Str),
}

impl<'a> Place<'a> {
    fn slot(self) -> Slot<'a> {
        let slot = match self {
            Place::Slot(slot) => slot,
            Place::Field(record, index) => record.slot(index),
            Place::Item(list) => list.push(),
            Place::Entry(map, key) => map.entry(key),
        };
        match slot {
            Slot::Nullable(place) => place.fill(),
            slot => slot,
        }
    }

    /// `null`: a field stays absent, an item or an entry becomes an empty one; all unless `null` is a value of its own.
    fn null(self) {
        match self {
            Place::Slot(_) => {}
            Place::Field(record, index) => null_field(record, index),
            Place::Item(list) => drop(list.push()),
            Place::Entry(map, key) => drop(map.entry(key)),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// An error that names the kinds of what came and of what was expected, and never the value: it may be a secret.
fn mismatch<E: Error>(came: &'static str, slot: &Slot<'_>) -> E {
    E::invalid_type(Unexpected::Other(came), &expected(slot))
}

fn raw<'de, E: Error, T: IntoDeserializer<'de, E>>(place: &mut RawJson, value: T) -> Result<(), E> {
    *place = RawJson::deserialize(value.into_deserializer())?;
    Ok(())
}

fn foreign<'de, E: Error, T: IntoDeserializer<'de, E>>(place: &mut dyn Foreign, value: T) -> Result<(), E> {
    let json = RawJson::deserialize(value.into_deserializer())?;
    place.read_json(json.get()).map_err(E::custom)
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Slot(slot) => f.write_str(expected(slot)),
            Place::Field(record, index) => {
                let table = record.table();
                write!(
                    f,
                    "a value for {}.{}",
                    table.name,
                    table.fields.get(*index).map_or("?", |field| field.json)
                )
            }
            Place::Item(_) => f.write_str("an item of a list"),
            Place::Entry(..) => f.write_str("a value of a map"),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.null();
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match self.slot() {
            Slot::Bool(place) => *place = value,
            Slot::Raw(place) => return raw(place, value),
            Slot::Foreign(place) => return foreign(place, value),
            Slot::Choice(choice) if choice.has_arm(ChoiceArm::Bool) => {
                return Place::Slot(choice.select(ChoiceArm::Bool)).visit_bool(value);
            }
            Slot::Ignored => {}
            slot => return Err(mismatch("a boolean", &slot)),
        }
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        match self.slot() {
            Slot::I32(place) => {
                *place = i32::try_from(value)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(value), &"a 32-bit integer"))?;
            }
            Slot::I64(place) => *place = value,
            Slot::F64(place) => *place = value as f64,
            Slot::IntOrString(place) => *place = IntOrString::from(value),
            Slot::Quantity(place) => *place = Quantity::from(value),
            Slot::Duration(place) => *place = Duration::from_nanos(value),
            Slot::Raw(place) => return raw(place, value),
            Slot::Foreign(place) => return foreign(place, value),
            Slot::Ignored => {}
            slot => return Err(mismatch("an integer", &slot)),
        }
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        if let Ok(signed) = i64::try_from(value) {
            return self.visit_i64(signed);
        }
        match self.slot() {
            Slot::Raw(place) => raw(place, value),
            Slot::Foreign(place) => foreign(place, value),
            slot => Place::Slot(slot).visit_f64(value as f64),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        match self.slot() {
            Slot::F64(place) => *place = value,
            Slot::Raw(place) => return raw(place, value),
            Slot::Foreign(place) => return foreign(place, value),
            Slot::Quantity(place) => *place = Quantity::from_wire(Str::from(value.to_string())),
            // Some writers of JSON put a fraction or an exponent on whole numbers.
            slot @ (Slot::I32(_) | Slot::I64(_)) if value.fract() == 0.0 && value.abs() < 9e15 => {
                return Place::Slot(slot).visit_i64(value as i64);
            }
            Slot::Ignored => {}
            slot => return Err(mismatch("a number", &slot)),
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        match self.slot() {
            Slot::Str(place) => *place = Str::from(text),
            Slot::Text(place) => place.set(text),
            Slot::Bytes(place) => *place = ByteString::from_base64(text).map_err(E::custom)?,
            Slot::Time(place) => *place = Time::from_wire(text).map_err(E::custom)?,
            Slot::MicroTime(place) => *place = MicroTime::from_wire(text).map_err(E::custom)?,
            Slot::Duration(place) => *place = text.parse::<Duration>().map_err(E::custom)?,
            Slot::Quantity(place) => *place = Quantity::from_wire(Str::from(text)),
            Slot::IntOrString(place) => *place = IntOrString::from(text),
            Slot::Raw(place) => return raw(place, text),
            Slot::Foreign(place) => return foreign(place, text),
            Slot::Ignored => {}
            slot => return Err(mismatch("a string", &slot)),
        }
        Ok(())
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<(), E> {
        match (self.slot(), std::str::from_utf8(bytes)) {
            (Slot::Bytes(place), _) => {
                *place = ByteString::from(bytes.to_vec());
                Ok(())
            }
            // CBOR servers may send text as byte strings.
            (slot, Ok(text)) => Place::Slot(slot).visit_str(text),
            (slot, Err(_)) => Err(mismatch("bytes", &slot)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let list = match self.slot() {
            Slot::List(list) => list,
            Slot::Choice(choice) if choice.has_arm(ChoiceArm::List) => {
                return Place::Slot(choice.select(ChoiceArm::List)).visit_seq(items);
            }
            Slot::Raw(place) => {
                *place = RawJson::deserialize(SeqAccessDeserializer::new(items))?;
                return Ok(());
            }
            Slot::Foreign(place) => {
                let json = RawJson::deserialize(SeqAccessDeserializer::new(items))?;
                return place.read_json(json.get()).map_err(A::Error::custom);
            }
            Slot::Ignored => return IgnoredAny.visit_seq(items).map(|_| ()),
            slot => return Err(mismatch("an array", &slot)),
        };
        // Of a list that is there twice the last one counts.
        list.truncate(0);
        while items.next_element_seed(Place::Item(&mut *list))?.is_some() {}
        list.shrink();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        match self.slot() {
            Slot::Record(record) => visit_record(record, entries),
            Slot::Map(map) => {
                while let Some(key) = entries.next_key::<Str>()? {
                    entries.next_value_seed(Place::Entry(&mut *map, key))?;
                }
                map.shrink();
                Ok(())
            }
            Slot::Choice(choice) if choice.has_arm(ChoiceArm::Record) => {
                Place::Slot(choice.select(ChoiceArm::Record)).visit_map(entries)
            }
            Slot::Raw(place) => {
                *place = RawJson::deserialize(MapAccessDeserializer::new(entries))?;
                Ok(())
            }
            Slot::Foreign(place) => {
                let json = RawJson::deserialize(MapAccessDeserializer::new(entries))?;
                place.read_json(json.get()).map_err(A::Error::custom)
            }
            Slot::Ignored => IgnoredAny.visit_map(entries).map(|_| ()),
            slot => Err(mismatch("an object", &slot)),
        }
    }
}

fn visit_record<'de, A: MapAccess<'de>>(record: &mut dyn Record, mut entries: A) -> Result<(), A::Error> {
    let table = record.table();
    let is_root = record.type_meta().is_some();
    let keeps_rest = record.rest().is_some();
    let mut guess = 0;
    while let Some(key) = entries.next_key_seed(Key {
        table,
        guess,
        is_root,
        keeps_rest,
    })? {
        match key {
            Found::Field(index) => {
                entries.next_value_seed(Place::Field(&mut *record, index))?;
                guess = index + 1;
            }
            Found::Skip => {
                entries.next_value::<IgnoredAny>()?;
            }
            Found::Rest(name) => {
                let value = entries.next_value::<RawJson>()?;
                if let Some(rest) = record.rest_mut() {
                    rest.insert(name, value);
                }
            }
        }
    }
    Ok(())
}

/// A key of a record's map.
enum Found {
    Field(usize),
    Rest(Str),
    Skip,
}

struct Key {
    table: &'static crate::record::Table,
    guess: usize,
    is_root: bool,
    keeps_rest: bool,
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Found;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Found, E> {
        Ok(match self.table.find(name, self.guess) {
            Some(index) => Found::Field(index),
            None if self.is_root && matches!(name, "apiVersion" | "kind") => Found::Skip,
            None if self.keeps_rest => Found::Rest(Str::from(name)),
            None => Found::Skip,
        })
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<Found, E> {
        match std::str::from_utf8(name) {
            Ok(name) => self.visit_str(name),
            Err(_) => Ok(Found::Skip),
        }
    }
}
