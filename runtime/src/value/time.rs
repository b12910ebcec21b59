//! [`Time`] and [`MicroTime`]: instants, to the second and to the microsecond.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::de::text_or_null;
use super::rfc3339::{Instant, TimeError, ZERO_SECONDS};

const MICROS_PER_SECOND: i64 = 1_000_000;

/// An instant to the second: Go's `metav1.Time`, RFC 3339 in JSON (`2026-01-31T12:00:00Z`).
///
/// Any fraction and offset are accepted and cut to the second in UTC, so that what compares equal is what is written.
/// As in Go there is a zero, the default: `null` in JSON, nothing in protobuf, and the instant 0001-01-01T00:00:00Z.
/// The range is the years 0 to 9999 in which RFC 3339 can write; eight bytes in memory.
///
/// ```
/// use kubeloom::value::Time;
///
/// let created = Time::from_wire("2026-01-31T13:00:00.5+01:00")?;
/// assert_eq!(created.to_string(), "2026-01-31T12:00:00Z");
/// assert!(created > Time::from_unix(0, 0)?);
/// assert_eq!(serde_json::to_string(&Time::default()).unwrap(), "null");
/// # Ok::<(), kubeloom::value::TimeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time {
    seconds: i64,
}

/// An instant to the microsecond: Go's `metav1.MicroTime`, RFC 3339 with six digits in JSON
/// (`2026-01-31T12:00:00.000000Z`), as the times of Leases and Events.
///
/// Any fraction and offset are accepted and cut to the microsecond in UTC. Zero and range are those of [`Time`].
///
/// ```
/// use kubeloom::value::MicroTime;
///
/// let renewed = MicroTime::from_wire("2026-01-31T12:00:00.5Z")?;
/// assert_eq!(renewed.to_string(), "2026-01-31T12:00:00.500000Z");
/// # Ok::<(), kubeloom::value::TimeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MicroTime {
    micros: i64,
}

impl Time {
    fn cut(instant: Instant) -> Self {
        Self {
            seconds: instant.seconds,
        }
    }

    fn instant(self) -> Instant {
        Instant {
            seconds: self.seconds,
            nanos: 0,
        }
    }
}

impl MicroTime {
    fn cut(instant: Instant) -> Self {
        Self {
            micros: instant.seconds * MICROS_PER_SECOND + i64::from(instant.nanos / 1000),
        }
    }

    fn instant(self) -> Instant {
        let nanos = self.micros.rem_euclid(MICROS_PER_SECOND) as i32 * 1000;
        Instant {
            seconds: self.micros.div_euclid(MICROS_PER_SECOND),
            nanos,
        }
    }
}

impl From<Time> for MicroTime {
    fn from(time: Time) -> Self {
        Self::cut(time.instant())
    }
}

/// Cuts to the second.
impl From<MicroTime> for Time {
    fn from(time: MicroTime) -> Self {
        Self::cut(time.instant())
    }
}

