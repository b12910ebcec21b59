//! The tokens of a JSON text, one after the other.

use std::borrow::Cow;

use super::Failure;

/// The deepest nesting of raw JSON, which is what `serde_json` will read back.
pub(super) const RAW_LEVELS: usize = 127;

/// A number, told apart as `serde_json` does: what fits 64 bits and has neither fraction nor exponent is an integer.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Signed(i64),
    /// More than `i64::MAX`.
    Unsigned(u64),
    Float(f64),
}

/// A position in a text that moves forward. The byte 0 stands for the end; it begins no token.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Whether white space outside strings was passed since it was last set.
    spaced: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The index of the first byte at or after `at` that ends a run of plain characters in a string: a quote, a backslash or
/// a control character; the length of the text if there is none.
///
/// Eight bytes at a time: a byte is zero exactly if subtracting one borrows into its high bit, and the lowest byte found
/// so is never a false one.
#[inline]
pub(crate) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * b'"' as u64);
        let slash = word ^ (ONES * b'\\' as u64);
        let found = ((quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash)
            | (word.wrapping_sub(ONES * 0x20) & !word))
            & HIGH;
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes
        .get(at)
        .is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20))
    {
        at += 1;
    }
    at
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            spaced: false,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    #[inline]
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or_default()
    }

    /// The text between two positions, of which both are at the border of a character.
    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The failure that the text is not JSON here, or ends here.
    #[cold]
    pub(crate) fn malformed(&self, why: &'static str) -> Failure {
        if self.at >= self.text.len() {
            Failure::cut_off(self.at)
        } else {
            Failure::malformed(self.at, why)
        }
    }

    /// Passes white space; the byte behind it.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        let byte = self.byte(self.at);
        if byte > b' ' { byte } else { self.skip_space() }
    }

    fn skip_space(&mut self) -> u8 {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes().get(self.at) {
            self.at += 1;
            self.spaced = true;
        }
        self.byte(self.at)
    }

    /// Whether nothing but white space is left.
    pub(crate) fn is_end(&mut self) -> bool {
        self.peek();
        self.at >= self.text.len()
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, why: &'static str) -> Result<(), Failure> {
        if self.peek() != byte {
            return Err(self.malformed(why));
        }
        self.at += 1;
        Ok(())
    }

    /// Behind an opening bracket that was passed: whether a first value comes before the closing one, which is passed.
    #[inline]
    pub(crate) fn first(&mut self, close: u8) -> bool {
        let empty = self.peek() == close;
        self.at += usize::from(empty);
        !empty
    }

    /// Behind a value: whether another one comes. Passes the comma or the closing bracket.
    #[inline]
    pub(crate) fn more(&mut self, close: u8) -> Result<bool, Failure> {
        match self.peek() {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.malformed("a comma or a closing bracket expected")),
        }
    }

    pub(super) fn literal(&mut self, word: &'static str) -> Result<(), Failure> {
        let rest = &self.bytes()[self.at.min(self.text.len())..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(rest) {
            return Err(Failure::cut_off(self.text.len()));
        }
        Err(self.malformed("a value expected"))
    }

    /// Passes `null` if it is what comes.
    #[inline]
    pub(super) fn null(&mut self) -> Result<bool, Failure> {
        if self.peek() != b'n' {
            return Ok(false);
        }
        self.literal("null").map(|()| true)
    }

    /// Passes the key `name` with its colon if they are what comes, without white space.
    #[inline]
    pub(super) fn key_is(&mut self, name: &str) -> bool {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        let found = match rest.split_first() {
            Some((b'"', rest)) => rest.starts_with(name.as_bytes()) && rest[name.len()..].starts_with(b"\":"),
            _ => false,
        };
        if found {
            self.at += name.len() + 3;
        }
        found
    }

    /// A key and its colon.
    #[inline]
    pub(crate) fn key(&mut self) -> Result<Cow<'a, str>, Failure> {
        if self.peek() != b'"' {
            return Err(self.malformed("a key expected"));
        }
        let key = self.string()?;
        self.expect(b':', "a colon expected")?;
        Ok(key)
    }

    /// The string whose opening quote comes; a slice of the text where it has no escapes.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Cow<'a, str>, Failure> {
        let start = self.at + 1;
        let end = plain_run(self.bytes(), start);
        if self.byte(end) == b'"' {
            self.at = end + 1;
            return Ok(Cow::Borrowed(self.slice(start, end)));
        }
        self.escaped(start, end).map(Cow::Owned)
    }

    fn escaped(&mut self, mut start: usize, mut end: usize) -> Result<String, Failure> {
        let mut out = String::with_capacity(end - start + 16);
        loop {
            out.push_str(self.slice(start, end));
            self.at = end;
            match self.bytes().get(end) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.malformed("a control character in a string")),
            }
            start = self.at;
            end = plain_run(self.bytes(), start);
        }
    }

    /// Passes an escape; the character that it stands for.
    fn escape(&mut self) -> Result<char, Failure> {
        self.at += 1;
        let Some(byte) = self.bytes().get(self.at) else {
            return Err(Failure::cut_off(self.at));
        };
        let char = match byte {
            b'"' | b'\\' | b'/' => char::from(*byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(self.malformed("an unknown escape in a string")),
        };
        self.at += 1;
        Ok(char)
    }

    fn unicode_escape(&mut self) -> Result<char, Failure> {
        const LONE: &str = "half of a surrogate pair in a string";
        let unit = self.hex()?;
        if !(0xd800..0xdc00).contains(&unit) {
            return char::from_u32(unit).ok_or_else(|| self.malformed_at_escape(LONE));
        }
        for expected in [b'\\', b'u'] {
            match self.bytes().get(self.at) {
                None => return Err(Failure::cut_off(self.at)),
                Some(byte) if *byte != expected => return Err(self.malformed_at_escape(LONE)),
                Some(_) => self.at += usize::from(expected == b'\\'),
            }
        }
        let low = self.hex()?;
        if !(0xdc00..0xe000).contains(&low) {
            return Err(self.malformed_at_escape(LONE));
        }
        let joined = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        char::from_u32(joined).ok_or_else(|| self.malformed_at_escape(LONE))
    }

    /// A failure that is none of the text's end, though the cursor may have come there.
    #[cold]
    fn malformed_at_escape(&self, why: &'static str) -> Failure {
        Failure::malformed(self.at, why)
    }

    /// Passes the `u` that comes and its four hexadecimal digits.
    fn hex(&mut self) -> Result<u32, Failure> {
        let mut value = 0;
        for _ in 0..4 {
            self.at += 1;
            let Some(byte) = self.bytes().get(self.at) else {
                return Err(Failure::cut_off(self.at));
            };
            let digit = char::from(*byte).to_digit(16);
            value = value << 4 | digit.ok_or_else(|| self.malformed("four hexadecimal digits expected"))?;
        }
        self.at += 1;
        Ok(value)
    }

    /// Passes a number; its text and whether it is digits alone, a sign apart.
    fn number_text(&mut self) -> Result<(&'a str, bool), Failure> {
        let start = self.at;
        self.at += usize::from(self.byte(self.at) == b'-');
        match self.byte(self.at) {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        let integer_end = self.at;
        if self.byte(self.at) == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(self.at), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(self.at), b'+' | b'-'));
            self.digits()?;
        }
        if self.byte(self.at).is_ascii_digit() {
            return Err(self.malformed("a number that begins with 0"));
        }
        Ok((self.slice(start, self.at), self.at == integer_end))
    }

    fn digits(&mut self) -> Result<(), Failure> {
        if !self.byte(self.at).is_ascii_digit() {
            return Err(self.malformed("a digit expected"));
        }
        while self.byte(self.at).is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// The number that comes.
    ///
    /// # Errors
    /// Besides malformed ones: a number beyond the largest float.
    pub(super) fn number(&mut self) -> Result<Number, Failure> {
        let start = self.at;
        let (text, is_integer) = self.number_text()?;
        if is_integer && let Some(integer) = integer(text) {
            return Ok(integer);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Number::Float(value)),
            _ => Err(Failure::malformed(start, "a number out of range")),
        }
    }

    /// Passes a string. A `kept` one may be asked for its characters later, so its surrogates are looked at.
    #[inline]
    fn skip_string(&mut self, kept: bool) -> Result<(), Failure> {
        let mut end = plain_run(self.bytes(), self.at + 1);
        loop {
            self.at = end;
            match self.bytes().get(end) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') if !kept && self.byte(end + 1) == b'u' => {
                    self.at += 1;
                    self.hex()?;
                }
                Some(b'\\') => {
                    self.escape()?;
                }
                _ => return Err(self.malformed("a control character in a string")),
            }
            end = plain_run(self.bytes(), self.at);
        }
    }

    /// Passes a value of at most `levels` levels of brackets. With `kept` it is also one that `serde_json` can read back.
    pub(crate) fn skip(&mut self, kept: bool, levels: usize) -> Result<(), Failure> {
        match self.peek() {
            b'"' => self.skip_string(kept),
            b'{' => {
                let levels = self.enter(levels)?;
                let mut more = self.first(b'}');
                while more {
                    if self.peek() != b'"' {
                        return Err(self.malformed("a key expected"));
                    }
                    self.skip_string(kept)?;
                    self.expect(b':', "a colon expected")?;
                    self.skip(kept, levels)?;
                    more = self.more(b'}')?;
                }
                Ok(())
            }
            b'[' => {
                let levels = self.enter(levels)?;
                let mut more = self.first(b']');
                while more {
                    self.skip(kept, levels)?;
                    more = self.more(b']')?;
                }
                Ok(())
            }
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            b'-' | b'0'..=b'9' if kept => self.number().map(|_| ()),
            b'-' | b'0'..=b'9' => self.number_text().map(|_| ()),
            _ => Err(self.malformed("a value expected")),
        }
    }

    /// Passes the opening bracket that comes; how many levels are left within.
    #[inline]
    pub(crate) fn enter(&mut self, levels: usize) -> Result<usize, Failure> {
        let left = levels
            .checked_sub(1)
            .ok_or_else(|| self.malformed("nested too deeply"))?;
        self.at += 1;
        Ok(left)
    }

    /// The text of the value that comes, without white space outside strings.
    pub(super) fn raw(&mut self, levels: usize) -> Result<Cow<'a, str>, Failure> {
        self.peek();
        let start = self.at;
        self.spaced = false;
        self.skip(true, levels.min(RAW_LEVELS))?;
        let text = self.slice(start, self.at);
        Ok(if self.spaced {
            Cow::Owned(without_space(text))
        } else {
            Cow::Borrowed(text)
        })
    }
}

/// An integer of 64 bits; minus zero is none, as it would lose its sign.
#[inline]
fn integer(text: &str) -> Option<Number> {
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    // Nineteen digits always fit 64 bits.
    let value = match digits.len() {
        ..=19 => digits
            .bytes()
            .fold(0, |value, digit| value * 10 + u64::from(digit - b'0')),
        _ => digits.parse().ok()?,
    };
    match (i64::try_from(value), negative) {
        (Ok(0), true) => None,
        (Ok(value), true) => Some(Number::Signed(-value)),
        (Ok(value), false) => Some(Number::Signed(value)),
        (Err(_), true) => (value == 1 << 63).then_some(Number::Signed(i64::MIN)),
        (Err(_), false) => Some(Number::Unsigned(value)),
    }
}

/// A valid text without the white space outside its strings.
fn without_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                loop {
                    at = plain_run(bytes, at);
                    if bytes.get(at) != Some(&b'\\') {
                        break;
                    }
                    at += 2;
                }
                at += 1;
            }
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&text[copied..at]);
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}
