//! The envelope of protobuf bodies: `k8s\0` and a `runtime.Unknown` around the message.

use super::protobuf::{Output, Reader, WireType};
use super::{DecodeError, EncodeError, Format};
use crate::record::Record;

/// The four bytes that every protobuf body begins with.
pub(super) const MAGIC: [u8; 4] = *b"k8s\0";

/// What the envelope says and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unknown<'a> {
    /// `apiVersion` of the object inside.
    pub api_version: &'a str,
    /// `kind` of the object inside.
    pub kind: &'a str,
    /// The message.
    pub raw: &'a [u8],
}

/// Opens the envelope of a body.
///
/// # Errors
/// A body without the magic bytes, a malformed envelope, or compressed content.
pub fn split_envelope(body: &[u8]) -> Result<Unknown<'_>, DecodeError> {
    let fail = |message: &str| DecodeError::new(Format::Protobuf, message);
    let message = body
        .strip_prefix(&MAGIC)
        .ok_or_else(|| fail("the body does not begin with k8s\\0"))?;
    let mut unknown = Unknown::default();
    let mut reader = Reader::new(message);
    while let Some((tag, value)) = reader.next()? {
        match (tag, value) {
            (1, WireType::Bytes(meta)) => (unknown.api_version, unknown.kind) = read_type(meta)?,
            (2, WireType::Bytes(raw)) => unknown.raw = raw,
            (3, WireType::Bytes(encoding)) if !encoding.is_empty() => {
                return Err(fail("content is compressed"));
            }
            _ => {}
        }
    }
    Ok(unknown)
}

/// `TypeMeta{apiVersion = 1, kind = 2}`
pub(super) fn read_type(meta: &[u8]) -> Result<(&str, &str), DecodeError> {
    let text = |bytes| {
        std::str::from_utf8(bytes).map_err(|_| DecodeError::new(Format::Protobuf, "type that is not UTF-8"))
    };
    let (mut api_version, mut kind) = ("", "");
    let mut reader = Reader::new(meta);
    while let Some((tag, value)) = reader.next()? {
        match (tag, value) {
            (1, WireType::Bytes(bytes)) => api_version = text(bytes)?,
            (2, WireType::Bytes(bytes)) => kind = text(bytes)?,
            _ => {}
        }
    }
    Ok((api_version, kind))
}

/// About how long the message of a list and that of any other record is.
const USUAL_LENGTHS: (usize, usize) = (1 << 22, 1 << 10);

/// A record in its envelope.
pub(super) fn envelope(record: &dyn Record) -> Result<Vec<u8>, EncodeError> {
    let mut out = Output::default();
    let (api_version, kind, list) = match record.type_meta() {
        Some(meta) => (meta.api_version, meta.kind, meta.list),
        None => ("", "", false),
    };
    out.bytes(&MAGIC);
    let open = out.open(1);
    out.field(1, api_version.as_bytes());
    match list {
        true => out.field(2, format!("{kind}List").as_bytes()),
        false => out.field(2, kind.as_bytes()),
    }
    out.close(open);
    out.expect(if list { USUAL_LENGTHS.0 } else { USUAL_LENGTHS.1 });
    let open = out.open(2);
    super::protobuf::write_group(record, 0, &mut out);
    out.close(open);
    out.field(3, b"");
    out.field(4, b"");
    super::protobuf::finish(out)
}
