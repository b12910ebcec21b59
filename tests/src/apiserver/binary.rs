//! The server program, `tests/apiserver` (Go).
//!
//! The module must not know how the program is run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::go::Program;

/// The module whose version is the version of the server.
const KUBERNETES_MODULE: &str = "k8s.io/kubernetes";

/// The package whose variables `/version` reports (`k8s.io/component-base/version/base.go`).
const VERSION_PACKAGE: &str = "k8s.io/component-base/version";

/// The program, to be built with [`Program::build`]: minutes, once.
///
/// # Errors
/// When the program's sources cannot be read.
pub fn program() -> Result<Program> {
    let go_mod = Path::new(env!("CARGO_MANIFEST_DIR")).join("apiserver/go.mod");
    let go_mod = fs::read_to_string(go_mod).context("read tests/apiserver/go.mod")?;
    let version = required_version(&go_mod, KUBERNETES_MODULE)?;
    Program::new(
        "apiserver",
        &format!("kube-apiserver-{version}"),
        &linker_flags(&version)?,
    )
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
}
