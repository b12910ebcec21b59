//! Until an object is as wished.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

mod error;

pub use self::error::WaitError;
use super::{Api, Call, List, Watch, WatchEvent};
use crate::clock::{Clock, TokioClock, within};
use crate::dynamic::{DynamicApi, DynamicList, MetadataApi};
use crate::error::{Error, ErrorKind};
use crate::meta::{self, Object, Page, PartialObjectMetadataList};
use crate::record::Value;
use crate::resource::{Offers, Resource, verb};
use crate::retry::Backoff;
use crate::transport::{Method, TransportErrorKind};
use crate::value::Str;

/// Between attempts that fail, and between watches that end without an event.
pub(super) const BACKOFF: Backoff = Backoff {
    steps: u32::MAX,
    duration: Duration::from_millis(500),
    factor: 2.0,
    jitter: 0.5,
    cap: Duration::from_secs(30),
};

/// A round that took this long shows that the server is well: servers end idle watches after minutes.
pub(super) const HEALTHY: Duration = Duration::from_secs(5);

/// Waits for one object, by a list and the watch that follows it. No polling.
///
/// A watch that ends is taken up where it ended; one whose version is too old (410) begins with a new list; servers
/// that are busy or away are asked again, with growing pauses. The outcome is decided on every state that the server
/// sends; it may skip states in between, never the last one.
///
/// ```no_run
/// # use std::time::Duration;
/// # use kubeloom::{RestClient, rest::GroupVersionResource};
/// # async fn example(client: RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = client.dynamic(GroupVersionResource::new("", "v1", "pods")).namespace("web");
/// let ready = pods.wait("web-0").timeout(Duration::from_secs(60));
/// let pod = ready.until(|pod| pod.condition("Ready") == Some("True")).await?;
/// pods.delete("web-0").await?;
/// pods.wait("web-0").uid(&pod.metadata.uid).deleted().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "nothing is waited for unless until or deleted is called"]
pub struct Wait<L> {
    list: Call,
    watch: Call,
    name: String,
    uid: Option<Str>,
    timeout: Option<Duration>,
    clock: Arc<dyn Clock>,
    page: PhantomData<fn() -> L>,
}

impl<K: Resource, S> Api<K, S>
where
    K: Offers<verb::List> + Offers<verb::Watch> + Value + Default,
{
    /// Waits for one object.
    pub fn wait(&self, name: &str) -> Wait<meta::List<K>> {
        let call = |verb| Call::new(self.client(), verb, Method::Get, self.target(), K::PROTOBUF);
        Wait::new(call("list"), call("watch"), name)
    }
}

impl DynamicApi {
    /// Waits for one object.
    pub fn wait(&self, name: &str) -> Wait<DynamicList> {
        let call = |verb| self.on_object(verb, Method::Get);
        Wait::new(call("list"), call("watch"), name)
    }
}

impl MetadataApi {
    /// Waits for one object, of which the metadata is enough to decide.
    pub fn wait(&self, name: &str) -> Wait<PartialObjectMetadataList> {
        let (list, watch) = self.calls();
        Wait::new(list, watch, name)
    }
}

/// What the server says about the object.
enum Seen<K> {
    /// It is there.
    Present(K),
    /// It is not there.
    Absent,
}

impl<L: Page> Wait<L> {
    /// Waits with the calls of a list and of a watch, both of the same collection.
    pub fn new(list: Call, watch: Call, name: &str) -> Self {
        Self {
            list,
            watch,
            name: name.to_owned(),
            uid: None,
            timeout: None,
            clock: Arc::new(TokioClock),
            page: PhantomData,
        }
    }

    /// How long to wait; without it, as long as it takes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The object that is meant, should another get its name. Without it, the first that is seen.
    pub fn uid(mut self, uid: &str) -> Self {
        self.uid = Some(uid.into());
        self
    }

    /// Another clock than the real one.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Until the object is there and `is_done` says so of it; the object is handed out. An object that is not there yet
    /// is waited for.
    ///
    /// # Errors
    /// See [`WaitError`].
    pub async fn until(self, mut is_done: impl FnMut(&L::Item) -> bool) -> Result<L::Item, WaitError> {
        let mut uid = self.uid.clone();
        let deleted = || Err(WaitError::Deleted { what: self.what() });
        self.follow(|seen| match seen {
            Seen::Present(object) => {
                let own = &object.object_meta().uid;
                if *uid.get_or_insert_with(|| own.clone()) != *own {
                    ControlFlow::Break(deleted())
                } else if is_done(&object) {
                    ControlFlow::Break(Ok(object))
                } else {
                    ControlFlow::Continue(())
                }
            }
            Seen::Absent if uid.is_some() => ControlFlow::Break(deleted()),
            Seen::Absent => ControlFlow::Continue(()),
        })
        .await?
    }

