//! Warnings that the server sends along with an answer, such as that an API is deprecated.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use super::Headers;

/// Takes the warnings of all answers, failures and starts of streams included. Called on the tasks that make the calls,
/// any number at once; must not block.
pub trait WarningHandler: Debug + Send + Sync {
    /// The server said `text`, under code 299.
    fn warning(&self, text: &str);
}

/// Logs each warning once, by `tracing` at level WARN. After 1,000 different ones it forgets those it has logged.
#[derive(Debug, Default)]
pub struct LogWarnings {
    seen: Mutex<BTreeSet<String>>,
}

/// How many different warnings are remembered.
const REMEMBERED: usize = 1000;

impl WarningHandler for LogWarnings {
    fn warning(&self, text: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.contains(text) {
            return;
        }
        if seen.len() >= REMEMBERED {
            seen.clear();
        }
        seen.insert(text.to_owned());
        drop(seen);
        tracing::warn!(warning = text, "the server warns");
    }
}

/// Drops warnings.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreWarnings;

impl WarningHandler for IgnoreWarnings {
    fn warning(&self, _: &str) {}
}

/// Hands the warnings of a header to `handler`.
pub(super) fn report(headers: &Headers, handler: &dyn WarningHandler) {
    for value in headers.get_all("warning") {
        for text in parse(value) {
            handler.warning(&text);
        }
    }
}

/// The texts under code 299 in a `Warning` header: `299 agent "text" "date", ...` (RFC 7234, 5.5). What comes after
/// something malformed is left out.
pub(crate) fn parse(value: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = value;
    while let Some((code, text, tail)) = one(rest) {
        if code == "299" && !text.is_empty() {
            texts.push(text);
        }
        match tail.trim_start().strip_prefix(',') {
            Some(next) => rest = next,
            None => break,
        }
    }
    texts
}

/// The first warning: its code, its text and what follows.
fn one(value: &str) -> Option<(&str, String, &str)> {
    let (code, rest) = value.trim_start().split_once(' ')?;
    let (_agent, rest) = rest.trim_start().split_once(' ')?;
    let (text, rest) = quoted(rest.trim_start())?;
    // A date may follow.
    let rest = quoted(rest.trim_start()).map_or(rest, |(_, rest)| rest);
    Some((code, text, rest))
}

/// A quoted string without its quotes, control characters replaced by blanks, and what follows.
fn quoted(value: &str) -> Option<(String, &str)> {
    let inner = value.strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, &inner[at + 1..])),
            '\\' => text.push(visible(chars.next()?.1)),
            c => text.push(visible(c)),
        }
    }
    None
}

/// Terminals obey control characters, escaped ones too.
fn visible(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_warnings_of_code_299_are_told() {
        let check = |value: &str, expected: &[&str]| assert_eq!(parse(value), expected, "{value:?}");
        check(r#"299 - "v1beta1 is deprecated""#, &["v1beta1 is deprecated"]);
        check(
            r#"299 - "a, \"b\"" "Wed, 21 Oct 2015 07:28:00 GMT", 299 kube "c""#,
            &["a, \"b\"", "c"],
        );
        check(r#"199 - "misc", 299 - "told""#, &["told"]);
        check(r#"299 - "no end"#, &[]);
        check(r#"299 - "first", 299 - broken"#, &["first"]);
        check(r#"299 - "ends in a backslash\"#, &[]);
        check("299 - \"line\nbreak\u{1b}[31m\"", &["line break [31m"]);
        check("299 - \"an escaped\\\u{1b}[31m\"", &["an escaped [31m"]);
        check("299", &[]);
        check("", &[]);
        check(r#"299 - """#, &[]);
    }

    #[test]
    fn memory_for_warnings_is_bounded() {
        let log = LogWarnings::default();
        for index in 0..3 * REMEMBERED {
            log.warning(&index.to_string());
        }
        assert!(log.seen.lock().unwrap().len() <= REMEMBERED);
    }
}
