//! Clusters of several ages, by what they answer: aggregated or legacy discovery, OpenAPI v3 or v2 alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use support::forms::{document, legacy, v2};
use support::http::{Answer, Server};
use support::{crate_of, demo};

const GROUP: &str = "/apis/demo.example.com/v1";

fn not_found() -> Answer {
    Answer {
        code: 404,
        content_type: "text/plain",
        body: "404 page not found".to_owned(),
    }
}

/// An answer of aggregated discovery: known by its content type.
fn aggregated(body: &Value) -> Answer {
    Answer {
        content_type: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        ..Answer::json(body.to_string())
    }
}

fn version() -> (&'static str, Answer) {
    (
        "/version",
        Answer::json(r#"{"gitVersion": "v1.20.0", "major": "1", "minor": "20+", "buildDate": "2020"}"#),
    )
}

/// What servers without aggregated discovery say.
fn old_discovery() -> Vec<(&'static str, Answer)> {
    let group = json!({"name": "demo.example.com", "versions": [{"groupVersion": "demo.example.com/v1", "version": "v1"},
        {"groupVersion": "demo.example.com/v1alpha1", "version": "v1alpha1"}]});
    vec![
        (
            "/api",
            Answer::json(json!({"kind": "APIVersions", "versions": ["v1"]}).to_string()),
        ),
        (
            "/api/v1",
            Answer::json(
                json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": []}).to_string(),
            ),
        ),
        (
            "/apis",
            Answer::json(json!({"kind": "APIGroupList", "groups": [group]}).to_string()),
        ),
        (GROUP, Answer::json(legacy().to_string())),
        // The server of this one is down.
        (
            "/apis/demo.example.com/v1alpha1",
            Answer {
                code: 503,
                content_type: "text/plain",
                body: "service unavailable".to_owned(),
            },
        ),
    ]
}

fn open_api_v3() -> Vec<(&'static str, Answer)> {
    let index = json!({"paths": {
        "apis/demo.example.com/v1": {"serverRelativeURL": "/openapi/v3/apis/demo.example.com/v1?hash=ABC"},
        "version": {"serverRelativeURL": "/openapi/v3/version?hash=DEF"}}});
    vec![
        ("/openapi/v3", Answer::json(index.to_string())),
        (
            "/openapi/v3/apis/demo.example.com/v1",
            Answer::json(document("openapi.json").to_string()),
        ),
    ]
}

fn crds() -> (&'static str, Answer) {
    let spec = json!({"group": "mill.example.com", "names": {"plural": "sails", "kind": "Sail"}, "scope": "Namespaced", "conversion": {"strategy": "Webhook", "webhook": {"clientConfig":
        {"caBundle": "Y2E=", "service": {"name": "a", "namespace": "b"}}}}, "versions": [{"name": "v1", "served": false, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]});
    let item = |name: &str| json!({"metadata": {"name": name, "uid": "1-2", "managedFields": [{}]}, "spec": spec, "status": {}});
    let list = json!({"kind": "CustomResourceDefinitionList", "apiVersion": "apiextensions.k8s.io/v1",
        "items": [item("frees.demo.example.com"), item("../../escape"), item("clusters.demo.example.com")]});
    (
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        Answer::json(list.to_string()),
    )
}

/// What a run said and the paths of the files it wrote, given answers.
struct Run {
    said: String,
    asked: Vec<String>,
    folder: tempfile::TempDir,
}

fn run(words: &[&str], answers: Vec<(&str, Answer)>) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let answers: BTreeMap<_, _> = answers
        .into_iter()
        .map(|(path, answer)| (path.to_owned(), answer))
        .collect();
    let server = Server::start(answers, not_found());
    let config = server.kubeconfig(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_kubeloom"))
        .args(words)
        .args(["--kubeconfig", &config, "--out"])
        .arg(folder.path().join("demo"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    Run {
        said,
        asked: server.asked(),
        folder,
    }
}

fn below(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => below(&entry.path(), &format!("{name}/"), found),
            false => found.push(name),
        }
    }
    found.sort();
}

/// A name, the answers, and the files of a snapshot.
type Age = (&'static str, Vec<(&'static str, Answer)>, Vec<&'static str>);

/// The ages.
fn ages() -> Vec<Age> {
    let core = json!({"kind": "APIGroupDiscoveryList", "items": []});
    let new = vec![
        version(),
        ("/api", aggregated(&core)),
        ("/apis", aggregated(&document("discovery.json"))),
    ];
    let v2 = ("/openapi/v2", Answer::json(v2().to_string()));
    vec![
        (
            "today",
            [new.clone(), open_api_v3(), vec![v2.clone(), crds()]].concat(),
            vec![
                "crds/clusters.demo.example.com.json",
                "crds/frees.demo.example.com.json",
                "discovery/api.json",
                "discovery/apis.json",
                "openapi/v2.json",
                "openapi/v3/apis/demo.example.com/v1.json",
                "version.json",
            ],
        ),
        (
            "v2 only",
            [new, vec![v2.clone()]].concat(),
            vec![
                "discovery/api.json",
                "discovery/apis.json",
                "openapi/v2.json",
                "version.json",
            ],
        ),
        (
            "legacy discovery and v2 only",
            [old_discovery(), vec![version(), v2]].concat(),
            vec![
                "discovery/api/v1.json",
                "discovery/apis/demo.example.com/v1.json",
                "openapi/v2.json",
                "version.json",
            ],
        ),
        (
            "legacy discovery and v3",
            [old_discovery(), open_api_v3(), vec![version()]].concat(),
            vec![
                "discovery/api/v1.json",
                "discovery/apis/demo.example.com/v1.json",
                "openapi/v3/apis/demo.example.com/v1.json",
                "version.json",
            ],
        ),
    ]
}

#[test]
fn a_cluster_of_any_age_gives_the_same_crate() {
    let expected = crate_of(&demo()).files;
    // The crate's own documentation names the server's version.
    let is_code = |path: &&String| path.ends_with(".rs") && *path != "src/lib.rs";
    for (name, answers, _) in ages() {
        let run = run(&["generate"], answers);
        for path in expected.keys().filter(is_code) {
            let found = fs::read_to_string(run.folder.path().join("demo").join(path)).unwrap_or_default();
            assert!(found == expected[path], "{name}: {path}\n{found}");
        }
    }
}

#[test]
fn a_snapshot_has_what_the_cluster_says() {
    for (name, answers, expected) in ages() {
        let legacy = name.starts_with("legacy");
        let run = run(&["snapshot"], answers);
        let mut found = Vec::new();
        below(&run.folder.path().join("demo"), "", &mut found);
        assert_eq!(found, expected, "{name}");
        let read = |path: &str| fs::read_to_string(run.folder.path().join("demo").join(path)).unwrap();
        assert_eq!(
            read("version.json"),
            "{\n\"gitVersion\":\"v1.20.0\",\n\"major\":\"1\",\n\"minor\":\"20+\"\n}\n"
        );
        // What is down is said.
        assert_eq!(
            run.said
                .contains("warning[KL018]: left out: cannot get /apis/demo.example.com/v1alpha1: 503"),
            legacy,
            "{}",
            run.said
        );
        assert!(
            run.asked
                .iter()
                .any(|line| line.starts_with("/apis ") && line.contains("as=APIGroupDiscoveryList"))
        );
        assert_eq!(
            run.asked
                .iter()
                .any(|line| line.starts_with(&format!("{GROUP} "))),
            legacy,
            "{name}"
        );
        if name == "today" {
            let text = read("crds/frees.demo.example.com.json");
            for word in ["uid", "managedFields", "status", "caBundle"] {
                assert!(!text.contains(word), "{text}");
            }
            assert!(
                text.contains("\"service\"") && text.contains("\"name\":\"frees.demo.example.com\""),
                "{text}"
            );
        }
    }
}
