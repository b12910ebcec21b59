//! `compare queue`: work queues, and a controller that does nothing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use super::peers;
use super::report::{Figure, Goal, Library, Report, Row, Unit};
use crate::say;

/// How many objects the controller has.
const OBJECTS: u32 = 10_000;

/// What is measured: as the programs call it, on how many threads, and as it is printed.
const MEASURED: [(&str, u32, &str); 8] = [
    ("integers", 1, "queue of integers, 1 thread"),
    ("integers", 8, "queue of integers, 8 threads"),
    ("names", 1, "queue of object names, 1 thread"),
    ("names", 8, "queue of object names, 8 threads"),
    ("first", 1, "10,000 objects listed and reconciled, 1 worker"),
    ("first", 8, "10,000 objects listed and reconciled, 8 workers"),
    ("again", 1, "10,000 objects reconciled again, 1 worker"),
    ("again", 8, "10,000 objects reconciled again, 8 workers"),
];

/// Arguments of `compare queue`.
#[derive(clap::Args, Debug)]
pub struct QueueArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// How many keys go through each queue
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u32).range(8..))]
    runs: u32,

    /// How often each program is started for each row
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
}

/// What a program took.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Sample {
    wall_ns: f64,
    cpu_ns: f64,
    runs: u32,
}

/// Measures and prints.
///
/// # Errors
/// When a program cannot be built or fails, or does something else than it is asked to.
pub fn run(args: &QueueArgs) -> Result<()> {
    let target = peers::target()?;
    let mut report = Report::default();
    report.notes.push(super::machine());
    let programs = peers::build_queues(&target, &mut report.notes)?;
    for (what, threads, title) in MEASURED {
        say(title);
        let count = match what {
            "integers" | "names" => args.runs,
            _ => OBJECTS,
        };
        let mut samples: [Vec<Sample>; 3] = Default::default();
        for _ in 0..args.repeats {
            for (library, program) in &programs {
                let sample = measure(program, what, count, threads)
                    .with_context(|| format!("{} {what}", library.name()))?;
                samples[*library as usize].push(sample);
            }
        }
        rows(title, matches!(what, "integers" | "names"), &samples, &mut report);
    }
    report.notes.push(
        "a run is one key: added, taken and done with; kube-rs has no queue of its own to compare".to_owned(),
    );
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json!(report.json()))?);
    } else {
        print!("{report}");
    }
    Ok(())
}

fn measure(program: &Path, what: &str, count: u32, threads: u32) -> Result<Sample> {
    let mut command = Command::new(program);
    command.args([what, &count.to_string(), &threads.to_string()]);
    let text = peers::output(&mut command)?;
    let sample: Sample = serde_json::from_str(&text).with_context(|| format!("it printed {text:?}"))?;
    let expected = match what {
        "again" => count * 20,
        "first" => count,
        _ => count / threads * threads,
    };
    ensure!(
        sample.runs == expected,
        "{} runs in place of {expected}",
        sample.runs
    );
    Ok(sample)
}

fn rows(title: &str, is_queue: bool, samples: &[Vec<Sample>; 3], report: &mut Report) {
    let figures = |of: fn(&Sample) -> f64| {
        Library::ALL.map(|library| {
            let each = samples[library as usize].iter();
            let each: Vec<f64> = each.map(|sample| of(sample) / f64::from(sample.runs)).collect();
            Figure::of(&each)
        })
    };
    let goals = || match is_queue {
        true => vec![Goal::Times(Library::ClientGo, 3.0)],
        false => Vec::new(),
    };
    let row = |what: &str, figures, goals| Row {
        name: format!("{title}: {what} per run"),
        unit: Unit::Nanoseconds,
        figures,
        goals,
    };
    let (wall, cpu) = (figures(|sample| sample.wall_ns), figures(|sample| sample.cpu_ns));
    report.rows.push(row("processor", cpu, goals()));
    report.rows.push(row("time", wall, Vec::new()));
}
