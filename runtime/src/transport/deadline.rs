//! [`Deadline`]: ends calls that take too long.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;

use super::body::Chunks;
use super::retry::{Earlier, Retry};
use super::{BoxFuture, CallKind, Request, Response, Transport, TransportError, TransportErrorKind};
use crate::clock::Clock;

/// Ends calls that take too long; see [`CallKind`] for what a timeout covers.
#[derive(Debug)]
pub(super) struct Deadline {
    pub(super) next: Retry,
    pub(super) clock: Arc<dyn Clock>,
    /// The timeout of unary calls without one.
    pub(super) default: Option<Duration>,
}

impl Transport for Deadline {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let kind = request.kind;
        let Some(limit) = request
            .timeout
            .or(self.default.filter(|_| kind == CallKind::Unary))
        else {
            return Box::pin(async move { self.next.send(request, None, &Earlier::default()).await });
        };
        Box::pin(async move {
            let mut sleep = self.clock.sleep(limit);
            let earlier = Earlier::default();
            let until = self.clock.now() + limit;
            let mut call = Box::pin(self.next.send(request, Some(until), &earlier));
            let mut response = poll_fn(|cx| {
                if let Poll::Ready(response) = call.as_mut().poll(cx) {
                    return Poll::Ready(response);
                }
                sleep
                    .as_mut()
                    .poll(cx)
                    .map(|()| Err(earlier.add_to(expired(limit))))
            })
            .await?;
            if kind == CallKind::Unary {
                response.body = response
                    .body
                    .map_stream(|chunks| Limited { chunks, sleep, limit });
            }
            Ok(response)
        })
    }
}

fn expired(limit: Duration) -> TransportError {
    let message = format!("no complete response within {limit:?}");
    TransportError::new(TransportErrorKind::Timeout, message)
}

/// A body that must be there by the end of the call's time.
struct Limited {
    chunks: Chunks,
    sleep: BoxFuture<'static, ()>,
    limit: Duration,
}

impl Stream for Limited {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(chunk) = self.chunks.as_mut().poll_next(cx) {
            return Poll::Ready(chunk);
        }
        let limit = self.limit;
        self.sleep.as_mut().poll(cx).map(|()| Some(Err(expired(limit))))
    }
}
