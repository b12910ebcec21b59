//! A serde serializer of CBOR: text as byte strings, bytes under tag 22, every length definite.

use serde::de::value::Error as Failure;
use serde::ser::{self, Error, Serialize, Serializer};

const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
/// The head of tag 22, "expected later conversion to base64".
const LATER_BASE64: u8 = 0xd6;
const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;
const NULL: u8 = 0xf6;
const FLOAT32: u8 = 0xfa;
const FLOAT64: u8 = 0xfb;

/// The shortest head of a major type and its argument; how much of the array it fills.
fn head(major: u8, argument: u64) -> ([u8; 9], usize) {
    let bytes = argument.to_be_bytes();
    let (info, size) = match argument {
        0..24 => (argument as u8, 0),
        24..0x100 => (24, 1),
        0x100..0x1_0000 => (25, 2),
        0x1_0000..0x1_0000_0000 => (26, 4),
        _ => (27, 8),
    };
    let mut out = [0; 9];
    out[0] = major << 5 | info;
    out[1..=size].copy_from_slice(&bytes[8 - size..]);
    (out, size + 1)
}

/// Writes one item at the end of a buffer.
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    fn head(&mut self, major: u8, argument: u64) {
        let (bytes, length) = head(major, argument);
        self.out.extend_from_slice(&bytes[..length]);
    }

    fn string(&mut self, bytes: &[u8]) {
        self.head(BYTES, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    fn byte(self, byte: u8) -> Result<(), Failure> {
        self.out.push(byte);
        Ok(())
    }

    /// An array or a map, whose length is written when it is known.
    fn members(self, major: u8) -> Members<'a> {
        let start = self.out.len();
        self.out.push(major << 5);
        Members {
            out: self.out,
            start,
            major,
            count: 0,
        }
    }

    /// The name of a variant, in front of its value.
    fn variant(mut self, name: &str) -> Self {
        self.head(MAP, 1);
        self.string(name.as_bytes());
        self
    }
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Members<'a>;
    type SerializeTuple = Members<'a>;
    type SerializeTupleStruct = Members<'a>;
    type SerializeTupleVariant = Members<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    /// What is bytes is to be written as bytes.
    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), Failure> {
        self.byte(if value { TRUE } else { FALSE })
    }
    fn serialize_i8(self, value: i8) -> Result<(), Failure> {
        self.serialize_i64(value.into())
    }
    fn serialize_i16(self, value: i16) -> Result<(), Failure> {
        self.serialize_i64(value.into())
    }
    fn serialize_i32(self, value: i32) -> Result<(), Failure> {
        self.serialize_i64(value.into())
    }
    fn serialize_i64(mut self, value: i64) -> Result<(), Failure> {
        match u64::try_from(value) {
            Ok(value) => self.head(UNSIGNED, value),
            // -1 - value, which is what the bits turned over are.
            Err(_) => self.head(NEGATIVE, !value as u64),
        }
        Ok(())
    }
    fn serialize_u8(self, value: u8) -> Result<(), Failure> {
        self.serialize_u64(value.into())
    }
    fn serialize_u16(self, value: u16) -> Result<(), Failure> {
        self.serialize_u64(value.into())
    }
    fn serialize_u32(self, value: u32) -> Result<(), Failure> {
        self.serialize_u64(value.into())
    }
    fn serialize_u64(mut self, value: u64) -> Result<(), Failure> {
        self.head(UNSIGNED, value);
        Ok(())
    }
    fn serialize_f32(self, value: f32) -> Result<(), Failure> {
        self.serialize_f64(value.into())
    }
    fn serialize_f64(self, value: f64) -> Result<(), Failure> {
        if !value.is_finite() {
            return Err(Failure::custom("a number that JSON cannot hold"));
        }
        let short = value as f32;
        if f64::from(short) == value {
            self.out.push(FLOAT32);
            self.out.extend_from_slice(&short.to_be_bytes());
        } else {
            self.out.push(FLOAT64);
            self.out.extend_from_slice(&value.to_be_bytes());
        }
        Ok(())
    }
    fn serialize_char(self, value: char) -> Result<(), Failure> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(mut self, value: &str) -> Result<(), Failure> {
        self.string(value.as_bytes());
        Ok(())
    }
    fn serialize_bytes(mut self, value: &[u8]) -> Result<(), Failure> {
        self.out.push(LATER_BASE64);
        self.string(value);
        Ok(())
    }
    fn serialize_none(self) -> Result<(), Failure> {
        self.byte(NULL)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Failure> {
        self.byte(NULL)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Failure> {
        self.byte(NULL)
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Failure> {
        self.serialize_str(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(self.variant(variant))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'a>, Failure> {
        Ok(self.members(ARRAY))
    }
    fn serialize_tuple(self, _: usize) -> Result<Members<'a>, Failure> {
        Ok(self.members(ARRAY))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Failure> {
        Ok(self.members(ARRAY))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Failure> {
        Ok(self.variant(variant).members(ARRAY))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Failure> {
        Ok(self.members(MAP))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Failure> {
        Ok(self.members(MAP))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Failure> {
        Ok(self.variant(variant).members(MAP))
    }
}

/// An array or a map that is being written.
pub(super) struct Members<'a> {
    out: &'a mut Vec<u8>,
    /// Where its head is.
    start: usize,
    major: u8,
    count: u64,
}

impl Members<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        value.serialize(Writer::new(self.out))
    }

    fn counted<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.count += 1;
        self.item(value)
    }

    /// Writes the length; up to 23 it has its place, a longer one moves the members.
    fn close(self) {
        let (bytes, length) = head(self.major, self.count);
        self.out
            .splice(self.start..=self.start, bytes[..length].iter().copied());
    }
}

macro_rules! elements {
    ($($trait:ident $method:ident;)*) => { $(
        impl ser::$trait for Members<'_> {
            type Ok = ();
            type Error = Failure;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
                self.counted(value)
            }
            fn end(self) -> Result<(), Failure> {
                self.close();
                Ok(())
            }
        }
    )* };
}
elements! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! fields {
    ($($trait:ident)*) => { $(
        impl ser::$trait for Members<'_> {
            type Ok = ();
            type Error = Failure;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Failure> {
                self.counted(key)?;
                self.item(value)
            }
            fn end(self) -> Result<(), Failure> {
                self.close();
                Ok(())
            }
        }
    )* };
}
fields! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Failure;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        self.counted(key)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.item(value)
    }
    fn end(self) -> Result<(), Failure> {
        self.close();
        Ok(())
    }
}
