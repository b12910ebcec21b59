//! Writing records as protobuf.

use super::{NO_TABLE, Output};
use crate::record::{Choice, ChoiceArm, Entry, List, Record, View};
use crate::value::IntOrString;
use crate::wire::EncodeError;

/// Writes a record as a message, without an envelope.
///
/// # Errors
/// A [`Foreign`](crate::record::Foreign) value in it, which has no protobuf.
pub fn write_message(record: &dyn Record) -> Result<Vec<u8>, EncodeError> {
    let mut out = Output::default();
    write_group(record, 0, &mut out);
    finish(out)
}

/// What was written, unless there was something without protobuf.
pub(crate) fn finish(out: Output) -> Result<Vec<u8>, EncodeError> {
    match out.refuses {
        true => Err(EncodeError::new(NO_TABLE)),
        false => Ok(out.into_vec()),
    }
}

/// Writes the members of a group of a record.
pub(crate) fn write_group(record: &dyn Record, group: usize, out: &mut Output) {
    for (tag, entry) in record.table().proto().group(group) {
        match entry {
            Entry::Field(field) => write_field(*tag, record.view(*field), out),
            // An inlined struct is held by value: it is always written.
            Entry::Group(child) => {
                let open = out.open(*tag);
                write_group(record, *child, out);
                out.close(open);
            }
        }
    }
}

/// Writes a field. What is absent is left out; what is there is written even when it is zero, as Go does.
fn write_field(tag: u16, view: View<'_>, out: &mut Output) {
    match view {
        View::Absent => {}
        View::List(list) => write_items(tag, list, out),
        View::Map(map) => {
            for (key, value) in (0..map.len()).filter_map(|index| map.at(index)) {
                let open = out.open(tag);
                out.field(1, key.as_bytes());
                write_value(2, value, out);
                out.close(open);
            }
        }
        // Go leaves out nil bytes, and an empty one is not told from it.
        View::Bytes(bytes) if bytes.is_empty() => {}
        other => write_value(tag, other, out),
    }
}

fn write_value(tag: u16, view: View<'_>, out: &mut Output) {
    match view {
        View::Absent | View::Null => return,
        View::Str(text) => return out.field(tag, text.as_bytes()),
        View::Bool(value) => return out.varint_field(tag, u64::from(value)),
        View::I32(value) => return out.varint_field(tag, i64::from(value) as u64),
        View::I64(value) => return out.varint_field(tag, value as u64),
        View::F64(value) => {
            out.key(tag, 1);
            return out.bytes(&value.to_bits().to_le_bytes());
        }
        View::Bytes(bytes) => return out.field(tag, bytes),
        _ => {}
    }
    let open = out.open(tag);
    match view {
        View::Record(record) => write_group(record, 0, out),
        View::Time(time) if !time.is_zero() => timestamp(time.seconds(), 0, out),
        View::MicroTime(time) if !time.is_zero() => timestamp(time.seconds(), time.nanos(), out),
        View::Duration(duration) => out.varint_field(1, duration.as_nanos() as u64),
        View::Quantity(quantity) => out.field(1, quantity.as_str().as_bytes()),
        View::Raw(raw) if !raw.is_null() => out.field(1, raw.get().as_bytes()),
        View::IntOrString(value) => int_or_string(value, out),
        View::Choice(choice) => write_choice(choice, out),
        View::Foreign(_) => out.refuses = true,
        // A list as an item or as a value of a map is a message with the items in field 1.
        View::List(list) => write_items(1, list, out),
        View::Map(_) => write_field(1, view, out),
        // Zero times and null are empty messages; the others are written above.
        _ => {}
    }
    out.close(open);
}

fn write_items(tag: u16, list: &dyn List, out: &mut Output) {
    for index in 0..list.len() {
        write_value(tag, list.at(index), out);
    }
}

fn timestamp(seconds: i64, nanos: i32, out: &mut Output) {
    out.varint_field(1, seconds as u64);
    out.varint_field(2, i64::from(nanos) as u64);
}

fn int_or_string(value: &IntOrString, out: &mut Output) {
    let (kind, int, text) = match value {
        IntOrString::Int(int) => (0, *int, ""),
        IntOrString::String(text) => (1, 0, text.as_str()),
    };
    out.varint_field(1, kind);
    out.varint_field(2, int as u64);
    out.field(3, text.as_bytes());
}

fn write_choice(choice: &dyn Choice, out: &mut Output) {
    match (choice.has_arm(ChoiceArm::Bool), choice.arm()) {
        (true, (ChoiceArm::Record, schema)) => {
            // With a schema Go's decoder sets `allows` too.
            out.varint_field(1, 1);
            write_value(2, schema, out);
        }
        (true, (_, allows)) => write_value(1, allows, out),
        (false, (ChoiceArm::Record, schema)) => write_value(1, schema, out),
        (false, (_, View::List(list))) => write_items(2, list, out),
        (false, _) => {}
    }
}
