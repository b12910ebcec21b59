//! [`Observe`]: a span, an id and measurements for every attempt; hands out the server's warnings.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use tracing::Instrument;

use super::metrics::{Labels, Metrics};
use super::warnings::{self, WarningHandler};
use super::wire::{Wire, WireBody};
use super::{BoxFuture, CallKind, Method, Request, Response, Transport, TransportError};
use crate::clock::Clock;

/// Watches attempts.
#[derive(Debug)]
pub(super) struct Observe {
    pub(super) next: Arc<Wire>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Arc<dyn Metrics>,
    pub(super) warnings: Arc<dyn WarningHandler>,
}

impl Transport for Observe {
    fn send(&self, mut request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        // The server takes this id for its audit log, and answers with it.
        if !request.headers.contains("audit-id") {
            request.headers.append("audit-id", new_id());
        }
        let span = tracing::debug_span!(
            "request",
            method = %request.method,
            path = %request.template,
            audit_id = request.headers.get("audit-id"),
            status = tracing::field::Empty,
        );
        match span.is_disabled() {
            true => Box::pin(self.observed(request, span)),
            false => Box::pin(self.observed(request, span.clone()).instrument(span)),
        }
    }
}

impl Observe {
    async fn observed(&self, mut request: Request, span: tracing::Span) -> Result<Response, TransportError> {
        let flight = Flight::start(&self.metrics, &mut request);
        let started = self.clock.now();
        self.metrics.sent(&flight.labels(), request.body.len() as u64);
        let result = self.next.exchange(request).await;
        let latency = self.clock.now().saturating_duration_since(started);
        let status = result.as_ref().ok().map(|response| response.status);
        self.metrics.answered(&flight.labels(), status, latency);
        span.record("status", status);
        let latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
        match &result {
            Ok(_) => tracing::debug!(latency_ms, "the server answered"),
            Err(error) => tracing::debug!(latency_ms, error = error.message(), "the call got no response"),
        }
        let answered = result?;
        warnings::report(&answered.headers, &*self.warnings);
        Ok(answered.map_data(|data| Counted {
            data,
            flight: Some(flight),
        }))
    }
}

/// An attempt that was sent and has not ended.
struct Flight {
    metrics: Arc<dyn Metrics>,
    method: Method,
    path: std::borrow::Cow<'static, str>,
    kind: CallKind,
}

impl Flight {
    /// Takes the template, which nobody needs from here on.
    fn start(metrics: &Arc<dyn Metrics>, request: &mut Request) -> Self {
        let flight = Self {
            metrics: metrics.clone(),
            method: request.method,
            path: std::mem::take(&mut request.template),
            kind: request.kind,
        };
        metrics.started(&flight.labels());
        flight
    }

    fn labels(&self) -> Labels<'_> {
        Labels {
            method: self.method,
            path: &self.path,
            kind: self.kind,
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.metrics.ended(&self.labels());
    }
}

/// A body whose bytes are counted.
struct Counted {
    data: WireBody,
    /// Gone when the body has ended.
    flight: Option<Flight>,
}

impl Stream for Counted {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = self.data.poll_data(cx);
        match (&chunk, &self.flight) {
            (Poll::Ready(Some(Ok(bytes))), Some(flight)) if !bytes.is_empty() => {
                flight.metrics.received(&flight.labels(), bytes.len() as u64);
            }
            (Poll::Ready(Some(Err(_)) | None), Some(_)) => self.flight = None,
            _ => {}
        }
        chunk
    }
}

/// A random UUID (version 4), the form that audit ids have.
fn new_id() -> String {
    let bits = fastrand::u128(..);
    // Version 4 in the 13th digit, variant 1 in the 17th.
    let bits = bits & !(0xf << 76) | 0x4 << 76;
    let bits = bits & !(0x3 << 62) | 0x2 << 62;
    let mut id = String::with_capacity(36);
    for at in (0..32u32).rev() {
        let digit = (bits >> (4 * at)) as u32 & 0xf;
        id.extend(char::from_digit(digit, 16));
        if matches!(at, 24 | 20 | 16 | 12) {
            id.push('-');
        }
    }
    id
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_are_random_uuids() {
        for _ in 0..100 {
            let id = super::new_id();
            let parts: Vec<_> = id.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
            assert_eq!(id.as_bytes()[14], b'4', "{id}");
            assert!(b"89ab".contains(&id.as_bytes()[19]), "{id}");
            assert_ne!(id, super::new_id());
        }
    }
}
