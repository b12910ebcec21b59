//! Limiters made of others, and [`FastSlow`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Failures, RateLimiter};
use crate::workqueue::Key;

/// The longest wait of several limiters.
pub struct MaxOf<T> {
    limiters: Vec<Arc<dyn RateLimiter<T>>>,
}

impl<T> fmt::Debug for MaxOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.limiters).finish()
    }
}

impl<T> MaxOf<T> {
    /// All of `limiters` are asked each time.
    pub fn new(limiters: impl IntoIterator<Item = Arc<dyn RateLimiter<T>>>) -> Self {
        Self {
            limiters: limiters.into_iter().collect(),
        }
    }
}

impl<T> RateLimiter<T> for MaxOf<T> {
    fn when(&self, key: &T) -> Duration {
        let waits = self.limiters.iter().map(|limiter| limiter.when(key));
        waits.max().unwrap_or_default()
    }

    fn forget(&self, key: &T) {
        self.limiters.iter().for_each(|limiter| limiter.forget(key));
    }

    fn retries(&self, key: &T) -> u32 {
        let retries = self.limiters.iter().map(|limiter| limiter.retries(key));
        retries.max().unwrap_or_default()
    }
}

/// The wait of another limiter, but at most so long.
#[derive(Debug)]
pub struct WithMaxWait<L> {
    limiter: L,
    max: Duration,
}

impl<L> WithMaxWait<L> {
    /// At most `max`.
    pub fn new(limiter: L, max: Duration) -> Self {
        Self { limiter, max }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWait<L> {
    fn when(&self, key: &T) -> Duration {
        self.limiter.when(key).min(self.max)
    }
    fn forget(&self, key: &T) {
        self.limiter.forget(key);
    }
    fn retries(&self, key: &T) -> u32 {
        self.limiter.retries(key)
    }
}

/// The wait of another limiter and at random up to a part of it more, so that keys that failed together do not come
/// together.
#[derive(Debug)]
pub struct Jitter<L> {
    limiter: L,
    part: f64,
}

impl<L> Jitter<L> {
    /// Up to `part` of the wait more; 0.1 is a tenth. What is no positive number adds nothing.
    pub fn new(limiter: L, part: f64) -> Self {
        Self { limiter, part }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for Jitter<L> {
    fn when(&self, key: &T) -> Duration {
        let wait = self.limiter.when(key);
        let more = Duration::try_from_secs_f64(wait.as_secs_f64() * self.part * fastrand::f64());
        wait.saturating_add(more.unwrap_or_default())
    }
    fn forget(&self, key: &T) {
        self.limiter.forget(key);
    }
    fn retries(&self, key: &T) -> u32 {
        self.limiter.retries(key)
    }
}

/// A short wait for the first failures of a key, a long one for all further ones.
pub struct FastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_attempts: u32,
    failures: Failures<T>,
}

impl<T> fmt::Debug for FastSlow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastSlow")
            .field("fast", &self.fast)
            .field("slow", &self.slow)
            .field("fast_attempts", &self.fast_attempts)
            .finish_non_exhaustive()
    }
}

impl<T> FastSlow<T> {
    /// `fast` for the first `fast_attempts` failures, then `slow`.
    pub fn new(fast: Duration, slow: Duration, fast_attempts: u32) -> Self {
        Self {
            fast,
            slow,
            fast_attempts,
            failures: Failures::new(),
        }
    }
}

impl<T: Key> RateLimiter<T> for FastSlow<T> {
    fn when(&self, key: &T) -> Duration {
        if self.failures.count(key) < self.fast_attempts {
            self.fast
        } else {
            self.slow
        }
    }

    fn forget(&self, key: &T) {
        self.failures.forget(key);
    }

    fn retries(&self, key: &T) -> u32 {
        self.failures.of(key)
    }
}
