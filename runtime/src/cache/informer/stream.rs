//! [`EventStream`]: events to be awaited instead of called with.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::buffer::Entry;
use super::event::Event;
use super::handler::Registration;
use crate::cache::object::Object;

/// The events of an informer for one reader. Dropping it takes the reader out.
///
/// It ends when its registration is removed; a stop of the informer only means that nothing comes.
pub struct EventStream<K: Object> {
    pub(super) registration: Registration<K>,
}

impl<K: Object> EventStream<K> {
    /// The next event; `None` when the registration has been removed. Cancel-safe.
    pub async fn next(&mut self) -> Option<Event<K>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// The registration: metrics, and whether all additions of the first list have been read. The last of them counts
    /// as read when the next event is asked for.
    pub fn registration(&self) -> &Registration<K> {
        &self.registration
    }
}

impl<K: Object> Stream for EventStream<K> {
    type Item = Event<K>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        let cell = &self.registration.cell;
        loop {
            match cell.poll_stream(cx) {
                Poll::Ready(Some(Entry::Event(notice))) => {
                    if let Some(event) = notice.event() {
                        return Poll::Ready(Some(event));
                    }
                }
                Poll::Ready(Some(Entry::Synced)) => cell.reached_sync(),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl<K: Object> Drop for EventStream<K> {
    fn drop(&mut self) {
        self.registration.detach();
    }
}

impl<K: Object> fmt::Debug for EventStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("registration", &self.registration)
            .finish()
    }
}
