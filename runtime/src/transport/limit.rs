//! [`Limiter`]: a token bucket that calls wait for, and [`Throttle`], the layer that waits before the timeout starts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::metrics::{Labels, Metrics};
use super::{BoxFuture, CallKind, Request, Response, Transport, TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::RateLimit;

/// A wait of more than this is logged; client-go's value.
const NOTABLE: Duration = Duration::from_secs(1);

/// A token bucket. Calls leave in the order they asked.
#[derive(Debug)]
pub(super) struct Limiter {
    interval: Duration,
    burst: u32,
    clock: Arc<dyn Clock>,
    metrics: Arc<dyn Metrics>,
    /// When the bucket would be full if nobody took anything more.
    full_at: Mutex<Instant>,
}

impl Limiter {
    pub(super) fn new(
        limit: RateLimit,
        clock: Arc<dyn Clock>,
        metrics: Arc<dyn Metrics>,
    ) -> Result<Self, TransportError> {
        let interval = Duration::try_from_secs_f64(1.0 / limit.qps)
            .ok()
            .filter(|_| limit.qps > 0.0 && limit.burst > 0)
            .ok_or_else(|| {
                let message = "the rate limit needs a rate above 0 and a burst of at least 1";
                TransportError::new(TransportErrorKind::Config, message)
            })?;
        let full_at = Mutex::new(clock.now());
        Ok(Self {
            interval,
            burst: limit.burst,
            clock,
            metrics,
            full_at,
        })
    }

    /// Takes a token; the time until it may be used.
    fn take(&self) -> Duration {
        let now = self.clock.now();
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        *full_at = (*full_at).max(now) + self.interval;
        (*full_at).saturating_duration_since(now + self.interval * self.burst)
    }

    /// Waits for the call's turn; streams and upgrades have it at once. Dropping the future gives up the turn, not the
    /// token.
    pub(super) async fn pass(&self, request: &Request) {
        if request.kind != CallKind::Unary {
            return;
        }
        let wait = self.take();
        if wait.is_zero() {
            return;
        }
        if wait > NOTABLE {
            tracing::info!(
                method = %request.method,
                path = %request.template,
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "the client-side rate limit holds a call back"
            );
        }
        self.clock.sleep(wait).await;
        self.metrics.throttled(&Labels::of(request), wait);
    }
}

/// Holds calls back until it is their turn.
#[derive(Debug)]
pub(super) struct Throttle {
    pub(super) next: Arc<dyn Transport>,
    pub(super) limiter: Arc<Limiter>,
}

impl Transport for Throttle {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            self.limiter.pass(&request).await;
            self.next.send(request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TokioClock;
    use crate::transport::{Method, NoMetrics};

    #[tokio::test(start_paused = true)]
    async fn a_burst_leaves_at_once_and_the_rest_at_the_rate() {
        let clock = Arc::new(TokioClock);
        let limit = RateLimit { qps: 4.0, burst: 3 };
        let limiter = Limiter::new(limit, clock.clone(), Arc::new(NoMetrics)).unwrap();
        let started = clock.now();
        let mut request = Request::new(Method::Get, "/");
        for expected in [0, 0, 0, 250, 500, 750] {
            limiter.pass(&request).await;
            assert_eq!((clock.now() - started).as_millis(), expected);
        }
        request.kind = CallKind::Stream;
        limiter.pass(&request).await;
        assert_eq!((clock.now() - started).as_millis(), 750);
        request.kind = CallKind::Unary;
        clock.sleep(Duration::from_secs(60)).await;
        let started = clock.now();
        for expected in [0, 0, 0, 250] {
            limiter.pass(&request).await;
            assert_eq!((clock.now() - started).as_millis(), expected);
        }
    }

    #[test]
    fn impossible_rates_are_refused() {
        for (qps, burst) in [
            (0.0, 1),
            (-1.0, 1),
            (f64::NAN, 1),
            (1.0, 0),
            (f64::MIN_POSITIVE, 1),
        ] {
            let limit = RateLimit { qps, burst };
            let error = Limiter::new(limit, Arc::new(TokioClock), Arc::new(NoMetrics)).unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Config, "{limit:?}");
        }
    }
}
