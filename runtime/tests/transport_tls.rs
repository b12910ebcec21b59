//! Connections that cannot be made or must not be trusted, and what the errors say.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::future::ready;

use kubeloom::config::{ClientIdentity, Config, DataSource, SecretBytes, SecretSource, Trust};
use kubeloom::transport::{
    ConnectFailure, HttpTransport, Method, Request, Transport, TransportError, TransportErrorKind,
};
use support::{Authority, ClientCertificates, Offer, Server, ok, tls_server, transport};

async fn call(config: &Config) -> Result<u16, TransportError> {
    transport(config)
        .send(Request::new(Method::Get, "/api"))
        .await
        .map(|response| response.status)
}

/// The error has this kind and says all these words.
fn check_error(error: &TransportError, kind: TransportErrorKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error:?}");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
}

#[tokio::test]
async fn an_untrusted_certificate_is_named_with_its_remedies() {
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| ready(ok(""))).await;
    assert_eq!(call(&config).await.unwrap(), 200);
    config.tls.trust = Authority::new().trust();
    let error = call(&config).await.unwrap_err();
    let address = format!("127.0.0.1:{}", server.port);
    let words = [
        "GET https://",
        &address,
        "not trusted",
        "certificate-authority-data",
        "insecure-skip-tls-verify",
    ];
    check_error(&error, TransportErrorKind::Tls, &words);
    assert!(error.is_tls() && std::error::Error::source(&error).is_some());

    config.tls.trust = Trust::Insecure;
    assert_eq!(call(&config).await.unwrap(), 200);
}

#[tokio::test]
async fn a_certificate_for_another_name_needs_that_name() {
    let authority = Authority::new();
    let params = Authority::params(&["kubernetes.default", "kubernetes"]);
    let tls = authority.server_with(&params, Offer::Http2AndHttp1, ClientCertificates::Ignored);
    let server = Server::start(Some(tls), |_| ready(ok(""))).await;
    let mut config = Config::new(server.url("https"));
    config.tls.trust = authority.trust();
    let error = call(&config).await.unwrap_err();
    let words = ["127.0.0.1", "kubernetes.default, kubernetes;", "tls-server-name"];
    check_error(&error, TransportErrorKind::Tls, &words);

    config.tls.server_name = Some("kubernetes".to_owned());
    assert_eq!(call(&config).await.unwrap(), 200);
    config.tls.server_name = Some("not a name".to_owned());
    let error = HttpTransport::new(&config).unwrap_err();
    check_error(&error, TransportErrorKind::Config, &["not a name"]);
}

#[tokio::test]
async fn certificates_out_of_their_time_are_told_apart() {
    let check = async |from: i32, to: i32, word: &str| {
        let authority = Authority::new();
        let mut params = Authority::params(&["127.0.0.1"]);
        params.not_before = rcgen::date_time_ymd(from, 1, 1);
        params.not_after = rcgen::date_time_ymd(to, 1, 1);
        let tls = authority.server_with(&params, Offer::Http1, ClientCertificates::Ignored);
        let server = Server::start(Some(tls), |_| ready(ok(""))).await;
        let mut config = Config::new(server.url("https"));
        config.tls.trust = authority.trust();
        check_error(
            &call(&config).await.unwrap_err(),
            TransportErrorKind::Tls,
            &[word, "clock"],
        );
    };
    check(2000, 2001, "has expired").await;
    check(4000, 4001, "is not valid yet").await;
}

#[tokio::test]
async fn a_client_certificate_is_shown_and_a_missing_one_is_named() {
    let authority = Authority::new();
    for offer in [Offer::Http2AndHttp1, Offer::Http1] {
        let params = Authority::params(&["127.0.0.1"]);
        let tls = authority.server_with(&params, offer, ClientCertificates::Required);
        let server = Server::start(Some(tls), |_| ready(ok(""))).await;
        let mut config = Config::new(server.url("https"));
        config.tls.trust = authority.trust();
        let error = call(&config).await.unwrap_err();
        check_error(
            &error,
            TransportErrorKind::Tls,
            &["client certificate", "client-certificate-data"],
        );

        let (certificate, key) = authority.issue(&Authority::params(&["jane"]));
        let directory = tempfile::tempdir().unwrap();
        let (certificate_path, key_path) = (directory.path().join("c.pem"), directory.path().join("k.pem"));
        std::fs::write(&certificate_path, &certificate).unwrap();
        std::fs::write(&key_path, &key).unwrap();
        config.tls.identity = Some(ClientIdentity {
            certificate: DataSource::Inline(certificate.into_bytes()),
            key: SecretSource::Inline(SecretBytes::new(key.into_bytes())),
        });
        assert_eq!(call(&config).await.unwrap(), 200);
        config.tls.identity = Some(ClientIdentity {
            certificate: DataSource::File(certificate_path),
            key: SecretSource::File(key_path),
        });
        assert_eq!(call(&config).await.unwrap(), 200);
    }
}

