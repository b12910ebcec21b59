//! The objects of a resource in memory, kept up to date by list and watch.
//!
//! From the server to the user:
//!
//! | module | what is there |
//! |---|---|
//! | `list_watch` | [`ListWatch`]: where objects come from |
//! | `reflector` | [`Reflector`]: follows a resource, whatever the server and the network do |
//! | `queue` | [`InOrderQueue`] and [`DeltaFifo`]: changes between the reflector and the store |
//! | `indexer` | [`Indexer`]: objects by key and by index |
//! | `informer` | [`SharedInformer`]: one store, any number of handlers |
//! | `lister` | [`Lister`]: reads from a store |
//! | `factory` | [`SharedInformerFactory`]: the informers of a program |
//! | `object`, `version` | keys of objects and the order of resource versions |
//!
//! What a store shows is the state of the server at some moment not long ago. States that are seen are some of those
//! that there were, in order; two states between which nothing was seen may belong to an object and its successor of
//! the same name, which is told as a deletion and an addition.

mod factory;
mod indexer;
mod informer;
mod list_watch;
mod lister;
mod object;
mod queue;
mod reflector;
mod sync;
#[cfg(test)]
mod testing;
mod untyped;
mod version;

pub use factory::{Informed, SharedInformerFactory};
pub use indexer::{
    DuplicateIndex, Index, IndexValue, Indexer, NAMESPACE_INDEX, Replacement, Sharing, Write, Written,
};
pub use informer::{
    Event, EventHandler, EventStream, Filtered, HandlerMetrics, HandlerOptions, InformerOptions, NotSynced,
    Overflow, QueueKind, Registration, SharedInformer,
};
pub use list_watch::{ApiListWatch, Changes, ListEnd, ListWatch, Skipped};
pub use lister::{Lister, NamespaceLister};
pub use object::{InvalidKey, Object, ObjectKey};
pub use queue::{Batch, Deleted, Delta, DeltaFifo, InOrderQueue, QUEUE_CAPACITY, Queue, Receipt, Sink};
pub use reflector::{
    Failed, Reflector, ReflectorBackoff, ReflectorOptions, ReflectorState, ReflectorStatus, Transform,
    WatchList,
};
pub use untyped::{DynamicListWatch, MetadataListWatch};
pub use version::{InvalidResourceVersion, compare_resource_versions};
