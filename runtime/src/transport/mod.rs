//! The seam between the client and the network.
//!
//! A call crosses [`Transport::send`] as a [`Request`] and comes back as a [`Response`]; the real server, an
//! in-process one, recordings and fault injection are all implementations of that one trait. [`HttpTransport`] is the
//! real one: HTTP/2 or HTTP/1.1 over TLS to the server of a [`Config`](crate::config::Config).
//!
//! | file | what is there |
//! |---|---|
//! | `message`, `headers`, `body` | what crosses the seam |
//! | `error` | what may go wrong instead of a response |
//! | `http` | [`HttpTransport`]: the order of the layers |
//! | `identity`, `limit`, `deadline`, `retry`, `credentials`, `gzip`, `observe` | one layer each, outermost first |
//! | `wire` | the innermost layer: HTTP, and its errors in our terms |
//! | `pool`, `lease`, `http2`, `ping` | connections: how many, what they carry, whether they live |
//! | `dial`, `proxy`, `tls`, `tls_source`, `endpoint` | how they are made, and to where |
//! | `plugin`, `oidc` | credentials from programs and from identity providers |
//! | `share` | transports of equal configurations share their connections |
//! | `metrics`, `warnings`, `bodies` | what is told to whom it may concern |
//!
//! ```no_run
//! use kubeloom::config::Config;
//! use kubeloom::transport::{HttpTransport, Method, Request, Transport};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let transport = HttpTransport::new(&Config::from_env()?)?;
//! let response = transport.send(Request::new(Method::Get, "/version")).await?;
//! println!("{} {:?}", response.status, response.body.collect(1 << 20).await?);
//! # Ok(())
//! # }
//! ```
//!
//! This module must not know what an API object is: no kinds, no status decoding, no content types.

mod bodies;
mod body;
mod credentials;
mod deadline;
mod dial;
mod endpoint;
mod error;
mod gzip;
mod headers;
mod http;
mod http2;
mod identity;
mod lease;
mod limit;
mod message;
mod metrics;
mod observe;
mod oidc;
mod ping;
mod plugin;
mod pool;
mod proxy;
mod retry;
mod share;
mod tls;
mod tls_source;
mod warnings;
mod wire;

use std::fmt::Debug;

pub use self::body::{Body, Upgraded};
pub use self::error::{ConnectFailure, TransportError, TransportErrorKind};
pub use self::headers::Headers;
pub use self::http::{HttpTransport, TransportOptions};
pub use self::message::{CallKind, Method, Request, Response};
pub use self::metrics::{Labels, Metrics, NoMetrics, Reload};
pub use self::oidc::ProviderStore;
pub use self::warnings::{IgnoreWarnings, LogWarnings, WarningHandler};
pub use futures_core::future::BoxFuture;

/// The parsers of headers, for the fuzz targets; no part of the interface.
#[doc(hidden)]
pub mod fuzzing {
    use std::time::Duration;

    /// The wait that a `Retry-After` asks for, `now` being seconds since 1970.
    #[must_use]
    pub fn retry_after(value: &str, now: i64) -> Option<Duration> {
        super::retry::retry_after(value, jiff::Timestamp::from_second(now).ok()?)
    }

    /// The texts in a `Warning`.
    #[must_use]
    pub fn warnings(value: &str) -> Vec<String> {
        super::warnings::parse(value)
    }
}

/// Sends requests to one server.
///
/// Implementations are shared between tasks as `Arc<dyn Transport>` and serve any number of calls at once. Dropping the
/// future of a call cancels it. An answer of any status is `Ok`; only a call without a response is an error.
pub trait Transport: Debug + Send + Sync {
    /// Sends `request` and returns when the response's header has arrived.
    ///
    /// # Errors
    /// [`TransportError`] when there is no response; see [`TransportErrorKind`] for whether the server may have
    /// processed the request.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
}

impl<T: Transport + ?Sized> Transport for std::sync::Arc<T> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        (**self).send(request)
    }
}
