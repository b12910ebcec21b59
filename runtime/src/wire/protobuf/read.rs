//! Reading protobuf into records.

use crate::record::{ChoiceArm, Entry, List, Mapping, Record, Slot};
use crate::value::{ByteString, Duration, IntOrString, MicroTime, Quantity, RawJson, Str, Time};
use crate::wire::json_reader::raw_text;
use crate::wire::{DecodeError, Format, MAX_DEPTH};

/// How a value is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireType<'a> {
    /// A base-128 varint.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// A length and as many bytes.
    Bytes(&'a [u8]),
    /// Four bytes.
    Fixed32(u32),
}

/// Walks the fields of one message.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

fn fail(message: impl std::fmt::Display) -> DecodeError {
    DecodeError::new(Format::Protobuf, message)
}

impl<'a> Reader<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, DecodeError> {
        if let [first, rest @ ..] = self.rest
            && *first < 0x80
        {
            self.rest = rest;
            return Ok(u64::from(*first));
        }
        let mut value = 0_u64;
        for (index, byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f)
                .checked_shl(7 * index as u32)
                .unwrap_or_default();
            if byte & 0x80 == 0 {
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        Err(fail("a varint that does not end"))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], DecodeError> {
        match usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.split_at_checked(length))
        {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(fail(format_args!(
                "{length} bytes announced, {} there",
                self.rest.len()
            ))),
        }
    }

    /// The next field's number and value; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, WireType<'a>)>, DecodeError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => WireType::Varint(self.varint()?),
            1 => {
                let bytes = self.take(8)?;
                WireType::Fixed64(
                    bytes
                        .iter()
                        .rev()
                        .fold(0, |value, byte| value << 8 | u64::from(*byte)),
                )
            }
            2 => {
                let length = self.varint()?;
                WireType::Bytes(self.take(length)?)
            }
            5 => {
                let bytes = self.take(4)?;
                WireType::Fixed32(
                    bytes
                        .iter()
                        .rev()
                        .fold(0, |value, byte| value << 8 | u32::from(*byte)),
                )
            }
            other => return Err(fail(format_args!("wire type {other} in field {}", key >> 3))),
        };
        if key >> 3 == 0 {
            return Err(fail("field number 0"));
        }
        Ok(Some((key >> 3, value)))
    }
}

/// Reads a message into `record`; fields that are there twice are merged as protobuf says, unknown ones skipped.
///
/// # Errors
/// Malformed or too deeply nested input; the text names type and field.
pub fn merge_message(record: &mut dyn Record, message: &[u8]) -> Result<(), DecodeError> {
    merge_group(record, 0, message, 0)
}

fn merge_group(
    record: &mut dyn Record,
    group: usize,
    message: &[u8],
    depth: usize,
) -> Result<(), DecodeError> {
    if depth > MAX_DEPTH {
        return Err(fail(format_args!("nested deeper than {MAX_DEPTH} messages")));
    }
    let table = record.table();
    let index = table.proto();
    if group == 0 {
        reserve_lists(record, message)?;
    }
    let mut reader = Reader::new(message);
    let mut guess = 0;
    while let Some((tag, value)) = reader.next()? {
        let Some((position, entry)) = index.find(group, tag, guess) else {
            continue;
        };
        match (entry, value) {
            (Entry::Group(child), WireType::Bytes(bytes)) => {
                merge_group(record, child, bytes, depth + 1)?;
                guess = position + 1;
            }
            (Entry::Group(_), _) => {
                return Err(fail(format_args!("{}: an inlined message expected", table.name)));
            }
            (Entry::Field(field), value) => {
                let repeated = merge_value(record.slot(field), value, depth).map_err(|error| {
                    let name = table.fields.get(field).map_or("?", |field| field.json);
                    error.within(format_args!("{}.{name}", table.name))
                })?;
                guess = if repeated { position } else { position + 1 };
            }
        }
    }
    Ok(())
}

/// Counts the items of lists and maps of a message beforehand, so that they have exact capacity.
fn reserve_lists(record: &mut dyn Record, message: &[u8]) -> Result<(), DecodeError> {
    let mut reader = Reader::new(message);
    let (mut current, mut count, mut guess) = (0, 0_usize, 0);
    loop {
        let tag = reader.next()?.map_or(0, |(tag, _)| tag);
        if tag == current && tag != 0 {
            count += 1;
            continue;
        }
        if count > 0
            && let Some((position, Entry::Field(field))) = record.table().proto().find(0, current, guess)
        {
            guess = position + 1;
            match record.slot(field) {
                Slot::List(list) => list.reserve(count),
                Slot::Map(map) => map.reserve(count),
                _ => {}
            }
        }
        if tag == 0 {
            return Ok(());
        }
        (current, count) = (tag, 1);
    }
}

