//! What can be the name and the value of a label.

/// The longest name, without its prefix, and the longest value.
const LONGEST: usize = 63;
/// The longest prefix: that of a DNS name.
const LONGEST_PREFIX: usize = 253;

/// What is wrong with a label's name: `name` or `prefix/name`.
pub(super) fn fault_of_key(key: &str) -> Option<String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix
        && !is_dns_name(prefix)
    {
        return Some(format!(
            "{prefix:?} is no prefix of a label: a DNS name of at most {LONGEST_PREFIX} characters"
        ));
    }
    (name.is_empty() || !is_word(name)).then(|| {
        format!(
            "{name:?} is no name of a label: 1 to {LONGEST} letters, digits, `-`, `_` and `.`, \
             with a letter or digit at both ends"
        )
    })
}

/// What is wrong with a label's value. It may be empty.
pub(super) fn fault_of_value(value: &str) -> Option<String> {
    (!value.is_empty() && !is_word(value)).then(|| {
        format!(
            "{value:?} is no value of a label: at most {LONGEST} letters, digits, `-`, `_` and `.`, \
             with a letter or digit at both ends"
        )
    })
}

fn has_sound_ends(text: &str) -> bool {
    let is_sound = |c: char| c.is_ascii_alphanumeric();
    text.starts_with(is_sound) && text.ends_with(is_sound)
}

fn is_word(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= LONGEST && has_sound_ends(text) && text.chars().all(is_sign)
}

fn is_dns_name(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= LONGEST_PREFIX
        && text
            .split('.')
            .all(|label| has_sound_ends(label) && label.chars().all(is_sign))
}
