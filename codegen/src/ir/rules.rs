//! What schemas ask of values beyond their types.

pub use serde_json::Number;

use super::{RustName, WireName};

/// What a schema asks of values beyond their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The field that it is about; empty for the object itself.
    pub field: WireName,
    /// How many lists and maps to go into.
    pub steps: u8,
    /// What is asked.
    pub check: Check,
}

/// What a [`Rule`] asks; named as the runtime's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in the runtime's `record::Check`")]
pub enum Check {
    Minimum(Number),
    Above(Number),
    Maximum(Number),
    Below(Number),
    MultipleOf(Number),
    MinLength(u64),
    MaxLength(u64),
    Pattern(String),
    Format(String),
    MinItems(u64),
    MaxItems(u64),
    MinProperties(u64),
    MaxProperties(u64),
    Texts(Vec<String>),
    /// Those of an enum.
    TextsOf(RustName),
    Numbers(Vec<Number>),
    ListSet,
    ListMap(Vec<String>),
    Atomic,
    Default(String),
    Fields(Demand),
    Cel(String, String),
}

/// Which fields of an object are set; named as the runtime's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in the runtime's `record::Demand`")]
pub enum Demand {
    Set(Vec<String>),
    Not(Box<Demand>),
    One(Vec<Demand>),
    Any(Vec<Demand>),
    All(Vec<Demand>),
}
