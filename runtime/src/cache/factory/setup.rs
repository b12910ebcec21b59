//! [`InformerSetup`]: what one informer has that others of its factory have not.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;

use crate::cache::indexer::Storage;
use crate::cache::informer::{InformerOptions, QueueKind};
use crate::cache::object::Object;
use crate::cache::reflector::{ReflectorOptions, Transform};
use crate::cache::selection::{Selectors, Tweak};
use crate::clock::Clock;

/// What an informer has that is not as its factory says. What is not set here is the factory's.
///
/// Namespace, selectors, tweak, transform, storage and queue decide which informer it is: who asks for the same gets the same
/// one, who asks for others gets another, in the same factory. The period of resyncs belongs to the handlers that are
/// added through what is handed out. How the resource is read is decided by who asks first.
///
/// ```
/// use kubeloom::cache::{InformerSetup, SharedInformerFactory};
/// # fn example<Pod: kubeloom::cache::Informed>(factory: &SharedInformerFactory) {
/// let failed = factory.informer_with::<Pod>(InformerSetup::new().fields("status.phase=Failed"));
/// let of_one_team = factory.informer_with::<Pod>(InformerSetup::new().namespace("web").labels("team=a"));
/// # }
/// ```
pub struct InformerSetup<K> {
    namespace: Option<Option<String>>,
    labels: Option<String>,
    fields: Option<String>,
    tweak: Option<Tweak>,
    transform: Option<Transform<K>>,
    resync: Option<Option<Duration>>,
    storage: Option<Storage>,
    queue: Option<QueueKind>,
    queue_capacity: Option<usize>,
    reflector: Option<ReflectorOptions>,
}

impl<K> Default for InformerSetup<K> {
    fn default() -> Self {
        Self {
            namespace: None,
            labels: None,
            fields: None,
            tweak: None,
            transform: None,
            resync: None,
            storage: None,
            queue: None,
            queue_capacity: None,
            reflector: None,
        }
    }
}

impl<K> Clone for InformerSetup<K> {
    fn clone(&self) -> Self {
        Self::default().or(self)
    }
}

impl<K> fmt::Debug for InformerSetup<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerSetup")
            .field("namespace", &self.namespace)
            .field("labels", &self.labels)
            .field("fields", &self.fields)
            .field("tweak", &self.tweak)
            .field("transform", &self.transform)
            .field("resync", &self.resync)
            .field("storage", &self.storage)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

impl<K> InformerSetup<K> {
    /// As the factory says.
    pub fn new() -> Self {
        Self::default()
    }

    /// Objects of one namespace; without a meaning for kinds of cluster scope.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(Some(namespace.into()));
        self
    }

    /// Objects of all namespaces, or a resource of cluster scope.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.namespace = Some(None);
        self
    }

    /// Objects with matching labels, such as `app=web`.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Objects with matching fields, such as `spec.nodeName=node-1`; servers know few fields of a kind.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// Lists and watches with other options.
    #[must_use]
    pub fn tweak(mut self, tweak: Tweak) -> Self {
        self.tweak = Some(tweak);
        self
    }

    /// A change of each object before anyone sees it. A clone of a transform is the same transform, and two that were
    /// made apart are never equal: who wants to share an informer hands the same one around.
    #[must_use]
    pub fn transform(mut self, transform: Transform<K>) -> Self {
        self.transform = Some(transform);
        self
    }

    /// How often handlers without options of their own are shown all objects again; `None` is never.
    #[must_use]
    pub fn resync(mut self, period: impl Into<Option<Duration>>) -> Self {
        self.resync = Some(period.into());
        self
    }

    /// How the store keeps its objects.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = Some(storage);
        self
    }

    /// The queue.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.queue = Some(queue);
        self
    }

    /// How many changes the queue holds before the reflector waits.
    #[must_use]
    pub fn queue_capacity(mut self, changes: usize) -> Self {
        self.queue_capacity = Some(changes);
        self
    }

    /// How the resource is read.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.reflector = Some(options);
        self
    }

    /// This, and what the other has where this has nothing.
    fn or(self, other: &Self) -> Self {
        Self {
            namespace: self.namespace.or_else(|| other.namespace.clone()),
            labels: self.labels.or_else(|| other.labels.clone()),
            fields: self.fields.or_else(|| other.fields.clone()),
            tweak: self.tweak.or_else(|| other.tweak.clone()),
            transform: self.transform.or_else(|| other.transform.clone()),
            resync: self.resync.or(other.resync),
            storage: self.storage.or_else(|| other.storage.clone()),
            queue: self.queue.or(other.queue),
            queue_capacity: self.queue_capacity.or(other.queue_capacity),
            reflector: self.reflector.or_else(|| other.reflector.clone()),
        }
    }
}

/// Which objects of a resource an informer has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Selection {
    pub(super) namespace: Option<String>,
    pub(super) selectors: Selectors,
}

/// What a factory says.
#[derive(Clone)]
pub(super) struct Defaults {
    pub(super) selection: Selection,
    pub(super) resync: Option<Duration>,
    pub(super) reflector: ReflectorOptions,
    pub(super) clock: Arc<dyn Clock>,
    /// An `InformerSetup<K>` by the type `K`.
    kinds: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl Defaults {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            selection: Selection::default(),
            resync: None,
            reflector: ReflectorOptions::default(),
            clock,
            kinds: HashMap::new(),
        }
    }

    fn kind<K: Object>(&self) -> Option<&InformerSetup<K>> {
        self.kinds.get(&TypeId::of::<K>())?.downcast_ref()
    }

    /// Informers of a kind are like this, and otherwise as was said before.
    pub(super) fn configure<K: Object>(&mut self, setup: InformerSetup<K>) {
        let setup = match self.kind() {
            Some(known) => setup.or(known),
            None => setup,
        };
        self.kinds.insert(TypeId::of::<K>(), Arc::new(setup));
    }

    /// What an informer is like: as is said for it, for its kind, for all.
    pub(super) fn resolve<K: Object>(&self, setup: InformerSetup<K>) -> (Selection, InformerOptions<K>) {
        let setup = match self.kind() {
            Some(known) => setup.or(known),
            None => setup,
        };
        let all = &self.selection;
        let selection = Selection {
            namespace: setup.namespace.unwrap_or_else(|| all.namespace.clone()),
            selectors: Selectors {
                labels: setup.labels.unwrap_or_else(|| all.selectors.labels.clone()),
                fields: setup.fields.unwrap_or_else(|| all.selectors.fields.clone()),
                tweak: setup.tweak.or_else(|| all.selectors.tweak.clone()),
            },
        };
        let mut options = InformerOptions::default();
        if let Some(queue) = setup.queue {
            options.queue = queue;
        }
        if let Some(storage) = setup.storage {
            options.storage = storage;
        }
        if let Some(capacity) = setup.queue_capacity {
            options.queue_capacity = capacity;
        }
        options.transform = setup.transform;
        options.resync = setup.resync.unwrap_or(self.resync);
        options.reflector = setup.reflector.unwrap_or_else(|| self.reflector.clone());
        options.clock = self.clock.clone();
        (selection, options)
    }
}
