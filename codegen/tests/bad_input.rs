//! What people see when their input is wrong: one message that says what, where and what to do; exit code 1; no panic; no secret.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use support::http::{Answer, Server, TOKEN, kubeconfig};
use support::path;

/// Runs the binary in a folder; what it says on standard error, with the folder written as `DIR` and ports as `PORT`.
fn said(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubeloom"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("KUBECONFIG")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .env("HOME", folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(
        !text.contains("panicked") && !text.contains(TOKEN),
        "{arguments:?}: {text}"
    );
    assert!(!folder.join("out").exists(), "{arguments:?}");
    let text = text.replace(&folder.display().to_string(), "DIR");
    let mut parts = text.split("127.0.0.1:");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str("127.0.0.1:PORT");
        shown.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    shown
}

/// Compares with the committed text; `KUBELOOM_UPDATE=1` writes it.
fn expect(name: &str, found: &str) {
    let starts = |word: &str| found.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!(
        (starts("error"), starts("error[KL"), starts("warning")),
        (1, 1, 0),
        "one message: {found}"
    );
    let file = path(&format!("tests/expected/messages/{name}.txt"));
    if std::env::var_os("KUBELOOM_UPDATE").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        found,
        expected,
        "{} (KUBELOOM_UPDATE=1 writes it)",
        file.display()
    );
}

/// Two documents that make a crate.
fn good() -> (String, String) {
    let read = |name: &str| fs::read_to_string(path("tests/fixtures/demo").join(name)).unwrap();
    (read("openapi.json"), read("discovery.json"))
}

#[test]
fn documents() {
    let (openapi, discovery) = good();
    let cut = openapi.get(..openapi.len() / 2).unwrap().to_owned();
    let dangling = openapi.replace(
        "schemas/com.example.demo.v1.Size\"",
        "schemas/com.example.demo.v1.Gone\"",
    );
    let twice = openapi.replace(
        r#""phase": {"type": "string"}"#,
        r#""phase": {"type": "integer"}"#,
    );
    assert!(dangling != openapi && twice != openapi);
    let pod = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}"#.to_owned();
    let html = "<!DOCTYPE html>\n<html><body>Please log in</body></html>\n".to_owned();
    let yaml = "openapi: 3.0.0\ninfo: {}\n".to_owned();
    for (name, files) in [
        (
            "truncated-json",
            vec![("openapi.json", &cut), ("discovery.json", &discovery)],
        ),
        (
            "wrong-document",
            vec![
                ("openapi.json", &openapi),
                ("discovery.json", &discovery),
                ("pod.json", &pod),
            ],
        ),
        (
            "dangling-reference",
            vec![("openapi.json", &dangling), ("discovery.json", &discovery)],
        ),
        (
            "two-types-of-one-name",
            vec![
                ("a.json", &openapi),
                ("b.json", &twice),
                ("discovery.json", &discovery),
            ],
        ),
        (
            "html",
            vec![("openapi.json", &html), ("discovery.json", &discovery)],
        ),
        (
            "yaml",
            vec![("openapi.json", &yaml), ("discovery.json", &discovery)],
        ),
        ("no-openapi", vec![("discovery.json", &discovery)]),
        ("no-discovery", vec![("openapi.json", &openapi)]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("api")).unwrap();
        for (file, text) in files {
            fs::write(folder.path().join("api").join(file), text).unwrap();
        }
        expect(
            name,
            &said(folder.path(), &["generate", "api", "--out", "out"], 1),
        );
    }
    let folder = tempfile::tempdir().unwrap();
    expect(
        "no-such-file",
        &said(folder.path(), &["generate", "api", "--out", "out"], 1),
    );
    expect(
        "no-such-group",
        &said(
            folder.path(),
            &["generate", "--groups", "apps/v2", "--out", "out"],
            1,
        ),
    );
    fs::create_dir(folder.path().join("empty")).unwrap();
    expect(
        "empty-folder",
        &said(folder.path(), &["generate", "empty", "--out", "out"], 1),
    );
}

