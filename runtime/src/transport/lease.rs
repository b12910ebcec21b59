//! [`Lease`]: the right to send one call on a connection of the pool.

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::dial::{Dialed, Refusal};
use super::pool::{Answer, Message, Shared};
use crate::clock::Clock;

/// How busy an HTTP/2 connection is.
pub(super) struct Load {
    pub(super) open: AtomicUsize,
    pub(super) used: Mutex<Instant>,
    /// The connection, which knows what the server allows; gone when it has ended.
    pub(super) driver: Mutex<Option<Driver>>,
}

pub(super) type Driver = http2::Connection<TokioIo<Dialed>, Full<Bytes>, TokioExecutor>;

/// The right to send one call on a connection.
pub(super) struct Lease {
    pub(super) sender: Sender,
    pub(super) shared: Weak<Shared>,
    pub(super) generation: u64,
    pub(super) refusal: Refusal,
}

pub(super) enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>, Stream),
}

/// One of the calls that an HTTP/2 connection carries; dropped when the call has ended.
pub(super) struct Stream {
    pub(super) load: Arc<Load>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        *self.load.used.lock().unwrap_or_else(PoisonError::into_inner) = self.clock.now();
        self.load.open.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Load {
    pub(super) fn has_room(&self, most: usize) -> bool {
        let allowed = self
            .driver()
            .as_ref()
            .map_or(0, |driver| driver.current_max_send_streams());
        self.open.load(Ordering::Acquire) < allowed.min(most)
    }

    pub(super) fn driver(&self) -> MutexGuard<'_, Option<Driver>> {
        self.driver.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease {
    /// Whether the connection speaks HTTP/2.
    pub(super) fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(..))
    }

    /// The TLS failure that the connection ended with, if it did.
    pub(super) fn refusal(&self) -> Refusal {
        self.refusal.clone()
    }

    /// Sends the call. What comes with the answer must live as long as its body is read.
    pub(super) async fn send(
        self,
        message: Message,
    ) -> Result<(Answer, Option<Stream>), TrySendError<Message>> {
        match self.sender {
            Sender::Http2(mut sender, stream) => {
                let answer = sender.try_send_request(message).await?;
                Ok((answer, Some(stream)))
            }
            Sender::Http1(mut sender) => {
                let answer = sender.try_send_request(message).await?;
                let (shared, generation) = (self.shared, self.generation);
                if answer.status() != ::http::StatusCode::SWITCHING_PROTOCOLS && generation != u64::MAX {
                    tokio::spawn(async move {
                        // Ready means that the body was read to its end; dropped before, the connection closes.
                        if poll_fn(|cx| Poll::Ready(ready!(sender.poll_ready(cx))))
                            .await
                            .is_ok()
                            && let Some(shared) = shared.upgrade()
                        {
                            shared.keep(sender, generation);
                        }
                    });
                }
                Ok((answer, None))
            }
        }
    }
}
