//! [`Occurrence`]: something that happened, before it is known how it is told.

use std::fmt;

use super::reference::ObjectReference;
use crate::value::{Map, Str};

/// The longest note that servers take, in bytes.
pub const MAX_NOTE: usize = 1024;

/// The longest reason and the longest action that servers take, in bytes.
pub const MAX_WORD: usize = 128;

/// Where a note was cut.
const CUT: &str = "...";

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// As it should be.
    Normal,
    /// Somebody should know.
    Warning,
}

impl Type {
    /// As servers write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that happened to an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// The object.
    pub regarding: ObjectReference,
    /// Another object that has to do with it.
    pub related: Option<ObjectReference>,
    /// How bad it is.
    pub type_: Type,
    /// Why, in CamelCase; at most [`MAX_WORD`] bytes.
    pub reason: Str,
    /// What was done, in CamelCase; at most [`MAX_WORD`] bytes.
    pub action: Str,
    /// For people; at most [`MAX_NOTE`] bytes.
    pub note: Str,
    /// For programs. Not looked at when repetitions are found.
    pub annotations: Map<Str>,
}

impl Occurrence {
    /// Within the limits of servers: what is too long is cut at a character, and an action that is missing is the reason.
    pub(super) fn fitted(mut self) -> Self {
        cut(&mut self.reason, MAX_WORD, "");
        if self.action.is_empty() {
            self.action = self.reason.clone();
        }
        cut(&mut self.action, MAX_WORD, "");
        cut(&mut self.note, MAX_NOTE, CUT);
        self
    }

    /// Events live in the namespace of their object; those about the cluster in `default`.
    pub(super) fn namespace(&self) -> Str {
        match self.regarding.namespace.as_str() {
            "" => "default".into(),
            namespace => namespace.into(),
        }
    }
}

/// Cuts `text` to `limit` bytes, at a character, `mark` included.
pub(super) fn cut(text: &mut Str, limit: usize, mark: &str) {
    if text.len() > limit {
        let mut end = limit.saturating_sub(mark.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(mark);
    }
}

/// The longest name that an object may have.
const MAX_NAME: usize = 253;

/// A name of an event about `object`: the time makes it unique. An object whose name cannot begin that of an event
/// (colons in RBAC names, upper case in custom names, no name at all) does not make the event invalid.
pub(super) fn event_name(object: &str, nanos: u64) -> Str {
    let name = format!("{object}.{nanos:x}");
    if is_subdomain(&name) {
        name.into()
    } else {
        format!("event.{nanos:x}.{:016x}", fastrand::u64(..)).into()
    }
}

/// RFC 1123: labels of lower case letters, digits and hyphens, which begin and end with no hyphen, joined by dots.
pub(super) fn is_subdomain(name: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.iter().all(|byte| fine(*byte) || *byte == b'-')
            && bytes.first().is_some_and(|byte| fine(*byte))
            && bytes.last().is_some_and(|byte| fine(*byte))
    };
    name.len() <= MAX_NAME && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_whatever_the_object_is_called() {
        assert_eq!(event_name("web-0", 0x18_5d), "web-0.185d");
        let long = "a".repeat(252);
        for odd in ["", "system:node", "Upper", "-a", "a-", "a..b", "ä", "a/b", &long] {
            let name = event_name(odd, 7);
            assert!(
                name.starts_with("event.7.") && is_subdomain(&name),
                "{odd}: {name}"
            );
            assert_ne!(name, event_name(odd, 7), "{odd}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_at_a_character() {
        let occurrence = |reason: &str, action: &str, note: String| {
            Occurrence {
                regarding: ObjectReference::default(),
                related: None,
                type_: Type::Normal,
                reason: reason.into(),
                action: action.into(),
                note: note.into(),
                annotations: Map::default(),
            }
            .fitted()
        };
        let fits = occurrence("Why", "", "x".repeat(MAX_NOTE));
        assert_eq!(
            (&*fits.reason, &*fits.action, fits.note.len()),
            ("Why", "Why", MAX_NOTE)
        );
        let cut = occurrence(&"ü".repeat(65), &"a".repeat(129), "ü".repeat(600));
        assert_eq!(cut.reason, "ü".repeat(64));
        assert_eq!(cut.action.len(), MAX_WORD);
        assert!(cut.note.len() <= MAX_NOTE && cut.note.ends_with("ü..."));
        assert_eq!(
            occurrence(&"€".repeat(50), "", String::new()).reason,
            "€".repeat(42)
        );
    }
}