#[test]
fn client_keys_of_every_format_are_read() {
    let identity = |certificate: &str, key: &[u8]| {
        let mut config = Config::new("https://host");
        config.tls.trust = Trust::Insecure;
        config.tls.identity = Some(ClientIdentity {
            certificate: DataSource::Inline(certificate.as_bytes().to_vec()),
            key: SecretSource::Inline(SecretBytes::new(key.to_vec())),
        });
        HttpTransport::new(&config).map(|_| ())
    };
    let (rsa, ec) = (
        include_str!("data/rsa.cert.pem"),
        include_str!("data/ec.cert.pem"),
    );
    let accepted = [
        (rsa, include_str!("data/rsa.pkcs1.key.pem")),
        (rsa, include_str!("data/rsa.pkcs8.key.pem")),
        (ec, include_str!("data/ec.sec1.key.pem")),
        (ec, include_str!("data/ec.pkcs8.key.pem")),
    ];
    for (certificate, key) in accepted {
        identity(certificate, key.as_bytes()).unwrap();
    }
    let refused: [(&str, &[u8], &str); 5] = [
        (ec, include_bytes!("data/ec.encrypted.key.pem"), "not encrypted"),
        (ec, include_bytes!("data/rsa.pkcs8.key.pem"), "belong together"),
        (ec, b"hunter2", "no private key"),
        (
            ec,
            b"-----BEGIN PRIVATE KEY-----\nhunter2!\n-----END PRIVATE KEY-----",
            "no private key",
        ),
        (
            "nothing",
            include_bytes!("data/ec.sec1.key.pem"),
            "no certificate",
        ),
    ];
    for (certificate, key, word) in refused {
        let error = identity(certificate, key).unwrap_err();
        check_error(&error, TransportErrorKind::Config, &[word]);
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

#[test]
fn authorities_that_cannot_be_used_are_named() {
    let check = |source: DataSource, word: &str| {
        let mut config = Config::new("https://host");
        config.tls.trust = Trust::Authority(source);
        check_error(
            &HttpTransport::new(&config).unwrap_err(),
            TransportErrorKind::Config,
            &[word],
        );
    };
    check(
        DataSource::File("/no/such/ca.crt".into()),
        "/no/such/ca.crt cannot be read",
    );
    check(
        DataSource::Inline(b"nothing".to_vec()),
        "certificate-authority-data",
    );
}

#[tokio::test]
async fn servers_that_are_not_there_are_told_apart() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = call(&Config::new(format!("https://127.0.0.1:{port}")))
        .await
        .unwrap_err();
    let address = format!("127.0.0.1:{port}");
    let refused = TransportErrorKind::Connect(ConnectFailure::Refused);
    check_error(
        &error,
        refused,
        &["GET https://", &address, "refused the connection", "check"],
    );
    assert!(error.is_connection_refused() && error.is_connect() && !error.is_timeout());

    let error = call(&Config::new("http://no-such-host.invalid:1"))
        .await
        .unwrap_err();
    check_error(
        &error,
        TransportErrorKind::Connect(ConnectFailure::Dns),
        &["no-such-host.invalid"],
    );
}

#[tokio::test]
async fn a_server_without_tls_is_recognised() {
    let server = Server::start(None, |_| ready(ok(""))).await;
    let mut config = Config::new(server.url("https"));
    config.tls.trust = Trust::Insecure;
    check_error(
        &call(&config).await.unwrap_err(),
        TransportErrorKind::Tls,
        &["does not speak TLS", "http://"],
    );
}

#[tokio::test]
async fn a_server_that_hangs_up_is_recognised() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            drop(connection);
        }
    });
    for scheme in ["http", "https"] {
        let mut config = Config::new(format!("{scheme}://{address}"));
        config.tls.trust = Trust::Insecure;
        let error = call(&config).await.unwrap_err();
        assert!(error.is_connection_reset(), "{error:?}");
    }
}
