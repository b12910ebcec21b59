//! [`Authenticate`]: proves who calls, by the `Authorization` header.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;

use super::endpoint::Endpoint;
use super::{BoxFuture, Request, Response, Transport, TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::{AuthConfig, Config, SecretString};

/// A token read from a file is used for this long: client-go's period of a minute less its leeway of 10 s.
const TOKEN_PERIOD: Duration = Duration::from_secs(50);
/// After a failure to read it, the file is left alone for this long.
const TOKEN_RETRY: Duration = Duration::from_secs(5);

/// Where the `Authorization` header's value comes from.
pub(super) trait CredentialSource: Debug + Send + Sync {
    /// The value to send now.
    fn authorization(&self) -> BoxFuture<'_, Result<SecretString, TransportError>>;

    /// The server answered 401 to a request sent at `sent`: what is older must not be used again unseen.
    fn rejected(&self, sent: Instant);
}

/// Adds the `Authorization` header. A request that has its own keeps it.
#[derive(Debug)]
pub(super) struct Authenticate {
    pub(super) next: Arc<dyn Transport>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) source: Box<dyn CredentialSource>,
}

impl Transport for Authenticate {
    fn send(&self, mut request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        if request.headers.contains("authorization") {
            return self.next.send(request);
        }
        Box::pin(async move {
            let value = self.source.authorization().await?;
            request.headers.append("authorization", value.expose());
            let sent = self.clock.now();
            let response = self.next.send(request).await?;
            if response.status == 401 {
                self.source.rejected(sent);
            }
            Ok(response)
        })
    }
}

/// The source a configuration asks for; none for an anonymous client.
pub(super) fn source(
    config: &Config,
    endpoint: &Endpoint,
    clock: &Arc<dyn Clock>,
) -> Result<Option<Box<dyn CredentialSource>>, TransportError> {
    let unsupported = |what: &str| {
        let message = format!(
            "the user authenticates by {what}, which is not supported yet; use a token or a client certificate"
        );
        Err(TransportError::new(TransportErrorKind::Config, message))
    };
    Ok(Some(match &config.auth {
        AuthConfig::Anonymous => match &endpoint.userinfo {
            Some((username, password)) => Box::new(Fixed(basic(username, password))),
            None => return Ok(None),
        },
        AuthConfig::Token(token) => Box::new(Fixed(bearer(token))),
        AuthConfig::Basic { username, password } => Box::new(Fixed(basic(username, password))),
        AuthConfig::TokenFile { path, fallback } => Box::new(TokenFile {
            path: path.clone(),
            clock: clock.clone(),
            state: Mutex::new(TokenState {
                token: fallback.clone(),
                read_again: None,
                read_at: None,
            }),
        }),
        AuthConfig::Exec(exec) => return unsupported(&format!("the credential plugin {:?}", exec.command)),
        AuthConfig::Provider(provider) => {
            return unsupported(&format!("the authentication provider {:?}", provider.name));
        }
    }))
}

fn bearer(token: &SecretString) -> SecretString {
    SecretString::new(format!("Bearer {}", token.expose()))
}

fn basic(username: &str, password: &SecretString) -> SecretString {
    let pair = SecretString::new(format!("{username}:{}", password.expose()));
    let encoded = base64::engine::general_purpose::STANDARD.encode(pair.expose());
    SecretString::new(format!("Basic {encoded}"))
}

/// A value that stays as it is.
#[derive(Debug)]
struct Fixed(SecretString);

impl CredentialSource for Fixed {
    fn authorization(&self) -> BoxFuture<'_, Result<SecretString, TransportError>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }

    fn rejected(&self, _: Instant) {}
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
    fn authorization(&self) -> BoxFuture<'_, Result<SecretString, TransportError>> {
        Box::pin(async { self.token().await.map(|token| bearer(&token)) })
    }

    fn rejected(&self, sent: Instant) {
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
