//! A list/watch server in the process: objects with versions, a history, and faults as data.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use kubeloom::generated::*;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{
    Body, BoxFuture, ConnectFailure, Headers, Request, Response, Transport, TransportError,
    TransportErrorKind,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[derive(Clone, Default)]
pub struct Thing {
    pub metadata: ObjectMeta,
    pub size: i64,
}
record! { Thing = "demo.example.com/v1" "Thing" { 0 metadata "metadata" [1] KEEP; 1 size "size" [2] KEEP; } }

impl Resource for Thing {
    type Scope = Namespaced;
    const GROUP: &'static str = "demo.example.com";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "demo.example.com/v1";
    const KIND: &'static str = "Thing";
    const PLURAL: &'static str = "things";
    const SINGULAR: &'static str = "thing";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
offers! { Thing { verb::List, verb::Watch } }

/// What the server does with streaming lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    Offered,
    /// 400, as servers that do not know the parameter.
    Refused,
    /// The objects come, a plain bookmark too, the annotated one never.
    NeverEnded,
    /// Changes go on for ever, so that it never is quiet, and the end never comes.
    Busy,
}

/// What becomes of the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Refused,
    Reset,
    Status(u16, &'static str, Option<u32>),
    /// 200, then an ERROR event (watch) or a Status as body (list).
    Hidden(u16, &'static str),
    /// 200 with a page of HTML.
    Html,
    /// 200 with JSON of something else than a list or an event.
    OtherJson,
    /// The body breaks off.
    HalfBody,
    /// 200 and an empty stream that ends at once.
    Empty,
    /// The answer never comes.
    Panic,
}

/// How open watches end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Close,
    Reset,
    HalfFrame,
    Expired,
    TooManyRequests,
    InternalError,
}

#[derive(Default)]
pub struct State {
    pub objects: BTreeMap<(String, String), Value>,
    pub version: u64,
    log: Vec<(u64, &'static str, Value)>,
    /// Versions before this one are gone.
    oldest: u64,
    watchers: Vec<Watcher>,
    pub list_faults: VecDeque<Fault>,
    pub watch_faults: VecDeque<Fault>,
    pub requests: Vec<String>,
    tokens: BTreeMap<String, (u64, Vec<Value>)>,
    pages: bool,
    uids: u64,
}

#[derive(Debug)]
struct Watcher {
    namespace: Option<String>,
    sender: UnboundedSender<Result<Bytes, TransportError>>,
}

#[derive(Clone)]
pub struct Server {
    state: Arc<Mutex<State>>,
    streams: Streams,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Server")
    }
}

fn event(kind: &str, object: &Value) -> Bytes {
    format!("{}\n", json!({"type": kind, "object": object})).into()
}

fn bookmark(version: u64, end: bool) -> Bytes {
    let mut object = json!({"kind": "Thing", "metadata": {"resourceVersion": version.to_string(), "creationTimestamp": null}});
    if end {
        object["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
    }
    event("BOOKMARK", &object)
}

fn status(code: u16, reason: &str, after: Option<u32>) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason,
        "message": reason, "details": {"retryAfterSeconds": after.unwrap_or(0)}})
}

fn broken(kind: TransportErrorKind) -> TransportError {
    TransportError::new(kind, "on purpose")
}

fn answer(code: u16, body: Body) -> Response {
    let mut headers = Headers::new();
    headers.set("content-type", "application/json");
    Response {
        status: code,
        headers,
        body,
    }
}

fn stream(receiver: UnboundedReceiver<Result<Bytes, TransportError>>) -> Body {
    let chunks = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let chunk = receiver.recv().await?;
        Some((chunk, receiver))
    });
    Body::stream(chunks)
}

impl Server {
    pub fn new(streams: Streams) -> Self {
        let state = State {
            version: 10,
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            streams,
        }
    }

