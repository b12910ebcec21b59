//! The fixture itself: what other tests rely on when they take a real kube-apiserver.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Lines};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kubeloom_tests::apiserver::https::Call;
use kubeloom_tests::apiserver::{ApiServer, Credential, MASTERS, Options, User};
use kubeloom_tests::require_apiserver;
use serde_json::{Value, json};

const JSON: &str = "application/json";

/// The first bytes of every CBOR document of Kubernetes: the tag 55799 (RFC 8949, section 3.4.6).
const CBOR_TAG: [u8; 3] = [0xd9, 0xd9, 0xf7];

fn json_of(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(body)))
}

/// Name and groups that the server takes the caller for.
fn identity(server: &ApiServer, credential: Credential<'_>) -> (String, BTreeSet<String>) {
    let review = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview" }).to_string();
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let reply = server
        .call(credential, path, Call::Post { json: &review })
        .unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    let info = json_of(&reply.body)["status"]["userInfo"].clone();
    let groups = info["groups"].as_array().into_iter().flatten();
    let groups = groups.map(|group| group.as_str().unwrap().to_owned()).collect();
    (info["username"].as_str().unwrap().to_owned(), groups)
}

fn create_config_map(server: &ApiServer, namespace: &str, name: &str) {
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } }).to_string();
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let reply = server
        .call(
            Credential::Token(server.admin_token()),
            &path,
            Call::Post { json: &object },
        )
        .unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
}

fn config_map_status(server: &ApiServer, namespace: &str, name: &str) -> u16 {
    server
        .get(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}"), JSON)
        .unwrap()
        .status
}

#[test]
fn version_is_the_one_in_go_mod() {
    let server = require_apiserver!();
    let version = json_of(&server.get("/version", JSON).unwrap().body);
    let go_mod = include_str!("../apiserver/go.mod");
    let expected = format!("k8s.io/kubernetes {}\n", version["gitVersion"].as_str().unwrap());
    assert!(go_mod.contains(&expected), "{version} is not in go.mod");
    assert_eq!(version["major"], "1");
}

#[test]
fn namespaces_are_new_each_time() {
    let server = require_apiserver!();
    let names: BTreeSet<String> = (0..3).map(|_| server.namespace("fresh").unwrap()).collect();
    assert_eq!(names.len(), 3);
    for name in names {
        assert!(name.starts_with("fresh-"), "{name}");
        assert_eq!(
            server
                .get(&format!("/api/v1/namespaces/{name}"), JSON)
                .unwrap()
                .status,
            200
        );
    }
    let error = server.namespace("No_Label").unwrap_err();
    assert!(error.to_string().contains("422"), "{error}");
}

#[test]
fn alpha_and_beta_apis_are_served() {
    let server = require_apiserver!();
    let groups = json_of(&server.get("/apis", JSON).unwrap().body).to_string();
    for version in [
        "internal.apiserver.k8s.io/v1alpha1",
        "resource.k8s.io/v1beta1",
        "coordination.k8s.io/v1beta1",
    ] {
        assert!(groups.contains(version), "{version}");
    }
}

#[test]
fn certificates_name_user_and_groups() {
    let server = require_apiserver!();
    let cases: [(&str, &[&str]); 4] = [
        ("alice", &[]),
        ("bob", &["ops"]),
        ("system:node:n1", &["system:nodes", "extra"]),
        ("ünï \"cödé\"", &["g,1"]),
    ];
    for (user, groups) in cases {
        let certificate = server.client_certificate(user, groups).unwrap();
        let (name, mut seen) = identity(server, Credential::Certificate(&certificate));
        assert!(seen.remove("system:authenticated"), "{user}: {seen:?}");
        assert_eq!(
            (name.as_str(), seen),
            (user, groups.iter().map(|&group| group.to_owned()).collect())
        );
    }
    let (name, groups) = identity(server, Credential::Certificate(server.admin_certificate()));
    assert!(name == "admin" && groups.contains(MASTERS), "{name} {groups:?}");
}

