//! The text of a quantity taken apart: sign, digits, suffix.

use super::amount::{Amount, BINARY, DECIMAL, Format, NANO, shift_down};
use super::quantity_error::QuantityErrorKind;

/// A text of the quantity grammar, in its parts.
pub(super) struct Scanned<'a> {
    negative: bool,
    /// Digits before the point, without leading zeros.
    integer: &'a str,
    /// Digits after the point.
    fraction: &'a str,
    suffix: Suffix,
}

/// What stands behind the digits.
#[derive(Clone, Copy)]
enum Suffix {
    Decimal(i32),
    Exponent(i32),
    /// The power of 1024.
    Binary(u32),
}

impl Suffix {
    fn new(text: &str) -> Result<Self, QuantityErrorKind> {
        if let Some((_, power)) = DECIMAL.iter().find(|(suffix, _)| *suffix == text) {
            return Ok(Self::Decimal(*power));
        }
        if let Some(power) = BINARY.iter().position(|suffix| *suffix == text) {
            return Ok(Self::Binary(power as u32));
        }
        let Some(exponent) = text.strip_prefix(['e', 'E']) else {
            let known = |c: char| c.is_ascii_alphanumeric();
            return Err(if text.chars().all(known) {
                QuantityErrorKind::Suffix
            } else {
                QuantityErrorKind::Syntax
            });
        };
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(QuantityErrorKind::Suffix);
        }
        exponent
            .parse()
            .map(Self::Exponent)
            .map_err(|_| QuantityErrorKind::OutOfRange)
    }

    fn format(self) -> Format {
        match self {
            Self::Decimal(_) => Format::DecimalSi,
            Self::Exponent(_) => Format::DecimalExponent,
            Self::Binary(_) => Format::BinarySi,
        }
    }
}

impl<'a> Scanned<'a> {
    /// Takes the text apart.
    pub(super) fn new(text: &'a str) -> Result<Self, QuantityErrorKind> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (integer, rest) = split_digits(unsigned);
        let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
        if integer.is_empty() && fraction.is_empty() {
            return Err(QuantityErrorKind::Syntax);
        }
        let suffix = Suffix::new(rest)?;
        Ok(Self {
            negative,
            integer: integer.trim_start_matches('0'),
            fraction,
            suffix,
        })
    }

    /// The number, rounded to 10⁻⁹ and cut as Go does.
    pub(super) fn amount(&self) -> Result<Amount, QuantityErrorKind> {
        let (mut mantissa, mut exponent, mut inexact) = self.digits();
        match self.suffix {
            Suffix::Decimal(power) | Suffix::Exponent(power) => exponent += i64::from(power),
            Suffix::Binary(power) => match mantissa.checked_mul(1 << (10 * power)) {
                Some(scaled) if !inexact => mantissa = scaled,
                // Too many digits: far beyond the largest number allowed, or too fine to be exact.
                _ if magnitude(mantissa, exponent, power) > u64::MAX as f64 => {
                    return Ok(self.signed(largest()));
                }
                _ => return Err(QuantityErrorKind::OutOfRange),
            },
        }
        if exponent < i64::from(NANO) {
            let places = u32::try_from(i64::from(NANO) - exponent).unwrap_or(u32::MAX);
            let (rounded, exact) = shift_down(mantissa, places);
            // Digits not read push an otherwise exact result up by one.
            mantissa = if exact && inexact { rounded + 1 } else { rounded };
            (exponent, inexact) = (NANO.into(), false);
        }
        if inexact {
            return Err(QuantityErrorKind::OutOfRange);
        }
        let amount =
            Amount::normal(mantissa, exponent, self.suffix.format()).ok_or(QuantityErrorKind::OutOfRange)?;
        let amount = match amount.format() {
            Format::BinarySi if amount > largest() => largest(),
            // A binary suffix on less than one would have to be rounded when written.
            Format::BinarySi if !amount.is_zero() && amount < Amount::from(1) => {
                amount.with_format(Format::DecimalSi)
            }
            _ => amount,
        };
        Ok(self.signed(amount))
    }

    /// Whether Go's `Quantity` keeps this text when it writes what it has parsed: it then skips the canonical form.
    ///
    /// That holds for texts on its fast path that look canonical, though some are not (`+1`, `01`, `1.500`, `1E3`).
    pub(super) fn kept_by_go(&self) -> bool {
        let digits = self.integer.len().max(1) + self.fraction.len();
        let zeros = || {
            self.integer
                .bytes()
                .chain(self.fraction.bytes())
                .rev()
                .take_while(|b| *b == b'0')
                .count()
        };
        match self.suffix {
            Suffix::Decimal(power) | Suffix::Exponent(power) => {
                let scale = i64::from(power) - self.fraction.len() as i64;
                let fast = digits <= 18 && scale >= i64::from(NANO);
                fast && scale % 3 == 0 && !self.integer.is_empty() && zeros() < 3
            }
            Suffix::Binary(power) => {
                let fast = self.fraction.is_empty() && digits + 3 * power as usize <= 14;
                fast && self.integer.parse::<i64>().is_ok_and(|value| value % 8 != 0)
            }
        }
    }

    /// The digits as a number, the power of ten of its last one, and whether digits other than zero were left out.
    fn digits(&self) -> (i128, i64, bool) {
        let (mut mantissa, mut dropped, mut inexact) = (0_i128, 0_i64, false);
        for digit in self
            .integer
            .bytes()
            .chain(self.fraction.bytes())
            .map(|b| b - b'0')
        {
            let next = mantissa.checked_mul(10).and_then(|m| m.checked_add(digit.into()));
            match next {
                Some(next) if dropped == 0 => mantissa = next,
                _ => {
                    dropped += 1;
                    inexact |= digit != 0;
                }
            }
        }
        (mantissa, dropped - self.fraction.len() as i64, inexact)
    }

    fn signed(&self, amount: Amount) -> Amount {
        if self.negative { -amount } else { amount }
    }
}

/// The largest number a binary suffix may make, 2⁶³-1.
fn largest() -> Amount {
    Amount::from(i64::MAX).with_format(Format::BinarySi)
}

fn magnitude(mantissa: i128, exponent: i64, power: u32) -> f64 {
    mantissa as f64 * 10_f64.powf(exponent as f64) * 1024_f64.powf(power.into())
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}
