//! [`ByteString`]: bytes that are base64 in JSON.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The standard alphabet, padded when written; as Go's decoder it takes trailing bits, and padding may be missing.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes, such as the values of a Secret: Go's `[]byte`, a base64 string in JSON and YAML, bytes in binary formats.
///
/// `Debug` tells the length alone, since the bytes may be a secret; there is no `Display`. Equality takes time that
/// depends on the bytes and is no means to check a password. Two words in memory, no slack.
///
/// ```
/// use kubeloom::value::ByteString;
///
/// let password: ByteString = serde_json::from_str(r#""czNjcjN0""#)?;
/// assert_eq!(&password[..], b"s3cr3t");
/// assert_eq!(format!("{password:?}"), "ByteString(6 bytes)");
/// assert_eq!(ByteString::from("s3cr3t"), password);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteString(Box<[u8]>);

/// A text that is not base64. Says where, never what, since the text may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeBase64Error {
    reason: &'static str,
    offset: Option<usize>,
}

impl fmt::Display for DecodeBase64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid base64: {}", self.reason)?;
        self.offset
            .map_or(Ok(()), |offset| write!(f, " at offset {offset}"))
    }
}

impl Error for DecodeBase64Error {}

impl ByteString {
    /// The bytes behind a base64 text. Line ends are skipped, as Go does, and padding may be missing.
    ///
    /// # Errors
    /// When the text is not base64 of the standard alphabet.
    pub fn from_base64(text: &str) -> Result<Self, DecodeBase64Error> {
        if text.contains(['\r', '\n']) {
            return Self::decode(text.replace(['\r', '\n'], "").as_bytes());
        }
        Self::decode(text.as_bytes())
    }

    fn decode(text: &[u8]) -> Result<Self, DecodeBase64Error> {
        use base64::DecodeError;
        BASE64.decode(text).map(Self::from).map_err(|error| match error {
            DecodeError::InvalidByte(offset, _) => DecodeBase64Error {
                reason: "a character out of the alphabet",
                offset: Some(offset),
            },
            DecodeError::InvalidPadding => DecodeBase64Error {
                reason: "wrong padding",
                offset: None,
            },
            _ => DecodeBase64Error {
                reason: "the text is cut short",
                offset: None,
            },
        })
    }

    /// The base64 text of the bytes.
    #[must_use]
    pub fn to_base64(&self) -> String {
        BASE64.encode(&self.0)
    }

    /// The bytes by value.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into()
    }
}

impl fmt::Debug for ByteString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByteString({} bytes)", self.0.len())
    }
}

impl Deref for ByteString {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for ByteString {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for ByteString {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<&[u8]> for ByteString {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

/// The UTF-8 bytes of the text; [`ByteString::from_base64`] is the one that decodes.
impl From<&str> for ByteString {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

/// The UTF-8 bytes of the text; [`ByteString::from_base64`] is the one that decodes.
impl From<String> for ByteString {
    fn from(text: String) -> Self {
        Self(text.into_bytes().into())
    }
}

impl From<ByteString> for Vec<u8> {
    fn from(bytes: ByteString) -> Self {
        bytes.into_vec()
    }
}

impl Serialize for ByteString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&self.to_base64())
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

/// A base64 string or, in a binary format, bytes; `null` is no bytes.
impl<'de> Deserialize<'de> for ByteString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(ByteStringVisitor)
    }
}

struct ByteStringVisitor;

impl<'de> Visitor<'de> for ByteStringVisitor {
    type Value = ByteString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a base64 string")
    }

    fn visit_unit<E>(self) -> Result<ByteString, E> {
        Ok(ByteString::default())
    }

    fn visit_none<E>(self) -> Result<ByteString, E> {
        Ok(ByteString::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<ByteString, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(self)
        } else {
            deserializer.deserialize_any(self)
        }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ByteString, E> {
        ByteString::from_base64(text).map_err(E::custom)
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<ByteString, E> {
        Ok(bytes.into())
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<ByteString, E> {
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_go_decodes_and_missing_padding() {
        let rows: [(&str, Option<&[u8]>); 12] = [
            ("", Some(b"")),
            ("TQ==", Some(b"M")),
            ("TR==", Some(b"M")), // trailing bits set
            ("TQ", Some(b"M")),
            ("TWE=", Some(b"Ma")),
            ("TW\r\nFu\n", Some(b"Man")),
            ("+/8=", Some(b"\xfb\xff")),
            ("-_8=", None), // the URL alphabet
            ("T", None),
            ("TQ==TQ==", None),
            ("TW Fu", None),
            ("\u{442}", None),
        ];
        for (text, bytes) in rows {
            assert_eq!(ByteString::from_base64(text).ok().as_deref(), bytes, "{text:?}");
        }
    }

    #[test]
    fn no_secret_in_debug_or_errors() {
        let error = serde_json::from_str::<ByteString>(r#""s3cr3t!!""#)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("invalid base64: a character out of the alphabet at offset 6"),
            "{error}"
        );
        assert!(!error.contains("s3cr3t"), "{error}");
        assert_eq!(format!("{:?}", ByteString::from("s3cr3t")), "ByteString(6 bytes)");
    }

    #[test]
    fn every_format_round_trips() {
        let bytes = ByteString::from(&[0, 255, 128][..]);
        assert_eq!(serde_json::to_string(&bytes).unwrap(), r#""AP+A""#);
        assert!(serde_json::from_str::<ByteString>("null").unwrap().is_empty());
        assert!(serde_json::from_str::<ByteString>("12").is_err());
        // A YAML scalar that looks like a number is base64 all the same.
        assert_eq!(
            serde_saphyr::from_str::<ByteString>("1234").unwrap()[..],
            [0xd7, 0x6d, 0xf8]
        );
        assert!(serde_saphyr::from_str::<ByteString>("null").unwrap().is_empty());
        let mut cbor = Vec::new();
        ciborium::into_writer(&bytes, &mut cbor).unwrap();
        assert_eq!(cbor, [0x43, 0, 255, 128]);
        assert_eq!(ciborium::from_reader::<ByteString, _>(&cbor[..]).unwrap(), bytes);
        assert_eq!(
            ciborium::from_reader::<ByteString, _>(&b"\x64AP+A"[..]).unwrap(),
            bytes
        );
        assert_eq!(size_of::<ByteString>(), 16);
    }
}
