//! Where one event ends and the next begins.

use bytes::{Buf, Bytes, BytesMut};

use crate::wire::cbor::Cutter;
use crate::wire::{DecodeError, Format};

/// Cuts a byte stream into the frames of a watch, wherever its chunks were cut.
#[derive(Debug)]
pub(super) struct Frames {
    buffer: BytesMut,
    cut: Cut,
    limit: usize,
}

#[derive(Debug)]
enum Cut {
    /// Concatenated JSON values: white space between them is optional and allowed within them.
    Json(JsonScanner),
    /// A CBOR sequence (RFC 8742): items one after the other, each of which tells its end.
    Cbor(Cutter),
    /// Four bytes of length, most significant first, before each message.
    LengthPrefixed,
}

impl Frames {
    /// Frames of at most `limit` bytes each.
    pub(super) fn new(format: Format, limit: usize) -> Self {
        let cut = match format {
            Format::Protobuf => Cut::LengthPrefixed,
            Format::Cbor => Cut::Cbor(Cutter::default()),
            Format::Json | Format::Yaml => Cut::Json(JsonScanner::default()),
        };
        Self {
            buffer: BytesMut::new(),
            cut,
            limit,
        }
    }

    /// Takes the next chunk.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next whole frame.
    ///
    /// # Errors
    /// A frame over the limit, or bytes that begin no value; the stream cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, DecodeError> {
        let too_large = |limit| DecodeError::other(format_args!("an event is larger than {limit} bytes"));
        match &mut self.cut {
            Cut::LengthPrefixed => {
                let Some(header) = self.buffer.first_chunk::<4>() else {
                    return Ok(None);
                };
                let length = u32::from_be_bytes(*header) as usize;
                if length > self.limit {
                    return Err(too_large(self.limit));
                }
                if self.buffer.len() < 4 + length {
                    return Ok(None);
                }
                self.buffer.advance(4);
                Ok(Some(self.buffer.split_to(length).freeze()))
            }
            Cut::Json(scanner) => match scanner.scan(&self.buffer)? {
                Some(end) => {
                    scanner.restart();
                    Ok(Some(self.buffer.split_to(end).freeze()))
                }
                None if self.buffer.len() > self.limit => Err(too_large(self.limit)),
                None => Ok(None),
            },
            Cut::Cbor(cutter) => match cutter.scan(&self.buffer)? {
                Some(end) => {
                    *cutter = Cutter::default();
                    Ok(Some(self.buffer.split_to(end).freeze()))
                }
                None if self.buffer.len() > self.limit => Err(too_large(self.limit)),
                None => Ok(None),
            },
        }
    }
}

/// Finds the end of a JSON object, byte by byte; remembers how far it got.
#[derive(Debug, Default)]
struct JsonScanner {
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl JsonScanner {
    fn restart(&mut self) {
        *self = Self::default();
    }

    fn scan(&mut self, buffer: &[u8]) -> Result<Option<usize>, DecodeError> {
        while let Some(byte) = buffer.get(self.at) {
            self.at += 1;
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' if self.depth > 0 => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => self.depth -= 1,
                b'}' | b']' if self.depth == 1 => return Ok(Some(self.at)),
                b' ' | b'\n' | b'\r' | b'\t' => {}
                _ if self.depth > 0 => {}
                _ => return Err(DecodeError::other("an event does not begin with '{'")),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(format: Format, chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut frames = Frames::new(format, 1000);
        let mut out = Vec::new();
        for chunk in chunks {
            frames.push(chunk);
            while let Some(frame) = frames.next().unwrap() {
                out.push(frame.trim_ascii().to_vec());
            }
        }
        out
    }

    #[test]
    fn json_is_cut_the_same_at_every_split_point() {
        let text =
            "{\"a\":\"}\\\"{ä\"}\n{\n  \"pretty\": [1, {\"x\": \"\\\\\"}]\n}{\"c\":1}  {\"cut\":".as_bytes();
        let expected: Vec<Vec<u8>> = [
            "{\"a\":\"}\\\"{ä\"}",
            "{\n  \"pretty\": [1, {\"x\": \"\\\\\"}]\n}",
            "{\"c\":1}",
        ]
        .iter()
        .map(|frame| frame.as_bytes().to_vec())
        .collect();
        for split in 0..text.len() {
            let (one, two) = text.split_at(split);
            assert_eq!(frames(Format::Json, &[one, two]), expected, "split at {split}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(frames(Format::Json, &bytes), expected);
    }

    #[test]
    fn lengths_are_big_endian() {
        let text = [0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 33, 0, 0];
        for split in 0..text.len() {
            let (one, two) = text.split_at(split);
            assert_eq!(
                frames(Format::Protobuf, &[one, two]),
                [vec![1, 2], vec![], vec![33]]
            );
        }
    }

    #[test]
    fn cbor_is_cut_the_same_at_every_split_point() {
        let items: [&[u8]; 8] = [
            // 55799({_ h'61': [1, [], {}], (_ h'62', h''): "x"})
            b"\xd9\xd9\xf7\xbf\x41a\x83\x01\x80\xa0\x5f\x41b\x40\xff\x61x\xff",
            b"\xa2\x41k\xf6\x41l\xf9\x3e\x00",
            b"\xa0",
            b"\x9f\xff",
            b"\xd6\x58\x1b-twenty-five-bytes-of-data-",
            b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\xfb\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x82\xbf\xff\x9f\x5f\xff\xff",
        ];
        let mut text = items.concat();
        text.extend(b"\xa1\x41c\x43cu");
        for split in 0..text.len() {
            let (one, two) = text.split_at(split);
            assert_eq!(frames(Format::Cbor, &[one, two]), items, "split at {split}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(frames(Format::Cbor, &bytes), items);
    }

    #[test]
    fn cbor_that_is_none_or_claims_too_much_is_refused() {
        let deep = vec![0x81; 500];
        let malformed: [&[u8]; 8] = [
            b"\xff",
            b"\x1c",
            b"\x1f",
            b"\x5f\x61a",
            b"\x5f\x5f",
            b"\x7f\x41a",
            b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff",
            &deep,
        ];
        for bytes in malformed {
            let mut frames = Frames::new(Format::Cbor, 1000);
            frames.push(bytes);
            assert!(frames.next().is_err(), "{bytes:x?}");
        }
        let mut frames = Frames::new(Format::Cbor, 10);
        frames.push(b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff");
        assert!(frames.next().unwrap().is_none());
        frames.push(b"\x01\x01");
        assert!(frames.next().is_err());
    }

    #[test]
    fn too_large_and_senseless_frames_are_refused() {
        let mut frames = Frames::new(Format::Protobuf, 1000);
        frames.push(&[255, 255, 255, 255]);
        assert!(frames.next().is_err());
        let mut frames = Frames::new(Format::Json, 1000);
        frames.push(b"<html>");
        assert!(frames.next().is_err());
        let mut frames = Frames::new(Format::Json, 10);
        frames.push(b"{\"a\":\"0123456789");
        assert!(frames.next().is_err());
    }
}
