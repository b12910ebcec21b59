//! Rows of figures, their ratios and goals, as a table for people and as JSON for machines.

use std::fmt::{self, Write as _};

use serde::Serialize;
use serde_json::{Value, json};

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Library {
    Kubeloom,
    ClientGo,
    KubeRs,
}

impl Library {
    /// All, in the order of the columns.
    pub(super) const ALL: [Self; 3] = [Self::Kubeloom, Self::ClientGo, Self::KubeRs];

    /// The name that users know.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kubeloom => "kubeloom",
            Self::ClientGo => "client-go",
            Self::KubeRs => "kube-rs",
        }
    }
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    Nanoseconds,
    Bytes,
    Count,
    Ratio,
}

/// A figure that was taken once or more often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Figure {
    /// The least: the one that was disturbed least.
    pub(super) least: f64,
    /// The one in the middle.
    pub(super) median: f64,
    /// How many there were.
    pub(super) samples: usize,
}

impl Figure {
    /// `None` without samples.
    pub(super) fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            least: *sorted.first()?,
            median: *sorted.get(sorted.len() / 2)?,
            samples: sorted.len(),
        })
    }
}

/// What a row has to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// The other takes at least so many times as much.
    Times(Library, f64),
    /// At most this part of what the other takes.
    Part(Library, f64),
    /// At most so much.
    AtMost(f64),
}

/// A line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) unit: Unit,
    /// In the order of [`Library::ALL`].
    pub(super) figures: [Option<Figure>; 3],
    pub(super) goals: Vec<Goal>,
}

impl Row {
    fn least(&self, library: Library) -> Option<f64> {
        Some(self.figures[library as usize]?.least)
    }

    /// How many times as much as Kubeloom the other takes.
    fn ratio(&self, other: Library) -> Option<f64> {
        let (ours, theirs) = (self.least(Library::Kubeloom)?, self.least(other)?);
        (ours > 0.0).then(|| theirs / ours)
    }

    /// Whether the goal is reached; `None` if a figure is missing.
    fn reached(&self, goal: Goal) -> Option<bool> {
        Some(match goal {
            Goal::Times(other, times) => self.ratio(other)? >= times,
            Goal::Part(other, part) => self.least(Library::Kubeloom)? <= self.least(other)? * part,
            Goal::AtMost(most) => self.least(Library::Kubeloom)? <= most,
        })
    }

    fn goal_text(&self, goal: Goal) -> String {
        match goal {
            Goal::Times(other, times) => format!("{times}x {}", other.name()),
            Goal::Part(other, part) => format!("<= {part} of {}", other.name()),
            Goal::AtMost(most) => format!("<= {}", amount(self.unit, most)),
        }
    }

    fn json(&self) -> Value {
        let figures = Library::ALL.iter().filter_map(|library| {
            let figure = self.figures[*library as usize]?;
            Some((library.name().to_owned(), json!(figure)))
        });
        let ratios = [Library::ClientGo, Library::KubeRs]
            .iter()
            .filter_map(|other| Some((other.name().to_owned(), json!(self.ratio(*other)?))));
        let goals = self
            .goals
            .iter()
            .map(|goal| json!({"goal": self.goal_text(*goal), "reached": self.reached(*goal)}));
        json!({
            "name": self.name, "unit": self.unit, "figures": figures.collect::<serde_json::Map<_, _>>(),
            "ratios": ratios.collect::<serde_json::Map<_, _>>(), "goals": goals.collect::<Vec<_>>(),
        })
    }
}

/// All that was measured.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// What the reader has to know: machine, versions, what is missing and why.
    pub(super) notes: Vec<String>,
    pub(super) rows: Vec<Row>,
}

impl Report {
    /// The report as JSON; figures are in the unit that stands beside them.
    pub(super) fn json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
        json!({"notes": self.notes, "rows": rows})
    }
}

const HEADS: [&str; 7] = [
    "least (median)",
    "kubeloom",
    "client-go",
    "kube-rs",
    "client-go x",
    "kube-rs x",
    "goal",
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEADS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(cells));
        let mut widths = [0; HEADS.len()];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for (number, line) in lines.iter().enumerate() {
            let mut text = String::new();
            for (column, (width, cell)) in widths.iter().zip(line).enumerate() {
                let _ = match column {
                    0 | 6 => write!(text, "{cell:width$}  "),
                    _ => write!(text, "{cell:>width$}  "),
                };
            }
            writeln!(f, "{}", text.trim_end())?;
            if number == 0 {
                writeln!(
                    f,
                    "{}",
                    "-".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1))
                )?;
            }
        }
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        Ok(())
    }
}

