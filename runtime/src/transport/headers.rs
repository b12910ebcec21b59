//! [`Headers`]: the header fields of a request or a response.

use std::fmt;

/// Header fields in the order they were added, several per name allowed, names compared without regard to ASCII case.
///
/// Values are text; a byte outside ASCII in a response arrives as its Latin-1 character, as RFC 9110 section 5.5 leaves
/// it. Whether a name or value may be sent is checked when the request is sent, not here. `Debug` hides the values of
/// fields that carry credentials.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    fields: Vec<(String, String)>,
}

/// Names whose values are credentials, in lower case. A websocket handshake carries a bearer token in its sub-protocol.
const CREDENTIALS: [&str; 5] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "sec-websocket-protocol",
    "set-cookie",
];

impl Headers {
    /// No fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first value of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Every value of `name`, in order.
    pub fn get_all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether a field of that name is there, be its value empty or not.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds a field and keeps those of the same name.
    pub fn append(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.fields.push((name.into(), value.into()));
    }

    /// Replaces all fields of that name by one, which goes to the end.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let name = name.into();
        self.remove(&name);
        self.append(name, value);
    }

    /// Removes all fields of that name.
    pub fn remove(&mut self, name: &str) {
        self.fields.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
    }

    /// All fields in order, as (name, value).
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        Self {
            fields: fields
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.iter().map(|(name, value)| {
            let hidden = CREDENTIALS.iter().any(|secret| name.eq_ignore_ascii_case(secret));
            (name, if hidden { "[redacted]" } else { value })
        });
        f.debug_map().entries(shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_values_keep_their_order() {
        let mut headers: Headers = [("Accept", "a"), ("X", "1"), ("accept", "b")]
            .into_iter()
            .collect();
        assert_eq!(headers.get("ACCEPT"), Some("a"));
        assert_eq!(headers.get_all("aCCept").collect::<Vec<_>>(), ["a", "b"]);
        headers.set("ACCEPT", "c");
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("X", "1"), ("ACCEPT", "c")]);
        headers.remove("x");
        assert!(!headers.contains("X"));
        assert_eq!(headers.len(), 1);
    }

    #[test]
    fn debug_hides_credentials() {
        let headers: Headers = CREDENTIALS
            .iter()
            .map(|name| (name.to_uppercase(), "hunter2"))
            .chain([("A".into(), "seen")])
            .collect();
        let text = format!("{headers:?}");
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("seen") && text.contains("AUTHORIZATION"), "{text}");
    }
}
