//! Checks values against the rules of their tables, without a server.

use std::fmt;

use super::{Check, Demand, List, Mapping, Record, View};

/// How deep objects are followed.
const MAX_DEPTH: usize = 200;

/// Says whether an object is as its schema asks.
///
/// Types without rules, such as the built-in ones, ask for nothing. Rules in the Common Expression Language, which only a
/// server evaluates, are left out, as are patterns without the feature `patterns`.
///
/// ```
/// use kubeloom::generated::*;
///
/// /// A port.
/// #[derive(Clone, Default)]
/// pub struct Port {
///     /// `number`
///     pub number: i32,
/// }
/// record! { Port {
///     0 number "number" [] KEEP;
///     check "number" 0 Minimum(1.0);
/// } }
///
/// let invalid = Port::default().validate().unwrap_err();
/// assert_eq!(invalid.to_string(), "number: 0 is less than 1");
/// ```
pub trait Validate {
    /// Checks the object and all that it holds.
    ///
    /// # Errors
    /// Everything that is not as the schema asks, in the order of fields.
    fn validate(&self) -> Result<(), Invalid>;
}

impl<T: Record> Validate for T {
    fn validate(&self) -> Result<(), Invalid> {
        let mut walk = Walk {
            path: String::new(),
            found: Vec::new(),
        };
        walk.record(self, 0);
        match walk.found.is_empty() {
            true => Ok(()),
            false => Err(Invalid {
                violations: walk.found,
            }),
        }
    }
}

/// What is not as a schema asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    violations: Vec<Violation>,
}

impl Invalid {
    /// Each of them; there is at least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

/// `; ` stands between violations.
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.violations.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            violation.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

/// One thing that is not as a schema asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where: `spec.ports[0].number`; empty for the object itself.
    pub path: String,
    /// What.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

struct Walk {
    path: String,
    found: Vec<Violation>,
}

impl Walk {
    fn say(&mut self, message: String) {
        self.found.push(Violation {
            path: self.path.clone(),
            message,
        });
    }

    /// Does `what` one step down the path.
    fn below(&mut self, step: impl fmt::Display, what: impl FnOnce(&mut Self)) {
        let before = self.path.len();
        self.path.push_str(&step.to_string());
        what(self);
        self.path.truncate(before);
    }

    fn record(&mut self, record: &dyn Record, depth: usize) {
        if depth == MAX_DEPTH {
            return;
        }
        let table = record.table();
        for rule in table.rules {
            if rule.field.is_empty() {
                self.object(record, &rule.check);
            }
        }
        for (index, field) in table.fields.iter().enumerate() {
            let view = record.view(index);
            if matches!(view, View::Absent | View::Null) {
                continue;
            }
            let dot = if self.path.is_empty() { "" } else { "." };
            self.below(format_args!("{dot}{}", field.json), |walk| {
                for rule in table.rules.iter().filter(|rule| rule.field == field.json) {
                    walk.steps(view, rule.steps, &rule.check, field.is_sensitive());
                }
                walk.inner(view, depth + 1);
            });
        }
    }

    /// The objects within a value.
    fn inner(&mut self, view: View<'_>, depth: usize) {
        if depth >= MAX_DEPTH {
            return;
        }
        match view {
            View::Record(record) => self.record(record, depth),
            _ => self.each(view, |walk, item| walk.inner(item, depth + 1)),
        }
    }

    /// Each item of a list or value of a map.
    fn each(&mut self, view: View<'_>, mut what: impl FnMut(&mut Self, View<'_>)) {
        match view {
            View::List(list) => {
                for index in 0..list.len() {
                    self.below(format_args!("[{index}]"), |walk| what(walk, list.at(index)));
                }
            }
            View::Map(map) => {
                for (key, value) in (0..map.len()).filter_map(|index| map.at(index)) {
                    self.below(format_args!("[{key:?}]"), |walk| what(walk, value));
                }
            }
            _ => {}
        }
    }

    fn steps(&mut self, view: View<'_>, steps: u8, check: &Check, hidden: bool) {
        match steps {
            0 => {
                if let Some(message) = broken(view, check, hidden) {
                    self.say(message);
                }
            }
            _ => self.each(view, |walk, item| walk.steps(item, steps - 1, check, hidden)),
        }
    }

    fn object(&mut self, record: &dyn Record, check: &Check) {
        match check {
            Check::Fields(demand) if !holds(record, demand) => self.say(describe(demand)),
            Check::MinProperties(least) if set(record) < *least => {
                self.say(format!("fewer than {least} fields are set"));
            }
            Check::MaxProperties(most) if set(record) > *most => {
                self.say(format!("more than {most} fields are set"));
            }
            _ => {}
        }
    }
}

/// How many fields are written.
fn set(record: &dyn Record) -> u64 {
    let table = record.table();
    let known = table
        .fields
        .iter()
        .enumerate()
        .filter(|(index, field)| record.view(*index).is_written(field.presence()))
        .count();
    (known + record.rest().map_or(0, |rest| rest.len())) as u64
}

