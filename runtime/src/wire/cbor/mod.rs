//! CBOR (RFC 8949) as Kubernetes speaks it: JSON's data in other bytes.
//!
//! - A body begins with the tag "self-described CBOR"; it is written, and not insisted on.
//! - Text is written as byte strings, as Go's strings need not be UTF-8; byte strings and text strings are read as text.
//! - Bytes are byte strings under tag 22, "expected later conversion to base64", and what reads them sees base64, so that
//!   a field of bytes, free JSON and a dynamic object all find what they would find in JSON.
//! - Times and quantities are text, raw JSON is written as the values it stands for.
//! - Other tags say nothing that the type of the field does not, and are passed over; NaN, infinities and big integers,
//!   which JSON cannot hold either, are errors.
//!
//! Nothing is allocated for a length that the input merely claims.

mod cut;
mod read;
mod write;

use std::borrow::Cow;

use serde::de::DeserializeSeed;
use serde::de::value::Error as Failure;
use serde::{Deserialize, Serialize};

pub(crate) use self::cut::Cutter;
use self::read::Reader;
pub(super) use self::read::{Elements, Members, read_text};
use super::serde_reader::SlotSeed;
use super::serde_writer::RecordRef;
use super::{DecodeError, EncodeError, Format};
use crate::record::{Record, Slot};
use crate::value::RawJson;

/// The head of tag 55799, "self-described CBOR".
const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];

fn failed(failure: Failure) -> DecodeError {
    DecodeError::new(Format::Cbor, failure)
}

/// Reads one item into an empty record.
pub(super) fn from_cbor(record: &mut dyn Record, body: &[u8]) -> Result<(), DecodeError> {
    read_slot(Slot::Record(record), body)
}

/// Reads one item into its place.
pub(super) fn read_slot(slot: Slot<'_>, body: &[u8]) -> Result<(), DecodeError> {
    let mut reader = Reader::new(body);
    SlotSeed::new(slot)
        .deserialize(&mut reader)
        .and_then(|()| reader.end())
        .map_err(failed)
}

/// Writes a record.
pub(super) fn to_cbor(record: &dyn Record) -> Result<Vec<u8>, EncodeError> {
    from_serialize(&RecordRef(record))
}

/// Reads one item as anything that serde can read.
pub(crate) fn from_slice<'de, T: Deserialize<'de>>(body: &'de [u8]) -> Result<T, DecodeError> {
    let mut reader = Reader::new(body);
    let value = T::deserialize(&mut reader).map_err(failed)?;
    reader.end().map_err(failed)?;
    Ok(value)
}

/// Writes anything that serde can write.
pub(crate) fn from_serialize(value: &impl Serialize) -> Result<Vec<u8>, EncodeError> {
    let mut out = SELF_DESCRIBED.to_vec();
    value
        .serialize(write::Writer::new(&mut out))
        .map_err(EncodeError::new)?;
    Ok(out)
}

/// The JSON that a body stands for.
pub(crate) fn to_json_text(body: &[u8]) -> Result<String, DecodeError> {
    from_slice::<RawJson>(body).map(|json| json.get().to_owned())
}

/// The kind of an object.
pub(crate) fn kind_of(body: &[u8]) -> Option<String> {
    let mut members = Members::new(body).ok()?;
    while let Some((key, value)) = members.next().ok()? {
        if key == "kind" {
            return read_text(value).ok().map(Cow::into_owned);
        }
    }
    None
}

/// `{type, object}` of a watch.
pub(super) fn read_event(frame: &[u8]) -> Result<(Cow<'_, str>, Cow<'_, [u8]>), DecodeError> {
    let mut kind = Cow::Borrowed("");
    let mut object: &[u8] = &[];
    let mut members = Members::new(frame)?;
    while let Some((key, value)) = members.next()? {
        match &*key {
            "type" => kind = read_text(value)?,
            "object" => object = value,
            _ => {}
        }
    }
    Ok((kind, Cow::Borrowed(object)))
}

#[cfg(test)]
mod tests;
