//! [`HttpTransport`]: the transport to a real server, and the order of its layers.

use std::sync::Arc;

use super::credentials::{self, Authenticate, PluginIdentity};
use super::deadline::Deadline;
use super::dial::Dialer;
use super::endpoint::Endpoint;
use super::gzip::Gzip;
use super::identity::Identity;
use super::limit::{Limiter, Throttle};
use super::metrics::{Metrics, NoMetrics};
use super::observe::Observe;
use super::oidc::ProviderStore;
use super::pool::Pool;
use super::proxy::Route;
use super::retry::Retry;
use super::tls_source::TlsSource;
use super::warnings::{LogWarnings, WarningHandler};
use super::wire::Wire;
use super::{BoxFuture, Request, Response, Transport, TransportError};
use crate::clock::{Clock, TokioClock};
use crate::config::{Compression, Config};

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
    /// [`TransportErrorKind::Config`](super::TransportErrorKind::Config) when the configuration cannot be used.
    pub fn new(config: &Config) -> Result<Self, TransportError> {
        Self::with_clock(config, Arc::new(TokioClock))
    }

    /// A transport that takes its time from `clock`. The timers of the HTTP library (pings) follow tokio's clock.
    ///
    /// # Errors
    /// As [`HttpTransport::new`].
    pub fn with_clock(config: &Config, clock: Arc<dyn Clock>) -> Result<Self, TransportError> {
        Self::with_options(
            config,
            TransportOptions {
                clock,
                ..TransportOptions::default()
            },
        )
    }

    /// A transport with a clock, metrics and a handler of warnings of one's own.
    ///
    /// # Errors
    /// As [`HttpTransport::new`].
    pub fn with_options(config: &Config, options: TransportOptions) -> Result<Self, TransportError> {
        let endpoint = Arc::new(Endpoint::new(config)?);
        let stack = stack(config, &endpoint, options)?;
        Ok(Self { endpoint, stack })
    }
}

/// What a transport gets besides its configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransportOptions {
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// Who receives measurements; nobody unless set.
    pub metrics: Arc<dyn Metrics>,
    /// Who receives the server's warnings; the log unless set.
    pub warnings: Arc<dyn WarningHandler>,
    /// Who keeps the renewed settings of an authentication provider; nobody unless set.
    pub provider_store: Option<Arc<dyn ProviderStore>>,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            clock: Arc::new(TokioClock),
            metrics: Arc::new(NoMetrics),
            warnings: Arc::new(LogWarnings::default()),
            provider_store: None,
        }
    }
}

/// The layers, from the network outwards; a request passes them from the bottom line to the top one.
fn stack(
    config: &Config,
    endpoint: &Arc<Endpoint>,
    options: TransportOptions,
) -> Result<Arc<dyn Transport>, TransportError> {
    let TransportOptions {
        clock,
        metrics,
        warnings,
        provider_store,
    } = options;
    let sources = credentials::sources(config, endpoint, &clock, provider_store)?;
    let mut next: Arc<dyn Transport> = Arc::new(wire(config, endpoint, sources.identity, &clock)?);
    next = Arc::new(Observe {
        next,
        clock: clock.clone(),
        metrics: metrics.clone(),
        warnings,
    });
    if config.compression == Compression::Gzip {
        next = Arc::new(Gzip { next });
    }
    if let Some(source) = sources.credentials {
        next = Arc::new(Authenticate {
            next,
            clock: clock.clone(),
            source,
        });
    }
    let limiter = config
        .rate_limit
        .map(|limit| Limiter::new(limit, clock.clone(), metrics.clone()).map(Arc::new))
        .transpose()?;
    let retry = Retry {
        next,
        clock: clock.clone(),
        config: config.retry,
        limiter: limiter.clone(),
        metrics,
    };
    next = Arc::new(Deadline {
        next: retry,
        clock,
        default: config.timeout,
    });
    if let Some(limiter) = limiter {
        next = Arc::new(Throttle { next, limiter });
    }
    Ok(Arc::new(Identity::new(config, next)))
}

fn wire(
    config: &Config,
    endpoint: &Arc<Endpoint>,
    identity: Option<Arc<dyn PluginIdentity>>,
    clock: &Arc<dyn Clock>,
) -> Result<Wire, TransportError> {
    let tls = match endpoint.tls {
        true => Some(Arc::new(TlsSource::new(
            &config.tls,
            config.http,
            endpoint.clone(),
            identity,
            clock.clone(),
        )?)),
        false => None,
    };
    let route = Route::new(&config.proxy, endpoint)?;
    let dialer = Dialer::new(endpoint.clone(), route, clock.clone());
    let pool = Pool::new(
        dialer,
        tls,
        config.keep_alive,
        config.streams_per_connection,
        clock.clone(),
    );
    Ok(Wire::new(endpoint.clone(), pool))
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
