//! Arbitrary objects of any generated type, made through the table behind it.
//!
//! A seed stands for one object of a kind, for ever: seed 0 is [`Shape::Minimal`], 1 [`Shape::Zero`], 2 [`Shape::Full`],
//! every other one [`Shape::Random`].
//!
//! # What is not generated, and why
//!
//! Objects are such that every encoding can hold them; what one of them cannot tell apart is left out.
//!
//! | not generated | because |
//! |---|---|
//! | an optional time that is the zero, optional free JSON that is `null` | JSON writes `null` for both, which is absence |
//! | an optional list, map or byte string that is there and empty | protobuf has no such thing (built-in types have no such fields) |
//! | numbers that are infinite or not a number | JSON has no such thing |
//! | free JSON with white space, or with numbers in another than the shortest form | readers other than JSON's keep the value, not the text |
//!
//! With [`Bound::Go`] moreover:
//!
//! | not generated | because |
//! |---|---|
//! | an empty list or map as a value of a map or an item of a list | Go reads it from JSON as empty and from protobuf as nil, and writes `[]` and `null` |
//! | `JSONSchemaPropsOrArray`, `JSONSchemaPropsOrStringArray` with an empty list | Go writes them as `null` |
//! | quantities that a server writes differently (`1024Mi`) | Go keeps the number, we keep the text; [`Quantity::server_text`] is tested elsewhere |
//! | integers of more than 32 bits in an int-or-string | Go has 32 bits and refuses others |
//!
//! [`Quantity::server_text`]: kubeloom::value::Quantity::server_text

mod kinds;
mod rng;
#[cfg(test)]
mod tests;
mod values;

use kubeloom::record::{Choice, ChoiceArm, List, Mapping, Record, Slot, Table, View};
use kubeloom::value::{ByteString, Duration, IntOrString, MicroTime, Quantity, RawJson, Str, Time};

pub use self::kinds::{FromCbor, Kind, Kinds, to_cbor};
pub use self::rng::Rng;

/// Whose types must be able to hold the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Ours.
    Kubeloom,
    /// Ours and Go's.
    Go,
}

/// How much of an object is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing.
    Minimal,
    /// Every field, with the zero of its type: `Some(0)`, one empty item in each list.
    Zero,
    /// Every field, with a value that is not zero, two items in each list.
    Full,
    /// Some fields, with adversarial and random values.
    Random,
}

impl Shape {
    /// The shape that a seed stands for.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        match seed {
            0 => Self::Minimal,
            1 => Self::Zero,
            2 => Self::Full,
            _ => Self::Random,
        }
    }
}

/// Fills an empty record with what `seed` stands for.
pub fn fill(record: &mut dyn Record, seed: u64, bound: Bound) {
    let shape = Shape::of_seed(seed);
    Generator {
        rng: Rng::new(seed),
        shape,
        bound,
        budget: BUDGET,
        path: Vec::new(),
    }
    .record(record);
}

/// How many fields a random object sets. Pods and schemas would fill megabytes else.
const BUDGET: usize = 1500;
/// How often a type may stand within itself.
const RECURSION: usize = 2;

struct Generator {
    rng: Rng,
    shape: Shape,
    bound: Bound,
    budget: usize,
    /// The types around the current field.
    path: Vec<&'static Table>,
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A field that is always there.
    Plain,
    /// A field that may be absent.
    Optional,
    /// An item of a list or a value of a map.
    Inner,
}

impl Generator {
    fn record(&mut self, record: &mut dyn Record) {
        let table = record.table();
        let depth = self
            .path
            .iter()
            .filter(|outer| std::ptr::eq(**outer, table))
            .count();
        if depth >= RECURSION || self.shape == Shape::Minimal {
            return;
        }
        self.path.push(table);
        for index in 0..table.fields.len() {
            let (position, is_message) = match record.view(index) {
                View::Absent => (Position::Optional, false),
                View::Record(_) => (Position::Plain, true),
                _ => (Position::Plain, false),
            };
            if is_message || self.is_set() {
                self.value(record.slot(index), position);
            }
        }
        if let Some(rest) = record.rest_mut() {
            self.map(rest);
        }
        self.path.pop();
    }

    /// Whether to set the next field. The deeper it is, the less likely.
    fn is_set(&mut self) -> bool {
        if self.shape != Shape::Random {
            return true;
        }
        let odds = match self.path.len() {
            0..=4 => 2,
            5..=6 => 3,
            7..=9 => 5,
            _ => 9,
        };
        let is_set = self.budget > 0 && self.rng.one_in(odds);
        self.budget -= usize::from(is_set);
        is_set
    }

