//! The texts of a document: JSON, or a stream of YAML documents.
//!
//! The stream is parted by its `---` lines before anything is read, so that a complaint names the document it is about, and
//! one that cannot be read does not cost the others.

use std::borrow::Cow;

use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic, Excerpt, Location, Report};
use crate::sources::Document;

/// How many characters of a line are shown before and after an error of syntax.
const EXCERPT: usize = 60;

/// How deep YAML may nest: more than JSON may, which is 127 levels.
const MAX_DEPTH: usize = 160;

/// The stack for reading YAML of that depth.
const STACK: usize = 32 << 20;

/// Reads the texts of a document, each with its place.
pub(super) fn read(document: &Document, report: &mut Report) -> Vec<(Location, Value)> {
    let at = Location::document(&document.path);
    let bytes = document
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&document.bytes);
    if !is_yaml(&document.path, bytes) {
        return match serde_json::from_slice(bytes) {
            Ok(value) => vec![(at, value)],
            Err(error) => {
                report.push(json_error(&error, bytes, at));
                Vec::new()
            }
        };
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("this is no UTF-8, from byte {} on", error.valid_up_to());
            report.push(Diagnostic::new(Code::Syntax, at, message).help("YAML is read as UTF-8"));
            return Vec::new();
        }
    };
    // Readers descend by recursion, and who calls may have little stack left.
    std::thread::scope(|scope| {
        let reading = std::thread::Builder::new().stack_size(STACK);
        let reading = reading.spawn_scoped(scope, || stream(text, &at));
        let read = reading
            .map_err(|error| error.to_string())
            .and_then(|reading| reading.join().map_err(|_| "its reader stopped".to_owned()));
        match read {
            Ok((values, complaints)) => {
                report.extend(complaints);
                values
            }
            Err(why) => {
                let message = format!("cannot read it: {why}");
                report.push(Diagnostic::new(Code::Io, at.clone(), message));
                Vec::new()
            }
        }
    })
}

/// Whether a file of this name holds YAML.
pub(crate) fn is_yaml_name(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".yaml") || path.ends_with(".yml")
}

/// By the name, and where that says nothing (standard input), by the first sign.
fn is_yaml(path: &str, bytes: &[u8]) -> bool {
    is_yaml_name(path)
        || path == crate::sources::STDIN
            && !matches!(bytes.trim_ascii_start().first(), None | Some(b'{' | b'['))
}

fn stream(text: &str, at: &Location) -> (Vec<(Location, Value)>, Report) {
    let mut report = Report::default();
    let parts = parts(text);
    let several = parts.len() > 1;
    let mut values = Vec::new();
    for (index, (line, part)) in parts.into_iter().enumerate() {
        let at = match several {
            true => Location::document(&format!("{} (document {})", at.document, index + 1)),
            false => at.clone(),
        };
        match serde_saphyr::from_str_with_options::<Value>(part, options()) {
            // A document without content, such as what stands before the first `---`.
            Ok(Value::Null) => {}
            Ok(value) => values.push((at, value)),
            Err(error) => report.push(yaml_error(error.without_snippet(), part, line, at)),
        }
    }
    (values, report)
}

fn options() -> serde_saphyr::Options {
    let budget = serde_saphyr::budget! {
        max_depth: MAX_DEPTH,
        max_events: 20_000_000,
        max_nodes: 10_000_000,
        max_total_scalar_bytes: 512_000_000,
        max_total_comment_bytes: 512_000_000,
    };
    serde_saphyr::options! {
        budget: budget,
        strict_booleans: true,
        emit_comments: false,
        with_snippet: false,
    }
}

/// The documents of a stream that have content, each with the number of lines before it.
fn parts(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut first_line, mut at) = (0, 0, 0);
    for (line, text_of_line) in text.split_inclusive('\n').enumerate() {
        let bare = text_of_line.trim_end();
        let marker = bare == "---" || bare.starts_with("--- ") || bare.starts_with("---\t");
        if (marker || bare == "...") && at > start {
            parts.push((first_line, &text[start..at]));
        }
        if marker || bare == "..." {
            // What stands behind `---` on its line belongs to the document that it opens.
            let skipped = if bare == "..." { text_of_line.len() } else { 3 };
            (start, first_line) = (at + skipped, line);
        }
        at += text_of_line.len();
    }
    if text.len() > start {
        parts.push((first_line, &text[start..]));
    }
    parts.retain(|(_, part)| part.lines().any(has_content));
    parts
}

fn has_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#') && !line.starts_with('%')
}

fn yaml_error(error: &serde_saphyr::Error, part: &str, before: usize, location: Location) -> Diagnostic {
    let message = format!("this is no YAML: {error}");
    let mut diagnostic = Diagnostic::new(Code::Syntax, location, message)
        .help("is it a template? Only what the template yields can be read");
    if let Some(place) = error.location() {
        let (line, column) = (place.line() as usize, place.column() as usize);
        let text = part.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let split = text
            .char_indices()
            .nth(column.saturating_sub(1))
            .map_or(text.len(), |(at, _)| at);
        diagnostic.excerpt = Some(excerpt(before + line, &text[..split], &text[split..]));
    }
    diagnostic
}

/// A syntax error with the part of its line that is around it.
fn json_error(error: &serde_json::Error, bytes: &[u8], location: Location) -> Diagnostic {
    let line = bytes
        .split(|byte| *byte == b'\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let column = error.column().saturating_sub(1).min(line.len());
    let (before, after) = line.split_at(column);
    let (before, after): (Cow<'_, str>, Cow<'_, str>) =
        (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let (message, help) = match error.is_eof() {
        true => (
            "the JSON ends too early".to_owned(),
            "was the document cut off when it was fetched?",
        ),
        false => (
            format!("this is no JSON: {error}"),
            "sources are JSON as the API server sends it, and YAML in files with the suffix .yaml",
        ),
    };
    let mut diagnostic = Diagnostic::new(Code::Syntax, location, message).help(help);
    diagnostic.excerpt = Some(excerpt(error.line(), &before, &after));
    diagnostic
}

/// The signs around a place in a line.
fn excerpt(line: usize, before: &str, after: &str) -> Excerpt {
    let skip = before.chars().count().saturating_sub(EXCERPT);
    let head: String = before.chars().skip(skip).collect();
    let tail: String = after.chars().take(EXCERPT).collect();
    let clean = |text: &str| {
        text.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect::<String>()
    };
    Excerpt {
        line: line.max(1),
        column: head.chars().count(),
        text: clean(&head) + &clean(&tail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_parted_at_their_markers() {
        for (text, expected) in [
            ("a: 1\n", &[(0, "a: 1\n")][..]),
            ("---\na: 1\n---\nb: 2\n", &[(0, "\na: 1\n"), (2, "\nb: 2\n")]),
            ("# nothing\n---\n\n---\na: 1", &[(3, "\na: 1")]),
            (
                "--- {a: 1}\n--- # b\nb: 2\n",
                &[(0, " {a: 1}\n"), (1, " # b\nb: 2\n")],
            ),
            (
                "a: |\n  ---\n  b\n...\n---\nc: 1\n",
                &[(0, "a: |\n  ---\n  b\n"), (4, "\nc: 1\n")],
            ),
            ("", &[]),
            ("---\n---\n", &[]),
        ] {
            assert_eq!(parts(text), expected, "{text:?}");
        }
    }
}
