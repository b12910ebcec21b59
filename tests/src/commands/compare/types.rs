//! `compare types`: decoding, encoding and memory of two corpora, and with `--compile` what types cost a compiler.

pub(super) mod compile;

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::peers::{self, Format, Peer, Sample, Total, Weight};
use super::report::{Figure, Goal, Library, Report, Row, Unit};
use crate::corpus::{Corpus, Files, MIXED, ONE_TEMPLATE};
use crate::say;

/// Live bytes per pod of [`ONE_TEMPLATE`] that are to be kept to.
const LIVE_BYTES: f64 = 14_200.0;

/// Arguments of `compare types`.
#[derive(clap::Args, Debug)]
pub struct TypesArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Measure compilation and binaries too; takes many minutes
    #[arg(long)]
    compile: bool,

    /// Measure compilation and binaries only
    #[arg(long, conflicts_with = "compile")]
    compile_only: bool,

    /// What times are taken by; on a busy machine the processor's are steadier, but count Go's collector on other cores
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    clock: Clock,

    /// How often each program is started for each row
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
}

/// What times are taken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Clock {
    /// The clock on the wall.
    Wall,
    /// The processor time of the process and, in compilation, of its children.
    Cpu,
}

/// Rounds in a process. The first is the cold one; warm ones are those from [`WARM_FROM`] on.
const ROUNDS: usize = 6;
/// The fifth round.
const WARM_FROM: usize = 4;

/// Measures and prints.
///
/// # Errors
/// When a program cannot be built or fails, or when the libraries do not agree about the data.
pub fn run(args: &TypesArgs) -> Result<()> {
    let target = peers::target()?;
    fs::create_dir_all(&target).with_context(|| format!("create {}", target.display()))?;
    let mut report = Report::default();
    report.notes.push(super::machine());
    if !args.compile_only {
        let peers = peers::build(&target, &mut report.notes)?;
        for corpus in [ONE_TEMPLATE, MIXED] {
            say(&format!("corpus {}", corpus.name));
            let files = corpus.write(&target.join("corpus"))?;
            agree(&peers, &corpus, &files, &mut report)?;
            time_rows(&peers, &corpus, &files, args, &mut report)?;
            memory_rows(&peers, &corpus, &files, &mut report)?;
        }
    }
    if args.compile || args.compile_only {
        compile::rows(&target, args.clock, args.repeats, &mut report)?;
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json!(report.json()))?);
    } else {
        print!("{report}");
    }
    Ok(())
}

/// Has client-go read the JSON and write protobuf: what is compared must be the same data.
fn agree(peers: &[Peer], corpus: &Corpus, files: &[Files], report: &mut Report) -> Result<()> {
    let Some(peer) = peers.iter().find(|peer| peer.library == Library::ClientGo) else {
        return Ok(());
    };
    peer.translate(files)?;
    for one in files {
        let theirs = one.json.with_extension("go.protobuf");
        let same = fs::read(&theirs)? == fs::read(&one.protobuf)?;
        ensure!(
            same,
            "{}: client-go makes other protobuf of the JSON than Kubeloom: {} and {}",
            one.kind,
            theirs.display(),
            one.protobuf.display()
        );
        fs::remove_file(&theirs)?;
    }
    report.notes.push(format!(
        "{}: client-go makes the same protobuf of the JSON, to the byte, as Kubeloom ({} lists)",
        corpus.name,
        files.len()
    ));
    Ok(())
}

type ByLibrary<T> = BTreeMap<Library, T>;

