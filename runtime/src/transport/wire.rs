//! [`Wire`]: the innermost layer. Sends requests on the pool's connections and says errors in our terms.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::http::header::{self, HeaderValue};
use bytes::Bytes;
use futures_core::Stream;
use hyper_util::rt::TokioIo;

use super::body::Upgraded;
use super::dial::{End, Ending};
use super::endpoint::Endpoint;
use super::error::chain;
use super::lease::{Answer, Broken, Message, Payload};
use super::pool::Pool;
use super::tls;
use super::{Body, CallKind, Headers, Request, Response, TransportError, TransportErrorKind};

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

    /// Sends a request; its answer's header has arrived.
    pub(super) async fn exchange(&self, request: Request) -> Result<Answered, TransportError> {
        let (kind, method) = (request.kind, request.method);
        let mut message = Some(encode(&self.endpoint, &request)?);
        let mut left = CONNECTIONS;
        loop {
            left -= 1;
            let lease = match kind {
                CallKind::Upgrade => self.pool.exclusive().await?,
                CallKind::Unary | CallKind::Stream => self.pool.lease().await?,
            };
            let ending = lease.ending.clone();
            let mut addressed = match message.take() {
                Some(message) => message,
                None => encode(&self.endpoint, &request)?,
            };
            if !lease.is_http2() {
                self.address(&mut addressed);
            }
            let lost = match lease.send(addressed).await {
                Ok(answer) => return self.answer(kind, answer, ending).await,
                Err(lost) => lost,
            };
            if left == 0 || !(lost.unsent || is_unprocessed(&lost.error, method)) {
                return Err(translate(&self.endpoint, &ending, lost.error));
            }
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
        answer: Answer,
        ending: Ending,
    ) -> Result<Answered, TransportError> {
        let (parts, payload) = answer.into_parts();
        let status = parts.status.as_u16();
        let length = payload.length(&parts.headers);
        let ::http::response::Parts {
            headers, extensions, ..
        } = parts;
        let headers = Headers::from(headers);
        let body = match payload {
            Payload::Http1(incoming) if kind == CallKind::Upgrade && status == 101 => {
                let mut answer = ::http::Response::new(incoming);
                *answer.extensions_mut() = extensions;
                let upgraded = hyper::upgrade::on(answer).await;
                let upgraded = upgraded.map_err(|error| translate(&self.endpoint, &ending, error.into()))?;
                Content::Upgraded(Upgraded::new(TokioIo::new(upgraded)))
            }
            payload => Content::Data(WireBody {
                payload,
                endpoint: self.endpoint.clone(),
                ending,
            }),
        };
        Ok(Answered {
            status,
            headers,
            body,
            length,
        })
    }
}

/// An answer whose body is still as it comes from the connection.
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) headers: Headers,
    body: Content,
    length: Option<u64>,
}

enum Content {
    Data(WireBody),
    Upgraded(Upgraded),
}

impl Answered {
    /// The answer with its body made into a stream.
    pub(super) fn map_data<S>(self, map: impl FnOnce(WireBody) -> S) -> Response
    where
        S: Stream<Item = Result<Bytes, TransportError>> + Send + 'static,
    {
        Response {
            status: self.status,
            headers: self.headers,
            body: match self.body {
                Content::Data(data) => Body::stream(map(data)).with_length(self.length),
                Content::Upgraded(upgraded) => Body::upgraded(upgraded),
            },
        }
    }
}

/// Whether the server says that it has not begun with a call. A connection that the server is about to close (GOAWAY)
/// says so of the calls it came too late for; of those it may have begun with it says the same if it closes before their
/// end, so this counts for reading only.
fn is_unprocessed(error: &Broken, method: super::Method) -> bool {
    let Some(error) = chain(error).find_map(|cause| cause.downcast_ref::<h2::Error>()) else {
        return false;
    };
    let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    let leaving = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
    error.is_remote() && (refused || (leaving && method == super::Method::Get))
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("endpoint", &self.endpoint)
            .field("pool", &self.pool)
            .finish()
    }
}

fn encode(endpoint: &Endpoint, request: &Request) -> Result<Message, TransportError> {
    let invalid = |message: String| TransportError::new(TransportErrorKind::Config, message);
    if !request.path.starts_with('/') {
        return Err(invalid(format!(
            "the path {:?} does not start with a slash",
            request.path
        )));
    }
    let uri: ::http::Uri = endpoint.url(&request.path).try_into().map_err(|error| {
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
    let mut encoded = ::http::Request::new(request.body.clone());
    *encoded.method_mut() = method;
    *encoded.uri_mut() = uri;
    *encoded.headers_mut() = request.headers.to_map().map_err(invalid)?;
    Ok(encoded)
}

/// The body as it arrives.
pub(super) struct WireBody {
    payload: Payload,
    endpoint: Arc<Endpoint>,
    ending: Ending,
}

impl WireBody {
    /// The next bytes.
    pub(super) fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, TransportError>>> {
        let data = ready!(self.payload.poll_data(cx));
        Poll::Ready(data.map(|data| data.map_err(|error| translate(&self.endpoint, &self.ending, error))))
    }
}

/// What broke a call off, in our terms: how its connection ended if that is known, else the first cause that says
/// something.
fn translate(endpoint: &Endpoint, ending: &Ending, error: Broken) -> TransportError {
    if let Some(ours) = chain(&error).find_map(|cause| cause.downcast_ref::<TransportError>()) {
        return ours.clone();
    }
    let address = endpoint.address();
    let tls = match ending.get() {
        Some(End::Silent(time)) => {
            let message =
                format!("the connection to {address} is dead: nothing came for {time:?}, pings unanswered");
            return TransportError::new(TransportErrorKind::Reset, message).with_source(error);
        }
        Some(End::Tls(tls)) => Some(tls),
        None => chain(&error).find_map(|cause| cause.downcast_ref::<rustls::Error>()),
    };
    if let Some(tls) = tls {
        let message = tls::explain(&address, tls);
        return TransportError::new(TransportErrorKind::Tls, message).with_source(error);
    }
    let kind = chain(&error)
        .find_map(io_kind)
        .or_else(|| chain(&error).find_map(http_kind));
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

fn http_kind(cause: &(dyn StdError + 'static)) -> Option<TransportErrorKind> {
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
    } else {
        None
    }
}
