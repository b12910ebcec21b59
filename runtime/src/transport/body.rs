//! [`Body`]: a response's body, and [`Upgraded`]: the connection after an upgrade.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use futures_core::stream::BoxStream;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{TransportError, TransportErrorKind};

/// At most this much is reserved ahead on the word of a `content-length`.
const RESERVE_LIMIT: u64 = 16 << 20;

/// A response's body: all there, or arriving.
///
/// Reading is pull-driven: nothing is read ahead beyond the protocol's flow-control window, and dropping the body
/// abandons the rest (HTTP/2 resets the stream, HTTP/1.1 closes the connection unless the end was near).
pub struct Body {
    content: Content,
    /// The length the server announced, when it did and the body is not decoded.
    length: Option<u64>,
}

/// The chunks of a body as they arrive.
pub(crate) type Chunks = BoxStream<'static, Result<Bytes, TransportError>>;

enum Content {
    Full(Bytes),
    Stream(Chunks),
    Upgraded(Upgraded),
}

impl Body {
    /// No bytes.
    pub fn empty() -> Self {
        Self::full(Bytes::new())
    }

    /// A body that is all there.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self {
            length: Some(bytes.len() as u64),
            content: Content::Full(bytes),
        }
    }

    /// A body that arrives chunk by chunk. The stream ends after its first error.
    pub fn stream(chunks: impl Stream<Item = Result<Bytes, TransportError>> + Send + 'static) -> Self {
        Self {
            content: Content::Stream(Box::pin(chunks)),
            length: None,
        }
    }

    /// The connection that an upgrade left behind.
    pub fn upgraded(connection: Upgraded) -> Self {
        Self {
            content: Content::Upgraded(connection),
            length: None,
        }
    }

    /// The same body with the length the server announced.
    #[must_use]
    pub(crate) fn with_length(mut self, length: Option<u64>) -> Self {
        self.length = length;
        self
    }

    /// The same body with its stream, if it is one, replaced. The length stays as announced.
    #[must_use]
    pub(crate) fn map_stream<S>(self, map: impl FnOnce(Chunks) -> S) -> Self
    where
        S: Stream<Item = Result<Bytes, TransportError>> + Send + 'static,
    {
        match self.content {
            Content::Stream(chunks) => Self {
                content: Content::Stream(Box::pin(map(chunks))),
                ..self
            },
            content => Self { content, ..self },
        }
    }

    /// The same body with its errors changed.
    #[must_use]
    pub(crate) fn map_errors<F>(self, map: F) -> Self
    where
        F: Fn(TransportError) -> TransportError + Send + Unpin + 'static,
    {
        self.map_stream(|chunks| MapErrors { chunks, map })
    }

    /// The next bytes, never empty; `None` at the end, after an error too. Cancel-safe.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, TransportError>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// The whole body.
    ///
    /// # Errors
    /// The body's first error; [`TransportErrorKind::TooLarge`] when it is longer than `limit` bytes, after at most
    /// `limit` bytes and one chunk have been held.
    pub async fn collect(mut self, limit: usize) -> Result<Bytes, TransportError> {
        let too_large = || {
            TransportError::new(
                TransportErrorKind::TooLarge,
                format!("the response is longer than {limit} bytes"),
            )
        };
        let announced = self.length.unwrap_or(0);
        if announced > limit as u64 {
            return Err(too_large());
        }
        let Some(first) = self.chunk().await.transpose()? else {
            return Ok(Bytes::new());
        };
        if first.len() > limit {
            return Err(too_large());
        }
        let Some(mut next) = self.chunk().await.transpose()? else {
            return Ok(first);
        };
        let mut whole = BytesMut::with_capacity(announced.min(RESERVE_LIMIT) as usize);
        whole.extend_from_slice(&first);
        loop {
            if next.len() > limit - whole.len() {
                return Err(too_large());
            }
            whole.extend_from_slice(&next);
            match self.chunk().await {
                Some(chunk) => next = chunk?,
                None => return Ok(whole.freeze()),
            }
        }
    }

    /// The upgraded connection, when this is one; the body itself otherwise.
    ///
    /// # Errors
    /// The unchanged body of a response that upgraded nothing.
    pub fn into_upgraded(self) -> Result<Upgraded, Self> {
        match self.content {
            Content::Upgraded(connection) => Ok(connection),
            content => Err(Self {
                content,
                length: self.length,
            }),
        }
    }
}

