//! `compare derive`: ten kinds derived by Kubeloom and by kube-derive, of the same fields, keys and documentation.
//!
//! Both crates derive serde's traits and `JsonSchema` for the same types beside; what differs is the kind. The text of an
//! expansion and the compiler's time for it are asked of the compiler by options that are not stable
//! (`RUSTC_BOOTSTRAP=1`).

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::peers;
use super::report::{Figure, Goal, Library, Report, Row, Unit};
use super::types::Clock;
use super::types::compile::{self, Group, subject};
use crate::say;

/// Arguments of `compare derive`.
#[derive(clap::Args, Debug)]
pub struct DeriveArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// How often each crate is compiled in each way
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,

    /// The clock of compilation
    #[arg(long, value_enum, default_value = "cpu")]
    clock: Clock,
}

/// Both crates: the library and its package.
const PACKAGES: [(Library, &str); 2] = [
    (Library::Kubeloom, "derive-kubeloom"),
    (Library::KubeRs, "derive-kube-rs"),
];

const KINDS: Group = Group {
    name: "ten derived kinds",
    subjects: &[
        subject(Library::Kubeloom, "derive-kubeloom", "derive-kubeloom"),
        subject(Library::KubeRs, "derive-kube-rs", "derive-kube-rs"),
    ],
    dev: &[Goal::Part(Library::KubeRs, 1.0)],
};

/// Measures and prints.
///
/// # Errors
/// When a crate does not build, or when the two do not define the same kinds.
pub fn run(args: &DeriveArgs) -> Result<()> {
    let target = peers::target()?.join("derive");
    let mut report = Report::default();
    report.notes.push(super::machine());
    say("the definitions of both, which have to be of the same kinds");
    let mut kinds = Vec::new();
    for (_, package) in PACKAGES {
        kinds.push(definitions(&target, package)?);
    }
    ensure!(
        kinds[0] == kinds[1],
        "the kinds differ: {} and {}",
        kinds[0],
        kinds[1]
    );
    compile::measure(&[KINDS], &target, args.clock, args.repeats, &mut report)?;
    expansion(&target, args.repeats, &mut report)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json!(report.json()))?);
    } else {
        print!("{report}");
    }
    Ok(())
}

/// What both say of their kinds; schemas differ in details.
fn definitions(target: &Path, package: &str) -> Result<Value> {
    let mut command = peers::cargo(target);
    let text = peers::output(command.args(["run", "--quiet", "--package", package]))?;
    let mut all: Value = serde_json::from_str(&text)?;
    for one in all.as_array_mut().into_iter().flatten() {
        let names = &one["spec"]["names"];
        let properties = &one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
        let fields = |part: &str| -> Vec<String> {
            let fields = properties[part]["properties"].as_object();
            fields
                .into_iter()
                .flat_map(|fields| fields.keys().cloned())
                .collect()
        };
        *one = json!({
            "names": [names["plural"], names["kind"], names["shortNames"]],
            "spec": fields("spec"), "status": fields("status"), "scope": one["spec"]["scope"],
        });
    }
    Ok(all)
}

/// The text of the expansion, and the compiler's time for expanding.
fn expansion(target: &Path, repeats: u16, report: &mut Report) -> Result<()> {
    let (mut lines, mut times): ([Option<Figure>; 3], [Option<Figure>; 3]) = Default::default();
    for (library, package) in PACKAGES {
        say(&format!("expansion of {package}"));
        let text = rustc(target, package, "unpretty=expanded", &[])?.0;
        lines[library as usize] = Figure::of(&[text.lines().count() as f64]);
        let mut samples = Vec::new();
        for _ in 0..repeats {
            peers::output(peers::cargo(target).args(["clean", "--quiet", "--package", package]))?;
            let said = rustc(target, package, "time-passes", &[])?;
            samples.push(seconds(&said.0, &said.1, "macro_expand_crate")? * 1e9);
        }
        times[library as usize] = Figure::of(&samples);
    }
    let mut row = |name: &str, unit, figures| {
        report.rows.push(Row {
            name: format!("ten derived kinds: {name}"),
            unit,
            figures,
            goals: Vec::new(),
        });
    };
    row("lines of the expanded crate, all derives", Unit::Count, lines);
    row(
        "expansion of macros, all derives (wall time)",
        Unit::Nanoseconds,
        times,
    );
    Ok(())
}

/// Checks a package with an unstable option of the compiler; both outputs.
fn rustc(target: &Path, package: &str, option: &str, more: &[&str]) -> Result<(String, String)> {
    let mut command = peers::cargo(target);
    command
        .args([
            "rustc",
            "--quiet",
            "--profile",
            "check",
            "--package",
            package,
            "--",
            "-Z",
            option,
        ])
        .args(more);
    let output = command
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .output();
    let output = output.context("start cargo")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    ensure!(output.status.success(), "-Z {option} of {package}: {stderr}");
    Ok((stdout, stderr))
}

/// The seconds of a pass in what `-Z time-passes` prints: `time:   0.123; rss: ...  pass`.
fn seconds(stdout: &str, stderr: &str, pass: &str) -> Result<f64> {
    let lines = stdout.lines().chain(stderr.lines());
    let found = lines
        .filter(|line| line.trim_end().ends_with(pass))
        .find_map(|line| {
            let (_, rest) = line.split_once("time:")?;
            rest.split(';').next()?.trim().parse().ok()
        });
    found.with_context(|| format!("the compiler says nothing of {pass}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_found() {
        let said = "time:   0.001; rss:   50MB ->   51MB (   +1MB)\tparse_crate\n\
            time:   0.125; rss:   51MB ->   98MB (  +47MB)\tmacro_expand_crate\n";
        assert_eq!(seconds("", said, "macro_expand_crate").unwrap(), 0.125);
        assert!(seconds(said, "", "nothing").is_err());
    }
}
