//! A build of a Go program that says how far it is.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::say;

/// A cold build compiles more than a thousand packages; a line this often shows that it lives.
const PROGRESS_EVERY: Duration = Duration::from_secs(15);

/// Builds the main package in `source`, called `name` in messages, into the file `output`.
pub(super) fn build(name: &str, source: &Path, linker_flags: &str, output: &Path) -> Result<()> {
    let mut child = Command::new("go")
        .args([
            "build",
            "-v",
            "-mod=readonly",
            "-trimpath",
            "-buildvcs=false",
            "-ldflags",
            linker_flags,
            "-o",
        ])
        .arg(output)
        .arg(".")
        .current_dir(source)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("run `go build`")?;
    let lines = BufReader::new(child.stderr.take().context("the pipe from `go build`")?).lines();
    let mut progress = Progress::new(name);
    let mut complaints = Vec::new();
    for line in lines.map_while(Result::ok) {
        match Line::of(&line) {
            Line::Download => progress.downloads += 1,
            Line::Package => progress.packages += 1,
            Line::Complaint => complaints.push(line),
        }
        progress.report();
    }
    let status = child.wait().context("wait for `go build`")?;
    if !status.success() {
        bail!(
            "`go build` of {} failed ({status}):\n{}",
            source.display(),
            complaints.join("\n")
        );
    }
    Ok(())
}

/// What a line on the standard error of `go build -v` says.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Download,
    /// An import path alone: the package has been compiled.
    Package,
    Complaint,
}

impl Line {
    fn of(line: &str) -> Self {
        if line.starts_with("go: downloading ") {
            Self::Download
        } else if line.is_empty() || line.contains([' ', '\t', ':']) {
            Self::Complaint
        } else {
            Self::Package
        }
    }
}

/// Counts, said aloud now and then.
struct Progress<'a> {
    name: &'a str,
    started: Instant,
    reported: Instant,
    downloads: usize,
    packages: usize,
}

impl<'a> Progress<'a> {
    fn new(name: &'a str) -> Self {
        let now = Instant::now();
        Self {
            name,
            started: now,
            reported: now,
            downloads: 0,
            packages: 0,
        }
    }

    fn report(&mut self) {
        if self.reported.elapsed() < PROGRESS_EVERY {
            return;
        }
        self.reported = Instant::now();
        say(&format!(
            "building {}: {} modules downloaded, {} packages compiled, {} s",
            self.name,
            self.downloads,
            self.packages,
            self.started.elapsed().as_secs(),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_lines_are_told_apart() {
        let cases = [
            ("go: downloading k8s.io/api v0.37.2", Line::Download),
            ("k8s.io/apiserver/pkg/storage", Line::Package),
            ("errors", Line::Package),
            ("# kubeloom.dev/tests/apiserver", Line::Complaint),
            ("./main.go:12:2: undefined: x", Line::Complaint),
            ("main.go:12:2:undefined", Line::Complaint),
            ("\tindented", Line::Complaint),
            ("", Line::Complaint),
        ];
        for (line, expected) in cases {
            assert_eq!(Line::of(line), expected, "{line:?}");
        }
    }

    #[test]
    fn failed_build_quotes_the_compiler() {
        if !crate::go::available() {
            say("SKIPPED failed_build_quotes_the_compiler: no `go` on the PATH");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("go.mod"), "module broken\n\ngo 1.20\n").unwrap();
        std::fs::write(
            dir.path().join("main.go"),
            "package main\n\nfunc main() { missing() }\n",
        )
        .unwrap();
        let error = build("broken", dir.path(), "", &dir.path().join("out")).unwrap_err();
        assert!(error.to_string().contains("undefined: missing"), "{error}");
    }
}
