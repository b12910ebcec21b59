//! [`Amount`]: the number a quantity's text stands for, its grammar, arithmetic and canonical text.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

use super::Str;
use super::quantity_error::{QuantityError, QuantityErrorKind};
use super::scan::Scanned;

/// The finest unit: digits below 10⁻⁹ are rounded away from zero, as Go's parser does.
pub(super) const NANO: i32 = -9;
/// Suffixes of [`Format::DecimalSi`] and their powers of ten.
pub(super) const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
/// Suffixes of [`Format::BinarySi`]; the position is the power of 1024.
pub(super) const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The power of ten from which on a number is written with an exponent whatever its format, not with its zeros.
const MAX_ZEROS: i32 = 38;

/// How an amount is written; taken from the suffix of the text it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// `12M`: powers of 1000 with the suffixes n, u, m, none, k, M, G, T, P, E.
    #[default]
    DecimalSi,
    /// `12Mi`: powers of 1024 with the suffixes Ki, Mi, Gi, Ti, Pi, Ei.
    BinarySi,
    /// `12e6`: a power of ten that is a multiple of three.
    DecimalExponent,
}

/// A power of ten to read an amount in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
pub enum Scale {
    /// 10⁻⁹
    Nano = -9,
    /// 10⁻⁶
    Micro = -6,
    /// 10⁻³
    Milli = -3,
    /// 1
    One = 0,
    /// 10³
    Kilo = 3,
    /// 10⁶
    Mega = 6,
    /// 10⁹
    Giga = 9,
    /// 10¹²
    Tera = 12,
    /// 10¹⁵
    Peta = 15,
    /// 10¹⁸
    Exa = 18,
}

/// The number behind a [`Quantity`](super::Quantity): `mantissa × 10^exponent`, exact, and the format to write it in.
///
/// Equality, order and hash go by the number alone. Arithmetic keeps the format of the first operand (of the second
/// if the first is zero), as Go's `Quantity` does, also through results whose text does not show it; so sums over
/// many quantities are best taken here and turned into a `Quantity` once. `Display` is the canonical text.
///
/// The limits are 38 significant digits and exponents of 32 bits; Go's `inf.Dec` has none of the first.
///
/// ```
/// use kubeloom::value::{Amount, Quantity};
///
/// let half: Amount = "512Mi".parse()?;
/// assert_eq!(half.checked_add(half)?.to_string(), "1Gi");
/// assert_eq!(Quantity::from(half), Quantity::parse("0.5Gi")?);
/// # Ok::<(), kubeloom::value::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Amount {
    /// Never a multiple of ten unless zero, and never `i128::MIN`.
    mantissa: i128,
    /// Zero if the mantissa is.
    exponent: i32,
    format: Format,
}

impl Amount {
    /// `value × 10^scale`.
    #[must_use]
    pub fn new(value: i64, scale: Scale, format: Format) -> Self {
        let (mut mantissa, mut exponent) = (value, scale as i32);
        while mantissa != 0 && mantissa % 10 == 0 {
            (mantissa, exponent) = (mantissa / 10, exponent + 1);
        }
        let exponent = if mantissa == 0 { 0 } else { exponent };
        Self {
            mantissa: mantissa.into(),
            exponent,
            format,
        }
    }

    /// The number normalised, if it is within the limits.
    pub(super) fn normal(mut mantissa: i128, mut exponent: i64, format: Format) -> Option<Self> {
        if mantissa == 0 {
            return Some(Self {
                mantissa: 0,
                exponent: 0,
                format,
            });
        }
        while mantissa % 10 == 0 {
            (mantissa, exponent) = (mantissa / 10, exponent + 1);
        }
        let exponent = i32::try_from(exponent).ok()?;
        (mantissa != i128::MIN).then_some(Self {
            mantissa,
            exponent,
            format,
        })
    }