#[test]
fn configurations() {
    let snapshot = ["snapshot", "--out", "out"];
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let with = |arguments: &[&str]| said(here, &[&snapshot[..], arguments].concat(), 1);
    expect("no-configuration", &with(&[]));
    expect("no-such-kubeconfig", &with(&["--kubeconfig", "absent"]));
    expect("kubeconfig-is-a-folder", &with(&["--kubeconfig", "."]));
    fs::write(here.join("broken"), "clusters: [\n  {name: a\nusers: }").unwrap();
    expect("kubeconfig-is-no-yaml", &with(&["--kubeconfig", "broken"]));
    fs::write(here.join("list"), "- a\n- b\n").unwrap();
    expect("kubeconfig-is-a-list", &with(&["--kubeconfig", "list"]));
    let config = kubeconfig(here, "http://127.0.0.1:1");
    expect(
        "unknown-context",
        &with(&["--kubeconfig", &config, "--context", "there"]),
    );
    let config = kubeconfig(here, "nonsense://x");
    expect("bad-server", &with(&["--kubeconfig", &config]));
    let config = kubeconfig(here, "https://127.0.0.1:1");
    let text = fs::read_to_string(&config)
        .unwrap()
        .replace("token: ", "client-key-data: bm9uZQ==, client-certificate-data: ");
    fs::write(&config, text).unwrap();
    expect("bad-certificate-data", &with(&["--kubeconfig", &config]));
}

#[test]
fn servers() {
    let run = |name: &str, answers: BTreeMap<String, Answer>, otherwise: Answer| {
        let folder = tempfile::tempdir().unwrap();
        let config = Server::start(answers, otherwise).kubeconfig(folder.path());
        expect(
            name,
            &said(
                folder.path(),
                &["snapshot", "--out", "out", "--kubeconfig", &config],
                1,
            ),
        );
    };
    let html = |code| Answer {
        code,
        content_type: "text/html; charset=utf-8",
        body: format!(
            "<!DOCTYPE html>\n<html><head><title>Proxy</title></head><body>{}</body></html>",
            "Please log in. ".repeat(60)
        ),
    };
    let status = |code: u16, reason: &str, message: &str| Answer {
        code,
        content_type: "application/json",
        body: format!(
            r#"{{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": {code}, "reason": "{reason}", "message": "{message}"}}"#
        ),
    };
    run("html-200", BTreeMap::new(), html(200));
    run("html-502", BTreeMap::new(), html(502));
    run(
        "forbidden",
        BTreeMap::new(),
        status(
            403,
            "Forbidden",
            r#"forbidden: User \"u\" cannot get path \"/apis\""#,
        ),
    );
    run(
        "unauthorized",
        BTreeMap::new(),
        status(401, "Unauthorized", "Unauthorized"),
    );
    run(
        "other-server",
        BTreeMap::new(),
        Answer {
            code: 404,
            content_type: "text/plain",
            body: "404 page not found".to_owned(),
        },
    );
    run(
        "other-json",
        BTreeMap::new(),
        Answer::json(r#"{"hello": "world"}"#),
    );
    let version = (
        "/version".to_owned(),
        Answer::json(r#"{"gitVersion": "v1.30.0", "major": "1", "minor": "30"}"#),
    );
    run("html-after-version", BTreeMap::from([version]), html(200));

    let folder = tempfile::tempdir().unwrap();
    let refused = |server: &str| {
        let config = kubeconfig(folder.path(), server);
        said(
            folder.path(),
            &["generate", "--out", "out", "--kubeconfig", &config],
            1,
        )
    };
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    expect(
        "connection-refused",
        &refused(&format!("https://127.0.0.1:{closed}")),
    );
    expect("unknown-host", &refused("https://no-such-host.invalid:6443"));
    let plain = Server::start(BTreeMap::new(), html(200)).kubeconfig(folder.path());
    let text = fs::read_to_string(&plain).unwrap().replace("http://", "https://");
    fs::write(&plain, text).unwrap();
    expect(
        "plain-http-behind-https",
        &said(
            folder.path(),
            &["snapshot", "--out", "out", "--kubeconfig", &plain],
            1,
        ),
    );
}

#[test]
fn usage() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["snapshot"][..],
        &["snapshot", "--out"],
        &["generate", "--out", "out", "--grops", "x"],
        &["--nope"],
    ] {
        let text = said(folder.path(), arguments, 2);
        assert!(text.starts_with("error: ") && text.contains("--help"), "{text}");
    }
}
