//! [`Bucket`]: so many in a second, all keys together.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashbrown::HashMap;

use super::RateLimiter;
use crate::clock::Clock;
use crate::sync::lock;
use crate::workqueue::Key;

/// A token bucket: `burst` keys at once, then `rate` keys a second.
///
/// A key that has a token waits for it, however often it fails meanwhile: failures that are coalesced in the queue take
/// no tokens, so waits do not grow by them.
pub struct Bucket<T> {
    /// Between two tokens.
    interval: Duration,
    /// How long an empty bucket takes to fill.
    depth: Duration,
    clock: Arc<dyn Clock>,
    state: Mutex<State<T>>,
}

struct State<T> {
    /// When the bucket will be full, if no more tokens are taken.
    full_at: Instant,
    /// Tokens that are promised for later, by key.
    promised: HashMap<T, Instant>,
    /// The same, earliest first.
    order: VecDeque<(Instant, T)>,
}

impl<T> fmt::Debug for Bucket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket")
            .field("interval", &self.interval)
            .field("promised", &lock(&self.state).order.len())
            .finish_non_exhaustive()
    }
}

impl<T> Bucket<T> {
    /// `rate` tokens a second; a rate of 0 or below, or none at all, is one token in a hundred years. A burst of 0 counts
    /// as 1.
    pub fn new(rate: f64, burst: u32, clock: Arc<dyn Clock>) -> Self {
        const HUNDRED_YEARS: Duration = Duration::from_secs(100 * 365 * 86_400);
        let interval = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(HUNDRED_YEARS);
        let interval = interval.min(HUNDRED_YEARS);
        Self {
            interval,
            depth: interval.saturating_mul(burst.max(1)),
            state: Mutex::new(State {
                full_at: clock.now(),
                promised: HashMap::new(),
                order: VecDeque::new(),
            }),
            clock,
        }
    }
}

impl<T: Key> State<T> {
    fn drop_past(&mut self, now: Instant) {
        while let Some((at, _)) = self.order.front() {
            if *at > now {
                break;
            }
            if let Some((at, key)) = self.order.pop_front() {
                // The key may have a later token by now.
                if self.promised.get(&key) == Some(&at) {
                    self.promised.remove(&key);
                }
            }
        }
    }
}

impl<T: Key> RateLimiter<T> for Bucket<T> {
    fn when(&self, key: &T) -> Duration {
        let now = self.clock.now();
        let mut state = lock(&self.state);
        state.drop_past(now);
        if let Some(at) = state.promised.get(key) {
            return at.saturating_duration_since(now);
        }
        let full_at = state.full_at.max(now).checked_add(self.interval);
        let at = full_at.and_then(|full_at| {
            let until_full = full_at.saturating_duration_since(now);
            now.checked_add(until_full.saturating_sub(self.depth))
        });
        let (Some(full_at), Some(at)) = (full_at, at) else {
            // Beyond what the clock can tell.
            return Duration::MAX;
        };
        state.full_at = full_at;
        if at > now {
            state.promised.insert(key.clone(), at);
            state.order.push_back((at, key.clone()));
        }
        at.saturating_duration_since(now)
    }

    /// A token that is promised stays taken: the run may come all the same.
    fn forget(&self, _key: &T) {}

    fn retries(&self, _key: &T) -> u32 {
        0
    }
}
