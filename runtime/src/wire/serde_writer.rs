//! A record to any serde format.

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::record::{KEEP, NIL, Record, View};
use crate::value::RawJson;

/// Writes a record as a map, in the order of its table.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(record: &dyn Record, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    if let Some(meta) = record.type_meta() {
        map.serialize_entry("apiVersion", meta.api_version)?;
        match meta.list {
            true => map.serialize_entry("kind", &format_args!("{}List", meta.kind))?,
            false => map.serialize_entry("kind", meta.kind)?,
        }
    }
    for (index, field) in record.table().fields.iter().enumerate() {
        let view = record.view(index);
        let presence = field.presence();
        if view.is_written(presence) {
            map.serialize_entry(field.json, &ViewRef { view, presence })?;
        }
    }
    for (name, value) in record.rest().into_iter().flat_map(|rest| rest.iter()) {
        map.serialize_entry(name.as_str(), value)?;
    }
    map.end()
}

/// A record to be serialised.
pub(super) struct RecordRef<'a>(pub(super) &'a dyn Record);

impl Serialize for RecordRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

struct ViewRef<'a> {
    view: View<'a>,
    presence: u8,
}

fn item(view: View<'_>) -> ViewRef<'_> {
    ViewRef { view, presence: KEEP }
}

impl Serialize for ViewRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.view {
            View::Absent | View::Null => serializer.serialize_unit(),
            View::Str(text) => serializer.serialize_str(text),
            View::Bool(value) => serializer.serialize_bool(value),
            View::I32(value) => serializer.serialize_i32(value),
            View::I64(value) => serializer.serialize_i64(value),
            View::F64(value) => float(value, serializer),
            View::Bytes(bytes) if self.presence == NIL && bytes.is_empty() => serializer.serialize_unit(),
            View::Bytes(bytes) => bytes.serialize(serializer),
            View::Time(time) => time.serialize(serializer),
            View::MicroTime(time) => time.serialize(serializer),
            View::Duration(duration) => duration.serialize(serializer),
            View::Quantity(quantity) => quantity.serialize(serializer),
            View::IntOrString(value) => value.serialize(serializer),
            View::Raw(raw) => raw.serialize(serializer),
            View::Foreign(value) => {
                let json = value.write_json().map_err(S::Error::custom)?;
                RawJson::from_validated(json).serialize(serializer)
            }
            View::Record(record) => serialize(record, serializer),
            View::Choice(choice) => item(choice.arm().1).serialize(serializer),
            View::List(list) if self.presence == NIL && list.is_empty() => serializer.serialize_unit(),
            View::List(list) => {
                let mut out = serializer.serialize_seq(Some(list.len()))?;
                for index in 0..list.len() {
                    out.serialize_element(&item(list.at(index)))?;
                }
                out.end()
            }
            View::Map(map) if self.presence == NIL && map.is_empty() => serializer.serialize_unit(),
            View::Map(map) => {
                let mut out = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in (0..map.len()).filter_map(|index| map.at(index)) {
                    // A nil list as a value is null in Go as well; an empty one cannot be told from it.
                    out.serialize_entry(key, &item(value))?;
                }
                out.end()
            }
        }
    }
}

/// Whole numbers are written without a fraction, as Go writes them; but the sign of a negative zero would be lost.
pub(super) fn whole(value: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_negative_zero = value == 0.0 && value.is_sign_negative();
    (value.fract() == 0.0 && value.abs() < EXACT && !is_negative_zero).then_some(value as i64)
}

fn float<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match whole(value) {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(value),
    }
}