impl Stream for Body {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let item = match &mut self.content {
                Content::Full(bytes) if bytes.is_empty() => None,
                Content::Full(bytes) => Some(Ok(std::mem::take(bytes))),
                Content::Stream(chunks) => match chunks.as_mut().poll_next(cx) {
                    Poll::Ready(Some(Ok(bytes))) if bytes.is_empty() => continue,
                    Poll::Ready(item) => item,
                    Poll::Pending => return Poll::Pending,
                },
                Content::Upgraded(_) => None,
            };
            if !matches!(item, Some(Ok(_))) {
                // An upgraded connection stays for into_upgraded.
                if !matches!(self.content, Content::Upgraded(_)) {
                    self.content = Content::Full(Bytes::new());
                }
            }
            return Poll::Ready(item);
        }
    }
}

struct MapErrors<F> {
    chunks: Chunks,
    map: F,
}

impl<F: Fn(TransportError) -> TransportError + Unpin> Stream for MapErrors<F> {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = self.chunks.as_mut().poll_next(cx);
        chunk.map(|chunk| chunk.map(|chunk| chunk.map_err(&self.map)))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Full(bytes) => write!(f, "Body::Full({} bytes)", bytes.len()),
            Content::Stream(_) => f.write_str("Body::Stream"),
            Content::Upgraded(_) => f.write_str("Body::Upgraded"),
        }
    }
}

/// A byte stream in both directions.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// The two-way byte stream an upgraded connection has become. Dropping it closes the connection.
pub struct Upgraded {
    io: Box<dyn Duplex>,
}

impl Upgraded {
    /// Wraps a byte stream; for implementations of [`Transport`](super::Transport).
    pub fn new(io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self { io: Box::new(io) }
    }
}

impl fmt::Debug for Upgraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Upgraded")
    }
}

impl AsyncRead for Upgraded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl AsyncWrite for Upgraded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scripted(std::vec::IntoIter<Result<Bytes, TransportError>>);

    impl Stream for Scripted {
        type Item = Result<Bytes, TransportError>;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Ready(self.0.next())
        }
    }

    fn body(chunks: &[&'static str]) -> Body {
        Body::stream(Scripted(
            chunks
                .iter()
                .map(|c| Ok(Bytes::from(*c)))
                .collect::<Vec<_>>()
                .into_iter(),
        ))
    }

    #[tokio::test]
    async fn collect_counts_to_the_byte() {
        let check = async |body: Body, limit: usize, expected: Option<&str>| {
            let got = body.collect(limit).await;
            match expected {
                Some(text) => assert_eq!(got.unwrap(), text),
                None => assert_eq!(got.unwrap_err().kind(), TransportErrorKind::TooLarge),
            }
        };
        check(Body::empty(), 0, Some("")).await;
        check(Body::full("abc"), 3, Some("abc")).await;
        check(Body::full("abc"), 2, None).await;
        check(body(&[]), 0, Some("")).await;
        check(body(&["ab", "", "c"]), 3, Some("abc")).await;
        check(body(&["ab", "c"]), 2, None).await;
        check(body(&["abc"]), 2, None).await;
        check(body(&["a"]).with_length(Some(9)), 2, None).await;
    }

    #[tokio::test]
    async fn after_an_error_the_body_has_ended() {
        let broken = TransportError::new(TransportErrorKind::Reset, "gone");
        let mut body = Body::stream(Scripted(vec![Err(broken), Ok(Bytes::from("x"))].into_iter()));
        assert!(body.chunk().await.unwrap().unwrap_err().is_connection_reset());
        assert!(body.chunk().await.is_none());
    }
}
