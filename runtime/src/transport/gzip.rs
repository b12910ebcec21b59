//! [`Gzip`]: asks for compressed responses and decodes them as they arrive.

use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::http::header::{self, HeaderValue};
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use futures_core::Stream;

use super::body::Chunks;
use super::{BoxFuture, CallKind, Request, Response, Transport, TransportError, TransportErrorKind};

/// The decoder is fed this much at a time, which bounds what one step yields: deflate expands at most 1032 times.
const STEP: usize = 4 << 10;

/// Asks for gzip unless the caller already asks for some encoding, and decodes what arrives.
#[derive(Debug)]
pub(super) struct Gzip {
    pub(super) next: Arc<dyn Transport>,
}

impl Transport for Gzip {
    fn send(&self, mut request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        if request.kind == CallKind::Upgrade || request.headers.contains("accept-encoding") {
            return self.next.send(request);
        }
        request
            .headers
            .push(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        Box::pin(async move {
            let mut response = self.next.send(request).await?;
            let encoding = response.headers.get("content-encoding").unwrap_or_default();
            if encoding.eq_ignore_ascii_case("gzip") {
                response.headers.remove("content-encoding");
                response.headers.remove("content-length");
                response.body = response.body.with_length(None).map_stream(Inflate::new);
            }
            Ok(response)
        })
    }
}

/// A gzip stream being decoded. Whatever the bytes so far decode to is passed on at once, without waiting for the end
/// of a deflate block, so that each event of a compressed watch is there when its last byte is.
struct Inflate {
    chunks: Chunks,
    pending: Bytes,
    /// `None` once the stream has ended or failed.
    decoder: Option<MultiGzDecoder<Vec<u8>>>,
    started: bool,
}

impl Inflate {
    fn new(chunks: Chunks) -> Self {
        Self {
            chunks,
            pending: Bytes::new(),
            decoder: Some(MultiGzDecoder::new(Vec::new())),
            started: false,
        }
    }

    fn step(&mut self) -> std::io::Result<Bytes> {
        let Some(decoder) = &mut self.decoder else {
            return Ok(Bytes::new());
        };
        let step = self.pending.split_to(self.pending.len().min(STEP));
        decoder.write_all(&step)?;
        decoder.flush()?;
        Ok(std::mem::take(decoder.get_mut()).into())
    }

    /// Checks length and checksum; a body without any byte is an empty one.
    fn finish(&mut self) -> std::io::Result<Bytes> {
        match self.decoder.take() {
            Some(decoder) if self.started => decoder.finish().map(Bytes::from),
            _ => Ok(Bytes::new()),
        }
    }

    fn fail(&mut self, error: std::io::Error) -> TransportError {
        self.decoder = None;
        let message = "the response says it is compressed with gzip, but it is broken or cut off";
        TransportError::new(TransportErrorKind::Protocol, message).with_source(error)
    }
}

impl Stream for Inflate {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while self.decoder.is_some() {
            if self.pending.is_empty() {
                match ready!(self.chunks.as_mut().poll_next(cx)).transpose()? {
                    Some(chunk) => {
                        self.started |= !chunk.is_empty();
                        self.pending = chunk;
                    }
                    None => {
                        let last = self.finish().map_err(|error| self.fail(error))?;
                        return Poll::Ready((!last.is_empty()).then_some(Ok(last)));
                    }
                }
            }
            let decoded = self.step().map_err(|error| self.fail(error))?;
            if !decoded.is_empty() {
                return Poll::Ready(Some(Ok(decoded)));
            }
        }
        Poll::Ready(None)
    }
}
