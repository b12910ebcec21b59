//! Keys to be worked on: each waits once however often it is asked for, and one worker has it at a time.
//!
//! | file | what is there |
//! |---|---|
//! | `slots`, `ready` | where keys are, in which [`Order`] they come |
//! | `state` | how keys go from one place to another |
//! | `shared`, `waiters`, `get` | the lock around it, and who waits for keys |
//! | `item` | [`Item`]: a key while it is worked on |
//! | `limiter` | [`RateLimiter`]: when a key that failed comes again |
//! | `metrics` | [`QueueMetrics`], [`QueueStats`] |
//!
//! What the queue promises, of each key: it is never with two workers at once; after an addition that was not refused at
//! least one run begins; additions while it is ready make no further run, additions while it is worked on make one more.
//! Memory is bounded by the number of keys, not of additions.
//!
//! There is no task behind a queue: keys whose time has come are noticed by those who wait for keys.
//!
//! ```
//! use kubeloom::workqueue::WorkQueue;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let queue = WorkQueue::new();
//! for key in ["web/a", "web/b", "web/a"] {
//!     queue.add(key);
//! }
//! queue.shutdown();
//! let mut worked = Vec::new();
//! while let Some(item) = queue.get().await {
//!     worked.push(*item);
//!     item.forget();
//! } // dropping the item is "done"
//! assert_eq!(worked, ["web/a", "web/b"]);
//! # });
//! ```
//!
//! This module must not know what keys are, nor where they come from.

mod get;
mod item;
mod limiter;
mod metrics;
mod ready;
mod shared;
mod slots;
mod state;
#[cfg(test)]
mod tests;
mod waiters;

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

pub use self::get::Get;
pub use self::item::Item;
pub use self::limiter::{
    Bucket, Exponential, FastSlow, Jitter, MaxOf, RateLimiter, WithMaxWait, default_limiter,
};
pub use self::metrics::{PriorityClass, QueueLabels, QueueMetrics, QueueStats};
pub use self::ready::{LOW_PRIORITY, Order};
use self::shared::Shared;
use crate::clock::{Clock, TokioClock};
use crate::sync::lock;

/// What can wait in a queue. Cloned for each run, so it should be cheap to clone.
pub trait Key: Clone + Eq + Hash + Send + Sync + 'static {}
impl<T: Clone + Eq + Hash + Send + Sync + 'static> Key for T {}

/// What a queue is told when it is made.
#[derive(Debug)]
pub struct QueueOptions<T> {
    /// What it is called in metrics.
    pub name: String,
    /// In which order keys come.
    pub order: Order,
    /// When keys that failed come again.
    pub limiter: Arc<dyn RateLimiter<T>>,
    /// Whether [`WorkQueue::add`] of a key cancels its later run: the run that now comes makes it unnecessary. Without it,
    /// as in client-go, both come. What was cancelled is counted in [`QueueStats::superseded`].
    pub supersede_delayed: bool,
    /// Who is told of additions and runs.
    pub metrics: Option<Arc<dyn QueueMetrics>>,
    /// Whether times are kept for [`QueueStats`]. They are with metrics, and with an order by priority.
    pub times: bool,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl<T: Key> Default for QueueOptions<T> {
    /// First in, first out, with [`default_limiter`], no metrics and no name.
    fn default() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock);
        Self {
            name: String::new(),
            order: Order::Fifo,
            limiter: default_limiter(clock.clone()),
            supersede_delayed: false,
            metrics: None,
            times: false,
            clock,
        }
    }
}

/// How a key is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Higher comes first, if the queue is ordered by priority. Of several requests for one run the highest counts.
    pub priority: i32,
    /// How long to wait first. Of several waits the one that ends first counts.
    pub after: Duration,
}

/// What became of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The key is ready.
    Queued,
    /// It was ready already.
    Coalesced,
    /// It is worked on, and becomes ready when that ends.
    AfterRun,
    /// It becomes ready later.
    Delayed,
    /// The queue is shut down.
    Refused,
}

