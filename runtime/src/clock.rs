//! The one source of time: everything in this crate that reads a clock or waits does it through [`Clock`].
//!
//! [`TokioClock`] is the real one. Under tokio's paused time (`#[tokio::test(start_paused = true)]`) its monotonic
//! side and its sleeps follow the paused clock; [`VirtualClock`] makes the wall side follow it too.
//!
//! This module must not know what time is used for: no timeouts of requests, no backoff, no expiry rules.

use std::fmt::Debug;
use std::future::Future;
use std::time::{Duration, Instant};

use futures_core::future::BoxFuture;

/// Reads time and waits.
///
/// Object-safe and shared between threads as `Arc<dyn Clock>`. An implementation never goes back on its monotonic
/// side; the wall side may jump as the host's clock does.
pub trait Clock: Debug + Send + Sync {
    /// The monotonic time, for measuring spans of time.
    fn now(&self) -> Instant;

    /// The wall-clock time, for comparing with instants that came from outside (token expiry, certificate validity).
    fn wall(&self) -> jiff::Timestamp;

    /// Completes `duration` after this call, measured on the monotonic side. Dropping the future cancels the wait.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// The clock of the host, with sleeps on tokio's timer.
///
/// [`Clock::sleep`] needs a tokio runtime with its time driver enabled.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioClock;

impl Clock for TokioClock {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn wall(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let deadline = tokio::time::Instant::now() + duration;
        Box::pin(tokio::time::sleep_until(deadline))
    }
}

/// A clock for tests whose wall time advances with tokio's (paused) monotonic time from a chosen start.
#[derive(Clone, Copy, Debug)]
pub struct VirtualClock {
    started: tokio::time::Instant,
    wall: jiff::Timestamp,
}

impl VirtualClock {
    /// A clock that reads `wall` now.
    pub fn starting_at(wall: jiff::Timestamp) -> Self {
        Self {
            started: tokio::time::Instant::now(),
            wall,
        }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Instant {
        TokioClock.now()
    }

    /// The start plus what tokio's clock advanced since; past the end of representable time it stays at the end.
    fn wall(&self) -> jiff::Timestamp {
        let elapsed =
            jiff::SignedDuration::try_from(self.started.elapsed()).unwrap_or(jiff::SignedDuration::MAX);
        self.wall.checked_add(elapsed).unwrap_or(jiff::Timestamp::MAX)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        TokioClock.sleep(duration)
    }
}

/// A clock for tests that is wrong on purpose: it runs at another rate than tokio's, and shows a time of day of its own.
#[derive(Clone, Copy, Debug)]
pub struct SkewedClock {
    started: tokio::time::Instant,
    wall: jiff::Timestamp,
    rate: f64,
}

impl SkewedClock {
    /// A clock that reads `wall` now and advances `rate` seconds, from 0.01 to 100, in a second of tokio's clock.
    pub fn starting_at(wall: jiff::Timestamp, rate: f64) -> Self {
        Self {
            started: tokio::time::Instant::now(),
            wall,
            rate: rate.clamp(0.01, 100.0),
        }
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed().mul_f64(self.rate)
    }
}

impl Clock for SkewedClock {
    fn now(&self) -> Instant {
        self.started.into_std() + self.elapsed()
    }

    /// Past the end of representable time it stays at the end.
    fn wall(&self) -> jiff::Timestamp {
        let elapsed = jiff::SignedDuration::try_from(self.elapsed()).unwrap_or(jiff::SignedDuration::MAX);
        self.wall.checked_add(elapsed).unwrap_or(jiff::Timestamp::MAX)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        TokioClock.sleep(duration.div_f64(self.rate))
    }
}

/// Waits for `future`, at most `limit`; `None` when the limit passed first (the future is then dropped).
pub(crate) async fn within<F: Future>(clock: &dyn Clock, limit: Duration, future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let mut sleep = clock.sleep(limit);
    std::future::poll_fn(|cx| {
        use std::task::Poll;
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        sleep.as_mut().poll(cx).map(|()| None)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn virtual_wall_time_follows_the_paused_clock() {
        let clock = VirtualClock::starting_at(jiff::Timestamp::UNIX_EPOCH);
        clock.sleep(Duration::from_secs(90)).await;
        assert_eq!(clock.wall().as_second(), 90);
    }

    #[tokio::test(start_paused = true)]
    async fn a_skewed_clock_runs_at_its_own_rate() {
        let clock = SkewedClock::starting_at(jiff::Timestamp::UNIX_EPOCH, 1.25);
        let (started, here) = (clock.now(), TokioClock.now());
        clock.sleep(Duration::from_secs(10)).await;
        assert_eq!(clock.now() - started, Duration::from_secs(10));
        assert_eq!(TokioClock.now() - here, Duration::from_secs(8));
        assert_eq!(clock.wall().as_second(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn within_gives_up_at_the_limit_and_not_before() {
        let clock = TokioClock;
        let limit = Duration::from_secs(5);
        assert_eq!(
            within(&clock, limit, clock.sleep(Duration::from_secs(4))).await,
            Some(())
        );
        let started = clock.now();
        assert_eq!(within(&clock, limit, std::future::pending::<()>()).await, None);
        assert_eq!(clock.now() - started, limit);
    }
}
