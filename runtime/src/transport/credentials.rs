//! [`Authenticate`]: proves who calls, by the `Authorization` header.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;

use super::endpoint::Endpoint;
use super::http::TransportOptions;
use super::oidc;
use super::plugin::{Plugin, PluginSource};
use super::retry::drain;
use super::{BoxFuture, Request, Response, Transport, TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::{AuthConfig, ClientIdentity, Config, SecretString};

/// A token read from a file is used for this long: client-go's period of a minute less its leeway of 10 s.
const TOKEN_PERIOD: Duration = Duration::from_secs(50);
/// After a failure to read it, the file is left alone for this long.
const TOKEN_RETRY: Duration = Duration::from_secs(5);

/// What proves who calls.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    /// The value of the `Authorization` header; none if a client certificate says it all.
    pub(super) authorization: Option<Arc<SecretString>>,
    /// The version of the client certificate that goes with it; see [`PluginIdentity`].
    pub(super) identity: u64,
}

impl Credentials {
    pub(super) fn header(value: SecretString) -> Self {
        Self {
            authorization: Some(Arc::new(value)),
            identity: 0,
        }
    }
}

/// Where credentials come from.
pub(super) trait CredentialSource: Debug + Send + Sync {
    /// Those to send now, if nothing has to be waited for.
    fn at_hand(&self) -> Option<Credentials> {
        None
    }

    /// Those to send now.
    fn credentials(&self) -> BoxFuture<'_, Result<Credentials, TransportError>>;

    /// The server answered 401 to `used`, sent at `sent`: what is older must not be used again unseen.
    fn rejected(&self, used: &Credentials, sent: Instant);
}

/// A client certificate that a source of credentials hands out and may change.
pub(super) trait PluginIdentity: Debug + Send + Sync {
    /// Another number for each certificate.
    fn version(&self) -> u64;

    /// The certificate, if there is one.
    fn certificate(&self) -> Option<ClientIdentity>;
}

/// Adds the `Authorization` header. A request that has its own keeps it. When the server rejects the credentials and
/// there are others, the request is sent once more with those: authentication comes before everything else, so that
/// nothing has happened yet.
#[derive(Debug)]
pub(super) struct Authenticate {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) source: Box<dyn CredentialSource>,
}

impl Authenticate {
    /// Sends a request by `next`.
    pub(super) async fn send(
        &self,
        request: &Request,
        next: &dyn Transport,
    ) -> Result<Response, TransportError> {
        if request.headers.contains("authorization") {
            return next.send(request.clone()).await;
        }
        let used = self.credentials().await?;
        let sent = self.clock.now();
        let response = next.send(signed(request.clone(), &used)).await?;
        if response.status != 401 {
            return Ok(response);
        }
        self.source.rejected(&used, sent);
        match self.credentials().await {
            Ok(renewed) if renewed != used => {
                tracing::debug!(
                    "the server rejected the credentials; the call is sent again with renewed ones"
                );
                drain(response).await;
                next.send(signed(request.clone(), &renewed)).await
            }
            Ok(_) => Ok(response),
            Err(error) => {
                tracing::warn!(%error, "the server rejected the credentials and they cannot be renewed");
                Ok(response)
            }
        }
    }

    async fn credentials(&self) -> Result<Credentials, TransportError> {
        match self.source.at_hand() {
            Some(credentials) => Ok(credentials),
            None => self.source.credentials().await,
        }
    }
}

fn signed(mut request: Request, credentials: &Credentials) -> Request {
    if let Some(value) = &credentials.authorization {
        request.headers.append("authorization", value.expose());
    }
    request
}

/// What a configuration asks for.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Where credentials come from; none for an anonymous client.
    pub(super) credentials: Option<Box<dyn CredentialSource>>,
    /// Where client certificates come from, if not from the configuration.
    pub(super) identity: Option<Arc<dyn PluginIdentity>>,
}

