//! [`IntOrString`]: a number or a name, as in ports and rollout limits.

use std::error::Error;
use std::fmt;

use serde::de::{Error as _, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Str;

/// A number or a string; `80`, `"80"` and `"http"` are three different values. The default is `0`.
///
/// Go's type holds an `int32`. This one holds an `i64`, since custom resources may hold more than 32 bits in such a
/// field and a list must not fail for one of them: what came is what is written. [`as_i32`](Self::as_i32) tells where
/// 32 bits are meant, as in protobuf. A JSON number that no `i64` holds is kept as a string of its text.
///
/// ```
/// use kubeloom::value::{IntOrString, Rounding};
///
/// assert_eq!(IntOrString::from(80), IntOrString::Int(80));
/// assert_ne!(IntOrString::from("80"), IntOrString::from(80));
/// let max_surge = IntOrString::from("25%");
/// assert_eq!(max_surge.scaled_value(10, Rounding::Up)?, 3);
/// # Ok::<(), kubeloom::value::ScaledValueError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntOrString {
    /// A number.
    Int(i64),
    /// A name, or a percentage such as `25%`.
    String(Str),
}

/// Which way [`IntOrString::scaled_value`] rounds a share that is no whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the greater integer, as `maxSurge` is read.
    Up,
    /// To the lesser integer, as `maxUnavailable` is read.
    Down,
}

/// A string that is no percentage where a number or a percentage is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaledValueError(Str);

impl fmt::Display for ScaledValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "neither a number nor a percentage: {:?}", self.0)
    }
}

impl Error for ScaledValueError {}

impl IntOrString {
    /// The number as 32 bits, if it is one and fits.
    #[must_use]
    pub fn as_i32(&self) -> Option<i32> {
        self.as_i64().and_then(|value| value.try_into().ok())
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::String(_) => None,
        }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Int(_) => None,
            Self::String(text) => Some(text),
        }
    }

    /// The number itself, or that percentage of `total`, as Go's `GetScaledValueFromIntOrPercent`.
    ///
    /// The share is computed in integers, so no rounding error moves it over a whole number.
    ///
    /// # Errors
    /// When it is a string other than an integer followed by `%`, or the share is more than an `i64` holds.
    pub fn scaled_value(&self, total: i64, rounding: Rounding) -> Result<i64, ScaledValueError> {
        let text = match self {
            Self::Int(value) => return Ok(*value),
            Self::String(text) => text,
        };
        let error = || ScaledValueError(text.clone());
        let percent: i64 = text
            .strip_suffix('%')
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(error)?;
        let product = i128::from(percent) * i128::from(total);
        let share = match rounding {
            Rounding::Up => -(-product).div_euclid(100),
            Rounding::Down => product.div_euclid(100),
        };
        share.try_into().map_err(|_| error())
    }
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::String(text) => f.pad(text),
        }
    }
}

impl From<i32> for IntOrString {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i64> for IntOrString {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u16> for IntOrString {
    fn from(value: u16) -> Self {
        Self::Int(value.into())
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<Str> for IntOrString {
    fn from(text: Str) -> Self {
        Self::String(text)
    }
}

impl From<String> for IntOrString {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

/// `null` is `0`; a float that is a whole number is that number.
impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntOrStringVisitor)
    }
}

struct IntOrStringVisitor;

impl IntOrStringVisitor {
    fn number<T: Copy + fmt::Display + TryInto<i64>>(value: T) -> IntOrString {
        match value.try_into() {
            Ok(value) => IntOrString::Int(value),
            Err(_) => IntOrString::String(compact_str::format_compact!("{value}")),
        }
    }
}

impl<'de> Visitor<'de> for IntOrStringVisitor {
    type Value = IntOrString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer or a string")
    }

