//! [`Quantity`]: an amount of CPU, memory or anything else, as text and as number.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Str;
use super::amount::{Amount, Format, Scale};
use super::quantity_error::{QuantityError, QuantityErrorKind};
use super::scan::Scanned;

/// A resource quantity: keeps its text exactly, compares by value, and does arithmetic without floating point.
///
/// Written as it came (`"1024Mi"` stays that), equal by number (`"1024Mi" == "1Gi"`). [`parse`](Self::parse) is strict;
/// decoding keeps any text, and a text that is no quantity is an error only where the number is asked for. Such texts
/// equal only themselves and order behind every number. The default is `0`.
///
/// Holds one [`Str`] and nothing else; the number is read from the text on each use (tens of nanoseconds). To work
/// much with one, take its [`amount`](Self::amount), which is `Copy`.
///
/// ```
/// use kubeloom::value::{Quantity, Scale};
///
/// let memory = Quantity::parse("1024Mi")?;
/// assert_eq!(memory.as_str(), "1024Mi");
/// assert_eq!(memory, Quantity::parse("1Gi")?);
/// assert_eq!(memory.canonical()?, "1Gi");
/// assert_eq!((&memory + &Quantity::parse("512Mi")?)?.as_str(), "1536Mi");
/// assert_eq!(Quantity::parse("0.25")?.milli_value()?, 250);
/// assert!(Quantity::parse("1 Gi").is_err());
/// # Ok::<(), kubeloom::value::QuantityError>(())
/// ```
#[derive(Clone)]
pub struct Quantity(Str);

impl Quantity {
    /// `value × 10^scale`, in canonical form.
    ///
    /// ```
    /// use kubeloom::value::{Format, Quantity, Scale};
    ///
    /// assert_eq!(Quantity::new(1500, Scale::Milli, Format::DecimalSi).as_str(), "1500m");
    /// assert_eq!(Quantity::new(1 << 30, Scale::One, Format::BinarySi).as_str(), "1Gi");
    /// ```
    #[must_use]
    pub fn new(value: i64, scale: Scale, format: Format) -> Self {
        Amount::new(value, scale, format).into()
    }

    /// A quantity from its text, which is kept.
    ///
    /// # Errors
    /// When the text is none; see [`Amount::parse`] for the grammar.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        Amount::parse(text)?;
        Ok(Self(text.into()))
    }

    /// A quantity from a wire text, whatever it is.
    #[must_use]
    pub const fn from_wire(text: Str) -> Self {
        Self(text)
    }

    /// The text as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as it came, by value.
    #[must_use]
    pub fn into_text(self) -> Str {
        self.0
    }

    /// Whether both have the same text, not only the same number.
    #[must_use]
    pub fn same_text(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// The number; white space around the text is ignored, as Go's decoder does.
    ///
    /// # Errors
    /// When the text is no quantity or out of the limits of [`Amount`].
    pub fn amount(&self) -> Result<Amount, QuantityError> {
        Amount::parse(self.0.trim_ascii())
    }

    /// The canonical text: no fraction, no needless sign, the largest suffix that loses nothing. Two quantities of one
    /// number and format have the same one.
    ///
    /// # Errors
    /// When the text is no quantity.
    pub fn canonical(&self) -> Result<Str, QuantityError> {
        self.amount().map(canonical_text)
    }

    /// The text a Kubernetes server makes of this one, Go's `Quantity.String()` after a parse.
    ///
    /// That is the canonical text but for some that Go takes for canonical and keeps, such as `1.500`, `+1`, `1E3`.
    ///
    /// # Errors
    /// When the text is no quantity.
    pub fn server_text(&self) -> Result<Str, QuantityError> {
        let text = self.0.trim_ascii();
        let canonical = Amount::parse(text).map(canonical_text)?;
        let kept = Scanned::new(text).is_ok_and(|scanned| scanned.kept_by_go());
        Ok(if kept { text.into() } else { canonical })
    }

    /// The number in whole units, fractions rounded away from zero.
    ///
    /// # Errors
    /// When the text is no quantity, or an `i64` cannot hold the number.
    pub fn value(&self) -> Result<i64, QuantityError> {
        self.scaled_value(Scale::One)
    }

    /// The number in thousandths, as CPU time is counted; what is finer is rounded away from zero.
    ///
    /// # Errors
    /// When the text is no quantity, or an `i64` cannot hold the number.
    pub fn milli_value(&self) -> Result<i64, QuantityError> {
        self.scaled_value(Scale::Milli)
    }

    /// The number in units of `scale`, fractions rounded away from zero.
    ///
    /// # Errors
    /// When the text is no quantity, or an `i64` cannot hold the number.
    pub fn scaled_value(&self, scale: Scale) -> Result<i64, QuantityError> {
        self.amount()?
            .scaled(scale)
            .ok_or_else(|| QuantityError::new(QuantityErrorKind::OutOfRange, self.0.clone()))
    }

    /// The number if it is an integer that an `i64` holds.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.amount().ok()?.as_i64()
    }

    /// The nearest `f64`; none if the text is no quantity.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.amount().ok().map(Amount::as_f64)
    }

    /// Whether the number is zero; a text that is no quantity is not.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.amount().is_ok_and(Amount::is_zero)
    }

    /// -1, 0 or 1; none if the text is no quantity.
    #[must_use]
    pub fn signum(&self) -> Option<i8> {
        self.amount().ok().map(Amount::signum)
    }

    /// The sum, in canonical form and in the format of the first operand, or of the second if the first is zero.
    ///
    /// # Errors
    /// When a text is no quantity, or the exact result needs more than 38 digits.
    pub fn checked_add(&self, other: &Self) -> Result<Self, QuantityError> {
        self.amount()?.checked_add(other.amount()?).map(Self::from)
    }

    /// The difference; format and errors as for [`checked_add`](Self::checked_add).
    ///
    /// # Errors
    /// When a text is no quantity, or the exact result needs more than 38 digits.
    pub fn checked_sub(&self, other: &Self) -> Result<Self, QuantityError> {
        self.amount()?.checked_sub(other.amount()?).map(Self::from)
    }

    /// The product, in canonical form and the same format.
    ///
    /// # Errors
    /// When the text is no quantity, or the exact result needs more than 38 digits.
    pub fn checked_mul(&self, factor: i64) -> Result<Self, QuantityError> {
        self.amount()?.checked_mul(factor).map(Self::from)
    }

    /// The number with the other sign, in canonical form and the same format.
    ///
    /// # Errors
    /// When the text is no quantity.
    pub fn checked_neg(&self) -> Result<Self, QuantityError> {
        self.amount().map(|amount| Self::from(-amount))
    }

    /// The sum of many; zero if there are none.
    ///
    /// # Errors
    /// When a text is no quantity, or the exact result needs more than 38 digits.
    ///
    /// ```
    /// use kubeloom::value::Quantity;
    ///
    /// let requests = [Quantity::parse("250m")?, Quantity::parse("1.75")?];
    /// assert_eq!(Quantity::sum(&requests)?.as_str(), "2");
    /// # Ok::<(), kubeloom::value::QuantityError>(())
    /// ```
    pub fn sum<'a>(quantities: impl IntoIterator<Item = &'a Self>) -> Result<Self, QuantityError> {
        let mut total = Amount::default();
        for quantity in quantities {
            total = total.checked_add(quantity.amount()?)?;
        }
        Ok(total.into())
    }
}

