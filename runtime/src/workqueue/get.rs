//! [`Get`]: waits for the next key.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use futures_core::future::BoxFuture;

use super::item::Item;
use super::shared::{Next, Shared};
use super::{Key, WorkQueue};
use crate::sync::lock;

/// Waits for the next key; see [`WorkQueue::get`].
#[must_use = "nothing is taken unless it is awaited"]
pub struct Get<'a, T: Key> {
    queue: &'a WorkQueue<T>,
    /// The place among those who wait.
    number: Option<u64>,
    /// Wakes when a later run is due.
    alarm: Option<(Instant, BoxFuture<'static, ()>)>,
}

impl<T: Key> fmt::Debug for Get<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Get").finish_non_exhaustive()
    }
}

impl<'a, T: Key> Get<'a, T> {
    pub(super) fn new(queue: &'a WorkQueue<T>) -> Self {
        Self {
            queue,
            number: None,
            alarm: None,
        }
    }

    /// Whether the time until `at` has passed.
    fn poll_alarm(&mut self, at: Instant, cx: &mut Context<'_>) -> bool {
        if self.alarm.as_ref().is_none_or(|(known, _)| *known != at) {
            let clock = &self.queue.shared.clock;
            let wait = at.saturating_duration_since(clock.now());
            self.alarm = Some((at, clock.sleep(wait)));
        }
        let Some((_, alarm)) = &mut self.alarm else {
            return false;
        };
        let rings = alarm.as_mut().poll(cx).is_ready();
        if rings {
            self.alarm = None;
        }
        rings
    }
}

impl<'a, T: Key> Future for Get<'a, T> {
    type Output = Option<Item<'a, T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        loop {
            match this.queue.shared.next(&mut this.number, cx.waker()) {
                Next::Taken(taken) => return Poll::Ready(Some(Item::new(this.queue, taken))),
                Next::Exhausted => return Poll::Ready(None),
                Next::Wait(None) => {
                    this.alarm = None;
                    return Poll::Pending;
                }
                Next::Wait(Some(at)) => {
                    if !this.poll_alarm(at, cx) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }
}

impl<T: Key> Drop for Get<'_, T> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.queue.shared.leave(number);
        }
    }
}

impl<T: Key> Shared<T> {
    /// Takes the next key for the waiter with this number, or lets it wait.
    fn next(&self, number: &mut Option<u64>, waker: &Waker) -> Next<T> {
        let mut now = self.now();
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let fresh = self.settle(queue, &mut now);
        let Some(taken) = queue.take(now) else {
            if queue.is_exhausted() {
                return Next::Exhausted;
            }
            let due = queue.next_due();
            let keeps_time = waiters.wait(number, waker, due.is_some());
            return Next::Wait(due.filter(|_| keeps_time));
        };
        // One of the fresh keys was for this waiter, unless it had been told of another one before.
        let told = number.take().is_some_and(|number| waiters.leave(number));
        let mut others = fresh.saturating_sub(usize::from(!told));
        if others == 0 && !waiters.has_keeper() && queue.next_due().is_some() {
            others = 1;
        }
        let told = waiters.tell(others);
        drop(state);
        told.wake();
        Next::Taken(taken)
    }

    /// A waiter gives up; what it was told of is passed on.
    fn leave(&self, number: u64) {
        let mut state = lock(&self.state);
        let (queue, waiters) = &mut *state;
        let was_told = waiters.leave(number);
        let needed = was_told && queue.has_ready() || !waiters.has_keeper() && queue.next_due().is_some();
        let told = waiters.tell(usize::from(needed));
        drop(state);
        told.wake();
    }
}
