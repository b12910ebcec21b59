//! A buffer that is filled from its end, so that the length of a nested message is known when it is to be written.

/// The largest piece, unless more is written at once: below what allocators ask the system for page by page.
const PIECE: usize = 1 << 16;

/// Bytes written back to front, in pieces, so that what is there is never moved to make room.
#[derive(Debug, Default)]
pub(crate) struct Reverse {
    /// Full pieces, the last of them the foremost.
    full: Vec<Vec<u8>>,
    /// Bytes in `full`.
    full_len: usize,
    /// The foremost piece.
    piece: Vec<u8>,
    /// Where the written part of `piece` begins.
    start: usize,
    /// Whether something was to be written that cannot be.
    pub(crate) refuses: bool,
}

impl Reverse {
    /// The number of bytes written.
    pub(crate) fn len(&self) -> usize {
        self.full_len + self.piece.len() - self.start
    }

    /// Writes `bytes` before what is there.
    #[inline]
    pub(crate) fn bytes(&mut self, mut bytes: &[u8]) {
        if bytes.len() > self.start {
            bytes = self.fill(bytes);
        }
        let start = self.start - bytes.len();
        self.piece[start..self.start].copy_from_slice(bytes);
        self.start = start;
    }

    /// Fills the piece with the end of `bytes` and begins one with room for the rest, which is returned.
    #[cold]
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (rest, end) = bytes.split_at(bytes.len() - self.start);
        self.piece[..self.start].copy_from_slice(end);
        let size = (self.piece.len() * 2).clamp(256, PIECE).max(rest.len());
        let full = std::mem::replace(&mut self.piece, vec![0; size]);
        self.start = size;
        self.full_len += full.len();
        self.full.push(full);
        rest
    }

    /// Writes a base-128 varint.
    pub(crate) fn varint(&mut self, mut value: u64) {
        let mut text = [0_u8; 10];
        let mut length = 0;
        loop {
            let low = (value & 0x7f) as u8;
            value >>= 7;
            text[length] = if value == 0 { low } else { low | 0x80 };
            length += 1;
            if value == 0 {
                break;
            }
        }
        self.bytes(&text[..length]);
    }

    /// Writes the key of a field: its number and wire type.
    pub(crate) fn key(&mut self, tag: u16, wire_type: u8) {
        self.varint(u64::from(tag) << 3 | u64::from(wire_type));
    }

    /// Writes length and key of a field whose content has been written since `before`, a former [`Reverse::len`].
    pub(crate) fn close(&mut self, tag: u16, before: usize) {
        self.varint((self.len() - before) as u64);
        self.key(tag, 2);
    }

    /// Writes a length-delimited field.
    pub(crate) fn field(&mut self, tag: u16, bytes: &[u8]) {
        let before = self.len();
        self.bytes(bytes);
        self.close(tag, before);
    }

    /// Writes a varint field.
    pub(crate) fn varint_field(&mut self, tag: u16, value: u64) {
        self.varint(value);
        self.key(tag, 0);
    }

    /// All that was written, front to back.
    pub(crate) fn into_vec(self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len());
        whole.extend_from_slice(&self.piece[self.start..]);
        for piece in self.full.iter().rev() {
            whole.extend_from_slice(piece);
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_lengths_and_long_varints() {
        let mut out = Reverse::default();
        out.field(2, &[7; 300]);
        let before = 0;
        out.varint_field(1, u64::MAX);
        out.close(15, before);
        let bytes = out.into_vec();
        assert_eq!(&bytes[..3], &[0x7a, 0xba, 0x02]);
        assert_eq!(
            &bytes[3..14],
            &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
        );
        assert_eq!(&bytes[14..17], &[0x12, 0xac, 0x02]);
        assert_eq!(bytes.len(), 317);
    }

    #[test]
    fn pieces_are_put_together_in_order_whatever_the_sizes_that_are_written() {
        for sizes in [
            &[1, 2, 3][..],
            &[255, 1, 256, 257, 0, 513],
            &[PIECE - 1, 2, PIECE + 1, 3 * PIECE, 7],
            &[0, 0],
        ] {
            let mut out = Reverse::default();
            let mut expected = Vec::new();
            for (at, size) in sizes.iter().enumerate() {
                let bytes: Vec<u8> = (0..*size).map(|byte| (byte + at) as u8).collect();
                out.bytes(&bytes);
                expected.splice(0..0, bytes);
                assert_eq!(out.len(), expected.len(), "{sizes:?}");
            }
            assert!(out.into_vec() == expected, "{sizes:?}");
        }
    }
}
