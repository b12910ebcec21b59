//! [`Pool`]: the connections to the server, shared by calls.
//!
//! HTTP/2 connections carry many calls, at most as many as the server allows and the configuration says; when all are
//! full, another is made instead of waiting. One is made at a time, and all calls that wait for it share how it went.
//! HTTP/1.1 connections carry one call each and are kept a while. Connections made under certificates that have changed
//! since get no further calls, and close when those they carry have ended.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::sync::Semaphore;

use super::dial::{Dialed, Dialer, Refusal};
use super::lease::{Lease, Load, Sender, Stream};
use super::tls_source::TlsSource;
use super::{TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::KeepAlive;

/// An idle connection is kept for this long; Go's default.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// At most this many idle HTTP/1.1 connections are kept; client-go's value.
const IDLE_CONNECTIONS: usize = 25;
/// What the server may send ahead on one stream: enough for 100 MB lists over links with much latency. Go's value.
const STREAM_WINDOW: u32 = 4 << 20;
/// What it may send ahead on a connection: so much that streams nobody reads (watches of slow consumers), each bounded
/// by its own window, do not hold up the others. Go's value.
const CONNECTION_WINDOW: u32 = 1 << 30;
/// The largest header block accepted; warnings and audit annotations can be many.
const HEADER_LIST_LIMIT: u32 = 256 << 10;
/// How many calls share a connection before the server has said how many it allows.
const FIRST_STREAMS: usize = 16;

pub(super) type Message = ::http::Request<Full<Bytes>>;
pub(super) type Answer = ::http::Response<Incoming>;

/// The connections to the server.
pub(super) struct Pool {
    dialer: Dialer,
    tls: Option<Arc<TlsSource>>,
    keep_alive: KeepAlive,
    streams: usize,
    clock: Arc<dyn Clock>,
    shared: Arc<Shared>,
    /// Held by who makes a connection, while HTTP/2 is or may be spoken.
    dialing: Semaphore,
}

/// What outlives the pool in tasks that serve it.
pub(super) struct Shared {
    slots: Mutex<Slots>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Slots {
    generation: u64,
    http2: Vec<Http2>,
    /// Idle ones, the one used last at the end.
    http1: Vec<Idle>,
    /// What the last connection turned out to speak.
    speaks: Speaks,
    /// How many attempts to connect have ended, and how the last one failed if it did.
    dials: u64,
    failure: Option<TransportError>,
    /// Whether a task looks after idle connections.
    reaping: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Speaks {
    #[default]
    Unknown,
    Http1,
    Http2,
}

struct Http2 {
    sender: http2::SendRequest<Full<Bytes>>,
    load: Arc<Load>,
    refusal: Refusal,
}

struct Idle {
    sender: http1::SendRequest<Full<Bytes>>,
    since: Instant,
}

impl Pool {
    pub(super) fn new(
        dialer: Dialer,
        tls: Option<Arc<TlsSource>>,
        keep_alive: KeepAlive,
        streams: u32,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            dialer,
            tls,
            keep_alive,
            streams: usize::try_from(streams).unwrap_or(usize::MAX).max(1),
            shared: Arc::new(Shared {
                slots: Mutex::default(),
                clock: clock.clone(),
            }),
            clock,
            dialing: Semaphore::new(1),
        }
    }

    pub(super) fn dialer(&self) -> &Dialer {
        &self.dialer
    }

    /// A connection with room for a call.
    pub(super) async fn lease(&self) -> Result<Lease, TransportError> {
        let (tls, generation) = match &self.tls {
            Some(source) => {
                let (tls, generation) = source.current().await;
                (Some(tls), generation)
            }
            None => (None, 0),
        };
        let (lease, seen, speaks) = {
            let mut slots = self.shared.slots();
            (self.take(&mut slots, generation), slots.dials, slots.speaks)
        };
        if let Some(lease) = lease {
            return Ok(lease);
        }
        // HTTP/1.1 needs a connection per call, so nobody waits for another's.
        let _permit = match speaks == Speaks::Http1 || tls.is_none() {
            true => None,
            false => Some(self.dialing.acquire().await),
        };
        {
            let mut slots = self.shared.slots();
            if let Some(lease) = self.take(&mut slots, generation) {
                return Ok(lease);
            }
            if let Some(failure) = slots.failure.as_ref().filter(|_| slots.dials > seen) {
                return Err(failure.clone());
            }
        }
        let made = self.connect(tls.as_ref(), generation).await;
        let mut slots = self.shared.slots();
        slots.dials += 1;
        slots.failure = made.as_ref().err().cloned();
        drop(slots);
        if let (Err(error), Some(source)) = (&made, &self.tls)
            && error.is_tls()
        {
            source.doubt();
        }
        made
    }

    /// A connection of its own for an upgrade, HTTP/1.1.
    pub(super) async fn exclusive(&self) -> Result<Lease, TransportError> {
        let tls = match &self.tls {
            Some(source) => Some(source.current().await.0.http1_only()),
            None => None,
        };
        let dialed = self.dialer.dial(tls.as_ref()).await?;
        self.http1(dialed, u64::MAX).await
    }

    /// A connection that is there and has room.
    fn take(&self, slots: &mut Slots, generation: u64) -> Option<Lease> {
        if slots.generation < generation {
            slots.generation = generation;
            slots.http2.clear();
            slots.http1.clear();
        }
        slots.http2.retain(|connection| !connection.sender.is_closed());
        // The fullest with room, so that the others may fall idle.
        let roomy = slots
            .http2
            .iter()
            .filter(|connection| connection.load.has_room(self.streams));
        let fullest = roomy.max_by_key(|connection| connection.load.open.load(Ordering::Acquire));
        if let Some(connection) = fullest {
            return Some(self.lease_of(connection, generation));
        }
        while let Some(idle) = slots.http1.pop() {
            let age = self.clock.now().saturating_duration_since(idle.since);
            if idle.sender.is_ready() && age < IDLE_TIMEOUT {
                return Some(Lease {
                    sender: Sender::Http1(idle.sender),
                    shared: Arc::downgrade(&self.shared),
                    generation,
                    refusal: Refusal::default(),
                });
            }
        }
        None
    }

    /// Counts a call on the connection; the caller holds the lock of the slots.
    fn lease_of(&self, connection: &Http2, generation: u64) -> Lease {
        connection.load.open.fetch_add(1, Ordering::AcqRel);
        let stream = Stream {
            load: connection.load.clone(),
            clock: self.clock.clone(),
        };
        Lease {
            sender: Sender::Http2(connection.sender.clone(), stream),
            shared: Arc::downgrade(&self.shared),
            generation,
            refusal: connection.refusal.clone(),
        }
    }

    async fn connect(&self, tls: Option<&super::tls::Tls>, generation: u64) -> Result<Lease, TransportError> {
        let dialed = self.dialer.dial(tls).await?;
        if !dialed.http2 {
            self.shared.slots().speaks = Speaks::Http1;
            return self.http1(dialed, generation).await;
        }
        let connection = self.http2(dialed).await?;
        let mut slots = self.shared.slots();
        slots.speaks = Speaks::Http2;
        let lease = self.lease_of(&connection, generation);
        if slots.generation == generation {
            slots.http2.push(connection);
            self.shared.reap(&mut slots);
        }
        Ok(lease)
    }

    async fn http1(&self, dialed: Dialed, generation: u64) -> Result<Lease, TransportError> {
        let refusal = dialed.refusal.clone();
        let handshake = http1::Builder::new().handshake(TokioIo::new(dialed)).await;
        let (sender, connection) = handshake.map_err(handshake_failed)?;
        // How it ends is told to the calls it carries.
        tokio::spawn(async move {
            let _ = connection.with_upgrades().await;
        });
        Ok(Lease {
            sender: Sender::Http1(sender),
            shared: Arc::downgrade(&self.shared),
            generation,
            refusal,
        })
    }

    async fn http2(&self, dialed: Dialed) -> Result<Http2, TransportError> {
        let refusal = dialed.refusal.clone();
        let handshake = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(self.keep_alive.interval)
            .keep_alive_timeout(self.keep_alive.timeout)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(HEADER_LIST_LIMIT)
            .initial_max_send_streams(FIRST_STREAMS)
            .handshake(TokioIo::new(dialed))
            .await;
        let (sender, connection) = handshake.map_err(handshake_failed)?;
        let load = Arc::new(Load {
            open: AtomicUsize::new(0),
            used: Mutex::new(self.clock.now()),
            driver: Mutex::new(Some(connection)),
        });
        let driven = load.clone();
        tokio::spawn(poll_fn(move |cx| {
            let mut driver = driven.driver();
            let Some(connection) = driver.as_mut() else {
                return Poll::Ready(());
            };
            // How it ends is told to the calls it carries.
            let ended = Pin::new(connection).poll(cx).map(|_| ());
            if ended.is_ready() {
                *driver = None;
            }
            ended
        }));
        Ok(Http2 {
            sender,
            load,
            refusal,
        })
    }
}

fn handshake_failed(error: hyper::Error) -> TransportError {
    let message = "the connection broke while HTTP was being agreed on";
    TransportError::new(TransportErrorKind::Closed, message).with_source(error)
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that idle connections are closed in time.
    fn reap(self: &Arc<Self>, slots: &mut Slots) {
        if slots.reaping {
            return;
        }
        slots.reaping = true;
        let (shared, clock) = (Arc::downgrade(self), self.clock.clone());
        tokio::spawn(async move {
            loop {
                clock.sleep(IDLE_TIMEOUT / 2).await;
                let Some(shared) = shared.upgrade() else { return };
                let now = clock.now();
                let mut slots = shared.slots();
                slots
                    .http1
                    .retain(|idle| now.saturating_duration_since(idle.since) < IDLE_TIMEOUT);
                slots.http2.retain(|connection| !connection.is_idle(now));
                if slots.http1.is_empty() && slots.http2.is_empty() {
                    slots.reaping = false;
                    return;
                }
            }
        });
    }

    /// Keeps a connection whose call has ended.
    pub(super) fn keep(self: &Arc<Self>, sender: http1::SendRequest<Full<Bytes>>, generation: u64) {
        let since = self.clock.now();
        let mut slots = self.slots();
        if slots.generation == generation && slots.http1.len() < IDLE_CONNECTIONS {
            slots.http1.push(Idle { sender, since });
            self.reap(&mut slots);
        }
    }
}

impl Http2 {
    fn is_idle(&self, now: Instant) -> bool {
        let used = *self.load.used.lock().unwrap_or_else(PoisonError::into_inner);
        self.sender.is_closed()
            || (self.load.open.load(Ordering::Acquire) == 0
                && now.saturating_duration_since(used) >= IDLE_TIMEOUT)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.shared.slots();
        f.debug_struct("Pool")
            .field("http2", &slots.http2.len())
            .field("http1_idle", &slots.http1.len())
            .finish_non_exhaustive()
    }
}
