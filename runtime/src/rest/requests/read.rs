//! `get`, `list` and `watch`.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use futures_core::future::BoxFuture;

use super::request;
use crate::error::Error;
use crate::meta::{self, Object};
use crate::record::Value;
use crate::resource::Resource;
use crate::rest::{Call, Query, ResumedWatch, WatchStream};
use crate::transport::CallKind;
use crate::wire::{ItemError, Wire};

/// How a list's resourceVersion is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceVersionMatch {
    /// This version, or 410 if it is gone.
    Exact,
    /// This version or a later one.
    NotOlderThan,
}

impl fmt::Display for ResourceVersionMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "Exact",
            Self::NotOlderThan => "NotOlderThan",
        })
    }
}

/// Options of `get`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetOptions {
    /// Not older than this version; `"0"` is any that the server has in its cache; empty is the latest.
    pub resource_version: String,
}

/// Reads one object.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Get<O> {
    call: Call,
    options: GetOptions,
    output: PhantomData<fn() -> O>,
}

impl<O: Wire> Get<O> {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call,
            options: GetOptions::default(),
            output: PhantomData,
        }
    }

    /// See [`GetOptions::resource_version`].
    pub fn resource_version(mut self, version: impl Into<String>) -> Self {
        self.options.resource_version = version.into();
        self
    }

    async fn run(mut self) -> Result<O, Error> {
        self.call
            .query()
            .push_text("resourceVersion", &self.options.resource_version);
        self.call.fetch().await
    }
}

request!(Get<O: Wire>, GetOptions, O);

/// Options of `list`. See the API concepts page on resource versions and on large collections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// A label selector, such as `app=web,tier!=cache`.
    pub labels: String,
    /// A field selector, such as `spec.nodeName=node-1`.
    pub fields: String,
    /// The largest number of items of a page; `None` asks for all.
    pub limit: Option<u32>,
    /// The token of the page before. With it the resource version is left out, as servers require.
    pub continue_: String,
    /// See [`ListOptions::resource_version_match`]; empty is the latest, `"0"` any that the server has in its cache.
    pub resource_version: String,
    /// How `resource_version` is meant.
    pub resource_version_match: Option<ResourceVersionMatch>,
    /// A shard of the collection (KEP-5866).
    pub shard_selector: String,
}

impl ListOptions {
    pub(crate) fn write(&self, query: &mut Query) {
        query.push_text("labelSelector", &self.labels);
        query.push_text("fieldSelector", &self.fields);
        query.push_some("limit", self.limit);
        query.push_text("shardSelector", &self.shard_selector);
        if self.continue_.is_empty() {
            query.push_text("resourceVersion", &self.resource_version);
            query.push_some("resourceVersionMatch", self.resource_version_match);
        } else {
            query.push("continue", &self.continue_);
        }
    }
}

/// Reads the objects of a collection, or a page of them.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct List<L> {
    call: Call,
    options: ListOptions,
    output: PhantomData<fn() -> L>,
}

impl<L: Wire> List<L> {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call,
            options: ListOptions::default(),
            output: PhantomData,
        }
    }

    /// See [`ListOptions::labels`].
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.options.labels = selector.into();
        self
    }

    /// See [`ListOptions::fields`].
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.options.fields = selector.into();
        self
    }

    /// See [`ListOptions::limit`].
    pub fn limit(mut self, items: u32) -> Self {
        self.options.limit = Some(items);
        self
    }

    /// See [`ListOptions::continue_`]; the token of the page before stands in its metadata.
    pub fn continue_from(mut self, token: impl Into<String>) -> Self {
        self.options.continue_ = token.into();
        self
    }

    /// See [`ListOptions::resource_version`].
    pub fn resource_version(mut self, version: impl Into<String>) -> Self {
        self.options.resource_version = version.into();
        self
    }

    /// See [`ListOptions::resource_version_match`].
    pub fn resource_version_match(mut self, how: ResourceVersionMatch) -> Self {
        self.options.resource_version_match = Some(how);
        self
    }

    /// The call without options, and the options.
    pub(crate) fn into_parts(self) -> (Call, ListOptions) {
        (self.call, self.options)
    }

    async fn run(mut self) -> Result<L, Error> {
        self.options.write(self.call.query());
        self.call.fetch().await
    }
}

request!(List<L: Wire>, ListOptions, L);

