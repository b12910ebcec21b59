//! The methods of the generated clients equal what discovery offers, and what client-go has, but for what is listed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};

use kubeloom_tests::commands::{client_go, tables};

type Methods = BTreeMap<String, BTreeSet<String>>;

fn read(text: &str) -> Methods {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (resource, methods) = line.split_once(':').unwrap();
            (
                resource.to_owned(),
                methods.split_whitespace().map(str::to_owned).collect(),
            )
        })
        .collect()
}

fn file(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// client-go's folder for a group: its first label, but for two.
fn folder(group: &str) -> &str {
    match group {
        "internal.apiserver.k8s.io" => "apiserverinternal",
        other => other.split('.').next().unwrap(),
    }
}

/// Our methods by client-go's habits: it reads and patches subresources through `Get` and `Patch` with a subresource as an
/// argument, and has connections, evictions and bindings in hand-written expansions.
fn as_client_go(methods: &BTreeSet<String>) -> BTreeSet<String> {
    let generic = ["Get", "Patch", "Apply"];
    methods
        .iter()
        .filter(|name| {
            let hand_written = [
                "Connect",
                "GetLog",
                "CreateBinding",
                "CreateEviction",
                "UpdateFinalize",
            ];
            let of_subresource = generic
                .iter()
                .any(|verb| name.starts_with(verb) && name.len() > verb.len());
            let kept = ["GetScale", "ApplyScale", "ApplyStatus"].contains(&name.as_str());
            !hand_written.iter().any(|prefix| name.starts_with(prefix)) && (!of_subresource || kept)
        })
        .cloned()
        .collect()
}

#[test]
fn tables_are_fresh() {
    for (path, text) in tables::tables().unwrap() {
        assert_eq!(file(path), text, "{path}: cargo run -p kubeloom-tests -- tables");
    }
}

#[test]
fn methods_equal_client_gos_but_for_what_is_listed() {
    let ours = read(&file("facts/methods.txt"));
    let theirs = read(&file(client_go::TABLE));
    let listed = read(&file("facts/method-differences.txt"));
    let (mut compared, mut differences) = (0, Methods::new());
    for (resource, methods) in &ours {
        let (group_version, plural) = resource.split_once(' ').unwrap();
        let (group, version) = group_version.split_once('/').unwrap();
        let Some(theirs) = theirs.get(&format!("{}/{version} {plural}", folder(group))) else {
            continue;
        };
        compared += 1;
        let ours = as_client_go(methods);
        let more = ours.difference(theirs).map(|name| format!("+{name}"));
        let less = theirs.difference(&ours).map(|name| format!("-{name}"));
        let difference: BTreeSet<String> = more.chain(less).collect();
        if !difference.is_empty() {
            differences.insert(resource.clone(), difference);
        }
    }
    pretty_assertions::assert_eq!(differences, listed);
    assert!(compared >= 85, "{compared} resources compared");
}
