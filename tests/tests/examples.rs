//! The examples of the README run against the real apiserver.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use kubeloom_tests::apiserver::{ApiServer, Credential, https::Call};
use kubeloom_tests::require_apiserver;

/// An example, as `cargo run --example` would start it.
fn example(server: &ApiServer, name: &str) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "kubeloom-tests",
            "--example",
            name,
            "--",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("KUBECONFIG", server.kubeconfig_path());
    command
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn create(server: &ApiServer, path: &str, json: &str) {
    let reply = server
        .call(Credential::Token(server.admin_token()), path, Call::Post { json })
        .unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
}

#[test]
fn pods_are_listed_as_a_table() {
    let server = require_apiserver!();
    let namespace = server.namespace("list-pods").unwrap();
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0"},"spec":{"containers":[{"name":"a","image":"b"}]}}"#;
    create(server, &format!("/api/v1/namespaces/{namespace}/pods"), pod);
    let table = run(&mut example(server, "list_pods"));
    let row = table
        .lines()
        .find(|line| line.starts_with(&namespace))
        .unwrap_or_else(|| panic!("{table}"));
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        [&namespace, "web-0", "Pending", "0/1"]
    );
}

#[test]
fn a_deployment_is_created_scaled_and_deleted() {
    let server = require_apiserver!();
    let namespace = server.namespace("deployment").unwrap();
    let said = run(example(server, "deployment").arg(&namespace));
    assert_eq!(said, "created web with 1 replicas\nscaled to 3\ndeleted\n");
}

#[test]
fn a_kind_of_ones_own_is_defined_and_used() {
    let server = require_apiserver!();
    let namespace = server.namespace("website").unwrap();
    let said = run(example(server, "website").arg(&namespace));
    assert_eq!(
        said,
        "websites.examples.kubeloom.dev is established\nfront at example.com: Some(WebsiteStatus { ready: true })\n\
         refused: true\ndeleted\n"
    );
}

#[test]
fn config_maps_are_watched() {
    let server = require_apiserver!();
    let namespace = server.namespace("watch").unwrap();
    let mut watcher = example(server, "watch_config_maps")
        .arg(&namespace)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watcher.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(
        first.starts_with(&format!("watching {namespace} from version ")),
        "{first}"
    );
    let object = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"},"data":{"a":"1"}}"#;
    create(
        server,
        &format!("/api/v1/namespaces/{namespace}/configmaps"),
        object,
    );
    assert_eq!(lines.next().unwrap().unwrap(), "added     one (1 keys)");
    watcher.kill().unwrap();
    watcher.wait().unwrap();
}

#[test]
fn a_leader_is_elected_and_tells_of_it() {
    let server = require_apiserver!();
    let namespace = server.namespace("leader").unwrap();
    let mut leader = example(server, "leader")
        .arg(&namespace)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(leader.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().ends_with(" stands for election"));
    assert!(next().contains(" leads, term "));
    assert_eq!(next(), "reaped");
    leader.kill().unwrap();
    leader.wait().unwrap();
}

#[test]
fn pods_are_kept_in_memory() {
    let server = require_apiserver!();
    let namespace = server.namespace("informer").unwrap();
    let path = format!("/api/v1/namespaces/{namespace}/pods");
    let pod = |name: &str| {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","labels":{{"app":"{name}"}}}},"spec":{{"containers":[{{"name":"a","image":"b"}}]}}}}"#
        )
    };
    create(server, &path, &pod("web"));
    create(server, &path, &pod("db"));
    let mut informer = example(server, "informer")
        .args([&namespace, "app in (web)"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(informer.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    let mut found = [next(), next()];
    found.sort();
    assert_eq!(found, ["found    db Pending", "found    web Pending"]);
    assert_eq!(
        next(),
        format!("2 pods in {namespace}, 1 of them match, 2 wait for a node")
    );
    create(server, &path, &pod("late"));
    assert_eq!(next(), "added    late Pending");
    informer.kill().unwrap();
    informer.wait().unwrap();
}

#[test]
fn a_controller_by_hand_does_what_the_one_by_controller_does() {
    let server = require_apiserver!();
    for how in ["by-hand", "controller"] {
        let namespace = server.namespace(how).unwrap();
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let object = |name: &str| {
            format!(
                r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"a":"1","b":"2"}}}}"#
            )
        };
        create(server, &path, &object("early"));
        let mut controller = example(server, "two_controllers")
            .args([&namespace, how])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(controller.stdout.take().unwrap()).lines();
        let mut next = || lines.next().unwrap().unwrap();
        assert_eq!(next(), format!("{namespace}/early has 2 entries"), "{how}");
        create(server, &path, &object("late"));
        assert_eq!(next(), format!("{namespace}/late has 2 entries"), "{how}");
        // As Ctrl-C: it ends by itself.
        let interrupted = Command::new("kill")
            .args(["-INT", &controller.id().to_string()])
            .status()
            .unwrap();
        assert!(
            interrupted.success() && controller.wait().unwrap().success(),
            "{how}"
        );
    }
}
