//! [`Retry`]: sends a call again where the server asks for it, or where that is harmless.
//!
//! | the attempt ended with | sent again |
//! |---|---|
//! | 429 or 500 and above, with `Retry-After` | any call; not before the time it names |
//! | the same without `Retry-After` | never |
//! | a connection that was reset or ended early | GET, before the response's header has arrived |
//! | a timeout of the connection | the start of a stream by GET |
//! | anything else | never |
//!
//! With [`UrlBackoff`] calls wait while the server is in trouble, whether or not it asks for it.
//!
//! `Retry-After` counts seconds or is an HTTP date (client-go knows only the former). Upgrades are repeated by the first
//! row only. Bodies are in memory, so every request can be repeated. Waits grow from 50 ms where the server names no
//! longer ones, and are spread by up to a fifth, never below what the server asks for.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::credentials::Authenticate;
use super::limit::Limiter;
use super::metrics::{Labels, Metrics};
use super::{CallKind, Method, Request, Response, Transport, TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::{RetryConfig, UrlBackoff};

/// The wait after a broken connection; client-go's value.
const RESET_WAIT: Duration = Duration::from_secs(1);
/// The least wait before the second attempt; it doubles with each further one, up to [`RESET_WAIT`].
const LEAST_WAIT: Duration = Duration::from_millis(50);
/// So much of a failed attempt's body is read, in the hope to reuse its connection; client-go's value.
const DRAINED: usize = 2 << 10;

/// Repeats calls.
#[derive(Debug)]
pub(super) struct Retry {
    pub(super) next: Arc<dyn Transport>,
    /// What each attempt passes on its way; none for an anonymous client.
    pub(super) authenticate: Option<Authenticate>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) config: RetryConfig,
    pub(super) limiter: Option<Arc<Limiter>>,
    pub(super) metrics: Arc<dyn Metrics>,
    pub(super) trouble: Trouble,
}

/// How many answers in a row said that the server is in trouble.
#[derive(Debug, Default)]
pub(super) struct Trouble(AtomicU32);

impl Trouble {
    fn note(&self, ended: &Result<Response, TransportError>) {
        match ended {
            Ok(response) if is_overloaded(response.status) => {
                // It never comes near the end of its range: waits double.
                self.0.fetch_add(1, Ordering::Relaxed);
            }
            _ => self.0.store(0, Ordering::Relaxed),
        }
    }

    /// How long to wait before the next attempt.
    fn wait(&self, backoff: UrlBackoff) -> Duration {
        match self.0.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            answers => backoff
                .base
                .saturating_mul(1 << (answers - 1).min(30))
                .min(backoff.most),
        }
    }
}

fn is_overloaded(status: u16) -> bool {
    status == 429 || status >= 500
}

/// How the attempts before the last one ended, for the last one's error.
#[derive(Debug, Default)]
pub(super) struct Earlier(std::sync::Mutex<String>);

impl Earlier {
    fn note(&self, attempt: u32, ended: &Result<Response, TransportError>) {
        let mut text = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        text.clear();
        // Writing to a String cannot fail.
        let _ = match ended {
            Ok(response) => write!(text, "attempt {attempt} was answered with {}", response.status),
            Err(error) => write!(text, "attempt {attempt} failed: {}", error.message()),
        };
    }

    /// The error with what came before it.
    pub(super) fn add_to(&self, error: TransportError) -> TransportError {
        let text = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if text.is_empty() {
            error
        } else {
            error.with_earlier(&text)
        }
    }
}

impl Retry {
    /// Sends `request`, again if need be. An attempt that could not start before `until` is not waited for.
    pub(super) async fn send(
        &self,
        request: Request,
        until: Option<Instant>,
        earlier: &Earlier,
    ) -> Result<Response, TransportError> {
        let mut attempt = 1;
        loop {
            if let Some(backoff) = self.config.backoff {
                let wait = self.trouble.wait(backoff);
                if !wait.is_zero() {
                    self.clock.sleep(wait).await;
                }
            }
            let ended = self.attempt(&request).await;
            if self.config.backoff.is_some() {
                self.trouble.note(&ended);
            }
            let wait = self
                .wait(attempt, &request, &ended)
                .filter(|wait| attempt < self.config.max_attempts && *wait <= self.config.max_wait)
                .map(spread)
                .filter(|wait| until.is_none_or(|until| self.clock.now() + *wait < until));
            let Some(wait) = wait else {
                return ended.map_err(|error| earlier.add_to(error));
            };
            earlier.note(attempt, &ended);
            tracing::debug!(
                method = %request.method,
                path = %request.template,
                attempt,
                status = ended.as_ref().map(|response| response.status).ok(),
                error = ended.as_ref().err().map(TransportError::message),
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "the call is sent again"
            );
            if let Ok(response) = ended {
                drain(response).await;
            }
            self.metrics.retry(&Labels::of(&request), attempt);
            self.clock.sleep(wait).await;
            if let Some(limiter) = &self.limiter {
                limiter.pass(&request).await;
            }
            attempt += 1;
        }
    }

    async fn attempt(&self, request: &Request) -> Result<Response, TransportError> {
        match &self.authenticate {
            Some(authenticate) => authenticate.send(request, &*self.next).await,
            None => self.next.send(request.clone()).await,
        }
    }

    /// How long to wait before the next attempt; `None` if there must be none.
    fn wait(
        &self,
        attempt: u32,
        request: &Request,
        ended: &Result<Response, TransportError>,
    ) -> Option<Duration> {
        let least = LEAST_WAIT
            .saturating_mul(1 << (attempt - 1).min(10))
            .min(RESET_WAIT);
        match ended {
            Ok(response) => {
                if !is_overloaded(response.status) {
                    return None;
                }
                let asked = retry_after(response.headers.get("retry-after")?, self.clock.wall())?;
                Some(asked.max(least))
            }
            Err(error) => may_repeat(request, error).then_some(RESET_WAIT),
        }
    }
}

/// Whether a call that got no response can be sent again without harm.
fn may_repeat(request: &Request, error: &TransportError) -> bool {
    if request.method != Method::Get {
        return false;
    }
    match request.kind {
        CallKind::Unary => error.is_connection_reset(),
        CallKind::Stream => error.is_connection_reset() || error.kind() == TransportErrorKind::Timeout,
        CallKind::Upgrade => false,
    }
}

/// The wait a `Retry-After` asks for: seconds, or an HTTP date (RFC 9110, 10.2.3); `None` for anything else.
pub(crate) fn retry_after(value: &str, now: jiff::Timestamp) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    static DATES: jiff::fmt::rfc2822::DateTimeParser = jiff::fmt::rfc2822::DateTimeParser::new();
    let at = DATES.parse_timestamp(value).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// Reads what little is left of a response nobody wants, so that its connection can serve again.
pub(super) async fn drain(response: Response) {
    // How it ends does not matter.
    let _ = response.body.collect(DRAINED).await;
}

/// `wait` and up to a fifth more, so that clients turned away together do not come back together.
fn spread(wait: Duration) -> Duration {
    wait + wait.mul_f64(0.2 * fastrand::f64())
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