fn time_rows(
    peers: &[Peer],
    corpus: &Corpus,
    files: &[Files],
    args: &TypesArgs,
    report: &mut Report,
) -> Result<()> {
    for (op, format) in [
        ("decode", Format::Json),
        ("decode", Format::Protobuf),
        ("encode", Format::Json),
        ("encode", Format::Protobuf),
    ] {
        let mut runs: ByLibrary<Vec<Vec<Sample>>> = BTreeMap::new();
        let mut totals: ByLibrary<Total> = BTreeMap::new();
        for _ in 0..args.repeats {
            for peer in peers.iter().filter(|peer| peer.speaks(format)) {
                let (samples, total) = peer.time(op, format, ROUNDS, files)?;
                runs.entry(peer.library).or_default().push(samples);
                totals.insert(peer.library, total);
            }
        }
        check_totals(op, format, &totals)?;
        let name = format!("{}: {op} {}", corpus.name, format.title());
        let goals = if op == "decode" {
            decode_goals(format)
        } else {
            Vec::new()
        };
        let time = |sample: &Sample| match args.clock {
            Clock::Wall => sample.wall_ns,
            Clock::Cpu => sample.cpu_ns,
        };
        let mut row = |name: String, goals: Vec<Goal>, pick: &dyn Fn(&[Sample]) -> Vec<f64>| {
            let figures = Library::ALL.map(|library| {
                let samples: Vec<f64> = runs.get(&library)?.iter().flat_map(|run| pick(run)).collect();
                Figure::of(&samples)
            });
            report.rows.push(Row {
                name,
                unit: Unit::Nanoseconds,
                figures,
                goals,
            });
        };
        row(format!("{name}, warm"), goals.clone(), &|run| {
            run.iter().skip(WARM_FROM).map(time).collect()
        });
        row(format!("{name}, cold"), goals, &|run| {
            run.iter().take(1).map(time).collect()
        });
        if op == "decode" {
            // Nothing is freed by hand in Go: its figure is zero and would be a lie.
            row(format!("{name}: free it"), Vec::new(), &|run| {
                run.iter()
                    .skip(WARM_FROM)
                    .map(|sample| sample.free_ns)
                    .filter(|free| *free > 0.0)
                    .collect()
            });
        }
    }
    Ok(())
}

fn decode_goals(format: Format) -> Vec<Goal> {
    match format {
        Format::Json => vec![
            Goal::Times(Library::KubeRs, 3.0),
            Goal::Times(Library::ClientGo, 10.0),
        ],
        Format::Protobuf => vec![Goal::Times(Library::ClientGo, 1.9)],
    }
}

/// All libraries must have worked on the same objects; encoded protobuf must have the same size.
fn check_totals(op: &str, format: Format, totals: &ByLibrary<Total>) -> Result<()> {
    let Some(ours) = totals.get(&Library::Kubeloom) else {
        return Ok(());
    };
    for (library, theirs) in totals {
        let same = theirs.items == ours.items
            && (theirs.bytes == ours.bytes || (op, format) == ("encode", Format::Json));
        ensure!(
            same,
            "{op} {}: {} did {theirs:?}, Kubeloom {ours:?}",
            format.title(),
            library.name()
        );
    }
    Ok(())
}

fn memory_rows(peers: &[Peer], corpus: &Corpus, files: &[Files], report: &mut Report) -> Result<()> {
    for format in [Format::Json, Format::Protobuf] {
        let mut weights: ByLibrary<Weight> = BTreeMap::new();
        for peer in peers.iter().filter(|peer| peer.speaks(format)) {
            weights.insert(peer.library, peer.weigh(format, files)?);
        }
        let name = format!("{}: per object from {}", corpus.name, format.title());
        let mut row = |what: &str, unit, goals, pick: &dyn Fn(&Weight) -> f64| {
            let figures = Library::ALL.map(|library| {
                let weight = weights.get(&library)?;
                Figure::of(&[pick(weight) / weight.items as f64])
            });
            report.rows.push(Row {
                name: format!("{name}, {what}"),
                unit,
                figures,
                goals,
            });
        };
        let goals = match corpus.name == ONE_TEMPLATE.name {
            true => vec![Goal::AtMost(LIVE_BYTES)],
            false => Vec::new(),
        };
        row("live", Unit::Bytes, goals, &|weight| weight.live_bytes);
        row("resident", Unit::Bytes, Vec::new(), &|weight| {
            weight.resident_bytes
        });
        row("allocations held", Unit::Count, Vec::new(), &|weight| {
            weight.live_allocations
        });
        row("allocations made", Unit::Count, Vec::new(), &|weight| {
            weight.allocations
        });
    }
    Ok(())
}
