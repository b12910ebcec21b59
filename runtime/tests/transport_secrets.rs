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
use std::sync::{Arc, Mutex};

use base64::Engine;
use kubeloom::config::{AuthConfig, AuthProviderConfig, Proxy, SecretString};
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

#[tokio::test]
async fn no_kind_of_credentials_shows_in_logs_errors_or_debug() {
    let log = Arc::new(Mutex::new(String::new()));
    let _guard = tracing::subscriber::set_default(Capture(log.clone()));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "hunter2-file").unwrap();
    let mut exec = kubeloom::config::ExecConfig::new("/bin/echo");
    exec.args = vec!["hunter2-exec".into()];
    let kinds = [
        AuthConfig::Token("hunter2-token".into()),
        AuthConfig::TokenFile {
            path: file.path().to_owned(),
            fallback: Some("hunter2-fallback".into()),
        },
        AuthConfig::Basic {
            username: "jane".to_owned(),
            password: "hunter2".into(),
        },
        AuthConfig::Exec(Box::new(exec)),
        provider(&[
            ("idp-issuer-url", "http://127.0.0.1:1"),
            ("client-id", "c"),
            ("client-secret", "hunter2-secret"),
            ("refresh-token", "hunter2-refresh"),
            ("id-token", "hunter2-id"),
        ]),
    ];
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| {
        std::future::ready(reply(401, body(["no"])))
    })
    .await;
    config.proxy = Proxy::Direct;
    let encoded = base64::engine::general_purpose::STANDARD.encode("jane:hunter2");
    for auth in kinds {
        config.auth = auth;
        for server in [server.url("https"), "https://127.0.0.1:1".to_owned()] {
            config.server = server.into();
            let transport = HttpTransport::new(&config).unwrap();
            let result = transport.send(Request::new(Method::Get, "/api")).await;
            let mut text = format!("{config:?} {transport:?} {result:?}");
            if let Err(error) = result {
                let mut cause: Option<&dyn std::error::Error> = Some(&error);
                while let Some(error) = cause {
                    write!(text, " {error}").unwrap();
                    cause = error.source();
                }
            }
            text += &log.lock().unwrap();
            assert!(!text.contains("hunter2") && !text.contains(&encoded), "{text}");
        }
    }
    let log = log.lock().unwrap();
    assert!(
        log.contains("the server answered") && log.contains("status=401"),
        "{log}"
    );
}