    /// Until the object is not there, or another one has its name. If it is not there to begin with, that is at once.
    ///
    /// # Errors
    /// See [`WaitError`]; it is never `Deleted`.
    pub async fn deleted(self) -> Result<(), WaitError> {
        let mut uid = self.uid.clone();
        self.follow(|seen| match seen {
            Seen::Present(object) => {
                let own = &object.object_meta().uid;
                if *uid.get_or_insert_with(|| own.clone()) == *own {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            }
            Seen::Absent => ControlFlow::Break(()),
        })
        .await
    }

    fn what(&self) -> String {
        let context = self.watch.context();
        match context.namespace {
            Some(namespace) => format!("{} {namespace}/{}", context.resource, self.name),
            None => format!("{} {}", context.resource, self.name),
        }
    }

    async fn follow<T>(&self, on: impl FnMut(Seen<L::Item>) -> ControlFlow<T>) -> Result<T, WaitError> {
        if self.name.is_empty() {
            let error = ErrorKind::InvalidRequest("the name is required and empty here".to_owned());
            return Err(WaitError::Failed(self.watch.fail(error)));
        }
        let mut follower = Follower {
            wait: self,
            on,
            version: None,
            failures: 0,
            last: None,
        };
        let Some(timeout) = self.timeout else {
            return follower.run().await;
        };
        match within(&*self.clock, timeout, follower.run()).await {
            Some(outcome) => outcome,
            None => Err(WaitError::Timeout {
                what: self.what(),
                after: timeout,
                last: follower.last,
            }),
        }
    }

    /// The name as a value of a field selector, where backslash, comma and equals sign are escaped.
    fn selector(&self) -> String {
        let mut selector = "metadata.name=".to_owned();
        for c in self.name.chars() {
            if matches!(c, '\\' | ',' | '=') {
                selector.push('\\');
            }
            selector.push(c);
        }
        selector
    }
}

/// One wait under way.
struct Follower<'a, L, F> {
    wait: &'a Wait<L>,
    on: F,
    /// Where the next watch begins; a list comes first if there is none.
    version: Option<String>,
    /// Rounds in a row that failed or ended at once.
    failures: u32,
    last: Option<Error>,
}

impl<L: Page, T, F: FnMut(Seen<L::Item>) -> ControlFlow<T>> Follower<'_, L, F> {
    async fn run(&mut self) -> Result<T, WaitError> {
        loop {
            let started = self.wait.clock.now();
            let round = match self.version.take() {
                None => self.list().await,
                Some(version) => self.watch(version).await,
            };
            if self.wait.clock.now().saturating_duration_since(started) >= HEALTHY {
                self.failures = 0;
            }
            let mut pause = BACKOFF.random_delay(self.failures);
            match round {
                Ok(ControlFlow::Break(outcome)) => return Ok(outcome),
                Ok(ControlFlow::Continue(Next::AtOnce)) => continue,
                Ok(ControlFlow::Continue(Next::AfterPause)) => {}
                // The version is too old: a list follows, at once unless that was so just before.
                Err(error) if error.is_gone() && self.failures == 0 => pause = Duration::ZERO,
                Err(error) if error.is_gone() || heals(&error) => {
                    pause = pause.max(error.retry_after().unwrap_or_default());
                    self.last = Some(error);
                }
                Err(error) => return Err(WaitError::Failed(error)),
            }
            self.failures = self.failures.saturating_add(1);
            self.wait.clock.sleep(pause).await;
        }
    }

    async fn list(&mut self) -> Result<ControlFlow<T, Next>, Error> {
        let request = List::<L>::new(self.wait.list.clone()).fields(self.wait.selector());
        let mut page = request.await?;
        self.version = Some(page.list_meta().resource_version.to_string());
        let items = page.page_items_mut();
        let found = items
            .iter()
            .position(|item| item.object_meta().name == *self.wait.name);
        let seen = match found {
            Some(index) => Seen::Present(items.swap_remove(index)),
            None => Seen::Absent,
        };
        self.last = None;
        Ok((self.on)(seen).map_continue(|()| Next::AtOnce))
    }

    async fn watch(&mut self, mut version: String) -> Result<ControlFlow<T, Next>, Error> {
        let request = Watch::<L::Item>::new(self.wait.watch.clone())
            .fields(self.wait.selector())
            .resource_version(version.as_str());
        let opened = request.await;
        let mut stream = match opened {
            Ok(stream) => stream,
            Err(error) => {
                // After a failure that says nothing about the version the watch goes on where it was.
                self.version = (!error.is_gone()).then_some(version);
                return Err(error);
            }
        };
        self.last = None;
        let mut next = Next::AfterPause;
        while let Some(event) = stream.next().await {
            let (object, is_there) = match event {
                Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => (object, true),
                Ok(WatchEvent::Deleted(object)) => (object, false),
                Ok(WatchEvent::Bookmark(bookmark)) => {
                    version = bookmark.resource_version;
                    continue;
                }
                Err(error) => {
                    self.version = (!error.is_gone()).then_some(version);
                    return Err(error);
                }
            };
            next = Next::AtOnce;
            self.failures = 0;
            version = object.object_meta().resource_version.to_string();
            if object.object_meta().name != *self.wait.name {
                continue;
            }
            let seen = if is_there {
                Seen::Present(object)
            } else {
                Seen::Absent
            };
            if let ControlFlow::Break(outcome) = (self.on)(seen) {
                return Ok(ControlFlow::Break(outcome));
            }
        }
        self.version = Some(version);
        Ok(ControlFlow::Continue(next))
    }
}

/// When the next round begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    AtOnce,
    /// The server ends watches before it sends anything.
    AfterPause,
}

/// Whether the same call may succeed later, without anybody changing what it asks for.
pub(super) fn heals(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Api(status) => matches!(status.code, 408 | 429 | 500..=599),
        ErrorKind::Transport(error) => !matches!(
            error.kind(),
            TransportErrorKind::Config | TransportErrorKind::TooLarge | TransportErrorKind::Credentials
        ),
        _ => false,
    }
}
