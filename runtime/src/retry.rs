//! The same once more: what a caller does about a conflict or a server that is busy.
//!
//! The transport repeats what is safe to send again; this is for what has to be *done* again: read, change, write.
//! This module must not know what the operation does.

use std::time::Duration;

use crate::clock::{Clock, TokioClock};
use crate::error::Error;

/// How often and how long to wait: before attempt `n + 1`, `duration * factor^n` and at random up to `jitter` of it more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The number of attempts, the first included; 0 counts as 1.
    pub steps: u32,
    /// The wait before the second attempt.
    pub duration: Duration,
    /// What each wait is multiplied by to get the next.
    pub factor: f64,
    /// How much longer than that a wait may be at random, as a fraction of it.
    pub jitter: f64,
    /// No wait is longer than this, jitter aside.
    pub cap: Duration,
}

/// For conflicts with other writers who are as fast: five attempts, 10 ms apart (client-go's `DefaultRetry`).
pub const DEFAULT_RETRY: Backoff = Backoff {
    steps: 5,
    duration: Duration::from_millis(10),
    factor: 1.0,
    jitter: 0.1,
    cap: Duration::MAX,
};

/// For conflicts with a client that writes often: four attempts, 10, 50 and 250 ms apart (client-go's
/// `DefaultBackoff`).
pub const DEFAULT_BACKOFF: Backoff = Backoff {
    steps: 4,
    duration: Duration::from_millis(10),
    factor: 5.0,
    jitter: 0.1,
    cap: Duration::MAX,
};

impl Backoff {
    /// The wait after failed attempt `attempt`, counted from 0; `random` from 0 to 1 says how much of the jitter is
    /// added.
    pub fn delay(&self, attempt: u32, random: f64) -> Duration {
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        let seconds = self.duration.as_secs_f64() * self.factor.powi(exponent);
        // Over the cap, infinite and not a number alike.
        let base = Duration::try_from_secs_f64(seconds)
            .unwrap_or(self.cap)
            .min(self.cap);
        base.checked_add(base.mul_f64_saturating(self.jitter * random))
            .unwrap_or(base)
    }

    pub(crate) fn random_delay(&self, attempt: u32) -> Duration {
        self.delay(attempt, fastrand::f64())
    }
}

trait MulSaturating {
    fn mul_f64_saturating(self, factor: f64) -> Self;
}

impl MulSaturating for Duration {
    fn mul_f64_saturating(self, factor: f64) -> Self {
        Self::try_from_secs_f64(self.as_secs_f64() * factor).unwrap_or_default()
    }
}

/// Repeats `operation` while it ends with a conflict: five attempts, 10 ms apart. It has to read the object anew each
/// time, else it conflicts again.
///
/// ```no_run
/// # use kubeloom::{RestClient, retry_on_conflict, rest::GroupVersionResource};
/// # async fn example(client: RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// let things = client.dynamic(GroupVersionResource::new("", "v1", "configmaps")).namespace("web");
/// retry_on_conflict(|| async {
///     let mut settings = things.get("settings").await?;
///     settings.metadata.labels.insert("seen".into(), "yes".into());
///     things.update(&settings).await
/// })
/// .await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The first error that is no conflict, or the last conflict.
pub async fn retry_on_conflict<T, F, Fut>(operation: F) -> Result<T, Error>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, Error>>,
{
    retry(&TokioClock, DEFAULT_RETRY, Error::is_conflict, operation).await
}

/// Repeats `operation` while `retriable` says so of its error and attempts are left. A wait is at least as long as the
/// server asks for.
///
/// # Errors
/// The first error that is not retriable, or the last one.
pub async fn retry<T, F, Fut>(
    clock: &dyn Clock,
    backoff: Backoff,
    retriable: impl Fn(&Error) -> bool,
    mut operation: F,
) -> Result<T, Error>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, Error>>,
{
    let mut attempt = 0;
    loop {
        let error = match operation().await {
            Err(error) if retriable(&error) => error,
            outcome => return outcome,
        };
        if attempt + 1 >= backoff.steps {
            return Err(error);
        }
        let delay = backoff.random_delay(attempt);
        clock
            .sleep(delay.max(error.retry_after().unwrap_or_default()))
            .await;
        attempt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_those_of_client_go() {
        let millis = |backoff: Backoff, random: f64| -> Vec<u128> {
            (0..backoff.steps - 1)
                .map(|attempt| backoff.delay(attempt, random).as_millis())
                .collect()
        };
        assert_eq!(millis(DEFAULT_RETRY, 0.0), [10, 10, 10, 10]);
        assert_eq!(millis(DEFAULT_RETRY, 1.0), [11, 11, 11, 11]);
        assert_eq!(millis(DEFAULT_BACKOFF, 0.0), [10, 50, 250]);
        assert_eq!(millis(DEFAULT_BACKOFF, 0.5), [10, 52, 262]);
    }

    #[test]
    fn delays_never_overflow() {
        let steep = Backoff {
            steps: u32::MAX,
            factor: 1e300,
            cap: Duration::from_secs(30),
            ..DEFAULT_BACKOFF
        };
        for attempt in [1, 100, u32::MAX] {
            assert_eq!(steep.delay(attempt, 0.0), Duration::from_secs(30));
        }
        let endless = Backoff {
            cap: Duration::MAX,
            jitter: f64::NAN,
            ..steep
        };
        assert_eq!(endless.delay(9, 1.0), Duration::MAX);
    }
}
