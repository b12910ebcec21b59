//! The name of an object of which nothing else need be readable.

use super::{DecodeError, Format, merge_message};
use crate::record;
use crate::value::Str;

/// Namespace and name, as far as they can be read; empty otherwise.
#[derive(Clone, Default)]
pub(crate) struct Named {
    metadata: Names,
}

#[derive(Clone, Default)]
struct Names {
    name: Str,
    namespace: Str,
}

record! { Named { 0 metadata "metadata" [1] record::OMIT; } }
record! { Names { 0 name "name" [1] record::OMIT; 1 namespace "namespace" [3] record::OMIT; } }

impl Named {
    /// Of an object with all that belongs to its format.
    pub(crate) fn of(format: Format, object: &[u8]) -> Self {
        Self::read(|named| super::decode(named, format, object))
    }

    /// Of a protobuf message without its envelope.
    pub(crate) fn of_message(message: &[u8]) -> Self {
        Self::read(|named| merge_message(named, message))
    }

    /// What was read before something could not be counts.
    fn read(read: impl FnOnce(&mut Self) -> Result<(), DecodeError>) -> Self {
        let mut named = Self::default();
        let _ = read(&mut named);
        named
    }

    pub(crate) fn namespace_and_name(self) -> (Str, Str) {
        (self.metadata.namespace, self.metadata.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_else_is_wrong() {
        let rows = [
            (
                r#"{"metadata":{"labels":7,"name":"a","namespace":"b"},"spec":[]}"#,
                ("b", "a"),
            ),
            (r#"{"metadata":{"name":"a","annotations":[{}]}}"#, ("", "a")),
            (r#"{"spec":1,"metadata":{"name":"a","namespace":3}}"#, ("", "a")),
            (r#"{"metadata":[]}"#, ("", "")),
            (r#"{"metadata":null}"#, ("", "")),
            ("7", ("", "")),
            ("", ("", "")),
        ];
        for (json, (namespace, name)) in rows {
            let found = Named::of(Format::Json, json.as_bytes()).namespace_and_name();
            assert_eq!(found, (namespace.into(), name.into()), "{json}");
        }
    }
}
