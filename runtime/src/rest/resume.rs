//! [`ResumedWatch`]: a watch that is taken up again when it ends.

use std::sync::Arc;
use std::time::Duration;

use super::wait::{BACKOFF, HEALTHY, heals};
use super::{Watch, WatchEvent, WatchStream};
use crate::clock::{Clock, TokioClock};
use crate::error::{Error, ErrorKind};
use crate::meta::Object;

/// At least this long lies between two starts; client-go's value.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// The changes of a collection from a version on, however often the server ends the stream.
///
/// Nothing is missed and nothing comes twice: each start begins at the version of the last event or bookmark. It needs a
/// version to begin with, that of a list or of an object: empty and `"0"` mean no version in particular, and are
/// refused. Bookmarks are kept to itself. It ends with an error that time does not heal: the version is too old (410; list
/// again), the caller may not watch, or the resource is not there. An object that cannot be read is an error, too, but
/// not the end. Dropping it closes the stream.
///
/// ```no_run
/// # use kubeloom::{RestClient, rest::{GroupVersionResource, WatchEvent}};
/// # async fn example(client: RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = client.dynamic(GroupVersionResource::new("", "v1", "pods")).namespace("web");
/// let list = pods.list().await?;
/// let mut changes = pods.watch().resource_version(&*list.metadata.resource_version).resumed();
/// while let Some(event) = changes.next().await.transpose()? {
///     if let WatchEvent::Deleted(pod) = event {
///         println!("{} is gone", pod.metadata.name);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ResumedWatch<K> {
    watch: Watch<K>,
    clock: Arc<dyn Clock>,
    stream: Option<WatchStream<K>>,
    version: String,
    /// Streams in a row that failed or ended without an event.
    failures: u32,
    started: Option<std::time::Instant>,
    ended: bool,
}

impl<K: Object> ResumedWatch<K> {
    pub(super) fn new(watch: Watch<K>) -> Self {
        Self {
            version: watch.start().to_owned(),
            watch,
            clock: Arc::new(TokioClock),
            stream: None,
            failures: 0,
            started: None,
            ended: false,
        }
    }

    /// Another clock than the real one.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The version of the last event or bookmark: where another watch would go on.
    pub fn resource_version(&self) -> &str {
        &self.version
    }

    /// The next change; `None` at the end, which follows an error. Cancel-safe but for the start of a stream, which begins again.
    pub async fn next(&mut self) -> Option<Result<WatchEvent<K>, Error>> {
        while !self.ended {
            match self.step().await {
                Ok(Some(event)) => return Some(Ok(event)),
                Ok(None) => {}
                Err(error) => {
                    self.ended = self.stream.is_none();
                    return Some(Err(error));
                }
            }
        }
        None
    }

    /// The next event, or none yet.
    async fn step(&mut self) -> Result<Option<WatchEvent<K>>, Error> {
        let Some(stream) = &mut self.stream else {
            self.start().await?;
            return Ok(None);
        };
        let event = match stream.next().await {
            None => {
                self.stream = None;
                self.failures = self.failures.saturating_add(1);
                return Ok(None);
            }
            Some(Err(error)) if matches!(error.kind(), ErrorKind::Decode(_)) && !stream.is_ended() => {
                return Err(error);
            }
            Some(Err(error)) => {
                self.stream = None;
                return self.failed(error).map(|()| None);
            }
            Some(Ok(event)) => event,
        };
        self.failures = 0;
        let version = match &event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
                object.object_meta().resource_version.to_string()
            }
            WatchEvent::Bookmark(bookmark) => bookmark.resource_version.clone(),
        };
        if !version.is_empty() {
            self.version = version;
        }
        Ok((!matches!(event, WatchEvent::Bookmark(_))).then_some(event))
    }

    async fn start(&mut self) -> Result<(), Error> {
        if matches!(self.version.as_str(), "" | "0") {
            let message = "a watch that is to be resumed needs the version to begin at; take it from a list";
            return Err(self
                .watch
                .call()
                .fail(ErrorKind::InvalidRequest(message.to_owned())));
        }
        if let Some(started) = self.started {
            let lived = self.clock.now().saturating_duration_since(started);
            if lived >= HEALTHY {
                self.failures = 0;
            }
            let pause = match self.failures {
                0 => Duration::ZERO,
                failures => BACKOFF.random_delay(failures - 1),
            };
            self.clock
                .sleep(pause.max(LEAST_PAUSE.saturating_sub(lived)))
                .await;
        }
        self.started = Some(self.clock.now());
        match self.watch.again(&self.version).await {
            Ok(stream) => {
                self.stream = Some(stream);
                Ok(())
            }
            Err(error) => self.failed(error),
        }
    }

    /// Ends with an error, or goes on.
    fn failed(&mut self, error: Error) -> Result<(), Error> {
        if error.is_gone() || !heals(&error) {
            return Err(error);
        }
        tracing::debug!(%error, "the watch is taken up again");
        self.failures = self.failures.saturating_add(1);
        Ok(())
    }
}
