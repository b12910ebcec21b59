//! Conditions (KEP-1623).

use std::fmt;

use crate::record;
use crate::record::{KEEP, OMIT};
use crate::value::{Str, Time};

/// What is known of an aspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It cannot be said.
    Unknown,
}

impl ConditionStatus {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl fmt::Display for ConditionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

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

impl Condition {
    /// A condition without a time and a generation; servers want a reason that is not empty.
    pub fn new(
        type_: impl Into<Str>,
        status: impl Into<ConditionStatus>,
        reason: impl Into<Str>,
        message: impl Into<Str>,
    ) -> Self {
        Self {
            type_: type_.into(),
            status: status.into().as_str().into(),
            reason: reason.into(),
            message: message.into(),
            ..Self::default()
        }
    }

    /// The generation that was looked at.
    #[must_use]
    pub fn observed(mut self, generation: i64) -> Self {
        self.observed_generation = generation;
        self
    }

    /// Whether the status is `True`.
    pub fn is_true(&self) -> bool {
        self.status == ConditionStatus::True.as_str()
    }
}

/// What is done with the conditions of a status: a list with one condition of each type.
///
/// ```
/// use kubeloom::meta::{Condition, Conditions};
/// use kubeloom::value::Time;
///
/// let now = Time::from_unix(1_800_000_000, 0)?;
/// let later = Time::from_unix(1_800_000_060, 0)?;
/// let mut conditions: Vec<Condition> = Vec::new();
/// assert!(conditions.set(Condition::new("Ready", false, "Starting", "").observed(1), now));
/// // Another message, the same status: the time of the transition stays.
/// assert!(conditions.set(Condition::new("Ready", false, "Starting", "2 of 3").observed(1), later));
/// assert_eq!(conditions.find("Ready").unwrap().last_transition_time, now);
/// // Nothing new: nothing has to be written.
/// assert!(!conditions.set(Condition::new("Ready", false, "Starting", "2 of 3").observed(1), later));
/// assert!(conditions.set(Condition::new("Ready", true, "Started", ""), later));
/// assert!(conditions.holds("Ready"));
/// assert_eq!(conditions.find("Ready").unwrap().last_transition_time, later);
/// # Ok::<(), kubeloom::value::TimeError>(())
/// ```
pub trait Conditions {
    /// The condition of a type.
    fn find(&self, type_: &str) -> Option<&Condition>;

    /// Whether there is a condition of this type and its status is `True`.
    fn holds(&self, type_: &str) -> bool {
        self.find(type_).is_some_and(Condition::is_true)
    }

    /// Puts a condition in the place of the one of its type, or at the end. The time of its last transition is `now` if the
    /// status is another one than before, else that of before; a time that the new condition has itself is kept when the
    /// status changes. Returns whether anything changed.
    fn set(&mut self, condition: Condition, now: Time) -> bool;

    /// As [`Conditions::set`], for several.
    fn merge(&mut self, conditions: impl IntoIterator<Item = Condition>, now: Time) -> bool
    where
        Self: Sized,
    {
        let mut changed = false;
        for condition in conditions {
            changed |= self.set(condition, now);
        }
        changed
    }

    /// Takes out the condition of a type; whether there was one.
    fn remove_condition(&mut self, type_: &str) -> bool;
}

impl Conditions for Vec<Condition> {
    fn find(&self, type_: &str) -> Option<&Condition> {
        self.iter().find(|condition| condition.type_ == type_)
    }

    fn set(&mut self, mut condition: Condition, now: Time) -> bool {
        if condition.last_transition_time.is_zero() {
            condition.last_transition_time = now;
        }
        let Some(known) = self.iter_mut().find(|known| known.type_ == condition.type_) else {
            self.push(condition);
            return true;
        };
        if known.status == condition.status && !known.last_transition_time.is_zero() {
            condition.last_transition_time = known.last_transition_time;
        }
        let changed = *known != condition;
        *known = condition;
        changed
    }

    fn remove_condition(&mut self, type_: &str) -> bool {
        let before = self.len();
        self.retain(|condition| condition.type_ != type_);
        self.len() != before
    }
}
