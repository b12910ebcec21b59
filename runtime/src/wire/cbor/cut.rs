//! Where an item begins and ends.

use crate::wire::{DecodeError, Format, MAX_DEPTH};

/// The head of an item: its type and its length or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The major type, 0 to 7.
    pub(super) major: u8,
    /// The five bits behind the major type.
    pub(super) info: u8,
    /// The value, the length, the tag; `None` for an indefinite length and for its end.
    pub(super) argument: Option<u64>,
    /// How many bytes the head is long.
    pub(super) length: usize,
}

impl Head {
    /// The head at the beginning of `bytes`; `None` if it is not all there.
    ///
    /// # Errors
    /// A byte that begins no item.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<Self>, &'static str> {
        let Some(first) = bytes.first() else {
            return Ok(None);
        };
        let (major, info) = (first >> 5, first & 31);
        let size = match info {
            0..=23 => 0,
            24..=27 => 1 << (info - 24),
            31 if matches!(major, 2..=5 | 7) => 0,
            _ => return Err("a byte that begins no item"),
        };
        let Some(tail) = bytes.get(1..1 + size) else {
            return Ok(None);
        };
        let value = tail.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Ok(Some(Self {
            major,
            info,
            argument: match info {
                0..=23 => Some(u64::from(info)),
                31 => None,
                _ => Some(value),
            },
            length: 1 + size,
        }))
    }

    /// The end of an item of indefinite length.
    pub(super) fn is_break(self) -> bool {
        self.major == 7 && self.argument.is_none()
    }
}

/// Finds the end of one item in bytes that arrive in pieces; remembers how far it got.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    at: usize,
    open: Vec<Open>,
}

/// An item that is not complete.
#[derive(Clone, Copy, Debug)]
enum Open {
    /// So many items are missing, at least one.
    Items(u64),
    /// An item of this major type that goes on to its end mark.
    ToBreak(u8),
}

impl Cutter {
    /// The length of the item at the beginning of `buffer`, which holds what it held at the last call and more; `None`
    /// if its end has not come.
    ///
    /// # Errors
    /// Bytes that are no item, and items nested more than [`MAX_DEPTH`] levels deep.
    pub(crate) fn scan(&mut self, buffer: &[u8]) -> Result<Option<usize>, DecodeError> {
        let malformed = |message| DecodeError::new(Format::Cbor, message);
        loop {
            let rest = buffer.get(self.at..).unwrap_or_default();
            let Some(head) = Head::read(rest).map_err(malformed)? else {
                return Ok(None);
            };
            match self.open.last() {
                Some(Open::ToBreak(_)) if head.is_break() => {
                    self.open.pop();
                    self.at += 1;
                    if self.is_done() {
                        return Ok(Some(self.at));
                    }
                    continue;
                }
                _ if head.is_break() => return Err(malformed("an end mark out of place")),
                Some(Open::ToBreak(major @ (2 | 3))) if head.major != *major || head.argument.is_none() => {
                    return Err(malformed("a string of pieces that are none"));
                }
                _ => {}
            }
            let mut end = self.at + head.length;
            let opens = match (head.major, head.argument) {
                (2 | 3, Some(length)) => {
                    let length = usize::try_from(length).ok();
                    end = length
                        .and_then(|length| end.checked_add(length))
                        .ok_or_else(|| malformed("a string longer than memory"))?;
                    if end > buffer.len() {
                        return Ok(None);
                    }
                    None
                }
                (2..=5, None) => Some(Open::ToBreak(head.major)),
                (4 | 5, Some(0)) => None,
                (4, Some(count)) => Some(Open::Items(count)),
                (5, Some(count)) => match count.checked_mul(2) {
                    Some(items) => Some(Open::Items(items)),
                    None => return Err(malformed("a map longer than memory")),
                },
                // The item that a tag is about follows it.
                (6, _) => {
                    self.at = end;
                    continue;
                }
                _ => None,
            };
            self.at = end;
            match opens {
                Some(_) if self.open.len() >= MAX_DEPTH => return Err(malformed("nested too deeply")),
                Some(open) => self.open.push(open),
                None if self.is_done() => return Ok(Some(self.at)),
                None => {}
            }
        }
    }

    /// An item is complete, and with it those whose last one it is. Whether all are.
    fn is_done(&mut self) -> bool {
        while let Some(open) = self.open.last_mut() {
            match open {
                Open::Items(missing) if *missing > 1 => {
                    *missing -= 1;
                    return false;
                }
                Open::ToBreak(_) => return false,
                Open::Items(_) => {
                    self.open.pop();
                }
            }
        }
        true
    }
}
