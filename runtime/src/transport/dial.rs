//! [`Dialer`]: makes one connection to the server, by way of a proxy if there is one, TLS included.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::future::BoxFuture;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use super::body::Duplex;
use super::endpoint::Endpoint;
use super::error::chain;
use super::http::TransportOptions;
use super::metrics::Metrics;
use super::ping::Heard;
use super::proxy::Route;
use super::tls::{self, Tls};
use super::{ConnectFailure, TransportError, TransportErrorKind};
use crate::clock::{Clock, within};

/// The longest that resolving the name and connecting may take; client-go's value.
const DIAL_TIMEOUT: Duration = Duration::from_secs(30);
/// The time between keep-alive probes of an idle TCP connection; client-go's value.
const TCP_KEEPALIVE: Duration = Duration::from_secs(30);
/// The longest a TLS handshake may take; client-go's value.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes connections to the server. Every clone makes the same ones.
#[derive(Clone)]
pub(super) struct Dialer {
    endpoint: Arc<Endpoint>,
    clock: Arc<dyn Clock>,
    metrics: Arc<dyn Metrics>,
    route: Route,
    tcp: HttpConnector<Resolver>,
}

impl Dialer {
    pub(super) fn new(endpoint: Arc<Endpoint>, route: Route, options: &TransportOptions) -> Self {
        let (clock, metrics) = (options.clock.clone(), options.metrics.clone());
        let mut tcp = HttpConnector::new_with_resolver(Resolver {
            names: GaiResolver::new(),
            clock: clock.clone(),
            metrics: metrics.clone(),
        });
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(TCP_KEEPALIVE));
        tcp.set_keepalive_interval(Some(TCP_KEEPALIVE));
        tcp.set_connect_timeout(Some(DIAL_TIMEOUT));
        Self {
            endpoint,
            clock,
            metrics,
            route,
            tcp,
        }
    }

    /// The way connections are made.
    pub(super) fn route(&self) -> &Route {
        &self.route
    }

    /// A connection to the server; without `tls` it is in the clear.
    pub(super) async fn dial(&self, tls: Option<&Tls>) -> Result<Dialed, TransportError> {
        let io = match within(&*self.clock, DIAL_TIMEOUT, self.route.open(self, &self.endpoint)).await {
            Some(io) => io?,
            None => return Err(self.unreachable(ConnectFailure::Timeout)),
        };
        match tls {
            None => Ok(Dialed {
                io,
                http2: false,
                ending: Ending::default(),
                heard: None,
            }),
            Some(tls) => self.handshake(tls, io).await,
        }
    }

    /// A TCP connection to the authority of `uri`.
    pub(super) async fn tcp(&self, uri: ::http::Uri) -> Result<TcpStream, TransportError> {
        match self.tcp.clone().call(uri).await {
            Ok(tcp) => Ok(tcp.into_inner()),
            Err(error) => {
                let failure = connect_failure(&error);
                Err(self.unreachable(failure).with_source(error))
            }
        }
    }

    async fn handshake(&self, tls: &Tls, io: Box<dyn Duplex>) -> Result<Dialed, TransportError> {
        let connector = TlsConnector::from(tls.config.clone());
        let handshake = connector.connect(tls.server_name.clone(), io);
        let started = self.clock.now();
        let ended = within(&*self.clock, HANDSHAKE_TIMEOUT, handshake).await;
        let took = self.clock.now().saturating_duration_since(started);
        let succeeded = matches!(ended, Some(Ok(_)));
        self.metrics.secured(&self.endpoint.host, took, succeeded);
        match ended {
            Some(Ok(stream)) => {
                let http2 = stream.get_ref().1.alpn_protocol() == Some(tls::ALPN_HTTP2);
                Ok(Dialed {
                    io: Box::new(stream),
                    http2,
                    ending: Ending::default(),
                    heard: None,
                })
            }
            Some(Err(error)) => Err(tls::handshake_error(&self.endpoint, error)),
            None => {
                let seconds = HANDSHAKE_TIMEOUT.as_secs();
                let message = format!(
                    "the server {} did not finish the TLS handshake within {seconds} s; check that it speaks TLS",
                    self.endpoint.address()
                );
                Err(TransportError::new(
                    TransportErrorKind::Connect(ConnectFailure::Timeout),
                    message,
                ))
            }
        }
    }

    fn unreachable(&self, failure: ConnectFailure) -> TransportError {
        let (address, host) = match self.route.proxy() {
            Some((address, host)) => (format!("the proxy {address}"), host),
            None => (self.endpoint.address(), self.endpoint.host.clone()),
        };
        let message = match failure {
            ConnectFailure::Refused => format!(
                "{address} refused the connection; check that the server runs and that the server's URL names its port"
            ),
            ConnectFailure::Dns => format!(
                "the host name {host} cannot be resolved; check the server's URL and the name service"
            ),
            ConnectFailure::Timeout => format!(
                "{address} did not answer within {} s; check the network, firewalls and VPN",
                DIAL_TIMEOUT.as_secs()
            ),
            ConnectFailure::Other => {
                format!("no connection to {address} can be made; check the server's URL and the network")
            }
        };
        TransportError::new(TransportErrorKind::Connect(failure), message)
    }
}

