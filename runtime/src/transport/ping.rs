//! [`Pinger`]: finds HTTP/2 connections whose other end is gone; [`Heard`]: when it was last heard.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use futures_core::future::BoxFuture;
use h2::{Ping, PingPong};

use crate::clock::Clock;
use crate::config::KeepAlive;

/// When bytes last came from the server.
#[derive(Clone)]
pub(super) struct Heard {
    clock: Arc<dyn Clock>,
    since: Instant,
    /// In nanoseconds after `since`.
    last: Arc<AtomicU64>,
}

impl Heard {
    /// Just now.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            since: clock.now(),
            clock,
            last: Arc::default(),
        }
    }

    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_duration_since(self.since)
    }

    /// Bytes have come.
    pub(super) fn note(&self) {
        let now = u64::try_from(self.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    /// How long none have come.
    fn silence(&self) -> Duration {
        let last = Duration::from_nanos(self.last.load(Ordering::Relaxed));
        self.elapsed().saturating_sub(last)
    }
}

/// Pings a server that is silent, whether or not calls are in flight.
pub(super) struct Pinger {
    pings: PingPong,
    keep_alive: KeepAlive,
    heard: Heard,
    sleep: BoxFuture<'static, ()>,
    /// Whether an answer is waited for.
    pinged: bool,
}

impl Pinger {
    /// None if the configuration wants no pings.
    pub(super) fn new(pings: PingPong, keep_alive: KeepAlive, heard: Heard) -> Option<Self> {
        (!keep_alive.interval.is_zero()).then(|| Self {
            sleep: heard.clock.sleep(keep_alive.interval),
            pings,
            keep_alive,
            heard,
            pinged: false,
        })
    }

    /// Ready once the server is to be taken for dead. Whatever it sends shows that it is not.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.pinged && self.pings.poll_pong(cx).is_ready() {
                self.pinged = false;
                self.rest(self.keep_alive.interval);
            }
            ready!(self.sleep.as_mut().poll(cx));
            let silence = self.heard.silence();
            let allowed = match self.pinged {
                true => self.keep_alive.timeout,
                false => self.keep_alive.interval,
            };
            if silence < allowed {
                self.rest(allowed - silence);
            } else if self.pinged {
                return Poll::Ready(());
            } else {
                // It fails only on a connection that is about to end.
                self.pinged = self.pings.send_ping(Ping::opaque()).is_ok();
                self.rest(self.keep_alive.timeout.max(Duration::from_millis(1)));
            }
        }
    }

    fn rest(&mut self, duration: Duration) {
        self.sleep = self.heard.clock.sleep(duration);
    }
}
