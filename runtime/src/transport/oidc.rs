//! The authentication provider `oidc`: an ID token that is renewed with a refresh token.
//!
//! Settings: `id-token`, `refresh-token`, `idp-issuer-url`, `client-id`, `client-secret`, `idp-certificate-authority` and
//! `idp-certificate-authority-data`. The token is used until it expires by its own word or is rejected; then the issuer's
//! token endpoint, found by OpenID Connect Discovery, gives another. What it gives is kept in memory and handed to the
//! [`ProviderStore`], for issuers that renew the refresh token too; no file is written here.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::credentials::{CredentialSource, Credentials, basic, bearer};
use super::{
    BoxFuture, HttpTransport, Method, Request, Transport, TransportError, TransportErrorKind,
    TransportOptions,
};
use crate::clock::Clock;
use crate::config::{AuthProviderConfig, Config, DataSource, SecretString, Trust};

/// A token that expires within this time is renewed; client-go's value.
const LEEWAY: Duration = Duration::from_secs(10);
/// The longest a call to the issuer may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest answer of an issuer that is read.
const LARGEST: usize = 1 << 20;

/// Keeps the renewed settings of an authentication provider, as by writing them to the kubeconfig they came from.
pub trait ProviderStore: Debug + Send + Sync {
    /// The provider of this name has these settings now, tokens included. Called on a task of its own after each renewal;
    /// may block for a short time.
    fn store(&self, provider: &str, settings: &BTreeMap<String, SecretString>);
}

/// The source of credentials that a provider asks for.
pub(super) fn source(
    provider: &AuthProviderConfig,
    clock: &Arc<dyn Clock>,
    store: Option<Arc<dyn ProviderStore>>,
) -> Result<Box<dyn CredentialSource>, TransportError> {
    if provider.name != "oidc" {
        let message = format!(
            "the authentication provider {:?} is not supported; those of cloud providers were removed from Kubernetes in \
             favour of credential plugins",
            provider.name
        );
        return Err(TransportError::new(TransportErrorKind::Config, message));
    }
    for needed in ["idp-issuer-url", "client-id"] {
        if setting(&provider.settings, needed).is_none() {
            let message = format!("the authentication provider oidc lacks the setting {needed}");
            return Err(TransportError::new(TransportErrorKind::Config, message));
        }
    }
    Ok(Box::new(Oidc(Arc::new(Shared {
        clock: clock.clone(),
        store,
        renewing: Arc::new(Semaphore::new(1)),
        state: Mutex::new(State {
            settings: provider.settings.clone(),
            rejected: None,
            renewals: 0,
            failure: None,
        }),
    }))))
}

fn setting<'a>(settings: &'a BTreeMap<String, SecretString>, key: &str) -> Option<&'a SecretString> {
    settings.get(key).filter(|value| !value.expose().is_empty())
}

struct Oidc(Arc<Shared>);

struct Shared {
    clock: Arc<dyn Clock>,
    store: Option<Arc<dyn ProviderStore>>,
    /// Held by the renewal under way.
    renewing: Arc<Semaphore>,
    state: Mutex<State>,
}

struct State {
    settings: BTreeMap<String, SecretString>,
    /// The token that the server rejected last.
    rejected: Option<SecretString>,
    renewals: u64,
    failure: Option<TransportError>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token at hand, unless it has expired or was rejected.
    fn current(&self) -> Option<SecretString> {
        let state = self.state();
        let token = setting(&state.settings, "id-token")?;
        let expires = expiry(token)?;
        let soon = self
            .clock
            .wall()
            .checked_add(LEEWAY)
            .unwrap_or(jiff::Timestamp::MAX);
        (expires > soon && state.rejected.as_ref() != Some(token)).then(|| token.clone())
    }