    pub fn client(&self) -> RestClient {
        RestClient::with_transport(self.clone(), ClientOptions::default())
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn watchers(&self) -> usize {
        let mut state = self.state();
        state.watchers.retain(|watcher| !watcher.sender.is_closed());
        state.watchers.len()
    }

    pub fn page(&self) {
        self.state().pages = true;
    }

    /// Creates or updates `namespace/name`.
    pub fn put(&self, key: &str, size: i64) -> u64 {
        self.put_value(key, json!(size))
    }

    pub fn put_value(&self, key: &str, size: Value) -> u64 {
        let (namespace, name) = key.split_once('/').unwrap();
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        let place = (namespace.to_owned(), name.to_owned());
        let known = state
            .objects
            .get(&place)
            .map(|object| object["metadata"]["uid"].clone());
        let kind = if known.is_some() { "MODIFIED" } else { "ADDED" };
        let uid = known.unwrap_or_else(|| {
            state.uids += 1;
            json!(state.uids.to_string())
        });
        let object = json!({"metadata": {"name": name, "namespace": namespace, "uid": uid,
            "resourceVersion": version.to_string(), "managedFields": [{"manager": "m"}]}, "size": size});
        state.objects.insert(place, object.clone());
        state.tell(kind, object);
        version
    }

    /// Changes an object that is there.
    #[allow(dead_code, reason = "not all tests that share this server change objects")]
    pub fn change(&self, key: &str, change: impl FnOnce(&mut Value)) {
        let (namespace, name) = key.split_once('/').unwrap();
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        let place = (namespace.to_owned(), name.to_owned());
        let object = state.objects.get_mut(&place).unwrap();
        change(object);
        object["metadata"]["resourceVersion"] = json!(version.to_string());
        let object = object.clone();
        state.tell("MODIFIED", object);
    }

    pub fn delete(&self, key: &str) {
        let (namespace, name) = key.split_once('/').unwrap();
        let mut state = self.state();
        let Some(mut object) = state.objects.remove(&(namespace.to_owned(), name.to_owned())) else {
            return;
        };
        state.version += 1;
        object["metadata"]["resourceVersion"] = json!(state.version.to_string());
        state.tell("DELETED", object);
    }

    /// No older version can be watched any more, and no list be continued.
    pub fn compact(&self) {
        let mut state = self.state();
        state.oldest = state.version;
        state.tokens.clear();
    }

    pub fn bookmark(&self) {
        let mut state = self.state();
        state.version += 1;
        let bytes = bookmark(state.version, false);
        state.send(None, &bytes);
    }

    pub fn cut(&self, how: Cut) {
        let watchers = std::mem::take(&mut self.state().watchers);
        for watcher in watchers {
            let last = match how {
                Cut::Close => None,
                Cut::Reset => Some(Err(broken(TransportErrorKind::Reset))),
                Cut::HalfFrame => Some(Ok(Bytes::from_static(
                    b"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"na",
                ))),
                Cut::Expired => Some(Ok(event("ERROR", &status(410, "Expired", None)))),
                Cut::TooManyRequests => Some(Ok(event("ERROR", &status(429, "TooManyRequests", Some(1))))),
                Cut::InternalError => Some(Ok(event("ERROR", &status(500, "InternalError", None)))),
            };
            if let Some(last) = last {
                let _ = watcher.sender.send(last);
            }
        }
    }

    /// Loses the watches without telling their clients, for as long as what is returned lives.
    pub fn forget(&self) -> impl Sized + use<> {
        std::mem::take(&mut self.state().watchers)
    }

    pub fn backup(&self) -> (BTreeMap<(String, String), Value>, u64) {
        let state = self.state();
        (state.objects.clone(), state.version)
    }

    /// The server restarts with the state of a backup.
    pub fn restore(&self, backup: (BTreeMap<(String, String), Value>, u64)) {
        self.cut(Cut::Reset);
        let mut state = self.state();
        (state.objects, state.version) = backup;
        // A server that has just started knows no history.
        state.log.clear();
        state.oldest = state.version;
        state.tokens.clear();
    }

    /// `namespace/name@version=size` of all objects.
    pub fn texts(&self) -> Vec<String> {
        let state = self.state();
        let objects = state.objects.iter().map(|((namespace, name), object)| {
            let version = object["metadata"]["resourceVersion"].as_str().unwrap();
            format!("{namespace}/{name}@{version}={}", object["size"])
        });
        objects.collect()
    }

    fn list(&self, query: &BTreeMap<String, String>, namespace: Option<&str>) -> Response {
        let get = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        let mut state = self.state();
        let fail = |code, reason: &str| answer(code, Body::full(status(code, reason, None).to_string()));
        let (version, mut items) = if get("continue").is_empty() {
            let asked: u64 = get("resourceVersion").parse().unwrap_or(0);
            if asked > state.version {
                let mut body = status(504, "Timeout", None);
                body["details"]["causes"] = json!([{"reason": "ResourceVersionTooLarge"}]);
                return answer(504, Body::full(body.to_string()));
            }
            let objects = state
                .objects
                .iter()
                .filter(|((ns, _), _)| namespace.is_none_or(|one| ns == one));
            (
                state.version,
                objects.map(|(_, object)| object.clone()).collect::<Vec<_>>(),
            )
        } else {
            assert_eq!(get("resourceVersion"), "", "no version with a token");
            match state.tokens.remove(get("continue")) {
                Some(rest) => rest,
                None => return fail(410, "Expired"),
            }
        };
        let limit: usize = get("limit").parse().unwrap_or(usize::MAX);
        let mut token = String::new();
        let pages = state.pages || get("limit") == "1";
        if pages && items.len() > limit {
            let rest = items.split_off(limit);
            token = format!("t{}", state.requests.len());
            state.tokens.insert(token.clone(), (version, rest));
        }
        let body = json!({"kind": "ThingList", "apiVersion": "demo.example.com/v1",
            "metadata": {"resourceVersion": version.to_string(), "continue": token}, "items": items});
        answer(200, Body::full(body.to_string()))
    }

    fn watch(&self, query: &BTreeMap<String, String>, namespace: Option<&str>) -> Response {
        let get = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        let mut state = self.state();
        let fail = |code, reason: &str| answer(code, Body::full(status(code, reason, None).to_string()));
        let is_streaming = get("sendInitialEvents") == "true";
        if is_streaming && self.streams == Streams::Refused {
            return fail(400, "BadRequest");
        }
        let from: u64 = get("resourceVersion").parse().unwrap_or(0);
        let (sender, receiver) = unbounded_channel();
        let sees = |object: &Value| namespace.is_none_or(|one| object["metadata"]["namespace"] == one);
        if is_streaming {
            if from > state.version {
                let mut body = status(504, "Timeout", None);
                body["details"]["causes"] = json!([{"reason": "ResourceVersionTooLarge"}]);
                return answer(504, Body::full(body.to_string()));
            }
            for object in state.objects.values().filter(|object| sees(object)) {
                let _ = sender.send(Ok(event("ADDED", object)));
            }
            let _ = sender.send(Ok(bookmark(state.version, self.streams == Streams::Offered)));
            if self.streams == Streams::Busy {
                let (sender, version) = (sender.clone(), state.version);
                tokio::spawn(async move {
                    while sender.send(Ok(bookmark(version, false))).is_ok() {
                        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
                    }
                });
            }
        } else {
            assert!(from > 0, "a watch begins at a version");
            if from < state.oldest {
                return fail(410, "Expired");
            }
            for (version, kind, object) in &state.log {
                if *version > from && sees(object) {
                    let _ = sender.send(Ok(event(kind, object)));
                }
            }
        }
        state.watchers.push(Watcher {
            namespace: namespace.map(str::to_owned),
            sender,
        });
        answer(200, stream(receiver))
    }
}

impl State {
    fn tell(&mut self, kind: &'static str, object: Value) {
        let bytes = event(kind, &object);
        let namespace = object["metadata"]["namespace"].as_str().map(str::to_owned);
        self.log.push((self.version, kind, object));
        self.send(namespace.as_deref(), &bytes);
    }

