//! [`Sharded`]: lists and watches of this replica's share alone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_core::future::BoxFuture;
use futures_util::StreamExt;
use futures_util::future::ready;
use tokio::sync::watch;

use super::ownership::Ownership;
use super::place::{Partitions, hash, partition};
use super::{ShardBy, Shards};
use crate::cache::{Changes, ListEnd, ListWatch};
use crate::error::{CallContext, Error, ErrorKind, reason};
use crate::meta::{Object, ObjectMeta, Status};
use crate::rest::{GroupVersionResource, ListOptions, WatchEvent, WatchOptions};
use crate::sync::lock;

/// By what servers choose. Keys are placed by the same.
const FIELD: &str = "object.metadata.namespace";

/// Lists and watches those objects that are this replica's, by namespace, and lists anew when its share changes. What leaves
/// the share is a deletion to the informer.
///
/// The server is asked for the share alone (`shardSelector`, KEP-5866, an alpha feature in Kubernetes 1.37). One that does not
/// know that sends everything, which is then filtered here: the objects are the same, at more traffic. With
/// [`ShardBy::Key`] nothing is asked for and nothing filtered, since a child may belong to a key at another place.
#[derive(Debug)]
pub struct Sharded<L> {
    source: L,
    ownership: Arc<Ownership>,
    by: ShardBy,
    /// The share of the last list: what a watch goes on from.
    listed: Mutex<Partitions>,
    by_server: Arc<AtomicBool>,
}

impl<L: ListWatch> Sharded<L> {
    /// The share of what `source` lists.
    pub fn new(source: L, shards: &Shards) -> Self {
        Self {
            source,
            ownership: shards.ownership.clone(),
            by: shards.by,
            listed: Mutex::new(Partitions::NONE),
            by_server: Arc::default(),
        }
    }

    /// Says, now and later, whether the server has said of the last list that it has chosen the objects. A list that is read as
    /// a stream says nothing of it.
    pub fn chosen_by_server(&self) -> impl Fn() -> bool + Send + Sync + use<L> {
        let by_server = self.by_server.clone();
        move || by_server.load(Ordering::Relaxed)
    }
}

fn is_in(share: &Partitions, meta: &ObjectMeta) -> bool {
    share.has(partition(hash(&meta.namespace)))
}

impl<L: ListWatch> ListWatch for Sharded<L> {
    type Object = L::Object;

    fn resource(&self) -> GroupVersionResource {
        self.source.resource()
    }

    fn list<'a>(
        &'a self,
        mut options: ListOptions,
        take: &'a mut (dyn FnMut(L::Object) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, Error>> {
        if self.by == ShardBy::Key {
            return self.source.list(options, take);
        }
        let share = {
            let mut listed = lock(&self.listed);
            // A list goes on with what it began with.
            if options.continue_.is_empty() {
                *listed = self.ownership.owned();
            }
            listed.clone()
        };
        let selector = share.selector(FIELD);
        options.shard_selector.clone_from(&selector);
        Box::pin(async move {
            let mut filter = |object: L::Object| {
                if is_in(&share, object.object_meta()) {
                    take(object);
                }
            };
            let end = self.source.list(options, &mut filter).await?;
            let chosen = end
                .metadata
                .shard_info
                .as_ref()
                .is_some_and(|info| info.selector == selector);
            self.by_server.store(chosen, Ordering::Relaxed);
            Ok(end)
        })
    }

    fn watch(&self, mut options: WatchOptions) -> BoxFuture<'_, Result<Changes<L::Object>, Error>> {
        if self.by == ShardBy::Key {
            return self.source.watch(options);
        }
        // Before the share is read: what comes in between ends the watch.
        let mut changes = self.ownership.changes();
        changes.borrow_and_update();
        let share = self.ownership.owned();
        options.shard_selector = share.selector(FIELD);
        let resource = self.resource();
        {
            let mut listed = lock(&self.listed);
            if options.initial_events {
                *listed = share.clone();
            } else if *listed != share {
                return Box::pin(ready(Err(moved(&resource))));
            }
        }
        Box::pin(async move {
            let events = self.source.watch(options).await?;
            let events = events.filter(move |event| {
                ready(match event {
                    Ok(
                        WatchEvent::Added(object)
                        | WatchEvent::Modified(object)
                        | WatchEvent::Deleted(object),
                    ) => is_in(&share, object.object_meta()),
                    Ok(WatchEvent::Bookmark(_)) | Err(_) => true,
                })
            });
            let over = Arc::new(AtomicBool::new(false));
            let cut = over.clone();
            let events = events.take_until(async move {
                changed(&mut changes).await;
                cut.store(true, Ordering::Relaxed);
            });
            let last = futures_util::stream::once(ready(())).filter_map(move |()| {
                let over = over.load(Ordering::Relaxed);
                ready(over.then(|| Err(moved(&resource))))
            });
            Ok(Box::pin(events.chain(last)) as Changes<L::Object>)
        })
    }

    fn streams_lists(&self) -> bool {
        self.source.streams_lists()
    }
}

async fn changed(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        // The replica is gone; its last share stays.
        std::future::pending::<()>().await;
    }
}

/// What a server says of a version that it can no longer continue from: list anew.
fn moved(resource: &GroupVersionResource) -> Error {
    let context = CallContext {
        verb: "watch",
        resource: resource.to_string(),
        ..CallContext::default()
    };
    let status = Status {
        status: "Failure".into(),
        code: 410,
        reason: reason::EXPIRED.into(),
        message: "the share of this replica has changed".into(),
        ..Status::default()
    };
    Error::new(context, ErrorKind::Api(Box::new(status)))
}
