//! JSON bodies straight into records, without a token stream or a visitor in between.
//!
//! The reader stands in a record at the field it guesses would come next, which is the one behind the last in the
//! table; where the guess is right, a key costs one comparison. Values go from the text into their [`Slot`].
//!
//! It takes and refuses what the serde path ([`super::serde_reader`]) over `serde_json` does and gives equal objects, but:
//!
//! - [`MAX_DEPTH`] levels of brackets in place of 127, in values that are skipped too; 127 within raw JSON.
//! - The whole body must be UTF-8, strings that are skipped included.
//! - Raw JSON keeps the text of its numbers and strings; white space outside strings goes.
//! - Floats are rounded correctly, where `serde_json` may miss by the last bit.
//! - Errors name the path of the field, `spec.containers[3].ports[0].containerPort`, and never what stands there; below a
//!   sensitive field they name no keys.
//!
//! `cargo run --release -p kubeloom-tests --example decode -- DIR` measures it beside the serde path, which it must beat to
//! be worth its lines.
//!
//! This module knows no envelope and no stream; [`super::list_reader`] does.

mod cursor;
mod failure;

use std::borrow::Cow;

use cursor::Number;

pub(super) use cursor::{Cursor, plain_run};
pub(super) use failure::Failure;

use super::{DecodeError, MAX_DEPTH};
use crate::record::{Choice, ChoiceArm, Field, Foreign, List, Mapping, NULLABLE, Record, Slot};
use crate::value::{ByteString, Duration, IntOrString, MicroTime, Quantity, RawJson, Str, Time};

/// Reads JSON into an empty record. Anything but white space after the value is an error; `null` is an empty record.
pub(super) fn from_json(record: &mut dyn Record, body: &[u8]) -> Result<(), DecodeError> {
    let text = std::str::from_utf8(body).map_err(|error| {
        Failure::malformed(error.valid_up_to(), "text that is not UTF-8").into_error(body)
    })?;
    let mut reader = Reader::new(text, 0);
    reader.whole(record).map_err(|failure| failure.into_error(body))
}

/// The text of raw JSON, checked and without white space; for raw JSON that comes other ways than through the reader.
pub(super) fn raw_text(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    let fail = |failure: Failure| failure.into_error(text.as_bytes());
    let mut cursor = Cursor::new(text, 0);
    let raw = cursor.raw(MAX_DEPTH).map_err(fail)?;
    if cursor.is_end() {
        Ok(raw)
    } else {
        Err(fail(cursor.malformed(TRAILING)))
    }
}

const TRAILING: &str = "text behind the value";

/// Reads values from a text, of which more may follow.
pub(super) struct Reader<'a> {
    cursor: Cursor<'a>,
}

/// A key of a record.
enum Key<'a> {
    Field(usize),
    Other(Cow<'a, str>),
}

