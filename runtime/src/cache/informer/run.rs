//! What an informer does while it runs.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::{Either, join3, select};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::Core;
use crate::cache::list_watch::ListWatch;
use crate::cache::object::Object;
use crate::cache::queue::{Queue, Sink};
use crate::cache::reflector::Reflector;
use crate::cache::sync::lock;
use crate::sync::panic_message;

/// A run, under way or over.
pub(super) struct Run<K> {
    pub(super) stop: Arc<watch::Sender<bool>>,
    pub(super) done: watch::Receiver<bool>,
    pub(super) queue: Arc<dyn Queue<K>>,
}

pub(super) struct StopsOnDrop<K: Object>(pub(super) Arc<Core<K>>);

impl<K: Object> Drop for StopsOnDrop<K> {
    fn drop(&mut self) {
        self.0.signal_stop();
    }
}

/// Tells, by being dropped, that a run is over, however it ended.
pub(super) struct Done(pub(super) watch::Sender<bool>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

impl<K: Object> Core<K> {
    pub(super) fn signal_stop(&self) {
        if let Some(run) = &*lock(&self.run) {
            run.stop.send_replace(true);
        }
    }

    pub(super) async fn run(&self, queue: Arc<dyn Queue<K>>, mut stopped: watch::Receiver<bool>) {
        self.hub.start(&Handle::current());
        let sink: Arc<dyn Sink<K>> = queue.clone();
        let mut reflector = Reflector::new(self.source.clone(), sink)
            .options(self.options.reflector.clone())
            .clock(self.options.clock.clone())
            .with_status(self.status.clone());
        if let Some(transform) = &self.options.transform {
            reflector = reflector.transform(transform.clone());
        }
        {
            let work = join3(reflector.run(), self.process(&queue), self.resync(&queue));
            let stop = stopped.wait_for(|stopped| *stopped);
            select(Box::pin(work), Box::pin(stop)).await;
        }
        queue.close();
        self.hub.stop().await;
    }

    /// Puts what the reflector reads into the store and tells the handlers.
    async fn process(&self, queue: &Arc<dyn Queue<K>>) {
        while let Some(batch) = queue.pop().await {
            let work = AssertUnwindSafe(|| self.hub.process(batch, &**queue));
            if let Err(panic) = std::panic::catch_unwind(work) {
                let panic = panic_message(&*panic);
                tracing::error!(resource = %self.source.resource(), panic, "a change could not be stored");
            }
            self.hub.room().await;
        }
    }

    /// Shows handlers all objects again when they are due.
    async fn resync(&self, queue: &Arc<dyn Queue<K>>) {
        let clock = &self.options.clock;
        loop {
            let changed = self.hub.changed.notified();
            let Some(due) = self.hub.resync_due(clock.now()) else {
                changed.await;
                continue;
            };
            let wait = clock.sleep(due.saturating_duration_since(clock.now()));
            if let Either::Left(_) = select(wait, Box::pin(changed)).await {
                self.hub.begin_resync(clock.now());
                queue.resync();
            }
        }
    }
}
