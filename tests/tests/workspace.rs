//! The workspace keeps to its own rules: which crate may depend on which, and the oldest Rust that builds it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

fn metadata() -> Value {
    let rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .arg("-vV")
        .output()
        .unwrap();
    let version = String::from_utf8(rustc.stdout).unwrap();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--all-features",
            "--locked",
            "--filter-platform",
            host,
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn members(metadata: &Value) -> BTreeMap<&str, &Value> {
    let ids: BTreeSet<&str> = metadata["workspace_members"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .filter(|package| ids.contains(text(package, "id")))
        .map(|package| (text(package, "name"), package))
        .collect()
}

/// Each crate and those of ours that it may link, beside tests. Generated crates stand on the runtime, those of custom resources
/// also on the crate of the Kubernetes API; the generator never depends on its output.
fn allowed(name: &str) -> &'static [&'static str] {
    match name {
        "kubeloom-derive" => &[],
        "kubeloom" => &["kubeloom-derive"],
        "kubeloom-codegen" => &["kubeloom"],
        "kubeloom-tests" => &["kubeloom", "kubeloom-codegen", "kubeloom-derive", "kubeloom-k8s"],
        "kubeloom-k8s" => &["kubeloom"],
        _ => &["kubeloom", "kubeloom-k8s"],
    }
}

#[test]
fn crates_depend_in_one_direction() {
    let metadata = metadata();
    let members = members(&metadata);
    assert!(members.len() >= 5, "{:?}", members.keys());
    for (name, package) in &members {
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = text(dependency, "name");
            let is_ours = other == "kubeloom" || other.starts_with("kubeloom-");
            let is_dev = text(dependency, "kind") == "dev";
            assert!(
                !is_ours || is_dev || allowed(name).contains(&other),
                "{name} may not depend on {other}"
            );
        }
    }
}

#[test]
fn every_crate_states_licence_and_oldest_rust_and_every_dependency_keeps_to_it() {
    let metadata = metadata();
    let members = members(&metadata);
    let ours = text(members["kubeloom"], "rust_version").to_owned();
    for (name, package) in &members {
        assert_eq!(text(package, "rust_version"), ours, "{name}");
        assert_eq!(text(package, "license"), "Apache-2.0", "{name}");
    }
    let number = |text: &str| -> Vec<u32> { text.split('.').map(|part| part.parse().unwrap()).collect() };
    for package in metadata["packages"].as_array().unwrap() {
        let theirs = text(package, "rust_version");
        if !theirs.is_empty() {
            assert!(
                number(theirs) <= number(&format!("{ours}.99")),
                "{} needs Rust {theirs}",
                text(package, "name")
            );
        }
    }
}
