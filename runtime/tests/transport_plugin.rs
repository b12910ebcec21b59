//! Credential plugins, as small shell scripts.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kubeloom::config::{
    AuthConfig, Config, ExecConfig, InteractiveMode, Kubeconfig, KubeconfigOptions, Opaque, Origin,
    PluginPolicy,
};
use kubeloom::transport::{HttpTransport, Method, Request, Transport, TransportErrorKind};
use support::{Authority, ClientCertificates, Offer, Server, SteppedClock, ok, reply, tls_server, transport};

const V1: &str = "client.authentication.k8s.io/v1";

/// A directory with a plugin that counts its runs in a file.
struct Script {
    directory: tempfile::TempDir,
}

impl Script {
    /// `body` is what the script does after it has counted: `$n` is the number of the run.
    fn new(body: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let script = Self { directory };
        let runs = script.path("runs");
        let text = format!(
            "#!/bin/sh\necho run >> {runs}\nn=$(wc -l < {runs} | tr -d ' ')\n{body}\n",
            runs = runs.display()
        );
        // Written and moved into place: a file that is still open for writing cannot be run.
        std::fs::write(script.path("draft"), text).unwrap();
        std::fs::set_permissions(script.path("draft"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(script.path("draft"), script.path("plugin")).unwrap();
        script
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn runs(&self) -> usize {
        std::fs::read_to_string(self.path("runs")).map_or(0, |runs| runs.lines().count())
    }

    fn exec(&self) -> ExecConfig {
        let mut exec = ExecConfig::new(self.path("plugin").to_str().unwrap());
        exec.interactive_mode = InteractiveMode::Never;
        exec
    }
}

fn answer(status: &str) -> String {
    format!(r#"echo '{{"apiVersion":"{V1}","kind":"ExecCredential","status":{status}}}'"#)
}

/// Prints `token-$n`.
fn counted(more: &str) -> String {
    format!(
        r#"echo "{{\"apiVersion\":\"{V1}\",\"kind\":\"ExecCredential\",\"status\":{{\"token\":\"token-$n\"{more}}}}}""#
    )
}

/// A server that accepts one token, and a configuration by that plugin.
async fn accepting(token: &'static str, script: &Script) -> (Server, Config) {
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, move |seen| {
        let good = seen.header("authorization") == Some(token);
        std::future::ready(if good {
            ok("x")
        } else {
            reply(401, support::body(["no"]))
        })
    })
    .await;
    config.auth = AuthConfig::Exec(Box::new(script.exec()));
    (server, config)
}

async fn status(transport: &HttpTransport, method: Method) -> u16 {
    transport.send(Request::new(method, "/api")).await.unwrap().status
}

#[tokio::test]
async fn a_rejected_token_is_renewed_once_and_the_call_sent_again() {
    let script = Script::new(&counted(""));
    let (server, config) = accepting("Bearer token-2", &script).await;
    let transport = transport(&config);
    assert_eq!(status(&transport, Method::Post).await, 200);
    assert_eq!((script.runs(), server.seen().len()), (2, 2));
    assert_eq!(status(&transport, Method::Get).await, 200);
    assert_eq!((script.runs(), server.seen().len()), (2, 3));
}

#[tokio::test]
async fn a_server_that_rejects_everything_is_asked_twice() {
    let script = Script::new(&counted(""));
    let (server, config) = accepting("Bearer none", &script).await;
    assert_eq!(status(&transport(&config), Method::Get).await, 401);
    assert_eq!((script.runs(), server.seen().len()), (2, 2));
}

#[tokio::test]
async fn the_same_token_again_is_not_sent_again() {
    let script = Script::new(&answer(r#"{"token":"t"}"#));
    let (server, config) = accepting("Bearer none", &script).await;
    assert_eq!(status(&transport(&config), Method::Get).await, 401);
    assert_eq!((script.runs(), server.seen().len()), (2, 1));
}

#[tokio::test]
async fn one_run_serves_all_calls_and_clients() {
    let script = Script::new(&format!("sleep 0.3\n{}", counted("")));
    let (server, config) = accepting("Bearer token-1", &script).await;
    let calls: Vec<_> = (0..20)
        .map(|_| transport(&config))
        .map(|transport| tokio::spawn(async move { status(&transport, Method::Get).await }))
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 200);
    }
    assert_eq!((script.runs(), server.seen().len()), (1, 20));
}

#[tokio::test]
async fn rejections_of_many_calls_at_once_make_one_run() {
    let script = Script::new(&counted(""));
    let (_server, config) = accepting("Bearer token-2", &script).await;
    let transport = transport(&config);
    let calls: Vec<_> = (0..20)
        .map(|_| transport.clone())
        .map(|transport| tokio::spawn(async move { status(&transport, Method::Get).await }))
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 200);
    }
    assert_eq!(script.runs(), 2);
}

#[tokio::test]
async fn a_run_outlives_the_call_that_started_it() {
    let script = Script::new(&format!("sleep 0.5\n{}", counted("")));
    let (_server, config) = accepting("Bearer token-1", &script).await;
    let transport = transport(&config);
    let mut hasty = Request::new(Method::Get, "/api");
    hasty.timeout = Some(Duration::from_millis(100));
    assert!(transport.send(hasty).await.unwrap_err().is_timeout());
    assert_eq!(status(&transport, Method::Get).await, 200);
    assert_eq!(script.runs(), 1);
}

#[tokio::test]
async fn tokens_are_used_until_they_expire_by_this_clock() {
    let expires = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(2);
    let script = Script::new(&counted(&format!(r#",\"expirationTimestamp\":\"{expires}\""#)));
    let (server, config) = accepting("Bearer token-1", &script).await;
    let clock = Arc::new(SteppedClock::default());
    let transport = HttpTransport::with_clock(&config, clock.clone()).unwrap();
    assert_eq!(status(&transport, Method::Get).await, 200);
    assert_eq!(status(&transport, Method::Get).await, 200);
    assert_eq!(script.runs(), 1);
    tokio::time::sleep(Duration::from_millis(2100)).await;
    clock.advance(Duration::from_secs(20));
    // The second token is rejected, and so is the third that replaces it.
    assert_eq!(status(&transport, Method::Get).await, 401);
    assert_eq!(server.seen()[2].header("authorization"), Some("Bearer token-2"));
}

#[tokio::test]
async fn certificates_expired_by_a_skewed_clock_neither_run_the_plugin_nor_connect_for_each_call() {
    let authority = Authority::new();
    let (certificate, key) = authority.issue(&Authority::params(&["client"]));
    let pem = |text: &str| text.replace('\n', "\\n");
    let script = Script::new(&format!(
        "cat <<'END'\n{{\"apiVersion\":\"{V1}\",\"kind\":\"ExecCredential\",\"status\":{{\"clientCertificateData\":\"{}\",\
         \"clientKeyData\":\"{}\",\"expirationTimestamp\":\"2001-01-01T00:00:00Z\"}}}}\nEND",
        pem(&certificate),
        pem(&key)
    ));
    let params = Authority::params(&["127.0.0.1"]);
    let tls = authority.server_with(&params, Offer::Http2AndHttp1, ClientCertificates::Required);
    let server = Server::start(Some(tls), |_| std::future::ready(ok("x"))).await;
    let mut config = Config::new(server.url("https"));
    config.tls.trust = authority.trust();
    config.auth = AuthConfig::Exec(Box::new(script.exec()));
    let clock = Arc::new(SteppedClock::default());
    let transport = HttpTransport::with_clock(&config, clock.clone()).unwrap();
    for _ in 0..20 {
        assert_eq!(status(&transport, Method::Get).await, 200);
    }
    assert_eq!(script.runs(), 1);
    clock.advance(Duration::from_secs(30));
    assert_eq!(status(&transport, Method::Get).await, 200);
    assert_eq!(script.runs(), 2);
    assert!(server.seen().iter().all(|seen| seen.connection == 0));
    // Another client of the same plugin has the certificate from the start.
    assert_eq!(
        status(&HttpTransport::with_clock(&config, clock).unwrap(), Method::Get).await,
        200
    );
    assert_eq!(script.runs(), 2);
}

#[tokio::test]
async fn the_plugin_gets_its_arguments_environment_and_cluster() {
    let script = Script::new(&format!(
        "printf '%s\\n' \"$1\" \"$EXTRA\" \"$KUBERNETES_EXEC_INFO\" > \"$(dirname \"$0\")/told\"\n{}",
        answer(r#"{"token":"t"}"#)
    ));
    let (_server, mut config) = accepting("Bearer t", &script).await;
    let mut exec = script.exec();
    exec.args = vec!["--arg".into()];
    exec.env = vec![("EXTRA".to_owned(), "value".into())];
    exec.provide_cluster_info = true;
    exec.cluster_extension = Some(Opaque::new(serde_json::json!({ "audience": "a" })));
    config.auth = AuthConfig::Exec(Box::new(exec));
    assert_eq!(status(&transport(&config), Method::Get).await, 200);
    let told = std::fs::read_to_string(script.path("told")).unwrap();
    let [arg, extra, info] = told.lines().collect::<Vec<_>>()[..] else {
        panic!("three lines: {told}")
    };
    assert_eq!((arg, extra), ("--arg", "value"));
    let info: serde_json::Value = serde_json::from_str(info).unwrap();
    assert_eq!(info["spec"]["interactive"], false);
    assert_eq!(info["spec"]["cluster"]["server"], config.server.expose());
    assert_eq!(info["spec"]["cluster"]["config"]["audience"], "a");
}

#[test]
fn the_cluster_extension_comes_from_the_kubeconfig() {
    let text = "
clusters: [{name: c, cluster: {server: 'https://h', extensions: [{name: other, extension: 1},
  {name: client.authentication.k8s.io/exec, extension: {audience: a}}]}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x";
    let kubeconfig = Kubeconfig::parse(text.as_bytes(), Origin::Memory).unwrap();
    let config = Config::from_loaded(&kubeconfig, &KubeconfigOptions::default()).unwrap();
    let AuthConfig::Exec(exec) = config.auth else {
        panic!("a plugin")
    };
    assert_eq!(exec.cluster_extension.unwrap().expose()["audience"], "a");
}

#[tokio::test]
async fn failures_say_what_to_do_and_keep_secrets() {
    let check = async |body: &str, words: &[&str]| {
        let script = Script::new(body);
        let (server, mut config) = accepting("Bearer t", &script).await;
        let mut exec = script.exec();
        exec.args = vec!["hunter2-arg".into()];
        exec.env = vec![("SECRET".to_owned(), "hunter2-env".into())];
        config.auth = AuthConfig::Exec(Box::new(exec));
        let error = transport(&config)
            .send(Request::new(Method::Get, "/api"))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Credentials);
        let text = format!("{error} {error:?} {config:?}");
        for word in words {
            assert!(text.contains(word), "{word:?} is missing in: {text}");
        }
        assert!(!text.contains("hunter2"), "{text}");
        assert!(server.seen().is_empty());
    };
    check("exit 3", &["exit status: 3"]).await;
    check("echo hunter2", &["not valid JSON"]).await;
    check(&answer(r#"{"clientKeyData":"hunter2"}"#), &["only one of"]).await;
    check("head -c 2000000 /dev/zero", &["longer than"]).await;
    let dead = "kill -9 $$";
    check(dead, &["signal: 9"]).await;

    let mut exec = ExecConfig::new("no-such-plugin-here");
    exec.install_hint = Some("install it from example.com".to_owned());
    let mut config = Config::new("https://127.0.0.1:1");
    config.auth = AuthConfig::Exec(Box::new(exec));
    config.tls.trust = kubeloom::config::Trust::Insecure;
    let error = transport(&config)
        .send(Request::new(Method::Get, "/api"))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("install it from example.com"),
        "{error}"
    );
}

#[test]
fn the_policy_decides_which_plugins_run() {
    let script = Script::new("exit 1");
    let plugin = script.path("plugin").to_str().unwrap().to_owned();
    let check = |policy: PluginPolicy, allowed: bool| {
        let mut config = Config::new("https://127.0.0.1:1");
        config.tls.trust = kubeloom::config::Trust::Insecure;
        config.auth = AuthConfig::Exec(Box::new(script.exec()));
        config.plugin_policy = policy.clone();
        let made = HttpTransport::new(&config);
        assert_eq!(made.is_ok(), allowed, "{policy:?}");
        if let Err(error) = made {
            assert_eq!(error.kind(), TransportErrorKind::Config);
            assert!(error.to_string().contains("policy"), "{error}");
        }
    };
    check(PluginPolicy::AllowAll, true);
    check(PluginPolicy::DenyAll, false);
    check(PluginPolicy::Allowlist(vec![plugin]), true);
    check(PluginPolicy::Allowlist(vec!["plugin".to_owned()]), false);
    check(PluginPolicy::Allowlist(vec![]), false);
    assert_eq!(script.runs(), 0);
    assert!(Path::new(&script.path("plugin")).exists());
}