impl<'a> Reader<'a> {
    /// A reader that begins at the byte `at`, which is the first of a character.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self {
            cursor: Cursor::new(text, at),
        }
    }

    /// How far reading has come.
    pub(super) fn at(&self) -> usize {
        self.cursor.at()
    }

    fn whole(&mut self, record: &mut dyn Record) -> Result<(), Failure> {
        self.record(record)?;
        if self.cursor.is_end() {
            Ok(())
        } else {
            Err(self.cursor.malformed(TRAILING))
        }
    }

    /// Reads the value that comes into a record; `null` changes nothing.
    pub(super) fn record(&mut self, record: &mut dyn Record) -> Result<(), Failure> {
        self.object_of_list(Slot::Record(record))
    }

    /// Reads the value that comes into a record or a foreign value; `null` changes nothing.
    pub(super) fn object_of_list(&mut self, slot: Slot<'_>) -> Result<(), Failure> {
        if self.cursor.null()? {
            Ok(())
        } else {
            self.value(slot, MAX_DEPTH)
        }
    }

    #[inline]
    fn find(&mut self, fields: &[Field], guess: usize) -> Result<Key<'a>, Failure> {
        if let Some(field) = fields.get(guess)
            && self.cursor.key_is(field.json)
        {
            return Ok(Key::Field(guess));
        }
        let name = self.cursor.key()?;
        // Fields that were left out lie between the guess and the one that came.
        let (before, behind) = fields.split_at(guess.min(fields.len()));
        let is_named = |field: &Field| field.json == name;
        let found = match behind.iter().position(is_named) {
            Some(index) => Some(before.len() + index),
            None => before.iter().position(is_named),
        };
        Ok(found.map_or(Key::Other(name), Key::Field))
    }

    fn object(&mut self, record: &mut dyn Record, levels: usize) -> Result<(), Failure> {
        let levels = self.cursor.enter(levels)?;
        let fields = record.table().fields;
        let mut guess = 0;
        let mut more = self.cursor.first(b'}');
        while more {
            self.cursor.peek();
            match self.find(fields, guess)? {
                Key::Field(index) => {
                    if self.cursor.null()? {
                        null_field(record, index);
                    } else {
                        self.value(record.slot(index), levels).map_err(|failure| {
                            match fields.get(index) {
                                Some(field) => failure.in_field(field.json, field.is_sensitive()),
                                None => failure,
                            }
                        })?;
                    }
                    guess = index + 1;
                }
                Key::Other(name) => {
                    self.other(record, &name, levels)
                        .map_err(|failure| failure.in_entry(&name))?;
                }
            }
            more = self.cursor.more(b'}')?;
        }
        Ok(())
    }

    /// The value of a key that is not in the table.
    fn other(&mut self, record: &mut dyn Record, name: &str, levels: usize) -> Result<(), Failure> {
        let is_type = matches!(name, "apiVersion" | "kind") && record.type_meta().is_some();
        match record.rest_mut() {
            Some(rest) if !is_type => {
                let value = self.raw(levels)?;
                rest.insert(Str::from(name), value);
                Ok(())
            }
            _ => self.cursor.skip(false, levels),
        }
    }

    fn list(&mut self, list: &mut dyn List, levels: usize) -> Result<(), Failure> {
        let levels = self.cursor.enter(levels)?;
        list.truncate(0);
        let mut index = 0;
        let mut more = self.cursor.first(b']');
        while more {
            if self.cursor.null()? {
                list.push();
            } else {
                self.value(list.push(), levels)
                    .map_err(|failure| failure.in_item(index))?;
            }
            index += 1;
            more = self.cursor.more(b']')?;
        }
        list.shrink();
        Ok(())
    }

    fn map(&mut self, map: &mut dyn Mapping, levels: usize) -> Result<(), Failure> {
        let levels = self.cursor.enter(levels)?;
        let mut more = self.cursor.first(b'}');
        while more {
            let key = self.cursor.key()?;
            let slot = map.entry(Str::from(&*key));
            if !self.cursor.null()? {
                self.value(slot, levels)
                    .map_err(|failure| failure.in_entry(&key))?;
            }
            more = self.cursor.more(b'}')?;
        }
        map.shrink();
        Ok(())
    }

    /// Reads the value that comes, which is not `null`, into its place.
    fn value(&mut self, slot: Slot<'_>, levels: usize) -> Result<(), Failure> {
        let byte = self.cursor.peek();
        match (slot, byte) {
            (Slot::Str(place), b'"') => *place = Str::from(&*self.cursor.string()?),
            (Slot::Record(record), b'{') => return self.object(record, levels),
            (Slot::List(list), b'[') => return self.list(list, levels),
            (Slot::Map(map), b'{') => return self.map(map, levels),
            (Slot::Bool(place), b't' | b'f') => *place = self.boolean(byte)?,
            (Slot::Raw(place), _) => *place = self.raw(levels)?,
            (Slot::Foreign(place), _) => return self.foreign(place, levels),
            (Slot::Nullable(place), _) => return self.value(place.fill(), levels),
            (Slot::Choice(choice), _) => return self.choice(choice, byte, levels),
            (Slot::Ignored, _) => return self.cursor.skip(false, levels),
            (slot, b'"') => return self.text(slot),
            (slot, b'-' | b'0'..=b'9') => return self.number(slot),
            (slot, _) => return Err(self.mismatch(&slot)),
        }
        Ok(())
    }

    fn boolean(&mut self, byte: u8) -> Result<bool, Failure> {
        let value = byte == b't';
        self.cursor
            .literal(if value { "true" } else { "false" })
            .map(|()| value)
    }

    fn raw(&mut self, levels: usize) -> Result<RawJson, Failure> {
        self.cursor.raw(levels).map(RawJson::from_validated)
    }

    fn foreign(&mut self, place: &mut dyn Foreign, levels: usize) -> Result<(), Failure> {
        let at = self.cursor.at();
        let json = self.cursor.raw(levels)?;
        place
            .read_json(&json)
            .map_err(|error| Failure::foreign(at, error.message()))
    }

    fn choice(&mut self, choice: &mut dyn Choice, byte: u8, levels: usize) -> Result<(), Failure> {
        let arm = match byte {
            b't' | b'f' => ChoiceArm::Bool,
            b'{' => ChoiceArm::Record,
            b'[' => ChoiceArm::List,
            _ => return Err(self.mismatch(&Slot::Choice(choice))),
        };
        if !choice.has_arm(arm) {
            return Err(self.mismatch(&Slot::Choice(choice)));
        }
        self.value(choice.select(arm), levels)
    }

    fn text(&mut self, slot: Slot<'_>) -> Result<(), Failure> {
        let at = self.cursor.at();
        if !takes_text(&slot) {
            return Err(self.mismatch(&slot));
        }
        let text = self.cursor.string()?;
        // The errors of these values quote them, so they are not passed on.
        let wrong = |expected| Failure::mismatch(at, expected, "other text");
        match slot {
            Slot::Text(place) => place.set(&text),
            Slot::Quantity(place) => *place = Quantity::from_wire(Str::from(&*text)),
            Slot::IntOrString(place) => *place = IntOrString::from(&*text),
            Slot::Bytes(place) => {
                *place = ByteString::from_base64(&text).map_err(|_| wrong("base64 text"))?
            }
            Slot::Time(place) => *place = Time::from_wire(&text).map_err(|_| wrong("an RFC 3339 time"))?,
            Slot::MicroTime(place) => {
                *place = MicroTime::from_wire(&text).map_err(|_| wrong("an RFC 3339 time"))?;
            }
            Slot::Duration(place) => {
                *place = text
                    .parse::<Duration>()
                    .map_err(|_| wrong("a duration such as 1h30m"))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn number(&mut self, slot: Slot<'_>) -> Result<(), Failure> {
        let at = self.cursor.at();
        let number = self.cursor.number()?;
        let whole = whole(number);
        match (slot, number) {
            (Slot::I32(place), _) => {
                let value = whole.and_then(|value| i32::try_from(value).ok());
                *place = value.ok_or_else(|| Failure::mismatch(at, "a 32-bit integer", "another number"))?;
            }
            (Slot::I64(place), _) => {
                *place = whole.ok_or_else(|| Failure::mismatch(at, "a 64-bit integer", "another number"))?;
            }
            (Slot::F64(place), _) => *place = float(number),
            (Slot::IntOrString(place), Number::Signed(value)) => *place = IntOrString::from(value),
            (Slot::Quantity(place), Number::Signed(value)) => *place = Quantity::from(value),
            (Slot::Quantity(place), _) => *place = Quantity::from_wire(Str::from(float(number).to_string())),
            (Slot::Duration(place), Number::Signed(value)) => *place = Duration::from_nanos(value),
            (slot, _) => return Err(Failure::mismatch(at, expected(&slot), "a number")),
        }
        Ok(())
    }

    /// The failure that what comes does not go into `slot`.
    #[cold]
    fn mismatch(&mut self, slot: &Slot<'_>) -> Failure {
        let found = match self.cursor.peek() {
            b'"' => "a string",
            b'{' => "an object",
            b'[' => "an array",
            b't' | b'f' => "a boolean",
            b'-' | b'0'..=b'9' => "a number",
            _ => return self.cursor.malformed("a value expected"),
        };
        Failure::mismatch(self.cursor.at(), expected(slot), found)
    }
}

/// The number if it is a whole one of 64 bits; some writers of JSON put a fraction or an exponent on those.
fn whole(number: Number) -> Option<i64> {
    /// Below it a float tells neighbours apart.
    const EXACT: f64 = 9e15;
    match number {
        Number::Signed(value) => Some(value),
        Number::Float(value) if value.fract() == 0.0 && value.abs() < EXACT => Some(value as i64),
        Number::Unsigned(_) | Number::Float(_) => None,
    }
}

fn float(number: Number) -> f64 {
    match number {
        Number::Signed(value) => value as f64,
        Number::Unsigned(value) => value as f64,
        Number::Float(value) => value,
    }
}

fn takes_text(slot: &Slot<'_>) -> bool {
    matches!(
        slot,
        Slot::Text(_)
            | Slot::Quantity(_)
            | Slot::IntOrString(_)
            | Slot::Bytes(_)
            | Slot::Time(_)
            | Slot::MicroTime(_)
            | Slot::Duration(_)
    )
}

/// Takes `null` for a field: it stays absent, unless `null` is a value of its own.
pub(super) fn null_field(record: &mut dyn Record, index: usize) {
    let fields = record.table().fields;
    if fields
        .get(index)
        .is_some_and(|field| field.presence() == NULLABLE)
        && let Slot::Nullable(place) = record.slot(index)
    {
        place.set_null();
    }
}

/// What a slot takes, for errors.
pub(super) fn expected(slot: &Slot<'_>) -> &'static str {
    match slot {
        Slot::Str(_) | Slot::Text(_) => "a string",
        Slot::Bool(_) => "a boolean",
        Slot::I32(_) => "a 32-bit integer",
        Slot::I64(_) => "a 64-bit integer",
        Slot::F64(_) => "a number",
        Slot::Bytes(_) => "base64 text",
        Slot::Time(_) | Slot::MicroTime(_) => "an RFC 3339 time",
        Slot::Duration(_) => "a duration such as 1h30m",
        Slot::Quantity(_) => "a quantity",
        Slot::IntOrString(_) => "an integer or a string",
        Slot::Record(_) | Slot::Map(_) => "an object",
        Slot::List(_) => "an array",
        Slot::Choice(_) => "a boolean, an object or an array",
        Slot::Raw(_) | Slot::Foreign(_) | Slot::Nullable(_) | Slot::Ignored => "any value",
    }
}
