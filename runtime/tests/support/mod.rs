//! A scripted HTTP server over real sockets, certificates made on the spot, and a clock that is moved by hand.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

pub mod proxy;
pub mod raw;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::Frame;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kubeloom::clock::{Clock, TokioClock};
use kubeloom::config::{Config, DataSource, Trust};
use kubeloom::transport::{BoxFuture, HttpTransport};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// A request as the server saw it, its body read.
#[derive(Clone, Debug)]
pub struct Seen {
    pub version: http::Version,
    pub method: String,
    pub uri: String,
    pub headers: http::HeaderMap,
    pub body: Bytes,
    /// Which of the server's connections it came by, from 0.
    pub connection: usize,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn all(&self, name: &str) -> Vec<&str> {
        self.headers
            .get_all(name)
            .iter()
            .map(|value| value.to_str().unwrap())
            .collect()
    }
}

/// A body fed by the test: an error breaks the response off.
pub struct Scripted(mpsc::UnboundedReceiver<io::Result<Bytes>>);

pub type Feed = mpsc::UnboundedSender<io::Result<Bytes>>;

pub fn scripted() -> (Feed, Scripted) {
    let (feed, body) = mpsc::unbounded_channel();
    (feed, Scripted(body))
}

/// A body of these pieces.
pub fn body(pieces: impl IntoIterator<Item = impl Into<Bytes>>) -> Scripted {
    let (feed, body) = scripted();
    pieces
        .into_iter()
        .for_each(|piece| feed.send(Ok(piece.into())).unwrap());
    body
}

/// A body of these bytes that breaks off once they had time to be sent.
pub fn broken(bytes: &'static str) -> Scripted {
    let (feed, body) = scripted();
    feed.send(Ok(bytes.into())).unwrap();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let _ = feed.send(Err(io::Error::other("scripted")));
    });
    body
}

impl http_body::Body for Scripted {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0
            .poll_recv(cx)
            .map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

pub type Reply = http::Response<Scripted>;

pub fn reply(status: u16, content: Scripted) -> Reply {
    http::Response::builder().status(status).body(content).unwrap()
}

pub fn ok(text: &'static str) -> Reply {
    reply(200, body([text]))
}

/// A server on a port of its own. It ends with the test's runtime.
pub struct Server {
    pub port: u16,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers every request by `handler`; with `tls` over TLS, and HTTP/2 where the client agrees.
    pub async fn start<F, R>(tls: Option<ServerConfig>, handler: F) -> Self
    where
        F: Fn(Seen) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        Self::start_with(tls, None, handler).await
    }

    /// The same, allowing so many streams on an HTTP/2 connection.
    pub async fn start_with<F, R>(tls: Option<ServerConfig>, streams: Option<u32>, handler: F) -> Self
    where
        F: Fn(Seen) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let acceptor = tls.map(|config| TlsAcceptor::from(Arc::new(config)));
        let handler = Arc::new(handler);
        let log = seen.clone();
        tokio::spawn(async move {
            for connection in 0.. {
                let (tcp, _) = listener.accept().await.unwrap();
                tokio::spawn(connection_task(
                    tcp,
                    connection,
                    acceptor.clone(),
                    streams,
                    log.clone(),
                    handler.clone(),
                ));
            }
        });
        Self { port, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.port)
    }
}

async fn connection_task<F, R>(
    tcp: TcpStream,
    connection: usize,
    acceptor: Option<TlsAcceptor>,
    streams: Option<u32>,
    log: Arc<Mutex<Vec<Seen>>>,
    handler: Arc<F>,
) where
    F: Fn(Seen) -> R + Send + Sync + 'static,
    R: Future<Output = Reply> + Send + 'static,
{
    let service = service_fn(move |mut request: http::Request<Incoming>| {
        let (log, handler) = (log.clone(), handler.clone());
        async move {
            let upgrade = request
                .headers()
                .contains_key("upgrade")
                .then(|| hyper::upgrade::on(&mut request));
            let (head, content) = request.into_parts();
            let seen = Seen {
                version: head.version,
                method: head.method.to_string(),
                uri: head.uri.to_string(),
                headers: head.headers,
                body: content
                    .collect()
                    .await
                    .map(|body| body.to_bytes())
                    .unwrap_or_default(),
                connection,
            };
            log.lock().unwrap().push(seen.clone());
            if let Some(upgrade) = upgrade {
                tokio::spawn(echo(upgrade));
            }
            Ok::<_, io::Error>(handler(seen).await)
        }
    });
    // How a connection ends is the test's business, seen from the client's side.
    match acceptor {
        None => {
            let http =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(tcp), service);
            let _ = http.with_upgrades().await;
        }
        Some(acceptor) => {
            let Ok(tls) = acceptor.accept(tcp).await else {
                return;
            };
            if tls.get_ref().1.alpn_protocol() == Some(b"h2") {
                let mut http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                http.max_concurrent_streams(streams.or(Some(200)));
                let _ = http.serve_connection(TokioIo::new(tls), service).await;
            } else {
                let http = hyper::server::conn::http1::Builder::new();
                let _ = http
                    .serve_connection(TokioIo::new(tls), service)
                    .with_upgrades()
                    .await;
            }
        }
    }
}

