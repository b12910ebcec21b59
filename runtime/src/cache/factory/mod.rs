//! [`SharedInformerFactory`]: the informers of a program, one for each resource.
//!
//! | file | what is there |
//! |---|---|
//! | `setup` | [`InformerSetup`]: what one informer has that others have not |
//! | `kept` | the informers, whatever their kind |

mod kept;
mod setup;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;

pub use self::kept::InformerOverview;
use self::kept::{Kept, Key};
pub use self::setup::InformerSetup;
use self::setup::{Defaults, Selection};
use super::informer::{NotSynced, SharedInformer};
use super::list_watch::{ApiListWatch, ListWatch};
use super::object::Object;
use super::reflector::{ReflectorOptions, Transform};
use super::selection::Tweak;
use super::sync::lock;
use super::untyped::{DynamicListWatch, MetadataListWatch};
use crate::clock::{Clock, TokioClock};
use crate::dynamic::{DynamicApi, DynamicObject};
use crate::meta::PartialObjectMetadata;
use crate::record::Value;
use crate::resource::{Offers, Resource, Scope, verb};
use crate::rest::{GroupVersionResource, RestClient};

/// A kind that can be listed and watched by a typed informer: all of the generated and derived ones whose resources
/// offer both.
pub trait Informed: Resource + Offers<verb::List> + Offers<verb::Watch> + Value + Default {}
impl<K: Resource + Offers<verb::List> + Offers<verb::Watch> + Value + Default> Informed for K {}

/// Makes informers and keeps one for each kind and selection, so that all parts of a program share them.
///
/// Set it up first (namespace, selectors, transforms), then ask for informers, add handlers, start, and wait. A clone
/// shares the informers of the original; changing the setup of a clone affects the informers it is asked for from then
/// on, so that `factory.clone().labels("app=web")` is a view of the same factory with another selection. Dropping the
/// last clone stops all informers that nobody else holds.
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
    defaults: Defaults,
    kept: Arc<Mutex<Kept>>,
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactory")
            .field("selection", &self.defaults.selection)
            .field("informers", &lock(&self.kept).list.len())
            .finish_non_exhaustive()
    }
}

impl SharedInformerFactory {
    /// A factory of informers over all namespaces, of a client or of a generated `Clientset`.
    pub fn new(client: &impl AsRef<RestClient>) -> Self {
        Self {
            client: client.as_ref().clone(),
            defaults: Defaults::new(Arc::new(TokioClock)),
            kept: Arc::default(),
        }
    }

