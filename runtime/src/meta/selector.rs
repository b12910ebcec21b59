//! Selectors as they stand in objects.

use crate::record;
use crate::record::{KEEP, OMIT};
use crate::value::{Map, Str};

/// A query over labels: all of it must match. An empty one matches everything, an absent one nothing.
#[derive(Clone, Default)]
pub struct LabelSelector {
    /// Labels with their values.
    pub match_labels: Map<Str>,
    /// Requirements.
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

record! { LabelSelector {
    0 match_labels "matchLabels" [1] OMIT;
    1 match_expressions "matchExpressions" [2] OMIT;
} }

/// A requirement on one label.
#[derive(Clone, Default)]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: Str,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: Str,
    /// The values of `In` and `NotIn`.
    pub values: Vec<Str>,
}

record! { LabelSelectorRequirement {
    0 key "key" [1] KEEP;
    1 operator "operator" [2] KEEP;
    2 values "values" [3] OMIT;
} }

/// A requirement on one field.
#[derive(Clone, Default)]
pub struct FieldSelectorRequirement {
    /// The path of the field.
    pub key: Str,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: Str,
    /// The values of `In` and `NotIn`.
    pub values: Vec<Str>,
}

record! { FieldSelectorRequirement {
    0 key "key" [1] KEEP;
    1 operator "operator" [2] KEEP;
    2 values "values" [3] OMIT;
} }
