//! [`ListWatch`]: where a reflector gets objects from.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_core::Stream;
use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;

use super::object::{Object, ObjectKey};
use crate::error::{Error, ErrorKind};
use crate::meta::ListMeta;
use crate::record::Value;
use crate::resource::{Offers, Resource, Scope, verb};
use crate::rest::{
    Api, Call, GroupVersionResource, ListOptions, RestClient, Target, Watch, WatchEvent, WatchOptions,
};
use crate::transport::{Method, TransportError, TransportErrorKind};
use crate::value::Str;
use crate::wire::{Format, ListError, ListReader, Mode};

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
    labels: String,
    fields: String,
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
            labels: String::new(),
            fields: String::new(),
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

    /// Only objects with matching labels, such as `app=web,tier!=cache`.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = selector.into();
        self
    }

    /// Only objects with matching fields, such as `spec.nodeName=node-1`.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = selector.into();
        self
    }

    fn call(&self, verb: &'static str) -> Call {
        Call::new(&self.client, verb, Method::Get, &self.target, K::PROTOBUF)
    }
}

impl<K> fmt::Debug for ApiListWatch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiListWatch")
            .field("target", &self.target)
            .field("labels", &self.labels)
            .field("fields", &self.fields)
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
        mut options: ListOptions,
        take: &'a mut (dyn FnMut(K) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, Error>> {
        options.labels.clone_from(&self.labels);
        options.fields.clone_from(&self.fields);
        Box::pin(read_page(self.call("list"), options, take))
    }

    fn watch(&self, mut options: WatchOptions) -> BoxFuture<'_, Result<Changes<K>, Error>> {
        options.labels.clone_from(&self.labels);
        options.fields.clone_from(&self.fields);
        let watch = Watch::<K>::new(self.call("watch")).options(options);
        Box::pin(async move { Ok(boxed(watch.await?)) })
    }
}

fn boxed<K>(changes: impl Stream<Item = Result<WatchEvent<K>, Error>> + Send + 'static) -> Changes<K> {
    Box::pin(changes)
}

/// Reads a page as it arrives, with the objects that cannot be read left out.
async fn read_page<K: Resource + Value + Default>(
    mut call: Call,
    options: ListOptions,
    take: &mut (dyn FnMut(K) + Send),
) -> Result<ListEnd, Error> {
    options.write(call.query());
    let context = call.context();
    let fail = |kind| Error::new(context.clone(), kind);
    let mut response = call.open().await?;
    let format = response
        .headers
        .get("content-type")
        .and_then(Format::from_content_type);
    let mut reader = ListReader::<K>::new(format.unwrap_or_else(|| call.format()), Mode::Lenient);
    let (mut bytes, limit) = (0_usize, call.client().options().max_body);
    while let Some(chunk) = response.body.chunk().await {
        let chunk = chunk.map_err(|error| fail(ErrorKind::Transport(error)))?;
        bytes = bytes.saturating_add(chunk.len());
        if bytes > limit {
            let text = format!("the list is longer than {limit} bytes");
            return Err(fail(ErrorKind::Transport(TransportError::new(
                TransportErrorKind::TooLarge,
                text,
            ))));
        }
        reader
            .push(&chunk)
            .map_err(|error| fail(ErrorKind::Decode(error)))?;
        reader.take_items().into_iter().for_each(&mut *take);
    }
    let (list, errors) = reader.finish().map_err(|error| match error {
        ListError::Decode(error) => fail(ErrorKind::Decode(error)),
        ListError::Status(status) => fail(ErrorKind::Api(status)),
    })?;
    list.items.into_iter().for_each(take);
    let unreadable = errors.into_iter().map(|item| Skipped {
        key: ObjectKey {
            namespace: item.namespace,
            name: item.name,
        },
        reason: item.error.to_string(),
    });
    Ok(ListEnd {
        metadata: list.metadata,
        unreadable: unreadable.collect(),
    })
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