    fn value(&mut self, slot: Slot<'_>, position: Position) {
        match slot {
            Slot::Record(record) => self.record(record),
            Slot::List(list) => self.list(list, position),
            Slot::Map(_) if position == Position::Inner && self.may_be_empty() => {}
            Slot::Map(map) => self.map(map),
            Slot::Choice(choice) => self.choice(choice),
            Slot::Nullable(place) if position != Position::Inner || !self.may_be_empty() => {
                self.value(place.fill(), position);
            }
            Slot::Bytes(place) if position == Position::Optional => *place = ByteString::from("\0\u{ff}"),
            Slot::Time(place) if position == Position::Optional => {
                *place = non_zero(|| values::time(&mut self.rng), |time| time.is_zero())
            }
            Slot::MicroTime(place) if position == Position::Optional => {
                *place = non_zero(|| values::micro_time(&mut self.rng), |time| time.is_zero());
            }
            Slot::Raw(place) if position == Position::Optional => {
                *place = non_zero(|| values::raw(&mut self.rng), |raw: &RawJson| raw.is_null());
            }
            scalar if self.shape == Shape::Full => full(scalar),
            scalar if self.shape == Shape::Random => self.random(scalar),
            _ => {}
        }
    }

    fn random(&mut self, slot: Slot<'_>) {
        let Self { rng, bound, .. } = self;
        match slot {
            Slot::Str(place) => *place = values::text(rng),
            Slot::Text(place) => place.set(&values::text(rng)),
            Slot::Bool(place) => *place = rng.one_in(2),
            Slot::I32(place) => *place = values::small_integer(rng),
            Slot::I64(place) => *place = values::integer(rng),
            Slot::F64(place) => *place = values::float(rng),
            Slot::Bytes(place) => *place = values::bytes(rng),
            Slot::Time(place) => *place = values::time(rng),
            Slot::MicroTime(place) => *place = values::micro_time(rng),
            Slot::Duration(place) => *place = values::duration(rng),
            Slot::Quantity(place) => *place = values::quantity(rng, *bound),
            Slot::IntOrString(place) => *place = values::int_or_string(rng, *bound),
            Slot::Raw(place) => *place = values::raw(rng),
            Slot::Record(_)
            | Slot::List(_)
            | Slot::Map(_)
            | Slot::Choice(_)
            | Slot::Foreign(_)
            | Slot::Nullable(_)
            | Slot::Ignored => {}
        }
    }

    /// How many items a list or a map that is set has.
    fn length(&mut self) -> usize {
        match self.shape {
            Shape::Minimal => 0,
            Shape::Zero => 1,
            Shape::Full => 2,
            Shape::Random => 1 + self.rng.below(3),
        }
    }

    fn may_be_empty(&mut self) -> bool {
        self.bound == Bound::Kubeloom && self.shape == Shape::Random && self.rng.one_in(4)
    }

    fn list(&mut self, list: &mut dyn List, position: Position) {
        if position == Position::Inner && self.may_be_empty() {
            return;
        }
        for _ in 0..self.length() {
            self.value(list.push(), Position::Inner);
        }
    }

    fn map(&mut self, map: &mut dyn Mapping) {
        for index in 0..self.length() {
            let key = match self.shape {
                Shape::Minimal | Shape::Zero => Str::default(),
                Shape::Full => Str::from(["kubeloom.example/key", "Key"][index % 2]),
                Shape::Random => values::key(&mut self.rng),
            };
            self.value(map.entry(key), Position::Inner);
        }
    }

    /// Either arm, whichever the shape.
    fn choice(&mut self, choice: &mut dyn Choice) {
        let arms = [ChoiceArm::Bool, ChoiceArm::Record, ChoiceArm::List];
        let arms: Vec<_> = arms.into_iter().filter(|arm| choice.has_arm(*arm)).collect();
        match self.rng.pick_copy(&arms) {
            // Bound to Go, an empty list would be an inner one.
            ChoiceArm::List => self.value(choice.select(ChoiceArm::List), Position::Inner),
            arm => self.value(choice.select(arm), Position::Plain),
        }
    }
}

/// Draws until the value is not the zero; the draws are random enough for that to end.
fn non_zero<T>(mut draw: impl FnMut() -> T, is_zero: impl Fn(&T) -> bool) -> T {
    loop {
        let value = draw();
        if !is_zero(&value) {
            return value;
        }
    }
}

/// Sets a scalar to an ordinary value that is not zero.
fn full(slot: Slot<'_>) {
    match slot {
        Slot::Str(place) => *place = "text".into(),
        Slot::Text(place) => place.set("Text"),
        Slot::Bool(place) => *place = true,
        Slot::I32(place) => *place = -32,
        Slot::I64(place) => *place = 1 << 40,
        Slot::F64(place) => *place = 2.5,
        Slot::Bytes(place) => *place = ByteString::from(vec![0, 0xff, 0x80]),
        Slot::Time(place) => *place = Time::from_unix(1_767_225_600, 0).unwrap_or_default(),
        Slot::MicroTime(place) => {
            *place = MicroTime::from_unix(1_767_225_600, 123_456_000).unwrap_or_default()
        }
        Slot::Duration(place) => *place = Duration::from_secs(90),
        Slot::Quantity(place) => *place = Quantity::from(5),
        Slot::IntOrString(place) => *place = IntOrString::from("25%"),
        Slot::Raw(place) => {
            *place = RawJson::from_validated(r#"{"kind":"Raw","list":[1,2.5,null,"\u0000"]}"#)
        }
        Slot::Record(_)
        | Slot::List(_)
        | Slot::Map(_)
        | Slot::Choice(_)
        | Slot::Foreign(_)
        | Slot::Nullable(_)
        | Slot::Ignored => {}
    }
}
