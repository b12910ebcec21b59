//! Encodings, each written once over [`Record`]: JSON (and every other self-describing format, through serde), CBOR in
//! Kubernetes' dialect, and protobuf with the envelope that Kubernetes puts around it.
//!
//! - Lenient in: `null` equals absent anywhere, null items of lists become empty items, unknown fields are skipped or kept
//!   where the type has a place for them, and nothing panics. Depth is limited to [`MAX_DEPTH`].
//! - Exact out: fields in the order of the table, zero values written or left out as the Go tags of the type say.
//!   `apiVersion` and `kind` come from the type.
//!
//! This module knows no HTTP: [`Format`] has the names of the content types, the client negotiates them.

pub(crate) mod cbor;
mod error;
mod json_reader;
mod json_writer;
mod list_reader;
mod named;
mod protobuf;
mod serde_body;
mod serde_reader;
mod serde_writer;
mod unknown;
mod watch;
mod yaml;

pub use error::{DecodeError, EncodeError};
pub use json_writer::to_json;
pub use list_reader::{ItemError, ListError, ListReader, Mode};
pub(crate) use named::Named;
pub use protobuf::{merge_message, write_message};
pub use serde_body::{decode_serde, encode_kind, encode_serde};
pub use serde_reader::deserialize;
pub use serde_writer::serialize;
pub use unknown::{Unknown, split_envelope};
pub use watch::read_watch_event;
pub use yaml::{Text, to_yaml};

use crate::record::Record;

/// How deeply messages, lists and maps may nest. The deepest built-in type, a schema in a
/// CustomResourceDefinition, is a few dozen levels deep in practice.
pub const MAX_DEPTH: usize = 200;

/// An encoding of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
    /// `application/vnd.kubernetes.protobuf`
    Protobuf,
    /// `application/cbor`; the events of a watch are `application/cbor-seq`. Servers offer it behind the feature gate
    /// `CBORServingAndStorage`.
    Cbor,
}

impl Format {
    /// The media type.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
            Self::Cbor => "application/cbor",
        }
    }

    /// The format of a `Content-Type` header; parameters (`;charset=utf-8`, `;stream=watch`) are ignored.
    pub fn from_content_type(header: &str) -> Option<Self> {
        let essence = header.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/cbor-seq") {
            return Some(Self::Cbor);
        }
        [Self::Json, Self::Yaml, Self::Protobuf, Self::Cbor]
            .into_iter()
            .find(|format| essence.eq_ignore_ascii_case(format.content_type()))
    }
}

/// What can be the body of a request or of a response.
///
/// [`record!`](crate::record!) and `#[derive(Resource)]` implement it.
pub trait Wire: Sized + Send + Sync + 'static {
    /// Whether an empty body is a value of the type.
    const MAY_BE_EMPTY: bool = false;

    /// Reads one object.
    ///
    /// # Errors
    /// [`DecodeError`] says what was malformed and where.
    fn decode(format: Format, body: &[u8]) -> Result<Self, DecodeError>;

    /// Writes the object.
    ///
    /// # Errors
    /// [`EncodeError`] if the type has no such encoding.
    fn encode(&self, format: Format) -> Result<Vec<u8>, EncodeError>;

    /// A reader of a body as it arrives, for types that need not have it whole; lists are such.
    fn reader(_: Format) -> Option<Box<dyn BodyReader<Self>>> {
        None
    }
}

/// Reads a body from its pieces, cut anywhere.
pub trait BodyReader<T>: Send {
    /// Takes the next piece. After an error the reader must not be used on.
    ///
    /// # Errors
    /// A malformed body.
    fn push(&mut self, piece: &[u8]) -> Result<(), DecodeError>;

    /// What was read.
    ///
    /// # Errors
    /// A malformed body or one that is cut off, and a `Status` in place of what was asked for.
    fn finish(self: Box<Self>) -> Result<T, ListError>;
}

/// Reads a body into `record`, which must be empty.
///
/// # Errors
/// See [`Wire::decode`].
pub fn decode(record: &mut dyn Record, format: Format, body: &[u8]) -> Result<(), DecodeError> {
    match format {
        Format::Json => json_reader::from_json(record, body),
        Format::Yaml => yaml::from_yaml(record, body),
        Format::Protobuf => {
            let unknown = split_envelope(body)?;
            merge_message(record, unknown.raw)
        }
        Format::Cbor => cbor::from_cbor(record, body),
    }
}

/// Writes a record as a body.
///
/// # Errors
/// See [`Wire::encode`].
pub fn encode(record: &dyn Record, format: Format) -> Result<Vec<u8>, EncodeError> {
    match format {
        Format::Json => to_json(record),
        Format::Yaml => to_yaml(record).map(String::into_bytes),
        Format::Protobuf => unknown::envelope(record),
        Format::Cbor => cbor::to_cbor(record),
    }
}