/// The sources a configuration asks for.
pub(super) fn sources(
    config: &Config,
    endpoint: &Endpoint,
    options: &TransportOptions,
) -> Result<Sources, TransportError> {
    let clock = &options.clock;
    let source: Box<dyn CredentialSource> = match &config.auth {
        AuthConfig::Anonymous => match &endpoint.userinfo {
            Some((username, password)) => Fixed::new(basic(username, password)),
            None => return Ok(Sources::default()),
        },
        AuthConfig::Token(token) => Fixed::new(bearer(token)),
        AuthConfig::Basic { username, password } => Fixed::new(basic(username, password)),
        AuthConfig::TokenFile { path, fallback } => Box::new(TokenFile {
            path: path.clone(),
            clock: clock.clone(),
            state: Mutex::new(TokenState {
                token: fallback.clone(),
                read_again: None,
                read_at: None,
            }),
        }),
        AuthConfig::Exec(exec) => {
            let plugin = Plugin::shared(config, exec)?;
            return Ok(Sources {
                credentials: Some(Box::new(PluginSource {
                    plugin: plugin.clone(),
                    clock: clock.clone(),
                    metrics: options.metrics.clone(),
                })),
                identity: Some(plugin),
            });
        }
        AuthConfig::Provider(provider) => oidc::source(provider, clock, options.provider_store.clone())?,
    };
    Ok(Sources {
        credentials: Some(source),
        identity: None,
    })
}

pub(super) fn bearer(token: &SecretString) -> SecretString {
    SecretString::new(format!("Bearer {}", token.expose()))
}

pub(super) fn basic(username: &str, password: &SecretString) -> SecretString {
    let pair = SecretString::new(format!("{username}:{}", password.expose()));
    let encoded = base64::engine::general_purpose::STANDARD.encode(pair.expose());
    SecretString::new(format!("Basic {encoded}"))
}

/// A value that stays as it is.
#[derive(Debug)]
struct Fixed(Arc<SecretString>);

impl Fixed {
    fn new(value: SecretString) -> Box<Self> {
        Box::new(Self(Arc::new(value)))
    }

    fn value(&self) -> Credentials {
        Credentials {
            authorization: Some(self.0.clone()),
            identity: 0,
        }
    }
}

impl CredentialSource for Fixed {
    fn at_hand(&self) -> Option<Credentials> {
        Some(self.value())
    }

    fn credentials(&self) -> BoxFuture<'_, Result<Credentials, TransportError>> {
        Box::pin(std::future::ready(Ok(self.value())))
    }

    fn rejected(&self, _: &Credentials, _: Instant) {}
}

/// The token in a file that somebody else renews. The last good one is used while the file cannot be read.
struct TokenFile {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    state: Mutex<TokenState>,
}

struct TokenState {
    /// The last good token.
    token: Option<SecretString>,
    /// When the file is to be read again; `None` for at once.
    read_again: Option<Instant>,
    /// When the token was read; `None` for the fallback.
    read_at: Option<Instant>,
}

impl TokenFile {
    fn state(&self) -> std::sync::MutexGuard<'_, TokenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token if it need not be read again.
    fn current(&self, now: Instant) -> Option<SecretString> {
        let state = self.state();
        state
            .token
            .clone()
            .filter(|_| state.read_again.is_some_and(|at| now < at))
    }

    async fn token(&self) -> Result<SecretString, TransportError> {
        let now = self.clock.now();
        if let Some(token) = self.current(now) {
            return Ok(token);
        }
        let read = self.read().await;
        let mut state = self.state();
        match read {
            Ok(token) => {
                *state = TokenState {
                    token: Some(token.clone()),
                    read_again: Some(now + TOKEN_PERIOD),
                    read_at: Some(now),
                };
                Ok(token)
            }
            Err(error) => {
                state.read_again = Some(now + TOKEN_RETRY);
                let kept = state.token.clone().ok_or_else(|| error.clone())?;
                drop(state);
                tracing::warn!(%error, "the token file cannot be used; the last good token is");
                Ok(kept)
            }
        }
    }

    async fn read(&self) -> Result<SecretString, TransportError> {
        let path = self.path.display();
        let text = tokio::fs::read_to_string(&self.path)
            .await
            .map(SecretString::from)
            .map_err(|error| {
                let message = format!("the token file {path} cannot be read: {}", error.kind());
                TransportError::new(TransportErrorKind::Credentials, message).with_source(error)
            })?;
        match text.expose().trim() {
            "" => {
                let message = format!("the token file {path} is empty; check what is to write it");
                Err(TransportError::new(TransportErrorKind::Credentials, message))
            }
            token => Ok(SecretString::from(token)),
        }
    }
}

impl CredentialSource for TokenFile {
    fn credentials(&self) -> BoxFuture<'_, Result<Credentials, TransportError>> {
        Box::pin(async {
            self.token()
                .await
                .map(|token| Credentials::header(bearer(&token)))
        })
    }

    fn rejected(&self, _: &Credentials, sent: Instant) {
        let mut state = self.state();
        if state.read_at.is_none_or(|read_at| read_at <= sent) {
            state.read_again = None;
        }
    }
}

impl Debug for TokenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
