//! One handler: its events, its task, and the handle that is given out for it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::buffer::{Buffer, Entry, Overflow};
use super::event::EventHandler;
use super::hub::Hub;
use super::notice::Notice;
use crate::cache::indexer::Held;
use crate::cache::object::Object;
use crate::cache::sync::{Waiter, lock, wake};

/// No handler is shown all objects again more often than this, client-go's least period.
pub(super) const LEAST_RESYNC: Duration = Duration::from_secs(1);

/// How a handler is served.
#[derive(Clone, Debug)]
pub struct HandlerOptions {
    /// What it is called in logs.
    pub name: String,
    /// How many events wait before `overflow` says what happens.
    pub buffer: usize,
    /// What happens when more events wait.
    pub overflow: Overflow,
    /// How often all objects are shown again as updates; `None` is never, less than a second is a second.
    pub resync: Option<Duration>,
}

impl Default for HandlerOptions {
    /// 1,024 events, then coalesced; no resync.
    fn default() -> Self {
        Self {
            name: String::new(),
            buffer: 1024,
            overflow: Overflow::Coalesce,
            resync: None,
        }
    }
}

/// What the informer and the task of a handler share.
pub(super) struct Cell<K> {
    pub(super) options: HandlerOptions,
    state: Mutex<State<K>>,
    synced: watch::Sender<bool>,
    /// How many tasks run the handler: one or none.
    running: watch::Sender<bool>,
    delivered: AtomicU64,
    panics: AtomicU64,
}

struct State<K> {
    buffer: Buffer<K>,
    /// Nothing comes any more, and nothing is delivered.
    removed: bool,
    /// The informer has stopped; the handler is not called until it runs again.
    paused: bool,
    consumer: Waiter,
    producer: Waiter,
    /// When the next resync is due.
    resync_at: Option<Instant>,
    /// Whether the handler takes part in the resync that is going on.
    resyncing: bool,
}

impl<K: Object> Cell<K> {
    pub(super) fn new(options: HandlerOptions) -> Arc<Self> {
        let buffer = Buffer::new(options.buffer, options.overflow);
        Arc::new(Self {
            options,
            state: Mutex::new(State {
                buffer,
                removed: false,
                paused: true,
                consumer: Waiter::default(),
                producer: Waiter::default(),
                resync_at: None,
                resyncing: false,
            }),
            synced: watch::Sender::new(false),
            running: watch::Sender::new(false),
            delivered: AtomicU64::new(0),
            panics: AtomicU64::new(0),
        })
    }

    /// The handler begins with the objects of a store that is there.
    pub(super) fn begin_with(&self, objects: Vec<Held<K>>) {
        lock(&self.state).buffer.begin_with(objects);
    }

    pub(super) fn push(&self, entries: impl Iterator<Item = Entry<K>>) {
        let mut state = lock(&self.state);
        if state.removed {
            return;
        }
        entries.for_each(|entry| state.buffer.push(entry));
        let waker = state.consumer.take();
        drop(state);
        wake(waker);
    }

