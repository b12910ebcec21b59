//! Bytes written front to back, though the length of a nested message stands before it.

use super::super::MAX_DEPTH;

/// Protobuf as it grows.
///
/// Room for the length of a nested message is left as wide as the last length at that depth was; a message that needs
/// another width is moved. Neighbours are alike, so few are, and those few are mostly short.
#[derive(Debug)]
pub(crate) struct Output {
    bytes: Vec<u8>,
    /// How many bytes the last length took, by depth; deeper messages share the last place.
    widths: [u8; MAX_DEPTH],
    depth: usize,
    /// Whether something was to be written that cannot be.
    pub(crate) refuses: bool,
}

/// A message that has been begun.
#[derive(Debug)]
#[must_use = "a message is to be closed"]
pub(crate) struct Open {
    /// Where the content starts.
    content: usize,
    /// The room left before it.
    left: usize,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            widths: [1; MAX_DEPTH],
            depth: 0,
            refuses: false,
        }
    }
}

/// The number of bytes that `value` takes as a varint.
fn width(value: usize) -> usize {
    (usize::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
}

impl Output {
    /// Writes `bytes` as they are.
    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes a base-128 varint.
    #[inline]
    pub(crate) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes the key of a field: its number and wire type.
    #[inline]
    pub(crate) fn key(&mut self, tag: u16, wire_type: u8) {
        self.varint(u64::from(tag) << 3 | u64::from(wire_type));
    }

    /// Writes a length-delimited field.
    #[inline]
    pub(crate) fn field(&mut self, tag: u16, bytes: &[u8]) {
        self.key(tag, 2);
        self.varint(bytes.len() as u64);
        self.bytes(bytes);
    }

    /// Writes a varint field.
    #[inline]
    pub(crate) fn varint_field(&mut self, tag: u16, value: u64) {
        self.key(tag, 0);
        self.varint(value);
    }

    /// Says how long the next message at this depth will about be.
    pub(crate) fn expect(&mut self, length: usize) {
        *self.width_here() = width(length) as u8;
    }

    fn width_here(&mut self) -> &mut u8 {
        &mut self.widths[self.depth.min(MAX_DEPTH - 1)]
    }

    /// Begins field `tag`, a message; what is written until [`close`](Self::close) is its content.
    #[inline]
    pub(crate) fn open(&mut self, tag: u16) -> Open {
        self.key(tag, 2);
        let left = usize::from(*self.width_here());
        self.bytes.extend_from_slice(&[0; 10][..left]);
        self.depth += 1;
        let content = self.bytes.len();
        Open { content, left }
    }

    /// Ends a message: its length is put where room was left.
    #[inline]
    pub(crate) fn close(&mut self, Open { content, left }: Open) {
        self.depth -= 1;
        let length = self.bytes.len() - content;
        let needed = width(length);
        if needed != left {
            self.shift(content, left, needed);
        }
        let mut rest = length;
        for place in &mut self.bytes[content - left..][..needed] {
            *place = rest as u8 | 0x80;
            rest >>= 7;
        }
        self.bytes[content - left + needed - 1] &= 0x7f;
    }

    /// Moves the content of a message, since its length takes `needed` bytes and not the `left` ones.
    #[cold]
    fn shift(&mut self, content: usize, left: usize, needed: usize) {
        *self.width_here() = needed as u8;
        let (start, end) = (content - left + needed, self.bytes.len());
        if needed > left {
            self.bytes.extend_from_slice(&[0; 10][..needed - left]);
        }
        self.bytes.copy_within(content..end, start);
        self.bytes.truncate(start + end - content);
    }

    /// All that was written.
    pub(crate) fn into_vec(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_every_width_stand_before_what_they_count() {
        for (sizes, expected) in [
            (&[1, 200, 3][..], vec![2, 3, 2]),
            (&[300, 0, 20_000, 5, 127, 128], vec![3, 2, 4, 2, 2, 3]),
            (&[3_000_000, 16_384, 16_383], vec![5, 4, 3]),
        ] {
            let mut out = Output::default();
            let mut wanted = Vec::new();
            for (at, (size, head)) in sizes.iter().zip(&expected).enumerate() {
                let content: Vec<u8> = (0..*size).map(|byte: usize| (byte + at) as u8).collect();
                let open = out.open(1);
                let before = out.bytes.len();
                out.bytes(&content);
                out.close(open);
                let mut plain = Output::default();
                plain.field(1, &content);
                let plain = plain.into_vec();
                assert_eq!(plain.len(), size + head, "{size} of {sizes:?}");
                assert!(before >= 2);
                wanted.extend(plain);
            }
            assert!(out.into_vec() == wanted, "{sizes:?}");
        }
    }

    #[test]
    fn nested_messages_deeper_than_the_table_of_widths() {
        let mut out = Output::default();
        let opened: Vec<Open> = (0..MAX_DEPTH + 40).map(|_| out.open(2)).collect();
        out.varint_field(1, u64::MAX);
        opened.into_iter().rev().for_each(|open| out.close(open));
        let mut expected = vec![0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        for _ in 0..MAX_DEPTH + 40 {
            let mut outer = Output::default();
            outer.field(2, &expected);
            expected = outer.into_vec();
        }
        assert_eq!(out.into_vec(), expected);
    }

    #[test]
    fn an_expectation_that_is_wrong_costs_a_move_and_nothing_else() {
        for expected in [0, 127, 128, 1 << 40] {
            let mut out = Output::default();
            out.expect(expected);
            let open = out.open(15);
            out.field(2, &[7; 300]);
            out.close(open);
            let bytes = out.into_vec();
            assert_eq!(&bytes[..6], &[0x7a, 0xaf, 0x02, 0x12, 0xac, 0x02]);
            assert_eq!(bytes.len(), 306);
        }
    }
}
