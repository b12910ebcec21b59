//! [`HttpTransport`]: the transport to a real server, and the order of its layers.

use std::sync::{Arc, OnceLock};

use super::bodies;
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
use super::retry::{Retry, Trouble};
use super::share;
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
        Self::with_options(config, TransportOptions::default())
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
    /// Whether connections are shared with other transports of an equal configuration, clock and receiver of
    /// measurements, in the same runtime; they are unless set otherwise.
    pub share: bool,
    /// Who keeps the renewed settings of an authentication provider; nobody unless set.
    pub provider_store: Option<Arc<dyn ProviderStore>>,
}

impl Default for TransportOptions {
    fn default() -> Self {
        // One and the same, so that transports can share connections.
        static DEFAULT: OnceLock<(Arc<dyn Clock>, Arc<dyn Metrics>)> = OnceLock::new();
        let (clock, metrics) = DEFAULT.get_or_init(|| (Arc::new(TokioClock), Arc::new(NoMetrics)));
        Self {
            clock: clock.clone(),
            metrics: metrics.clone(),
            warnings: Arc::new(LogWarnings::default()),
            share: true,
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
    let sources = credentials::sources(config, endpoint, &options)?;
    let identity = sources.identity.as_ref();
    let wire = share::wire(config, identity, &options, || {
        wire(config, endpoint, identity, &options)
    })?;
    let TransportOptions {
        clock,
        metrics,
        warnings,
        ..
    } = options;
    let mut next: Arc<dyn Transport> = Arc::new(Observe {
        next: wire,
        clock: clock.clone(),
        metrics: metrics.clone(),
        warnings,
    });
    if config.compression == Compression::Gzip {
        next = Arc::new(Gzip { next });
    }
    let limiter = config
        .rate_limit
        .map(|limit| Limiter::new(limit, clock.clone(), metrics.clone()).map(Arc::new))
        .transpose()?;
    let authenticate = sources.credentials.map(|source| Authenticate {
        clock: clock.clone(),
        source,
    });
    let retry = Retry {
        next,
        authenticate,
        clock: clock.clone(),
        config: config.retry,
        limiter: limiter.clone(),
        metrics,
        trouble: Trouble::default(),
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
    identity: Option<&Arc<dyn PluginIdentity>>,
    options: &TransportOptions,
) -> Result<Wire, TransportError> {
    let tls = match endpoint.tls {
        true => Some(Arc::new(TlsSource::new(
            &config.tls,
            config.http,
            endpoint.clone(),
            identity.cloned(),
            options,
        )?)),
        false => None,
    };
    let route = Route::new(&config.proxy, endpoint)?;
    let dialer = Dialer::new(endpoint.clone(), route, options);
    let pool = Pool::new(
        dialer,
        tls,
        config.keep_alive,
        config.streams_per_connection,
        options.clock.clone(),
    );
    Ok(Wire::new(endpoint.clone(), pool))
}

impl Transport for HttpTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let (method, path) = (request.method, request.path.clone());
        let log = bodies::wanted(&request);
        if let Some(log) = &log {
            log.log_request(&request.body);
        }
        Box::pin(async move {
            let mut response = match self.stack.send(request).await {
                Ok(response) => response,
                Err(error) => return Err(error.or_call(&self.endpoint.call(method, &path))),
            };
            let endpoint = self.endpoint.clone();
            let named = move |error: TransportError| error.or_call(&endpoint.call(method, &path));
            response.body = response.body.map_errors(named);
            if let Some(log) = log {
                response.body = log.log_answer(response.body);
            }
            Ok(response)
        })
    }
}
