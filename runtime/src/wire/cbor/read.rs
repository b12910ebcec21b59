//! A serde deserializer of CBOR that shows it as the JSON it stands for.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::de::value::{Error as Failure, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::cut::{Cutter, Head};
use super::failed;
use crate::wire::{DecodeError, MAX_DEPTH};

/// Reads items from a slice.
pub(super) struct Reader<'de> {
    input: &'de [u8],
    at: usize,
    depth: usize,
}

/// How the bytes of a string are to be shown as text: tags 21 to 23 of RFC 8949, section 3.4.5.2.
#[derive(Clone, Copy)]
enum Later {
    Base64Url,
    Base64,
    Hex,
}

impl<'de> Reader<'de> {
    pub(super) fn new(input: &'de [u8]) -> Self {
        Self {
            input,
            at: 0,
            depth: 0,
        }
    }

    /// Nothing follows.
    pub(super) fn end(&self) -> Result<(), Failure> {
        match self.at == self.input.len() {
            true => Ok(()),
            false => Err(Failure::custom(format_args!(
                "bytes behind the end, at {}",
                self.at
            ))),
        }
    }

    fn rest(&self) -> &'de [u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    fn cut_off() -> Failure {
        Failure::custom("cut off")
    }

    fn head(&mut self) -> Result<Head, Failure> {
        let head = Head::read(self.rest())
            .map_err(|message| Failure::custom(format_args!("{message}, at {}", self.at)))?
            .ok_or_else(Self::cut_off)?;
        self.at += head.length;
        Ok(head)
    }

    /// The head of the next item, behind its tags.
    fn untagged(&mut self) -> Result<(Head, Option<Later>), Failure> {
        let mut later = None;
        loop {
            let head = self.head()?;
            match (head.major, head.argument) {
                (6, Some(2 | 3)) => return Err(Failure::custom("an integer of more than 64 bits")),
                (6, Some(21)) => later = Some(Later::Base64Url),
                (6, Some(22)) => later = Some(Later::Base64),
                (6, Some(23)) => later = Some(Later::Hex),
                (6, _) => {}
                _ => return Ok((head, later)),
            }
        }
    }

    fn take(&mut self, length: u64) -> Result<&'de [u8], Failure> {
        let length = usize::try_from(length).map_err(|_| Self::cut_off())?;
        let bytes = self.rest().get(..length).ok_or_else(Self::cut_off)?;
        self.at += length;
        Ok(bytes)
    }

    /// The bytes of a string of either type.
    fn bytes(&mut self, head: Head) -> Result<Cow<'de, [u8]>, Failure> {
        if let Some(length) = head.argument {
            return self.take(length).map(Cow::Borrowed);
        }
        let mut joined = Vec::new();
        loop {
            let piece = self.head()?;
            match piece.argument {
                _ if piece.is_break() => return Ok(Cow::Owned(joined)),
                Some(length) if piece.major == head.major => joined.extend_from_slice(self.take(length)?),
                _ => return Err(Failure::custom("a string of pieces that are none")),
            }
        }
    }

    fn text(&mut self, head: Head, later: Option<Later>) -> Result<Cow<'de, str>, Failure> {
        let bytes = self.bytes(head)?;
        if head.major == 3 {
            return utf8(bytes).map_err(|_| Failure::custom("a text string that is not UTF-8"));
        }
        Ok(match later {
            // A string of Go's may hold anything; JSON shows it with replacement characters as well.
            None => {
                utf8(bytes).unwrap_or_else(|bytes| Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
            }
            Some(Later::Base64) => Cow::Owned(STANDARD.encode(bytes)),
            Some(Later::Base64Url) => Cow::Owned(URL_SAFE_NO_PAD.encode(bytes)),
            Some(Later::Hex) => Cow::Owned(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        })
    }

    /// What is neither number nor string nor container: booleans, null, floats.
    fn simple<V: Visitor<'de>>(head: Head, visitor: V) -> Result<V::Value, Failure> {
        let argument = head.argument.unwrap_or_default();
        let value = match head.info {
            20 => return visitor.visit_bool(false),
            21 => return visitor.visit_bool(true),
            22 | 23 => return visitor.visit_unit(),
            25 => half(argument as u16),
            26 => f64::from(f32::from_bits(argument as u32)),
            27 => f64::from_bits(argument),
            31 => return Err(Failure::custom("an end mark out of place")),
            _ => return Err(Failure::custom("a simple value that is not in use")),
        };
        if !value.is_finite() {
            return Err(Failure::custom("a number that JSON cannot hold"));
        }
        visitor.visit_f64(value)
    }

    fn is_null(head: Head) -> bool {
        head.major == 7 && matches!(head.info, 22 | 23)
    }

    /// Reads an array or a map of `count` members with `read`.
    fn inside<T>(
        &mut self,
        count: Option<u64>,
        read: impl FnOnce(&mut Access<'_, 'de>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.depth >= MAX_DEPTH {
            return Err(Failure::custom("nested too deeply"));
        }
        self.depth += 1;
        let mut access = Access {
            reader: self,
            left: count,
        };
        let value = read(&mut access)?;
        if access.more()? {
            return Err(Failure::custom("more items than expected"));
        }
        self.depth -= 1;
        Ok(value)
    }

    /// The bytes of the next item.
    fn slice(&mut self) -> Result<&'de [u8], DecodeError> {
        let length = Cutter::default().scan(self.rest())?;
        self.take(length.ok_or_else(|| failed(Self::cut_off()))? as u64)
            .map_err(failed)
    }
}

