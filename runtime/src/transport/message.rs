//! What crosses the seam: [`Request`] and [`Response`].

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::{Body, Headers};

/// The HTTP methods the Kubernetes API uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Read; safe to send again.
    Get,
    /// Create, and the verbs of connect subresources.
    Post,
    /// Replace.
    Put,
    /// Change in part, server-side apply included.
    Patch,
    /// Remove.
    Delete,
    /// Read without the body.
    Head,
    /// Ask what is allowed; connect subresources accept it.
    Options,
}

impl Method {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How long a call lives, which decides what its timeout covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// One request and one whole response. The timeout covers all of it, the last byte of the body included.
    #[default]
    Unary,
    /// A response that is read for as long as it flows (watch, followed logs). The timeout covers the time until the
    /// response's header has arrived; the body has none.
    Stream,
    /// A request that turns the connection into a two-way byte stream (exec, attach, port-forward). Sent over HTTP/1.1
    /// on a connection of its own; the timeout covers the time until the response's header has arrived.
    Upgrade,
}

/// A call to the server, complete but for what every call to that server shares (credentials, user agent,
/// impersonation), which the transport adds.
#[derive(Clone)]
pub struct Request {
    /// The HTTP method.
    pub method: Method,
    /// The absolute path below the server's URL, already escaped, with the query: `/api/v1/pods?limit=500`. A path
    /// prefix of the server's URL is put in front by the transport.
    pub path: String,
    /// The path with its variable segments named, without the query, for metrics and spans where names must stay few:
    /// `/api/v1/namespaces/{namespace}/pods/{name}`.
    pub template: Cow<'static, str>,
    /// Header fields. What is set here wins over what the transport would add.
    pub headers: Headers,
    /// The body; empty for none.
    pub body: Bytes,
    /// What the timeout covers.
    pub kind: CallKind,
    /// The longest the call may take, in place of the configured default; see [`CallKind`] for what it covers.
    pub timeout: Option<Duration>,
}

impl Request {
    /// A unary request without headers, body or timeout, with its path as template.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        let path = path.into();
        let template = path.split('?').next().unwrap_or_default().to_owned();
        Self {
            method,
            path,
            template: Cow::Owned(template),
            headers: Headers::new(),
            body: Bytes::new(),
            kind: CallKind::Unary,
            timeout: None,
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("template", &self.template)
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .field("kind", &self.kind)
            .field("timeout", &self.timeout)
            .finish()
    }
}

/// What the server answered, whatever its status. The body is still to be read.
#[derive(Debug)]
pub struct Response {
    /// The HTTP status code.
    pub status: u16,
    /// Header fields. When the transport decoded the body, `content-encoding` and `content-length` are gone.
    pub headers: Headers,
    /// The body; after status 101 to a [`CallKind::Upgrade`] request, the upgraded connection.
    pub body: Body,
}
