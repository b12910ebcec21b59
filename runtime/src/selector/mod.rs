//! [`Selector`]: a query over labels that is answered here, as the server would answer it.
//!
//! | file | what is there |
//! |---|---|
//! | `parse` | from text |
//! | `names` | what can be a label and a value |
//!
//! The text is that of list and watch calls (`app=web,tier notin (cache),!canary`), and [`Selector`] prints what can be
//! sent. The rules are those of "Labels and Selectors" in the Kubernetes documentation.
//!
//! This module must not know where objects come from.

mod names;
mod parse;

use std::fmt;
use std::str::FromStr;

pub use self::parse::InvalidSelector;
use crate::meta::LabelSelector;
use crate::value::{Map, Str};

/// A query over labels: all requirements must hold. Without any it matches everything.
///
/// | text | holds if the label |
/// |---|---|
/// | `a=x`, `a==x` | is there and is `x` |
/// | `a!=x` | is not `x`, or is not there |
/// | `a in (x,y)` | is there and is one of them |
/// | `a notin (x,y)` | is none of them, or is not there |
/// | `a` | is there |
/// | `!a` | is not there |
/// | `a>3`, `a<3` | is there and is an integer above, below |
///
/// ```
/// use kubeloom::selector::Selector;
/// use kubeloom::value::map;
///
/// let selector: Selector = "app in (web, api), tier!=cache, !canary".parse()?;
/// assert!(selector.matches(&map([("app", "web")])));
/// assert!(!selector.matches(&map([("app", "web"), ("canary", "")])));
/// assert_eq!(selector.to_string(), "app in (api,web),tier!=cache,!canary");
///
/// let error = "app=web,tier in (cache".parse::<Selector>().unwrap_err();
/// assert_eq!(error.to_string(), "`app=web,tier in (cache`, at 22: `,` or `)` expected, the text ends");
/// # Ok::<(), kubeloom::selector::InvalidSelector>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

/// One condition of a [`Selector`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Requirement {
    key: Str,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Test {
    /// One of these, sorted.
    In(Vec<Str>),
    /// None of these, sorted.
    NotIn(Vec<Str>),
    Exists,
    Missing,
    Above(i64),
    Below(i64),
}

impl Selector {
    /// Matches everything.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Whether it matches everything.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether labels match.
    pub fn matches(&self, labels: &Map<Str>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = labels.get(requirement.key.as_str());
            requirement.test.holds(value.map(Str::as_str))
        })
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let has = |values: &[Str], value: &str| values.iter().any(|known| known == value);
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| has(values, value)),
            Self::NotIn(values) => value.is_none_or(|value| !has(values, value)),
            Self::Exists => value.is_some(),
            Self::Missing => value.is_none(),
            Self::Above(bound) => number().is_some_and(|number| number > *bound),
            Self::Below(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

impl fmt::Display for Selector {
    /// The text that a server takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Requirement { key, test }) in self.requirements.iter().enumerate() {
            if place > 0 {
                f.write_str(",")?;
            }
            match test {
                Test::In(values) => match values.as_slice() {
                    [only] => write!(f, "{key}={only}"),
                    _ => write!(f, "{key} in ({})", values.join(",")),
                },
                Test::NotIn(values) => match values.as_slice() {
                    [only] => write!(f, "{key}!={only}"),
                    _ => write!(f, "{key} notin ({})", values.join(",")),
                },
                Test::Exists => f.write_str(key),
                Test::Missing => write!(f, "!{key}"),
                Test::Above(bound) => write!(f, "{key}>{bound}"),
                Test::Below(bound) => write!(f, "{key}<{bound}"),
            }?;
        }
        Ok(())
    }
}

impl From<Selector> for String {
    fn from(selector: Selector) -> Self {
        selector.to_string()
    }
}

impl FromStr for Selector {
    type Err = InvalidSelector;

    /// # Errors
    /// The text, the place in it, and what was expected there.
    fn from_str(text: &str) -> Result<Self, InvalidSelector> {
        parse::selector(text).map(|requirements| Self { requirements })
    }
}

impl TryFrom<&LabelSelector> for Selector {
    type Error = InvalidSelector;

    /// The query of a field of an object, such as `spec.selector` of a deployment. An empty one matches everything; of
    /// an absent one, which matches nothing, the field's `Option` speaks.
    ///
    /// # Errors
    /// The requirement, and what is wrong with it.
    fn try_from(selector: &LabelSelector) -> Result<Self, InvalidSelector> {
        let labels = selector.match_labels.iter().map(|(key, value)| {
            parse::checked(key, "In", std::slice::from_ref(value), || {
                format!("matchLabels {key:?}")
            })
        });
        let expressions = selector.match_expressions.iter().enumerate().map(|(place, one)| {
            parse::checked(&one.key, &one.operator, &one.values, || {
                format!("matchExpressions[{place}]")
            })
        });
        let requirements = labels.chain(expressions).collect::<Result<_, _>>()?;
        Ok(Self { requirements })
    }
}

#[cfg(test)]
mod tests;
