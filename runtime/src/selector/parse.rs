//! From text to requirements.

use std::fmt;

use super::names::{fault_of_key, fault_of_value};
use super::{Requirement, Test};
use crate::value::Str;

/// A text that is no selector, with the place of what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSelector {
    /// The text and the offset in it, in bytes; or the name of a field of an object.
    place: String,
    reason: String,
}

impl fmt::Display for InvalidSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for InvalidSelector {}

pub(super) fn selector(text: &str) -> Result<Vec<Requirement>, InvalidSelector> {
    let mut parser = Parser { text, at: 0 };
    let mut requirements = Vec::new();
    if parser.peek().is_none() {
        return Ok(requirements);
    }
    loop {
        requirements.push(parser.requirement()?);
        if parser.peek().is_none() {
            return Ok(requirements);
        }
        parser.expect(&[','], "`,` or the end")?;
    }
}

/// A requirement of an object's selector, with its operator as a word.
pub(super) fn checked(
    key: &str,
    operator: &str,
    values: &[Str],
    place: impl Fn() -> String,
) -> Result<Requirement, InvalidSelector> {
    let fail = |reason: String| InvalidSelector {
        place: place(),
        reason,
    };
    let wrong = fault_of_key(key).or_else(|| values.iter().find_map(|value| fault_of_value(value)));
    if let Some(reason) = wrong {
        return Err(fail(reason));
    }
    let test = match (operator, values.is_empty()) {
        ("In", false) => Test::In(sorted(values.to_vec())),
        ("NotIn", false) => Test::NotIn(sorted(values.to_vec())),
        ("Exists", true) => Test::Exists,
        ("DoesNotExist", true) => Test::Missing,
        ("In" | "NotIn", true) => return Err(fail(format!("{operator} needs values"))),
        ("Exists" | "DoesNotExist", false) => return Err(fail(format!("{operator} takes no values"))),
        _ => {
            let reason = format!("the operator {operator:?} is none of In, NotIn, Exists and DoesNotExist");
            return Err(fail(reason));
        }
    };
    Ok(Requirement {
        key: key.into(),
        test,
    })
}

fn sorted(mut values: Vec<Str>) -> Vec<Str> {
    values.sort_unstable();
    values.dedup();
    values
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, InvalidSelector> {
        Err(InvalidSelector {
            place: format!("`{}`, at {at}", self.text),
            reason: reason.into(),
        })
    }

    /// The next sign behind white space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// Takes the next sign if it is this one.
    fn take(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.at += sign.len_utf8();
        }
        is_next
    }

    fn expect(&mut self, signs: &[char], name: &str) -> Result<char, InvalidSelector> {
        match self.peek() {
            Some(sign) if signs.contains(&sign) => {
                self.at += sign.len_utf8();
                Ok(sign)
            }
            Some(sign) => self.fail(self.at, format!("{name} expected, not {sign:?}")),
            None => self.fail(self.at, format!("{name} expected, the text ends")),
        }
    }

    /// What goes on up to a sign with a meaning; may be empty.
    fn word(&mut self) -> (usize, &'a str) {
        self.peek();
        let start = self.at;
        let rest = &self.text[start..];
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '=' | '!' | '<' | '>' | '(' | ')');
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        (start, &rest[..end])
    }

    fn requirement(&mut self) -> Result<Requirement, InvalidSelector> {
        let is_missing = self.take('!');
        let (start, key) = self.word();
        if key.is_empty() {
            let sign = self.peek().map(|sign| format!(", not {sign:?}"));
            let found = sign.unwrap_or_else(|| ", the text ends".to_owned());
            return self.fail(start, format!("the name of a label expected{found}"));
        }
        if let Some(reason) = fault_of_key(key) {
            return self.fail(start, reason);
        }
        let test = if is_missing { Test::Missing } else { self.test()? };
        Ok(Requirement {
            key: key.into(),
            test,
        })
    }

    fn test(&mut self) -> Result<Test, InvalidSelector> {
        match self.peek() {
            None | Some(',') => Ok(Test::Exists),
            Some('=') => {
                self.at += 1;
                // `==` is `=`.
                if self.text[self.at..].starts_with('=') {
                    self.at += 1;
                }
                Ok(Test::In(vec![self.value()?]))
            }
            Some('!') => {
                self.at += 1;
                self.expect(&['='], "`=` behind `!`")?;
                Ok(Test::NotIn(vec![self.value()?]))
            }
            Some('>') => self.number().map(Test::Above),
            Some('<') => self.number().map(Test::Below),
            Some(_) => {
                let (start, word) = self.word();
                match word {
                    "in" => self.values().map(Test::In),
                    "notin" => self.values().map(Test::NotIn),
                    _ => self.fail(
                        start,
                        "one of `=`, `==`, `!=`, `in`, `notin`, `>`, `<`, `,` or the end expected",
                    ),
                }
            }
        }
    }

    fn value(&mut self) -> Result<Str, InvalidSelector> {
        let (start, value) = self.word();
        match fault_of_value(value) {
            Some(reason) => self.fail(start, reason),
            None => Ok(value.into()),
        }
    }

    fn number(&mut self) -> Result<i64, InvalidSelector> {
        self.at += 1;
        let (start, word) = self.word();
        match word.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail(start, format!("an integer expected, not {word:?}")),
        }
    }

    fn values(&mut self) -> Result<Vec<Str>, InvalidSelector> {
        self.expect(&['('], "`(`")?;
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            if self.expect(&[',', ')'], "`,` or `)`")? == ')' {
                return Ok(sorted(values));
            }
        }
    }
}
