//! [`SharedInformerFactory`]: the informers of a program, one for each resource.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_core::future::BoxFuture;
use futures_util::future::join_all;
use hashbrown::HashMap;

use super::informer::{InformerOptions, NotSynced, SharedInformer};
use super::list_watch::{ApiListWatch, ListWatch};
use super::object::Object;
use super::reflector::{ReflectorOptions, Transform};
use super::sync::lock;
use super::untyped::{DynamicListWatch, MetadataListWatch};
use crate::clock::{Clock, TokioClock};
use crate::dynamic::{DynamicApi, DynamicObject};
use crate::meta::PartialObjectMetadata;
use crate::record::Value;
use crate::resource::{Offers, Resource, verb};
use crate::rest::{GroupVersionResource, RestClient};

/// A kind that can be listed and watched by a typed informer: all of the generated and derived ones whose resources
/// offer both.
pub trait Informed: Resource + Offers<verb::List> + Offers<verb::Watch> + Value + Default {}
impl<K: Resource + Offers<verb::List> + Offers<verb::Watch> + Value + Default> Informed for K {}

/// Makes informers and keeps one for each kind and selection, so that all parts of a program share them.
///
/// Set it up first (namespace, selectors, transforms), then ask for informers, add handlers, start, and wait. A clone
/// shares the informers of the original; changing the setup of a clone affects the informers it is asked for from then
/// on. Dropping the last clone stops all informers that nobody else holds.
///
/// ```no_run
/// # async fn example<Pod: kubeloom::cache::Informed>(client: kubeloom::RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// use kubeloom::cache::{Event, SharedInformerFactory};
///
/// let factory = SharedInformerFactory::new(&client).namespace("web");
/// let pods = factory.informer::<Pod>();
/// pods.add_event_handler(|event: Event<Pod>| println!("{event:?}"));
/// factory.start();
/// factory.wait_synced().await?;
/// let pod = pods.lister().namespace("web").get("web-0");
/// factory.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SharedInformerFactory {
    client: RestClient,
    setup: Setup,
    informers: Arc<Mutex<Informers>>,
}

#[derive(Clone)]
struct Setup {
    selection: Selection,
    resync: Option<Duration>,
    transforms: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    reflector: ReflectorOptions,
    clock: Arc<dyn Clock>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Selection {
    namespace: Option<String>,
    labels: String,
    fields: String,
}

/// What an informer is kept under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    object: TypeId,
    /// For objects whose type does not say it.
    resource: Option<GroupVersionResource>,
    selection: Selection,
}

#[derive(Default)]
struct Informers {
    by_kind: HashMap<Key, Box<dyn AnyInformer>>,
    /// After a shutdown nothing starts.
    shut_down: bool,
}

/// What a factory does with informers of any kind.
trait AnyInformer: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn start(&self);
    fn is_running(&self) -> bool;
    fn wait_synced(&self) -> BoxFuture<'static, Result<(), NotSynced>>;
    fn stop(&self) -> BoxFuture<'static, ()>;
}

impl<K: Object> AnyInformer for SharedInformer<K> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn start(&self) {
        Self::start(self);
    }
    fn is_running(&self) -> bool {
        Self::is_running(self)
    }
    fn wait_synced(&self) -> BoxFuture<'static, Result<(), NotSynced>> {
        let informer = self.clone();
        Box::pin(async move { Self::wait_synced(&informer).await })
    }
    fn stop(&self) -> BoxFuture<'static, ()> {
        let informer = self.clone();
        Box::pin(async move { Self::stop(&informer).await })
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactory")
            .field("selection", &self.setup.selection)
            .field("informers", &lock(&self.informers).by_kind.len())
            .finish_non_exhaustive()
    }
}

impl SharedInformerFactory {
    /// A factory of informers over all namespaces, of a client or of a generated `Clientset`.
    pub fn new(client: &impl AsRef<RestClient>) -> Self {
        Self {
            client: client.as_ref().clone(),
            setup: Setup {
                selection: Selection::default(),
                resync: None,
                transforms: HashMap::new(),
                reflector: ReflectorOptions::default(),
                clock: Arc::new(TokioClock),
            },
            informers: Arc::default(),
        }
    }

