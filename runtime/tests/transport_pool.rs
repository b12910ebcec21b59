//! Many calls at once, and connections that come and go.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use bytes::Bytes;
use kubeloom::config::{ClientIdentity, Config, DataSource, SecretSource, Trust};
use kubeloom::transport::{CallKind, HttpTransport, Method, Request, Transport};
use support::{
    Authority, ClientCertificates, Offer, Server, SteppedClock, body, ok, raw, reply, scripted, tls_server,
    transport,
};

fn get(path: &str) -> Request {
    Request::new(Method::Get, path)
}

fn watch() -> Request {
    let mut request = get("/watch");
    request.kind = CallKind::Stream;
    request
}

async fn text(transport: &HttpTransport, request: Request) -> Bytes {
    let response = transport.send(request).await.unwrap();
    response.body.collect(1 << 20).await.unwrap()
}

/// A server whose watches never end, and a configuration for it.
async fn watched(offer: Offer, streams: Option<u32>) -> (Server, Config) {
    let feeds = std::sync::Mutex::new(Vec::new());
    let authority = Authority::new();
    let handler = move |seen: support::Seen| {
        ready(if seen.uri.ends_with("/watch") {
            let (feed, content) = scripted();
            feed.send(Ok("event".into())).unwrap();
            feeds.lock().unwrap().push(feed);
            reply(200, content)
        } else {
            ok("unary")
        })
    };
    let server = Server::start_with(Some(authority.server(offer)), streams, handler).await;
    let mut config = Config::new(server.url("https"));
    config.tls.trust = authority.trust();
    (server, config)
}

fn connections(server: &Server) -> usize {
    server
        .seen()
        .iter()
        .map(|seen| seen.connection)
        .collect::<BTreeSet<_>>()
        .len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_hundred_watches_hold_up_nobody() {
    // Before a server has said what it allows, a few connections more than needed may be made.
    let check =
        async |offer, allowed: Option<u32>, wanted: u32, expected: std::ops::RangeInclusive<usize>| {
            let (server, mut config) = watched(offer, allowed).await;
            config.streams_per_connection = wanted;
            let transport = transport(&config);
            let tasks: Vec<_> = (0..400)
                .map(|_| transport.clone())
                .map(|transport| {
                    tokio::spawn(async move {
                        let mut response = transport.send(watch()).await.unwrap();
                        assert_eq!(response.body.chunk().await.unwrap().unwrap(), "event");
                        response
                    })
                })
                .collect();
            let mut open = Vec::new();
            for task in tasks {
                open.push(
                    tokio::time::timeout(Duration::from_secs(20), task)
                        .await
                        .unwrap()
                        .unwrap(),
                );
            }
            for _ in 0..20 {
                let call = text(&transport, get("/api"));
                assert_eq!(
                    tokio::time::timeout(Duration::from_secs(5), call).await.unwrap(),
                    "unary"
                );
            }
            let made = connections(&server);
            assert!(
                expected.contains(&made),
                "{offer:?} {allowed:?} {wanted}: {made} connections"
            );
            // What has ended makes room again.
            drop(open);
            tokio::time::sleep(Duration::from_millis(200)).await;
            assert_eq!(text(&transport, get("/api")).await, "unary");
            assert_eq!(connections(&server), made);
        };
    check(Offer::Http2AndHttp1, Some(250), 100, 5..=10).await;
    check(Offer::Http2AndHttp1, Some(40), 100, 11..=20).await;
    check(Offer::Http2AndHttp1, Some(1000), 1000, 1..=6).await;
    check(Offer::Http1, None, 100, 401..=420).await;
}

#[tokio::test]
async fn http1_connections_are_used_again() {
    let (server, config) = tls_server(Offer::Http1, |_| ready(ok("x"))).await;
    let transport = transport(&config);
    for _ in 0..10 {
        assert_eq!(text(&transport, get("/api")).await, "x");
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(connections(&server), 1);
}

#[tokio::test]
async fn a_failure_to_connect_is_shared_by_all_that_wait() {
    // A listener that takes connections and says nothing: the handshake ends after 10 s.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::new(format!("https://{}", listener.local_addr().unwrap()));
    config.tls.trust = Trust::Insecure;
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = accepted.clone();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((tcp, _)) = listener.accept().await {
            count.fetch_add(1, SeqCst);
            held.push(tcp);
        }
    });
    let transport = transport(&config);
    let started = std::time::Instant::now();
    let calls: Vec<_> = (0..5)
        .map(|_| transport.clone())
        .map(|transport| tokio::spawn(async move { transport.send(get("/api")).await.unwrap_err() }))
        .collect();
    for call in calls {
        assert!(call.await.unwrap().is_timeout());
    }
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(accepted.load(SeqCst), 1);
}

#[tokio::test]
async fn calls_survive_connections_that_end_under_them() {
    // Each connection serves three calls and announces its end, or is cut off.
    for ending in [raw::Ending::GoAway, raw::Ending::Cut] {
        let authority = Authority::new();
        let server = raw::Http2Server::start(authority.server(Offer::Http2AndHttp1), 3, ending).await;
        let mut config = Config::new(format!("https://127.0.0.1:{}", server.port));
        config.tls.trust = authority.trust();
        let transport = transport(&config);
        let calls: Vec<_> = (0..30)
            .map(|_| transport.clone())
            .map(|transport| tokio::spawn(async move { text(&transport, get("/api/v1/pods")).await }))
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap(), "x", "{ending:?}");
        }
        assert!(server.connections.load(SeqCst) > 1, "{ending:?}");
    }
}

