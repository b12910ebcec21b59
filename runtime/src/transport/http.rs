//! [`HttpTransport`]: the transport to a real server, and the order of its layers.

use std::sync::Arc;

use super::credentials::{self, Authenticate};
use super::deadline::Deadline;
use super::endpoint::Endpoint;
use super::gzip::Gzip;
use super::identity::Identity;
use super::tls::Tls;
use super::wire::Wire;
use super::{BoxFuture, Request, Response, Transport, TransportError, TransportErrorKind};
use crate::clock::{Clock, TokioClock};
use crate::config::{Compression, Config, Proxy};

/// HTTP/2 or HTTP/1.1 to the server of a [`Config`], over TLS if its URL says so.
///
/// HTTP/2 is agreed on by ALPN. A connection is shared by all calls, found dead by pings even while idle, and
/// replaced then. Cloning is cheap and shares the connections. Calls need a tokio runtime with I/O and time.
#[derive(Clone, Debug)]
pub struct HttpTransport {
    endpoint: Arc<Endpoint>,
    stack: Arc<dyn Transport>,
}

impl HttpTransport {
    /// A transport for `config`. Reads certificates and keys, and blocks while it does; connects only for the first
    /// call.
    ///
    /// # Errors
    /// [`TransportErrorKind::Config`] when the configuration cannot be used.
    pub fn new(config: &Config) -> Result<Self, TransportError> {
        Self::with_clock(config, Arc::new(TokioClock))
    }

    /// A transport that takes its time from `clock`. The timers of the HTTP library (pings, idle connections) follow
    /// tokio's clock.
    ///
    /// # Errors
    /// As [`HttpTransport::new`].
    pub fn with_clock(config: &Config, clock: Arc<dyn Clock>) -> Result<Self, TransportError> {
        if let Proxy::Url(url) = &config.proxy {
            let message = format!("the way to the server is the proxy {url}, which is not supported yet");
            return Err(TransportError::new(TransportErrorKind::Config, message));
        }
        let endpoint = Arc::new(Endpoint::new(config)?);
        let stack = stack(config, &endpoint, &clock)?;
        Ok(Self { endpoint, stack })
    }
}

/// The layers, from the network outwards; a request passes them from the bottom line to the top one.
fn stack(
    config: &Config,
    endpoint: &Arc<Endpoint>,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn Transport>, TransportError> {
    let tls = endpoint
        .tls
        .then(|| Tls::new(&config.tls, config.http, endpoint))
        .transpose()?;

    let mut next: Arc<dyn Transport> =
        Arc::new(Wire::new(endpoint.clone(), tls, config.keep_alive, clock.clone()));
    if config.compression == Compression::Gzip {
        next = Arc::new(Gzip { next });
    }
    if let Some(source) = credentials::source(config, endpoint, clock)? {
        next = Arc::new(Authenticate {
            next,
            clock: clock.clone(),
            source,
        });
    }
    next = Arc::new(Identity::new(config, next));
    next = Arc::new(Deadline {
        next,
        clock: clock.clone(),
        default: config.timeout,
    });
    Ok(next)
}

impl Transport for HttpTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let call = self.endpoint.call(&request);
        Box::pin(async move {
            let mut response = self
                .stack
                .send(request)
                .await
                .map_err(|error| error.or_call(&call))?;
            response.body = response.body.map_errors(move |error| error.or_call(&call));
            Ok(response)
        })
    }
}
