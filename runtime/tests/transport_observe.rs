//! What is told of calls: warnings, measurements, logs; and what never is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use kubeloom::config::{AuthConfig, AuthProviderConfig, Config, DataSource, RateLimit, SecretString, Trust};
use kubeloom::transport::{
    HttpTransport, Labels, Method, Metrics, ProviderStore, Reload, Request, Transport, TransportOptions,
    WarningHandler,
};
use support::{Authority, Offer, Server, SteppedClock, body, ok, reply, tls_server};

#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl WarningHandler for Notes {
    fn warning(&self, text: &str) {
        self.add(text.to_owned());
    }
}

impl Metrics for Notes {
    fn started(&self, labels: &Labels<'_>) {
        self.add(format!("started {} {}", labels.method, labels.path));
    }
    fn ended(&self, _: &Labels<'_>) {
        self.add("ended".to_owned());
    }
    fn answered(&self, _: &Labels<'_>, status: Option<u16>, _: Duration) {
        self.add(format!("answered {status:?}"));
    }
    fn sent(&self, _: &Labels<'_>, sent: u64) {
        self.add(format!("sent {sent}"));
    }
    fn received(&self, _: &Labels<'_>, received: u64) {
        self.add(format!("received {received}"));
    }
    fn retry(&self, _: &Labels<'_>, attempt: u32) {
        self.add(format!("retry {attempt}"));
    }
    fn resolved(&self, host: &str, _: Duration, succeeded: bool) {
        self.add(format!("resolved {host} {succeeded}"));
    }
    fn secured(&self, host: &str, _: Duration, succeeded: bool) {
        self.add(format!("secured {host} {succeeded}"));
    }
    fn reloaded(&self, outcome: Reload) {
        self.add(format!("{outcome:?}"));
    }
    fn throttled(&self, _: &Labels<'_>, _: Duration) {
        self.add("throttled".to_owned());
    }
}

impl ProviderStore for Notes {
    fn store(&self, provider: &str, settings: &std::collections::BTreeMap<String, SecretString>) {
        self.add(format!("{provider} {}", settings["refresh-token"].expose()));
    }
}

#[tokio::test]
async fn warnings_of_failures_and_successes_are_handed_out() {
    let (_server, config) = tls_server(Offer::Http2AndHttp1, |seen| {
        let mut response = reply(if seen.uri.ends_with("/bad") { 404 } else { 200 }, body(["x"]));
        let value = "299 - \"v1beta1 is deprecated\", 199 - \"not this\""
            .parse()
            .unwrap();
        response.headers_mut().insert("warning", value);
        std::future::ready(response)
    })
    .await;
    let notes = Arc::new(Notes::default());
    let mut options = TransportOptions::default();
    options.warnings = notes.clone();
    let transport = HttpTransport::with_options(&config, options).unwrap();
    for path in ["/good", "/bad"] {
        transport.send(Request::new(Method::Get, path)).await.unwrap();
        assert_eq!(notes.taken(), ["v1beta1 is deprecated"], "{path}");
    }
}

#[tokio::test]
async fn each_attempt_is_measured_under_its_template() {
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| {
        std::future::ready(reply(200, body(["hello"])))
    })
    .await;
    config.rate_limit = Some(RateLimit { qps: 0.5, burst: 1 });
    let notes = Arc::new(Notes::default());
    let mut options = TransportOptions::default();
    options.metrics = notes.clone();
    let transport = HttpTransport::with_options(&config, options).unwrap();
    let mut request = Request::new(Method::Put, "/api/v1/namespaces/a/pods/b?x=1");
    request.template = "/api/v1/namespaces/{namespace}/pods/{name}".into();
    request.body = "12345678".into();
    let response = transport.send(request.clone()).await.unwrap();
    response.body.collect(100).await.unwrap();
    let expected = [
        "started PUT /api/v1/namespaces/{namespace}/pods/{name}",
        "sent 8",
        "secured 127.0.0.1 true",
        "answered Some(200)",
        "received 5",
        "ended",
    ];
    assert_eq!(notes.taken(), expected);
    drop(transport.send(request).await.unwrap());
    let notes = notes.taken();
    assert_eq!(
        (notes[0].as_str(), notes.last().unwrap().as_str()),
        ("throttled", "ended")
    );
    let ids: Vec<_> = server
        .seen()
        .iter()
        .map(|seen| seen.header("audit-id").unwrap().to_owned())
        .collect();
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.len() == 36), "{ids:?}");
}