fn connect_failure(error: &(dyn std::error::Error + 'static)) -> ConnectFailure {
    for cause in chain(error) {
        if cause.is::<Unresolved>() {
            return ConnectFailure::Dns;
        }
        match cause.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::ConnectionRefused) => return ConnectFailure::Refused,
            Some(io::ErrorKind::TimedOut) => return ConnectFailure::Timeout,
            _ => {}
        }
    }
    ConnectFailure::Other
}

/// The system's resolver, whose failures can be told from those of connecting.
#[derive(Clone)]
struct Resolver {
    names: GaiResolver,
    clock: Arc<dyn Clock>,
    metrics: Arc<dyn Metrics>,
}

/// The host name does not resolve.
#[derive(Debug, thiserror::Error)]
#[error("name resolution failed")]
struct Unresolved(#[source] io::Error);

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = Unresolved;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.names.poll_ready(cx).map_err(Unresolved)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (clock, metrics) = (self.clock.clone(), self.metrics.clone());
        let lookup = self.names.call(name.clone());
        Box::pin(async move {
            let started = clock.now();
            let found = lookup.await;
            metrics.resolved(
                name.as_str(),
                clock.now().saturating_duration_since(started),
                found.is_ok(),
            );
            let addresses: Vec<SocketAddr> = found.map_err(Unresolved)?.collect();
            Ok(addresses.into_iter())
        })
    }
}

/// A connection that was made.
pub(super) struct Dialed {
    io: Box<dyn Duplex>,
    /// Whether ALPN agreed on HTTP/2.
    pub(super) http2: bool,
    pub(super) ending: Ending,
    /// Who wants to know when bytes come.
    pub(super) heard: Option<Heard>,
}

#[cfg(test)]
impl Dialed {
    /// HTTP/2 in the clear over any byte stream.
    pub(super) fn over(io: impl Duplex + 'static) -> Self {
        Self {
            io: Box::new(io),
            http2: true,
            ending: Ending::default(),
            heard: None,
        }
    }
}

/// How a connection ended, where the HTTP libraries do not say. In TLS 1.3 a server refuses a client certificate after
/// the handshake, as the client sees it, and the HTTP/2 library keeps only the text of the error that the first read
/// then meets.
#[derive(Clone, Debug, Default)]
pub(super) struct Ending(Arc<OnceLock<End>>);

/// What ended a connection.
#[derive(Debug)]
pub(super) enum End {
    /// A failure of TLS.
    Tls(rustls::Error),
    /// The server was silent for so long and answered no ping.
    Silent(Duration),
}

impl Ending {
    /// What ended it, if that is known.
    pub(super) fn get(&self) -> Option<&End> {
        self.0.get()
    }

    /// Only the first counts: it says why.
    pub(super) fn note(&self, end: End) {
        let _ = self.0.set(end);
    }

    fn note_error(&self, error: &io::Error) {
        if let Some(tls) = chain(error).find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
            self.note(End::Tls(tls.clone()));
        }
    }
}

impl AsyncRead for Dialed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.io).poll_read(cx, buf));
        match (&read, &self.heard) {
            (Ok(()), Some(heard)) => heard.note(),
            (Ok(()), None) => {}
            (Err(error), _) => self.ending.note_error(error),
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Dialed {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}
