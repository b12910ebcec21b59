//! [`Hub`]: puts changes into the store and tells the handlers, so that neither gets ahead of the other.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::buffer::Entry;
use super::event::EventHandler;
use super::handler::Cell;
use super::notice::{Gone, Notice};
use crate::cache::indexer::{Held, Indexer, Replacement, Write, Written};
use crate::cache::object::Object;
use crate::cache::queue::{Batch, Delta, Queue};
use crate::cache::sync::lock;

/// A store and those who are told of its changes.
pub(super) struct Hub<K> {
    pub(super) store: Indexer<K>,
    /// Held while a batch is put into the store and into the buffers of the handlers, and while a handler is added: a
    /// handler sees each object once, from the store or from a batch. No handler is called and nothing is awaited.
    members: Mutex<Members<K>>,
    synced: watch::Sender<bool>,
    /// Told when handlers come.
    pub(super) changed: Notify,
}

struct Members<K> {
    list: Vec<Member<K>>,
    /// Where tasks of handlers run, while the informer does.
    running: Option<Handle>,
    synced: bool,
}

struct Member<K> {
    cell: Arc<Cell<K>>,
    /// `None` for a reader of a stream. The task has the handler while it runs.
    served: Option<Served<K>>,
}

struct Served<K> {
    handler: Arc<Mutex<Option<Box<dyn EventHandler<K>>>>>,
    task: Option<JoinHandle<()>>,
}

/// Who is told.
enum Told<K> {
    All(Notice<K>),
    /// Those who asked for a resync, if it is their turn.
    Resyncing(Notice<K>),
}

impl<K: Object> Hub<K> {
    pub(super) fn new(store: Indexer<K>) -> Arc<Self> {
        Arc::new(Self {
            store,
            members: Mutex::new(Members {
                list: Vec::new(),
                running: None,
                synced: false,
            }),
            synced: watch::Sender::new(false),
            changed: Notify::new(),
        })
    }

    /// Adds a handler, or a reader of a stream, which begins with what is in the store.
    pub(super) fn add(&self, cell: Arc<Cell<K>>, handler: Option<Box<dyn EventHandler<K>>>) {
        let mut members = lock(&self.members);
        cell.begin_with(self.store.list_held());
        if members.synced {
            cell.push(std::iter::once(Entry::Synced));
        }
        let mut served = handler.map(|handler| Served {
            handler: Arc::new(Mutex::new(Some(handler))),
            task: None,
        });
        if let (Some(served), Some(runtime)) = (&mut served, &members.running) {
            served.start(runtime, &cell);
        }
        members.list.push(Member { cell, served });
        drop(members);
        self.changed.notify_one();
    }

    pub(super) fn remove(&self, cell: &Arc<Cell<K>>) {
        let mut members = lock(&self.members);
        let place = members
            .list
            .iter()
            .position(|member| Arc::ptr_eq(&member.cell, cell));
        let removed = place.map(|place| members.list.remove(place));
        drop(members);
        // The handler may have a destructor that takes its time.
        drop(removed);
    }

    /// The handlers, without the readers of streams.
    pub(super) fn handlers(&self) -> Vec<Arc<Cell<K>>> {
        let members = lock(&self.members);
        let served = members.list.iter().filter(|member| member.served.is_some());
        served.map(|member| member.cell.clone()).collect()
    }

