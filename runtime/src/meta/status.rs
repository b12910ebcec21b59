//! What servers answer when there is no object to answer with.

use super::ListMeta;
use crate::record;
use crate::record::{KEEP, OMIT, OPT};
use crate::value::Str;

/// The outcome of a call.
#[derive(Clone, Default)]
pub struct Status {
    /// Metadata of the answer.
    pub metadata: ListMeta,
    /// `Success` or `Failure`.
    pub status: Str,
    /// For people.
    pub message: Str,
    /// For programs, such as `NotFound`; see [`crate::error::reason`].
    pub reason: Str,
    /// What the reason is about.
    pub details: Option<Box<StatusDetails>>,
    /// The HTTP status code.
    pub code: i32,
}

record! { Status = "v1" "Status" {
    0 metadata "metadata" [1] KEEP;
    1 status "status" [2] OMIT;
    2 message "message" [3] OMIT;
    3 reason "reason" [4] OMIT;
    4 details "details" [5] OPT;
    5 code "code" [6] OMIT;
} }

/// What a failed call was about.
#[derive(Clone, Default)]
pub struct StatusDetails {
    /// Name of the object.
    pub name: Str,
    /// API group of the resource.
    pub group: Str,
    /// The resource; plural, in spite of the name.
    pub kind: Str,
    /// UID of the object.
    pub uid: Str,
    /// One for each thing that was wrong.
    pub causes: Vec<StatusCause>,
    /// Seconds to wait before another attempt; 0 if the server does not say.
    pub retry_after_seconds: i32,
}

record! { StatusDetails {
    0 name "name" [1] OMIT;
    1 group "group" [2] OMIT;
    2 kind "kind" [3] OMIT;
    3 uid "uid" [6] OMIT;
    4 causes "causes" [4] OMIT;
    5 retry_after_seconds "retryAfterSeconds" [5] OMIT;
} }

/// One thing that was wrong.
#[derive(Clone, Default)]
pub struct StatusCause {
    /// Such as `FieldValueRequired`.
    pub reason: Str,
    /// For people.
    pub message: Str,
    /// The path of the field, such as `spec.containers[0].image`.
    pub field: Str,
}

record! { StatusCause {
    0 reason "reason" [1] OMIT;
    1 message "message" [2] OMIT;
    2 field "field" [3] OMIT;
} }