/// What the two instants share; only their precision differs.
macro_rules! instant {
    ($name:ident, $digits:literal, $expecting:literal) => {
        impl $name {
            /// Go's zero, 0001-01-01T00:00:00Z.
            #[must_use]
            pub fn zero() -> Self {
                Self::cut(Instant {
                    seconds: ZERO_SECONDS,
                    nanos: 0,
                })
            }

            /// Whether it is the zero, which stands for no time.
            #[must_use]
            pub fn is_zero(self) -> bool {
                self == Self::zero()
            }

            /// Reads RFC 3339 text with any fraction and offset.
            ///
            /// # Errors
            /// When the text is none, or the instant out of the years 0 to 9999 in UTC.
            pub fn from_wire(text: &str) -> Result<Self, TimeError> {
                Instant::parse(text).map(Self::cut)
            }

            /// The instant of a Unix time, nanoseconds counting forward; they may be negative or above a second.
            ///
            /// # Errors
            /// When the instant is out of the years 0 to 9999.
            pub fn from_unix(seconds: i64, nanos: i32) -> Result<Self, TimeError> {
                Instant::new(seconds, nanos.into()).map(Self::cut)
            }

            /// Whole seconds since 1970, negative before; the protobuf field `seconds`.
            #[must_use]
            pub fn seconds(self) -> i64 {
                self.instant().seconds
            }

            /// Nanoseconds since the whole second, 0 to 999,999,999; the protobuf field `nanos`.
            #[must_use]
            pub fn nanos(self) -> i32 {
                self.instant().nanos
            }

            /// The instant as a `jiff` timestamp; cut to its range, which ends some hours before the year 9999 does.
            #[must_use]
            pub fn to_timestamp(self) -> Timestamp {
                Timestamp::new(self.seconds(), self.nanos()).unwrap_or(Timestamp::MAX)
            }

            /// The instant as a system time, if the platform can hold it.
            #[must_use]
            pub fn to_system_time(self) -> Option<SystemTime> {
                let seconds = Duration::from_secs(self.seconds().unsigned_abs());
                let whole = if self.seconds() < 0 {
                    UNIX_EPOCH.checked_sub(seconds)
                } else {
                    UNIX_EPOCH.checked_add(seconds)
                };
                whole?.checked_add(Duration::from_nanos(self.nanos().unsigned_abs().into()))
            }
        }

        /// The zero.
        impl Default for $name {
            fn default() -> Self {
                Self::zero()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.instant().write(f, $digits)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = TimeError;

            fn from_str(text: &str) -> Result<Self, TimeError> {
                Self::from_wire(text)
            }
        }

        /// Cuts to the precision, and to the years 0 to 9999.
        impl From<Timestamp> for $name {
            fn from(time: Timestamp) -> Self {
                Self::cut(Instant::saturating(
                    time.as_second(),
                    time.subsec_nanosecond().into(),
                ))
            }
        }

        impl From<$name> for Timestamp {
            fn from(time: $name) -> Self {
                time.to_timestamp()
            }
        }

        /// Cuts to the precision, and to the years 0 to 9999.
        impl From<SystemTime> for $name {
            fn from(time: SystemTime) -> Self {
                let signed = |span: Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
                Self::cut(match time.duration_since(UNIX_EPOCH) {
                    Ok(after) => Instant::saturating(signed(after), after.subsec_nanos().into()),
                    Err(before) => {
                        let before = before.duration();
                        Instant::saturating(-signed(before), -i64::from(before.subsec_nanos()))
                    }
                })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.is_zero() {
                    serializer.serialize_none()
                } else {
                    serializer.collect_str(self)
                }
            }
        }

        /// RFC 3339 text; `null` is the zero.
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                text_or_null(deserializer, $expecting, Self::from_wire)
            }
        }
    };
}

