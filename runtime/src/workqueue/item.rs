//! [`Item`]: a key while it is worked on.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use super::state::Taken;
use super::{Added, Key, Request, WorkQueue};

/// A key while it is worked on. No other worker gets the key until this is dropped, which also a panic does: there is no
/// `done` to be forgotten.
pub struct Item<'a, T: Key> {
    run: Run<'a, T>,
    key: T,
    priority: i32,
}

/// Ends a run by being dropped.
struct Run<'a, T: Key> {
    queue: Holder<'a, T>,
    /// `None` when somebody else ends it.
    index: Option<usize>,
}

impl<T: Key> Drop for Run<'_, T> {
    fn drop(&mut self) {
        if let Some(index) = self.index {
            self.queue.shared.finish(index);
        }
    }
}

enum Holder<'a, T: Key> {
    Borrowed(&'a WorkQueue<T>),
    Owned(WorkQueue<T>),
}

impl<T: Key> Deref for Holder<'_, T> {
    type Target = WorkQueue<T>;

    fn deref(&self) -> &WorkQueue<T> {
        match self {
            Self::Borrowed(queue) => queue,
            Self::Owned(queue) => queue,
        }
    }
}

impl<'a, T: Key> Item<'a, T> {
    pub(super) fn new(queue: &'a WorkQueue<T>, taken: Taken<T>) -> Self {
        if let Some(waited) = taken.waited {
            queue
                .shared
                .measure(taken.priority, |metrics, labels| metrics.started(labels, waited));
        }
        Self {
            run: Run {
                queue: Holder::Borrowed(queue),
                index: Some(taken.index),
            },
            key: taken.key,
            priority: taken.priority,
        }
    }

    /// The same, free of the borrow of the queue: for a task of its own.
    pub fn into_owned(mut self) -> Item<'static, T> {
        Item {
            run: Run {
                queue: Holder::Owned(self.run.queue.clone()),
                index: self.run.index.take(),
            },
            key: self.key,
            priority: self.priority,
        }
    }

    /// The key.
    pub fn key(&self) -> &T {
        &self.key
    }

    /// The highest priority that it was asked for with since its last run.
    pub fn priority(&self) -> i32 {
        self.priority
    }

    /// How often [`Item::retry`] was called for the key since it was last forgotten.
    pub fn retries(&self) -> u32 {
        self.run.queue.retries(&self.key)
    }

    /// Asks for the key again when the rate limiter says, with the same priority. The run goes on until the item is
    /// dropped.
    pub fn retry(&self) -> Added {
        self.retry_after(Duration::ZERO)
    }

    /// As [`Item::retry`], and not before `least` has passed: for a server that says when to come back.
    pub fn retry_after(&self, least: Duration) -> Added {
        self.run.queue.retry(self.key.clone(), self.priority, least)
    }

    /// Asks for the key again after some time, with the same priority.
    pub fn again_after(&self, delay: Duration) -> Added {
        self.run.queue.add_with(
            self.key.clone(),
            Request {
                priority: self.priority,
                after: delay,
            },
        )
    }

    /// Tells the rate limiter that the key is well.
    pub fn forget(&self) {
        self.run.queue.forget(&self.key);
    }
}

impl<T: Key> Deref for Item<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.key
    }
}

impl<T: Key + fmt::Debug> fmt::Debug for Item<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item")
            .field("key", &self.key)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}
