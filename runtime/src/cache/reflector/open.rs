//! [`Open`]: a watch that is open, with its timers.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_core::future::BoxFuture;
use futures_util::StreamExt;

use super::state::Progress;
use crate::cache::list_watch::Changes;
use crate::error::Error;
use crate::rest::WatchEvent;

/// A watch that is open.
pub(super) struct Open<K> {
    pub(super) changes: Changes<K>,
    pub(super) opened: Instant,
    /// The last event of any kind, or the opening.
    pub(super) last: Instant,
    pub(super) events: bool,
    /// How long it was asked to last.
    pub(super) asked: Duration,
    /// When it is given up.
    pub(super) limit: BoxFuture<'static, ()>,
    /// When to look whether its initial events have stalled.
    pub(super) stall: Option<BoxFuture<'static, ()>>,
}

/// What comes out of an open watch.
pub(super) enum Next<K> {
    Event(WatchEvent<K>),
    Failed(Error),
    Ended,
    /// It should have ended by itself.
    Overdue,
    /// It is time to look whether its initial events have stalled.
    Check,
}

impl<K> Open<K> {
    pub(super) async fn next(&mut self) -> Next<K> {
        poll_fn(|cx| {
            match self.changes.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(event))) => return Poll::Ready(Next::Event(event)),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Next::Failed(error)),
                Poll::Ready(None) => return Poll::Ready(Next::Ended),
                Poll::Pending => {}
            }
            if self.limit.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Next::Overdue);
            }
            match &mut self.stall {
                Some(stall) => stall.as_mut().poll(cx).map(|()| Next::Check),
                None => Poll::Pending,
            }
        })
        .await
    }

    pub(super) fn progress(&self, now: Instant) -> Progress {
        let lasted = now.saturating_duration_since(self.opened);
        Progress {
            lasted,
            events: self.events,
            // Servers count from when they saw the request, and some round down.
            full_time: lasted + Duration::from_secs(2) >= self.asked,
        }
    }
}
