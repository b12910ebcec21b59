//! Values that must not be seen: [`Secret`], and URLs that may carry a password: [`UrlString`].

use std::fmt;

use zeroize::Zeroize;

/// A value that is never printed and is wiped from memory when dropped.
///
/// There is no `Display`, no serialisation, and `Debug` shows a placeholder; [`Secret::expose`] is the only way in, so
/// that every use can be found by its name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T: Zeroize>(T);

/// A secret text: a token, a password.
pub type SecretString = Secret<String>;

/// Secret bytes: a private key.
pub type SecretBytes = Secret<Vec<u8>>;

impl<T: Zeroize> Secret<T> {
    /// Wraps a value.
    pub fn new(value: impl Into<T>) -> Self {
        Self(value.into())
    }

    /// The value. Neither log it nor put it into an error.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl From<&str> for SecretString {
    fn from(value: &str) -> Self {
        Self(value.to_owned())
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// A URL as it was written. `Debug` and `Display` leave out its userinfo (`user:password@`).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UrlString(String);

impl UrlString {
    /// Wraps a URL; nothing is checked.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The URL with its userinfo. Neither log it nor put it into an error.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is the empty text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for UrlString {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<String> for UrlString {
    fn from(url: String) -> Self {
        Self::new(url)
    }
}

impl fmt::Display for UrlString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing in front of the last `@` before the path is shown, whether or not the rest parses.
        let (scheme, rest) = match self.0.split_once("://") {
            Some((scheme, rest)) if !scheme.contains('@') => (Some(scheme), rest),
            _ => (None, self.0.as_str()),
        };
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        // An unescaped `/` inside a password puts the `@` behind it; then hide up to that one.
        let shown = match rest[..authority_end].rfind('@').or_else(|| rest.rfind('@')) {
            Some(at) => &rest[at + 1..],
            None => rest,
        };
        match scheme {
            Some(scheme) => write!(f, "{scheme}://{shown}"),
            None => f.write_str(shown),
        }
    }
}

impl fmt::Debug for UrlString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_printed() {
        assert_eq!(format!("{:?}", SecretString::from("hunter2")), "[redacted]");
        assert_eq!(
            format!("{:?}", SecretBytes::new(b"hunter2".to_vec())),
            "[redacted]"
        );
        assert_eq!(SecretString::from("hunter2").expose(), "hunter2");
    }

    #[test]
    fn urls_are_shown_without_userinfo() {
        let check = |url: &str, expected: &str| assert_eq!(UrlString::from(url).to_string(), expected);
        check("https://host:6443/a", "https://host:6443/a");
        check("https://user:pass@host/a", "https://host/a");
        check("socks5://user:p@ss@host:1080", "socks5://host:1080");
        check("https://user:pa/ss@host/", "https://host/");
        check("user:pass@host", "host");
        check("", "");
    }
}
