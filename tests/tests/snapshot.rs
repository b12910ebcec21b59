//! Snapshots of the real server and crates from them, through the command line.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use kubeloom_codegen::output;
use kubeloom_codegen::sources::{self, Source};
use kubeloom_codegen::{Manifest, Options, generate};
use kubeloom_tests::apiserver::https::Call;
use kubeloom_tests::apiserver::{ApiServer, Credential};
use kubeloom_tests::{command_line, kubeloom_command, require_apiserver};
use serde_json::{Value, json};

/// Runs `kubeloom` and expects this exit code; what it says on both ways.
fn kubeloom(arguments: &[&str], code: i32) -> String {
    let output = kubeloom_command!().args(arguments).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// The files of a folder by path below it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let documents = sources::read(&[Source::Path(folder.to_owned())]).unwrap();
    documents
        .iter()
        .map(|document| (document.path.clone(), document.bytes.clone()))
        .collect()
}

fn assert_same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    pretty_assertions::assert_eq!(names(found), names(expected), "{what}");
    for (path, bytes) in found {
        assert!(expected[path] == *bytes, "{what}: {path} differs");
    }
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A definition with a field of each kind and what a snapshot must leave behind.
fn definition() -> Value {
    let schema = json!({"type": "object", "required": ["spec"], "description": "A sail of a mill.", "properties": {
        "spec": {"type": "object", "required": ["cloth"], "properties": {
            "cloth": {"type": "string", "description": "What it is made of.", "enum": ["linen", "hemp"]},
            "description": {"type": "string"},
            "size": {"x-kubernetes-int-or-string": true},
            "reefs": {"type": "array", "items": {"type": "integer", "format": "int32"}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
        "status": {"type": "object", "properties": {"turning": {"type": "boolean"}}}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "sails.mill.example.com", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "spec": {"group": "mill.example.com", "scope": "Namespaced",
            "names": {"plural": "sails", "singular": "sail", "kind": "Sail", "listKind": "SailList", "shortNames": ["sl"]},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Cloth", "type": "string", "jsonPath": ".spec.cloth",
                    "description": "The cloth."}],
                "schema": {"openAPIV3Schema": schema}}]}})
}

/// Creates the definition and waits until the server publishes it.
fn publish(server: &ApiServer) {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let credential = Credential::Token(server.admin_token());
    let reply = server
        .call(
            credential,
            path,
            Call::Post {
                json: &definition().to_string(),
            },
        )
        .unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    let deadline = Instant::now() + Duration::from_secs(30);
    let served = |path: &str, word: &str| {
        let reply = server.get(path, "application/json").unwrap();
        reply.status == 200 && reply.text().contains(word)
    };
    while !(served("/openapi/v3/apis/mill.example.com/v1", "sails")
        && served("/openapi/v2", "com.example.mill.v1.Sail")
        && served("/apis/mill.example.com/v1", "sails/status"))
    {
        assert!(
            Instant::now() < deadline,
            "the server does not publish the definition"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    // Aggregated discovery follows within its refresh.
    std::thread::sleep(Duration::from_millis(1500));
}

/// One test, since the second part adds to the server that the first looks at.
#[test]
fn snapshots_of_the_real_server() {
    let server = require_apiserver!();
    let config = server.kubeconfig_path().display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let snapshot = |out: &str, more: &[&str]| {
        kubeloom(
            &[&["snapshot", "--kubeconfig", &config, "--out", out], more].concat(),
            0,
        )
    };

    let said = snapshot(&at("first"), &["--no-descriptions"]);
    assert!(
        said.contains("files, ") && said.contains("Next: kubeloom generate"),
        "{said}"
    );
    snapshot(&at("second"), &["--no-descriptions"]);
    let first = files(Path::new(&at("first")));
    assert_same(&files(Path::new(&at("second"))), &first, "two snapshots");
    for wanted in [
        "version.json",
        "openapi/v2.json",
        "openapi/v3/api/v1.json",
        "discovery/apis.json",
    ] {
        assert!(first.contains_key(wanted), "{wanted}");
    }
    let bundle = files(&repository().join("codegen/specs/kubernetes-1.37"));
    assert_same(
        &first,
        &bundle,
        "the embedded bundle is a snapshot of this server; take it again",
    );

    from_the_live_server(&config, &at("live"));

    publish(server);
    snapshot(&at("bare"), &["--no-descriptions"]);
    let bare = files(Path::new(&at("bare")));
    assert_definition(&bare["crds/sails.mill.example.com.json"]);
    let more: Vec<_> = bare.keys().filter(|path| !first.contains_key(*path)).collect();
    assert_eq!(
        more,
        [
            "crds/sails.mill.example.com.json",
            "openapi/v3/apis/mill.example.com/v1.json"
        ]
    );
    snapshot(&at("told"), &[]);
    let told = files(Path::new(&at("told")));
    let text = String::from_utf8_lossy(&told["crds/sails.mill.example.com.json"]).into_owned();
    assert!(
        text.contains("What it is made of.") && text.contains("The cloth."),
        "{text}"
    );
    a_crate_that_compiles(&at("told"), Path::new(&at("mill")));
}

/// `generate` from the server itself gives what the bundle gives.
fn from_the_live_server(config: &str, out: &str) {
    kubeloom(
        &[
            "generate",
            "--kubeconfig",
            config,
            "--name",
            "kubeloom-k8s",
            "--workspace",
            "--out",
            out,
        ],
        0,
    );
    let options = Options {
        manifest: Manifest::Workspace,
        ..Options::new("kubeloom-k8s")
    };
    let mut expected = generate(&sources::embedded(), &options).unwrap().files;
    // The raw documents have other sums than the bundle's, and descriptions.
    expected.remove("kubeloom.lock.json");
    let code = |text: &str| {
        let facts = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        facts.collect::<Vec<_>>().join("\n")
    };
    for (path, text) in expected {
        let found = fs::read_to_string(Path::new(out).join(&path)).unwrap();
        assert!(
            code(&found) == code(&text),
            "{path} is other code from the server than from the bundle"
        );
    }
    assert!(
        output::compare(Path::new(out), &BTreeMap::new())
            .unwrap()
            .missing
            .is_empty()
    );
}

fn assert_definition(bytes: &[u8]) {
    let value: Value = serde_json::from_slice(bytes).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&value), ["apiVersion", "kind", "metadata", "spec"]);
    assert_eq!(value["metadata"], json!({"name": "sails.mill.example.com"}));
    let version = &value["spec"]["versions"][0];
    assert_eq!(
        version["additionalPrinterColumns"],
        json!([{"name": "Cloth", "type": "string", "jsonPath": ".spec.cloth"}])
    );
    let spec = &version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    // A field of that name is no description.
    assert_eq!(spec["description"], json!({"type": "string"}));
    assert_eq!(
        spec["cloth"],
        json!({"type": "string", "enum": ["linen", "hemp"]})
    );
}

