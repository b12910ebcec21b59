//! Builds the server program once per content and hands out its path.
//!
//! The program is `tests/apiserver` (Go). Its binary is named after a hash of its sources and of the build's
//! arguments, so a changed source is a new binary and an unchanged one is never built again. Test binaries that run
//! side by side wait for each other at a file lock.
//!
//! The module must not know how the program is run.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::go::{self, go_available};
use super::say;

/// Overrides the folder of built binaries; several worktrees or CI jobs may share one, since names are hashes.
pub const CACHE_DIR_ENV: &str = "KUBELOOM_APISERVER_CACHE";

/// The folder's name below the Cargo target folder.
const CACHE_DIR_NAME: &str = "kubeloom-apiserver";

/// The module whose version is the version of the server.
const KUBERNETES_MODULE: &str = "k8s.io/kubernetes";

/// The package whose variables `/version` reports (`k8s.io/component-base/version/base.go`).
const VERSION_PACKAGE: &str = "k8s.io/component-base/version";

/// Whether a server can be had at all: its binary is built already, or Go is there to build it.
///
/// # Errors
/// When the program's sources cannot be read.
pub fn obtainable() -> Result<bool> {
    Ok(Plan::new()?.binary.is_file() || go_available())
}

/// The path of the server's binary, built first when its content is new.
///
/// Blocks for the build (minutes with a cold Go cache) and for a build that another process has under way; both are
/// announced on standard error.
///
/// # Errors
/// When the sources cannot be read, the cache folder not written, or the build fails; the compiler's words go to
/// standard error.
pub fn build() -> Result<PathBuf> {
    let plan = Plan::new()?;
    if plan.binary.is_file() {
        return Ok(plan.binary);
    }
    let dir = plan.binary.parent().context("the cache folder has no name")?;
    fs::create_dir_all(dir).with_context(|| format!("create {}", dir.display()))?;
    let lock_path = dir.join("lock");
    let lock = File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
    if lock.try_lock().is_err() {
        say("waiting for another process that builds kube-apiserver");
        lock.lock().context("lock the cache folder")?;
    }
    if !plan.binary.is_file() {
        plan.build(dir)?;
    }
    Ok(plan.binary)
}

/// What to build, from where, to where.
struct Plan {
    source: PathBuf,
    binary: PathBuf,
    version: String,
    linker_flags: String,
}

impl Plan {
    fn new() -> Result<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("apiserver");
        let version = required_version(
            &fs::read_to_string(source.join("go.mod")).context("read tests/apiserver/go.mod")?,
            KUBERNETES_MODULE,
        )?;
        let linker_flags = linker_flags(&version)?;
        let hash = content_hash(&source, &linker_flags)?;
        let name = format!("kube-apiserver-{version}-{hash}{}", env::consts::EXE_SUFFIX);
        let binary = cache_dir().join(name);
        Ok(Self {
            source,
            binary,
            version,
            linker_flags,
        })
    }

    /// Builds beside the final name and renames, so that a binary that is there is whole.
    fn build(&self, dir: &Path) -> Result<()> {
        ensure!(
            go_available(),
            "kube-apiserver is not built yet and there is no `go` on the PATH to build it"
        );
        say(&format!(
            "building kube-apiserver {} (minutes, once; cached afterwards)",
            self.version
        ));
        let started = Instant::now();
        // With the process's id: the compiler of a killed build may still be writing.
        let partial = dir.join(format!("{}.partial", process::id()));
        go::build(&self.source, &self.linker_flags, &partial)?;
        fs::rename(&partial, &self.binary).context("move the built kube-apiserver to its place")?;
        say(&format!(
            "built kube-apiserver {} in {} s",
            self.version,
            started.elapsed().as_secs()
        ));
        Ok(())
    }
}

/// `go build -ldflags` that set what `/version` reports. Without them the server calls itself `v0.0.0-master` and
/// clients take it for an ancient one.
fn linker_flags(version: &str) -> Result<String> {
    let mut parts = version.trim_start_matches('v').split('.');
    let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
        bail!("{KUBERNETES_MODULE} has the version {version:?}, not vMAJOR.MINOR.PATCH");
    };
    let set = |name: &str, value: &str| format!(" -X {VERSION_PACKAGE}.{name}={value}");
    Ok(format!(
        "-s -w{}{}{}{}{}",
        set("gitVersion", version),
        set("gitMajor", major),
        set("gitMinor", minor),
        set("gitCommit", ""),
        set("gitTreeState", "clean"),
    ))
}

/// The version that `go.mod` requires of `module`.
fn required_version(go_mod: &str, module: &str) -> Result<String> {
    go_mod
        .lines()
        .map(|line| line.trim().trim_start_matches("require "))
        .filter(|line| !line.contains("=>"))
        .find_map(|line| {
            line.strip_prefix(module)?
                .strip_prefix(' ')?
                .split_whitespace()
                .next()
        })
        .map(str::to_owned)
        .with_context(|| format!("tests/apiserver/go.mod requires no {module}"))
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
    fn version_is_the_required_one() {
        let cases = [
            ("require k8s.io/kubernetes v1.37.2\n", Some("v1.37.2")),
            (
                "require (\n\tk8s.io/kubernetes v1.37.2 // indirect\n)\n",
                Some("v1.37.2"),
            ),
            (
                "require (\n\tk8s.io/kubernetes-csi v0.1.0\n\tk8s.io/kubernetes v1.36.0\n)\n",
                Some("v1.36.0"),
            ),
            (
                "replace (\n\tk8s.io/kubernetes => ../kubernetes v1.0.0\n)\n",
                None,
            ),
            ("module k8s.io/kubernetes\n", None),
            ("", None),
        ];
        for (go_mod, expected) in cases {
            let version = required_version(go_mod, KUBERNETES_MODULE).ok();
            assert_eq!(version.as_deref(), expected, "{go_mod:?}");
        }
    }

    #[test]
    fn version_flags_name_major_and_minor() {
        let flags = linker_flags("v1.37.2").unwrap();
        for expected in ["gitVersion=v1.37.2", "gitMajor=1", "gitMinor=37"] {
            assert!(flags.contains(expected), "{flags}");
        }
        assert!(linker_flags("v1").is_err());
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
