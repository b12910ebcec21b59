//! Reading protobuf into records.

use crate::record::{ChoiceArm, Entry, List, Mapping, Record, Slot};
use crate::value::{ByteString, Duration, IntOrString, MicroTime, Quantity, RawJson, Str, Time};
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
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(u64, WireType<'a>)>, DecodeError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        if key >> 3 == 0 {
            return Err(fail("field number 0"));
        }
        Ok(Some((key >> 3, self.value(key)?)))
    }

    #[inline]
    fn value(&mut self, key: u64) -> Result<WireType<'a>, DecodeError> {
        Ok(match key & 7 {
            0 => WireType::Varint(self.varint()?),
            1 => WireType::Fixed64(self.little_endian(8)?),
            2 => {
                let length = self.varint()?;
                WireType::Bytes(self.take(length)?)
            }
            5 => WireType::Fixed32(self.little_endian(4)? as u32),
            other => return Err(fail(format_args!("wire type {other} in field {}", key >> 3))),
        })
    }

    fn little_endian(&mut self, length: u64) -> Result<u64, DecodeError> {
        let bytes = self.take(length)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// The value of the next field if it has the number `tag`.
    fn next_if(&mut self, tag: u64) -> Result<Option<WireType<'a>>, DecodeError> {
        let mut ahead = Self { rest: self.rest };
        if ahead.rest.is_empty() {
            return Ok(None);
        }
        let key = ahead.varint()?;
        if key >> 3 != tag {
            return Ok(None);
        }
        self.rest = ahead.rest;
        self.value(key).map(Some)
    }

    /// How many fields of number `tag` follow one upon the other, so that lists and maps have exact capacity.
    fn run(&self, tag: u64) -> Result<usize, DecodeError> {
        let mut ahead = Self { rest: self.rest };
        let mut count = 0;
        while ahead.next_if(tag)?.is_some() {
            count += 1;
        }
        Ok(count)
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
    let mut reader = Reader::new(message);
    let mut guess = 0;
    while let Some((tag, value)) = reader.next()? {
        let Some((position, entry)) = index.find(group, tag, guess) else {
            continue;
        };
        guess = position + 1;
        match (entry, value) {
            (Entry::Field(field), value) => {
                merge_field(record.slot(field), tag, value, &mut reader, depth).map_err(|error| {
                    let name = table.fields.get(field).map_or("?", |field| field.json);
                    error.within(format_args!("{}.{name}", table.name))
                })?;
            }
            (Entry::Group(child), WireType::Bytes(bytes)) => merge_group(record, child, bytes, depth + 1)?,
            (Entry::Group(_), _) => {
                return Err(fail(format_args!("{}: an inlined message expected", table.name)));
            }
        }
    }
    Ok(())
}

/// Puts a value into its place, and with it the others of a list or map that follow.
#[inline]
fn merge_field(
    slot: Slot<'_>,
    tag: u64,
    value: WireType<'_>,
    reader: &mut Reader<'_>,
    depth: usize,
) -> Result<(), DecodeError> {
    let mut next = Some(value);
    match slot {
        Slot::List(list) => {
            list.reserve(1 + reader.run(tag)?);
            while let Some(value) = next {
                merge_item(list, value, depth)?;
                next = reader.next_if(tag)?;
            }
        }
        Slot::Map(map) => {
            map.reserve(1 + reader.run(tag)?);
            while let Some(value) = next {
                let WireType::Bytes(bytes) = value else {
                    return Err(wrong_wire_type());
                };
                merge_entry(map, bytes, depth)?;
                next = reader.next_if(tag)?;
            }
        }
        slot => merge_value(slot, value, depth)?,
    }
    Ok(())
}

fn wrong_wire_type() -> DecodeError {
    fail("another wire type than the field has")
}

fn text(bytes: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(bytes).map_err(|_| fail("text that is not UTF-8"))
}

/// Puts one value into its place.
fn merge_value(slot: Slot<'_>, value: WireType<'_>, depth: usize) -> Result<(), DecodeError> {
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
        (Slot::List(list), value) => merge_item(list, value, depth)?,
        (Slot::Map(map), WireType::Bytes(bytes)) => merge_entry(map, bytes, depth)?,
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
                // Taken on the sender's word, as Go does: scanning would cost more than all the rest of a pod. Writers of
                // JSON check it before it goes into a document.
                RawJson::from_validated(text(raw)?)
            };
        }
        (Slot::IntOrString(place), WireType::Bytes(bytes)) => *place = int_or_string(bytes)?,
        (Slot::Choice(choice), WireType::Bytes(bytes)) => merge_choice(choice, bytes, depth)?,
        (Slot::Foreign(_), _) => return Err(fail(super::NO_TABLE)),
        (Slot::Nullable(place), value) => return merge_value(place.fill(), value, depth),
        (Slot::Ignored, _) => {}
        _ => return Err(wrong_wire_type()),
    }
    Ok(())
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
        (slot, value) => return merge_value(slot, value, depth),
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
        (slot, Some(value)) => merge_value(slot, value, depth + 1),
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
