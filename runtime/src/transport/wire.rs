//! [`Wire`]: the innermost layer. Hands requests to hyper's pooled client and says its errors in our terms.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;
use futures_core::Stream;
use http_body::Body as _;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};

use super::body::Upgraded;
use super::dial::{Dialer, Refusal};
use super::endpoint::Endpoint;
use super::error::chain;
use super::tls::{self, Tls};
use super::{
    Body, BoxFuture, CallKind, Headers, Request, Response, Transport, TransportError, TransportErrorKind,
};
use crate::clock::Clock;
use crate::config::KeepAlive;

/// An idle connection is kept for this long; Go's default.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// At most this many idle HTTP/1.1 connections are kept; client-go's value.
const IDLE_CONNECTIONS: usize = 25;
/// What the server may send ahead on one stream: enough for 100 MB lists over links with much latency. Go's value.
const STREAM_WINDOW: u32 = 4 << 20;
/// What it may send ahead on a connection: so much that streams nobody reads (watches of slow consumers), each bounded
/// by its own window, do not hold up the others. Go's value.
const CONNECTION_WINDOW: u32 = 1 << 30;
/// The largest header block accepted; warnings and audit annotations can be many.
const HEADER_LIST_LIMIT: u32 = 256 << 10;

type Pool = Client<Dialer, Full<Bytes>>;

/// The innermost layer.
pub(super) struct Wire {
    endpoint: Arc<Endpoint>,
    shared: Pool,
    /// For upgrades: HTTP/1.1, a connection each.
    exclusive: Pool,
}

impl Wire {
    pub(super) fn new(
        endpoint: Arc<Endpoint>,
        tls: Option<Tls>,
        keep_alive: KeepAlive,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let http1 = tls.as_ref().map(Tls::http1_only);
        let shared = Dialer::new(endpoint.clone(), tls, clock.clone());
        let exclusive = Dialer::new(endpoint.clone(), http1, clock);
        Self {
            endpoint,
            shared: pool(shared, keep_alive, IDLE_CONNECTIONS),
            exclusive: pool(exclusive, keep_alive, 0),
        }
    }

    async fn exchange(&self, request: Request) -> Result<Response, TransportError> {
        let kind = request.kind;
        let pool = if kind == CallKind::Upgrade {
            &self.exclusive
        } else {
            &self.shared
        };
        let request = encode(&self.endpoint, request)?;
        let response = pool.request(request).await;
        let mut response = response.map_err(|error| match refusal(&error) {
            Some(tls) => refused(&self.endpoint, &tls).with_source(error),
            None => translate(&self.endpoint, error),
        })?;
        let headers: Headers = response.headers().iter().map(decode_field).collect();
        let status = response.status().as_u16();
        if kind == CallKind::Upgrade && status == 101 {
            let upgraded = hyper::upgrade::on(&mut response).await;
            let upgraded = upgraded.map_err(|error| translate(&self.endpoint, error))?;
            let body = Body::upgraded(Upgraded::new(TokioIo::new(upgraded)));
            return Ok(Response {
                status,
                headers,
                body,
            });
        }
        let incoming = response.into_body();
        let length = incoming.size_hint().exact();
        let chunks = WireBody {
            incoming,
            endpoint: self.endpoint.clone(),
        };
        Ok(Response {
            status,
            headers,
            body: Body::stream(chunks).with_length(length),
        })
    }
}

