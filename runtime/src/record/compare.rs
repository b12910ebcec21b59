//! `Debug`, equality and emptiness, written once over the table.

use std::fmt;

use super::{Foreign, List, Mapping, Record, View};
use crate::value::RawJson;

/// Prints a record as a struct with those of its fields that are not empty; sensitive ones as a placeholder.
pub fn debug(record: &dyn Record, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let table = record.table();
    let mut out = f.debug_struct(table.name);
    let mut shown = 0;
    for (index, field) in table.fields.iter().enumerate() {
        let view = record.view(index);
        let presence = match field.presence() {
            optional @ (super::OPT | super::NULLABLE) => optional,
            _ => super::OMIT,
        };
        if !view.is_written(presence) {
            continue;
        }
        shown += 1;
        if field.is_sensitive() {
            out.field(field.json, &format_args!("<hidden>"));
        } else {
            out.field(field.json, &view);
        }
    }
    for (name, value) in record.rest().into_iter().flat_map(|rest| rest.iter()) {
        shown += 1;
        out.field(name, value);
    }
    if shown < table.fields.len() {
        out.finish_non_exhaustive()
    } else {
        out.finish()
    }
}

/// Whether two records of one type hold equal values.
pub fn equal(one: &dyn Record, other: &dyn Record) -> bool {
    let table = one.table();
    std::ptr::eq(table, other.table())
        && (0..table.fields.len()).all(|index| one.view(index) == other.view(index))
        && one.rest() == other.rest()
}

/// Whether every field is empty or zero: Go's `omitzero`.
pub fn is_zero(record: &dyn Record) -> bool {
    (0..record.table().fields.len()).all(|index| record.view(index).is_zero())
        && record.rest().is_none_or(|rest| rest.is_empty())
}

impl View<'_> {
    /// Whether the value is absent, empty or zero: what Go's `omitempty` and `omitzero` leave out of a plain field.
    pub fn is_zero(&self) -> bool {
        match self {
            View::Absent => true,
            View::Str(text) => text.is_empty(),
            View::Bool(value) => !value,
            View::I32(value) => *value == 0,
            View::I64(value) => *value == 0,
            View::F64(value) => *value == 0.0,
            View::Bytes(bytes) => bytes.is_empty(),
            View::Time(time) => time.is_zero(),
            View::MicroTime(time) => time.is_zero(),
            View::Duration(duration) => duration.as_nanos() == 0,
            View::Raw(raw) => raw.is_null(),
            View::Record(record) => is_zero(*record),
            View::List(list) => list.is_empty(),
            View::Map(map) => map.is_empty(),
            View::Null | View::Quantity(_) | View::IntOrString(_) | View::Choice(_) | View::Foreign(_) => {
                false
            }
        }
    }

    /// Whether a field of the given presence and this value is written.
    pub fn is_written(&self, presence: u8) -> bool {
        match presence {
            super::OMIT => !self.is_zero(),
            super::OPT | super::NULLABLE => !matches!(self, View::Absent),
            _ => true,
        }
    }
}

impl PartialEq for View<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (View::Absent, View::Absent) | (View::Null, View::Null) => true,
            (View::Str(a), View::Str(b)) => a == b,
            (View::Bool(a), View::Bool(b)) => a == b,
            (View::I32(a), View::I32(b)) => a == b,
            (View::I64(a), View::I64(b)) => a == b,
            (View::F64(a), View::F64(b)) => a == b,
            (View::Bytes(a), View::Bytes(b)) => a == b,
            (View::Time(a), View::Time(b)) => a == b,
            (View::MicroTime(a), View::MicroTime(b)) => a == b,
            (View::Duration(a), View::Duration(b)) => a == b,
            (View::Quantity(a), View::Quantity(b)) => a == b,
            (View::IntOrString(a), View::IntOrString(b)) => a == b,
            (View::Raw(a), View::Raw(b)) => a == b,
            (View::Record(a), View::Record(b)) => equal(*a, *b),
            (View::List(a), View::List(b)) => lists_equal(*a, *b),
            (View::Map(a), View::Map(b)) => maps_equal(*a, *b),
            (View::Choice(a), View::Choice(b)) => a.arm() == b.arm(),
            (View::Foreign(a), View::Foreign(b)) => foreign_equal(*a, *b),
            _ => false,
        }
    }
}

fn lists_equal(one: &dyn List, other: &dyn List) -> bool {
    one.len() == other.len() && (0..one.len()).all(|index| one.at(index) == other.at(index))
}

/// Equality of what is written; of values that cannot be written nothing is equal.
fn foreign_equal(one: &dyn Foreign, other: &dyn Foreign) -> bool {
    let json = |value: &dyn Foreign| value.write_json().map(RawJson::from_validated);
    matches!((json(one), json(other)), (Ok(one), Ok(other)) if one == other)
}

fn maps_equal(one: &dyn Mapping, other: &dyn Mapping) -> bool {
    one.len() == other.len() && (0..one.len()).all(|index| one.at(index) == other.at(index))
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            View::Absent => f.write_str("None"),
            View::Null => f.write_str("null"),
            View::Str(value) => fmt::Debug::fmt(value, f),
            View::Bool(value) => fmt::Debug::fmt(value, f),
            View::I32(value) => fmt::Debug::fmt(value, f),
            View::I64(value) => fmt::Debug::fmt(value, f),
            View::F64(value) => fmt::Debug::fmt(value, f),
            View::Bytes(value) => fmt::Debug::fmt(value, f),
            View::Time(value) => fmt::Debug::fmt(value, f),
            View::MicroTime(value) => fmt::Debug::fmt(value, f),
            View::Duration(value) => fmt::Debug::fmt(value, f),
            View::Quantity(value) => fmt::Debug::fmt(value, f),
            View::IntOrString(value) => fmt::Debug::fmt(value, f),
            View::Raw(value) => fmt::Debug::fmt(value, f),
            View::Record(record) => debug(*record, f),
            View::List(list) => f
                .debug_list()
                .entries((0..list.len()).map(|index| list.at(index)))
                .finish(),
            View::Map(map) => f
                .debug_map()
                .entries((0..map.len()).filter_map(|index| map.at(index)))
                .finish(),
            View::Choice(choice) => fmt::Debug::fmt(&choice.arm().1, f),
            View::Foreign(value) => fmt::Debug::fmt(value, f),
        }
    }
}