    /// Informers of namespaced kinds see one namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.defaults.selection.namespace = Some(namespace.to_owned());
        self
    }

    /// Informers see objects with matching labels, such as `app=web`.
    #[must_use]
    pub fn labels(mut self, selector: &str) -> Self {
        selector.clone_into(&mut self.defaults.selection.selectors.labels);
        self
    }

    /// Informers see objects with matching fields, such as `spec.nodeName=node-1`; servers know few fields of a kind.
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        selector.clone_into(&mut self.defaults.selection.selectors.fields);
        self
    }

    /// Informers list and watch with other options.
    #[must_use]
    pub fn tweak(mut self, tweak: Tweak) -> Self {
        self.defaults.selection.selectors.tweak = Some(tweak);
        self
    }

    /// Handlers added without options of their own are shown all objects again so often.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.defaults.resync = Some(period);
        self
    }

    /// Objects of a kind are changed before anyone sees them.
    #[must_use]
    pub fn transform<K: Object>(self, transform: Transform<K>) -> Self {
        self.configure(InformerSetup::new().transform(transform))
    }

    /// Informers of a kind are like this; what the setup leaves open is as was said before. JSON objects
    /// ([`DynamicObject`]) and metadata ([`PartialObjectMetadata`]) count as one kind each, whatever their resource.
    #[must_use]
    pub fn configure<K: Object>(mut self, setup: InformerSetup<K>) -> Self {
        self.defaults.configure(setup);
        self
    }

    /// How resources are read.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.defaults.reflector = options;
        self
    }

    /// Another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.defaults.clock = clock;
        self
    }

    /// The client.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// The informer of a kind; the same one each time. One that is new has to be started: [`SharedInformerFactory::start`]
    /// may be called any number of times.
    pub fn informer<K: Informed>(&self) -> SharedInformer<K> {
        self.informer_with(InformerSetup::new())
    }

    /// As [`SharedInformerFactory::informer`], of a selection of its own and the like.
    pub fn informer_with<K: Informed>(&self, setup: InformerSetup<K>) -> SharedInformer<K> {
        self.keep(None, setup, |selection| {
            ApiListWatch::<K>::new(&self.client, selection.namespace.as_deref())
                .select(selection.selectors.clone())
        })
    }

    /// The informer of a resource known by name, with JSON objects. In a factory with a namespace the resource must
    /// live in namespaces; see [`InformerSetup::all_namespaces`].
    pub fn for_resource(&self, resource: &GroupVersionResource) -> SharedInformer<DynamicObject> {
        self.for_resource_with(resource, InformerSetup::new())
    }

    /// As [`SharedInformerFactory::for_resource`], of a selection of its own and the like.
    pub fn for_resource_with(
        &self,
        resource: &GroupVersionResource,
        setup: InformerSetup<DynamicObject>,
    ) -> SharedInformer<DynamicObject> {
        self.keep(Some(resource), setup, |selection| {
            DynamicListWatch::new(&self.dynamic(resource, selection)).select(selection.selectors.clone())
        })
    }

    /// The informer of a resource known by name, with metadata alone: for those who need no more, at a fraction of the
    /// memory and the bytes. In a factory with a namespace the resource must live in namespaces.
    pub fn metadata_for(&self, resource: &GroupVersionResource) -> SharedInformer<PartialObjectMetadata> {
        self.metadata_for_with(resource, InformerSetup::new())
    }

    /// As [`SharedInformerFactory::metadata_for`], of a selection of its own and the like.
    pub fn metadata_for_with(
        &self,
        resource: &GroupVersionResource,
        setup: InformerSetup<PartialObjectMetadata>,
    ) -> SharedInformer<PartialObjectMetadata> {
        self.keep(Some(resource), setup, |selection| {
            let api = self.dynamic(resource, selection).metadata_only();
            MetadataListWatch::new(&api).select(selection.selectors.clone())
        })
    }

    /// The informer of the metadata of a kind.
    pub fn metadata_of<K: Informed>(&self) -> SharedInformer<PartialObjectMetadata> {
        let setup = InformerSetup::new();
        let setup = if K::Scope::NAMESPACED {
            setup
        } else {
            setup.all_namespaces()
        };
        self.metadata_for_with(&GroupVersionResource::of::<K>(), setup)
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
        setup: InformerSetup<K>,
        source: impl FnOnce(&Selection) -> L,
    ) -> SharedInformer<K> {
        let (selection, options) = self.defaults.resolve(setup);
        let (key, resync) = (Key::new(resource, &selection, &options), options.resync);
        let known = lock(&self.kept).get::<K>(&key);
        let informer = known.unwrap_or_else(|| {
            let new = SharedInformer::with_options(source(&selection), options);
            let mut kept = lock(&self.kept);
            // Someone else may have been faster.
            kept.get(&key).unwrap_or_else(|| {
                kept.put(key, new.clone());
                new
            })
        });
        informer.with_resync(resync)
    }

    /// Starts the informers that do not run yet; none after a shutdown.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(&self) {
        let kept = lock(&self.kept);
        if !kept.shut_down {
            kept.list.iter().for_each(|informer| informer.start());
        }
    }

    /// Completes when all informers have their first lists in their stores, and all handlers that are there now have
    /// returned from the additions that belong to them. It waits for as long as the server cannot be reached, or a list
    /// is forbidden: bound it by a timeout, and see [`SharedInformerFactory::overview`] for the reason.
    ///
    /// # Errors
    /// An informer does not run: it was asked for after the last start, or is stopped meanwhile. The error names it.
    pub async fn wait_synced(&self) -> Result<(), NotSynced> {
        let waits: Vec<_> = {
            let kept = lock(&self.kept);
            kept.list.iter().map(|informer| informer.wait_synced()).collect()
        };
        join_all(waits).await.into_iter().collect()
    }

    /// How the informers fare, in the order in which they were asked for first.
    pub fn overview(&self) -> Vec<InformerOverview> {
        let kept = lock(&self.kept);
        kept.list.iter().map(|informer| informer.overview()).collect()
    }

    /// Stops all informers and completes when no handler is being called and no task of them is left. Stores can still be
    /// read. Never await it in a handler.
    pub async fn shutdown(&self) {
        let stops: Vec<_> = {
            let mut kept = lock(&self.kept);
            kept.shut_down = true;
            kept.list.iter().map(|informer| informer.stop()).collect()
        };
        join_all(stops).await;
    }
}
