//! Lists, maps, open texts and unions as the encodings see them.

use super::{Slot, Value, View};
use crate::value::{Map, Str};

/// A list of values of one type.
pub trait List: Send + Sync {
    /// The number of items.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Item `index`; [`View::Absent`] past the end.
    fn at(&self, index: usize) -> View<'_>;
    /// Appends an empty item and hands out its place.
    fn push(&mut self) -> Slot<'_>;
    /// Drops the items from `len` on.
    fn truncate(&mut self, len: usize);
    /// Makes room for exactly `more` items.
    fn reserve(&mut self, more: usize);
    /// Gives back unused room.
    fn shrink(&mut self);
}

impl<T: Value + Default> List for Vec<T> {
    fn len(&self) -> usize {
        Vec::len(self)
    }
    fn at(&self, index: usize) -> View<'_> {
        self.get(index).map_or(View::Absent, Value::view)
    }
    fn push(&mut self) -> Slot<'_> {
        Vec::push(self, T::default());
        match self.last_mut() {
            Some(item) => item.slot(),
            None => Slot::Ignored,
        }
    }
    fn truncate(&mut self, len: usize) {
        Vec::truncate(self, len);
    }
    fn reserve(&mut self, more: usize) {
        self.reserve_exact(more);
    }
    fn shrink(&mut self) {
        if self.capacity() > Vec::len(self) {
            self.shrink_to_fit();
        }
    }
}

/// A map from text to values of one type, in ascending order of keys.
pub trait Mapping: Send + Sync {
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Entry `index` in the order of keys.
    fn at(&self, index: usize) -> Option<(&str, View<'_>)>;
    /// The value of key `key`, whether it was there or not.
    fn get(&self, key: &str) -> Option<View<'_>>;
    /// The place of the value of `key`; a value that was there is replaced by an empty one.
    fn entry(&mut self, key: Str) -> Slot<'_>;
    /// Makes room for `more` entries.
    fn reserve(&mut self, more: usize);
    /// Gives back unused room.
    fn shrink(&mut self);
}

/// An open set of texts: an enum with an arm for values it does not know.
pub trait Text: Send + Sync {
    /// Takes any text; an unknown one is kept.
    fn set(&mut self, text: &str);
}

/// The arm of a [`Choice`] that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceArm {
    /// A boolean.
    Bool,
    /// One object.
    Record,
    /// A list.
    List,
}

/// A union told apart by the shape of its JSON: boolean, object or list.
pub trait Choice: Send + Sync {
    /// The arm in use, its protobuf tag and its value.
    fn arm(&self) -> (ChoiceArm, View<'_>);
    /// Switches to `arm` and hands out its place; [`Slot::Ignored`] if the union has no such arm.
    fn select(&mut self, arm: ChoiceArm) -> Slot<'_>;
    /// Whether the union has such an arm. In protobuf the arms are fields 1 and 2: boolean before object, object before list.
    fn has_arm(&self, arm: ChoiceArm) -> bool;
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident, $other:ident: $inner:ty, $arm:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name<T> {
            /// One schema.
            Schema(Box<T>),
            #[doc = concat!("The other shape: `", stringify!($inner), "`.")]
            $other($inner),
        }

        impl<T: Default> Default for $name<T> {
            fn default() -> Self {
                Self::$other(Default::default())
            }
        }

        impl<T: Value + Default> Choice for $name<T> {
            fn arm(&self) -> (ChoiceArm, View<'_>) {
                match self {
                    Self::Schema(schema) => (ChoiceArm::Record, schema.view()),
                    Self::$other(other) => (ChoiceArm::$arm, other.view()),
                }
            }
            fn select(&mut self, arm: ChoiceArm) -> Slot<'_> {
                match arm {
                    ChoiceArm::Record => {
                        if !matches!(self, Self::Schema(_)) {
                            *self = Self::Schema(Default::default());
                        }
                    }
                    ChoiceArm::$arm => {
                        if !matches!(self, Self::$other(_)) {
                            *self = Self::default();
                        }
                    }
                    _ => return Slot::Ignored,
                }
                match self {
                    Self::Schema(schema) => schema.slot(),
                    Self::$other(other) => other.slot(),
                }
            }
            fn has_arm(&self, arm: ChoiceArm) -> bool {
                matches!(arm, ChoiceArm::Record | ChoiceArm::$arm)
            }
        }

        impl<T: Value + Default> Value for $name<T> {
            fn slot(&mut self) -> Slot<'_> {
                Slot::Choice(self)
            }
            fn view(&self) -> View<'_> {
                View::Choice(self)
            }
        }
    };
}

choice! {
    /// `JSONSchemaPropsOrBool`: a schema, or whether anything at all is allowed.
    OrBool, Allows: bool, Bool
}
choice! {
    /// `JSONSchemaPropsOrArray`: a schema, or one for each position.
    OrArray, Schemas: Vec<T>, List
}
choice! {
    /// `JSONSchemaPropsOrStringArray`: a schema, or the names of properties.
    OrStrings, Names: Vec<Str>, List
}

impl<T: Value + Default> Mapping for Map<T> {
    fn len(&self) -> usize {
        Map::len(self)
    }
    fn at(&self, index: usize) -> Option<(&str, View<'_>)> {
        self.get_index(index)
            .map(|(key, value)| (key.as_str(), value.view()))
    }
    fn get(&self, key: &str) -> Option<View<'_>> {
        Map::get(self, key).map(Value::view)
    }
    fn entry(&mut self, key: Str) -> Slot<'_> {
        let place = Map::entry(self, key).or_default();
        *place = T::default();
        place.slot()
    }
    fn reserve(&mut self, more: usize) {
        Map::reserve(self, more);
    }
    fn shrink(&mut self) {
        self.shrink_to_fit();
    }
}