impl Transport for Wire {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(self.exchange(request))
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

fn pool(dialer: Dialer, keep_alive: KeepAlive, idle_connections: usize) -> Pool {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(idle_connections)
        .http2_keep_alive_interval(keep_alive.interval)
        .http2_keep_alive_timeout(keep_alive.timeout)
        .http2_keep_alive_while_idle(true)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_max_header_list_size(HEADER_LIST_LIMIT)
        .build(dialer)
}

fn encode(endpoint: &Endpoint, request: Request) -> Result<::http::Request<Full<Bytes>>, TransportError> {
    let invalid = |message: String| TransportError::new(TransportErrorKind::Config, message);
    if !request.path.starts_with('/') {
        return Err(invalid(format!(
            "the path {:?} does not start with a slash",
            request.path
        )));
    }
    let uri: ::http::Uri = endpoint.url(&request).parse().map_err(|error| {
        invalid("the path is not escaped as a URL's must be".to_owned()).with_source(error)
    })?;
    let method = match request.method {
        super::Method::Get => ::http::Method::GET,
        super::Method::Post => ::http::Method::POST,
        super::Method::Put => ::http::Method::PUT,
        super::Method::Patch => ::http::Method::PATCH,
        super::Method::Delete => ::http::Method::DELETE,
        super::Method::Head => ::http::Method::HEAD,
        super::Method::Options => ::http::Method::OPTIONS,
    };
    let mut encoded = ::http::Request::new(Full::new(request.body));
    *encoded.method_mut() = method;
    *encoded.uri_mut() = uri;
    for (name, value) in request.headers.iter() {
        // The value is left out of the error: it may be a secret.
        let unusable = |part: &str| invalid(format!("the {part} of the header {name:?} cannot be sent"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable("name"))?;
        let mut field = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| unusable("value"))?;
        field.set_sensitive(key == ::http::header::AUTHORIZATION);
        encoded.headers_mut().append(key, field);
    }
    Ok(encoded)
}

fn decode_field((name, value): (&HeaderName, &HeaderValue)) -> (String, String) {
    let value = match value.to_str() {
        Ok(value) => value.to_owned(),
        Err(_) => value.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
    };
    (name.as_str().to_owned(), value)
}

/// The body as it arrives; trailers are skipped.
struct WireBody {
    incoming: Incoming,
    endpoint: Arc<Endpoint>,
}

impl Stream for WireBody {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(Pin::new(&mut self.incoming).poll_frame(cx)) {
                None => return Poll::Ready(None),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data)));
                    }
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(translate(&self.endpoint, error)))),
            }
        }
    }
}

fn refused(endpoint: &Endpoint, error: &rustls::Error) -> TransportError {
    TransportError::new(TransportErrorKind::Tls, tls::explain(&endpoint.address(), error))
}

/// The TLS failure that the error's connection ended with.
fn refusal(error: &hyper_util::client::legacy::Error) -> Option<rustls::Error> {
    let mut extras = ::http::Extensions::new();
    error.connect_info()?.get_extras(&mut extras);
    extras.get::<Refusal>()?.get().cloned()
}

/// An error of hyper's in our terms: the first cause that says something decides.
fn translate(endpoint: &Endpoint, error: impl StdError + Send + Sync + 'static) -> TransportError {
    if let Some(ours) = chain(&error).find_map(|cause| cause.downcast_ref::<TransportError>()) {
        return ours.clone();
    }
    let tls = chain(&error).find_map(|cause| cause.downcast_ref::<rustls::Error>());
    if let Some(ours) = tls.map(|tls| refused(endpoint, tls)) {
        return ours.with_source(error);
    }
    let address = endpoint.address();
    let kind = chain(&error)
        .find_map(io_kind)
        .or_else(|| chain(&error).find_map(hyper_kind));
    let kind = kind.unwrap_or(TransportErrorKind::Protocol);
    let message = match kind {
        TransportErrorKind::Reset => format!("the connection to {address} was reset"),
        TransportErrorKind::Closed => {
            format!("{address} closed the connection before the response was complete")
        }
        TransportErrorKind::Timeout => format!("the connection to {address} timed out"),
        _ => format!("what {address} answered is not valid HTTP; check what listens there"),
    };
    TransportError::new(kind, message).with_source(error)
}

fn io_kind(cause: &(dyn StdError + 'static)) -> Option<TransportErrorKind> {
    let io_error = cause
        .downcast_ref::<io::Error>()
        .or_else(|| cause.downcast_ref::<h2::Error>().and_then(h2::Error::get_io))?;
    match io_error.kind() {
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::NotConnected => Some(TransportErrorKind::Reset),
        io::ErrorKind::UnexpectedEof => Some(TransportErrorKind::Closed),
        io::ErrorKind::TimedOut => Some(TransportErrorKind::Timeout),
        _ => None,
    }
}

fn hyper_kind(cause: &(dyn StdError + 'static)) -> Option<TransportErrorKind> {
    if let Some(error) = cause.downcast_ref::<h2::Error>() {
        // A stream or connection error that the server sent is a reset; one found here is the server's mistake.
        return Some(if error.is_remote() {
            TransportErrorKind::Reset
        } else {
            TransportErrorKind::Protocol
        });
    }
    let error = cause.downcast_ref::<hyper::Error>()?;
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        Some(TransportErrorKind::Closed)
    } else if error.is_timeout() {
        // Pings went unanswered: the connection is lost, as opposed to a call that takes long.
        Some(TransportErrorKind::Reset)
    } else {
        None
    }
}
