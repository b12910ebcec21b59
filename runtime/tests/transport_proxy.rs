//! Ways to the server through proxies.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::future::ready;

use kubeloom::config::{Config, Proxy};
use kubeloom::transport::{CallKind, HttpTransport, Method, Request, Transport, TransportErrorKind};
use support::proxy::{Speaks, TestProxy};
use support::{Offer, Server, ok, tls_server, transport};

async fn get(config: &Config) -> String {
    let response = transport(config)
        .send(Request::new(Method::Get, "/api?x=1"))
        .await
        .unwrap();
    String::from_utf8(response.body.collect(100).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_server_behind_tls_is_reached_by_a_tunnel() {
    for (speaks, scheme) in [
        (Speaks::Connect, "http"),
        (Speaks::Socks5, "socks5"),
        (Speaks::Socks5, "socks5h"),
    ] {
        let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| ready(ok("hello"))).await;
        let proxy = TestProxy::start(speaks).await;
        config.proxy = Proxy::Url(format!("{scheme}://jane:hunter2@127.0.0.1:{}", proxy.port).into());
        assert_eq!(get(&config).await, "hello");
        assert_eq!(server.seen()[0].version, http::Version::HTTP_2);
        assert_eq!(
            proxy.asked(),
            [format!("127.0.0.1:{} jane:hunter2", server.port)],
            "{scheme}"
        );
        assert!(!format!("{config:?} {:?}", transport(&config)).contains("hunter2"));

        let mut upgrade = Request::new(Method::Get, "/exec");
        upgrade.kind = CallKind::Upgrade;
        assert_eq!(transport(&config).send(upgrade).await.unwrap().status, 200);
        assert_eq!(proxy.asked().len(), 2);
    }
}

#[tokio::test]
async fn a_server_in_the_clear_gets_requests_in_absolute_form() {
    let proxy = Server::start(None, |_| ready(ok("from the proxy"))).await;
    let mut config = Config::new("http://cluster.example:8080");
    config.proxy = Proxy::Url(format!("http://jane:hunter2@127.0.0.1:{}", proxy.port).into());
    assert_eq!(get(&config).await, "from the proxy");
    let seen = proxy.seen().remove(0);
    assert_eq!(seen.uri, "http://cluster.example:8080/api?x=1");
    assert_eq!(seen.header("host"), Some("cluster.example:8080"));
    assert_eq!(seen.header("proxy-authorization"), Some("Basic amFuZTpodW50ZXIy"));
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_without_its_password() {
    let proxy = TestProxy::start(Speaks::Refuses).await;
    let mut config = Config::new("https://cluster.example");
    config.tls.trust = kubeloom::config::Trust::Insecure;
    config.proxy = Proxy::Url(format!("http://jane:hunter2@127.0.0.1:{}", proxy.port).into());
    let error = transport(&config)
        .send(Request::new(Method::Get, "/"))
        .await
        .unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(
        error.is_connect() && text.contains(&format!("the proxy 127.0.0.1:{}", proxy.port)),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_blamed_and_not_the_server() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for scheme in ["http", "socks5"] {
        let mut config = Config::new("https://cluster.example");
        config.tls.trust = kubeloom::config::Trust::Insecure;
        config.proxy = Proxy::Url(format!("{scheme}://{address}").into());
        let error = transport(&config)
            .send(Request::new(Method::Get, "/"))
            .await
            .unwrap_err();
        assert!(error.is_connection_refused(), "{error:?}");
        assert!(
            error.to_string().contains(&format!("the proxy {address}")),
            "{error}"
        );
    }
}

#[test]
fn unusable_proxies_are_refused_before_the_first_call() {
    for url in ["ftp://jane:hunter2@proxy", "socks4://proxy", "://", "http://"] {
        let mut config = Config::new("https://cluster.example");
        config.proxy = Proxy::Url(url.into());
        config.tls.trust = kubeloom::config::Trust::Insecure;
        let error = HttpTransport::new(&config).unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Config, "{url}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
