//! A server without a socket: answers by method and path, in turn, and remembers what was asked.

#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail as tests do"
)]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{
    Body, BoxFuture, Headers, Request, Response, Transport, TransportError, TransportErrorKind,
};
use serde_json::{Value, json};

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    code: u16,
    content_type: String,
    etag: Option<String>,
    chunks: Vec<Vec<u8>>,
    delay: Duration,
    /// Whether the body stays open after its chunks.
    open: bool,
    /// Whether there is no answer at all.
    refused: bool,
}

impl Reply {
    pub(crate) fn new(code: u16, content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self {
            code,
            content_type: content_type.to_owned(),
            etag: None,
            chunks: vec![body.as_ref().to_vec()],
            delay: Duration::ZERO,
            open: false,
            refused: false,
        }
    }

    pub(crate) fn ok(body: &Value) -> Self {
        Self::new(200, "application/json", body.to_string())
    }

    /// A failure as servers say it.
    pub(crate) fn failure(code: u16, reason: &str) -> Self {
        let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": "scripted"});
        Self::new(code, "application/json", body.to_string())
    }

    /// A watch that sends `events` and is then closed by the server.
    pub(crate) fn events(events: &[Value]) -> Self {
        let mut reply = Self::new(200, "application/json", "");
        reply.chunks = events
            .iter()
            .map(|event| event.to_string().into_bytes())
            .collect();
        reply
    }

    /// The same, with a body that does not end.
    pub(crate) fn left_open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Answers 304 without a body to who has this version.
    pub(crate) fn etag(mut self, etag: &str) -> Self {
        self.etag = Some(etag.to_owned());
        self
    }

    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// No answer: the connection is refused.
    pub(crate) fn refused() -> Self {
        Self {
            refused: true,
            ..Self::new(0, "", "")
        }
    }
}

#[derive(Debug, Default)]
struct State {
    routes: BTreeMap<String, VecDeque<Reply>>,
    seen: Vec<Request>,
    at_once: usize,
    most_at_once: usize,
}

/// The server; clones are the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script(Arc<Mutex<State>>);

impl Script {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds an answer to `GET /path?query`. Answers to the same request are given in turn; the last one stays.
    pub(crate) fn on(&self, request: &str, reply: Reply) -> &Self {
        let mut state = self.0.lock().unwrap();
        state
            .routes
            .entry(request.to_owned())
            .or_default()
            .push_back(reply);
        drop(state);
        self
    }

    /// Forgets the answers to a request, so that others can be set.
    pub(crate) fn forget(&self, request: &str) -> &Self {
        self.0.lock().unwrap().routes.remove(request);
        self
    }

    pub(crate) fn client(&self) -> RestClient {
        RestClient::with_transport(self.clone(), ClientOptions::default())
    }

    /// What was asked since the last look, as `GET /path?query`, in order.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.take().iter().map(line).collect()
    }

    /// The requests since the last look.
    pub(crate) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut self.0.lock().unwrap().seen)
    }

    /// The largest number of requests that waited for their answers at one time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.0.lock().unwrap().most_at_once
    }
}

fn line(request: &Request) -> String {
    format!("{} {}", request.method, request.path)
}

impl Transport for Script {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let mut state = self.0.lock().unwrap();
        let reply = match state.routes.get_mut(&line(&request)) {
            Some(replies) if replies.len() > 1 => replies.pop_front().unwrap(),
            Some(replies) => replies.front().unwrap().clone(),
            None => Reply::failure(404, "NotFound"),
        };
        let unchanged = reply.etag.is_some() && reply.etag.as_deref() == request.headers.get("if-none-match");
        let limit = request.timeout.unwrap_or(Duration::MAX);
        state.seen.push(request);
        state.at_once += 1;
        state.most_at_once = state.most_at_once.max(state.at_once);
        drop(state);
        Box::pin(async move {
            let _ = tokio::time::timeout(limit, tokio::time::sleep(reply.delay)).await;
            self.0.lock().unwrap().at_once -= 1;
            if reply.delay > limit {
                return Err(TransportError::new(TransportErrorKind::Timeout, "scripted"));
            }
            if reply.refused {
                return Err(TransportError::new(TransportErrorKind::Closed, "scripted"));
            }
            let mut headers = Headers::new();
            headers.set("content-type", &*reply.content_type);
            if let Some(etag) = &reply.etag {
                headers.set("etag", &**etag);
            }
            if unchanged {
                return Ok(Response {
                    status: 304,
                    headers,
                    body: Body::stream(futures_util::stream::empty()),
                });
            }
            let chunks = futures_util::stream::iter(reply.chunks.into_iter().map(|chunk| Ok(chunk.into())));
            let body = if reply.open {
                Body::stream(futures_util::StreamExt::chain(
                    chunks,
                    futures_util::stream::pending(),
                ))
            } else {
                Body::stream(chunks)
            };
            Ok(Response {
                status: reply.code,
                headers,
                body,
            })
        })
    }
}
