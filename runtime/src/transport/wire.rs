//! [`Wire`]: the innermost layer. Sends requests on the pool's connections and says errors in our terms.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;
use futures_core::Stream;
use http_body::Body as _;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;

use super::body::Upgraded;
use super::endpoint::Endpoint;
use super::error::chain;
use super::lease::Stream as Place;
use super::pool::{self, Message, Pool};
use super::tls;
use super::{
    Body, BoxFuture, CallKind, Headers, Request, Response, Transport, TransportError, TransportErrorKind,
};

/// How many connections in a row may be lost under a call before it has been sent.
const CONNECTIONS: usize = 5;

/// The innermost layer.
pub(super) struct Wire {
    endpoint: Arc<Endpoint>,
    pool: Pool,
}

impl Wire {
    pub(super) fn new(endpoint: Arc<Endpoint>, pool: Pool) -> Self {
        Self { endpoint, pool }
    }

    async fn exchange(&self, request: Request) -> Result<Response, TransportError> {
        let (kind, method) = (request.kind, request.method);
        let message = encode(&self.endpoint, request)?;
        let mut left = CONNECTIONS;
        loop {
            left -= 1;
            let lease = match kind {
                CallKind::Upgrade => self.pool.exclusive().await?,
                CallKind::Unary | CallKind::Stream => self.pool.lease().await?,
            };
            let refusal = lease.refusal();
            let mut addressed = message.clone();
            if !lease.is_http2() {
                self.address(&mut addressed);
            }
            let mut lost = match lease.send(addressed).await {
                Ok((answer, stream)) => return self.answer(kind, answer, stream).await,
                Err(lost) => lost,
            };
            let unsent = lost.take_message().is_some();
            let error = lost.into_error();
            if left > 0 && (unsent || is_unprocessed(&error, method)) {
                continue;
            }
            return Err(match refusal.get() {
                Some(tls) => refused(&self.endpoint, tls).with_source(error),
                None => translate(&self.endpoint, error),
            });
        }
    }

    /// What HTTP/1.1 wants: a host field, and the path alone unless a proxy is to find the server.
    fn address(&self, message: &mut Message) {
        if let Some(host) = message
            .uri()
            .authority()
            .and_then(|authority| HeaderValue::from_str(authority.as_str()).ok())
        {
            message.headers_mut().entry(header::HOST).or_insert(host);
        }
        match self.pool.dialer().route().absolute_form(&self.endpoint) {
            Some(Some(password)) => {
                message
                    .headers_mut()
                    .insert(header::PROXY_AUTHORIZATION, password.clone());
            }
            Some(None) => {}
            None => {
                let path = message.uri().path_and_query().cloned();
                *message.uri_mut() = path.map(::http::Uri::from).unwrap_or_default();
            }
        }
    }

    async fn answer(
        &self,
        kind: CallKind,
        mut answer: pool::Answer,
        stream: Option<Place>,
    ) -> Result<Response, TransportError> {
        let headers: Headers = answer.headers().iter().map(decode_field).collect();
        let status = answer.status().as_u16();
        if kind == CallKind::Upgrade && status == 101 {
            let upgraded = hyper::upgrade::on(&mut answer).await;
            let upgraded = upgraded.map_err(|error| translate(&self.endpoint, error))?;
            let body = Body::upgraded(Upgraded::new(TokioIo::new(upgraded)));
            return Ok(Response {
                status,
                headers,
                body,
            });
        }
        let incoming = answer.into_body();
        let length = incoming.size_hint().exact();
        let chunks = WireBody {
            incoming,
            endpoint: self.endpoint.clone(),
            stream,
        };
        Ok(Response {
            status,
            headers,
            body: Body::stream(chunks).with_length(length),
        })
    }
}

/// Whether the server says that it has not begun with a call. A connection that the server is about to close (GOAWAY)
/// says so of the calls it came too late for; of those it may have begun with it says the same if it closes before their
/// end, so this counts for reading only.
fn is_unprocessed(error: &hyper::Error, method: super::Method) -> bool {
    let Some(error) = chain(error).find_map(|cause| cause.downcast_ref::<h2::Error>()) else {
        return false;
    };
    let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    let leaving = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
    error.is_remote() && (refused || (leaving && method == super::Method::Get))
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
            .field("pool", &self.pool)
            .finish()
    }
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
    /// The call's place on its connection, given up at the end of the body.
    stream: Option<Place>,
}

impl Stream for WireBody {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(Pin::new(&mut self.incoming).poll_frame(cx)) {
                None => {
                    self.stream = None;
                    return Poll::Ready(None);
                }
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