/// Raw JSON, to the byte as it came, so that it goes out again the same.
fn checked_raw(text: &str) -> Result<RawJson, DecodeError> {
    raw_text(text)?;
    Ok(RawJson::from_validated(text))
}

fn text(bytes: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(bytes).map_err(|_| fail("text that is not UTF-8"))
}

/// Puts one value into its place; tells whether the field may come again (a list or a map).
fn merge_value(slot: Slot<'_>, value: WireType<'_>, depth: usize) -> Result<bool, DecodeError> {
    match (slot, value) {
        (Slot::Str(place), WireType::Bytes(bytes)) => *place = Str::from(text(bytes)?),
        (Slot::Text(place), WireType::Bytes(bytes)) => place.set(text(bytes)?),
        (Slot::Bytes(place), WireType::Bytes(bytes)) => *place = ByteString::from(bytes.to_vec()),
        (Slot::Bool(place), WireType::Varint(value)) => *place = value != 0,
        (Slot::I32(place), WireType::Varint(value)) => *place = value as i32,
        (Slot::I64(place), WireType::Varint(value)) => *place = value as i64,
        (Slot::F64(place), WireType::Fixed64(value)) => *place = f64::from_bits(value),
        (Slot::F64(place), WireType::Fixed32(value)) => *place = f64::from(f32::from_bits(value)),
        (Slot::Record(record), WireType::Bytes(bytes)) => merge_group(record, 0, bytes, depth + 1)?,
        (Slot::List(list), value) => {
            merge_item(list, value, depth)?;
            return Ok(true);
        }
        (Slot::Map(map), WireType::Bytes(bytes)) => {
            merge_entry(map, bytes, depth)?;
            return Ok(true);
        }
        (Slot::Time(place), WireType::Bytes(bytes)) => {
            let (seconds, nanos) = timestamp(bytes)?;
            *place = if bytes.is_empty() {
                Time::default()
            } else {
                Time::from_unix(seconds, nanos).map_err(fail)?
            };
        }
        (Slot::MicroTime(place), WireType::Bytes(bytes)) => {
            let (seconds, nanos) = timestamp(bytes)?;
            *place = if bytes.is_empty() {
                MicroTime::default()
            } else {
                MicroTime::from_unix(seconds, nanos).map_err(fail)?
            };
        }
        (Slot::Duration(place), WireType::Bytes(bytes)) => *place = Duration::from_nanos(number(bytes)?),
        (Slot::Quantity(place), WireType::Bytes(bytes)) => {
            *place = Quantity::from_wire(Str::from(text(content(bytes)?)?));
        }
        (Slot::Raw(place), WireType::Bytes(bytes)) => {
            let raw = content(bytes)?;
            *place = if raw.is_empty() {
                RawJson::default()
            } else {
                checked_raw(text(raw)?)?
            };
        }
        (Slot::IntOrString(place), WireType::Bytes(bytes)) => *place = int_or_string(bytes)?,
        (Slot::Choice(choice), WireType::Bytes(bytes)) => merge_choice(choice, bytes, depth)?,
        (Slot::Ignored, _) => {}
        _ => return Err(fail("another wire type than the field has")),
    }
    Ok(false)
}

fn merge_item(list: &mut dyn List, value: WireType<'_>, depth: usize) -> Result<(), DecodeError> {
    let packed = match (list.push(), value) {
        // A list in a list is a message with the items in field 1.
        (Slot::List(inner), WireType::Bytes(bytes)) => return merge_items(inner, bytes, depth + 1),
        (Slot::Map(inner), WireType::Bytes(bytes)) => return merge_entries(inner, bytes, depth + 1),
        (slot @ (Slot::I32(_) | Slot::I64(_) | Slot::Bool(_)), WireType::Bytes(packed)) => {
            let mut reader = Reader::new(packed);
            if reader.rest.is_empty() {
                return Err(fail("a packed list without items"));
            }
            merge_value(slot, WireType::Varint(reader.varint()?), depth)?;
            reader
        }
        (slot, value) => return merge_value(slot, value, depth).map(|_| ()),
    };
    let mut reader = packed;
    while !reader.rest.is_empty() {
        let value = WireType::Varint(reader.varint()?);
        merge_value(list.push(), value, depth)?;
    }
    Ok(())
}

