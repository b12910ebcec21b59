//! [`ListWatch`]: where a reflector gets objects from.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_core::Stream;
use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;

use super::object::{Object, ObjectKey};
use super::page::read_page;
use super::selection::{Selectors, selecting};
use crate::error::{Error, ErrorKind};
use crate::meta::ListMeta;
use crate::record::Value;
use crate::resource::{Offers, Resource, Scope, verb};
use crate::rest::{
    Api, Call, GroupVersionResource, ListOptions, RestClient, Target, Watch, WatchEvent, WatchOptions,
};
use crate::transport::Method;
use crate::value::Str;

/// An object that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The key, as far as it could be read.
    pub key: ObjectKey,
    /// Why it was left out; never its content.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.reason)
    }
}

/// What a page of a list says besides its objects.
#[derive(Debug, Default)]
pub struct ListEnd {
    /// Version and continue token.
    pub metadata: ListMeta,
    /// Objects that could not be read.
    pub unreadable: Vec<Skipped>,
}

/// The changes of a collection. An error in it ends the stream, except that of one object that cannot be read.
pub type Changes<K> = BoxStream<'static, Result<WatchEvent<K>, Error>>;

/// Lists and watches one resource: the real one ([`ApiListWatch`]), or whatever a test puts in its place.
///
/// Dropping a future or a stream cancels the call.
pub trait ListWatch: Send + Sync + 'static {
    /// What is listed and watched.
    type Object: Object;

    /// The resource, for logs.
    fn resource(&self) -> GroupVersionResource;

    /// Reads one page. Objects are handed to `take` as they arrive; when the call fails, those handed over before do
    /// not count.
    fn list<'a>(
        &'a self,
        options: ListOptions,
        take: &'a mut (dyn FnMut(Self::Object) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, Error>>;

    /// Begins to watch.
    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<Changes<Self::Object>, Error>>;

    /// Whether a watch may be asked to begin with all objects (KEP-3157). A server that refuses or never ends them is
    /// noticed all the same.
    fn streams_lists(&self) -> bool {
        true
    }
}

/// A source whose type does not matter.
pub(super) struct AnyListWatch<K>(Arc<dyn ListWatch<Object = K>>);

impl<K: Object> AnyListWatch<K> {
    pub(super) fn new(source: impl ListWatch<Object = K>) -> Self {
        Self(Arc::new(source))
    }
}

impl<K> Clone for AnyListWatch<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Object> ListWatch for AnyListWatch<K> {
    type Object = K;

    fn resource(&self) -> GroupVersionResource {
        self.0.resource()
    }

    fn list<'a>(
        &'a self,
        options: ListOptions,
        take: &'a mut (dyn FnMut(K) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, Error>> {
        self.0.list(options, take)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<Changes<K>, Error>> {
        self.0.watch(options)
    }

    fn streams_lists(&self) -> bool {
        self.0.streams_lists()
    }
}

/// Lists and watches a typed resource of a server, with selectors.
pub struct ApiListWatch<K> {
    client: RestClient,
    target: Target,
    selectors: Selectors,
    kind: PhantomData<fn() -> K>,
}

impl<K: Resource> ApiListWatch<K> {
    /// The resource in one namespace, or everywhere; of a resource of cluster scope the namespace is ignored.
    pub fn new(client: &RestClient, namespace: Option<&str>) -> Self {
        Self {
            client: client.clone(),
            target: Target {
                resource: GroupVersionResource::of::<K>(),
                namespace: namespace.filter(|_| K::Scope::NAMESPACED).map(str::to_owned),
                namespaced: false,
            },
            selectors: Selectors::default(),
            kind: PhantomData,
        }
    }

    /// What an API handle is about.
    pub fn of<S>(api: &Api<K, S>) -> Self {
        Self {
            target: api.target().clone(),
            ..Self::new(api.client(), None)
        }
    }

    selecting!();

    fn call(&self, verb: &'static str) -> Call {
        Call::new(&self.client, verb, Method::Get, &self.target, K::PROTOBUF)
    }
}

impl<K> fmt::Debug for ApiListWatch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiListWatch")
            .field("target", &self.target)
            .field("selectors", &self.selectors)
            .finish_non_exhaustive()
    }
}

impl<K> ListWatch for ApiListWatch<K>
where
    K: Resource + Offers<verb::List> + Offers<verb::Watch> + Value + Default,
{
    type Object = K;

    fn resource(&self) -> GroupVersionResource {
        self.target.resource.clone()
    }

    fn list<'a>(
        &'a self,
        options: ListOptions,
        take: &'a mut (dyn FnMut(K) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, Error>> {
        let page = read_page(self.call("list"), self.selectors.list(options), take);
        Box::pin(async move { Ok(page.await?.end) })
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<Changes<K>, Error>> {
        let watch = Watch::<K>::new(self.call("watch")).options(self.selectors.watch(options));
        Box::pin(async move { Ok(boxed(watch.await?)) })
    }
}

fn boxed<K>(changes: impl Stream<Item = Result<WatchEvent<K>, Error>> + Send + 'static) -> Changes<K> {
    Box::pin(changes)
}

/// The object that an error of a stream is about, if something could not be read; the stream goes on, or says itself
/// that it does not. The key is empty if not even that could be read.
pub(super) fn unreadable(error: &Error) -> Option<Skipped> {
    let ErrorKind::Decode(reason) = error.kind() else {
        return None;
    };
    let context = error.context()?;
    Some(Skipped {
        key: ObjectKey {
            namespace: context.namespace.as_deref().map(Str::from).unwrap_or_default(),
            name: context.name.as_deref().map(Str::from).unwrap_or_default(),
        },
        reason: reason.to_string(),
    })
}