fn utf8(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, str>, Cow<'_, [u8]>> {
    match bytes {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| Cow::Borrowed(bytes)),
        Cow::Owned(bytes) => String::from_utf8(bytes)
            .map(Cow::Owned)
            .map_err(|error| Cow::Owned(error.into_bytes())),
    }
}

/// A number of 16 bits: RFC 8949, appendix D.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let value = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -value } else { value }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let (head, later) = self.untagged()?;
        match (head.major, head.argument) {
            (0, Some(value)) => visitor.visit_u64(value),
            (1, Some(value)) => match i64::try_from(value) {
                Ok(value) => visitor.visit_i64(-1 - value),
                Err(_) => Err(Failure::custom("an integer of more than 64 bits")),
            },
            (2 | 3, _) => match self.text(head, later)? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            (4, count) => self.inside(count, |access| visitor.visit_seq(access)),
            (5, count) => self.inside(count, |access| visitor.visit_map(access)),
            _ => Reader::simple(head, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let start = self.at;
        let (head, _) = self.untagged()?;
        if Reader::is_null(head) {
            return visitor.visit_none();
        }
        self.at = start;
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let (head, later) = self.untagged()?;
        match head.major {
            2 | 3 => visitor.visit_enum(self.text(head, later)?.into_deserializer()),
            5 => self.inside(head.argument, |access| {
                visitor.visit_enum(MapAccessDeserializer::new(access))
            }),
            _ => Err(Failure::custom("a string or an object expected")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The members of an array or of a map.
struct Access<'a, 'de> {
    reader: &'a mut Reader<'de>,
    /// How many come; `None` if an end mark will tell.
    left: Option<u64>,
}

impl Access<'_, '_> {
    /// Whether another member comes, which is then counted as read.
    fn more(&mut self) -> Result<bool, Failure> {
        match &mut self.left {
            Some(0) => Ok(false),
            Some(left) => {
                *left -= 1;
                Ok(true)
            }
            None => {
                let is_end = *self.reader.rest().first().ok_or_else(Reader::cut_off)? == 0xff;
                if is_end {
                    self.reader.at += 1;
                    self.left = Some(0);
                }
                Ok(!is_end)
            }
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Access<'_, 'de> {
    type Error = Failure;
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Failure> {
        match self.more()? {
            true => seed.deserialize(&mut *self.reader).map(Some),
            false => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for &mut Access<'_, 'de> {
    type Error = Failure;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        match self.more()? {
            true => seed.deserialize(&mut *self.reader).map(Some),
            false => Ok(None),
        }
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        seed.deserialize(&mut *self.reader)
    }
}

/// A string that is an item of its own.
pub(in crate::wire) fn read_text(item: &[u8]) -> Result<Cow<'_, str>, DecodeError> {
    let mut reader = Reader::new(item);
    let (head, later) = reader.untagged().map_err(failed)?;
    match head.major {
        2 | 3 => reader.text(head, later).map_err(failed),
        _ => Err(failed(Failure::custom("a string expected"))),
    }
}

/// The members of a map, each as its own bytes; of `null` none.
pub(in crate::wire) struct Members<'de> {
    reader: Reader<'de>,
    left: Option<u64>,
}

/// The members of an array, each as its own bytes; of `null` none.
pub(in crate::wire) struct Elements<'de>(Members<'de>);

impl<'de> Members<'de> {
    /// # Errors
    /// Neither a map nor `null`.
    pub(in crate::wire) fn new(item: &'de [u8]) -> Result<Self, DecodeError> {
        Self::open(item, 5, "an object expected")
    }

    fn open(item: &'de [u8], major: u8, expected: &str) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(item);
        let (head, _) = reader.untagged().map_err(failed)?;
        let left = match head.major {
            _ if Reader::is_null(head) => Some(0),
            found if found == major => head.argument,
            _ => return Err(failed(Failure::custom(expected))),
        };
        Ok(Self { reader, left })
    }

    fn more(&mut self) -> Result<bool, DecodeError> {
        let mut access = Access {
            reader: &mut self.reader,
            left: self.left,
        };
        let more = access.more();
        self.left = access.left;
        match more.map_err(failed)? {
            true => Ok(true),
            false => self.reader.end().map(|()| false).map_err(failed),
        }
    }

    /// The next key and the bytes of its value.
    ///
    /// # Errors
    /// Bytes that are no item, and a key that is no string.
    pub(in crate::wire) fn next(&mut self) -> Result<Option<Entry<'de>>, DecodeError> {
        if !self.more()? {
            return Ok(None);
        }
        let key = read_text(self.reader.slice()?)?;
        Ok(Some((key, self.reader.slice()?)))
    }
}

impl<'de> Elements<'de> {
    /// # Errors
    /// Neither an array nor `null`.
    pub(in crate::wire) fn new(item: &'de [u8]) -> Result<Self, DecodeError> {
        Members::open(item, 4, "items: an array expected").map(Self)
    }

    /// The bytes of the next member.
    ///
    /// # Errors
    /// Bytes that are no item.
    pub(in crate::wire) fn next(&mut self) -> Result<Option<&'de [u8]>, DecodeError> {
        match self.0.more()? {
            true => self.0.reader.slice().map(Some),
            false => Ok(None),
        }
    }
}

/// A key of a map and the bytes of its value.
type Entry<'de> = (Cow<'de, str>, &'de [u8]);
