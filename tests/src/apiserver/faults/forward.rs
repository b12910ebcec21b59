//! A request to the server and the answer back, piece by piece.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, RETRY_AFTER, TRANSFER_ENCODING};
use hyper::{Request, Response, StatusCode, Version};
use hyper_util::rt::TokioIo;
use kubeloom::meta::Status;
use kubeloom::wire::Format;
use rustls::pki_types::ServerName;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

use super::Shared;
use super::plan::{Fault, Piece};

type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// The way of one connection.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) shared: Arc<Shared>,
    /// Resets this connection.
    pub(super) reset: Arc<Notify>,
}

impl Way {
    /// Answers a request: from the server, or with a fault.
    pub(super) async fn forward(&self, request: Request<Incoming>) -> Result<Answer, Infallible> {
        let path = request
            .uri()
            .path_and_query()
            .map_or("", |path| path.as_str())
            .to_owned();
        let accept = request
            .headers()
            .get("accept")
            .and_then(|accept| accept.to_str().ok());
        let protobuf = accept.is_some_and(|accept| accept.contains("protobuf"));
        let fault = self.shared.plan.request(&path);
        let body_fault = match fault {
            None => None,
            Some(Fault::Status(code)) => return Ok(refusal(code)),
            Some(Fault::Expired) if path.contains("watch=") => return Ok(expired(protobuf)),
            Some(Fault::Expired) => return Ok(refusal(410)),
            Some(Fault::Stall) => pending().await,
            Some(Fault::Reset) => {
                self.reset.notify_one();
                pending().await
            }
            Some(Fault::Delay(wait)) => {
                sleep(wait).await;
                None
            }
            Some(Fault::StallBody) => Some(Piece::Stall),
            Some(Fault::HalfBody) => Some(Piece::Half),
        };
        Ok(match self.call(request).await {
            Ok(answer) => answer.map(|body| {
                let pieces = Pieces {
                    body,
                    way: self.clone(),
                    next: body_fault,
                    ready: VecDeque::new(),
                    state: State::Flowing,
                };
                UnsyncBoxBody::new(pieces)
            }),
            Err(_) => {
                // The server is not there: what a client without a proxy would see.
                self.reset.notify_one();
                pending().await
            }
        })
    }

    /// The server's answer, over a connection of its own.
    async fn call(&self, request: Request<Incoming>) -> io::Result<Response<Incoming>> {
        let stream = TcpStream::connect(self.shared.server).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::IpAddress(self.shared.server.ip().into());
        let tls = self.shared.connector.connect(name, stream).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(tls))
            .await
            .map_err(io::Error::other)?;
        tokio::spawn(connection);
        let (mut head, body) = request.into_parts();
        head.version = Version::HTTP_11;
        head.uri = head
            .uri
            .path_and_query()
            .and_then(|path| path.as_str().parse().ok())
            .unwrap_or_default();
        for name in [CONNECTION, TRANSFER_ENCODING] {
            head.headers.remove(name);
        }
        if let Ok(host) = self.shared.server.to_string().parse() {
            head.headers.insert(HOST, host);
        }
        let answer = sender.send_request(Request::from_parts(head, body)).await;
        let mut answer = answer.map_err(io::Error::other)?;
        for name in [CONNECTION, TRANSFER_ENCODING] {
            answer.headers_mut().remove(name);
        }
        *answer.version_mut() = Version::HTTP_11;
        Ok(answer)
    }
}

fn whole(bytes: Vec<u8>) -> UnsyncBoxBody<Bytes, io::Error> {
    UnsyncBoxBody::new(Full::new(Bytes::from(bytes)).map_err(|never: Infallible| match never {}))
}

fn reason(code: u16) -> &'static str {
    match code {
        410 => "Expired",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    }
}

/// An answer of the proxy's own.
fn refusal(code: u16) -> Answer {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason(code),
        "message": "a fault of the proxy",
    });
    let mut answer = Response::new(whole(status.to_string().into_bytes()));
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = answer.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        hyper::header::HeaderValue::from_static("application/json"),
    );
    if matches!(code, 429 | 503) {
        headers.insert(RETRY_AFTER, hyper::header::HeaderValue::from_static("1"));
    }
    answer
}

/// A watch that ends at once: its version is too old.
fn expired(protobuf: bool) -> Answer {
    let status = Status {
        status: "Failure".into(),
        code: 410,
        reason: "Expired".into(),
        message: "too old resource version: a fault of the proxy".into(),
        ..Status::default()
    };
    let format = if protobuf { Format::Protobuf } else { Format::Json };
    // A Status encodes.
    let frame = crate::frames::watch_event(format, "ERROR", &status).unwrap_or_default();
    let mut answer = Response::new(whole(frame));
    let kind = match format {
        Format::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        _ => "application/json",
    };
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    answer
}

/// The pieces of an answer, with faults among them.
struct Pieces {
    body: Incoming,
    way: Way,
    /// What the first piece meets.
    next: Option<Piece>,
    ready: VecDeque<Frame<Bytes>>,
    state: State,
}

enum State {
    Flowing,
    Waiting(Pin<Box<Sleep>>),
    Stalled,
    /// The stream breaks after so long: what was sent before is to arrive.
    Breaking(Pin<Box<Sleep>>),
}

/// HTTP/2 drops what has not been sent when a stream breaks.
const BEFORE_BREAK: Duration = Duration::from_millis(50);

impl Pieces {
    fn meet(&mut self, piece: Piece, data: &Bytes) {
        let frame = |data: &Bytes| Frame::data(data.clone());
        match piece {
            Piece::Delay(wait) => {
                self.ready.push_back(frame(data));
                self.state = State::Waiting(Box::pin(sleep(wait)));
            }
            Piece::Stall => self.state = State::Stalled,
            Piece::Half => {
                self.ready.push_back(frame(&data.slice(..data.len() / 2)));
                self.state = State::Breaking(Box::pin(sleep(BEFORE_BREAK)));
            }
            Piece::Reset => {
                self.way.reset.notify_one();
                self.state = State::Stalled;
            }
        }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let State::Waiting(wait) = &mut self.state {
                std::task::ready!(wait.as_mut().poll(cx));
                self.state = State::Flowing;
            }
            if let Some(frame) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(frame)));
            }
            match &mut self.state {
                State::Stalled => return Poll::Pending,
                State::Breaking(wait) => {
                    std::task::ready!(wait.as_mut().poll(cx));
                    return Poll::Ready(Some(Err(io::Error::other("a fault of the proxy"))));
                }
                State::Flowing | State::Waiting(_) => {}
            }
            let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(cx));
            let frame = match frame {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error)))),
                Some(Ok(frame)) => frame,
            };
            let Some(data) = frame.data_ref().cloned() else {
                return Poll::Ready(Some(Ok(frame)));
            };
            let meets = self.next.take().or_else(|| self.way.shared.plan.piece());
            match meets {
                None => return Poll::Ready(Some(Ok(frame))),
                Some(piece) => self.meet(piece, &data),
            }
        }
    }
}
