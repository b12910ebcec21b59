//! Protobuf as Go's generated code writes it: fields in ascending order of tags, by-value fields always written, keys of
//! maps sorted. Re-encoding what a server sent yields the same bytes.
//!
//! Types that stand in the document by another shape than their own message have theirs here: quantities, times,
//! durations, integers or strings, raw JSON and unions.

/// Why a foreign value is neither read nor written.
pub(crate) const NO_TABLE: &str = "a type without protobuf";

mod output;
mod read;
mod write;

pub(crate) use output::Output;
pub use read::merge_message;
pub(crate) use read::{Reader, WireType};

pub use write::write_message;
pub(crate) use write::{finish, write_group};