    /// Informers of namespaced kinds see one namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.setup.selection.namespace = Some(namespace.to_owned());
        self
    }

    /// Informers see objects with matching labels, such as `app=web`.
    #[must_use]
    pub fn labels(mut self, selector: &str) -> Self {
        selector.clone_into(&mut self.setup.selection.labels);
        self
    }

    /// Informers see objects with matching fields, such as `spec.nodeName=node-1`; servers know few fields of a kind.
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        selector.clone_into(&mut self.setup.selection.fields);
        self
    }

    /// Handlers added without options of their own are shown all objects again so often.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.setup.resync = Some(period);
        self
    }

    /// Objects of a kind are changed before anyone sees them.
    #[must_use]
    pub fn transform<K: Object>(mut self, transform: Transform<K>) -> Self {
        self.setup
            .transforms
            .insert(TypeId::of::<K>(), Arc::new(transform));
        self
    }

    /// How resources are read.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.setup.reflector = options;
        self
    }

    /// Another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.setup.clock = clock;
        self
    }

    /// The client.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// The informer of a kind; the same one each time. One that is new has to be started: [`SharedInformerFactory::start`]
    /// may be called any number of times.
    pub fn informer<K: Informed>(&self) -> SharedInformer<K> {
        self.informer_with::<K>(|_| {})
    }

    /// As [`SharedInformerFactory::informer`], with options of its own if it is new.
    pub fn informer_with<K: Informed>(
        &self,
        change: impl FnOnce(&mut InformerOptions<K>),
    ) -> SharedInformer<K> {
        self.keep(None, change, |selection| {
            ApiListWatch::<K>::new(&self.client, selection.namespace.as_deref())
                .labels(&*selection.labels)
                .fields(&*selection.fields)
        })
    }

    /// The informer of a resource known by name, with JSON objects. In a factory with a namespace the resource must
    /// live in namespaces.
    pub fn for_resource(&self, resource: &GroupVersionResource) -> SharedInformer<DynamicObject> {
        self.keep(
            Some(resource),
            |_| {},
            |selection| {
                DynamicListWatch::new(&self.dynamic(resource, selection))
                    .labels(&*selection.labels)
                    .fields(&*selection.fields)
            },
        )
    }

    /// The informer of a resource known by name, with metadata alone: for those who need no more, at a fraction of the
    /// memory and the bytes.
    pub fn metadata_for(&self, resource: &GroupVersionResource) -> SharedInformer<PartialObjectMetadata> {
        self.keep(
            Some(resource),
            |_| {},
            |selection| {
                MetadataListWatch::new(&self.dynamic(resource, selection).metadata_only())
                    .labels(&*selection.labels)
                    .fields(&*selection.fields)
            },
        )
    }

    fn dynamic(&self, resource: &GroupVersionResource, selection: &Selection) -> DynamicApi {
        let api = self.client.dynamic(resource.clone());
        match &selection.namespace {
            Some(namespace) => api.namespace(namespace),
            None => api,
        }
    }

    /// The informer that is kept for this, or a new one.
    fn keep<K: Object, L: ListWatch<Object = K>>(
        &self,
        resource: Option<&GroupVersionResource>,
        change: impl FnOnce(&mut InformerOptions<K>),
        source: impl FnOnce(&Selection) -> L,
    ) -> SharedInformer<K> {
        let key = Key {
            object: TypeId::of::<K>(),
            resource: resource.cloned(),
            selection: self.setup.selection.clone(),
        };
        if let Some(known) = self.known::<K>(&key) {
            return known;
        }
        let transform = self.setup.transforms.get(&key.object);
        let mut options = InformerOptions {
            transform: transform
                .and_then(|any| any.downcast_ref::<Transform<K>>())
                .cloned(),
            resync: self.setup.resync,
            reflector: self.setup.reflector.clone(),
            clock: self.setup.clock.clone(),
            ..InformerOptions::default()
        };
        change(&mut options);
        let informer = SharedInformer::with_options(source(&key.selection), options);
        let mut informers = lock(&self.informers);
        // Someone else may have been faster.
        let kept = informers
            .by_kind
            .entry(key)
            .or_insert_with(|| Box::new(informer.clone()));
        kept.as_any().downcast_ref().cloned().unwrap_or(informer)
    }

    fn known<K: Object>(&self, key: &Key) -> Option<SharedInformer<K>> {
        let informers = lock(&self.informers);
        informers.by_kind.get(key)?.as_any().downcast_ref().cloned()
    }

    /// Starts the informers that do not run yet; none after a shutdown.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(&self) {
        let informers = lock(&self.informers);
        if !informers.shut_down {
            informers.by_kind.values().for_each(|informer| informer.start());
        }
    }

    /// Completes when all informers that run have their first lists in their stores, and all handlers that are there now
    /// have returned from the additions that belong to them. It waits for as long as the server cannot be reached, or a
    /// list is forbidden: bound it by a timeout, and see [`SharedInformer::status`] for the reason.
    ///
    /// # Errors
    /// An informer is stopped meanwhile.
    pub async fn wait_synced(&self) -> Result<(), NotSynced> {
        let waits: Vec<_> = {
            let informers = lock(&self.informers);
            let running = informers
                .by_kind
                .values()
                .filter(|informer| informer.is_running());
            running.map(|informer| informer.wait_synced()).collect()
        };
        join_all(waits).await.into_iter().collect()
    }

    /// Stops all informers and completes when no handler is being called and no task of them is left. Stores can still be
    /// read. Never await it in a handler.
    pub async fn shutdown(&self) {
        let stops: Vec<_> = {
            let mut informers = lock(&self.informers);
            informers.shut_down = true;
            informers
                .by_kind
                .values()
                .map(|informer| informer.stop())
                .collect()
        };
        join_all(stops).await;
    }
}
