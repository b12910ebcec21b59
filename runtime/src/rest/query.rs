//! Query strings.

use std::fmt::Write;

/// A query string under construction; values are escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(String);

/// Everything but RFC 3986's unreserved characters is escaped.
const VALUE: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl Query {
    /// Adds `key=value`.
    pub fn push(&mut self, key: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        let separator = if self.0.is_empty() { '?' } else { '&' };
        // Writing to a String cannot fail.
        let _ = write!(
            self.0,
            "{separator}{}={}",
            percent_encoding::utf8_percent_encode(key, VALUE),
            percent_encoding::utf8_percent_encode(&value, VALUE)
        );
    }

    /// Adds `key=value` unless the value is empty.
    pub fn push_text(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.push(key, value);
        }
    }

    /// Adds `key=value` if there is a value.
    pub fn push_some(&mut self, key: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    /// Adds `key=true` if `value` holds.
    pub fn push_flag(&mut self, key: &str, value: bool) {
        if value {
            self.push(key, "true");
        }
    }

    /// The string with its leading question mark; empty if nothing was added.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn values_are_escaped_and_empty_ones_left_out() {
        let mut query = Query::default();
        query.push_text("labelSelector", "app in (a, b),x!=y&z");
        query.push_text("fieldSelector", "");
        query.push_some("limit", Some(500));
        query.push_some("timeoutSeconds", None::<u32>);
        query.push_flag("watch", true);
        assert_eq!(
            query.as_str(),
            "?labelSelector=app%20in%20%28a%2C%20b%29%2Cx%21%3Dy%26z&limit=500&watch=true"
        );
    }
}
