//! Compact JSON from records, straight into one buffer.
//!
//! It writes what the serde path ([`super::serde_writer`]) through `serde_json` writes, to the byte, but for raw JSON,
//! whose numbers and strings keep their text, and for floats that JSON cannot hold, which are errors and not `null`.

use serde::Serialize;

use super::json_reader::{plain_run, raw_text};
use super::{EncodeError, serde_writer};
use crate::record::{KEEP, List, Mapping, NIL, Record, View};
use crate::value::IntOrString;

/// The digits of an escape.
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Compact JSON.
///
/// # Errors
/// A number that JSON cannot hold, or raw JSON that is none.
pub fn to_json(record: &dyn Record) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(1024);
    object(&mut out, record)?;
    Ok(out)
}

/// Writes the fields of an object, each behind a comma but the first.
struct Members<'a> {
    out: &'a mut Vec<u8>,
    any: bool,
}

impl Members<'_> {
    fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if self.any {
            self.out.push(b',');
        }
        self.any = true;
        text(self.out, key);
        self.out.push(b':');
        self.out
    }
}

fn object(out: &mut Vec<u8>, record: &dyn Record) -> Result<(), EncodeError> {
    out.push(b'{');
    let mut members = Members { out, any: false };
    if let Some(meta) = record.type_meta() {
        text(members.key("apiVersion"), meta.api_version);
        let out = members.key("kind");
        text(out, meta.kind);
        if meta.list {
            out.pop();
            out.extend_from_slice(b"List\"");
        }
    }
    for (index, field) in record.table().fields.iter().enumerate() {
        let view = record.view(index);
        let presence = field.presence();
        if view.is_written(presence) {
            value(members.key(field.json), view, presence)?;
        }
    }
    for (name, free) in record.rest().into_iter().flat_map(|rest| rest.iter()) {
        raw(members.key(name), free.get())?;
    }
    out.push(b'}');
    Ok(())
}

fn value(out: &mut Vec<u8>, view: View<'_>, presence: u8) -> Result<(), EncodeError> {
    match view {
        View::Absent | View::Null => out.extend_from_slice(b"null"),
        View::Str(value) => text(out, value),
        View::Bool(true) => out.extend_from_slice(b"true"),
        View::Bool(false) => out.extend_from_slice(b"false"),
        View::I32(value) => serialize(out, &value)?,
        View::I64(value) => serialize(out, &value)?,
        View::F64(value) => float(out, value)?,
        View::Bytes(bytes) if presence == NIL && bytes.is_empty() => out.extend_from_slice(b"null"),
        View::Bytes(bytes) => text(out, &bytes.to_base64()),
        View::Time(time) => serialize(out, &time)?,
        View::MicroTime(time) => serialize(out, &time)?,
        View::Duration(duration) => serialize(out, &duration)?,
        View::Quantity(quantity) => serialize(out, quantity)?,
        View::IntOrString(IntOrString::Int(value)) => serialize(out, value)?,
        View::IntOrString(IntOrString::String(value)) => text(out, value),
        View::Raw(value) => raw(out, value.get())?,
        View::Foreign(value) => raw(out, &value.write_json()?)?,
        View::Record(record) => object(out, record)?,
        View::Choice(choice) => value(out, choice.arm().1, KEEP)?,
        View::List(list) if presence == NIL && list.is_empty() => out.extend_from_slice(b"null"),
        View::List(list) => array(out, list)?,
        View::Map(map) if presence == NIL && map.is_empty() => out.extend_from_slice(b"null"),
        View::Map(map) => entries(out, map)?,
    }
    Ok(())
}

fn array(out: &mut Vec<u8>, list: &dyn List) -> Result<(), EncodeError> {
    out.push(b'[');
    for index in 0..list.len() {
        if index > 0 {
            out.push(b',');
        }
        value(out, list.at(index), KEEP)?;
    }
    out.push(b']');
    Ok(())
}

fn entries(out: &mut Vec<u8>, map: &dyn Mapping) -> Result<(), EncodeError> {
    out.push(b'{');
    let mut members = Members { out, any: false };
    for (key, entry) in (0..map.len()).filter_map(|index| map.at(index)) {
        // A nil list as a value is null in Go as well; an empty one cannot be told from it.
        value(members.key(key), entry, KEEP)?;
    }
    out.push(b'}');
    Ok(())
}

fn text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut start = 0;
    loop {
        let end = plain_run(bytes, start);
        out.extend_from_slice(&bytes[start..end]);
        let Some(byte) = bytes.get(end) else { break };
        let short = match byte {
            b'"' | b'\\' => *byte,
            0x8 => b'b',
            0xc => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => b'u',
        };
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            let digits = [
                b'0',
                b'0',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ];
            out.extend_from_slice(&digits);
        }
        start = end + 1;
    }
    out.push(b'"');
}

fn float(out: &mut Vec<u8>, value: f64) -> Result<(), EncodeError> {
    if !value.is_finite() {
        return Err(EncodeError::new("a number that JSON cannot hold"));
    }
    match serde_writer::whole(value) {
        Some(whole) => serialize(out, &whole),
        None => serialize(out, &value),
    }
}

/// Raw JSON may have been made unchecked and a foreign value may write anything, so it is checked here, lest it become other fields of the object.
fn raw(out: &mut Vec<u8>, value: &str) -> Result<(), EncodeError> {
    let checked = raw_text(value).map_err(EncodeError::new)?;
    out.extend_from_slice(checked.as_bytes());
    Ok(())
}

fn serialize(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), EncodeError> {
    serde_json::to_writer(out, value).map_err(EncodeError::new)
}