    /// Renews the token unless somebody did since `seen` renewals had ended.
    async fn renewed(self: &Arc<Self>, seen: u64) -> Result<SecretString, TransportError> {
        let permit = self.renewing.clone().acquire_owned().await;
        let ended = self.state().renewals;
        if ended == seen {
            let shared = self.clone();
            // On a task of its own: a caller that gives up must not lose a refresh token that serves once only.
            let renewal = tokio::spawn(async move {
                let settings = shared.state().settings.clone();
                let result = renew(&settings, &shared.clock).await;
                shared.keep(result);
                drop(permit);
            });
            // It fails only when the runtime ends.
            let _ = renewal.await;
        }
        let state = self.state();
        match (&state.failure, setting(&state.settings, "id-token")) {
            (Some(failure), _) => Err(failure.clone()),
            (None, Some(token)) => Ok(token.clone()),
            (None, None) => Err(failed("it gave no token")),
        }
    }

    fn keep(&self, result: Result<Renewed, TransportError>) {
        let mut state = self.state();
        state.renewals += 1;
        match result {
            Err(error) => state.failure = Some(error),
            Ok(renewed) => {
                state.failure = None;
                state.settings.insert("id-token".to_owned(), renewed.id_token);
                if let Some(token) = renewed.refresh_token {
                    state.settings.insert("refresh-token".to_owned(), token);
                }
                let settings = state.settings.clone();
                drop(state);
                if let Some(store) = &self.store {
                    store.store("oidc", &settings);
                }
            }
        }
    }
}

impl CredentialSource for Oidc {
    fn credentials(&self) -> BoxFuture<'_, Result<Credentials, TransportError>> {
        Box::pin(async {
            let seen = self.0.state().renewals;
            let token = match self.0.current() {
                Some(token) => token,
                None => self.0.renewed(seen).await?,
            };
            Ok(Credentials::header(bearer(&token)))
        })
    }

    fn rejected(&self, used: &Credentials, _: Instant) {
        let mut state = self.0.state();
        let token = setting(&state.settings, "id-token").cloned();
        if token.as_ref().map(bearer).as_ref() == used.authorization.as_deref() {
            state.rejected = token;
        }
    }
}

impl Debug for Oidc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oidc").finish_non_exhaustive()
    }
}

/// The `exp` claim of a JSON Web Token, whose signature is the server's business.
fn expiry(token: &SecretString) -> Option<jiff::Timestamp> {
    let payload = token.expose().split('.').nth(1)?;
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(payload)
        .ok()?;
    let claims: Value = serde_json::from_slice(&payload).ok()?;
    let seconds = claims.get("exp")?.as_f64()?;
    jiff::Timestamp::from_second(seconds as i64).ok()
}

struct Renewed {
    id_token: SecretString,
    refresh_token: Option<SecretString>,
}

fn failed(problem: &str) -> TransportError {
    let message =
        format!("the identity provider did not renew the token: {problem}; log in again if this lasts");
    TransportError::new(TransportErrorKind::Credentials, message)
}