    pub(super) fn cells(&self) -> Vec<Arc<Cell<K>>> {
        let members = lock(&self.members);
        members.list.iter().map(|member| member.cell.clone()).collect()
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Completes when the first list is in the store.
    pub(super) async fn synced(&self) {
        let mut synced = self.synced.subscribe();
        // The sender lives as long as `self`.
        let _ = synced.wait_for(|synced| *synced).await;
    }

    /// Begins to call the handlers.
    pub(super) fn start(&self, runtime: &Handle) {
        let mut members = lock(&self.members);
        members.running = Some(runtime.clone());
        for member in &mut members.list {
            if let Some(served) = &mut member.served {
                served.start(runtime, &member.cell);
            }
        }
    }

    /// Stops to call the handlers and waits for calls that are under way.
    pub(super) async fn stop(&self) {
        let tasks: Vec<JoinHandle<()>> = {
            let mut members = lock(&self.members);
            members.running = None;
            let served = members.list.iter_mut().filter_map(|member| {
                let served = member.served.as_mut()?;
                member.cell.pause();
                served.task.take()
            });
            served.collect()
        };
        for task in tasks {
            // A task that was cancelled with its runtime is over too.
            let _ = task.await;
        }
    }

    /// When the next resync is due.
    pub(super) fn resync_due(&self, now: Instant) -> Option<Instant> {
        self.cells().iter().filter_map(|cell| cell.resync_due(now)).min()
    }

    pub(super) fn begin_resync(&self, now: Instant) {
        for cell in self.cells() {
            cell.begin_resync(now);
        }
    }

    /// Makes the changes of a batch and puts what is to be told into the buffers of the handlers.
    pub(super) fn process(&self, batch: Batch<K>, queue: &dyn Queue<K>) {
        let mut members = lock(&self.members);
        let initial = batch.initial && !members.synced;
        let told = self.apply(batch.deltas, batch.resource_version, initial);
        for member in &members.list {
            let resyncing = member.cell.is_resyncing();
            let events = told.iter().filter_map(|told| match told {
                Told::All(event) => Some(event),
                Told::Resyncing(event) => resyncing.then_some(event),
            });
            member.cell.push(events.cloned().map(Entry::Event));
        }
        drop(batch.receipt);
        if !members.synced && queue.has_synced() {
            members.synced = true;
            for member in &members.list {
                member.cell.push(std::iter::once(Entry::Synced));
            }
            self.synced.send_replace(true);
        }
        drop(members);
        // Old objects go here, outside of the lock.
        drop(told);
    }

    /// Completes when every handler that may hold up the informer has room.
    pub(super) async fn room(&self) {
        for cell in self.cells() {
            poll_fn(|cx| cell.poll_room(cx)).await;
        }
    }

    fn apply(
        &self,
        deltas: Vec<Delta<K>>,
        version: Option<crate::value::Str>,
        initial: bool,
    ) -> Vec<Told<K>> {
        let mut told = Vec::new();
        let same_key = deltas.len() > 1 && deltas[0].key() == deltas[1].key();
        // Changes of one object are made one after the other, those of different objects at once.
        let step = if same_key { 1 } else { deltas.len().max(1) };
        let mut deltas = deltas.into_iter().peekable();
        while deltas.peek().is_some() {
            let mut writes = Vec::new();
            let mut words = Vec::new();
            for delta in deltas.by_ref().take(step) {
                match delta {
                    // The server may say the same again.
                    Delta::Added(object) | Delta::Updated(object) => {
                        writes.push(Write::PutIfChanged(object));
                        words.push(None);
                    }
                    // A list shares what is unchanged by itself, if versions can be trusted.
                    Delta::Replaced(object) => {
                        writes.push(Write::Put(object));
                        words.push(None);
                    }
                    Delta::Deleted(deleted) => {
                        writes.push(Write::Remove(deleted.key()));
                        words.push(Some(Gone::from(deleted)));
                    }
                    Delta::ReplacedAll(all) => self.replace(all, initial, &mut told),
                    Delta::SyncAll => {
                        told.extend(self.store.list_held().into_iter().map(resync));
                    }
                    Delta::Sync(object) => {
                        let shown = Held::from(object);
                        let known = self.store.held(shown.key_ref());
                        let known = known.filter(|known| known.is(&shown) || known.is_state(&shown));
                        told.extend(known.map(resync));
                    }
                    Delta::Bookmark(_) => {}
                }
            }
            let last = deltas.peek().is_none();
            let version = if last { version.clone() } else { None };
            let written = self.store.transaction(writes, version);
            for (written, word) in written.into_iter().zip(words) {
                tell(written, word, initial, &mut told);
            }
        }
        told
    }

    fn replace(&self, all: Replacement<K>, initial: bool, told: &mut Vec<Told<K>>) {
        for written in self.store.replace(all) {
            tell(written, None, initial, told);
        }
    }
}

impl<K: Object> Served<K> {
    fn start(&mut self, runtime: &Handle, cell: &Arc<Cell<K>>) {
        cell.resume();
        let (cell, place) = (cell.clone(), self.handler.clone());
        self.task = Some(runtime.spawn(async move {
            let handler = lock(&place).take();
            if let Some(mut handler) = handler {
                cell.serve(&mut *handler).await;
                *lock(&place) = Some(handler);
            }
        }));
    }
}

fn resync<K>(object: Held<K>) -> Told<K> {
    Told::Resyncing(Notice::Updated {
        old: object.clone(),
        new: object,
    })
}

/// What there is to tell of a change; `word` is what was said of a deletion.
fn tell<K: Object>(written: Written<K>, word: Option<Gone<K>>, initial: bool, told: &mut Vec<Told<K>>) {
    let added = |object, initial| Told::All(Notice::Added { object, initial });
    let tombstone = |old: Held<K>| Gone::Unknown {
        key: old.key(),
        last: Some(old),
    };
    match written {
        Written::Unchanged => {}
        Written::Inserted(object) => told.push(added(object, initial)),
        Written::Replaced { old, new } if old.is_other(&new) => {
            told.push(Told::All(Notice::Deleted(tombstone(old))));
            told.push(added(new, false));
        }
        Written::Replaced { old, new } => told.push(Told::All(Notice::Updated { old, new })),
        Written::Removed(old) => {
            let gone = match word {
                Some(Gone::Unknown { key, last: None }) => Gone::Unknown { key, last: Some(old) },
                Some(word) => word,
                None => tombstone(old),
            };
            told.push(Told::All(Notice::Deleted(gone)));
        }
    }
}
