//! Builds the comparison programs when they are needed, and runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::report::Library;
use crate::corpus::Files;
use crate::{go, say};

/// What glibc does with freed memory depends on the luck of layout: it keeps it or gives it back and pays for the pages
/// again. Programs in Rust are told to keep it, all of them, so that warm rounds are warm.
const KEEP_FREED_MEMORY: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.trim_threshold=17179869184:glibc.malloc.mmap_threshold=33554432",
);

/// An encoding that a program is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Protobuf,
}

impl Format {
    /// As on the command line of the programs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Protobuf => "protobuf",
        }
    }

    /// As in prose.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Protobuf => "protobuf",
        }
    }
}

/// What a round took.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Sample {
    pub(super) wall_ns: f64,
    pub(super) cpu_ns: f64,
    pub(super) free_ns: f64,
}

/// What a run worked on; the same for all libraries, or they do not do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Total {
    pub(super) items: u64,
    pub(super) bytes: u64,
}

/// What is held after decoding.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Weight {
    pub(super) items: u64,
    pub(super) live_bytes: f64,
    pub(super) live_allocations: f64,
    pub(super) allocations: f64,
    pub(super) resident_bytes: f64,
}

/// A comparison program.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) library: Library,
    time: PathBuf,
    memory: PathBuf,
}

impl Peer {
    /// Whether the library has the encoding.
    pub(super) fn speaks(&self, format: Format) -> bool {
        self.library != Library::KubeRs || format == Format::Json
    }

    /// Times `decode` or `encode`, `rounds` times in a process of its own. The first sample is that of a fresh heap.
    pub(super) fn time(
        &self,
        op: &str,
        format: Format,
        rounds: usize,
        files: &[Files],
    ) -> Result<(Vec<Sample>, Total)> {
        let mut command = Command::new(&self.time);
        command.env(KEEP_FREED_MEMORY.0, KEEP_FREED_MEMORY.1);
        let text = self.run(command, op, format, rounds, files)?;
        let mut lines: Vec<&str> = text.lines().collect();
        let total = lines.pop().context("the program printed nothing")?;
        let samples = lines
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect::<Result<Vec<Sample>, _>>()?;
        ensure!(
            samples.len() == rounds,
            "{} samples of {rounds} rounds",
            samples.len()
        );
        Ok((samples, serde_json::from_str(total)?))
    }

    /// Weighs what is decoded.
    pub(super) fn weigh(&self, format: Format, files: &[Files]) -> Result<Weight> {
        let text = self.run(Command::new(&self.memory), "memory", format, 1, files)?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Has client-go decode the JSON and write protobuf beside it: `pods.json` to `pods.go.protobuf`.
    pub(super) fn translate(&self, files: &[Files]) -> Result<()> {
        self.run(Command::new(&self.time), "translate", Format::Json, 1, files)
            .map(drop)
    }

    fn run(
        &self,
        mut command: Command,
        op: &str,
        format: Format,
        rounds: usize,
        files: &[Files],
    ) -> Result<String> {
        command.args([op, format.name(), &rounds.to_string()]);
        for one in files {
            let path = match format {
                Format::Json => &one.json,
                Format::Protobuf => &one.protobuf,
            };
            command.arg(format!("{}={}", one.kind, path.display()));
        }
        output(&mut command).with_context(|| format!("{} {op} {}", self.library.name(), format.name()))
    }
}

/// Runs a command to its end; standard error is the reader's.
///
/// # Errors
/// When it does not start or does not succeed.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("start {program}"))?;
    ensure!(output.status.success(), "{program} ended with {}", output.status);
    String::from_utf8(output.stdout).with_context(|| format!("{program} printed something else than text"))
}

/// The folder of the programs' sources.
pub(super) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// Cargo, to be run in the workspace of the programs; what it builds goes to `target`.
pub(super) fn cargo(target: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(sources()).env("CARGO_TARGET_DIR", target);
    command
}

/// Where everything that is built and written goes: `compare` in the target folder of this workspace.
pub(super) fn target() -> Result<PathBuf> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let metadata: Value =
        serde_json::from_str(&output(&mut command)?).context("cargo metadata is not JSON")?;
    let folder = metadata["target_directory"]
        .as_str()
        .context("cargo metadata has no target_directory")?;
    Ok(Path::new(folder).join("compare"))
}

