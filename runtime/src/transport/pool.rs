//! [`Pool`]: the connections to the server, shared by calls.
//!
//! HTTP/2 connections carry many calls, at most as many as the server allows and the configuration says; when all are
//! full, another is made instead of waiting. One is made at a time, and all calls that wait for it share how it went.
//! HTTP/1.1 connections carry one call each and are kept a while. Connections made under certificates that have changed
//! since get no further calls, and close when those they carry have ended.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::sync::Semaphore;

use super::dial::{Dialed, Dialer, Ending};
use super::http2::Connection;
use super::lease::{Lease, Sender};
use super::tls_source::TlsSource;
use super::{TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::KeepAlive;

/// An idle connection is kept for this long; Go's default.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// At most this many idle HTTP/1.1 connections are kept; client-go's value.
const IDLE_CONNECTIONS: usize = 25;
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
    http2: Vec<Connection>,
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
        slots.http2.retain(|connection| !connection.is_closed());
        // The fullest with room, so that the others may fall idle.
        let roomy = slots
            .http2
            .iter()
            .filter(|connection| connection.has_room(self.streams));
        if let Some(connection) = roomy.max_by_key(|connection| connection.open_calls()) {
            return Some(self.lease_of(connection, generation));
        }
        while let Some(idle) = slots.http1.pop() {
            let age = self.clock.now().saturating_duration_since(idle.since);
            if idle.sender.is_ready() && age < IDLE_TIMEOUT {
                return Some(Lease {
                    sender: Sender::Http1(idle.sender),
                    shared: Arc::downgrade(&self.shared),
                    generation,
                    ending: Ending::default(),
                });
            }
        }
        None
    }

    /// Counts a call on the connection; the caller holds the lock of the slots.
    fn lease_of(&self, connection: &Connection, generation: u64) -> Lease {
        Lease {
            sender: Sender::Http2(connection.clone(), connection.place()),
            shared: Arc::downgrade(&self.shared),
            generation,
            ending: connection.ending().clone(),
        }
    }

    async fn connect(&self, tls: Option<&super::tls::Tls>, generation: u64) -> Result<Lease, TransportError> {
        let dialed = self.dialer.dial(tls).await?;
        if !dialed.http2 {
            self.shared.slots().speaks = Speaks::Http1;
            return self.http1(dialed, generation).await;
        }
        let connection = Connection::open(dialed, self.keep_alive, &self.clock).await;
        let connection = connection.map_err(handshake_failed)?;
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
        let ending = dialed.ending.clone();
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
            ending,
        })
    }
}

fn handshake_failed(error: impl std::error::Error + Send + Sync + 'static) -> TransportError {
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
                slots
                    .http2
                    .retain(|connection| !connection.is_closed() && !connection.is_idle(now, IDLE_TIMEOUT));
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

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.shared.slots();
        f.debug_struct("Pool")
            .field("http2", &slots.http2.len())
            .field("http1_idle", &slots.http1.len())
            .finish_non_exhaustive()
    }
}
