//! No credentials show in what is printed, said or logged. A binary of its own: what tracing takes an interest in is decided
//! once for a process, so tests without a subscriber beside this one would silence it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use base64::Engine;
use kubeloom::RestClient;
use kubeloom::config::{
    AuthConfig, AuthProviderConfig, ClientIdentity, Config, DataSource, ExecConfig, InteractiveMode, Proxy,
    SecretSource, SecretString,
};
use kubeloom::rest::{ClientOptions, GroupVersionResource};
use kubeloom::transport::{HttpTransport, Method, Request, Transport};
use support::{Offer, body, reply, tls_server};

/// Keeps all that is logged, at every level.
struct Capture(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0, "{}={value:?}", field.name()).unwrap();
    }
}

impl tracing::Subscriber for Capture {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut Fields(&mut self.0.lock().unwrap()));
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

fn provider(settings: &[(&str, &str)]) -> AuthConfig {
    AuthConfig::Provider(AuthProviderConfig {
        name: "oidc".to_owned(),
        settings: settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), SecretString::from(*value)))
            .collect(),
    })
}

/// Changes a configuration to one with a secret in it.
type Change = Box<dyn Fn(&mut Config)>;

fn auth(auth: AuthConfig) -> Change {
    Box::new(move |config| config.auth = auth.clone())
}

/// A plugin that is a shell script; its secret comes by the environment.
fn plugin(script: &str) -> Change {
    let mut exec = ExecConfig::new("/bin/sh");
    exec.interactive_mode = InteractiveMode::Never;
    exec.args = vec!["-c".into(), script.into(), "hunter2-arg".into()];
    exec.env = vec![("SECRET".to_owned(), "hunter2-env".into())];
    auth(AuthConfig::Exec(Box::new(exec)))
}

fn key(text: &'static str) -> Change {
    Box::new(move |config| {
        config.tls.identity = Some(ClientIdentity {
            certificate: DataSource::Inline(include_bytes!("data/ec.cert.pem").to_vec()),
            key: SecretSource::Inline(text.as_bytes().to_vec().into()),
        });
    })
}

const ENCODED: &str = "aHVudGVyMg==";

