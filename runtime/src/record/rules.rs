//! What the schema of a custom resource asks of values, beyond their types.

/// One rule of a [`Table`](super::Table).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The JSON name of the field that it is about; empty for the object itself.
    pub field: &'static str,
    /// How many lists and maps to go into: 0 is about the field's value, 1 about each item of the list or value of the map.
    pub steps: u8,
    /// What is asked.
    pub check: Check,
}

impl Rule {
    /// A rule.
    pub const fn new(field: &'static str, steps: u8, check: Check) -> Self {
        Self { field, steps, check }
    }
}

/// What a [`Rule`] asks. The words are those of JSON Schema and of the extensions of
/// [structural schemas](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Check {
    /// A number of at least this.
    Minimum(f64),
    /// A number above this.
    Above(f64),
    /// A number of at most this.
    Maximum(f64),
    /// A number below this.
    Below(f64),
    /// A multiple of this number.
    MultipleOf(f64),
    /// At least so many characters.
    MinLength(u64),
    /// At most so many characters.
    MaxLength(u64),
    /// A part of the text matches this regular expression of RE2's syntax. Checked with the feature `patterns`.
    Pattern(&'static str),
    /// A text of this format. Checked for those that the API server checks and that need no library.
    Format(&'static str),
    /// At least so many items.
    MinItems(u64),
    /// At most so many items.
    MaxItems(u64),
    /// At least so many entries.
    MinProperties(u64),
    /// At most so many entries.
    MaxProperties(u64),
    /// One of these texts.
    Texts(&'static [&'static str]),
    /// One of these numbers.
    Numbers(&'static [f64]),
    /// A list without equal items, which server-side apply merges by item.
    ListSet,
    /// A list whose items differ in these fields, by which server-side apply merges them.
    ListMap(&'static [&'static str]),
    /// A list, map or object that server-side apply replaces as a whole. A fact, not a demand.
    Atomic,
    /// The value that the server fills in where there is none, as JSON. A fact, not a demand.
    Default(&'static str),
    /// Which fields are set.
    Fields(Demand),
    /// A rule in the Common Expression Language, and what the server says when it is broken. It is not checked here.
    Cel(&'static str, &'static str),
}

/// Which fields of an object are set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Demand {
    /// All of these.
    Set(&'static [&'static str]),
    /// This does not hold.
    Not(&'static Demand),
    /// Exactly one holds.
    One(&'static [Demand]),
    /// At least one holds.
    Any(&'static [Demand]),
    /// All hold.
    All(&'static [Demand]),
}
