//! `kubeloom api-resources`, `api-versions` and `get` beside kubectl, on the same server: with custom resources, and with
//! an aggregated API whose server is not there.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use kubeloom_tests::apiserver::https::Call;
use kubeloom_tests::apiserver::{ApiServer, Credential};
use kubeloom_tests::{kubeloom_command, require_apiserver};
use serde_json::json;

/// kubectl; `None`, and loudly so, where there is none.
fn kubectl() -> Option<PathBuf> {
    let found = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|dir| dir.join("kubectl"))
        .find(|path| path.is_file());
    if found.is_none() {
        kubeloom_tests::apiserver::skipped("kubectl (no kubectl on the PATH)");
    }
    found
}

fn run(mut command: Command, server: &ApiServer, home: &Path, arguments: &[&str]) -> Output {
    // kubectl's cache would answer with the past.
    command
        .args(arguments)
        .env("KUBECONFIG", server.kubeconfig_path())
        .env("HOME", home)
        .env("KUBECACHEDIR", home);
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn create(server: &ApiServer, path: &str, object: &serde_json::Value) {
    let reply = server.call(
        Credential::Token(server.admin_token()),
        path,
        Call::Post {
            json: &object.to_string(),
        },
    );
    let reply = reply.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// Two versions of a resource with short names, categories and columns, and an API without a server.
fn install(server: &ApiServer) {
    let open = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    create(
        server,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        &json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.demo.example.com"},
        "spec": {"group": "demo.example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList", "shortNames": ["wd", "wdg"], "categories": ["all", "demo"]},
            "versions": [
                {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": open,
                    "additionalPrinterColumns": [
                        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                        {"name": "Note", "type": "string", "jsonPath": ".spec.note"},
                        {"name": "Hidden", "type": "string", "jsonPath": ".spec.hidden", "priority": 1}]},
                {"name": "v1beta1", "served": true, "storage": false, "schema": open}]}}),
    );
    create(
        server,
        "/apis/apiregistration.k8s.io/v1/apiservices",
        &json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.gone.example.com"},
        "spec": {"group": "gone.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10,
            "insecureSkipTLSVerify": true, "service": {"namespace": "default", "name": "nothing", "port": 443}}}),
    );
    let deadline = Instant::now() + Duration::from_secs(60);
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    loop {
        let groups = server.get("/apis", accept).unwrap().text();
        if groups.contains("\"Widget\"") && groups.contains("gone.example.com") {
            break;
        }
        assert!(
            Instant::now() < deadline,
            "the groups are not discovered: {groups}"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    create(
        server,
        "/api/v1/namespaces",
        &json!({"metadata": {"name": "demo"}}),
    );
    for (name, size, note) in [
        ("first", json!(3), json!("plain")),
        ("second-with-a-long-name", json!(null), json!("two\nlines ä")),
    ] {
        create(
            server,
            "/apis/demo.example.com/v1/namespaces/demo/widgets",
            &json!({
            "apiVersion": "demo.example.com/v1", "kind": "Widget", "metadata": {"name": name, "labels": {"name": name}},
            "spec": {"size": size, "note": note, "hidden": "h", "ratio": 1.5, "big": 9007199254740993_i64}}),
        );
    }
}

#[test]
fn rows_are_those_of_kubectl() {
    let server = require_apiserver!();
    let Some(kubectl) = kubectl() else { return };
    let home = tempfile::tempdir().unwrap();
    install(server);
    let run = |program: Command, line: &str| {
        run(program, server, home.path(), &line.split(' ').collect::<Vec<_>>())
    };
    for line in [
        "api-resources",
        "api-resources -o wide",
        "api-resources -o name",
        "api-resources --namespaced=false",
        "api-resources --namespaced",
        "api-resources --verbs=list,watch -o wide",
        "api-resources --api-group=demo.example.com",
        "api-resources --api-group=",
        "api-resources --categories=all",
        "api-resources --categories=all,demo -o name",
        "api-resources --categories=none",
        "api-resources --sort-by=name",
        "api-resources --sort-by=kind",
        "api-resources --no-headers",
        "api-versions",
    ] {
        let (theirs, ours) = (run(Command::new(&kubectl), line), run(kubeloom_command!(), line));
        assert!(
            theirs.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&theirs.stderr)
        );
        pretty_assertions::assert_eq!(text(&ours), text(&theirs), "{line}");
        // kubectl leaves the API that is down out without a word; it is said here, and the exit code tells scripts.
        let said = String::from_utf8_lossy(&ours.stderr).into_owned();
        assert!(
            said.contains("gone.example.com/v1") && ours.status.code() == Some(1),
            "{line}: {said}"
        );
    }
    for line in [
        "get widgets -n demo",
        "get wd -n demo -o wide",
        "get widget -A",
        "get wdg.demo -A -o wide",
        "get widgets.v1beta1.demo.example.com -n demo",
        "get widgets first -n demo",
        "get widgets -n demo -l name=first",
        "get widgets -n demo --no-headers",
        "get wd -A -o name",
        "get wd first -n demo -o json",
        "get wd -A -o json",
        "get ns",
        "get ns demo -o json",
        "get crd",
        "get crd -o name",
        "get apiservices -o wide",
        "get clusterroles",
        "get flowschemas",
        "get leases -A",
        "get nodes",
        "get cm -A -o json",
        "get priorityclasses.scheduling -o name",
    ] {
        let (theirs, ours) = (run(Command::new(&kubectl), line), run(kubeloom_command!(), line));
        assert!(
            theirs.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&theirs.stderr)
        );
        assert!(
            ours.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&ours.stderr)
        );
        pretty_assertions::assert_eq!(ages_out(text(&ours)), ages_out(text(&theirs)), "{line}");
    }
    for line in [
        "get gadgets",
        "get widgets nothing -n demo",
        "get things.gone.example.com",
    ] {
        let (theirs, ours) = (run(Command::new(&kubectl), line), run(kubeloom_command!(), line));
        assert_eq!(
            (theirs.status.code(), ours.status.code()),
            (Some(1), Some(1)),
            "{line}"
        );
        assert_eq!((text(&theirs), text(&ours)), ("", ""), "{line}");
    }
    let unknown = run(kubeloom_command!(), "get things.gone.example.com");
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        said.contains("gone.example.com/v1"),
        "the reason may be the API that is down: {said}"
    );
}

/// Ages go on between two commands: they count as one word, and spaces after them as one.
fn ages_out(text: &str) -> String {
    let is_age = |word: &str| {
        word.len() > 1
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.ends_with(['s', 'm', 'h', 'd'])
            && word.chars().all(|c| c.is_ascii_digit() || "smhd".contains(c))
    };
    let line = |line: &str| -> String {
        let words = line
            .split(' ')
            .map(|word| if is_age(word) { "AGE" } else { word });
        words.collect::<Vec<_>>().join(" ").trim_end().to_owned() + "\n"
    };
    text.lines().map(line).collect()
}
