//! A server of leases in the process: any number of them, with lists, watches, conflicts, and ways that can be cut.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use kubeloom::RestClient;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{Body, BoxFuture, Headers, Method, Request, Response, Transport, TransportError};
use kubeloom::wire::Format;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

#[derive(Debug, Default)]
struct Store {
    leases: BTreeMap<String, Value>,
    version: u64,
    watchers: Vec<UnboundedSender<Result<Bytes, TransportError>>>,
}

/// The server.
#[derive(Clone, Debug, Default)]
pub struct Leases(Arc<Mutex<Store>>);

/// A way to the server.
#[derive(Clone, Debug)]
pub struct Way {
    server: Leases,
    /// Requests are lost, and no event comes.
    pub cut: Arc<AtomicBool>,
    /// How long a request and an answer take, in milliseconds.
    pub slow: Arc<AtomicU64>,
}

impl Leases {
    pub fn way(&self) -> Way {
        Way {
            server: self.clone(),
            cut: Arc::default(),
            slow: Arc::default(),
        }
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.0.lock().unwrap()
    }

    /// The names of the leases.
    pub fn names(&self) -> Vec<String> {
        self.store().leases.keys().cloned().collect()
    }
}

impl Way {
    pub fn client(&self) -> RestClient {
        let mut options = ClientOptions::default();
        options.format = Format::Json;
        RestClient::with_transport(self.clone(), options)
    }

    async fn pass(&self) {
        tokio::time::sleep(std::time::Duration::from_millis(self.slow.load(Ordering::SeqCst))).await;
        if self.cut.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }
}

fn status(code: u16, reason: &str) -> (u16, Value) {
    let body =
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason});
    (code, body)
}

impl Store {
    fn put(&mut self, name: &str, mut lease: Value, kind: &str) -> Value {
        self.version += 1;
        lease["metadata"]["resourceVersion"] = json!(self.version.to_string());
        if kind == "DELETED" {
            self.leases.remove(name);
        } else {
            self.leases.insert(name.to_owned(), lease.clone());
        }
        let event = Bytes::from(format!("{}\n", json!({"type": kind, "object": lease})));
        self.watchers
            .retain(|watcher| watcher.send(Ok(event.clone())).is_ok());
        lease
    }

    fn answer(&mut self, request: &Request) -> (u16, Value) {
        let path = request.path.split('?').next().unwrap_or_default();
        let name = path
            .split("/leases")
            .nth(1)
            .unwrap_or_default()
            .trim_start_matches('/')
            .to_owned();
        let known = self.leases.get(&name).cloned();
        let body = || serde_json::from_slice::<Value>(&request.body).unwrap();
        match (request.method, known) {
            (Method::Get, _) if name.is_empty() => {
                let items: Vec<_> = self.leases.values().cloned().collect();
                let meta = json!({"resourceVersion": self.version.max(1).to_string()});
                (
                    200,
                    json!({"kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1", "metadata": meta, "items": items}),
                )
            }
            (Method::Post, _) => {
                let mut lease = body();
                let name = lease["metadata"]["name"].as_str().unwrap().to_owned();
                if self.leases.contains_key(&name) {
                    return status(409, "AlreadyExists");
                }
                lease["metadata"]["uid"] = json!(format!("uid-{}", self.version));
                (201, self.put(&name, lease, "ADDED"))
            }
            (_, None) => status(404, "NotFound"),
            (Method::Get, Some(known)) => (200, known),
            (Method::Put, Some(known)) => {
                let mut lease = body();
                if lease["metadata"]["resourceVersion"] != known["metadata"]["resourceVersion"] {
                    return status(409, "Conflict");
                }
                lease["metadata"]["uid"] = known["metadata"]["uid"].clone();
                (200, self.put(&name, lease, "MODIFIED"))
            }
            (_, Some(known)) => (200, self.put(&name, known, "DELETED")),
        }
    }
}

impl Transport for Way {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            self.pass().await;
            let mut headers = Headers::new();
            headers.set("content-type", "application/json");
            if request.path.contains("sendInitialEvents=true") {
                let (status, body) = status(400, "BadRequest");
                return Ok(Response {
                    status,
                    headers,
                    body: Body::full(body.to_string()),
                });
            }
            if request.path.contains("watch=") {
                let (sender, mut receiver) = unbounded_channel();
                self.server.store().watchers.push(sender);
                let cut = self.cut.clone();
                let stream = async_stream(move |cx| {
                    if cut.load(Ordering::SeqCst) {
                        return std::task::Poll::Pending;
                    }
                    receiver.poll_recv(cx)
                });
                return Ok(Response {
                    status: 200,
                    headers,
                    body: Body::stream(stream),
                });
            }
            let (status, body) = self.server.store().answer(&request);
            self.pass().await;
            Ok(Response {
                status,
                headers,
                body: Body::full(body.to_string()),
            })
        })
    }
}

fn async_stream<T>(
    poll: impl FnMut(&mut std::task::Context<'_>) -> std::task::Poll<Option<T>>,
) -> impl futures_core::Stream<Item = T> {
    futures_util::stream::poll_fn(poll)
}
