//! The borders in a list's protobuf: the envelope, and in it a message of metadata (1) and items (2).

use super::{Body, Framing, Progress};
use crate::record::{self, Slot};
use crate::wire::protobuf::{NO_TABLE, merge_message};
use crate::wire::unknown::{MAGIC, read_type};
use crate::wire::{DecodeError, Format};

/// What comes next.
#[derive(Clone, Copy)]
pub(super) enum State {
    /// The magic bytes.
    Start,
    /// A field of the envelope, or the end.
    Envelope,
    /// A field of the list, of which so many bytes are left.
    List { left: u64 },
}

/// A field at the beginning of some bytes.
enum Field<'a> {
    /// All of it: number, content if it has a length, and how many bytes it takes.
    Whole {
        number: u64,
        content: Option<&'a [u8]>,
        size: usize,
    },
    /// Only its beginning: number, announced length of its content if that is known, and where the content begins.
    Part {
        number: u64,
        length: Option<u64>,
        start: usize,
    },
}

fn fail(message: &str) -> DecodeError {
    DecodeError::new(Format::Protobuf, message)
}

/// A varint at the beginning of some bytes, and its size.
fn varint(bytes: &[u8]) -> Result<Option<(u64, usize)>, DecodeError> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f)
            .checked_shl(7 * index as u32)
            .unwrap_or_default();
        if byte & 0x80 == 0 {
            return Ok(Some((value, index + 1)));
        }
    }
    if bytes.len() >= 10 {
        Err(fail("a varint that does not end"))
    } else {
        Ok(None)
    }
}

fn field(bytes: &[u8]) -> Result<Field<'_>, DecodeError> {
    let part = Field::Part {
        number: 0,
        length: None,
        start: 0,
    };
    let Some((key, start)) = varint(bytes)? else {
        return Ok(part);
    };
    let number = key >> 3;
    if number == 0 {
        return Err(fail("field number 0"));
    }
    let rest = &bytes[start..];
    let (length, start) = match key & 7 {
        0 => match varint(rest)? {
            Some((_, size)) => {
                return Ok(Field::Whole {
                    number,
                    content: None,
                    size: start + size,
                });
            }
            None => return Ok(part),
        },
        1 => (8, start),
        2 => match varint(rest)? {
            Some((length, size)) => (length, start + size),
            None => return Ok(part),
        },
        5 => (4, start),
        other => return Err(fail(&format!("wire type {other} in field {number}"))),
    };
    let end = usize::try_from(length)
        .ok()
        .and_then(|length| start.checked_add(length));
    Ok(match end.and_then(|end| Some((bytes.get(start..end)?, end))) {
        Some((content, size)) => Field::Whole {
            number,
            content: (key & 7 == 2).then_some(content),
            size,
        },
        None => Field::Part {
            number,
            length: Some(length),
            start,
        },
    })
}

impl Body {
    pub(super) fn read_protobuf(
        &mut self,
        mut state: State,
        input: &[u8],
        items: &mut dyn record::List,
    ) -> Result<Progress, DecodeError> {
        let mut at = 0;
        let wanted = loop {
            let rest = &input[at..];
            match state {
                State::Start if rest.len() < MAGIC.len() => {
                    if !MAGIC.starts_with(rest) {
                        return Err(fail("the body does not begin with k8s\\0"));
                    }
                    break MAGIC.len();
                }
                State::Start => {
                    if !rest.starts_with(&MAGIC) {
                        return Err(fail("the body does not begin with k8s\\0"));
                    }
                    at += MAGIC.len();
                    state = State::Envelope;
                }
                State::Envelope if rest.is_empty() => break 1,
                State::Envelope => match field(rest)? {
                    Field::Whole {
                        number: 2,
                        content: Some(content),
                        size,
                    } => {
                        self.begin_list(items)?;
                        at += size - content.len();
                        state = State::List {
                            left: content.len() as u64,
                        };
                    }
                    Field::Part {
                        number: 2,
                        length: Some(length),
                        start,
                    } => {
                        self.begin_list(items)?;
                        at += start;
                        state = State::List { left: length };
                    }
                    Field::Whole {
                        number,
                        content,
                        size,
                    } => {
                        if self.envelope_field(number, content.unwrap_or_default())? {
                            return Ok(Progress {
                                used: at,
                                wanted: usize::MAX,
                            });
                        }
                        at += size;
                    }
                    Field::Part { length, start, .. } => break needed(length, start, rest),
                },
                State::List { left: 0 } => state = State::Envelope,
                State::List { left } => {
                    match field(&rest[..rest.len().min(usize::try_from(left).unwrap_or(usize::MAX))])? {
                        Field::Whole {
                            number,
                            content,
                            size,
                        } => {
                            self.list_field(number, content, items)?;
                            at += size;
                            state = State::List {
                                left: left - size as u64,
                            };
                        }
                        Field::Part { length, start, .. } => {
                            let end = length.unwrap_or_default().saturating_add(start as u64);
                            if end > left || rest.len() as u64 >= left {
                                return Err(fail("a field of the list that is longer than the list"));
                            }
                            break needed(length, start, rest);
                        }
                    }
                }
            }
        };
        self.framing = Framing::Protobuf(state);
        Ok(Progress { used: at, wanted })
    }

    fn begin_list(&mut self, items: &mut dyn record::List) -> Result<(), DecodeError> {
        if self.has_list {
            return Err(fail("two messages in one envelope"));
        }
        self.has_list = true;
        self.begin_items(items);
        Ok(())
    }

    /// A field beside the message; tells whether the body is a `Status`.
    fn envelope_field(&mut self, number: u64, content: &[u8]) -> Result<bool, DecodeError> {
        match number {
            1 => Ok(read_type(content)?.1 == "Status" && self.is_status()),
            3 if !content.is_empty() => Err(fail("content is compressed")),
            _ => Ok(false),
        }
    }

    fn list_field(
        &mut self,
        number: u64,
        content: Option<&[u8]>,
        items: &mut dyn record::List,
    ) -> Result<(), DecodeError> {
        match (number, content) {
            (1, Some(message)) => merge_message(&mut self.metadata, message),
            (2, Some(message)) => {
                let before = items.len();
                let result = match items.push() {
                    Slot::Record(record) => merge_message(record, message),
                    Slot::Foreign(_) => Err(fail(NO_TABLE)),
                    _ => Err(fail("a list of objects expected")),
                };
                if let Err(error) = result {
                    items.truncate(before);
                    self.item_failed(message, error)?;
                }
                self.seen += 1;
                Ok(())
            }
            (1 | 2, None) => Err(fail("another wire type than the field has")),
            _ => Ok(()),
        }
    }
}

/// How many bytes the field takes, as far as that is known.
fn needed(length: Option<u64>, start: usize, rest: &[u8]) -> usize {
    match length {
        Some(length) => usize::try_from(length)
            .unwrap_or(usize::MAX)
            .saturating_add(start),
        None => rest.len() + 1,
    }
}
