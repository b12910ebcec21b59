//! [`Lease`]: the right to send one call on a connection of the pool.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Weak;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::RecvStream;
use http_body::Body as _;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;

use super::dial::Ending;
use super::http2::{self, Connection, Place};
use super::pool::Shared;

/// A request as it goes out.
pub(super) type Message = ::http::Request<Bytes>;

/// The right to send one call on a connection.
pub(super) struct Lease {
    pub(super) sender: Sender,
    pub(super) shared: Weak<Shared>,
    pub(super) generation: u64,
    pub(super) ending: Ending,
}

pub(super) enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(Connection, Place),
}

/// A call that got no answer.
pub(super) struct Lost {
    pub(super) error: Broken,
    /// Whether nothing of it has left.
    pub(super) unsent: bool,
}

/// What the HTTP libraries say of a call or an answer that broke off.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("HTTP/1.1 failed")]
    Http1(#[from] hyper::Error),
    #[error("HTTP/2 failed")]
    Http2(#[from] h2::Error),
}

/// An answer's body.
pub(super) enum Payload {
    Http1(Incoming),
    /// With the call's place on its connection, given up at the end.
    Http2(RecvStream, Option<Place>),
}

/// An answer whose header has arrived.
pub(super) type Answer = ::http::Response<Payload>;

impl Lease {
    /// Whether the connection speaks HTTP/2.
    pub(super) fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(..))
    }

    /// Sends the call.
    pub(super) async fn send(self, message: Message) -> Result<Answer, Lost> {
        match self.sender {
            Sender::Http2(connection, place) => {
                let answer = connection.send(message).await?;
                Ok(answer.map(|body| Payload::Http2(body, Some(place))))
            }
            Sender::Http1(mut sender) => {
                let sent = sender.try_send_request(message.map(Full::new)).await;
                let answer = sent.map_err(|mut lost| Lost {
                    unsent: lost.take_message().is_some(),
                    error: Broken::Http1(lost.into_error()),
                })?;
                let (shared, generation) = (self.shared, self.generation);
                if answer.status() != ::http::StatusCode::SWITCHING_PROTOCOLS && generation != u64::MAX {
                    tokio::spawn(keep(sender, shared, generation));
                }
                Ok(answer.map(Payload::Http1))
            }
        }
    }
}

/// Keeps a connection for the next call once it is ready for one: the body was read to its end. Dropped before, the body
/// closes the connection.
async fn keep(mut sender: http1::SendRequest<Full<Bytes>>, shared: Weak<Shared>, generation: u64) {
    let ready = poll_fn(|cx| Poll::Ready(ready!(sender.poll_ready(cx)))).await;
    if ready.is_ok()
        && let Some(shared) = shared.upgrade()
    {
        shared.keep(sender, generation);
    }
}

impl Payload {
    /// The length that the server announced.
    pub(super) fn length(&self, headers: &::http::HeaderMap) -> Option<u64> {
        match self {
            Self::Http1(body) => body.size_hint().exact(),
            Self::Http2(body, _) if body.is_end_stream() => Some(0),
            Self::Http2(..) => {
                let length = headers.get(::http::header::CONTENT_LENGTH)?;
                length.to_str().ok()?.parse().ok()
            }
        }
    }

    /// The next bytes; trailers are skipped.
    pub(super) fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
        match self {
            Self::Http2(body, place) => {
                let data = ready!(http2::poll_data(body, cx));
                if data.is_none() || body.is_end_stream() {
                    *place = None;
                }
                Poll::Ready(data)
            }
            Self::Http1(body) => loop {
                match ready!(Pin::new(&mut *body).poll_frame(cx)) {
                    None => return Poll::Ready(None),
                    Some(Err(error)) => return Poll::Ready(Some(Err(Broken::Http1(error)))),
                    Some(Ok(frame)) => {
                        if let Ok(data) = frame.into_data() {
                            return Poll::Ready(Some(Ok(data)));
                        }
                    }
                }
            },
        }
    }
}