fn cells(row: &Row) -> [String; HEADS.len()] {
    let figure = |library: Library| match row.figures[library as usize] {
        None => "-".to_owned(),
        Some(figure) if figure.samples == 1 => amount(row.unit, figure.least),
        Some(figure) => format!(
            "{} ({})",
            amount(row.unit, figure.least),
            amount(row.unit, figure.median)
        ),
    };
    let ratio = |other| {
        row.ratio(other)
            .map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))
    };
    let goals = row.goals.iter().map(|goal| {
        let verdict = match row.reached(*goal) {
            Some(true) => "reached",
            Some(false) => "MISSED",
            None => "not measured",
        };
        format!("{}: {verdict}", row.goal_text(*goal))
    });
    [
        row.name.clone(),
        figure(Library::Kubeloom),
        figure(Library::ClientGo),
        figure(Library::KubeRs),
        ratio(Library::ClientGo),
        ratio(Library::KubeRs),
        goals.collect::<Vec<_>>().join(", "),
    ]
}

/// A figure with its unit, short enough for a cell.
fn amount(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Nanoseconds if value >= 1e9 => format!("{:.2} s", value / 1e9),
        Unit::Nanoseconds if value >= 1e6 => format!("{:.1} ms", value / 1e6),
        Unit::Nanoseconds if value >= 1e3 => format!("{:.1} µs", value / 1e3),
        Unit::Nanoseconds => format!("{value:.0} ns"),
        Unit::Bytes if value >= 1e6 => format!("{:.2} MB", value / 1e6),
        Unit::Bytes => format!("{value:.0} B"),
        Unit::Count => format!("{value:.1}"),
        Unit::Ratio => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(figures: [Option<f64>; 3], goals: Vec<Goal>) -> Row {
        let figures = figures.map(|value| Figure::of(&[value?]));
        Row {
            name: "row".to_owned(),
            unit: Unit::Nanoseconds,
            figures,
            goals,
        }
    }

    #[test]
    fn least_and_median_are_of_the_sorted_samples() {
        let figure = Figure::of(&[5.0, 1.0, 9.0]).unwrap();
        assert_eq!((figure.least, figure.median, figure.samples), (1.0, 5.0, 3));
        assert_eq!(Figure::of(&[]), None);
    }

    #[test]
    fn goals_are_judged_by_the_least_figures() {
        let times = |times| Goal::Times(Library::ClientGo, times);
        let part = |part| Goal::Part(Library::KubeRs, part);
        let cases = [
            ([Some(10.0), Some(100.0), None], times(10.0), Some(true)),
            ([Some(10.0), Some(99.0), None], times(10.0), Some(false)),
            ([Some(10.0), None, None], times(10.0), None),
            ([None, Some(99.0), None], times(10.0), None),
            ([Some(7.0), None, Some(10.0)], part(0.7), Some(true)),
            ([Some(7.1), None, Some(10.0)], part(0.7), Some(false)),
            ([Some(14.2), None, None], Goal::AtMost(14.2), Some(true)),
            ([Some(14.3), None, None], Goal::AtMost(14.2), Some(false)),
        ];
        for (figures, goal, expected) in cases {
            assert_eq!(
                row(figures, vec![goal]).reached(goal),
                expected,
                "{figures:?} {goal:?}"
            );
        }
    }

    #[test]
    fn what_was_not_measured_is_an_empty_cell_and_never_a_reached_goal() {
        let rows = vec![row(
            [Some(1e6), None, Some(3e9)],
            vec![Goal::Times(Library::ClientGo, 2.0)],
        )];
        let report = Report {
            notes: vec!["no Go".to_owned()],
            rows,
        };
        let text = report.to_string();
        let line = text.lines().nth(2).unwrap();
        assert_eq!(
            line.split_whitespace().collect::<Vec<_>>().join(" "),
            "row 1.0 ms - 3.00 s - 3000.00 2x client-go: not measured"
        );
        assert!(text.ends_with("no Go\n"));
        let json = report.json();
        assert_eq!(json["rows"][0]["figures"].as_object().unwrap().len(), 2);
        assert_eq!(json["rows"][0]["goals"][0]["reached"], Value::Null);
    }
}
