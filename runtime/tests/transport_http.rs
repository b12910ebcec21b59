//! The transport against a scripted server: versions of HTTP, headers, bodies, timeouts, upgrades.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::future::ready;
use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use kubeloom::config::{Compression, Config, HttpVersions, Impersonation, KeepAlive};
use kubeloom::transport::{CallKind, Headers, Method, Request, Transport, TransportErrorKind};
use support::{Offer, Relay, Server, body, broken, ok, reply, scripted, tls_server, transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const LIMIT: usize = 1 << 20;

fn get(path: &str) -> Request {
    Request::new(Method::Get, path)
}

fn stream(path: &str) -> Request {
    let mut request = get(path);
    request.kind = CallKind::Stream;
    request
}

async fn text(config: &Config, request: Request) -> String {
    text_of(&transport(config), request).await
}

async fn text_of(transport: &impl Transport, request: Request) -> String {
    let response = transport.send(request).await.unwrap();
    String::from_utf8(response.body.collect(LIMIT).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn the_version_of_http_is_what_both_sides_have() {
    let check = async |offer: Option<Offer>, wanted: HttpVersions, expected: http::Version| {
        let (server, mut config) = match offer {
            Some(offer) => tls_server(offer, |_| ready(ok("hello"))).await,
            None => {
                let server = Server::start(None, |_| ready(ok("hello"))).await;
                let config = Config::new(server.url("http"));
                (server, config)
            }
        };
        config.http = wanted;
        assert_eq!(text(&config, get("/api?x=1")).await, "hello");
        let seen = &server.seen()[0];
        assert_eq!(seen.version, expected, "{offer:?} {wanted:?}");
        let http2 = expected == http::Version::HTTP_2;
        let target = if http2 {
            format!("{}/api?x=1", server.url("https"))
        } else {
            "/api?x=1".to_owned()
        };
        assert_eq!(seen.uri, target);
    };
    check(
        Some(Offer::Http2AndHttp1),
        HttpVersions::Http2AndHttp1,
        http::Version::HTTP_2,
    )
    .await;
    check(
        Some(Offer::Http1),
        HttpVersions::Http2AndHttp1,
        http::Version::HTTP_11,
    )
    .await;
    check(
        Some(Offer::Http2AndHttp1),
        HttpVersions::Http1,
        http::Version::HTTP_11,
    )
    .await;
    check(None, HttpVersions::Http2AndHttp1, http::Version::HTTP_11).await;
}

#[tokio::test]
async fn a_path_prefix_of_the_server_is_kept() {
    let (server, mut config) = tls_server(Offer::Http1, |_| ready(ok(""))).await;
    config.server = format!("{}/k8s/clusters/c1/", server.url("https")).into();
    text(&config, get("/api/v1/pods?limit=5")).await;
    assert_eq!(server.seen()[0].uri, "/k8s/clusters/c1/api/v1/pods?limit=5");
}

#[tokio::test]
async fn requests_carry_method_body_and_identity() {
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| ready(ok(""))).await;
    config.impersonate = Some(Impersonation {
        user: "jane".to_owned(),
        uid: Some("u-1".to_owned()),
        groups: vec!["dev".to_owned(), "ops".to_owned()],
        extra: [(
            "acme.com/project".to_owned(),
            vec!["a".to_owned(), "b".to_owned()],
        )]
        .into(),
    });
    let mut request = Request::new(Method::Patch, "/api");
    request.body = Bytes::from_static(b"{}");
    text(&config, request).await;

    let seen = server.seen().remove(0);
    assert_eq!((seen.method.as_str(), &seen.body[..]), ("PATCH", &b"{}"[..]));
    let agent = seen.header("user-agent").unwrap();
    assert!(
        agent.starts_with(concat!("kubeloom/", env!("CARGO_PKG_VERSION"), " (")),
        "{agent}"
    );
    assert_eq!(seen.header("impersonate-user"), Some("jane"));
    assert_eq!(seen.header("impersonate-uid"), Some("u-1"));
    assert_eq!(seen.all("impersonate-group"), ["dev", "ops"]);
    assert_eq!(seen.all("impersonate-extra-acme.com%2fproject"), ["a", "b"]);
    assert_eq!(seen.header("accept-encoding"), Some("gzip"));
    assert_eq!(seen.header("authorization"), None);
}

#[tokio::test]
async fn what_the_request_says_wins() {
    let (server, mut config) = tls_server(Offer::Http1, |_| ready(ok(""))).await;
    config.user_agent = Some("configured/1".to_owned());
    config.compression = Compression::Off;
    config.impersonate = Some(Impersonation {
        user: "jane".into(),
        groups: vec!["dev".into()],
        ..Default::default()
    });
    text(&config, get("/a")).await;
    let mut request = get("/b");
    request.headers = [("User-Agent", "mine/2"), ("Impersonate-User", "joe")]
        .into_iter()
        .collect::<Headers>();
    text(&config, request).await;

    let [first, second] = &server.seen()[..] else {
        panic!("two requests")
    };
    assert_eq!(first.header("user-agent"), Some("configured/1"));
    assert_eq!(first.header("accept-encoding"), None);
    assert_eq!(second.all("user-agent"), ["mine/2"]);
    assert_eq!(second.all("impersonate-user"), ["joe"]);
    assert_eq!(second.header("impersonate-group"), None);
}

#[tokio::test]
async fn headers_that_cannot_be_sent_are_refused_without_their_value() {
    let (server, config) = tls_server(Offer::Http1, |_| ready(ok(""))).await;
    for (name, value) in [("x", "hunter2\r\nevil: 1"), ("a b", "hunter2")] {
        let mut request = get("/");
        request.headers.append(name, value);
        let error = transport(&config).send(request).await.unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Config);
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let error = transport(&config).send(get("no-slash")).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Config);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn calls_share_one_http2_connection_even_while_a_stream_is_open() {
    let (feed, content) = scripted();
    let content = std::sync::Mutex::new(Some(content));
    let (server, config) = tls_server(Offer::Http2AndHttp1, move |seen| {
        let watch = seen
            .uri
            .ends_with("/watch")
            .then(|| content.lock().unwrap().take().unwrap());
        ready(reply(200, watch.unwrap_or_else(|| body(["x"]))))
    })
    .await;
    let transport = transport(&config);
    let mut watch = transport.send(stream("/watch")).await.unwrap();
    let calls: Vec<_> = (0..50)
        .map(|_| transport.clone())
        .map(|t| {
            tokio::spawn(async move {
                t.send(get("/api"))
                    .await
                    .unwrap()
                    .body
                    .collect(LIMIT)
                    .await
                    .unwrap()
            })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), "x");
    }
    feed.send(Ok("event".into())).unwrap();
    assert_eq!(watch.body.chunk().await.unwrap().unwrap(), "event");
    assert!(server.seen().iter().all(|seen| seen.connection == 0));
}

#[tokio::test]
async fn a_large_body_arrives_whole() {
    const MIB: usize = 1 << 20;
    for offer in [Offer::Http2AndHttp1, Offer::Http1] {
        let piece = Bytes::from(vec![7u8; MIB]);
        let (_server, config) =
            tls_server(offer, move |_| ready(reply(200, body(vec![piece.clone(); 32])))).await;
        let response = transport(&config).send(get("/")).await.unwrap();
        let whole = response.body.collect(64 * MIB).await.unwrap();
        assert_eq!(whole.len(), 32 * MIB);
        assert!(whole.iter().all(|byte| *byte == 7));
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error_after_what_arrived() {
    let check = async |offer: Offer, length: Option<&'static str>| {
        let (_server, config) = tls_server(offer, move |_| {
            let mut response = reply(200, broken("half"));
            if let Some(length) = length {
                response
                    .headers_mut()
                    .insert("content-length", length.parse().unwrap());
            }
            ready(response)
        })
        .await;
        let mut response = transport(&config).send(stream("/half")).await.unwrap();
        let mut got = Vec::new();
        let error = loop {
            match response.body.chunk().await.expect("no clean end") {
                Ok(chunk) => got.extend_from_slice(&chunk),
                Err(error) => break error,
            }
        };
        assert_eq!(got, b"half");
        assert!(error.is_connection_reset(), "{offer:?} {length:?}: {error:?}");
        assert!(error.to_string().contains("/half: "), "{error}");
        assert!(response.body.chunk().await.is_none());
    };
    check(Offer::Http1, Some("100")).await;
    check(Offer::Http1, None).await;
    check(Offer::Http2AndHttp1, Some("100")).await;
    check(Offer::Http2AndHttp1, None).await;
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn gzipped(content: support::Scripted) -> support::Reply {
    let mut response = reply(200, content);
    response
        .headers_mut()
        .insert("content-encoding", "gzip".parse().unwrap());
    response
}

/// How the bytes of an event are cut into pieces.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Nowhere,
    AtEveryByte,
}

#[tokio::test]
async fn compressed_events_are_there_before_the_stream_ends() {
    for offer in [Offer::Http2AndHttp1, Offer::Http1] {
        for cut in [Cut::Nowhere, Cut::AtEveryByte] {
            compressed_events(offer, cut).await;
        }
    }
}

async fn compressed_events(offer: Offer, cut: Cut) {
    let (feed, content) = scripted();
    let content = std::sync::Mutex::new(Some(content));
    let (_server, config) = tls_server(offer, move |_| {
        ready(gzipped(content.lock().unwrap().take().unwrap()))
    })
    .await;
    let mut response = transport(&config).send(stream("/watch")).await.unwrap();
    assert!(!response.headers.contains("content-encoding"));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    for event in [
        "{\"type\":\"ADDED\"}\n",
        "{\"type\":\"MODIFIED\"}\n",
        "{\"type\":\"BOOKMARK\"}\n",
    ] {
        encoder.write_all(event.as_bytes()).unwrap();
        encoder.flush().unwrap();
        let bytes = Bytes::from(std::mem::take(encoder.get_mut()));
        match cut {
            Cut::Nowhere => feed.send(Ok(bytes)).unwrap(),
            Cut::AtEveryByte => (0..bytes.len()).for_each(|at| feed.send(Ok(bytes.slice(at..=at))).unwrap()),
        }
        let mut got = String::new();
        while got.len() < event.len() {
            let chunk = tokio::time::timeout(Duration::from_secs(10), response.body.chunk()).await;
            got.push_str(std::str::from_utf8(&chunk.expect("stuck").unwrap().unwrap()).unwrap());
        }
        assert_eq!(got, event, "{offer:?} {cut:?}");
    }
    feed.send(Ok(encoder.finish().unwrap().into())).unwrap();
    drop(feed);
    assert!(response.body.chunk().await.is_none());
}

#[tokio::test]
async fn gzip_bodies_whole_empty_doubled_expanding_and_broken() {
    let check = async |wire: Vec<u8>, expected: Option<Vec<u8>>| {
        let length = wire.len();
        let (_server, config) = tls_server(Offer::Http1, move |_| {
            let mut response = gzipped(body([wire.clone()]));
            response.headers_mut().insert("content-length", length.into());
            ready(response)
        })
        .await;
        let response = transport(&config).send(get("/")).await.unwrap();
        assert!(!response.headers.contains("content-length"));
        let got = response.body.collect(64 << 20).await;
        match expected {
            Some(expected) => assert!(got.unwrap() == expected),
            None => assert_eq!(got.unwrap_err().kind(), TransportErrorKind::Protocol),
        }
    };
    check(gzip(b"hello"), Some(b"hello".to_vec())).await;
    check(Vec::new(), Some(Vec::new())).await;
    check([gzip(b"a"), gzip(b"b")].concat(), Some(b"ab".to_vec())).await;
    check(gzip(&vec![0; 4 << 20]), Some(vec![0; 4 << 20])).await;
    check(gzip(b"hello")[..12].to_vec(), None).await;
    let mut wrong_checksum = gzip(b"hello");
    let at = wrong_checksum.len() - 8;
    wrong_checksum[at] ^= 1;
    check(wrong_checksum, None).await;
    check(b"not compressed".to_vec(), None).await;
}

#[tokio::test]
async fn an_expanding_body_is_cut_at_the_limit() {
    let bomb = gzip(&vec![0; 8 << 20]);
    let (_server, config) = tls_server(Offer::Http1, move |_| ready(gzipped(body([bomb.clone()])))).await;
    let response = transport(&config).send(get("/")).await.unwrap();
    assert_eq!(
        response.body.collect(LIMIT).await.unwrap_err().kind(),
        TransportErrorKind::TooLarge
    );
}

#[tokio::test]
async fn a_timeout_covers_the_body_of_a_unary_call_and_not_of_a_stream() {
    let (_server, mut config) = tls_server(Offer::Http2AndHttp1, |seen| async move {
        if seen.uri.ends_with("/silent") {
            std::future::pending::<()>().await;
        }
        if seen.uri.ends_with("/late") {
            tokio::time::sleep(Duration::from_millis(600)).await;
        }
        let (feed, content) = scripted();
        tokio::spawn(async move {
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_millis(150)).await;
                let _ = feed.send(Ok("x".into()));
            }
        });
        reply(200, content)
    })
    .await;
    config.timeout = Some(Duration::from_millis(300));
    let transport = transport(&config);

    let error = transport.send(get("/silent")).await.unwrap_err();
    assert!(error.is_timeout() && !error.is_connect(), "{error:?}");
    let error = transport
        .send(get("/drip"))
        .await
        .unwrap()
        .body
        .collect(LIMIT)
        .await
        .unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert!(error.to_string().contains("GET https://127.0.0.1"), "{error}");

    let mut longer = get("/drip");
    longer.timeout = Some(Duration::from_secs(30));
    assert_eq!(
        transport
            .send(longer)
            .await
            .unwrap()
            .body
            .collect(LIMIT)
            .await
            .unwrap(),
        "xxxx"
    );
    assert_eq!(
        transport
            .send(stream("/drip"))
            .await
            .unwrap()
            .body
            .collect(LIMIT)
            .await
            .unwrap(),
        "xxxx"
    );
    let late = transport
        .send(stream("/late"))
        .await
        .expect("the default is for unary calls only");
    assert_eq!(late.body.collect(LIMIT).await.unwrap(), "xxxx");
    let mut limited = stream("/drip");
    limited.timeout = Some(Duration::from_millis(300));
    assert_eq!(
        transport
            .send(limited)
            .await
            .unwrap()
            .body
            .collect(LIMIT)
            .await
            .unwrap(),
        "xxxx"
    );
    let mut silent = stream("/silent");
    silent.timeout = Some(Duration::from_millis(100));
    assert!(transport.send(silent).await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn an_upgrade_takes_a_connection_of_its_own_over_http1() {
    let (server, config) = tls_server(Offer::Http2AndHttp1, |seen| {
        let refused = seen.uri.ends_with("/refused") || seen.header("upgrade").is_none();
        ready(if refused {
            ok("no upgrade")
        } else {
            let switching = http::Response::builder().status(101);
            let switching = switching
                .header("connection", "upgrade")
                .header("upgrade", "echo");
            switching.body(body([""; 0])).unwrap()
        })
    })
    .await;
    let transport = transport(&config);
    transport
        .send(get("/first"))
        .await
        .unwrap()
        .body
        .collect(LIMIT)
        .await
        .unwrap();
    let upgrade = |path: &str| {
        let mut request = get(path);
        request.kind = CallKind::Upgrade;
        request.headers = [("connection", "upgrade"), ("upgrade", "echo")]
            .into_iter()
            .collect();
        request
    };
    let response = transport.send(upgrade("/exec")).await.unwrap();
    assert_eq!(response.status, 101);
    let mut connection = response.body.into_upgraded().unwrap();
    connection.write_all(b"ping").await.unwrap();
    let mut answer = [0; 4];
    connection.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"ping");

    let response = transport.send(upgrade("/refused")).await.unwrap();
    assert_eq!(response.status, 200);
    let unchanged = response.body.into_upgraded().unwrap_err();
    assert_eq!(unchanged.collect(LIMIT).await.unwrap(), "no upgrade");

    let seen = server.seen();
    assert_eq!(seen[0].version, http::Version::HTTP_2);
    assert_eq!(seen[1].version, http::Version::HTTP_11);
    assert_ne!(seen[0].connection, seen[1].connection);
}

#[tokio::test]
async fn a_half_open_connection_ends_its_streams_and_is_replaced() {
    let (feed, content) = scripted();
    let content = std::sync::Mutex::new(Some(content));
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, move |seen| {
        let watch = seen
            .uri
            .ends_with("/watch")
            .then(|| content.lock().unwrap().take().unwrap());
        ready(reply(200, watch.unwrap_or_else(|| body(["x"]))))
    })
    .await;
    let relay = Relay::to(server.port).await;
    config.server = format!("https://127.0.0.1:{}", relay.port).into();
    config.keep_alive = KeepAlive {
        interval: Duration::from_millis(200),
        timeout: Duration::from_millis(200),
    };
    let transport = transport(&config);
    let mut watch = transport.send(stream("/watch")).await.unwrap();
    feed.send(Ok("event".into())).unwrap();
    assert_eq!(watch.body.chunk().await.unwrap().unwrap(), "event");

    // Answered pings keep a silent stream alive.
    assert!(
        tokio::time::timeout(Duration::from_secs(1), watch.body.chunk())
            .await
            .is_err()
    );
    relay.freeze();
    let chunk = tokio::time::timeout(Duration::from_secs(5), watch.body.chunk())
        .await
        .expect("noticed");
    let error = chunk.unwrap().unwrap_err();
    assert!(error.is_connection_reset(), "{error:?}");
    relay.thaw();
    assert_eq!(text_of(&transport, get("/api")).await, "x");
    assert_ne!(server.seen().last().unwrap().connection, 0);
}

#[tokio::test]
async fn dropping_a_stream_tells_the_server() {
    for offer in [Offer::Http2AndHttp1, Offer::Http1] {
        let (feed, content) = scripted();
        let content = std::sync::Mutex::new(Some(content));
        let (_server, config) = tls_server(offer, move |_| {
            ready(reply(200, content.lock().unwrap().take().unwrap()))
        })
        .await;
        let transport = transport(&config);
        let watch = transport.send(stream("/watch")).await.unwrap();
        drop(watch);
        let gone = tokio::time::timeout(Duration::from_secs(5), feed.closed()).await;
        assert!(gone.is_ok(), "{offer:?}: the server still holds the stream");
    }
}
