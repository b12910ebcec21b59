//! Resource versions in order, as KEP-5504 says: decimal numbers of any length, compared by length and then by digits.
//!
//! They are never parsed into an integer: nothing bounds their length.

use std::cmp::Ordering;
use std::fmt;

/// A resourceVersion that has no place in the order: empty, `0`, with a leading zero, or no decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidResourceVersion(String);

impl fmt::Display for InvalidResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resourceVersion {:?} cannot be compared", self.0)
    }
}

impl std::error::Error for InvalidResourceVersion {}

/// Which of two resource versions of one resource is the later one.
///
/// ```
/// use std::cmp::Ordering;
/// use kubeloom::cache::compare_resource_versions;
///
/// assert_eq!(compare_resource_versions("999", "1000"), Ok(Ordering::Less));
/// assert!(compare_resource_versions("0", "1000").is_err());
/// ```
///
/// # Errors
/// [`InvalidResourceVersion`] names the first of the two that cannot be compared.
pub fn compare_resource_versions(left: &str, right: &str) -> Result<Ordering, InvalidResourceVersion> {
    for version in [left, right] {
        if !is_comparable(version) {
            return Err(InvalidResourceVersion(version.to_owned()));
        }
    }
    Ok(left.len().cmp(&right.len()).then_with(|| left.cmp(right)))
}

/// Whether both can be compared and `version` is before `reference`.
pub(super) fn is_before(version: &str, reference: &str) -> bool {
    compare_resource_versions(version, reference) == Ok(Ordering::Less)
}

fn is_comparable(version: &str) -> bool {
    let digits = version.as_bytes();
    digits.first().is_some_and(|first| *first != b'0') && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order() {
        let rows = [
            ("1", "1", Some(Ordering::Equal)),
            ("9", "10", Some(Ordering::Less)),
            ("10", "9", Some(Ordering::Greater)),
            (
                "18446744073709551616",
                "18446744073709551615",
                Some(Ordering::Greater),
            ),
            (
                "340282366920938463463374607431768211457",
                "1",
                Some(Ordering::Greater),
            ),
            ("0", "1", None),
            ("1", "", None),
            ("01", "1", None),
            ("1", "-1", None),
            ("1", "+1", None),
            ("1", "1 ", None),
            ("1", "١", None),
            ("abc", "1", None),
        ];
        for (left, right, expected) in rows {
            assert_eq!(
                compare_resource_versions(left, right).ok(),
                expected,
                "{left} {right}"
            );
        }
    }
}