/// Asks the issuer for another token.
async fn renew(
    settings: &BTreeMap<String, SecretString>,
    clock: &Arc<dyn Clock>,
) -> Result<Renewed, TransportError> {
    let text = |key: &str| setting(settings, key).map(|value| value.expose().as_str());
    let Some(refresh_token) = text("refresh-token") else {
        return Err(failed("the token has expired and there is no refresh token"));
    };
    let issuer = text("idp-issuer-url").unwrap_or_default().trim_end_matches('/');
    let discovery = format!("{issuer}/.well-known/openid-configuration");
    let (transport, path) = reach(&discovery, settings, clock).await?;
    let found = json(&transport, Request::new(Method::Get, path)).await?;
    let (200, Some(endpoint)) = (found.0, found.1["token_endpoint"].as_str()) else {
        return Err(failed("its discovery document names no token endpoint"));
    };
    if !endpoint.starts_with("https://") && issuer.starts_with("https://") {
        return Err(failed("its token endpoint is not behind TLS"));
    }
    let (transport, path) = reach(endpoint, settings, clock).await?;
    let (id, secret) = (
        text("client-id").unwrap_or_default(),
        setting(settings, "client-secret"),
    );
    let form = SecretString::new(format!(
        "grant_type=refresh_token&refresh_token={}",
        escape(refresh_token)
    ));
    let in_header = |secret: &SecretString| {
        let mut request = token_request(&path, form.expose());
        let escaped = SecretString::new(escape(secret.expose()));
        request
            .headers
            .append("authorization", basic(&escape(id), &escaped).expose());
        request
    };
    let mut in_body = format!("{}&client_id={}", form.expose(), escape(id));
    let (mut status, mut answer) = (0, Value::Null);
    if let Some(secret) = secret {
        (status, answer) = json(&transport, in_header(secret)).await?;
        in_body += &format!("&client_secret={}", escape(secret.expose()));
    }
    // Some providers want the secret in the body, against the standard's advice.
    if secret.is_none() || matches!(status, 400 | 401) {
        let again = json(&transport, token_request(&path, &in_body)).await?;
        if again.0 == 200 || status == 0 {
            (status, answer) = again;
        }
    }
    zeroize::Zeroize::zeroize(&mut in_body);
    let token = |key: &str| {
        answer[key]
            .as_str()
            .filter(|token| !token.is_empty())
            .map(SecretString::from)
    };
    match (status, token("id_token")) {
        (200, Some(id_token)) => Ok(Renewed {
            id_token,
            refresh_token: token("refresh_token"),
        }),
        (200, None) => Err(failed("its answer has no ID token")),
        (status, _) => Err(failed(&format!("it answered {status}"))),
    }
}

fn token_request(path: &str, form: &str) -> Request {
    let mut request = Request::new(Method::Post, path);
    request
        .headers
        .append("content-type", "application/x-www-form-urlencoded");
    request.body = bytes::Bytes::copy_from_slice(form.as_bytes());
    request
}

fn escape(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// A transport to the server of a URL, and the URL's path.
async fn reach(
    url: &str,
    settings: &BTreeMap<String, SecretString>,
    clock: &Arc<dyn Clock>,
) -> Result<(HttpTransport, String), TransportError> {
    let split = url.find("://").map(|at| at + 3).and_then(|from| {
        let end = url[from..].find('/').map_or(url.len(), |at| from + at);
        url.is_char_boundary(end).then(|| url.split_at(end))
    });
    let Some((server, path)) = split else {
        return Err(failed("its URL is not valid"));
    };
    let mut config = Config::new(server);
    config.timeout = Some(TIMEOUT);
    let text = |key: &str| setting(settings, key).map(SecretString::expose);
    if let Some(data) = text("idp-certificate-authority-data") {
        let pem = base64::engine::general_purpose::STANDARD.decode(data);
        let pem = pem.map_err(|_| failed("idp-certificate-authority-data is not valid base64"))?;
        config.tls.trust = Trust::Authority(DataSource::Inline(pem));
    } else if let Some(path) = text("idp-certificate-authority") {
        config.tls.trust = Trust::Authority(DataSource::File(path.into()));
    }
    let options = TransportOptions {
        clock: clock.clone(),
        ..TransportOptions::default()
    };
    let made = tokio::task::spawn_blocking(move || HttpTransport::with_options(&config, options)).await;
    let transport = made.map_err(|error| failed("the runtime ends").with_source(error))??;
    let path = if path.is_empty() { "/" } else { path };
    Ok((transport, path.to_owned()))
}

/// The answer's status and JSON; what is no JSON is null.
async fn json(transport: &HttpTransport, request: Request) -> Result<(u16, Value), TransportError> {
    let unreachable = |error: TransportError| failed("it cannot be reached").with_source(error);
    let response = transport.send(request).await.map_err(unreachable)?;
    let status = response.status;
    let body = response.body.collect(LARGEST).await.map_err(unreachable)?;
    Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
}