fn canonical_text(amount: Amount) -> Str {
    compact_str::format_compact!("{amount}")
}

impl Default for Quantity {
    fn default() -> Self {
        Self(Str::const_new("0"))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quantity").field(&self.0.as_str()).finish()
    }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for Quantity {
    type Error = QuantityError;

    fn try_from(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text)
    }
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Amount::from(value).into()
    }
}

impl From<Amount> for Quantity {
    fn from(amount: Amount) -> Self {
        Self(canonical_text(amount))
    }
}

/// `&a + &b` is [`Quantity::checked_add`]: a result to be checked, since texts and sizes may not fit.
impl Add for &Quantity {
    type Output = Result<Quantity, QuantityError>;

    fn add(self, other: Self) -> Self::Output {
        self.checked_add(other)
    }
}

/// `&a - &b` is [`Quantity::checked_sub`].
impl Sub for &Quantity {
    type Output = Result<Quantity, QuantityError>;

    fn sub(self, other: Self) -> Self::Output {
        self.checked_sub(other)
    }
}

/// `&a * n` is [`Quantity::checked_mul`].
impl Mul<i64> for &Quantity {
    type Output = Result<Quantity, QuantityError>;

    fn mul(self, factor: i64) -> Self::Output {
        self.checked_mul(factor)
    }
}

/// `-&a` is [`Quantity::checked_neg`].
impl Neg for &Quantity {
    type Output = Result<Quantity, QuantityError>;

    fn neg(self) -> Self::Output {
        self.checked_neg()
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.same_text(other) {
            return Ordering::Equal;
        }
        match (self.amount(), other.amount()) {
            (Ok(a), Ok(b)) => a.cmp(&b),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Quantity {}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.amount() {
            Ok(amount) => amount.hash(state),
            Err(_) => self.0.hash(state),
        }
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Any string is kept; a number becomes the text of its shortest decimal form (its own text
/// where `serde_json` is built with `arbitrary_precision`); `null` is `0`.
impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl<'de> Visitor<'de> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity: a string or a number")
    }

    fn visit_str<E>(self, text: &str) -> Result<Quantity, E> {
        Ok(Quantity(text.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Quantity, E> {
        Ok(Quantity(compact_str::format_compact!("{value}")))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Quantity, E> {
        Ok(Quantity(compact_str::format_compact!("{value}")))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Quantity, E> {
        Ok(Quantity(compact_str::format_compact!("{value}")))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Quantity, E> {
        Ok(Quantity(compact_str::format_compact!("{value}")))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Quantity, E> {
        if !value.is_finite() {
            return Err(E::invalid_value(Unexpected::Float(value), &self));
        }
        Ok(Quantity(compact_str::format_compact!("{value}")))
    }

    fn visit_unit<E>(self) -> Result<Quantity, E> {
        Ok(Quantity::default())
    }

    fn visit_none<E>(self) -> Result<Quantity, E> {
        Ok(Quantity::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Quantity, D::Error> {
        deserializer.deserialize_any(self)
    }

    /// What `serde_json` makes of a number when some crate of the build turns on its `arbitrary_precision`.
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Quantity, A::Error> {
        match super::json_text::number_token(&mut map)? {
            Some(number) => Ok(Quantity(number.into())),
            None => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

#[cfg(test)]
#[path = "quantity_tests.rs"]
mod tests;
