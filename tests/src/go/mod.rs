//! Go programs of this crate, each built once per content.
//!
//! A binary is named after a hash of its sources and of the build's arguments, so a changed source is a new binary and
//! an unchanged one is never built again. Test binaries that run side by side wait for each other at a file lock.
//!
//! The module must not know what the programs do nor how they are run.

mod build;

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::say;

/// Overrides the folder of built binaries; several worktrees or CI jobs may share one, since names are hashes.
pub const CACHE_DIR_ENV: &str = "KUBELOOM_APISERVER_CACHE";

/// The folder's name below the Cargo target folder.
const CACHE_DIR_NAME: &str = "kubeloom-apiserver";

/// Whether a Go toolchain answers `go version`, so that programs can be built.
#[must_use]
pub fn available() -> bool {
    Command::new("go")
        .arg("version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A program to build, from where, to where.
#[derive(Clone, Debug)]
pub struct Program {
    source: PathBuf,
    name: String,
    linker_flags: String,
    binary: PathBuf,
}

impl Program {
    /// The main package in `folder` of this crate. `name` is what the binary is called before its hash and in
    /// messages, `linker_flags` what `go build -ldflags` gets.
    ///
    /// # Errors
    /// When the sources cannot be read.
    pub fn new(folder: &str, name: &str, linker_flags: &str) -> Result<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let hash = content_hash(&source, linker_flags)?;
        let binary = cache_dir().join(format!("{name}-{hash}{}", env::consts::EXE_SUFFIX));
        Ok(Self {
            source,
            name: name.to_owned(),
            linker_flags: linker_flags.to_owned(),
            binary,
        })
    }

    /// Whether the program can be had at all: its binary is built already, or Go is there to build it.
    #[must_use]
    pub fn obtainable(&self) -> bool {
        self.binary.is_file() || available()
    }

    /// Like [`obtainable`](Self::obtainable), but where the environment variable `CI` is set, what cannot be had is an
    /// error: tests may not be skipped there.
    ///
    /// # Errors
    /// When there is neither a binary nor Go, and `CI` is set.
    pub fn obtainable_or_skip(&self) -> Result<bool> {
        let ci = env::var_os("CI").is_some_and(|value| !value.is_empty());
        let obtainable = self.obtainable();
        ensure!(
            may_go_on(obtainable, ci),
            "no `go` on the PATH: tests that need {} may not be skipped where CI is set",
            self.name
        );
        Ok(obtainable)
    }

    /// The path of the binary, built first when its content is new.
    ///
    /// Blocks for the build (minutes for a large program with a cold Go cache) and for a build that another process has
    /// under way; both are announced on standard error.
    ///
    /// # Errors
    /// When the cache folder cannot be written or the build fails; the compiler's words go to standard error.
    pub fn build(self) -> Result<PathBuf> {
        if self.binary.is_file() {
            return Ok(self.binary);
        }
        let dir = self.binary.parent().context("the cache folder has no name")?;
        fs::create_dir_all(dir).with_context(|| format!("create {}", dir.display()))?;
        let lock_path = dir.join("lock");
        let lock = File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
        if lock.try_lock().is_err() {
            say(&format!(
                "waiting for another process that builds, to build {}",
                self.name
            ));
            lock.lock().context("lock the cache folder")?;
        }
        if !self.binary.is_file() {
            self.build_in(dir)?;
        }
        Ok(self.binary)
    }

    /// Builds beside the final name and renames, so that a binary that is there is whole.
    fn build_in(&self, dir: &Path) -> Result<()> {
        let name = &self.name;
        ensure!(
            available(),
            "{name} is not built yet and there is no `go` on the PATH to build it"
        );
        say(&format!("building {name} (once; cached afterwards)"));
        let started = Instant::now();
        // With the process's id: the compiler of a killed build may still be writing.
        let partial = dir.join(format!("{}.partial", process::id()));
        build::build(name, &self.source, &self.linker_flags, &partial)?;
        fs::rename(&partial, &self.binary).with_context(|| format!("move the built {name} to its place"))?;
        say(&format!("built {name} in {} s", started.elapsed().as_secs()));
        Ok(())
    }
}

/// Says that a test is skipped for want of Go.
pub fn skipped(test: &str) {
    say(&format!("SKIPPED {test}: no `go` on the PATH"));
}

fn may_go_on(obtainable: bool, ci: bool) -> bool {
    obtainable || !ci
}

/// 16 hexadecimal digits over the Go sources, the module files, the arguments and the platform.
fn content_hash(source: &Path, linker_flags: &str) -> Result<String> {
    let mut names: Vec<PathBuf> = fs::read_dir(source)
        .with_context(|| format!("read {}", source.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    names.retain(|path| {
        path.extension()
            .is_some_and(|extension| matches!(extension.to_str(), Some("go" | "mod" | "sum")))
    });
    names.sort();
    let mut hash = Sha256::new();
    for part in [linker_flags, env::consts::OS, env::consts::ARCH] {
        hash.update(part);
        hash.update([0]);
    }
    for path in names {
        let content = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        hash.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    Ok(hash
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// `KUBELOOM_APISERVER_CACHE`, or `kubeloom-apiserver` below the target folder.
fn cache_dir() -> PathBuf {
    match env::var_os(CACHE_DIR_ENV) {
        Some(dir) if !dir.is_empty() => PathBuf::from(dir),
        _ => target_dir().join(CACHE_DIR_NAME),
    }
}

/// The target folder that this executable was built into: the one Cargo has tagged; else what Cargo would take.
fn target_dir() -> PathBuf {
    let tagged = env::current_exe().ok().and_then(|exe| {
        exe.ancestors()
            .find(|dir| dir.join("CACHEDIR.TAG").is_file())
            .map(Path::to_path_buf)
    });
    tagged
        .or_else(|| env::var_os("CARGO_TARGET_DIR").map(PathBuf::from))
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuous_integration_may_not_skip() {
        let cases = [
            (true, true, true),
            (true, false, true),
            (false, false, true),
            (false, true, false),
        ];
        for (obtainable, ci, expected) in cases {
            assert_eq!(
                may_go_on(obtainable, ci),
                expected,
                "obtainable {obtainable}, CI {ci}"
            );
        }
    }

    #[test]
    fn hash_follows_content_names_and_flags_only() {
        let dir = tempfile::tempdir().unwrap();
        let hash = |flags: &str| content_hash(dir.path(), flags).unwrap();
        fs::write(dir.path().join("main.go"), "package main").unwrap();
        let first = hash("a");
        assert_eq!(first, hash("a"));
        assert_ne!(first, hash("b"), "flags count");
        fs::write(dir.path().join("README.md"), "notes").unwrap();
        assert_eq!(first, hash("a"), "notes do not count");
        fs::write(dir.path().join("go.sum"), "").unwrap();
        let second = hash("a");
        assert_ne!(first, second, "a new file counts");
        fs::rename(dir.path().join("go.sum"), dir.path().join("go.mod")).unwrap();
        assert_ne!(second, hash("a"), "names count");
    }
}