    /// Ready when the informer may go on as far as this handler is concerned.
    pub(super) fn poll_room(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.state);
        if state.removed || state.buffer.has_room() {
            return Poll::Ready(());
        }
        state.producer.register(cx.waker());
        Poll::Pending
    }

    /// The next entry; `None` when the handler is removed or the informer has stopped.
    pub(super) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Entry<K>>> {
        let mut state = lock(&self.state);
        if state.removed || state.paused {
            return Poll::Ready(None);
        }
        let Some(entry) = state.buffer.pop() else {
            state.consumer.register(cx.waker());
            return Poll::Pending;
        };
        let waker = if state.buffer.has_room() {
            state.producer.take()
        } else {
            None
        };
        drop(state);
        wake(waker);
        Poll::Ready(Some(entry))
    }

    /// As [`Cell::poll_next`], for a reader that outlives a stop of the informer.
    pub(super) fn poll_stream(&self, cx: &mut Context<'_>) -> Poll<Option<Entry<K>>> {
        lock(&self.state).paused = false;
        self.poll_next(cx)
    }

    pub(super) fn is_removed(&self) -> bool {
        lock(&self.state).removed
    }

    pub(super) fn resume(&self) {
        lock(&self.state).paused = false;
    }

    pub(super) fn pause(&self) {
        let mut state = lock(&self.state);
        state.paused = true;
        let wakers = [state.consumer.take(), state.producer.take()];
        drop(state);
        wakers.into_iter().for_each(wake);
    }

    pub(super) fn mark_removed(&self) {
        let mut state = lock(&self.state);
        state.removed = true;
        // What waits is dropped outside of the lock.
        let empty = Buffer::new(1, Overflow::Coalesce);
        let waiting = std::mem::replace(&mut state.buffer, empty);
        let wakers = [state.consumer.take(), state.producer.take()];
        drop(state);
        drop(waiting);
        wakers.into_iter().for_each(wake);
        self.reached_sync();
    }

    pub(super) async fn synced(&self) {
        let mut synced = self.synced.subscribe();
        // The sender lives as long as `self`.
        let _ = synced.wait_for(|synced| *synced).await;
    }

    /// When the handler is next to be shown all objects.
    pub(super) fn resync_due(&self, now: Instant) -> Option<Instant> {
        let period = self.options.resync?.max(LEAST_RESYNC);
        let mut state = lock(&self.state);
        (!state.removed).then(|| *state.resync_at.get_or_insert(now + period))
    }

    /// A resync begins at `now`; the handler takes part if it is due.
    pub(super) fn begin_resync(&self, now: Instant) {
        let Some(period) = self.options.resync else {
            return;
        };
        let mut state = lock(&self.state);
        state.resyncing = state.resync_at.is_some_and(|due| due <= now);
        if state.resyncing {
            state.resync_at = Some(now + period.max(LEAST_RESYNC));
        }
    }

    pub(super) fn is_resyncing(&self) -> bool {
        lock(&self.state).resyncing
    }

    pub(super) fn reached_sync(&self) {
        self.synced
            .send_if_modified(|synced| !std::mem::replace(synced, true));
    }

    fn deliver(&self, handler: &mut dyn EventHandler<K>, notice: Notice<K>) {
        let Some(event) = notice.event() else {
            return;
        };
        if catch_unwind(AssertUnwindSafe(|| handler.on_event(event))).is_err() {
            self.panics.fetch_add(1, Ordering::Relaxed);
            tracing::error!(
                handler = self.options.name,
                "a handler panicked; it goes on with the next event"
            );
        }
        self.delivered.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls the handler until it is removed or the informer stops.
    pub(super) async fn serve(self: &Arc<Self>, handler: &mut dyn EventHandler<K>) {
        self.running.send_replace(true);
        let _ended = Ended(self);
        let mut since_yield = 0_u32;
        while let Some(entry) = std::future::poll_fn(|cx| self.poll_next(cx)).await {
            match entry {
                Entry::Event(event) => self.deliver(handler, event),
                Entry::Synced => self.reached_sync(),
            }
            // A long backlog does not keep a thread from others.
            since_yield = since_yield.wrapping_add(1);
            if since_yield.is_multiple_of(64) {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Completes when no callback runs.
    pub(super) async fn idle(&self) {
        let mut running = self.running.subscribe();
        // The sender lives as long as `self`.
        let _ = running.wait_for(|running| !running).await;
    }
}

struct Ended<'a, K>(&'a Arc<Cell<K>>);

impl<K> Drop for Ended<'_, K> {
    fn drop(&mut self) {
        self.0.running.send_replace(false);
    }
}

/// How a handler fares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerMetrics {
    /// How many events wait.
    pub depth: usize,
    /// How many events were merged into others because the handler was slow.
    pub coalesced: u64,
    /// How many events the handler has been called with.
    pub delivered: u64,
    /// How many of the calls panicked.
    pub panics: u64,
}

/// A handler of an informer. Dropping it leaves the handler where it is.
pub struct Registration<K> {
    pub(super) cell: Arc<Cell<K>>,
    pub(super) hub: Weak<Hub<K>>,
}

impl<K> Clone for Registration<K> {
    fn clone(&self) -> Self {
        Self {
            cell: self.cell.clone(),
            hub: self.hub.clone(),
        }
    }
}

impl<K> fmt::Debug for Registration<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("name", &self.cell.options.name)
            .field("synced", &*self.cell.synced.borrow())
            .finish_non_exhaustive()
    }
}

impl<K: Object> Registration<K> {
    /// Whether the handler has returned from all additions of the first list, or has been removed.
    pub fn has_synced(&self) -> bool {
        *self.cell.synced.borrow()
    }

    /// Completes when [`Registration::has_synced`] holds; pending for as long as the informer does not run.
    pub async fn synced(&self) {
        self.cell.synced().await;
    }

    /// Takes the handler out and completes when it is not running and will not run again. What waits is dropped. May be
    /// called again. Never await it in the handler itself.
    pub async fn remove(&self) {
        self.detach();
        self.cell.idle().await;
    }

    /// As [`Registration::remove`], without waiting for a call that is under way.
    pub fn detach(&self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.remove(&self.cell);
        }
        self.cell.mark_removed();
    }

    /// Whether the handler has been taken out.
    pub fn is_removed(&self) -> bool {
        self.cell.is_removed()
    }

    /// How the handler fares.
    pub fn metrics(&self) -> HandlerMetrics {
        let state = lock(&self.cell.state);
        HandlerMetrics {
            depth: state.buffer.len(),
            coalesced: state.buffer.coalesced,
            delivered: self.cell.delivered.load(Ordering::Relaxed),
            panics: self.cell.panics.load(Ordering::Relaxed),
        }
    }
}
