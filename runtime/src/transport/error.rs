//! [`TransportError`]: a call that got no (whole) response.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection could be made. The request was not sent.
    Connect(ConnectFailure),
    /// The connection was made but TLS was not agreed on: an untrusted certificate, a wrong name, a refused client
    /// certificate, a server that does not speak TLS.
    Tls,
    /// The call took longer than its timeout. The server may have processed it.
    Timeout,
    /// The connection or the stream was reset by the other side. The server may have processed the request.
    Reset,
    /// The connection ended before the response did. The server may have processed the request.
    Closed,
    /// What arrived is not HTTP as agreed, or its encoding is broken.
    Protocol,
    /// The body is longer than the reader allowed.
    TooLarge,
    /// The configuration cannot be used: a bad URL, an unreadable certificate, an invalid header.
    Config,
    /// The credentials could not be obtained: an unreadable or empty token file.
    Credentials,
}

/// Why no connection could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConnectFailure {
    /// Nothing listens at the address.
    Refused,
    /// The host name does not resolve.
    Dns,
    /// No answer within the dial timeout.
    Timeout,
    /// Anything else: no route, no free port, a forbidden address.
    Other,
}

/// A call that got no response, or whose response broke off.
///
/// An answer of the server, whatever its status, is no transport error. The text says what failed, where and what can be
/// done; the underlying error is in [`source`](StdError::source). It names URLs without their userinfo and contains no
/// credentials. Cheap to clone.
#[derive(Clone)]
pub struct TransportError {
    inner: Arc<Inner>,
}

struct Inner {
    kind: TransportErrorKind,
    /// The call, such as `GET https://host:6443/api/v1/pods`, when known.
    call: Option<Arc<str>>,
    message: String,
    /// How an earlier attempt of the same call ended.
    earlier: Option<Arc<str>>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TransportError {
    /// An error of `kind`; `message` says what failed and what can be done, without the cause's own text.
    ///
    /// For implementations of [`Transport`](super::Transport); `message` must contain no credentials.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            inner: Arc::new(Inner {
                kind,
                call: None,
                message: message.into(),
                earlier: None,
                source: None,
            }),
        }
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.rebuilt(self.inner.call.clone(), Some(Arc::new(source)))
    }

    /// The same error with the call it happened in, unless it already names one.
    #[must_use]
    pub(crate) fn or_call(self, call: &Arc<str>) -> Self {
        match self.inner.call {
            Some(_) => self,
            None => self.rebuilt(Some(call.clone()), self.inner.source.clone()),
        }
    }

    /// The same error with how an earlier attempt of the call ended.
    #[must_use]
    pub(crate) fn with_earlier(self, earlier: &str) -> Self {
        let mut inner = self.parts(self.inner.call.clone(), self.inner.source.clone());
        inner.earlier = Some(earlier.into());
        Self {
            inner: Arc::new(inner),
        }
    }

    fn rebuilt(&self, call: Option<Arc<str>>, source: Option<Arc<dyn StdError + Send + Sync>>) -> Self {
        Self {
            inner: Arc::new(self.parts(call, source)),
        }
    }

    fn parts(&self, call: Option<Arc<str>>, source: Option<Arc<dyn StdError + Send + Sync>>) -> Inner {
        Inner {
            kind: self.inner.kind,
            call,
            message: self.inner.message.clone(),
            earlier: self.inner.earlier.clone(),
            source,
        }
    }

    /// How an earlier attempt of the same call ended, when the call was sent more than once.
    pub fn earlier(&self) -> Option<&str> {
        self.inner.earlier.as_deref()
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> TransportErrorKind {
        self.inner.kind
    }

    /// The message alone, without the call in front.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Whether time ran out, be it while connecting or later.
    pub fn is_timeout(&self) -> bool {
        matches!(
            self.kind(),
            TransportErrorKind::Timeout | TransportErrorKind::Connect(ConnectFailure::Timeout)
        )
    }

    /// Whether no connection could be made at all, so that the server cannot have seen the request.
    pub fn is_connect(&self) -> bool {
        matches!(self.kind(), TransportErrorKind::Connect(_))
    }

    /// Whether nothing listened at the server's address.
    pub fn is_connection_refused(&self) -> bool {
        self.kind() == TransportErrorKind::Connect(ConnectFailure::Refused)
    }

    /// Whether an established connection was reset or ended in the middle of the call.
    pub fn is_connection_reset(&self) -> bool {
        matches!(
            self.kind(),
            TransportErrorKind::Reset | TransportErrorKind::Closed
        )
    }

    /// Whether TLS could not be agreed on.
    pub fn is_tls(&self) -> bool {
        self.kind() == TransportErrorKind::Tls
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner.call {
            Some(call) => write!(f, "{call}: {}", self.inner.message)?,
            None => f.write_str(&self.inner.message)?,
        }
        match &self.inner.earlier {
            Some(earlier) => write!(f, " ({earlier})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportError")
            .field("kind", &self.inner.kind)
            .field("call", &self.inner.call)
            .field("message", &self.inner.message)
            .field("earlier", &self.inner.earlier)
            .field("source", &self.inner.source)
            .finish()
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

/// The errors from `error` down its chain of causes.
pub(crate) fn chain<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| cause(*error))
}

/// The cause of an error; that of an `io::Error` made from another error is the other error.
fn cause<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    match error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref)
    {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}
