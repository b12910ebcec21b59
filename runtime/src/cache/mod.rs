//! The objects of a resource in memory, kept up to date by list and watch.
//!
//! From the server to the user:
//!
//! | module | what is there |
//! |---|---|
//! | `list_watch`, `untyped` | [`ListWatch`]: where objects come from |
//! | `selection`, `page` | which of them, and how a page of them is read |
//! | `reflector` | [`Reflector`]: follows a resource, whatever the server and the network do |
//! | `queue` | [`InOrderQueue`] and [`DeltaFifo`]: changes between the reflector and the store |
//! | `indexer` | [`Indexer`]: objects by key and by index |
//! | `informer` | [`SharedInformer`]: one store, any number of handlers |
//! | `lister` | [`Lister`]: reads from a store |
//! | `mutations` | [`MutationCache`]: what this program wrote, before the watch brings it |
//! | `factory` | [`SharedInformerFactory`]: the informers of a program |
//! | `object`, `version` | keys of objects and the order of resource versions |
//!
//! What a store shows is the state of the server at some moment not long ago. States that are seen are some of those
//! that there were, in order; two states between which nothing was seen may belong to an object and its successor of
//! the same name, which is told as a deletion and an addition.
//!
//! ```no_run
//! # async fn example<Pod: kubeloom::cache::Informed>(client: kubeloom::RestClient) -> Result<(), Box<dyn std::error::Error>> {
//! use kubeloom::cache::{ApiListWatch, Deleted, Event, SharedInformer};
//!
//! let informer = SharedInformer::new(ApiListWatch::<Pod>::new(&client, Some("web")).labels("app=web"));
//! let mut events = informer.events();
//! informer.start();
//! while let Some(event) = events.next().await {
//!     match event {
//!         Event::Added { object, initial } => println!("+ {} {initial}", object.metadata().name),
//!         Event::Updated { new, .. } => println!("~ {}", new.metadata().resource_version),
//!         Event::Deleted(Deleted::Known(last)) => println!("- {}", last.metadata().name),
//!         Event::Deleted(Deleted::Unknown { key, .. }) => println!("- {key}, unseen"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! This module must not know any kind, nor what is done with events: work queues and controllers stand on it.

mod factory;
mod indexer;
mod informer;
mod list_watch;
mod lister;
mod macros;
mod mutations;
mod object;
mod page;
mod queue;
mod reflector;
mod selection;
#[cfg(test)]
mod testing;
mod untyped;
mod version;

use crate::sync;

pub use factory::{Informed, InformerOverview, InformerSetup, SharedInformerFactory};
pub use indexer::{
    DuplicateIndex, Held, Index, IndexValue, Indexer, NAMESPACE_INDEX, Replacement, Sharing, Storage, Write,
    Written,
};
#[cfg(feature = "packed")]
pub use indexer::{PackedOptions, PackedStats};
pub use informer::{
    Event, EventHandler, EventStream, Filtered, HandlerMetrics, HandlerOptions, InformerOptions, NotSynced,
    Overflow, QueueKind, Registration, SharedInformer,
};
pub use list_watch::{ApiListWatch, Changes, ListEnd, ListWatch, Skipped};
pub use lister::{Lister, NamespaceLister};
pub use mutations::{MutationCache, MutationOptions};
pub use object::{InvalidKey, Object, ObjectKey};
pub use queue::{Batch, Deleted, Delta, DeltaFifo, InOrderQueue, QUEUE_CAPACITY, Queue, Receipt, Sink};
pub use reflector::{
    Failed, Reflector, ReflectorBackoff, ReflectorOptions, ReflectorState, ReflectorStatus, Transform,
    WatchList,
};
pub use selection::{ReadOptions, Tweak};
pub use untyped::{DynamicListWatch, MetadataListWatch};
pub use version::{InvalidResourceVersion, compare_resource_versions};
