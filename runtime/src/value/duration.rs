//! [`Duration`]: a span of time written as Go writes it.

use std::error::Error;
use std::fmt::{self, Write};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Str;
use super::de::text_or_null;

/// The units of the text form and their nanoseconds; both micro signs, as Go reads them.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", MICRO),
    ("\u{b5}s", MICRO),
    ("\u{3bc}s", MICRO),
    ("ms", MILLI),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
/// The magnitude of the least duration, one more than that of the greatest.
const LIMIT: u64 = 1 << 63;

/// A signed span of time of whole nanoseconds, up to 292 years: Go's `time.Duration`, a string such as `1h2m3.5s` in
/// JSON. The default is zero, `0s`.
///
/// ```
/// use kubeloom::value::Duration;
///
/// let lease: Duration = "1h2m3.5s".parse()?;
/// assert_eq!(lease, Duration::from_nanos(3_723_500_000_000));
/// assert_eq!(Duration::try_from(std::time::Duration::from_secs(90))?.to_string(), "1m30s");
/// assert_eq!(std::time::Duration::try_from(lease)?.as_secs(), 3723);
/// # Ok::<(), kubeloom::value::DurationError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration(i64);

/// A text that is no duration, or a span that the other type cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError {
    reason: &'static str,
    text: Str,
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid duration {:?}: {}", self.text, self.reason)
    }
}

impl Error for DurationError {}

impl Duration {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// A span of nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// A span of seconds; cut at 292 years.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND as i64))
    }

    /// The span in nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Whether it is no time.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Reads the text form, as Go's `time.ParseDuration`: a sign, then numbers with a unit (`ns us ms s m h`) each.
    ///
    /// # Errors
    /// When the text is none, or the span is more than 292 years.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        Self::read(text).map_err(|reason| DurationError {
            reason,
            text: text.into(),
        })
    }

    fn read(text: &str) -> Result<Self, &'static str> {
        const RANGE: &str = "more than 292 years";
        let negative = text.starts_with('-');
        let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
        if rest == "0" {
            return Ok(Self::ZERO);
        }
        if rest.is_empty() {
            return Err("no number");
        }
        let mut total = 0_u64;
        while !rest.is_empty() {
            let (integer, after) = split_digits(rest);
            let (fraction, after) = after.strip_prefix('.').map_or(("", after), split_digits);
            if integer.is_empty() && fraction.is_empty() {
                return Err("no number");
            }
            let end = after
                .find(|c: char| c == '.' || c.is_ascii_digit())
                .unwrap_or(after.len());
            let (unit, after) = after.split_at(end);
            let (_, unit) = UNITS
                .iter()
                .find(|(name, _)| *name == unit)
                .ok_or(if unit.is_empty() {
                    "missing unit"
                } else {
                    "unknown unit"
                })?;
            let whole = if integer.is_empty() {
                Ok(0)
            } else {
                integer.parse::<u64>()
            };
            let whole = whole
                .ok()
                .and_then(|n| n.checked_mul(*unit))
                .filter(|n| *n <= LIMIT)
                .ok_or(RANGE)?;
            total = whole
                .checked_add(part_of(*unit, fraction))
                .and_then(|span| total.checked_add(span))
                .filter(|total| *total <= LIMIT)
                .ok_or(RANGE)?;
            rest = after;
        }
        match i64::try_from(total) {
            Ok(nanos) => Ok(Self(if negative { -nanos } else { nanos })),
            Err(_) if negative => Ok(Self(i64::MIN)),
            Err(_) => Err(RANGE),
        }
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// `unit × 0.fraction`, cut to whole nanoseconds. In floating point over as many digits as 63 bits hold, since that is
/// what Go computes and the last nanosecond depends on it.
fn part_of(unit: u64, fraction: &str) -> u64 {
    let (mut digits, mut scale) = (0_u64, 1_f64);
    for digit in fraction.bytes().map(|b| u64::from(b - b'0')) {
        let next = digits
            .checked_mul(10)
            .and_then(|n| n.checked_add(digit))
            .filter(|n| *n <= LIMIT);
        let Some(next) = next else { break };
        (digits, scale) = (next, scale * 10.0);
    }
    (digits as f64 * (unit as f64 / scale)) as u64
}