#[tokio::test]
async fn a_call_turned_away_comes_back_after_the_named_time() {
    let turned = Mutex::new(true);
    let (server, config) = tls_server(Offer::Http2AndHttp1, move |_| {
        let mut response = reply(200, body(["x"]));
        if std::mem::take(&mut *turned.lock().unwrap()) {
            *response.status_mut() = http::StatusCode::TOO_MANY_REQUESTS;
            response.headers_mut().insert("retry-after", "2".parse().unwrap());
        }
        std::future::ready(response)
    })
    .await;
    let notes = Arc::new(Notes::default());
    let mut options = TransportOptions::default();
    options.metrics = notes.clone();
    let transport = HttpTransport::with_options(&config, options).unwrap();
    let started = std::time::Instant::now();
    let mut request = Request::new(Method::Post, "/api");
    request.body = "body".into();
    assert_eq!(transport.send(request).await.unwrap().status, 200);
    assert!(
        (2000..2600).contains(&started.elapsed().as_millis()),
        "{:?}",
        started.elapsed()
    );
    assert!(server.seen().iter().all(|seen| seen.body == "body"));
    assert!(notes.taken().contains(&"retry 1".to_owned()));
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

/// An ID token that expires at that second.
fn id_token(subject: &str, expires: i64) -> String {
    let part = |text: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
    let claims = format!(r#"{{"sub":"{subject}","exp":{expires}}}"#);
    format!("{}.{}.sig", part("{}"), part(&claims))
}

#[tokio::test]
async fn an_expired_id_token_is_renewed_once_for_all_and_the_refresh_token_kept() {
    let far = jiff::Timestamp::now().as_second() + 3600;
    let fresh = id_token("fresh", far);
    let answer: &'static str = format!(r#"{{"id_token":"{fresh}","refresh_token":"r-2"}}"#).leak();
    let own = Arc::new(Mutex::new(String::new()));
    let url = own.clone();
    let issuer = Server::start(None, move |seen| {
        let endpoint = format!(r#"{{"token_endpoint":"{}/token"}}"#, url.lock().unwrap());
        std::future::ready(match seen.uri.as_str() {
            "/realm/.well-known/openid-configuration" => reply(200, body([endpoint])),
            "/token"
                if seen
                    .body
                    .starts_with(b"grant_type=refresh_token&refresh_token=r%2D1") =>
            {
                ok(answer)
            }
            _ => reply(400, body(["{}"])),
        })
    })
    .await;
    own.lock().unwrap().push_str(&issuer.url("http"));
    let (server, mut config) = tls_server(Offer::Http2AndHttp1, |_| std::future::ready(ok("x"))).await;
    let issuer_url = format!("{}/realm/", issuer.url("http"));
    config.auth = provider(&[
        ("idp-issuer-url", &issuer_url),
        ("client-id", "c"),
        ("client-secret", "s"),
        ("refresh-token", "r-1"),
        ("id-token", &id_token("stale", 1_000_000)),
    ]);
    let notes = Arc::new(Notes::default());
    let mut options = TransportOptions::default();
    options.provider_store = Some(notes.clone());
    let transport = HttpTransport::with_options(&config, options).unwrap();
    let calls: Vec<_> = (0..10)
        .map(|_| transport.clone())
        .map(|transport| {
            tokio::spawn(async move {
                transport
                    .send(Request::new(Method::Get, "/"))
                    .await
                    .unwrap()
                    .status
            })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 200);
    }
    let bearer = format!("Bearer {fresh}");
    assert!(
        server
            .seen()
            .iter()
            .all(|seen| seen.header("authorization") == Some(&bearer))
    );
    assert_eq!(issuer.seen().len(), 2);
    assert_eq!(issuer.seen()[1].header("authorization"), Some("Basic Yzpz"));
    assert_eq!(notes.taken(), ["oidc r-2"]);
}

#[tokio::test]
async fn without_a_refresh_token_an_expired_one_is_an_error() {
    let (server, mut config): (Server, Config) =
        tls_server(Offer::Http2AndHttp1, |_| std::future::ready(ok("x"))).await;
    config.auth = provider(&[("idp-issuer-url", "https://issuer.example"), ("client-id", "c")]);
    let transport = HttpTransport::new(&config).unwrap();
    let error = transport.send(Request::new(Method::Get, "/")).await.unwrap_err();
    assert!(error.to_string().contains("no refresh token"), "{error}");
    assert!(server.seen().is_empty());
    config.auth = provider(&[("client-id", "c")]);
    let error = HttpTransport::new(&config).unwrap_err();
    assert!(error.to_string().contains("idp-issuer-url"), "{error}");
}

#[tokio::test]
async fn names_handshakes_and_reloads_are_measured() {
    let authority = Authority::new();
    let server = Server::start(Some(authority.server(Offer::Http2AndHttp1)), |_| {
        std::future::ready(reply(200, body(["x"])))
    })
    .await;
    let files = tempfile::tempdir().unwrap();
    let bundle = files.path().join("ca.crt");
    std::fs::write(&bundle, authority.pem()).unwrap();
    let mut config = Config::new(format!("https://localhost:{}", server.port));
    config.tls.trust = Trust::Authority(DataSource::File(bundle.clone()));
    config.tls.server_name = Some("127.0.0.1".to_owned());
    let (notes, clock) = (Arc::new(Notes::default()), Arc::new(SteppedClock::default()));
    let mut options = TransportOptions::default();
    options.metrics = notes.clone();
    options.clock = clock.clone();
    let transport = HttpTransport::with_options(&config, options).unwrap();
    let call = async || {
        let _ = transport.send(Request::new(Method::Post, "/")).await;
        let kept = |note: &String| !note.starts_with(char::is_lowercase) || note.contains("localhost");
        notes.taken().into_iter().filter(kept).collect::<Vec<_>>()
    };
    assert_eq!(
        call().await,
        ["resolved localhost true", "secured localhost true"]
    );
    assert!(call().await.is_empty());
    clock.advance(Duration::from_secs(61));
    assert_eq!(call().await, ["Unchanged"]);
    std::fs::write(&bundle, "broken").unwrap();
    clock.advance(Duration::from_secs(61));
    assert_eq!(call().await, ["Failed"]);
    std::fs::write(&bundle, Authority::new().pem()).unwrap();
    clock.advance(Duration::from_secs(61));
    let expected = [
        "Changed { authority: true, identity: false }",
        "resolved localhost true",
        "secured localhost false",
    ];
    assert_eq!(call().await, expected);
}