/// Builds the programs, or finds them built. Without Go that of client-go is missing, and `notes` says so.
///
/// # Errors
/// When a program does not build.
pub(super) fn build(target: &Path, notes: &mut Vec<String>) -> Result<Vec<Peer>> {
    let rust = |library, name: &str| Peer {
        library,
        time: target.join("release").join(name),
        memory: target.join("release").join(format!("{name}-memory")),
    };
    say("building the comparison programs (minutes at first, then cached)");
    // Each by itself: cargo would else turn on for both what one of them needs.
    for package in ["peer-kubeloom", "peer-kube-rs"] {
        let mut command = cargo(target);
        output(command.args(["build", "--quiet", "--release", "--package", package]))?;
    }
    let mut peers = vec![rust(Library::Kubeloom, "peer-kubeloom")];
    match build_go(target, ".", "peer-client-go", &[])? {
        Some(program) => peers.push(Peer {
            library: Library::ClientGo,
            time: program.clone(),
            memory: program,
        }),
        None => notes.push("client-go was not measured: no `go` on the PATH".to_owned()),
    }
    peers.push(rust(Library::KubeRs, "peer-kube-rs"));
    Ok(peers)
}

/// Builds the programs that make calls, as [`build`] does.
///
/// # Errors
/// When a program does not build.
pub(super) fn build_clients(target: &Path, notes: &mut Vec<String>) -> Result<Vec<(Library, PathBuf)>> {
    let programs = build_programs(target, "client", "./get", &[], notes)?;
    Ok(programs.into_iter().map(|one| (one.library, one.time)).collect())
}

/// Builds the programs that keep objects, as [`build`] does.
///
/// # Errors
/// When a program does not build.
pub(super) fn build_caches(
    target: &Path,
    without: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<Programs>> {
    build_programs(target, "cache", "./cache", without, notes)
}

/// The programs of a library: one to take times with and one that counts memory, which may be the same.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    pub(super) library: Library,
    pub(super) time: PathBuf,
    pub(super) memory: PathBuf,
}

/// The programs called `PREFIX-LIBRARY`; `package` is that in Go.
fn build_programs(
    target: &Path,
    prefix: &str,
    package: &str,
    without: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<Programs>> {
    say("building the programs (minutes at first, then cached)");
    let rust = |library: Library| {
        let name = format!("{prefix}-{}", library.name());
        let mut command = cargo(target);
        // Each by itself: cargo would else turn on for both what one of them needs.
        let arguments = ["build", "--quiet", "--release", "--locked", "--package", &name];
        output(command.args(arguments)).map(|_| Programs {
            library,
            time: target.join("release").join(&name),
            memory: target.join("release").join(format!("{name}-memory")),
        })
    };
    let is_wanted = |library: Library| !without.iter().any(|name| name == library.name());
    for name in without {
        notes.push(format!("{name} was left out"));
    }
    let mut programs = vec![rust(Library::Kubeloom)?];
    if is_wanted(Library::ClientGo) {
        match build_go(target, package, &format!("{prefix}-client-go"), &[])? {
            Some(program) => programs.push(Programs {
                library: Library::ClientGo,
                time: program.clone(),
                memory: program,
            }),
            None => notes.push("client-go was not measured: no `go` on the PATH".to_owned()),
        }
    }
    if is_wanted(Library::KubeRs) {
        programs.push(rust(Library::KubeRs)?);
    }
    Ok(programs)
}

/// Builds the programs that work with queues, as [`build`] does.
///
/// # Errors
/// When a program does not build.
pub(super) fn build_queues(target: &Path, notes: &mut Vec<String>) -> Result<Vec<(Library, PathBuf)>> {
    say("building the programs (minutes at first, then cached)");
    let mut command = cargo(target);
    output(command.args([
        "build",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "queue-kubeloom",
    ]))?;
    let mut programs = vec![(Library::Kubeloom, target.join("release/queue-kubeloom"))];
    match build_go(target, "./queue", "queue-client-go", &[])? {
        Some(program) => programs.push((Library::ClientGo, program)),
        None => notes.push("client-go was not measured: no `go` on the PATH".to_owned()),
    }
    Ok(programs)
}

/// Builds a Go program in `package` of the programs' module; `None` without Go.
///
/// # Errors
/// When it does not build.
pub(super) fn build_go(target: &Path, package: &str, name: &str, flags: &[&str]) -> Result<Option<PathBuf>> {
    if !go::available() {
        return Ok(None);
    }
    let program = target.join(name);
    let mut command = Command::new("go");
    command
        .current_dir(sources().join("client-go"))
        .env("GOWORK", "off")
        .env("GOFLAGS", "-mod=readonly");
    command
        .args(["build", "-trimpath", "-o"])
        .arg(&program)
        .args(flags)
        .arg(package);
    output(&mut command)?;
    Ok(Some(program))
}
