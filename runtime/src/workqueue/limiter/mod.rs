//! When a key that failed comes again.
//!
//! | file | what is there |
//! |---|---|
//! | `exponential` | [`Exponential`]: longer with each failure of a key |
//! | `bucket` | [`Bucket`]: so many in a second, all keys together |
//! | `combine` | [`MaxOf`], [`WithMaxWait`], [`Jitter`], and [`FastSlow`] |

mod bucket;
mod combine;
mod exponential;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hashbrown::HashMap;

pub use self::bucket::Bucket;
pub use self::combine::{FastSlow, Jitter, MaxOf, WithMaxWait};
pub use self::exponential::Exponential;
use super::Key;
use crate::clock::Clock;
use crate::sync::lock;

/// Says when a key that failed comes again. Shared by all who add; called outside of the queue's locks.
///
/// What it keeps of a key it keeps until [`RateLimiter::forget`]: whoever retries a key has to forget it in the end.
pub trait RateLimiter<T>: Debug + Send + Sync {
    /// The key failed: how long it has to wait.
    fn when(&self, key: &T) -> Duration;

    /// The key is well, or gone.
    fn forget(&self, key: &T);

    /// How often it failed since it was last forgotten.
    fn retries(&self, key: &T) -> u32;
}

impl<T, L: RateLimiter<T> + ?Sized> RateLimiter<T> for Arc<L> {
    fn when(&self, key: &T) -> Duration {
        (**self).when(key)
    }
    fn forget(&self, key: &T) {
        (**self).forget(key);
    }
    fn retries(&self, key: &T) -> u32 {
        (**self).retries(key)
    }
}

/// What client-go's controllers use: 5 ms for the first failure of a key, doubled by each further one up to 1,000 s, and
/// not more than 10 keys a second beyond the first 100.
pub fn default_limiter<T: Key>(clock: Arc<dyn Clock>) -> Arc<dyn RateLimiter<T>> {
    Arc::new(MaxOf::new([
        Arc::new(Exponential::default()) as Arc<dyn RateLimiter<T>>,
        Arc::new(Bucket::new(10.0, 100, clock)),
    ]))
}

/// How often keys failed.
struct Failures<T>(Mutex<HashMap<T, u32>>);

impl<T> Failures<T> {
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// How many keys are known.
    fn len(&self) -> usize {
        lock(&self.0).len()
    }
}

impl<T: Key> Failures<T> {
    /// One more; how many there were before.
    fn count(&self, key: &T) -> u32 {
        let mut failures = lock(&self.0);
        match failures.get_mut(key) {
            Some(count) => {
                let before = *count;
                *count = count.saturating_add(1);
                before
            }
            None => {
                failures.insert(key.clone(), 1);
                0
            }
        }
    }

    fn of(&self, key: &T) -> u32 {
        lock(&self.0).get(key).copied().unwrap_or_default()
    }

    fn forget(&self, key: &T) {
        lock(&self.0).remove(key);
    }
}