fn merge_items(list: &mut dyn List, bytes: &[u8], depth: usize) -> Result<(), DecodeError> {
    if depth > MAX_DEPTH {
        return Err(fail("lists nested too deeply"));
    }
    let mut reader = Reader::new(bytes);
    while let Some((tag, value)) = reader.next()? {
        if tag == 1 {
            merge_item(list, value, depth + 1)?;
        }
    }
    list.shrink();
    Ok(())
}

fn merge_entry(map: &mut dyn Mapping, bytes: &[u8], depth: usize) -> Result<(), DecodeError> {
    let mut reader = Reader::new(bytes);
    let mut key = Str::default();
    let mut value = None;
    while let Some((tag, part)) = reader.next()? {
        match (tag, part) {
            (1, WireType::Bytes(bytes)) => key = Str::from(text(bytes)?),
            (2, part) => value = Some(part),
            _ => {}
        }
    }
    match (map.entry(key), value) {
        (Slot::List(list), Some(WireType::Bytes(bytes))) => merge_items(list, bytes, depth + 1),
        (Slot::Map(inner), Some(WireType::Bytes(bytes))) => merge_entries(inner, bytes, depth + 1),
        (slot, Some(value)) => merge_value(slot, value, depth + 1).map(|_| ()),
        (_, None) => Ok(()),
    }
}

/// A map as a value is a message with the entries in field 1.
fn merge_entries(map: &mut dyn Mapping, bytes: &[u8], depth: usize) -> Result<(), DecodeError> {
    if depth > MAX_DEPTH {
        return Err(fail("maps nested too deeply"));
    }
    let mut reader = Reader::new(bytes);
    while let Some((tag, value)) = reader.next()? {
        if let (1, WireType::Bytes(entry)) = (tag, value) {
            merge_entry(map, entry, depth + 1)?;
        }
    }
    Ok(())
}

/// A union's message: boolean in 1 and object in 2, or object in 1 and items in 2.
fn merge_choice(
    choice: &mut dyn crate::record::Choice,
    bytes: &[u8],
    depth: usize,
) -> Result<(), DecodeError> {
    let with_bool = choice.has_arm(ChoiceArm::Bool);
    let mut reader = Reader::new(bytes);
    while let Some((tag, value)) = reader.next()? {
        let arm = match (tag, with_bool) {
            // `allows` comes along with a schema too, where the schema counts.
            (1, true) => ChoiceArm::Bool,
            (2, true) | (1, false) => ChoiceArm::Record,
            (2, false) => ChoiceArm::List,
            _ => continue,
        };
        merge_value(choice.select(arm), value, depth + 1)?;
    }
    Ok(())
}

/// The bytes of field 1 of a message that has only this one.
fn content(message: &[u8]) -> Result<&[u8], DecodeError> {
    let mut reader = Reader::new(message);
    let mut found: &[u8] = &[];
    while let Some((tag, value)) = reader.next()? {
        if let (1, WireType::Bytes(bytes)) = (tag, value) {
            found = bytes;
        }
    }
    Ok(found)
}

fn number(message: &[u8]) -> Result<i64, DecodeError> {
    let mut reader = Reader::new(message);
    let mut found = 0;
    while let Some((tag, value)) = reader.next()? {
        if let (1, WireType::Varint(value)) = (tag, value) {
            found = value as i64;
        }
    }
    Ok(found)
}

fn timestamp(message: &[u8]) -> Result<(i64, i32), DecodeError> {
    let mut reader = Reader::new(message);
    let (mut seconds, mut nanos) = (0, 0);
    while let Some((tag, value)) = reader.next()? {
        match (tag, value) {
            (1, WireType::Varint(value)) => seconds = value as i64,
            (2, WireType::Varint(value)) => nanos = value as i32,
            _ => {}
        }
    }
    Ok((seconds, nanos))
}

fn int_or_string(message: &[u8]) -> Result<IntOrString, DecodeError> {
    let mut reader = Reader::new(message);
    let (mut kind, mut int, mut string) = (0, 0_i64, "");
    while let Some((tag, value)) = reader.next()? {
        match (tag, value) {
            (1, WireType::Varint(value)) => kind = value,
            (2, WireType::Varint(value)) => int = value as i64,
            (3, WireType::Bytes(bytes)) => string = text(bytes)?,
            _ => {}
        }
    }
    Ok(if kind == 1 {
        IntOrString::from(string)
    } else {
        IntOrString::from(int)
    })
}
