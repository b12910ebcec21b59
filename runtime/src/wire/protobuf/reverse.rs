//! A buffer that is filled from its end, so that the length of a nested message is known when it is to be written.

/// Bytes written back to front.
#[derive(Debug, Default)]
pub(crate) struct Reverse {
    buffer: Vec<u8>,
    /// Where the written part begins.
    start: usize,
    /// Whether something was to be written that cannot be.
    pub(crate) refuses: bool,
}

impl Reverse {
    /// The number of bytes written.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Writes `bytes` before what is there.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        let start = self.start - bytes.len();
        self.buffer[start..self.start].copy_from_slice(bytes);
        self.start = start;
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
    pub(crate) fn into_vec(mut self) -> Vec<u8> {
        self.buffer.drain(..self.start);
        self.buffer
    }

    fn reserve(&mut self, more: usize) {
        if more <= self.start {
            return;
        }
        let written = self.len();
        let capacity = (written + more).max(64).next_power_of_two();
        let mut grown = vec![0; capacity];
        grown[capacity - written..].copy_from_slice(&self.buffer[self.start..]);
        self.start = capacity - written;
        self.buffer = grown;
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
}
