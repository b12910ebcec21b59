//! Finalizers, against a server that holds one object.

use std::sync::MutexGuard;

use kubeloom::controller::{Finalizer, FinalizerError};
use kubeloom::generated::*;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{Body, BoxFuture, Headers, Method, Request, Response, Transport, TransportError};
use serde_json::{Value, json};

use super::*;

const CLEANUP: Finalizer = Finalizer::new("demo.example.com/cleanup");

#[derive(Clone, Default)]
struct Site {
    metadata: ObjectMeta,
}
record! { Site = "demo.example.com/v1" "Site" { 0 metadata "metadata" [1] KEEP; } }

impl Resource for Site {
    type Scope = Namespaced;
    const GROUP: &'static str = "demo.example.com";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "demo.example.com/v1";
    const KIND: &'static str = "Site";
    const PLURAL: &'static str = "sites";
    const SINGULAR: &'static str = "site";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
offers! { Site { verb::Get, verb::Patch } }

/// Merges patches into one object, as servers do.
#[derive(Clone, Debug, Default)]
struct Store(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    object: Option<Value>,
    calls: Vec<&'static str>,
    /// Someone else writes before each of so many patches.
    rivals: u32,
}

impl Store {
    fn new(finalizers: Value) -> Self {
        let store = Self::default();
        store.held().object = Some(
            json!({"apiVersion": "demo.example.com/v1", "kind": "Site", "metadata":
            {"name": "a", "namespace": "web", "uid": "u1", "resourceVersion": "7", "finalizers": finalizers}}),
        );
        store
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap()
    }

    fn api(&self) -> Api<Site> {
        RestClient::with_transport(self.clone(), ClientOptions::default()).namespaced("web")
    }

    fn site(&self) -> Site {
        serde_json::from_value(self.held().object.clone().unwrap()).unwrap()
    }

    fn finalizers(&self) -> Value {
        self.held().object.as_ref().unwrap()["metadata"]["finalizers"].clone()
    }
}

impl Held {
    fn write(&mut self) {
        let meta = &mut self.object.as_mut().unwrap()["metadata"];
        let version: u64 = meta["resourceVersion"].as_str().unwrap().parse().unwrap();
        meta["resourceVersion"] = json!((version + 1).to_string());
    }

    fn patch(&mut self, body: &Value) -> (u16, Value) {
        if self.rivals > 0 {
            self.rivals -= 1;
            self.write();
        }
        let meta = &self.object.as_ref().unwrap()["metadata"];
        let differs = |field: &str| body["metadata"][field] != meta[field];
        if differs("uid") || differs("resourceVersion") {
            return (409, status(409, "Conflict"));
        }
        self.object.as_mut().unwrap()["metadata"]["finalizers"] = body["metadata"]["finalizers"].clone();
        self.write();
        (200, self.object.clone().unwrap())
    }
}

fn status(code: u16, reason: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason})
}

impl Transport for Store {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let mut held = self.held();
        let (code, body) = match (request.method, held.object.is_some()) {
            (_, false) => (404, status(404, "NotFound")),
            (Method::Get, true) => {
                held.calls.push("get");
                (200, held.object.clone().unwrap())
            }
            _ => {
                held.calls.push("patch");
                let body = serde_json::from_slice(&request.body).unwrap();
                held.patch(&body)
            }
        };
        drop(held);
        let mut headers = Headers::new();
        headers.set("content-type", "application/json");
        let body = Body::full(body.to_string());
        Box::pin(std::future::ready(Ok(Response {
            status: code,
            headers,
            body,
        })))
    }
}

#[tokio::test]
async fn a_finalizer_is_put_on_once_and_leaves_others_alone() {
    let store = Store::new(json!(["other"]));
    let added = CLEANUP.add(&store.api(), &store.site()).await.unwrap();
    assert!(CLEANUP.is_on(&added));
    assert_eq!(store.finalizers(), json!(["other", "demo.example.com/cleanup"]));
    // Nothing to do, no call.
    CLEANUP.add(&store.api(), &added).await.unwrap();
    assert_eq!(store.held().calls, ["patch"]);
    CLEANUP.remove(&store.api(), &added).await.unwrap();
    assert_eq!(store.finalizers(), json!(["other"]));
    CLEANUP.remove(&store.api(), &store.site()).await.unwrap();
    assert_eq!(store.held().calls, ["patch", "patch"]);
}

#[tokio::test]
async fn a_state_that_is_old_is_read_anew() {
    let store = Store::new(json!([]));
    let old = store.site();
    store.held().object.as_mut().unwrap()["metadata"]["finalizers"] = json!(["late"]);
    store.held().write();
    CLEANUP.add(&store.api(), &old).await.unwrap();
    assert_eq!(store.finalizers(), json!(["late", "demo.example.com/cleanup"]));
    assert_eq!(store.held().calls, ["patch", "get", "patch"]);
}

#[tokio::test]
async fn rivals_win_five_times_and_no_more() {
    for (rivals, wins) in [(4, true), (5, false)] {
        let store = Store::new(json!([]));
        store.held().rivals = rivals;
        let result = CLEANUP.add(&store.api(), &store.site()).await;
        match result {
            Ok(site) => assert!(wins && CLEANUP.is_on(&site), "{rivals}"),
            Err(FinalizerError::Call(error)) => assert!(!wins && error.is_conflict(), "{rivals}: {error}"),
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn objects_that_go_take_no_finalizer_and_need_none_taken_off() {
    let store = Store::new(json!([]));
    let old = store.site();
    let mut going = old.clone();
    going.metadata.deletion_timestamp = Some(Time::from_unix(1_800_000_000, 0).unwrap());
    let refused = CLEANUP.add(&store.api(), &going).await;
    assert!(matches!(refused, Err(FinalizerError::BeingDeleted)));
    assert_eq!(store.held().calls, [""; 0]);

    let mut with = old.clone();
    with.metadata.finalizers.push(CLEANUP.name().into());
    // Another one has its name now.
    store.held().object.as_mut().unwrap()["metadata"]["uid"] = json!("u2");
    let gone = CLEANUP.add(&store.api(), &old).await;
    assert!(matches!(gone, Err(FinalizerError::Gone)), "{gone:?}");
    CLEANUP.remove(&store.api(), &with).await.unwrap();
    assert_eq!(store.finalizers(), json!([]), "the other one is left alone");

    store.held().object = None;
    CLEANUP.remove(&store.api(), &with).await.unwrap();
    let gone = CLEANUP.add(&store.api(), &old).await.unwrap_err();
    assert!(matches!(gone, FinalizerError::Call(error) if error.is_not_found()));
}
