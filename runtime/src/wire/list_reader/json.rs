//! The borders in a list's JSON.

use super::{Body, Framing, JSON_BATCH, Progress};
use crate::record::{self, Slot};
use crate::wire::json_reader::{Cursor, Failure, Reader};
use crate::wire::{DecodeError, Format, MAX_DEPTH};

/// What comes next.
#[derive(Clone, Copy)]
pub(super) enum State {
    /// The opening brace.
    Start,
    /// A key of the list or, if it is the `first`, the closing brace.
    Key { first: bool },
    /// The end of a member of the list.
    MemberEnd,
    /// An object or, if it is the `first`, the closing bracket.
    Item { first: bool },
    /// The end of an object.
    ItemEnd,
    /// White space.
    End,
}

/// The text at hand.
#[derive(Clone, Copy)]
struct Input<'a> {
    text: &'a str,
    is_last: bool,
}

/// Why a step was not taken.
enum Stop {
    Failure(Failure),
    Error(DecodeError),
    /// The body is a `Status`.
    Status,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Body {
    pub(super) fn read_json(
        &mut self,
        mut state: State,
        input: &[u8],
        is_last: bool,
        items: &mut dyn record::List,
    ) -> Result<Progress, DecodeError> {
        // A character may be cut in two at the end; a byte that begins none is an error once reading has come there.
        let (text, is_broken) = match std::str::from_utf8(input) {
            Ok(text) => (text, false),
            Err(error) => {
                let valid = std::str::from_utf8(&input[..error.valid_up_to()]).unwrap_or_default();
                (valid, error.error_len().is_some())
            }
        };
        let here = Input { text, is_last };
        let mut at = 0;
        loop {
            match self.step(state, here, at, items) {
                Ok((next, end)) => (state, at) = (next, end),
                Err(Stop::Status) => {
                    return Ok(Progress {
                        used: at,
                        wanted: usize::MAX,
                    });
                }
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Failure(failure)) if !failure.is_cut_off() => return Err(failure.into_error(input)),
                Err(Stop::Failure(_)) => break,
            }
            if matches!(state, State::End) && at == text.len() {
                break;
            }
        }
        if is_broken {
            return Err(DecodeError::new(Format::Json, "text that is not UTF-8"));
        }
        self.framing = Framing::Json(state);
        Ok(Progress {
            used: at,
            wanted: JSON_BATCH.max(2 * (input.len() - at)),
        })
    }

    /// Reads one thing from `at` on; the state and the place behind it. Nothing has changed if it is not all there.
    fn step(
        &mut self,
        state: State,
        input: Input<'_>,
        at: usize,
        items: &mut dyn record::List,
    ) -> Result<(State, usize), Stop> {
        let mut cursor = Cursor::new(input.text, at);
        let next = match state {
            State::Start => {
                cursor.expect(b'{', "an object expected")?;
                State::Key { first: true }
            }
            State::Key { first: true } if cursor.peek() == b'}' => {
                cursor.first(b'}');
                State::End
            }
            State::Key { .. } => return self.member(cursor, input, items),
            State::MemberEnd if cursor.more(b'}')? => State::Key { first: false },
            State::MemberEnd => State::End,
            State::Item { first: true } if cursor.peek() == b']' => {
                cursor.first(b']');
                State::MemberEnd
            }
            State::Item { .. } => {
                cursor.peek();
                let end = self.item(cursor.at(), input, items)?;
                return Ok((State::ItemEnd, end));
            }
            State::ItemEnd if cursor.more(b']')? => State::Item { first: false },
            State::ItemEnd => State::MemberEnd,
            State::End if cursor.is_end() => State::End,
            State::End => return Err(cursor.malformed("text behind the list").into()),
        };
        Ok((next, cursor.at()))
    }

    fn member(
        &mut self,
        mut cursor: Cursor<'_>,
        input: Input<'_>,
        items: &mut dyn record::List,
    ) -> Result<(State, usize), Stop> {
        let key = cursor.key()?;
        match (&*key, cursor.peek()) {
            ("items", b'[') => {
                self.begin_items(items);
                cursor.enter(MAX_DEPTH)?;
                return Ok((State::Item { first: true }, cursor.at()));
            }
            ("items", byte) if byte != b'n' => {
                return Err(cursor.malformed("items: an array expected").into());
            }
            ("metadata", _) => {
                let mut metadata = self.metadata.clone();
                let mut reader = Reader::new(input.text, cursor.at());
                reader.record(&mut metadata)?;
                self.metadata = metadata;
                return Ok((State::MemberEnd, reader.at()));
            }
            ("kind" | "apiVersion", b'"') => {
                let start = cursor.at();
                skip(&mut cursor, input)?;
                let value = input.text.get(start..cursor.at()).unwrap_or_default();
                if (&*key, value) == ("kind", "\"Status\"") && self.is_status() {
                    return Err(Stop::Status);
                }
                // A text with an escape in it names no kind.
                let value = value.trim_matches('"').into();
                *(if key == "kind" {
                    &mut self.kind
                } else {
                    &mut self.api_version
                }) = value;
            }
            (key, _) => {
                self.has_items |= key == "items";
                skip(&mut cursor, input)?;
            }
        }
        Ok((State::MemberEnd, cursor.at()))
    }

    /// Reads an object that begins at `start`; the place behind it.
    fn item(&mut self, start: usize, input: Input<'_>, items: &mut dyn record::List) -> Result<usize, Stop> {
        let before = items.len();
        let mut reader = Reader::new(input.text, start);
        let result = match items.push() {
            slot @ (Slot::Record(_) | Slot::Foreign(_)) => reader.object_of_list(slot),
            _ => Err(Failure::mismatch(start, "a list of objects", "")),
        };
        let end = match result {
            Ok(()) => reader.at(),
            Err(failure) => {
                items.truncate(before);
                // If it is JSON, the failure is the object's own; else it is the body's, or its end's.
                let mut cursor = Cursor::new(input.text, start);
                skip(&mut cursor, input)?;
                let message = input.text.get(start..cursor.at()).unwrap_or_default().as_bytes();
                let error = failure.counted_from(start).into_error(message);
                self.item_failed(message, error).map_err(Stop::Error)?;
                cursor.at()
            }
        };
        self.seen += 1;
        Ok(end)
    }
}

/// Passes a value; one that may go on behind the text at hand, as only numbers may, is not all there.
fn skip(cursor: &mut Cursor<'_>, input: Input<'_>) -> Result<(), Failure> {
    let byte = cursor.peek();
    cursor.skip(false, MAX_DEPTH)?;
    if matches!(byte, b'-' | b'0'..=b'9') && cursor.at() == input.text.len() && !input.is_last {
        return Err(Failure::cut_off(cursor.at()));
    }
    Ok(())
}
