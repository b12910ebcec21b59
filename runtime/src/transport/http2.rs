//! [`Connection`]: an HTTP/2 connection and the calls it carries.
//!
//! One task drives a connection; a call hands its request to it and is woken for the answer, without a task of its own.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use ::http::header::{self, HeaderMap, HeaderValue};
use bytes::Bytes;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};

use super::dial::{Dialed, End, Ending};
use super::lease::{Broken, Lost, Message};
use super::ping::{Heard, Pinger};
use crate::clock::Clock;
use crate::config::KeepAlive;

/// What the server may send ahead on one stream: enough for 100 MB lists over links with much latency. Go's value.
const STREAM_WINDOW: u32 = 4 << 20;
/// What it may send ahead on a connection: so much that streams nobody reads (watches of slow consumers), each bounded
/// by its own window, do not hold up the others. Go's value.
const CONNECTION_WINDOW: u32 = 1 << 30;
/// The largest header block accepted; warnings and audit annotations can be many.
const HEADER_LIST_LIMIT: u32 = 256 << 10;
/// How many calls share a connection before the server has said how many it allows.
const FIRST_STREAMS: usize = 16;

/// A connection. Clones share it; it closes when all are gone and its calls have ended.
#[derive(Clone)]
pub(super) struct Connection {
    sender: SendRequest<Bytes>,
    load: Arc<Load>,
    ending: Ending,
    clock: Arc<dyn Clock>,
}

/// How busy a connection is.
struct Load {
    open: AtomicUsize,
    used: Mutex<Instant>,
    /// Whether it takes no further calls.
    closed: AtomicBool,
}

/// The place of a call on its connection, given up when the call has ended.
pub(super) struct Place {
    load: Arc<Load>,
    clock: Arc<dyn Clock>,
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.load.used.lock().unwrap_or_else(PoisonError::into_inner) = self.clock.now();
        self.load.open.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Connection {
    /// Agrees on HTTP/2 with the server and drives the connection from then on.
    pub(super) async fn open(
        mut dialed: Dialed,
        keep_alive: KeepAlive,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, h2::Error> {
        let heard = Heard::new(clock.clone());
        dialed.heard = Some(heard.clone());
        let ending = dialed.ending.clone();
        let (sender, mut driver) = h2::client::Builder::new()
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(HEADER_LIST_LIMIT)
            .initial_max_send_streams(FIRST_STREAMS)
            .enable_push(false)
            .handshake(dialed)
            .await?;
        let mut pinger = driver
            .ping_pong()
            .and_then(|pings| Pinger::new(pings, keep_alive, heard));
        let load = Arc::new(Load {
            open: AtomicUsize::new(0),
            used: Mutex::new(clock.now()),
            closed: AtomicBool::new(false),
        });
        let (closed, ended) = (load.clone(), ending.clone());
        tokio::spawn(poll_fn(move |cx| {
            let silent = pinger.as_mut().is_some_and(|pinger| pinger.poll(cx).is_ready());
            if silent {
                ended.note(End::Silent(keep_alive.interval + keep_alive.timeout));
            }
            // How it ends is told to the calls it carries.
            if silent || Pin::new(&mut driver).poll(cx).is_ready() {
                closed.closed.store(true, Ordering::Release);
                return Poll::Ready(());
            }
            Poll::Pending
        }));
        Ok(Self {
            sender,
            load,
            ending,
            clock: clock.clone(),
        })
    }

    /// Whether it takes no further calls.
    pub(super) fn is_closed(&self) -> bool {
        self.load.closed.load(Ordering::Acquire)
    }

    /// How many calls it carries.
    pub(super) fn open_calls(&self) -> usize {
        self.load.open.load(Ordering::Acquire)
    }

    /// Whether it may carry one more call when none may carry more than `most`.
    pub(super) fn has_room(&self, most: usize) -> bool {
        self.open_calls() < self.sender.current_max_send_streams().min(most)
    }

    /// Whether it has carried no call for so long.
    pub(super) fn is_idle(&self, now: Instant, timeout: Duration) -> bool {
        let used = *self.load.used.lock().unwrap_or_else(PoisonError::into_inner);
        self.open_calls() == 0 && now.saturating_duration_since(used) >= timeout
    }

    /// How it ended.
    pub(super) fn ending(&self) -> &Ending {
        &self.ending
    }

    /// A place for one more call.
    pub(super) fn place(&self) -> Place {
        self.load.open.fetch_add(1, Ordering::AcqRel);
        Place {
            load: self.load.clone(),
            clock: self.clock.clone(),
        }
    }

    /// Sends a call; `place` must live as long as the answer's body is read.
    pub(super) async fn send(mut self, message: Message) -> Result<::http::Response<RecvStream>, Lost> {
        let (mut parts, body) = message.into_parts();
        parts.version = ::http::Version::HTTP_2;
        prepare(&mut parts.headers, body.len());
        let lost = |unsent| {
            move |error| Lost {
                error: Broken::Http2(error),
                unsent,
            }
        };
        let request = ::http::Request::from_parts(parts, ());
        let (answer, mut upload) = match self.sender.send_request(request, body.is_empty()) {
            Ok(sent) => sent,
            Err(error) => {
                // It has ended or is about to, which its driver notices later.
                self.load.closed.store(true, Ordering::Release);
                return Err(lost(true)(error));
            }
        };
        if !body.is_empty() {
            // It is in memory already; the library sends it as the server makes room.
            upload.send_data(body, true).map_err(lost(false))?;
        }
        drop((upload, self));
        answer.await.map_err(lost(false))
    }
}

/// What HTTP/2 wants of header fields: none about the connection, and the length of the body.
fn prepare(headers: &mut HeaderMap, length: usize) {
    for name in [
        "connection",
        "keep-alive",
        "proxy-connection",
        "transfer-encoding",
        "upgrade",
    ] {
        headers.remove(name);
    }
    if headers.get(header::TE).is_some_and(|te| te != "trailers") {
        headers.remove(header::TE);
    }
    if length > 0 {
        headers
            .entry(header::CONTENT_LENGTH)
            .or_insert_with(|| HeaderValue::from(length));
    }
}

/// The next bytes of a body; trailers are skipped.
pub(super) fn poll_data(body: &mut RecvStream, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
    Poll::Ready(match ready!(body.poll_data(cx)) {
        None => None,
        Some(Ok(bytes)) => {
            // It fails only on a stream that has ended, whose room is the connection's again.
            let _ = body.flow_control().release_capacity(bytes.len());
            Some(Ok(bytes))
        }
        // A server that does not want the rest of a request says so after its answer.
        Some(Err(error)) if error.is_reset() && error.reason() == Some(Reason::NO_ERROR) => None,
        Some(Err(error)) => Some(Err(Broken::Http2(error))),
    })
}

#[cfg(test)]
#[path = "http2_tests.rs"]
mod tests;
