//! [`Lister`]: reads from a store as one would from the server.

use std::fmt;
use std::sync::Arc;

use super::indexer::{Indexer, NAMESPACE_INDEX};
use super::object::Object;
use super::version::InvalidResourceVersion;
use crate::error::{CallContext, Error, ErrorKind, reason};
use crate::meta::{Status, StatusDetails};
use crate::rest::GroupVersionResource;
use crate::selector::Selector;

/// The objects of a resource, from memory. Cheap to clone; does not keep an informer running.
pub struct Lister<K> {
    store: Indexer<K>,
    resource: GroupVersionResource,
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            store: self.store.clone(),
            resource: self.resource.clone(),
        }
    }
}

impl<K> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister")
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}

impl<K: Object> Lister<K> {
    /// Reads from a store; `resource` is for errors.
    pub fn new(store: Indexer<K>, resource: GroupVersionResource) -> Self {
        Self { store, resource }
    }

    /// The objects of one namespace.
    pub fn namespace(&self, namespace: &str) -> NamespaceLister<K> {
        NamespaceLister {
            lister: self.clone(),
            namespace: namespace.to_owned(),
        }
    }

    /// An object of cluster scope. Objects in namespaces are found by [`Lister::namespace`].
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.store.get("", name)
    }

    /// An object of cluster scope.
    ///
    /// # Errors
    /// Not found, with the same predicate as the server's answer.
    pub fn require(&self, name: &str) -> Result<Arc<K>, Error> {
        self.get(name).ok_or_else(|| self.not_found("", name))
    }

    /// All objects, in no particular order.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.store.list()
    }

    /// All objects, by namespace and name.
    pub fn list_sorted(&self) -> Vec<Arc<K>> {
        self.store.list_sorted()
    }

    /// All objects whose labels match, in no particular order. All objects are looked at: where one label is asked for
    /// again and again, an index by it is quicker.
    pub fn select(&self, selector: &Selector) -> Vec<Arc<K>> {
        selected(self.list(), selector)
    }

    /// The objects with a value in an index of texts.
    pub fn by_index(&self, name: &str, value: &str) -> Vec<Arc<K>> {
        self.store.by_index(name, value)
    }

    /// Completes when what is read here has all changes up to a version, such as the one that an update of this program
    /// answered with; see [`Indexer::at_least`].
    ///
    /// # Errors
    /// A version that cannot be compared.
    pub async fn at_least(&self, version: &str) -> Result<(), InvalidResourceVersion> {
        self.store.at_least(version).await
    }

    /// The store.
    pub fn store(&self) -> &Indexer<K> {
        &self.store
    }

    /// The error of a server without this object, made here.
    fn not_found(&self, namespace: &str, name: &str) -> Error {
        let context = CallContext {
            verb: "get",
            resource: self.resource.to_string(),
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            name: Some(name.to_owned()),
        };
        let status = Status {
            status: "Failure".into(),
            code: 404,
            reason: reason::NOT_FOUND.into(),
            message: format!("{} {name:?} not found", self.resource).into(),
            details: Some(Box::new(StatusDetails {
                name: name.into(),
                group: self.resource.group.as_ref().into(),
                kind: self.resource.resource.as_ref().into(),
                ..StatusDetails::default()
            })),
            ..Status::default()
        };
        Error::new(context, ErrorKind::Api(Box::new(status)))
    }
}

/// The objects of a resource in one namespace, from memory.
pub struct NamespaceLister<K> {
    lister: Lister<K>,
    namespace: String,
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self {
            lister: self.lister.clone(),
            namespace: self.namespace.clone(),
        }
    }
}

impl<K> fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("resource", &self.lister.resource)
            .field("namespace", &self.namespace)
            .finish()
    }
}

impl<K: Object> NamespaceLister<K> {
    /// An object.
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.lister.store.get(&self.namespace, name)
    }

    /// An object.
    ///
    /// # Errors
    /// Not found, with the same predicate as the server's answer.
    pub fn require(&self, name: &str) -> Result<Arc<K>, Error> {
        self.get(name)
            .ok_or_else(|| self.lister.not_found(&self.namespace, name))
    }

    /// The objects of the namespace, in no particular order.
    pub fn list(&self) -> Vec<Arc<K>> {
        match self.lister.store.index::<crate::value::Str>(NAMESPACE_INDEX) {
            Some(index) => index.get(self.namespace.as_str()),
            None => self.scan(),
        }
    }

    /// The objects of the namespace whose labels match, in no particular order.
    pub fn select(&self, selector: &Selector) -> Vec<Arc<K>> {
        selected(self.list(), selector)
    }

    /// The objects of the namespace, by name.
    pub fn list_sorted(&self) -> Vec<Arc<K>> {
        let mut objects = self.list();
        objects.sort_unstable_by(|left, right| left.object_meta().name.cmp(&right.object_meta().name));
        objects
    }

    /// A store that no informer made may have no index by namespace.
    fn scan(&self) -> Vec<Arc<K>> {
        let mut objects = self.lister.list();
        objects.retain(|object| object.object_meta().namespace == self.namespace.as_str());
        objects
    }
}

fn selected<K: Object>(mut objects: Vec<Arc<K>>, selector: &Selector) -> Vec<Arc<K>> {
    if !selector.is_everything() {
        objects.retain(|object| selector.matches(&object.object_meta().labels));
    }
    objects
}