#[test]
fn rbac_decides_for_everybody_but_the_administrator() {
    let server = require_apiserver!();
    let stranger = server.client_certificate("stranger", &[]).unwrap();
    let path = "/api/v1/secrets";
    let cases = [
        ("administrator", Credential::Token(server.admin_token()), 200),
        (
            "administrator by certificate",
            Credential::Certificate(server.admin_certificate()),
            200,
        ),
        ("stranger", Credential::Certificate(&stranger), 403),
        ("nobody", Credential::Anonymous, 403),
        ("wrong token", Credential::Token("wrong"), 401),
    ];
    for (who, credential, expected) in cases {
        let reply = server.call(credential, path, Call::Get { accept: JSON }).unwrap();
        assert_eq!(reply.status, expected, "{who}: {}", reply.text());
    }
}

#[test]
fn service_account_tokens_are_signed_and_accepted() {
    let server = require_apiserver!();
    let namespace = server.namespace("accounts").unwrap();
    let post = |path: &str, body: Value| {
        let call = Call::Post {
            json: &body.to_string(),
        };
        let reply = server
            .call(Credential::Token(server.admin_token()), path, call)
            .unwrap();
        assert_eq!(reply.status, 201, "{}", reply.text());
        json_of(&reply.body)
    };
    let accounts = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
    post(
        &accounts,
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "robot" } }),
    );
    let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
    let token = post(&format!("{accounts}/robot/token"), request)["status"]["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let (name, _) = identity(server, Credential::Token(&token));
    assert_eq!(name, format!("system:serviceaccount:{namespace}:robot"));
}

#[test]
fn crds_are_installed_and_served() {
    let server = require_apiserver!();
    let group = format!("{}.example.com", server.namespace("crd").unwrap());
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group,
            "names": { "kind": "Widget", "plural": "widgets" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
    .to_string();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let reply = server
        .call(
            Credential::Token(server.admin_token()),
            path,
            Call::Post { json: &crd },
        )
        .unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    let served = || {
        server
            .get(&format!("/apis/{group}/v1/widgets"), JSON)
            .unwrap()
            .status
            == 200
    };
    assert!(within(Duration::from_secs(20), served), "the CRD is not served");
}

#[test]
fn debug_shows_no_secret() {
    let server = require_apiserver!();
    let text = format!("{server:?} {:?}", Credential::Token(server.admin_token()));
    assert!(
        !text.contains(server.admin_token()) && !text.contains("PRIVATE KEY"),
        "{text}"
    );
}

#[test]
fn stop_and_crash_keep_data_address_and_credentials() {
    require_apiserver!();
    let users = vec![User::new("carol", &["team:a", "team:b", "team:c"])];
    let mut server = ApiServer::start(Options {
        users,
        ..Options::default()
    })
    .unwrap();
    let (url, kubeconfig) = (server.url(), server.kubeconfig());
    let namespace = server.namespace("kept").unwrap();

    create_config_map(&server, &namespace, "before-stop");
    server.stop().unwrap();
    assert!(!server.is_running().unwrap());
    assert!(server.get("/readyz", JSON).is_err(), "a stopped server answers");
    server.resume().unwrap();
    create_config_map(&server, &namespace, "before-crash");
    server.kill();
    assert!(server.get("/readyz", JSON).is_err(), "a killed server answers");
    server.resume().unwrap();
    assert!(server.resume().is_err(), "a running server is started again");

    for name in ["before-stop", "before-crash"] {
        assert_eq!(config_map_status(&server, &namespace, name), 200, "{name}");
    }
    assert_eq!((server.url(), server.kubeconfig()), (url, kubeconfig));
    let (name, groups) = identity(&server, Credential::Token(server.token("carol").unwrap()));
    assert!(name == "carol" && groups.is_superset(&["team:a", "team:b", "team:c"].map(str::to_owned).into()));

    let folder = server.state_dir().to_owned();
    assert!(folder.is_dir());
    drop(server);
    assert!(!folder.exists(), "{} is left", folder.display());
}

#[test]
fn feature_gates_audit_log_and_a_deep_data_folder() {
    require_apiserver!();
    let parent = tempfile::tempdir().unwrap();
    // Deeper than the 107 bytes that the path of a unix socket may have.
    let data_dir = parent.path().join("d".repeat(120)).join("with space");
    let gates = [
        "CBORServingAndStorage",
        "ShardedListAndWatch",
        "CoordinatedLeaderElection",
    ];
    let options = Options {
        feature_gates: gates.map(|name| (name.to_owned(), true)).into(),
        audit_policy: Some(
            r#"{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"RequestResponse"}]}"#
                .to_owned(),
        ),
        data_dir: Some(data_dir.clone()),
        ..Options::default()
    };
    let server = ApiServer::start(options.clone()).unwrap();
    let namespace = server.namespace("audited").unwrap();
    create_config_map(&server, &namespace, "kept");

    let cbor = server
        .get("/api/v1/namespaces/default", "application/cbor")
        .unwrap();
    assert!(
        cbor.status == 200 && cbor.body.starts_with(&CBOR_TAG),
        "{}",
        cbor.text()
    );
    let log = fs::read_to_string(server.audit_log()).unwrap();
    let created = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["verb"] == "create" && event["responseObject"]["metadata"]["name"] == namespace.as_str()
    };
    assert!(log.lines().any(created), "no event for {namespace}");

    drop(server);
    let server = ApiServer::start(options).unwrap();
    assert_eq!(
        config_map_status(&server, &namespace, "kept"),
        200,
        "another server on the same folder"
    );
    drop(server);
    assert!(data_dir.is_dir(), "a given folder is kept");
}