#[tokio::test]
async fn a_write_is_not_repeated_when_its_connection_is_cut() {
    let authority = Authority::new();
    let server = raw::Http2Server::start(authority.server(Offer::Http2AndHttp1), 0, raw::Ending::Cut).await;
    let mut config = Config::new(format!("https://127.0.0.1:{}", server.port));
    config.tls.trust = authority.trust();
    let request = Request::new(Method::Patch, "/api/v1/namespaces/a/pods/b");
    let error = transport(&config).send(request).await.unwrap_err();
    assert!(error.is_connection_reset(), "{error:?}");
    assert_eq!(server.calls.load(SeqCst), 1);
}

/// A server that wants client certificates, and a configuration with one in files.
struct Rotation {
    authority: Authority,
    server: Server,
    config: Config,
    files: tempfile::TempDir,
    clock: Arc<SteppedClock>,
}

impl Rotation {
    async fn new() -> Self {
        let authority = Authority::new();
        let params = Authority::params(&["127.0.0.1"]);
        let tls = authority.server_with(&params, Offer::Http2AndHttp1, ClientCertificates::Required);
        let server = Server::start(Some(tls), |_| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            reply(200, body(["x"]))
        })
        .await;
        let files = tempfile::tempdir().unwrap();
        let mut config = Config::new(server.url("https"));
        config.tls.trust = Trust::Authority(DataSource::File(files.path().join("ca.crt")));
        config.tls.identity = Some(ClientIdentity {
            certificate: DataSource::File(files.path().join("tls.crt")),
            key: SecretSource::File(files.path().join("tls.key")),
        });
        let rotation = Self {
            authority,
            server,
            config,
            files,
            clock: Arc::default(),
        };
        std::fs::write(rotation.files.path().join("ca.crt"), rotation.authority.pem()).unwrap();
        rotation.renew();
        rotation
    }

    fn renew(&self) {
        let (certificate, key) = self.authority.issue(&Authority::params(&["client"]));
        std::fs::write(self.files.path().join("tls.crt"), certificate).unwrap();
        std::fs::write(self.files.path().join("tls.key"), key).unwrap();
    }

    fn transport(&self) -> HttpTransport {
        HttpTransport::with_clock(&self.config, self.clock.clone()).unwrap()
    }
}

#[tokio::test]
async fn a_certificate_that_changes_under_load_fails_no_call_and_retires_its_connections() {
    let rotation = Rotation::new().await;
    let transport = rotation.transport();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let load: Vec<_> = (0..8)
        .map(|_| (transport.clone(), stop.clone()))
        .map(|(transport, stop)| {
            tokio::spawn(async move {
                let mut calls = 0;
                while !stop.load(SeqCst) {
                    assert_eq!(text(&transport, get("/api")).await, "x");
                    calls += 1;
                }
                calls
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(connections(&rotation.server), 1);
    rotation.renew();
    rotation.clock.advance(Duration::from_secs(61));
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = rotation.server.seen().len();
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.store(true, SeqCst);
    for task in load {
        assert!(task.await.unwrap() > 0);
    }
    let seen = rotation.server.seen();
    assert!(seen.len() > before);
    assert!(seen[before..].iter().all(|seen| seen.connection == 1));
}

#[tokio::test]
async fn files_that_did_not_change_retire_nothing_and_broken_ones_keep_the_old() {
    let rotation = Rotation::new().await;
    let transport = rotation.transport();
    let check = async |connections_so_far: usize| {
        rotation.clock.advance(Duration::from_secs(61));
        assert_eq!(text(&transport, get("/api")).await, "x");
        assert_eq!(connections(&rotation.server), connections_so_far);
    };
    check(1).await;
    check(1).await;
    std::fs::write(rotation.files.path().join("tls.crt"), "").unwrap();
    check(1).await;
    // A key that does not belong to the certificate.
    rotation.renew();
    let (_, other) = rotation.authority.issue(&Authority::params(&["client"]));
    std::fs::write(rotation.files.path().join("tls.key"), other).unwrap();
    check(1).await;
    std::fs::remove_file(rotation.files.path().join("ca.crt")).unwrap();
    check(1).await;
    std::fs::write(rotation.files.path().join("ca.crt"), rotation.authority.pem()).unwrap();
    rotation.renew();
    check(2).await;
}

#[tokio::test]
async fn an_authority_that_changed_is_found_after_a_failed_handshake() {
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| ready(ok("x"))).await;
    let Trust::Authority(DataSource::Inline(right)) = config.tls.trust.clone() else {
        panic!("an authority in place");
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), Authority::new().pem()).unwrap();
    config.tls.trust = Trust::Authority(DataSource::File(file.path().to_owned()));
    let clock = Arc::new(SteppedClock::default());
    let transport = HttpTransport::with_clock(&config, clock.clone()).unwrap();
    assert!(transport.send(get("/api")).await.unwrap_err().is_tls());
    std::fs::write(file.path(), right).unwrap();
    clock.advance(Duration::from_secs(2));
    assert_eq!(text(&transport, get("/api")).await, "x");
    assert_eq!(server.seen().len(), 1);
}
