//! A server of one lease, without a socket: it checks versions as servers do, and fails as it is told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::leader_election::Lease;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{
    Body, BoxFuture, Headers, Method, Request, Response, Transport, TransportError, TransportErrorKind,
};
use kubeloom::wire::{Format, Wire};
use serde_json::json;

/// What happens to a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fault {
    /// Before the server sees it.
    pub(crate) before: Duration,
    /// Whether it gets there.
    pub(crate) lost: bool,
    /// Between the server's deed and the answer.
    pub(crate) after: Duration,
    /// Whether the answer gets lost.
    pub(crate) answer_lost: bool,
    /// The server says this and does nothing.
    pub(crate) status: Option<(u16, &'static str)>,
}

impl Fault {
    pub(crate) fn lost() -> Self {
        Self {
            lost: true,
            ..Self::default()
        }
    }

    pub(crate) fn answer_lost() -> Self {
        Self {
            answer_lost: true,
            ..Self::default()
        }
    }

    pub(crate) fn slow(before: u64, after: u64) -> Self {
        Self {
            before: Duration::from_secs(before),
            after: Duration::from_secs(after),
            ..Self::default()
        }
    }

    pub(crate) fn hangs() -> Self {
        Self::slow(1_000_000, 0)
    }

    pub(crate) fn says(code: u16, reason: &'static str) -> Self {
        Self {
            status: Some((code, reason)),
            ..Self::default()
        }
    }
}

#[derive(Debug, Default)]
struct Store {
    lease: Option<Lease>,
    version: u64,
    writes: Vec<Lease>,
}

/// The server; clones are the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeaseServer(Arc<Mutex<Store>>);

/// The way of one candidate to the server.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    server: LeaseServer,
    next: Arc<Mutex<VecDeque<Fault>>>,
    always: Arc<Mutex<Fault>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl LeaseServer {
    pub(crate) fn way(&self) -> Way {
        Way {
            server: self.clone(),
            next: Arc::default(),
            always: Arc::default(),
            seen: Arc::default(),
        }
    }

    /// The lease as it is.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.0.lock().unwrap().lease.clone()
    }

    pub(crate) fn holder(&self) -> String {
        self.lease()
            .map(|lease| lease.spec.holder().to_owned())
            .unwrap_or_default()
    }

    /// All that was written by requests, in order.
    pub(crate) fn writes(&self) -> Vec<Lease> {
        self.0.lock().unwrap().writes.clone()
    }

    /// Changes the lease behind everybody's back; `None` deletes it.
    pub(crate) fn set(&self, change: impl FnOnce(Option<Lease>) -> Option<Lease>) {
        let mut store = self.0.lock().unwrap();
        let lease = store.lease.take();
        store.version += 1;
        let version = store.version;
        store.lease = change(lease).map(|mut lease| {
            lease.metadata.resource_version = version.to_string().into();
            lease
        });
    }

    fn handle(&self, request: &Request) -> Result<Lease, (u16, &'static str)> {
        let mut store = self.0.lock().unwrap();
        if request.method == Method::Get {
            return store.lease.clone().ok_or((404, "NotFound"));
        }
        let format = request
            .headers
            .get("content-type")
            .and_then(Format::from_content_type);
        let mut lease = Lease::decode(format.unwrap(), &request.body).unwrap();
        let seconds = lease.spec.lease_duration_seconds;
        if seconds.is_some_and(|seconds| seconds <= 0) {
            return Err((422, "Invalid"));
        }
        match (&store.lease, request.method) {
            (Some(_), Method::Post) => return Err((409, "AlreadyExists")),
            (None, Method::Put) => return Err((404, "NotFound")),
            (Some(there), Method::Put)
                if there.metadata.resource_version != lease.metadata.resource_version =>
            {
                return Err((409, "Conflict"));
            }
            (Some(there), Method::Put) if there.spec == lease.spec => return Ok(there.clone()),
            _ => {}
        }
        store.version += 1;
        lease.metadata.resource_version = store.version.to_string().into();
        if request.method == Method::Post {
            lease.metadata.uid = format!("uid-{}", store.version).into();
        }
        store.lease = Some(lease.clone());
        store.writes.push(lease.clone());
        Ok(lease)
    }
}

impl Way {
    pub(crate) fn client(&self) -> RestClient {
        RestClient::with_transport(self.clone(), ClientOptions::default())
    }

    /// The next requests suffer these, in turn.
    pub(crate) fn next(&self, faults: impl IntoIterator<Item = Fault>) -> &Self {
        self.next.lock().unwrap().extend(faults);
        self
    }

    /// From now on all others suffer this.
    pub(crate) fn always(&self, fault: Fault) -> &Self {
        *self.always.lock().unwrap() = fault;
        self
    }

    /// The methods of the requests since the last look.
    pub(crate) fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

fn failure(message: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, message)
}

impl Transport for Way {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let next = self.next.lock().unwrap().pop_front();
        let fault = next.unwrap_or_else(|| *self.always.lock().unwrap());
        self.seen.lock().unwrap().push(request.method.to_string());
        let server = self.server.clone();
        // What is on its way gets there even if nobody waits for the answer any more.
        let work = tokio::spawn(async move {
            tokio::time::sleep(fault.before).await;
            if fault.lost {
                return Err(failure("lost"));
            }
            let answer = match fault.status {
                Some(status) => Err(status),
                None if request.path.starts_with("/apis/coordination.k8s.io/v1/") => server.handle(&request),
                None => Err((404, "NotFound")),
            };
            tokio::time::sleep(fault.after).await;
            if fault.answer_lost {
                return Err(failure("the answer is lost"));
            }
            let mut headers = Headers::new();
            let (status, body) = match answer {
                Ok(lease) => {
                    headers.set("content-type", Format::Protobuf.content_type());
                    (200, lease.encode(Format::Protobuf).unwrap())
                }
                Err((code, reason)) => {
                    headers.set("content-type", "application/json");
                    let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason});
                    (code, status.to_string().into_bytes())
                }
            };
            Ok(Response {
                status,
                headers,
                body: Body::stream(futures_util::stream::iter([Ok(body.into())])),
            })
        });
        Box::pin(async move { work.await.unwrap() })
    }
}
