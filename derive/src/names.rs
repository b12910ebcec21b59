//! The rules of names, as servers check them (RFC 1035 labels, RFC 1123 subdomains).

/// A lower-case label: letters, digits and dashes, beginning with a letter, at most 63 of them.
pub(crate) fn label(text: &str) -> Result<(), String> {
    let inside = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    let good = text.len() <= 63
        && text.starts_with(|one: char| one.is_ascii_lowercase())
        && text.chars().all(inside)
        && !text.ends_with('-');
    if good {
        return Ok(());
    }
    Err(format!(
        "{text:?} is no name: lower-case letters, digits and dashes, a letter first and no dash last, at most 63 of them"
    ))
}

/// A version: a label.
pub(crate) fn version(text: &str) -> Result<(), String> {
    if text.contains('/') {
        return Err("the version stands alone, without the group: `version = \"v1\"`".to_owned());
    }
    label(text)
}

/// A group: labels with dots, at least two.
pub(crate) fn group(text: &str) -> Result<(), String> {
    if text.contains('/') {
        return Err("the group stands alone, without the version: `group = \"demo.example.com\"`".to_owned());
    }
    let inside = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    let edge = |one: char| inside(one) && one != '-';
    let good = |label: &str| label.starts_with(edge) && label.ends_with(edge) && label.chars().all(inside);
    if text.len() > 253 || !text.split('.').all(good) {
        return Err(format!(
            "{text:?} is no group: a domain name in lower case, such as \"demo.example.com\""
        ));
    }
    if !text.contains('.') {
        return Err(format!(
            "{text:?} is no group: groups of custom resources have a dot, such as \"demo.example.com\""
        ));
    }
    Ok(())
}

/// A kind: `CamelCase`, and a label when in lower case.
pub(crate) fn kind(text: &str) -> Result<(), String> {
    if text.starts_with(|one: char| one.is_ascii_uppercase()) && label(&text.to_ascii_lowercase()).is_ok() {
        return Ok(());
    }
    Err(format!(
        "{text:?} is no kind: `CamelCase`, letters and digits, at most 63 of them"
    ))
}

/// The plural of a kind in lower case, by the rules of English that need no dictionary.
pub(crate) fn plural(singular: &str) -> String {
    let ends = |all: &[&str]| all.iter().any(|end| singular.ends_with(end));
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends(&["s", "x", "z", "ch", "sh"]) => format!("{singular}es"),
        _ => format!("{singular}s"),
    }
}
