//! What types cost a compiler: time, memory, and the size of what comes out.
//!
//! Dependencies are built first and are no part of a figure; then the crate in question is cleaned and built alone. All
//! crates are built in one workspace with cargo's default profiles and without incremental compilation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use wait4::Wait4 as _;

use super::Clock;
use crate::commands::compare::peers;
use crate::commands::compare::report::{Figure, Goal, Library, Report, Row, Unit};
use crate::say;

/// A way to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Check,
    Dev,
    Release,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Check, Self::Dev, Self::Release];

    fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Dev => "dev build",
            Self::Release => "release build",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Check => &["check"],
            Self::Dev => &["build"],
            Self::Release => &["build", "--release"],
        }
    }
}

/// A crate to be compiled.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands::compare) struct Subject {
    library: Library,
    /// The package of the workspace that is built.
    package: &'static str,
    /// The package that is compiled anew; itself or one that it depends on.
    cleaned: &'static str,
}

pub(in crate::commands::compare) const fn subject(
    library: Library,
    package: &'static str,
    cleaned: &'static str,
) -> Subject {
    Subject {
        library,
        package,
        cleaned,
    }
}

/// Crates that are compared with one another.
pub(in crate::commands::compare) struct Group {
    pub(in crate::commands::compare) name: &'static str,
    pub(in crate::commands::compare) subjects: &'static [Subject],
    /// The goal of the dev build.
    pub(in crate::commands::compare) dev: &'static [Goal],
}

const OPENAPI: Subject = subject(Library::KubeRs, "types-k8s-openapi", "k8s-openapi");

const GROUPS: [Group; 4] = [
    Group {
        name: "API crate, whole (k8s-openapi: types alone)",
        subjects: &[
            subject(Library::Kubeloom, "types-kubeloom-all", "kubeloom-k8s"),
            OPENAPI,
        ],
        dev: &[Goal::Part(Library::KubeRs, 0.7)],
    },
    Group {
        name: "API crate, core_v1 and apps_v1 (k8s-openapi: whole)",
        subjects: &[
            subject(Library::Kubeloom, "types-kubeloom-core-apps", "kubeloom-k8s"),
            OPENAPI,
        ],
        dev: &[],
    },
    Group {
        name: "user that reads and writes three lists",
        subjects: &[
            subject(Library::Kubeloom, "read-kubeloom", "read-kubeloom"),
            subject(Library::KubeRs, "read-kube-rs", "read-kube-rs"),
        ],
        dev: &[],
    },
    Group {
        name: "user with a client that lists three kinds",
        subjects: &[
            subject(Library::Kubeloom, "list-kubeloom", "list-kubeloom"),
            subject(Library::KubeRs, "list-kube-rs", "list-kube-rs"),
        ],
        dev: &[],
    },
];

/// Bytes that three lists may add to an empty stripped binary.
const BINARY_BYTES: f64 = 1_100_000.0;

/// What a compilation took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Nanoseconds by the chosen clock.
    time: f64,
    /// The largest process, in bytes.
    memory: f64,
}

