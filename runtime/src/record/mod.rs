//! The table behind every Kubernetes type, and the doors through which encodings read and write its fields.
//!
//! A generated type is a plain struct. Beside it stands one [`Table`] (per field: JSON name, protobuf tag, flags) and an
//! implementation of [`Record`], which hands out the i-th field as a [`Slot`] to write to or a [`View`] to read from.
//! Every encoding is written once, in [`crate::wire`], over `dyn Record`; nothing is monomorphised per type.
//!
//! # The path of a byte
//!
//! `"nodeName":"n1"` arrives in the JSON of a pod's spec. The JSON reader stands in the `PodSpec` record at the field it
//! guessed would come next; it compares the key with [`Field::json`] there, and scans the table only on a miss. With the
//! index it asks [`Record::slot`], gets [`Slot::Str`] with a reference into the struct, and writes the text there. On the
//! way out the writer walks the table from the first line to the last, asks [`Record::view`] of each, leaves the field
//! out if its flags say so, and writes the key and the value. Protobuf is the same walk with tags in place of names.
//!
//! This module knows no encoding, no resource and no network.

mod compare;
mod containers;
mod foreign;
mod macros;
mod nullable;
mod rules;
mod table;
mod text_enum;
mod text_rules;
mod validate;
mod value;

pub use compare::{debug, equal, is_zero};
pub use containers::{Choice, ChoiceArm, List, Mapping, OrArray, OrBool, OrStrings, Text};
pub use foreign::Foreign;
pub use nullable::{NullPlace, Nullable};
pub use rules::{Check, Demand, Rule};
pub use table::{Entry, Field, KEEP, NIL, NULL, NULLABLE, OMIT, OPT, ProtoIndex, SENSITIVE, Table, TypeMeta};
pub use validate::{Invalid, Validate, Violation};
pub use value::{Slot, Value, View};

use crate::value::{Map, RawJson};

/// A struct with a [`Table`]: what the encodings see of it.
///
/// Implemented by [`record!`](crate::record!), never by hand. Indices run from 0 to `table().fields.len() - 1`; asking
/// for another index yields [`Slot::Ignored`] or [`View::Absent`].
pub trait Record: Send + Sync + 'static {
    /// The description of the type; the same for every value of it.
    fn table(&self) -> &'static Table;

    /// The place to write field `index` to. An absent optional field comes into being by asking.
    fn slot(&mut self, index: usize) -> Slot<'_>;

    /// Field `index` as it is now.
    fn view(&self, index: usize) -> View<'_>;

    /// `apiVersion` and `kind` if this is a root kind; they come from the type, never from the wire.
    fn type_meta(&self) -> Option<TypeMeta> {
        self.table().type_meta
    }

    /// The free fields beside the known ones, where the schema allows them.
    fn rest(&self) -> Option<&Map<RawJson>> {
        None
    }

    /// The free fields, to write to. Fields that are neither in the table nor allowed here are skipped on decode.
    fn rest_mut(&mut self) -> Option<&mut Map<RawJson>> {
        None
    }
}