impl<K: Resource + Value + Default> List<meta::List<K>> {
    /// Leaves out objects that cannot be read, and reports them beside the list, in place of failing.
    pub fn lenient(self) -> ReadableList<K> {
        ReadableList {
            call: self.call,
            options: self.options,
            output: PhantomData,
        }
    }
}

/// Reads those objects of a collection that can be read, and says which cannot.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct ReadableList<K> {
    call: Call,
    options: ListOptions,
    output: PhantomData<fn() -> K>,
}

impl<K: Resource + Value + Default> ReadableList<K> {
    async fn run(mut self) -> Result<(meta::List<K>, Vec<ItemError>), Error> {
        self.options.write(self.call.query());
        self.call.fetch_readable().await
    }
}

impl<K: Resource + Value + Default> IntoFuture for ReadableList<K> {
    type Output = Result<(meta::List<K>, Vec<ItemError>), Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Options of `watch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// A label selector.
    pub labels: String,
    /// A field selector.
    pub fields: String,
    /// Where to begin: the version of a list or of the last event. Empty begins with an `Added` for every object.
    pub resource_version: String,
    /// How long the server keeps the stream open; `None` leaves it to the server. Whole seconds, rounded up.
    pub server_timeout: Option<Duration>,
    /// Whether the server may send bookmarks.
    pub bookmarks: bool,
    /// Whether the stream begins with the state of the collection and a bookmark that ends it (KEP-3157). The resource
    /// version is then the oldest state that will do.
    pub initial_events: bool,
    /// A shard of the collection (KEP-5866).
    pub shard_selector: String,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            labels: String::new(),
            fields: String::new(),
            resource_version: String::new(),
            server_timeout: None,
            bookmarks: true,
            initial_events: false,
            shard_selector: String::new(),
        }
    }
}

/// Follows the changes of a collection.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Watch<K> {
    call: Call,
    options: WatchOptions,
    output: PhantomData<fn() -> K>,
}

impl<K: Wire> Watch<K> {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call: call.kind(CallKind::Stream),
            options: WatchOptions::default(),
            output: PhantomData,
        }
    }

    /// See [`WatchOptions::labels`].
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.options.labels = selector.into();
        self
    }

    /// See [`WatchOptions::fields`].
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.options.fields = selector.into();
        self
    }

    /// See [`WatchOptions::resource_version`].
    pub fn resource_version(mut self, version: impl Into<String>) -> Self {
        self.options.resource_version = version.into();
        self
    }

    /// See [`WatchOptions::server_timeout`].
    pub fn server_timeout(mut self, timeout: Duration) -> Self {
        self.options.server_timeout = Some(timeout);
        self
    }

    /// See [`WatchOptions::bookmarks`].
    pub fn without_bookmarks(mut self) -> Self {
        self.options.bookmarks = false;
        self
    }

    /// See [`WatchOptions::initial_events`].
    pub fn initial_events(mut self) -> Self {
        self.options.initial_events = true;
        self
    }

    /// The same changes by a watch that is taken up again when it ends; see [`ResumedWatch`].
    pub fn resumed(self) -> ResumedWatch<K>
    where
        K: Object,
    {
        ResumedWatch::new(self)
    }

    /// Where it begins.
    pub(in crate::rest) fn start(&self) -> &str {
        &self.options.resource_version
    }

    /// What it is about.
    pub(in crate::rest) fn call(&self) -> &Call {
        &self.call
    }

    /// The same once more, from another version on.
    pub(in crate::rest) async fn again(&self, version: &str) -> Result<WatchStream<K>, Error> {
        let mut again = Self {
            call: self.call.clone(),
            options: self.options.clone(),
            output: PhantomData,
        };
        version.clone_into(&mut again.options.resource_version);
        again.run().await
    }

    async fn run(mut self) -> Result<WatchStream<K>, Error> {
        let options = &self.options;
        let query = self.call.query();
        query.push_flag("watch", true);
        query.push_text("labelSelector", &options.labels);
        query.push_text("fieldSelector", &options.fields);
        query.push_text("resourceVersion", &options.resource_version);
        query.push_text("shardSelector", &options.shard_selector);
        query.push_some("timeoutSeconds", options.server_timeout.map(whole_seconds));
        query.push_flag("allowWatchBookmarks", options.bookmarks);
        if options.initial_events {
            query.push_flag("sendInitialEvents", true);
            query.push("resourceVersionMatch", ResourceVersionMatch::NotOlderThan);
        }
        let response = self.call.open().await?;
        Ok(WatchStream::new(&self.call, response))
    }
}

request!(Watch<K: Wire>, WatchOptions, WatchStream<K>);

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