/// A queue of keys. Cheap to clone; clones are the same queue.
pub struct WorkQueue<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<T: Key> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue")
            .field("name", &self.shared.name)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl<T: Key> Default for WorkQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Key> WorkQueue<T> {
    /// A queue that hands keys out as they come.
    pub fn new() -> Self {
        Self::with_options(QueueOptions::default())
    }

    /// A queue with options.
    pub fn with_options(options: QueueOptions<T>) -> Self {
        Self {
            shared: Arc::new(Shared::new(options)),
        }
    }

    /// Asks for a key, now, with priority 0.
    pub fn add(&self, key: T) -> Added {
        self.shared.add(key, Request::default())
    }

    /// Asks for a key.
    pub fn add_with(&self, key: T, request: Request) -> Added {
        self.shared.add(key, request)
    }

    /// Asks for many keys, now, with one priority.
    pub fn add_all(&self, keys: impl IntoIterator<Item = T>, priority: i32) {
        self.shared.add_all(keys.into_iter(), priority);
    }

    /// Asks for a key after some time. A key has one later run at most: of two times the earlier one counts. A run that
    /// comes before leaves it in place, unless [`QueueOptions::supersede_delayed`] says otherwise.
    pub fn add_after(&self, key: T, delay: Duration) -> Added {
        self.shared.add(
            key,
            Request {
                priority: 0,
                after: delay,
            },
        )
    }

    /// Asks for a key when the rate limiter says.
    pub fn add_rate_limited(&self, key: T) -> Added {
        self.retry(key, 0, Duration::ZERO)
    }

    /// Takes back the later run of a key; whether there was one.
    pub fn cancel_delayed(&self, key: &T) -> bool {
        self.shared.cancel(key)
    }

    fn retry(&self, key: T, priority: i32, least: Duration) -> Added {
        let delay = self.shared.limiter.when(&key).max(least);
        self.shared
            .measure(priority, |metrics, labels| metrics.retried(labels, delay));
        self.add_with(
            key,
            Request {
                priority,
                after: delay,
            },
        )
    }

    /// Tells the rate limiter that a key is well: its next failure is its first. Later runs stay.
    pub fn forget(&self, key: &T) {
        self.shared.limiter.forget(key);
    }

    /// How often the rate limiter was asked about a key since it was last forgotten.
    pub fn retries(&self, key: &T) -> u32 {
        self.shared.limiter.retries(key)
    }

    /// The next key, when there is one; `None` when the queue is shut down and empty. Nothing is lost when the future is
    /// dropped. One that has been polled has to be polled on or dropped: it may have been chosen to take the next key.
    pub fn get(&self) -> Get<'_, T> {
        Get::new(self)
    }

    /// From now on additions are refused and later runs dropped. What is ready is still handed out, then `None`.
    pub fn shutdown(&self) {
        self.shared.close(false);
    }

    /// As [`WorkQueue::shutdown`], and what is ready is dropped too: workers end what they do and get no more.
    pub fn shutdown_now(&self) {
        self.shared.close(true);
    }

    /// As [`WorkQueue::shutdown`]; completes when all that was ready has been worked on and no run goes on. It takes workers
    /// for that. When the future is dropped, the queue is shut down all the same.
    pub async fn shutdown_with_drain(&self) {
        self.shared.close(false);
        self.idle().await;
    }

    /// Completes when the queue is shut down and no run goes on.
    pub(crate) async fn idle(&self) {
        loop {
            let told = self.shared.idle.notified();
            {
                let state = lock(&self.shared.state);
                if state.0.closing && state.0.is_idle() {
                    return;
                }
            }
            told.await;
        }
    }

    /// Whether the queue is shut down.
    pub fn is_shut_down(&self) -> bool {
        lock(&self.shared.state).0.closing
    }

    /// How many keys are ready.
    pub fn len(&self) -> usize {
        self.stats().ready
    }

    /// Whether no key is ready.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The queue at this moment. Keys whose time has come count as ready.
    pub fn stats(&self) -> QueueStats {
        self.shared.stats()
    }
}
