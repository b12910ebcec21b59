//! YAML and text of whole bodies.

use super::{DecodeError, EncodeError, Format, Wire, serde_reader::SlotSeed, serde_writer::RecordRef};
use crate::record::{Record, Slot};
use serde::de::DeserializeSeed;

/// Reads one YAML document into an empty record.
pub(super) fn from_yaml(record: &mut dyn Record, body: &[u8]) -> Result<(), DecodeError> {
    let text = std::str::from_utf8(body).map_err(|error| DecodeError::new(Format::Yaml, error))?;
    serde_saphyr::with_deserializer_from_str(text, |reader| {
        SlotSeed::new(Slot::Record(record)).deserialize(reader)
    })
    .map_err(|error| DecodeError::new(Format::Yaml, error))
}

/// YAML, one document.
///
/// # Errors
/// As [`to_json`](super::to_json).
pub fn to_yaml(record: &dyn Record) -> Result<String, EncodeError> {
    serde_saphyr::to_string(&RecordRef(record)).map_err(EncodeError::new)
}

/// A body of plain text, such as a container's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub String);

impl Wire for Text {
    const MAY_BE_EMPTY: bool = true;

    /// Takes the body as it is; bytes that are not UTF-8 become replacement characters.
    fn decode(_: Format, body: &[u8]) -> Result<Self, DecodeError> {
        Ok(Self(String::from_utf8_lossy(body).into_owned()))
    }

    fn encode(&self, _: Format) -> Result<Vec<u8>, EncodeError> {
        Ok(self.0.clone().into_bytes())
    }
}