    fn send(&mut self, namespace: Option<&str>, bytes: &Bytes) {
        self.watchers.retain(|watcher| {
            let sees = namespace.is_none()
                || watcher.namespace.is_none()
                || watcher.namespace.as_deref() == namespace;
            !watcher.sender.is_closed() && (!sees || watcher.sender.send(Ok(bytes.clone())).is_ok())
        });
    }
}

fn faulty(fault: Fault, is_watch: bool) -> Result<Response, TransportError> {
    let refused = TransportErrorKind::Connect(ConnectFailure::Refused);
    match fault {
        Fault::Refused => Err(broken(refused)),
        Fault::Reset => Err(broken(TransportErrorKind::Reset)),
        Fault::Status(code, reason, after) => Ok(answer(
            code,
            Body::full(serde_json::to_string_pretty(&status(code, reason, after)).unwrap()),
        )),
        Fault::Hidden(code, reason) if is_watch => Ok(answer(
            200,
            Body::full(event("ERROR", &status(code, reason, None))),
        )),
        Fault::Hidden(code, reason) => Ok(answer(200, Body::full(status(code, reason, None).to_string()))),
        Fault::Html => Ok(answer(200, Body::full("<html>hello</html>"))),
        Fault::OtherJson if is_watch => Ok(answer(
            200,
            Body::full(event("ADDED", &json!({"kind": "Table", "rows": []}))),
        )),
        Fault::OtherJson => Ok(answer(
            200,
            Body::full("{\"kind\": \"Table\", \"metadata\": {\"resourceVersion\": \"9\"}, \"rows\": []}"),
        )),
        Fault::HalfBody => Ok(answer(
            200,
            Body::full("{\"metadata\": {\"resourceVersion\": \"3\"}, \"items\": [{\"metadata\""),
        )),
        Fault::Empty if is_watch => Ok(answer(200, Body::empty())),
        Fault::Empty => Err(broken(TransportErrorKind::Closed)),
        Fault::Panic => panic!("on purpose"),
    }
}

impl Transport for Server {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let query: BTreeMap<_, _> = pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let namespace = path
                .split("/namespaces/")
                .nth(1)
                .and_then(|rest| rest.split('/').next());
            let is_watch = query.get("watch").is_some_and(|watch| watch == "true");
            let fault = {
                let mut state = self.state();
                state.requests.push(request.path.clone());
                if is_watch {
                    state.watch_faults.pop_front()
                } else {
                    state.list_faults.pop_front()
                }
            };
            match fault {
                Some(fault) => faulty(fault, is_watch),
                None if is_watch => Ok(self.watch(&query, namespace)),
                None => Ok(self.list(&query, namespace)),
            }
        })
    }
}