/// What was measured, by package and way.
type Costs = BTreeMap<(&'static str, Mode), Vec<Cost>>;

/// Adds the rows of compilation and binaries.
///
/// # Errors
/// When something does not build.
pub(super) fn rows(target: &Path, clock: Clock, repeats: u16, report: &mut Report) -> Result<()> {
    let target = target.join("compile");
    measure(&GROUPS, &target, clock, repeats, report)?;
    binary_rows(&target, report)
}

/// Adds the rows of compilation of some groups.
///
/// # Errors
/// When something does not build.
pub(in crate::commands::compare) fn measure(
    groups: &[Group],
    target: &Path,
    clock: Clock,
    repeats: u16,
    report: &mut Report,
) -> Result<()> {
    let subjects: BTreeMap<&str, Subject> = groups
        .iter()
        .flat_map(|group| group.subjects)
        .map(|one| (one.package, *one))
        .collect();
    let mut costs = Costs::new();
    for mode in Mode::ALL {
        for one in subjects.values() {
            say(&format!("{} of {}, dependencies first", mode.name(), one.package));
            build(target, one, mode, clock)?;
        }
        for _ in 0..repeats {
            for one in subjects.values() {
                let mut clean = peers::cargo(target);
                clean.args(["clean", "--quiet", "--package", one.cleaned]);
                peers::output(&mut clean)?;
                let cost = build(target, one, mode, clock)?;
                costs.entry((one.package, mode)).or_default().push(cost);
            }
        }
    }
    for group in groups {
        group_rows(group, &costs, report);
    }
    Ok(())
}

fn group_rows(group: &Group, costs: &Costs, report: &mut Report) {
    for mode in Mode::ALL {
        let mut row = |what: &str, unit, goals, pick: fn(&Cost) -> f64| {
            let figures = Library::ALL.map(|library| {
                let one = group.subjects.iter().find(|one| one.library == library)?;
                let samples = costs.get(&(one.package, mode))?.iter().map(pick);
                Figure::of(&samples.collect::<Vec<_>>())
            });
            let name = format!("{}: {}{what}", group.name, mode.name());
            report.rows.push(Row {
                name,
                unit,
                figures,
                goals,
            });
        };
        let goals = if mode == Mode::Dev {
            group.dev.to_vec()
        } else {
            Vec::new()
        };
        row("", Unit::Nanoseconds, goals, |cost| cost.time);
        row(", peak memory", Unit::Bytes, Vec::new(), |cost| cost.memory);
    }
}

fn build(target: &Path, subject: &Subject, mode: Mode, clock: Clock) -> Result<Cost> {
    let mut command = peers::cargo(target);
    command
        .args(mode.arguments())
        .args(["--quiet", "--package", subject.package])
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null());
    let start = Instant::now();
    let used = command
        .spawn()
        .and_then(|mut child| child.wait4())
        .context("start cargo")?;
    let wall = start.elapsed();
    ensure!(
        used.status.success(),
        "{} of {} failed",
        mode.name(),
        subject.package
    );
    let time = match clock {
        Clock::Wall => wall,
        Clock::Cpu => used.rusage.utime + used.rusage.stime,
    };
    Ok(Cost {
        time: time.as_nanos() as f64,
        memory: used.rusage.maxrss as f64,
    })
}

/// Stripped binaries, less an empty one of the same language.
fn binary_rows(target: &Path, report: &mut Report) -> Result<()> {
    let empty = binary(target, "empty")?;
    let over = |package| -> Result<Option<Figure>> { Ok(Figure::of(&[binary(target, package)? - empty])) };
    let go = go_binary_over_empty(target)?;
    let mut row = |what: &str, figures, goals| {
        let name = format!("stripped binary over an empty one: {what}");
        report.rows.push(Row {
            name,
            unit: Unit::Bytes,
            figures,
            goals,
        });
    };
    let at_most = vec![Goal::AtMost(BINARY_BYTES)];
    row(
        "reads and writes three lists",
        [over("read-kubeloom")?, None, over("read-kube-rs")?],
        at_most,
    );
    row(
        "client that lists three kinds",
        [over("list-kubeloom")?, go, over("list-kube-rs")?],
        Vec::new(),
    );
    Ok(())
}

fn binary(target: &Path, package: &str) -> Result<f64> {
    let mut command = peers::cargo(target);
    command.args([
        "rustc",
        "--quiet",
        "--release",
        "--package",
        package,
        "--",
        "-C",
        "strip=symbols",
    ]);
    peers::output(command.env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS"))?;
    size(&target.join("release").join(package))
}

fn go_binary_over_empty(target: &Path) -> Result<Option<Figure>> {
    let strip = ["-ldflags", "-s -w"];
    let list = peers::build_go(target, "./list", "list-client-go", &strip)?;
    let empty = peers::build_go(target, "./empty", "empty-go", &strip)?;
    let (Some(list), Some(empty)) = (list, empty) else {
        return Ok(None);
    };
    Ok(Figure::of(&[size(&list)? - size(&empty)?]))
}

fn size(path: &Path) -> Result<f64> {
    let metadata = fs::metadata(path).with_context(|| format!("read {}", path.display()))?;
    Ok(metadata.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_that_is_compiled_is_in_the_workspace_of_the_programs() {
        for subject in GROUPS.iter().flat_map(|group| group.subjects) {
            let manifest = peers::sources()
                .join("users")
                .join(subject.package)
                .join("Cargo.toml");
            let text = fs::read_to_string(&manifest).unwrap();
            assert!(
                text.contains(&format!("name = \"{}\"", subject.package)),
                "{}",
                manifest.display()
            );
            let compiles = subject.cleaned == subject.package || text.contains(subject.cleaned);
            assert!(compiles, "{} does not build {}", subject.package, subject.cleaned);
        }
    }
}
