//! Open sets of texts.

use std::collections::BTreeMap;

use super::shapes::Found;
use crate::ir::{Enum, RustName, Variant, WireName};
use crate::lower::docs;
use crate::lower::names::{Scope, variant};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_stay_apart() {
        for (texts, expected) in [
            (
                &["replace", "Replace", "REPLACE"][..],
                &["Replace3", "Replace", "Replace2"][..],
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
}
