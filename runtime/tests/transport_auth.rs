//! Who the client says it is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::future::ready;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kubeloom::config::{AuthConfig, Config, SecretString};
use kubeloom::transport::{HttpTransport, Method, Request, Transport, TransportErrorKind};
use support::{Offer, Server, SteppedClock, body, ok, reply, tls_server, transport};

#[tokio::test]
async fn the_authorization_header_says_what_is_configured() {
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| ready(ok(""))).await;
    let basic = AuthConfig::Basic {
        username: "jane".to_owned(),
        password: SecretString::from("p:w"),
    };
    let cases = [
        (AuthConfig::Anonymous, None),
        (AuthConfig::Token("t-1".into()), Some("Bearer t-1")),
        (basic, Some("Basic amFuZTpwOnc=")),
    ];
    for (auth, expected) in cases {
        config.auth = auth;
        transport(&config)
            .send(Request::new(Method::Get, "/"))
            .await
            .unwrap();
        assert_eq!(server.seen().last().unwrap().header("authorization"), expected);
    }
    let mut request = Request::new(Method::Get, "/");
    request.headers.append("Authorization", "Bearer mine");
    transport(&config).send(request).await.unwrap();
    assert_eq!(
        server.seen().last().unwrap().all("authorization"),
        ["Bearer mine"]
    );
}

#[tokio::test]
async fn userinfo_of_the_server_is_a_password_and_is_not_shown() {
    let server = Server::start(None, |_| ready(ok(""))).await;
    let config = Config::new(format!("http://jane:hunter2@127.0.0.1:{}", server.port));
    let transport = transport(&config);
    transport.send(Request::new(Method::Get, "/")).await.unwrap();
    assert_eq!(
        server.seen()[0].header("authorization"),
        Some("Basic amFuZTpodW50ZXIy")
    );
    assert!(!format!("{config:?} {transport:?}").contains("hunter2"));
}

struct Rotation {
    clock: Arc<SteppedClock>,
    server: Server,
    transport: HttpTransport,
}

impl Rotation {
    async fn new(path: &Path, fallback: Option<SecretString>, status: u16) -> Self {
        let (server, mut config) =
            tls_server(Offer::Http2AndHttp1, move |_| ready(reply(status, body([""])))).await;
        config.auth = AuthConfig::TokenFile {
            path: path.to_owned(),
            fallback,
        };
        let clock = Arc::new(SteppedClock::default());
        let transport = HttpTransport::with_clock(&config, clock.clone()).unwrap();
        Self {
            clock,
            server,
            transport,
        }
    }

    /// The token a request carries now.
    async fn token(&self) -> String {
        self.transport.send(Request::new(Method::Get, "/")).await.unwrap();
        self.server
            .seen()
            .last()
            .unwrap()
            .header("authorization")
            .unwrap()
            .to_owned()
    }
}

#[tokio::test]
async fn a_token_file_is_read_again_within_a_minute_and_not_for_each_call() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), " one\n").unwrap();
    let rotation = Rotation::new(file.path(), None, 200).await;
    assert_eq!(rotation.token().await, "Bearer one");
    std::fs::write(file.path(), "two\n").unwrap();
    rotation.clock.advance(Duration::from_secs(45));
    assert_eq!(rotation.token().await, "Bearer one");
    rotation.clock.advance(Duration::from_secs(14));
    assert_eq!(rotation.token().await, "Bearer two");
}

#[tokio::test]
async fn the_last_good_token_outlives_an_empty_or_missing_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "one").unwrap();
    let rotation = Rotation::new(file.path(), None, 200).await;
    assert_eq!(rotation.token().await, "Bearer one");
    std::fs::write(file.path(), "\n").unwrap();
    rotation.clock.advance(Duration::from_secs(60));
    assert_eq!(rotation.token().await, "Bearer one");
    std::fs::remove_file(file.path()).unwrap();
    rotation.clock.advance(Duration::from_secs(60));
    assert_eq!(rotation.token().await, "Bearer one");
    std::fs::write(file.path(), "two").unwrap();
    rotation.clock.advance(Duration::from_secs(10));
    assert_eq!(rotation.token().await, "Bearer two");
}

#[tokio::test]
async fn after_a_401_the_file_is_read_at_the_next_call() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "one").unwrap();
    let rotation = Rotation::new(file.path(), None, 401).await;
    assert_eq!(rotation.token().await, "Bearer one");
    std::fs::write(file.path(), "two").unwrap();
    assert_eq!(rotation.token().await, "Bearer two");
}

#[tokio::test]
async fn without_a_token_nothing_is_sent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("token");
    let fallback = Rotation::new(&path, Some("zero".into()), 200).await;
    assert_eq!(fallback.token().await, "Bearer zero");

    let none = Rotation::new(&path, None, 200).await;
    for content in [None, Some(" \n")] {
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let error = none
            .transport
            .send(Request::new(Method::Get, "/"))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Credentials);
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
    assert!(none.server.seen().is_empty());
}