#[test]
fn failed_starts_say_why() {
    require_apiserver!();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let cases = [
        (
            Options {
                port: Some(port),
                ..Options::default()
            },
            format!("the port {port} is taken"),
        ),
        (
            Options {
                feature_gates: [("NoSuchGate".to_owned(), true)].into(),
                ..Options::default()
            },
            "NoSuchGate".to_owned(),
        ),
        (
            Options {
                extra_args: vec!["--no-such-flag".to_owned()],
                ..Options::default()
            },
            "no-such-flag".to_owned(),
        ),
        (
            Options {
                users: vec![User::new("admin", &[])],
                ..Options::default()
            },
            "given twice".to_owned(),
        ),
    ];
    for (options, expected) in cases {
        let error = format!("{:#}", ApiServer::start(options).unwrap_err());
        assert!(error.contains(&expected), "{expected:?} in {error}");
    }
}

/// The command `kubeloom-tests apiserver`, as a user would run it.
struct Foreground {
    command: Child,
    port: u16,
    folder: PathBuf,
    /// Held, since the command ends when nobody hears what it says.
    _lines: Lines<BufReader<ChildStdout>>,
}

impl Foreground {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubeloom-tests"))
            .args(["apiserver", "--feature-gate", "ShardedListAndWatch=true"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(command.stdout.take().unwrap()).lines();
        let mut value = |label: &str| {
            let line = lines
                .find(|line| line.as_ref().is_ok_and(|line| line.contains(label)))
                .unwrap()
                .unwrap();
            line.rsplit(' ').next().unwrap().to_owned()
        };
        let port = value("serves on").rsplit(':').next().unwrap().parse().unwrap();
        let kubeconfig = PathBuf::from(value("kubeconfig  "));
        assert!(
            fs::read_to_string(&kubeconfig)
                .unwrap()
                .contains(&format!("127.0.0.1:{port}"))
        );
        Self {
            command,
            port,
            folder: kubeconfig.parent().unwrap().to_owned(),
            _lines: lines,
        }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.command.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    fn leaves_nothing(&self) -> bool {
        within(Duration::from_secs(20), || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() && !self.folder.exists()
        })
    }
}

#[test]
fn nothing_outlives_the_command_however_it_ends() {
    require_apiserver!();
    for (signal, succeeds) in [("TERM", true), ("INT", true), ("KILL", false)] {
        let mut foreground = Foreground::start();
        foreground.signal(signal);
        let status = foreground.command.wait().unwrap();
        assert_eq!(status.success(), succeeds, "{signal}: {status}");
        assert!(
            foreground.leaves_nothing(),
            "{signal}: {} is left",
            foreground.folder.display()
        );
    }
}

#[test]
fn without_go_the_command_says_so() {
    let empty = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kubeloom-tests"))
        .arg("apiserver")
        .env("PATH", empty.path())
        .env("KUBELOOM_APISERVER_CACHE", empty.path())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && words.contains("no `go` on the PATH"),
        "{words}"
    );
}

fn within(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < limit {
        if condition() {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    condition()
}
