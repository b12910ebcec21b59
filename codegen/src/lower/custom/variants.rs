//! Open sets of texts.

use std::collections::BTreeMap;

use super::shapes::Found;
use crate::ir::{Enum, RustName, Variant, WireName};
use crate::lower::docs;
use crate::lower::names::{Scope, valid};

/// The enum of a place.
pub(super) fn of(name: &RustName, found: &Found<'_>, texts: &[String]) -> Enum {
    let names = names(texts);
    let variants = texts.iter().map(|text| Variant {
        wire: WireName::new(text.as_str()),
        name: names[text.as_str()].clone(),
    });
    Enum {
        name: name.clone(),
        docs: docs::of_inline_text(&found.path.join("."), found.schema),
        variants: variants.collect(),
    }
}

/// The names of texts. They do not depend on the order of the texts, and those that need no change keep theirs.
fn names(texts: &[String]) -> BTreeMap<&str, RustName> {
    let mut sorted: Vec<&str> = texts.iter().map(String::as_str).collect();
    sorted.sort_by_key(|text| (variant(text).as_str() != *text, *text));
    let mut scope = Scope::default();
    sorted
        .into_iter()
        .map(|text| (text, scope.take(variant(text))))
        .collect()
}

/// A text as a variant of an enum: `gzip+base64` is `GzipBase64`, `1.0` is `_1_0`, the empty text `Empty`. Texts without a
/// letter or digit are named for their signs.
fn variant(text: &str) -> RustName {
    let mut name = String::new();
    let mut upper = true;
    for c in text.chars() {
        match c.is_ascii_alphanumeric() {
            // Digits that signs part would run together.
            true if upper && c.is_ascii_digit() && name.ends_with(|last: char| last.is_ascii_digit()) => {
                name.extend(['_', c]);
            }
            true if upper => name.extend(c.to_uppercase()),
            true => name.push(c),
            false => {}
        }
        upper = !c.is_ascii_alphanumeric();
    }
    if name.is_empty() {
        name = text.chars().map(sign).collect();
    }
    valid(name, "Empty", &["Other"])
}

/// The word for a sign.
fn sign(c: char) -> String {
    let word = match c {
        ' ' => "Space",
        '!' => "Not",
        '#' => "Hash",
        '$' => "Dollar",
        '%' => "Percent",
        '&' => "And",
        '*' => "Star",
        '+' => "Plus",
        ',' => "Comma",
        '-' => "Minus",
        '.' => "Dot",
        '/' => "Slash",
        ':' => "Colon",
        ';' => "Semicolon",
        '<' => "Less",
        '=' => "Equals",
        '>' => "Greater",
        '?' => "Question",
        '@' => "At",
        '^' => "Caret",
        '_' => "Underscore",
        '|' => "Or",
        '~' => "Tilde",
        other => return format!("U{:X}", u32::from(other)),
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_stay_apart() {
        for (texts, expected) in [
            (
                &["replace", "Replace", "REPLACE"][..],
                &["Replace2", "Replace", "REPLACE"][..],
            ),
            (&["Other", "other"], &["Other_", "Other2"]),
            (
                &["", "0", "1", "False", "false"],
                &["Empty", "_0", "_1", "False", "False2"],
            ),
            (
                &["=", "!=", "=~", "!~"],
                &["Equals", "NotEquals", "EqualsTilde", "NotTilde"],
            ),
        ] {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            let names = names(&texts);
            let found: Vec<_> = texts.iter().map(|text| names[text.as_str()].as_str()).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn variants() {
        for (text, name) in [
            ("Always", "Always"),
            ("gzip+base64", "GzipBase64"),
            ("read, write", "ReadWrite"),
            ("OpenMetricsText0.0.1", "OpenMetricsText0_0_1"),
            ("V1.0", "V1_0"),
            ("1+0", "_1_0"),
            ("10", "_10"),
            ("4Ki", "_4Ki"),
            ("5xx", "_5xx"),
            ("Self", "Self_"),
            ("self", "Self_"),
            ("None", "None"),
            ("other", "Other_"),
            ("true", "True"),
            ("", "Empty"),
            ("*", "Star"),
            ("<=", "LessEquals"),
            ("ß", "UDF"),
            ("TLS_1.2", "TLS1_2"),
        ] {
            assert_eq!(variant(text).as_str(), name, "{text:?}");
        }
    }
}
