//! RFC 3339 text and the seconds and nanoseconds it stands for, in the years 0 to 9999.

use std::error::Error;
use std::fmt::{self, Write};
use std::ops::RangeInclusive;

use jiff::SignedDuration;
use jiff::civil::DateTime;

use super::Str;

/// 0001-01-01T00:00:00Z, the zero of Go's `time.Time`, in seconds since 1970.
pub(super) const ZERO_SECONDS: i64 = -62_135_596_800;
/// What the four digits of an RFC 3339 year can say: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
pub(super) const SECONDS: RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// A text that is no RFC 3339 time, or an instant out of the years 0 to 9999.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeError {
    reason: &'static str,
    text: Str,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid time {:?}: {}", self.text, self.reason)
    }
}

impl Error for TimeError {}

/// Seconds and nanoseconds since 1970, the latter from 0 to 999,999,999 and counting forward.
#[derive(Clone, Copy)]
pub(super) struct Instant {
    pub(super) seconds: i64,
    pub(super) nanos: i32,
}

impl Instant {
    /// Brings nanoseconds of any size and sign into their range.
    pub(super) fn new(seconds: i64, nanos: i64) -> Result<Self, TimeError> {
        let whole = seconds.saturating_add(nanos.div_euclid(NANOS_PER_SECOND));
        if !SECONDS.contains(&whole) {
            let text = compact_str::format_compact!("{seconds}s {nanos}ns since 1970");
            return Err(TimeError {
                reason: "out of the years 0 to 9999",
                text,
            });
        }
        Ok(Self {
            seconds: whole,
            nanos: nanos.rem_euclid(NANOS_PER_SECOND) as i32,
        })
    }

    /// The same cut at the ends of the range.
    pub(super) fn saturating(seconds: i64, nanos: i64) -> Self {
        let end = if seconds < 0 {
            *SECONDS.start()
        } else {
            *SECONDS.end()
        };
        Self::new(seconds, nanos).unwrap_or(Self {
            seconds: end,
            nanos: 0,
        })
    }

    /// Reads RFC 3339: `2006-01-02T15:04:05`, a fraction of any length, `Z` or an offset.
    ///
    /// Letters may be small, as the RFC allows; digits below a nanosecond are dropped; a leap second is refused, as Go
    /// does.
    pub(super) fn parse(text: &str) -> Result<Self, TimeError> {
        Self::read(text.as_bytes()).map_err(|reason| TimeError {
            reason,
            text: text.into(),
        })
    }

    fn read(text: &[u8]) -> Result<Self, &'static str> {
        const SHAPE: &str = "not of the form 2006-01-02T15:04:05Z";
        let (head, rest) = text.split_at_checked(19).ok_or(SHAPE)?;
        let shaped = head
            .iter()
            .zip(b"0000-00-00T00:00:00")
            .all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                other => byte.to_ascii_uppercase() == *other,
            });
        if !shaped {
            return Err(SHAPE);
        }
        let two = |at: usize| (head[at] - b'0') as i8 * 10 + (head[at + 1] - b'0') as i8;
        let year = i16::from(two(0)) * 100 + i16::from(two(2));
        let (nanos, rest) = fraction(rest).ok_or(SHAPE)?;
        let civil = DateTime::new(year, two(5), two(8), two(11), two(14), two(17), 0)
            .map_err(|_| "no such date or time of day")?;
        let local = civil.duration_since(EPOCH).as_secs();
        let seconds = local - offset(rest).ok_or("neither Z nor an offset such as +01:00 at the end")?;
        if !SECONDS.contains(&seconds) {
            return Err("out of the years 0 to 9999");
        }
        Ok(Self { seconds, nanos })
    }

    /// Writes RFC 3339 in UTC with `digits` of the fraction.
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, digits: usize) -> fmt::Result {
        // In range by construction, so the sum exists.
        let t = EPOCH.saturating_add(SignedDuration::from_secs(self.seconds));
        let mut out = Str::default();
        write!(out, "{:04}-{:02}-{:02}T", t.year(), t.month(), t.day())?;
        write!(out, "{:02}:{:02}:{:02}", t.hour(), t.minute(), t.second())?;
        if digits > 0 {
            let fraction = format!("{:09}", self.nanos);
            write!(out, ".{}", &fraction[..digits])?;
        }
        out.push('Z');
        f.pad(&out)
    }
}

/// Nanoseconds of a fraction, if there is one, and the text behind it.
fn fraction(text: &[u8]) -> Option<(i32, &[u8])> {
    let Some(digits) = text.strip_prefix(b".").or_else(|| text.strip_prefix(b",")) else {
        return Some((0, text));
    };
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let nanos = (0..9).fold(0, |n, at| {
        n * 10
            + if at < count {
                i32::from(digits[at] - b'0')
            } else {
                0
            }
    });
    (count > 0).then(|| (nanos, &digits[count..]))
}

/// Seconds east of UTC.
fn offset(text: &[u8]) -> Option<i64> {
    match text {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2]
            if [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit()) =>
        {
            let two = |tens: &u8, ones: &u8| i64::from((tens - b'0') * 10 + (ones - b'0'));
            let (hours, minutes) = (two(h1, h2), two(m1, m2));
            let seconds = hours * 3600 + minutes * 60;
            (hours <= 24 && minutes < 60).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}
