//! Conditions.

use crate::record;
use crate::record::{KEEP, OMIT};
use crate::value::{Str, Time};

/// One aspect of the observed state of an object.
#[derive(Clone, Default)]
pub struct Condition {
    /// The aspect, in CamelCase.
    pub type_: Str,
    /// `True`, `False` or `Unknown`.
    pub status: Str,
    /// The generation that was looked at.
    pub observed_generation: i64,
    /// When `status` last changed.
    pub last_transition_time: Time,
    /// For programs, in CamelCase.
    pub reason: Str,
    /// For people.
    pub message: Str,
}

record! { Condition {
    0 type_ "type" [1] KEEP;
    1 status "status" [2] KEEP;
    2 observed_generation "observedGeneration" [3] OMIT;
    3 last_transition_time "lastTransitionTime" [4] KEEP;
    4 reason "reason" [5] KEEP;
    5 message "message" [6] KEEP;
} }
