//! One frame of a watch: the type of the event and the body of its object.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::protobuf::{Reader, WireType};
use super::{DecodeError, Format, cbor};

/// Splits a frame into the type of the event and the object's own body, which may be any kind.
///
/// # Errors
/// A frame that is no event.
pub fn read_watch_event(format: Format, frame: &[u8]) -> Result<(Cow<'_, str>, Cow<'_, [u8]>), DecodeError> {
    match format {
        Format::Protobuf => read_protobuf(frame),
        Format::Cbor => cbor::read_event(frame),
        Format::Json | Format::Yaml => {
            #[derive(Deserialize)]
            struct Event<'a> {
                #[serde(borrow, rename = "type")]
                kind: Cow<'a, str>,
                #[serde(borrow)]
                object: &'a RawValue,
            }
            let event: Event<'_> =
                serde_json::from_slice(frame).map_err(|error| DecodeError::new(Format::Json, error))?;
            Ok((event.kind, Cow::Borrowed(event.object.get().as_bytes())))
        }
    }
}

/// `WatchEvent{type = 1, object = 2: RawExtension{raw = 1}}`; the frame has no envelope, the object has one.
fn read_protobuf(frame: &[u8]) -> Result<(Cow<'_, str>, Cow<'_, [u8]>), DecodeError> {
    let mut kind = "";
    let mut object: &[u8] = &[];
    let mut reader = Reader::new(frame);
    while let Some((tag, value)) = reader.next()? {
        match (tag, value) {
            (1, WireType::Bytes(bytes)) => {
                kind = std::str::from_utf8(bytes)
                    .map_err(|_| DecodeError::new(Format::Protobuf, "an event type that is not UTF-8"))?;
            }
            (2, WireType::Bytes(extension)) => {
                let mut reader = Reader::new(extension);
                while let Some((tag, value)) = reader.next()? {
                    if let (1, WireType::Bytes(raw)) = (tag, value) {
                        object = raw;
                    }
                }
            }
            _ => {}
        }
    }
    Ok((Cow::Borrowed(kind), Cow::Borrowed(object)))
}