    fn visit_i64<E>(self, value: i64) -> Result<IntOrString, E> {
        Ok(IntOrString::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<IntOrString, E> {
        Ok(Self::number(value))
    }

    fn visit_i128<E>(self, value: i128) -> Result<IntOrString, E> {
        Ok(Self::number(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<IntOrString, E> {
        Ok(Self::number(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<IntOrString, E> {
        if !value.is_finite() {
            return Err(E::invalid_value(Unexpected::Float(value), &self));
        }
        // Display of a whole float has no point and no exponent.
        let text = compact_str::format_compact!("{value}");
        Ok(text.parse().map_or(IntOrString::String(text), IntOrString::Int))
    }

    fn visit_str<E>(self, text: &str) -> Result<IntOrString, E> {
        Ok(IntOrString::String(text.into()))
    }

    fn visit_unit<E>(self) -> Result<IntOrString, E> {
        Ok(IntOrString::default())
    }

    fn visit_none<E>(self) -> Result<IntOrString, E> {
        Ok(IntOrString::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<IntOrString, D::Error> {
        deserializer.deserialize_any(self)
    }

    /// What `serde_json` makes of a number when some crate of the build turns on its `arbitrary_precision`.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<IntOrString, A::Error> {
        match super::json_text::number_token(&mut map)? {
            Some(number) => match (number.parse(), number.parse::<f64>()) {
                (Ok(value), _) => Ok(IntOrString::Int(value)),
                (_, Ok(value)) if value.is_finite() => self.visit_f64(value),
                _ => Ok(number.into()),
            },
            None => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_survives_a_round_trip() {
        let rows = [
            ("80", IntOrString::Int(80), "80"),
            (r#""80""#, "80".into(), r#""80""#),
            (r#""http""#, "http".into(), r#""http""#),
            (r#""""#, "".into(), r#""""#),
            ("null", IntOrString::Int(0), "0"),
            ("-1", IntOrString::Int(-1), "-1"),
            ("2147483648", IntOrString::Int(1 << 31), "2147483648"),
            (
                "-9223372036854775808",
                IntOrString::Int(i64::MIN),
                "-9223372036854775808",
            ),
            (
                "18446744073709551615",
                "18446744073709551615".into(),
                r#""18446744073709551615""#,
            ),
            ("8e1", IntOrString::Int(80), "80"),
            ("80.0", IntOrString::Int(80), "80"),
            ("0.5", "0.5".into(), r#""0.5""#),
        ];
        for (json, value, out) in rows {
            let read: IntOrString = serde_json::from_str(json).unwrap();
            assert_eq!(read, value, "{json}");
            assert_eq!(serde_json::to_string(&read).unwrap(), out, "{json}");
            let mut cbor = Vec::new();
            ciborium::into_writer(&read, &mut cbor).unwrap();
            assert_eq!(
                ciborium::from_reader::<IntOrString, _>(&cbor[..]).unwrap(),
                value,
                "{json}"
            );
        }
        for json in ["true", "[]", "{}", r#"{"a":1}"#] {
            assert!(serde_json::from_str::<IntOrString>(json).is_err(), "{json}");
        }
        assert_eq!(IntOrString::Int(1 << 31).as_i32(), None);
        assert_eq!(
            serde_saphyr::from_str::<IntOrString>("80").unwrap(),
            IntOrString::Int(80)
        );
        assert_eq!(
            serde_saphyr::from_str::<IntOrString>("'80'").unwrap(),
            "80".into()
        );
        assert_eq!(
            serde_saphyr::from_str::<IntOrString>("25%").unwrap(),
            "25%".into()
        );
    }

    #[test]
    fn scales_as_go_does() {
        let rows = [
            (IntOrString::from(7), 100, Some((7, 7))),
            ("25%".into(), 10, Some((3, 2))),
            ("100%".into(), 7, Some((7, 7))),
            ("0%".into(), 7, Some((0, 0))),
            ("200%".into(), 7, Some((14, 14))),
            ("+10%".into(), 11, Some((2, 1))),
            ("-25%".into(), 10, Some((-2, -3))),
            (
                "1%".into(),
                i64::MAX,
                Some((92233720368547759, 92233720368547758)),
            ),
            ("101%".into(), i64::MAX, None),
            ("25".into(), 10, None),
            ("%".into(), 10, None),
            ("25%%".into(), 10, None),
            ("2.5%".into(), 10, None),
            (" 25%".into(), 10, None),
        ];
        for (value, total, expected) in rows {
            let up = value.scaled_value(total, Rounding::Up).ok();
            let down = value.scaled_value(total, Rounding::Down).ok();
            assert_eq!(up.zip(down), expected, "{value} of {total}");
        }
    }
}