fn is_set(record: &dyn Record, name: &str) -> bool {
    let table = record.table();
    match table.find(name, 0) {
        Some(index) => record.view(index).is_written(table.fields[index].presence()),
        None => record.rest().is_some_and(|rest| rest.get(name).is_some()),
    }
}

fn holds(record: &dyn Record, demand: &Demand) -> bool {
    match demand {
        Demand::Set(names) => names.iter().all(|name| is_set(record, name)),
        Demand::Not(inner) => !holds(record, inner),
        Demand::One(demands) => demands.iter().filter(|demand| holds(record, demand)).count() == 1,
        Demand::Any(demands) => demands.iter().any(|demand| holds(record, demand)),
        Demand::All(demands) => demands.iter().all(|demand| holds(record, demand)),
    }
}

fn describe(demand: &Demand) -> String {
    let all = |demands: &[Demand]| demands.iter().map(phrase).collect::<Vec<_>>().join(", ");
    match demand {
        Demand::One(demands) => format!("exactly one of these must be set: {}", all(demands)),
        Demand::Any(demands) => format!("at least one of these must be set: {}", all(demands)),
        other => format!("the fields that are set break the rule: {}", phrase(other)),
    }
}

fn phrase(demand: &Demand) -> String {
    let all = |demands: &[Demand], word: &str| {
        let phrases: Vec<_> = demands.iter().map(phrase).collect();
        format!("({})", phrases.join(word))
    };
    match demand {
        Demand::Set(names) => names.join(" and "),
        Demand::Not(inner) => format!("not {}", phrase(inner)),
        Demand::One(demands) => all(demands, " xor "),
        Demand::Any(demands) => all(demands, " or "),
        Demand::All(demands) => all(demands, " and "),
    }
}

/// What is wrong with a value, if anything is.
fn broken(view: View<'_>, check: &Check, hidden: bool) -> Option<String> {
    match view {
        View::Absent | View::Null => None,
        View::I32(value) => number(f64::from(value), check),
        View::I64(value) => number(value as f64, check),
        View::F64(value) => number(value, check),
        View::IntOrString(value) => match (value.as_i64(), value.as_str()) {
            (Some(value), _) => number(value as f64, check),
            (_, Some(text)) => super::text_rules::text(text, check, hidden),
            _ => None,
        },
        View::Str(text) => super::text_rules::text(text, check, hidden),
        View::Quantity(quantity) => super::text_rules::text(quantity.as_str(), check, hidden),
        View::Bytes(bytes) => super::text_rules::text(&bytes.to_base64(), check, true),
        View::List(list) => items(list, check),
        View::Map(map) => entries(map, check),
        _ => None,
    }
}

fn number(value: f64, check: &Check) -> Option<String> {
    match *check {
        Check::Minimum(least) if value < least => Some(format!("{value} is less than {least}")),
        Check::Above(least) if value <= least => Some(format!("{value} is not above {least}")),
        Check::Maximum(most) if value > most => Some(format!("{value} is more than {most}")),
        Check::Below(most) if value >= most => Some(format!("{value} is not below {most}")),
        Check::MultipleOf(step) if step != 0.0 && (value / step).fract() != 0.0 => {
            Some(format!("{value} is no multiple of {step}"))
        }
        Check::Numbers(allowed) if !allowed.contains(&value) => {
            let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
            Some(format!("{value} is none of {}", allowed.join(", ")))
        }
        _ => None,
    }
}

fn items(list: &dyn List, check: &Check) -> Option<String> {
    let len = list.len() as u64;
    match check {
        Check::MinItems(least) if len < *least => Some(format!("{len} items, at least {least} are needed")),
        Check::MaxItems(most) if len > *most => Some(format!("{len} items, at most {most} are allowed")),
        Check::ListSet => twice(list, |a, b| a == b),
        Check::ListMap(keys) => twice(list, |a, b| match (a, b) {
            (View::Record(a), View::Record(b)) => keys.iter().all(|key| field(a, key) == field(b, key)),
            _ => false,
        }),
        _ => None,
    }
}

fn field<'a>(record: &'a dyn Record, name: &str) -> View<'a> {
    record
        .table()
        .find(name, 0)
        .map_or(View::Absent, |index| record.view(index))
}

fn twice(list: &dyn List, same: impl Fn(View<'_>, View<'_>) -> bool) -> Option<String> {
    (0..list.len()).find_map(|one| {
        let before = (0..one).find(|other| same(list.at(one), list.at(*other)))?;
        Some(format!("item {one} is item {before} once more"))
    })
}

fn entries(map: &dyn Mapping, check: &Check) -> Option<String> {
    let len = map.len() as u64;
    match check {
        Check::MinProperties(least) if len < *least => {
            Some(format!("{len} entries, at least {least} are needed"))
        }
        Check::MaxProperties(most) if len > *most => {
            Some(format!("{len} entries, at most {most} are allowed"))
        }
        _ => None,
    }
}