    /// Reads the number of a quantity's text.
    ///
    /// The grammar is that of Kubernetes: an optional sign, digits with an optional point (`5.` and `.5` too), and one
    /// of the suffixes `n u m k M G T P E`, `Ki Mi Gi Ti Pi Ei`, or `e`/`E` with a signed power of ten. What is finer
    /// than 10⁻⁹ is rounded away from zero; with a binary suffix more than 2⁶³-1 is cut to that, as in Go. The one
    /// difference: Go takes a text without digits (`Ki`, `.`) for zero, this is an error here, as its grammar says.
    ///
    /// # Errors
    /// When the text is not of the grammar, or out of the limits.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        Scanned::new(text)
            .and_then(|scanned| scanned.amount())
            .map_err(|kind| QuantityError::new(kind, text))
    }

    /// How the amount is written.
    #[must_use]
    pub fn format(self) -> Format {
        self.format
    }

    /// The same number in another format.
    #[must_use]
    pub fn with_format(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn signum(self) -> i8 {
        match self.mantissa.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// The number in units of `scale`, fractions rounded away from zero; none if an `i64` cannot hold it.
    ///
    /// Go's `ScaledValue` overflows silently and rounds some negative numbers the other way.
    #[must_use]
    pub fn scaled(self, scale: Scale) -> Option<i64> {
        let shift = i64::from(self.exponent) - i64::from(scale as i32);
        let places = u32::try_from(shift.unsigned_abs()).ok()?;
        let value = if shift >= 0 {
            shift_up(self.mantissa, places)?
        } else {
            shift_down(self.mantissa, places).0
        };
        i64::try_from(value).ok()
    }

    /// The number if it is an integer that an `i64` holds.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        (self.exponent >= 0).then(|| self.scaled(Scale::One)).flatten()
    }

    /// The nearest `f64`; infinite if there is none.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        // The standard parser rounds correctly, which a multiplication by a power of ten does not.
        format!("{}e{}", self.mantissa, self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// The sum.
    ///
    /// # Errors
    /// When the exact sum needs more than 38 digits.
    pub fn checked_add(self, other: Self) -> Result<Self, QuantityError> {
        let format = if self.is_zero() { other.format } else { self.format };
        self.sum(other, format).ok_or_else(|| overflow(self, "+", &other))
    }

    /// The difference.
    ///
    /// # Errors
    /// When the exact difference needs more than 38 digits.
    pub fn checked_sub(self, other: Self) -> Result<Self, QuantityError> {
        let format = if self.is_zero() { other.format } else { self.format };
        self.sum(-other, format)
            .ok_or_else(|| overflow(self, "-", &other))
    }

    /// The product.
    ///
    /// # Errors
    /// When the exact product needs more than 38 digits.
    pub fn checked_mul(self, factor: i64) -> Result<Self, QuantityError> {
        self.mantissa
            .checked_mul(factor.into())
            .and_then(|mantissa| Self::normal(mantissa, self.exponent.into(), self.format))
            .ok_or_else(|| overflow(self, "*", &factor))
    }

    fn sum(self, other: Self, format: Format) -> Option<Self> {
        if self.is_zero() || other.is_zero() {
            let number = if self.is_zero() { other } else { self };
            return Some(Self { format, ..number });
        }
        let exponent = self.exponent.min(other.exponent);
        let aligned = |x: Self| shift_up(x.mantissa, x.exponent.abs_diff(exponent));
        Self::normal(
            aligned(self)?.checked_add(aligned(other)?)?,
            exponent.into(),
            format,
        )
    }

    /// The integer, if it is one to be written with a binary suffix: at least 1024 in magnitude.
    fn binary_integer(self) -> Option<i128> {
        if self.format != Format::BinarySi || self.exponent < 0 {
            return None;
        }
        shift_up(self.mantissa, self.exponent.unsigned_abs()).filter(|value| value.unsigned_abs() >= 1024)
    }
}

fn overflow(left: Amount, operator: &str, right: &dyn fmt::Display) -> QuantityError {
    QuantityError::new(
        QuantityErrorKind::OutOfRange,
        format!("{left} {operator} {right}"),
    )
}

/// `value × 10^places`.
fn shift_up(value: i128, places: u32) -> Option<i128> {
    if value == 0 {
        return Some(0);
    }
    10_i128
        .checked_pow(places)
        .and_then(|power| value.checked_mul(power))
}

/// `value ÷ 10^places` away from zero, and whether that is exact.
pub(super) fn shift_down(value: i128, places: u32) -> (i128, bool) {
    match 10_i128.checked_pow(places) {
        None => (value.signum(), value == 0),
        Some(power) if value % power == 0 => (value / power, true),
        Some(power) => (value / power + value.signum(), false),
    }
}

impl std::str::FromStr for Amount {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text)
    }
}

impl From<i64> for Amount {
    fn from(value: i64) -> Self {
        Self::new(value, Scale::One, Format::DecimalSi)
    }
}

impl std::ops::Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            mantissa: -self.mantissa,
            ..self
        }
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.signum().cmp(&other.signum());
        if by_sign.is_ne() || self.is_zero() {
            return by_sign;
        }
        let top = |x: &Self| i64::from(x.exponent) + i64::from(x.mantissa.unsigned_abs().ilog10());
        let by_size = top(self).cmp(&top(other)).then_with(|| {
            let exponent = self.exponent.min(other.exponent);
            let aligned = |x: &Self| {
                let power = 10_u128.checked_pow(x.exponent.abs_diff(exponent))?;
                x.mantissa.unsigned_abs().checked_mul(power)
            };
            match (aligned(self), aligned(other)) {
                (Some(a), Some(b)) => a.cmp(&b),
                // One of them is not shifted, so at most one is beyond 128 bits, and that one is the larger.
                (None, _) => Ordering::Greater,
                (_, None) => Ordering::Less,
            }
        });
        if self.mantissa < 0 {
            by_size.reverse()
        } else {
            by_size
        }
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The normal form makes equal numbers equal fields.
impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        (self.mantissa, self.exponent) == (other.mantissa, other.exponent)
    }
}

impl Eq for Amount {}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.mantissa, self.exponent).hash(state);
    }
}

/// The canonical text: no fraction, no sign unless negative, the largest suffix that loses nothing.
///
/// A number below 1024 or with a fraction is written with a decimal suffix even if its format is binary. Unlike
/// Go, which drops the suffix and with it the magnitude, a number of a thousand `E` or more keeps its zeros (`1000E`).
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Str::default();
        if let Some(mut value) = self.binary_integer() {
            let mut power = 0;
            while value % 1024 == 0 && power + 1 < BINARY.len() {
                (value, power) = (value / 1024, power + 1);
            }
            write!(out, "{value}{}", BINARY[power])?;
            return f.pad(&out);
        }
        let mut exponent = self.exponent.div_euclid(3) * 3;
        let format = if exponent > MAX_ZEROS {
            Format::DecimalExponent
        } else {
            self.format
        };
        if format != Format::DecimalExponent {
            exponent = exponent.min(18);
        }
        write!(out, "{}", self.mantissa)?;
        out.extend(std::iter::repeat_n(
            '0',
            self.exponent.abs_diff(exponent) as usize,
        ));
        match format {
            Format::DecimalExponent if exponent != 0 => write!(out, "e{exponent}")?,
            Format::DecimalExponent => {}
            Format::DecimalSi | Format::BinarySi => out.push_str(decimal_suffix(exponent)),
        }
        f.pad(&out)
    }
}

fn decimal_suffix(exponent: i32) -> &'static str {
    DECIMAL
        .iter()
        .find(|(_, power)| *power == exponent)
        .map_or("", |(suffix, _)| suffix)
}