instant!(Time, 0, "a time such as \"2026-01-31T12:00:00Z\"");
instant!(MicroTime, 6, "a time such as \"2026-01-31T12:00:00.000000Z\"");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc3339_and_nothing_else() {
        let rows = [
            ("2026-01-31T12:00:00Z", Some("2026-01-31T12:00:00.000000Z")),
            ("2026-01-31t12:00:00z", Some("2026-01-31T12:00:00.000000Z")),
            ("2026-01-31T12:00:00.1Z", Some("2026-01-31T12:00:00.100000Z")),
            ("2026-01-31T12:00:00,25Z", Some("2026-01-31T12:00:00.250000Z")),
            (
                "2026-01-31T12:00:00.1234567899999Z",
                Some("2026-01-31T12:00:00.123456Z"),
            ),
            (
                "2026-01-31T00:30:00.999999999+01:00",
                Some("2026-01-30T23:30:00.999999Z"),
            ),
            ("2024-02-29T23:59:59-00:01", Some("2024-03-01T00:00:59.000000Z")),
            ("1969-12-31T23:59:59.5Z", Some("1969-12-31T23:59:59.500000Z")),
            ("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00.000000Z")),
            ("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00.000000Z")),
            ("9999-12-31T23:59:59.999999Z", Some("9999-12-31T23:59:59.999999Z")),
            ("9999-12-31T23:59:59-00:01", None),
            ("0000-01-01T00:00:00+00:01", None),
            ("", None),
            ("null", None),
            ("2026-01-31", None),
            ("2026-01-31T12:00:00", None),
            ("2026-01-31 12:00:00Z", None),
            ("2026-01-31T12:00Z", None),
            ("2026-01-31T12:00:00.Z", None),
            ("2026-01-31T12:00:00Z ", None),
            ("2026-01-31T12:00:00+1:00", None),
            ("2026-01-31T12:00:00+0100", None),
            ("2026-01-31T12:00:00+25:00", None),
            ("2026-01-31T12:00:00+01:60", None),
            ("2026-01-31T12:00:00Z[UTC]", None),
            ("2025-02-29T12:00:00Z", None),
            ("2026-13-01T12:00:00Z", None),
            ("2026-01-31T24:00:00Z", None),
            ("2026-06-30T23:59:60Z", None),
            ("-026-01-31T12:00:00Z", None),
            ("+2026-01-31T12:00:00Z", None),
            ("2026-01-31T12:00:00\u{2212}01:00", None),
            ("\u{662}026-01-31T12:00:00Z", None),
            ("1769860800", None),
        ];
        for (text, micro) in rows {
            let read = MicroTime::from_wire(text);
            assert_eq!(
                read.as_ref().map(ToString::to_string).ok().as_deref(),
                micro,
                "{text:?}"
            );
            let second = micro.map(|m| format!("{}Z", &m[..19]));
            assert_eq!(
                Time::from_wire(text).map(|t| t.to_string()).ok(),
                second,
                "{text:?}"
            );
            match read {
                Ok(read) => assert_eq!(MicroTime::from_unix(read.seconds(), read.nanos()), Ok(read)),
                Err(error) => assert!(error.to_string().contains(&format!("{text:?}")), "{error}"),
            }
        }
    }

    #[test]
    fn zero_is_null_and_the_year_one() {
        assert!(Time::default().is_zero() && MicroTime::default().is_zero());
        assert_eq!(
            serde_json::to_string(&(Time::zero(), MicroTime::zero())).unwrap(),
            "[null,null]"
        );
        assert_eq!(serde_json::from_str::<Time>("null").unwrap(), Time::zero());
        assert!(
            serde_json::from_str::<Time>(r#""0001-01-01T00:00:00Z""#)
                .unwrap()
                .is_zero()
        );
        assert!(!Time::from_unix(0, 0).unwrap().is_zero());
        assert!(MicroTime::from_wire("0001-01-01T00:00:00.000001Z").is_ok_and(|t| !t.is_zero()));
        assert!(serde_json::from_str::<Time>("0").is_err());
        assert_eq!(serde_saphyr::from_str::<Time>("null").unwrap(), Time::zero());
        let yaml: MicroTime = serde_saphyr::from_str("2026-01-31T12:00:00Z").unwrap();
        assert_eq!(
            serde_json::to_string(&yaml).unwrap(),
            r#""2026-01-31T12:00:00.000000Z""#
        );
        let mut cbor = Vec::new();
        ciborium::into_writer(&(Time::zero(), yaml), &mut cbor).unwrap();
        assert_eq!(
            ciborium::from_reader::<(Time, MicroTime), _>(&cbor[..]).unwrap(),
            (Time::zero(), yaml)
        );
    }

    #[test]
    fn unix_and_library_times() {
        let rows = [
            (0, 0),
            (-1, 500_000_000),
            (1_769_860_800, 123_456_000),
            (ZERO_SECONDS, 1000),
        ];
        for (seconds, nanos) in rows {
            let time = MicroTime::from_unix(seconds, nanos).unwrap();
            assert_eq!((time.seconds(), time.nanos()), (seconds, nanos));
            assert_eq!(MicroTime::from(time.to_timestamp()), time);
            assert_eq!(MicroTime::from(time.to_system_time().unwrap()), time);
            assert_eq!(Time::from(time).seconds(), seconds);
            assert_eq!(MicroTime::from(Time::from(time)).nanos(), 0);
        }
        assert_eq!(
            MicroTime::from_unix(1, -1).unwrap().to_string(),
            "1970-01-01T00:00:00.999999Z"
        );
        assert_eq!(MicroTime::from_unix(0, i32::MIN).unwrap().seconds(), -3);
        for seconds in [i64::MIN, i64::MAX, -62_167_219_201, 253_402_300_800] {
            assert!(Time::from_unix(seconds, 0).is_err(), "{seconds}");
        }
        assert_eq!(Time::from(Timestamp::MIN).to_string(), "0000-01-01T00:00:00Z");
        assert_eq!(size_of::<Time>(), 8);
    }
}
