//! The changes of a collection, as a stream of typed events.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::call::Call;
use super::frames::Frames;
use crate::error::{CallContext, Error, ErrorKind};
use crate::meta::{ObjectMeta, PartialObjectMetadata, Status};
use crate::transport::{Body, Response};
use crate::wire::{DecodeError, Format, Named, Wire, read_watch_event};

/// Marks the bookmark that ends the initial events of a watch that was asked for them (KEP-3157).
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A change of a collection.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<K> {
    /// An object appeared, or was there when the watch began.
    Added(K),
    /// An object changed.
    Modified(K),
    /// An object went, or no longer matches the selectors; as it was last.
    Deleted(K),
    /// Nothing changed up to this version.
    Bookmark(Bookmark),
}

/// A version up to which all changes have been sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bookmark {
    /// Where another watch may begin.
    pub resource_version: String,
    /// Whether the initial events of a streaming list are complete with it.
    pub initial_events_end: bool,
}

/// The events of one watch.
///
/// An object that cannot be read is an error with its namespace and name, and the stream goes on. An error that the
/// server sends (410 when the version is too old) and a broken connection are errors too, and the stream ends. It also
/// ends, without error, when the server closes it, as servers do after some minutes: watch again from the last version.
#[derive(Debug)]
pub struct WatchStream<K> {
    body: Body,
    frames: Frames,
    format: Format,
    context: CallContext,
    ended: bool,
    events: PhantomData<fn() -> K>,
}

impl<K: Wire> WatchStream<K> {
    pub(super) fn new(call: &Call, response: Response) -> Self {
        let format = response
            .headers
            .get("content-type")
            .and_then(Format::from_content_type)
            .unwrap_or(Format::Json);
        Self {
            body: response.body,
            frames: Frames::new(format, call.client().options().max_event),
            format,
            context: call.context(),
            ended: false,
            events: PhantomData,
        }
    }

    /// The next event; `None` at the end. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<WatchEvent<K>, Error>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Whether nothing more will come.
    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    fn fail(&self, kind: ErrorKind) -> Error {
        Error::new(self.context.clone(), kind)
    }

    fn take_frame(&mut self) -> Option<Result<WatchEvent<K>, Error>> {
        match self.frames.next() {
            Ok(Some(frame)) => Some(self.event(&frame)),
            Ok(None) => None,
            Err(error) => {
                self.ended = true;
                Some(Err(self.fail(ErrorKind::Decode(error))))
            }
        }
    }

    fn event(&mut self, frame: &[u8]) -> Result<WatchEvent<K>, Error> {
        let (kind, object) = read_watch_event(self.format, frame).map_err(|error| {
            self.ended = true;
            self.fail(ErrorKind::Decode(error))
        })?;
        let wrap = match &*kind {
            "ADDED" => WatchEvent::Added,
            "MODIFIED" => WatchEvent::Modified,
            "DELETED" => WatchEvent::Deleted,
            "BOOKMARK" => return self.bookmark(&object),
            "ERROR" => {
                self.ended = true;
                let kind = match Status::decode(self.format, &object) {
                    Ok(status) => ErrorKind::Api(Box::new(status)),
                    Err(error) => ErrorKind::Decode(error),
                };
                return Err(self.fail(kind));
            }
            other => {
                let error = DecodeError::other(format_args!("an event of unknown type {other:?}"));
                return Err(self.fail(ErrorKind::Decode(error)));
            }
        };
        K::decode(self.format, &object)
            .map(wrap)
            .map_err(|error| self.unreadable(&object, error))
    }

    fn bookmark(&self, object: &[u8]) -> Result<WatchEvent<K>, Error> {
        let metadata = self
            .metadata(object)
            .map_err(|error| self.fail(ErrorKind::Decode(error)))?;
        Ok(WatchEvent::Bookmark(Bookmark {
            initial_events_end: metadata
                .annotations
                .get(INITIAL_EVENTS_END)
                .is_some_and(|value| value == "true"),
            resource_version: metadata.resource_version.into(),
        }))
    }

    /// Metadata alone: a bookmark's object has nothing else.
    fn metadata(&self, object: &[u8]) -> Result<ObjectMeta, DecodeError> {
        PartialObjectMetadata::decode(self.format, object).map(|partial| partial.metadata)
    }

    fn unreadable(&self, object: &[u8], error: DecodeError) -> Error {
        let mut context = self.context.clone();
        let (namespace, name) = Named::of(self.format, object).namespace_and_name();
        if !name.is_empty() {
            context.name = Some(name.into());
        }
        if !namespace.is_empty() {
            context.namespace = Some(namespace.into());
        }
        Error::new(context, ErrorKind::Decode(error))
    }
}

impl<K: Wire> Stream for WatchStream<K> {
    type Item = Result<WatchEvent<K>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if this.ended {
                return Poll::Ready(None);
            }
            if let Some(event) = this.take_frame() {
                return Poll::Ready(Some(event));
            }
            match Pin::new(&mut this.body).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(chunk))) => this.frames.push(&chunk),
                Poll::Ready(Some(Err(error))) => {
                    this.ended = true;
                    return Poll::Ready(Some(Err(this.fail(ErrorKind::Transport(error)))));
                }
                // What is left of a frame was cut off with the connection; the next watch sends it again.
                Poll::Ready(None) => this.ended = true,
            }
        }
    }
}