/// Every way to hold a secret, in use and broken.
fn changes(file: &Path) -> Vec<Change> {
    let credential = r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":"#;
    let printing = |status: &str| plugin(&format!("echo '{credential}{status}}}' | sed s/SECRET/$SECRET/"));
    let settings = [
        ("idp-issuer-url", "http://127.0.0.1:1"),
        ("client-id", "c"),
        ("client-secret", "hunter2-secret"),
        ("refresh-token", "hunter2-refresh"),
        ("id-token", "hunter2-id"),
    ];
    let unknown = AuthConfig::Provider(AuthProviderConfig {
        name: "gone".to_owned(),
        settings: [("access-token".to_owned(), "hunter2-access".into())].into(),
    });
    vec![
        auth(AuthConfig::Token("hunter2-token".into())),
        auth(AuthConfig::Token("hunter2\nx: y".into())),
        auth(AuthConfig::TokenFile {
            path: file.to_owned(),
            fallback: Some("hunter2-fallback".into()),
        }),
        auth(AuthConfig::TokenFile {
            path: file.join("missing"),
            fallback: Some("hunter2-fallback".into()),
        }),
        auth(AuthConfig::Basic {
            username: "jane".to_owned(),
            password: "hunter2".into(),
        }),
        auth(provider(&settings)),
        auth(unknown),
        printing(r#"{"token":"SECRET"}"#),
        printing(r#"{"token":"SECRET","expirationTimestamp":"SECRET"}"#),
        printing(r#"{"clientCertificateData":"SECRET","clientKeyData":"SECRET"}"#),
        printing(r#"{"token":{"SECRET":1}}"#),
        plugin("echo $SECRET {"),
        plugin("echo $SECRET; exit 3"),
        key("hunter2"),
        key("-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n"),
        key("-----BEGIN PRIVATE KEY-----\nhunter2!\n-----END PRIVATE KEY-----\n"),
        Box::new(|config| config.proxy = Proxy::Url("http://jane:hunter2@127.0.0.1:1".into())),
        Box::new(|config| config.proxy = Proxy::Url("ftp://jane:hunter2@127.0.0.1:1".into())),
        Box::new(|config| config.proxy = Proxy::Url("jane:hunter2@[".into())),
        Box::new(|config| config.server = "https://jane:hunter2@127.0.0.1:1".into()),
        Box::new(|config| config.server = "https://jane:hunter2@[".into()),
    ]
}

/// All that an error says, its causes included.
fn say(text: &mut String, error: &dyn std::error::Error) {
    let mut cause = Some(error);
    while let Some(error) = cause {
        write!(text, " {error} {error:?}").unwrap();
        cause = error.source();
    }
}

#[tokio::test]
async fn no_kind_of_credentials_shows_in_logs_errors_or_debug() {
    let log = Arc::new(Mutex::new(String::new()));
    let _guard = tracing::subscriber::set_default(Capture(log.clone()));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "hunter2-file").unwrap();
    let (server, mut plain) = tls_server(Offer::Http2AndHttp1, |_| {
        std::future::ready(reply(401, body(["no"])))
    })
    .await;
    plain.proxy = Proxy::Direct;
    let encoded = base64::engine::general_purpose::STANDARD.encode("jane:hunter2");
    for (index, change) in changes(file.path()).iter().enumerate() {
        for server in [server.url("https"), "https://127.0.0.1:1".to_owned()] {
            let mut config = plain.clone();
            config.server = server.into();
            change(&mut config);
            let mut text = format!("{config:?}");
            match HttpTransport::new(&config) {
                Ok(transport) => {
                    let result = transport.send(Request::new(Method::Get, "/api")).await;
                    write!(text, " {transport:?} {result:?}").unwrap();
                    if let Err(error) = result {
                        say(&mut text, &error);
                    }
                    let client = RestClient::with_transport(transport, ClientOptions::default());
                    let pods = client.dynamic(GroupVersionResource::new("", "v1", "pods"));
                    let error = pods.list().await.unwrap_err();
                    write!(text, " {client:?} {pods:?}").unwrap();
                    say(&mut text, &error);
                }
                Err(error) => say(&mut text, &error),
            }
            text += &log.lock().unwrap();
            for secret in ["hunter2", ENCODED, &encoded] {
                assert!(!text.contains(secret), "{index}: {secret} in {text}");
            }
        }
    }
    let log = log.lock().unwrap();
    assert!(
        log.contains("the server answered") && log.contains("status=401"),
        "{log}"
    );
}

#[tokio::test]
async fn bodies_are_logged_but_those_of_secrets_and_tokens() {
    let log = Arc::new(Mutex::new(String::new()));
    let _guard = tracing::subscriber::set_default(Capture(log.clone()));
    let (_server, config) = tls_server(Offer::Http2AndHttp1, |seen| {
        let answer = if seen.uri.ends_with("/binary") {
            b"k8s\0answered".to_vec()
        } else {
            b"answered".to_vec()
        };
        std::future::ready(reply(200, body([answer])))
    })
    .await;
    let transport = HttpTransport::new(&config).unwrap();
    let call = async |path: &str| {
        log.lock().unwrap().clear();
        let mut request = Request::new(Method::Post, path);
        request.body = "asked".into();
        let response = transport.send(request).await.unwrap();
        response.body.collect(100).await.unwrap();
        // The HTTP library logs as well; what is meant here is ours.
        let log = log.lock().unwrap();
        let shown: Vec<&str> = log
            .lines()
            .filter_map(|line| line.strip_prefix("body="))
            .collect();
        shown.join(" ")
    };
    assert_eq!(call("/api/v1/namespaces/web/configmaps").await, "asked answered");
    assert_eq!(call("/api/v1/binary").await, "asked 6b387300616e737765726564");
    for path in [
        "/api/v1/namespaces/web/secrets",
        "/api/v1/namespaces/web/secrets/a?fieldManager=x",
        "/api/v1/namespaces/web/serviceaccounts/a/token",
        "/apis/authentication.k8s.io/v1/tokenreviews",
    ] {
        assert_eq!(call(path).await, "", "{path}");
    }
}
