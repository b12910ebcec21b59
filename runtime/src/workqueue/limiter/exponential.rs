//! [`Exponential`]: longer with each failure of a key.

use std::fmt;
use std::time::Duration;

use super::{Failures, RateLimiter};
use crate::workqueue::Key;

/// `base` for the first failure of a key, doubled by each further one, at most `max`.
pub struct Exponential<T> {
    base: Duration,
    max: Duration,
    failures: Failures<T>,
}

impl<T> fmt::Debug for Exponential<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exponential")
            .field("base", &self.base)
            .field("max", &self.max)
            .field("keys", &self.failures.len())
            .finish_non_exhaustive()
    }
}

impl<T> Exponential<T> {
    /// From `base` to `max`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self {
            base,
            max,
            failures: Failures::new(),
        }
    }
}

impl<T> Default for Exponential<T> {
    /// 5 ms to 1,000 s, client-go's numbers.
    fn default() -> Self {
        Self::new(Duration::from_millis(5), Duration::from_secs(1000))
    }
}

impl<T: Key> RateLimiter<T> for Exponential<T> {
    fn when(&self, key: &T) -> Duration {
        let before = self.failures.count(key);
        let mut wait = self.base;
        // So many doublings bring a nanosecond to the longest duration.
        for _ in 0..before.min(94) {
            if wait >= self.max {
                break;
            }
            wait = wait.saturating_mul(2);
        }
        wait.min(self.max)
    }

    fn forget(&self, key: &T) {
        self.failures.forget(key);
    }

    fn retries(&self, key: &T) -> u32 {
        self.failures.of(key)
    }
}