async fn echo(upgrade: hyper::upgrade::OnUpgrade) {
    if let Ok(upgraded) = upgrade.await {
        let (mut reader, mut writer) = tokio::io::split(TokioIo::new(upgraded));
        let _ = tokio::io::copy(&mut reader, &mut writer).await;
    }
}

/// A certificate authority of the test's own.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// Which versions of HTTP the server offers.
#[derive(Clone, Copy, Debug)]
pub enum Offer {
    Http2AndHttp1,
    Http1,
}

/// Whether the server asks for a client certificate.
#[derive(Clone, Copy, Debug)]
pub enum ClientCertificates {
    Ignored,
    Required,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self {
            issuer: CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap(),
        }
    }

    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    pub fn trust(&self) -> Trust {
        Trust::Authority(DataSource::Inline(self.pem().into_bytes()))
    }

    /// The parameters of a server's certificate for these names and addresses.
    pub fn params(names: &[&str]) -> CertificateParams {
        let mut params =
            CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        params
    }

    /// A certificate and its key, in PEM.
    pub fn issue(&self, params: &CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (
            params.signed_by(&key, &self.issuer).unwrap().pem(),
            key.serialize_pem(),
        )
    }

    /// The TLS side of a server at 127.0.0.1.
    pub fn server(&self, offer: Offer) -> ServerConfig {
        self.server_with(&Self::params(&["127.0.0.1"]), offer, ClientCertificates::Ignored)
    }

    pub fn server_with(
        &self,
        params: &CertificateParams,
        offer: Offer,
        client: ClientCertificates,
    ) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match client {
            ClientCertificates::Ignored => builder.with_no_client_auth(),
            ClientCertificates::Required => {
                let mut roots = RootCertStore::empty();
                roots.add(self.issuer.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let key = key.serialize_der().try_into().unwrap();
        let mut config = builder
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = match offer {
            Offer::Http2AndHttp1 => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            Offer::Http1 => vec![b"http/1.1".to_vec()],
        };
        config
    }
}

/// A server over TLS, and a configuration that trusts it.
pub async fn tls_server<F, R>(offer: Offer, handler: F) -> (Server, Config)
where
    F: Fn(Seen) -> R + Send + Sync + 'static,
    R: Future<Output = Reply> + Send + 'static,
{
    let authority = Authority::new();
    let server = Server::start(Some(authority.server(offer)), handler).await;
    let mut config = Config::new(server.url("https"));
    config.tls.trust = authority.trust();
    (server, config)
}

pub fn transport(config: &Config) -> HttpTransport {
    HttpTransport::new(config).unwrap()
}

/// Real time, plus what the test adds. Sleeps take their real time.
#[derive(Debug, Default)]
pub struct SteppedClock(Mutex<Duration>);

impl SteppedClock {
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for SteppedClock {
    fn now(&self) -> Instant {
        TokioClock.now() + *self.0.lock().unwrap()
    }

    fn wall(&self) -> jiff::Timestamp {
        TokioClock.wall()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        TokioClock.sleep(duration)
    }
}

/// A relay to the server that can stop passing bytes without closing anything, as a lost VPN does.
pub struct Relay {
    pub port: u16,
    frozen: Arc<std::sync::atomic::AtomicBool>,
}

impl Relay {
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay = Self {
            port: listener.local_addr().unwrap().port(),
            frozen: Arc::default(),
        };
        let frozen = relay.frozen.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                // Connections made after the thaw live; those that were frozen stay so.
                let mine = Arc::new(std::sync::atomic::AtomicBool::new(false));
                let ((client_in, client_out), (server_in, server_out)) =
                    (client.into_split(), server.into_split());
                tokio::spawn(pass(client_in, server_out, frozen.clone(), mine.clone()));
                tokio::spawn(pass(server_in, client_out, frozen.clone(), mine));
            }
        });
        relay
    }

    pub fn freeze(&self) {
        self.frozen.store(true, std::sync::atomic::Ordering::SeqCst);
    }

    pub fn thaw(&self) {
        self.frozen.store(false, std::sync::atomic::Ordering::SeqCst);
    }
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    frozen: Arc<std::sync::atomic::AtomicBool>,
    mine: Arc<std::sync::atomic::AtomicBool>,
) {
    use std::sync::atomic::Ordering::SeqCst;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if frozen.load(SeqCst) {
            mine.store(true, SeqCst);
        }
        if mine.load(SeqCst) {
            continue;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
    if mine.load(SeqCst) {
        std::future::pending::<()>().await;
    }
}
