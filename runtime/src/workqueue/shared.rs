//! What all clones of a queue share.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashbrown::DefaultHashBuilder;
use tokio::sync::Notify;

use super::limiter::RateLimiter;
use super::metrics::{QueueLabels, QueueMetrics};
use super::state::{State, Taken};
use super::waiters::Waiters;
use super::{Added, Key, QueueOptions, QueueStats, Request};
use crate::clock::Clock;
use crate::sync::{lock, wake};

/// What all clones of a queue share.
pub(super) struct Shared<T> {
    pub(super) name: String,
    pub(super) state: Mutex<(State<T>, Waiters)>,
    hasher: DefaultHashBuilder,
    pub(super) limiter: Arc<dyn RateLimiter<T>>,
    pub(super) clock: Arc<dyn Clock>,
    metrics: Option<Arc<dyn QueueMetrics>>,
    supersede: bool,
    /// Whether the clock is read for each key.
    pub(super) keeps_times: bool,
    /// Told when a queue that was shut down has become idle.
    pub(super) idle: Notify,
}

/// What a worker gets.
#[derive(Debug)]
pub(super) enum Next<T> {
    Taken(Taken<T>),
    Exhausted,
    /// Nothing yet; whoever is given a time comes back then.
    Wait(Option<Instant>),
}

impl<T: Key> Shared<T> {
    pub(super) fn new(options: QueueOptions<T>) -> Self {
        let epoch = options.clock.now();
        let ordered = options.order != super::Order::Fifo;
        Self {
            name: options.name,
            state: Mutex::new((State::new(options.order, epoch), Waiters::default())),
            hasher: DefaultHashBuilder::default(),
            limiter: options.limiter,
            clock: options.clock,
            keeps_times: ordered || options.times || options.metrics.is_some(),
            metrics: options.metrics,
            supersede: options.supersede_delayed,
            idle: Notify::new(),
        }
    }

    pub(super) fn now(&self) -> Option<Instant> {
        self.keeps_times.then(|| self.clock.now())
    }

    pub(super) fn measure(&self, priority: i32, measure: impl FnOnce(&dyn QueueMetrics, &QueueLabels<'_>)) {
        if let Some(metrics) = &self.metrics {
            measure(&**metrics, &QueueLabels::new(&self.name, priority));
        }
    }

    /// Makes keys ready whose time has come; how many there are. The clock is read if there may be some.
    pub(super) fn settle(&self, queue: &mut State<T>, now: &mut Option<Instant>) -> usize {
        if queue.next_due().is_none() {
            return 0;
        }
        let now = *now.get_or_insert_with(|| self.clock.now());
        queue.promote(now)
    }

    pub(super) fn add(&self, key: T, request: Request) -> Added {
        let hash = self.hasher.hash_one(&key);
        if !request.after.is_zero() {
            return self.delay(key, hash, request);
        }
        let mut now = self.now();
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let mut fresh = self.settle(queue, &mut now);
        let (added, spare) = queue.add(key, hash, request.priority, now, self.supersede);
        fresh += usize::from(added == Added::Queued);
        let told = waiters.tell(fresh);
        drop(state);
        told.wake();
        drop(spare);
        self.tell_added(added, request.priority);
        added
    }

    /// Adds many under one lock.
    pub(super) fn add_all(&self, keys: impl Iterator<Item = T>, priority: i32) {
        let mut keys = keys.map(|key| (self.hasher.hash_one(&key), key)).peekable();
        // What the iterator does is not done under the lock, and nobody waits long for it.
        while keys.peek().is_some() {
            let some: Vec<_> = keys.by_ref().take(256).collect();
            let mut outcomes = Vec::with_capacity(some.len());
            let mut now = self.now();
            let mut state = lock(&self.state);
            let (queue, waiters) = &mut *state;
            let mut fresh = self.settle(queue, &mut now);
            for (hash, key) in some {
                let (added, spare) = queue.add(key, hash, priority, now, self.supersede);
                fresh += usize::from(added == Added::Queued);
                outcomes.push((added, spare));
            }
            let told = waiters.tell(fresh);
            drop(state);
            told.wake();
            for (added, _) in outcomes {
                self.tell_added(added, priority);
            }
        }
    }

    fn delay(&self, key: T, hash: u64, request: Request) -> Added {
        let now = self.clock.now();
        // A time that cannot be told is one that never comes.
        let Some(at) = now.checked_add(request.after) else {
            return if lock(&self.state).0.closing {
                Added::Refused
            } else {
                Added::Delayed
            };
        };
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let fresh = self.settle(queue, &mut Some(now));
        let before = queue.next_due();
        let (added, spare) = queue.delay(key, hash, request.priority, at);
        let keeper = if queue.next_due() == before {
            None
        } else {
            waiters.tell_keeper()
        };
        let told = waiters.tell(fresh);
        drop(state);
        wake(keeper);
        told.wake();
        drop(spare);
        added
    }

    fn tell_added(&self, added: Added, priority: i32) {
        if matches!(added, Added::Queued | Added::AfterRun) {
            self.measure(priority, |metrics, labels| metrics.added(labels));
        }
    }

    pub(super) fn cancel(&self, key: &T) -> bool {
        let hash = self.hasher.hash_one(key);
        let (cancelled, spare) = lock(&self.state).0.cancel(key, hash);
        drop(spare);
        cancelled
    }

    /// A run has ended.
    pub(super) fn finish(&self, index: usize) {
        let mut now = self.now();
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let mut fresh = self.settle(queue, &mut now);
        let finished = queue.finish(index, now);
        fresh += usize::from(finished.ready);
        if queue.is_exhausted() {
            fresh = usize::MAX;
        }
        let told = waiters.tell(fresh);
        let idle = queue.closing && queue.is_idle();
        drop(state);
        told.wake();
        drop(finished.spare);
        if idle {
            self.idle.notify_waiters();
        }
        if let Some(worked) = finished.worked {
            self.measure(finished.priority, |metrics, labels| {
                metrics.finished(labels, worked)
            });
        }
    }

    pub(super) fn close(&self, discard: bool) {
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let spare = queue.close(discard);
        let told = waiters.tell(usize::MAX);
        let idle = queue.is_idle();
        drop(state);
        drop(spare);
        told.wake();
        if idle {
            self.idle.notify_waiters();
        }
    }

    pub(super) fn stats(&self) -> QueueStats {
        let now = self.clock.now();
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let fresh = self.settle(queue, &mut Some(now));
        let told = waiters.tell(fresh);
        let mut stats = queue.stats(now);
        drop(state);
        told.wake();
        if !self.keeps_times {
            (stats.longest_running, stats.unfinished) = (None, Duration::ZERO);
        }
        stats
    }
}