/// The text form: `1h2m3.5s`, below a second `1.5ms`, zero `0s`; exactly Go's `Duration.String()`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Str::default();
        if self.0 < 0 {
            out.push('-');
        }
        let nanos = self.0.unsigned_abs();
        let (unit, name) = match nanos {
            0 => return f.pad("0s"),
            1..MICRO => (1, "ns"),
            MICRO..MILLI => (MICRO, "\u{b5}s"),
            MILLI..SECOND => (MILLI, "ms"),
            _ => (SECOND, "s"),
        };
        let seconds = nanos / SECOND;
        if seconds >= 3600 {
            write!(out, "{}h", seconds / 3600)?;
        }
        if seconds >= 60 {
            write!(out, "{}m", seconds / 60 % 60)?;
        }
        let whole = if unit == SECOND {
            seconds % 60
        } else {
            nanos / unit
        };
        write!(out, "{whole}")?;
        if !nanos.is_multiple_of(unit) {
            let width = unit.ilog10() as usize;
            let fraction = format!("{:0width$}", nanos % unit);
            write!(out, ".{}", fraction.trim_end_matches('0'))?;
        }
        out.push_str(name);
        f.pad(&out)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Duration({self})")
    }
}

impl FromStr for Duration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        Self::parse(text)
    }
}

impl TryFrom<std::time::Duration> for Duration {
    type Error = DurationError;

    fn try_from(span: std::time::Duration) -> Result<Self, DurationError> {
        i64::try_from(span.as_nanos())
            .map(Self)
            .map_err(|_| DurationError {
                reason: "more than 292 years",
                text: compact_str::format_compact!("{}s", span.as_secs()),
            })
    }
}

impl TryFrom<Duration> for std::time::Duration {
    type Error = DurationError;

    fn try_from(span: Duration) -> Result<Self, DurationError> {
        u64::try_from(span.0)
            .map(Self::from_nanos)
            .map_err(|_| DurationError {
                reason: "negative",
                text: compact_str::format_compact!("{span}"),
            })
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The text form; `null` is zero.
impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_null(deserializer, "a duration such as \"1h2m3.5s\"", Self::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input, nanoseconds and text as Go's `time` package gives them; no nanoseconds where it refuses.
    const GO: &str = include_str!("testdata/duration.tsv");

    #[test]
    fn parses_and_prints_as_go_does() {
        let mut rows = 0;
        for row in GO.lines() {
            let mut cells = row.split('\t');
            let input: String = serde_json::from_str(cells.next().unwrap()).unwrap();
            let expected = cells
                .next()
                .zip(cells.next())
                .map(|(n, t)| (n.parse().unwrap(), t.to_owned()));
            let got = Duration::parse(&input)
                .ok()
                .map(|d| (d.as_nanos(), d.to_string()));
            assert_eq!(got, expected, "{input:?}");
            rows += 1;
        }
        assert!(rows > 100, "{rows}");
    }

    #[test]
    fn text_of_every_magnitude_reads_back() {
        for shift in 0..63 {
            for nanos in [
                1 << shift,
                (1 << shift) - 1,
                -(1 << shift),
                i64::MIN + (1 << shift),
            ] {
                let span = Duration::from_nanos(nanos);
                assert_eq!(span.to_string().parse(), Ok(span), "{nanos}");
            }
        }
    }

    #[test]
    fn serde_and_conversions() {
        let span: Duration = serde_json::from_str(r#""90m""#).unwrap();
        assert_eq!(serde_json::to_string(&span).unwrap(), r#""1h30m0s""#);
        assert_eq!(serde_json::from_str::<Duration>("null").unwrap(), Duration::ZERO);
        let error = serde_json::from_str::<Duration>(r#""1d""#)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("invalid duration \"1d\": unknown unit"),
            "{error}"
        );
        assert!(serde_json::from_str::<Duration>("5").is_err());
        assert!(std::time::Duration::try_from(Duration::from_secs(-1)).is_err());
        assert!(Duration::try_from(std::time::Duration::MAX).is_err());
        assert_eq!(Duration::from_secs(i64::MIN).as_nanos(), i64::MIN);
    }
}
