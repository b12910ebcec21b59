//! [`Headers`]: the header fields of a request or a response.

use std::fmt;
use std::str::from_utf8;

use ::http::{HeaderMap, HeaderName, HeaderValue, header};

/// Header fields in the order they were added, several per name allowed. Names count without regard to ASCII case and are
/// kept in lower case.
///
/// Values are text; a byte outside ASCII in a response arrives as its Latin-1 character, as RFC 9110 section 5.5 leaves
/// it. Whether a name or value may be sent is checked when the request is sent, not here. `Debug` hides the values of
/// fields that carry credentials. A clone shares the values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Eq)]
enum Field {
    /// One that may be sent. The value is UTF-8.
    Fit(HeaderName, HeaderValue),
    /// One that may not.
    Unfit(String, String),
}

impl Field {
    fn new(name: &str, value: &str) -> Self {
        let fit = |name: &str| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some(Self::Fit(name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
        };
        fit(name).unwrap_or_else(|| Self::Unfit(name.to_owned(), value.to_owned()))
    }

    fn name(&self) -> &str {
        match self {
            Self::Fit(name, _) => name.as_str(),
            Self::Unfit(name, _) => name,
        }
    }

    fn value(&self) -> &str {
        match self {
            Self::Fit(_, value) => from_utf8(value.as_bytes()).unwrap_or_default(),
            Self::Unfit(_, value) => value,
        }
    }

    fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }
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
        self.get_all(name).next()
    }

    /// Every value of `name`, in order.
    pub fn get_all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(move |field| field.is(name))
            .map(Field::value)
    }

    /// Whether a field of that name is there, be its value empty or not.
    pub fn contains(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.is(name))
    }

    /// Adds a field and keeps those of the same name.
    pub fn append(&mut self, name: impl AsRef<str>, value: impl AsRef<str>) {
        self.fields.push(Field::new(name.as_ref(), value.as_ref()));
    }

    /// Replaces all fields of that name by one, which goes to the end.
    pub fn set(&mut self, name: impl AsRef<str>, value: impl AsRef<str>) {
        self.remove(name.as_ref());
        self.append(name, value);
    }

    /// Adds a field whose name and value are known to be fit; the value is ASCII.
    pub(crate) fn push(&mut self, name: HeaderName, value: HeaderValue) {
        self.fields.push(Field::Fit(name, value));
    }

    /// Adds all fields of another.
    pub(super) fn extend(&mut self, other: &Self) {
        self.fields.extend_from_slice(&other.fields);
    }

    /// Removes all fields of that name.
    pub fn remove(&mut self, name: &str) {
        self.fields.retain(|field| !field.is(name));
    }

    /// All fields in order, as (name, value).
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|field| (field.name(), field.value()))
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The fields for the HTTP library.
    ///
    /// # Errors
    /// What is wrong with the first one that may not be sent; not its value, which may be a secret.
    pub(super) fn to_map(&self) -> Result<HeaderMap, String> {
        // Room for those that the innermost layers add.
        let mut map = HeaderMap::with_capacity(self.fields.len() + 2);
        for field in &self.fields {
            match field {
                Field::Fit(name, value) => {
                    let mut value = value.clone();
                    // Not to be kept in compression tables: it is a secret, or never the same twice.
                    value.set_sensitive(*name == header::AUTHORIZATION || name == "audit-id");
                    map.append(name.clone(), value);
                }
                Field::Unfit(name, _) => {
                    let part = match HeaderName::from_bytes(name.as_bytes()) {
                        Ok(_) => "value",
                        Err(_) => "name",
                    };
                    return Err(format!("the {part} of the header {name:?} cannot be sent"));
                }
            }
        }
        Ok(map)
    }
}

impl From<HeaderMap> for Headers {
    fn from(map: HeaderMap) -> Self {
        let mut fields = Vec::with_capacity(map.len());
        let mut last = None;
        for (name, value) in map {
            // Of several fields of a name, only the first comes with it.
            last = name.or(last);
            let Some(name) = last.clone() else { continue };
            let value = match value.as_bytes().is_ascii() {
                true => Some(value),
                false => {
                    let text: String = value.as_bytes().iter().map(|byte| char::from(*byte)).collect();
                    HeaderValue::try_from(text).ok()
                }
            };
            fields.extend(value.map(|value| Field::Fit(name, value)));
        }
        Self { fields }
    }
}

impl<N: AsRef<str>, V: AsRef<str>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        let fields = fields.into_iter();
        Self {
            fields: fields
                .map(|(name, value)| Field::new(name.as_ref(), value.as_ref()))
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
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("x", "1"), ("accept", "c")]);
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
        assert!(text.contains("seen") && text.contains("authorization"), "{text}");
    }

    #[test]
    fn what_came_goes_out_and_what_cannot_is_named_without_its_value() {
        let mut map = HeaderMap::new();
        map.append("warning", HeaderValue::from_static("one"));
        map.append("warning", HeaderValue::from_static("two"));
        map.append("server", HeaderValue::from_bytes(b"caf\xe9").unwrap());
        let headers = Headers::from(map);
        let fields: Vec<_> = headers.iter().collect();
        assert_eq!(
            fields,
            [("warning", "one"), ("warning", "two"), ("server", "caf\u{e9}")]
        );
        assert_eq!(headers.to_map().unwrap().len(), 3);

        for (name, value, part) in [("a b", "hunter2", "name"), ("a", "hunter2\n", "value")] {
            let headers: Headers = [(name, value)].into_iter().collect();
            assert_eq!(headers.get(name), Some(value));
            let error = headers.to_map().unwrap_err();
            assert!(
                error.contains(part) && error.contains(name) && !error.contains("hunter2"),
                "{error}"
            );
        }
    }
}