fn a_crate_that_compiles(snapshot: &str, out: &Path) {
    let runtime = repository()
        .join("runtime")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    let shown = out.display().to_string();
    kubeloom(
        &[
            "generate",
            snapshot,
            "--groups",
            "mill.example.com",
            "--runtime-path",
            &runtime,
            "--out",
            &shown,
        ],
        0,
    );
    kubeloom(&["generate", snapshot, "--out", &shown, "--check"], 0);
    let sail = fs::read_to_string(out.join("src/mill_v1/sail.rs")).unwrap();
    for part in [
        "/// A sail of a mill.",
        "/// What it is made of.",
        "pub cloth: SailCloth,",
        "pub reefs: Option<Vec<i32>>,",
        "pub size: Option<IntOrString>,",
        "const PROTOBUF: bool = false;",
    ] {
        assert!(sail.contains(part), "{part}: {sail}");
    }
    // The versions of the workspace, so that nothing is fetched and what is compiled already serves.
    fs::write(
        out.join("Cargo.toml"),
        fs::read_to_string(out.join("Cargo.toml")).unwrap() + "\n[workspace]\n",
    )
    .unwrap();
    fs::copy(repository().join("Cargo.lock"), out.join("Cargo.lock")).unwrap();
    let check = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline", "--all-features", "--target-dir"])
        .arg(command_line::target_dir().unwrap())
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
        .current_dir(out)
        .output()
        .unwrap();
    assert!(
        check.status.success(),
        "{}",
        String::from_utf8_lossy(&check.stderr)
    );
}

/// What people see whose server is not the one they trust, or who may not read.
#[test]
fn a_server_that_is_not_trusted_and_a_user_that_is_not_allowed() {
    let server = require_apiserver!();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let out = folder.path().join("out").display().to_string();
    let authority = |config: &str| {
        let line = config
            .lines()
            .find(|line| line.contains("certificate-authority-data"))
            .unwrap()
            .to_owned();
        config.replace(&(line + "\n"), "")
    };
    let untrusted = write("untrusted", &authority(&server.kubeconfig()));
    let anonymous = write("anonymous", &server.kubeconfig_for(Credential::Anonymous));
    let wrong = write(
        "wrong",
        &server.kubeconfig_for(Credential::Token("n0-such-t0ken")),
    );
    for (config, parts) in [
        (
            &untrusted,
            &[
                "/version: ",
                "certificate",
                "not trusted",
                "certificate-authority",
            ][..],
        ),
        (
            &anonymous,
            &["403 Forbidden", "system:anonymous", "system:discovery"],
        ),
        (&wrong, &["401 Unauthorized", "credentials"]),
    ] {
        let said = kubeloom(&["snapshot", "--kubeconfig", config, "--out", &out], 1);
        let errors = said.lines().filter(|line| line.starts_with("error")).count();
        assert_eq!(errors, 1, "{said}");
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(
            !said.contains("n0-such-t0ken") && !said.contains(server.admin_token()),
            "{said}"
        );
    }
    assert!(!Path::new(&out).exists());
}
