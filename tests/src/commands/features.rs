//! Each feature of a generated crate compiles alone.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A few features that stand for the others: no dependencies, many, and types only.
const SOME: [&str; 4] = ["apps_v1", "core_v1", "coordination_v1", "rbac_v1"];

/// Arguments of `features`.
#[derive(clap::Args, Debug)]
pub struct FeaturesArgs {
    /// The crate.
    #[arg(long, default_value = "kubeloom-k8s")]
    package: String,
    /// Check a few instead of all.
    #[arg(long)]
    some: bool,
}

/// Checks the features one by one and names those that do not compile.
///
/// # Errors
/// When a feature does not compile, or the crate has none.
pub fn run(args: FeaturesArgs) -> Result<()> {
    let all = features(&args.package)?;
    let chosen: Vec<&String> = all
        .iter()
        .filter(|feature| !args.some || SOME.contains(&feature.as_str()))
        .collect();
    ensure!(!chosen.is_empty(), "{} has no features to check", args.package);
    let mut failed = Vec::new();
    for feature in &chosen {
        let output = cargo()
            .args([
                "check",
                "--quiet",
                "--package",
                &args.package,
                "--no-default-features",
                "--features",
                feature,
            ])
            .env("RUSTFLAGS", "-D warnings")
            .output()
            .context("cargo does not start")?;
        let verdict = if output.status.success() { "ok" } else { "FAILED" };
        println!("{feature} ... {verdict}");
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            failed.push(feature.as_str());
        }
    }
    if !failed.is_empty() {
        bail!(
            "{} of {} features do not compile alone: {}",
            failed.len(),
            chosen.len(),
            failed.join(", ")
        );
    }
    println!("{} features of {} compile alone", chosen.len(), args.package);
    Ok(())
}

fn features(package: &str) -> Result<Vec<String>> {
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata has no packages")?;
    let found = packages.iter().find(|one| one["name"] == package);
    let features = found.and_then(|one| one["features"].as_object());
    let features = features.with_context(|| format!("no package {package} in this workspace"))?;
    Ok(features
        .keys()
        .filter(|feature| *feature != "default")
        .cloned()
        .collect())
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    command
}
