//! Rules about texts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Check;
use crate::value::{ByteString, Duration, Time};

/// What is wrong with a text, if anything is. One that is hidden is not quoted.
pub(super) fn text(text: &str, check: &Check, hidden: bool) -> Option<String> {
    let quoted = if hidden {
        "the text".to_owned()
    } else {
        format!("{text:?}")
    };
    match *check {
        Check::MinLength(least) if length(text) < least => Some(format!("{quoted} is shorter than {least}")),
        Check::MaxLength(most) if length(text) > most => Some(format!("{quoted} is longer than {most}")),
        Check::Texts(allowed) if !allowed.contains(&text) => {
            let allowed: Vec<_> = allowed.iter().map(|text| format!("{text:?}")).collect();
            Some(format!("{quoted} is none of {}", allowed.join(", ")))
        }
        Check::Format(name) if !is_format(text, name) => Some(format!("{quoted} is no {name}")),
        Check::Pattern(pattern) if !matches(text, pattern) => {
            Some(format!("{quoted} does not match {pattern}"))
        }
        _ => None,
    }
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The formats that the API server checks; others are no demand.
fn is_format(text: &str, name: &str) -> bool {
    match name {
        "byte" => ByteString::from_base64(text).is_ok(),
        "cidr" => is_cidr(text),
        "date-time" => Time::from_wire(text).is_ok(),
        "duration" => text.parse::<Duration>().is_ok(),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uuid" => is_uuid(text),
        _ => true,
    }
}

fn is_cidr(text: &str) -> bool {
    text.split_once('/').is_some_and(|(address, bits)| {
        let most = match address.parse::<IpAddr>() {
            Ok(IpAddr::V4(_)) => 32,
            Ok(IpAddr::V6(_)) => 128,
            Err(_) => return false,
        };
        bits.bytes().all(|byte| byte.is_ascii_digit()) && bits.parse::<u8>().is_ok_and(|bits| bits <= most)
    })
}

/// With or without dashes, as the server takes it.
fn is_uuid(text: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let dashes = text.len() - digits.len();
    digits.len() == 32 && dashes <= 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a part of a text matches. An expression that cannot be read matches all: it is the server's to judge.
#[cfg(feature = "patterns")]
fn matches(text: &str, pattern: &'static str) -> bool {
    use std::collections::BTreeMap;
    use std::sync::{Mutex, PoisonError};

    use regex_lite::Regex;

    /// Expressions stand in tables of types, so there are only so many.
    static KNOWN: Mutex<BTreeMap<&'static str, Option<Regex>>> = Mutex::new(BTreeMap::new());
    let regex = {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(pattern)
            .or_insert_with(|| Regex::new(pattern).ok())
            .clone()
    };
    regex.is_none_or(|regex| regex.is_match(text))
}

#[cfg(not(feature = "patterns"))]
fn matches(_: &str, _: &'static str) -> bool {
    true
}
