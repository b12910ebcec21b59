//! Calls without a socket: the requests that leave, and what becomes of each kind of answer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail as tests do"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::error::ErrorKind;
use kubeloom::generated::*;
use kubeloom::rest::{
    ClientOptions, Deletion, FieldValidation, PatchBody, Propagation, ResourceVersionMatch, WatchEvent,
};
use kubeloom::transport::{Body, BoxFuture, CallKind, Headers, Request, Response, Transport, TransportError};
use kubeloom::wire::{Format, Wire};
use serde_json::json;

#[derive(Clone, Default)]
struct Thing {
    metadata: ObjectMeta,
    size: i32,
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
    const PROTOBUF: bool = true;
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
offers! { Thing {
    verb::Create, verb::Delete, verb::DeleteCollection, verb::Get, verb::List, verb::Patch, verb::Update, verb::Watch
} }
offers! { Thing / sub::Status { verb::Get, verb::Update, verb::Patch } }
offers! { Thing / sub::Eviction { verb::Create: Thing => Status } }
offers! { Thing / sub::Log { verb::Get: () => Text } }

fn thing(name: &str) -> Thing {
    Thing {
        metadata: ObjectMeta {
            name: name.into(),
            ..Default::default()
        },
        size: 7,
    }
}

/// Answers every request alike and remembers it.
#[derive(Debug, Clone)]
struct Scripted {
    code: u16,
    headers: Headers,
    chunks: Vec<Vec<u8>>,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Scripted {
    fn new(code: u16, content_type: &str, body: impl AsRef<[u8]>) -> Self {
        let mut headers = Headers::new();
        headers.set("content-type", content_type);
        Self {
            code,
            headers,
            chunks: vec![body.as_ref().to_vec()],
            seen: Arc::default(),
        }
    }

    fn json(code: u16, body: &serde_json::Value) -> Self {
        Self::new(code, "application/json", body.to_string())
    }

    fn client(&self) -> RestClient {
        RestClient::with_transport(self.clone(), ClientOptions::default())
    }

    fn things(&self) -> Api<Thing> {
        self.client().namespaced("web")
    }

    fn sent(&self) -> Request {
        self.seen.lock().unwrap().pop().expect("a request was sent")
    }
}

impl Transport for Scripted {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        self.seen.lock().unwrap().push(request);
        let chunks = self.chunks.clone().into_iter().map(|chunk| Ok(chunk.into()));
        let body = Body::stream(futures_util::stream::iter(chunks));
        let response = Response {
            status: self.code,
            headers: self.headers.clone(),
            body,
        };
        Box::pin(async move { Ok(response) })
    }
}

fn ok() -> Scripted {
    Scripted::json(200, &json!({"metadata": {"name": "a"}, "size": 1}))
}

const BASE: &str = "/apis/demo.example.com/v1/namespaces/web/things";

#[tokio::test]
async fn each_verb_sends_its_request() {
    let server = ok();
    let things = server.things();
    let check = |method: &str, path: &str, template: &str| {
        let request = server.sent();
        assert_eq!(request.method.as_str(), method);
        assert_eq!(request.path, format!("{BASE}{path}"));
        assert_eq!(
            request.template,
            format!("/apis/demo.example.com/v1/namespaces/{{namespace}}/things{template}")
        );
        request
    };
    things.get("a").resource_version("0").await.unwrap();
    let request = check("GET", "/a?resourceVersion=0", "/{name}");
    assert_eq!(
        request.headers.get("accept"),
        Some("application/vnd.kubernetes.protobuf,application/json")
    );
    assert!(request.body.is_empty() && request.headers.get("content-type").is_none());

    things
        .list()
        .labels("a in (b,c)")
        .fields("metadata.name=x")
        .limit(5)
        .resource_version("7")
        .resource_version_match(ResourceVersionMatch::Exact)
        .await
        .unwrap();
    check(
        "GET",
        "?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=metadata.name%3Dx&limit=5&resourceVersion=7&resourceVersionMatch=Exact",
        "",
    );

    things
        .list()
        .resource_version("7")
        .resource_version_match(ResourceVersionMatch::Exact)
        .continue_from("tok")
        .await
        .unwrap();
    check("GET", "?continue=tok", "");

    things
        .create(&thing("a"))
        .dry_run()
        .manager("me")
        .field_validation(FieldValidation::Strict)
        .await
        .unwrap();
    let request = check("POST", "?fieldManager=me&fieldValidation=Strict&dryRun=All", "");
    assert_eq!(
        request.headers.get("content-type"),
        Some("application/vnd.kubernetes.protobuf")
    );
    assert_eq!(
        Thing::decode(Format::Protobuf, &request.body).unwrap(),
        thing("a")
    );

    things.update(&thing("a")).format(Format::Json).await.unwrap();
    let request = check("PUT", "/a", "/{name}");
    assert_eq!(request.headers.get("content-type"), Some("application/json"));
    assert_eq!(Thing::decode(Format::Json, &request.body).unwrap(), thing("a"));

    things.update_status(&thing("a")).await.unwrap();
    check("PUT", "/a/status", "/{name}/status");

    for (body, content_type) in [
        (
            PatchBody::json(&json!([{"op": "remove", "path": "/x"}])),
            "application/json-patch+json",
        ),
        (
            PatchBody::merge(&json!({"size": null})),
            "application/merge-patch+json",
        ),
        (
            PatchBody::strategic(&json!({})),
            "application/strategic-merge-patch+json",
        ),
    ] {
        things.patch("a", body).await.unwrap();
        assert_eq!(
            check("PATCH", "/a", "/{name}").headers.get("content-type"),
            Some(content_type)
        );
    }

    things
        .apply(&json!({"metadata": {"name": "a"}}))
        .manager("me")
        .force()
        .await
        .unwrap();
    let request = check("PATCH", "/a?fieldManager=me&force=true", "/{name}");
    assert_eq!(
        request.headers.get("content-type"),
        Some("application/apply-patch+yaml")
    );

    things.delete("a").await.unwrap();
    assert!(check("DELETE", "/a", "/{name}").body.is_empty());

    things
        .delete("a")
        .grace_period(Duration::ZERO)
        .propagation(Propagation::Foreground)
        .uid("u")
        .format(Format::Json)
        .await
        .unwrap();
    let body: serde_json::Value = serde_json::from_slice(&check("DELETE", "/a", "/{name}").body).unwrap();
    assert_eq!(
        body,
        json!({"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
        "propagationPolicy": "Foreground", "preconditions": {"uid": "u"}})
    );

    things.delete_collection().labels("a=b").await.unwrap();
    check("DELETE", "?labelSelector=a%3Db", "");

    let events = things
        .watch()
        .resource_version("9")
        .server_timeout(Duration::from_millis(1500))
        .await
        .unwrap();
    drop(events);
    let request = check(
        "GET",
        "?watch=true&resourceVersion=9&timeoutSeconds=2&allowWatchBookmarks=true",
        "",
    );
    assert_eq!(request.kind, CallKind::Stream);

    things.watch().initial_events().without_bookmarks().await.unwrap();
    check(
        "GET",
        "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        "",
    );

    things
        .logs("a")
        .container("c")
        .tail(10)
        .timestamps()
        .await
        .unwrap();
    check(
        "GET",
        "/a/log?container=c&timestamps=true&tailLines=10",
        "/{name}/log",
    );
}

#[tokio::test]
async fn eviction_sends_the_pods_name_and_the_options() {
    let server = Scripted::json(
        201,
        &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
    );
    server
        .things()
        .evict("a")
        .grace_period(Duration::from_secs(5))
        .await
        .unwrap();
    let request = server.sent();
    assert_eq!(request.path, format!("{BASE}/a/eviction"));
    let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["kind"], "Eviction");
    assert_eq!(body["metadata"], json!({"name": "a", "namespace": "web"}));
    assert_eq!(body["deleteOptions"]["gracePeriodSeconds"], 5);
}

#[tokio::test]
async fn names_that_would_make_another_call_never_leave() {
    let server = ok();
    let things = server.things();
    for name in ["", ".", "..", "a/status", "../secrets/y", "x%2f"] {
        let errors = [
            things.get(name).await.unwrap_err(),
            things.delete(name).await.unwrap_err(),
            things.update(&thing(name)).await.unwrap_err(),
            things
                .patch(name, PatchBody::merge(&json!({})))
                .await
                .unwrap_err(),
        ];
        for error in errors {
            assert!(
                matches!(error.kind(), ErrorKind::InvalidRequest(_)),
                "{name:?}: {error}"
            );
        }
    }
    assert!(server.client().namespaced::<Thing>("").list().await.is_err());
    assert!(server.seen.lock().unwrap().is_empty());
    things.get("x?watch=1").await.unwrap();
    assert_eq!(server.sent().path, format!("{BASE}/x%3Fwatch=1"));
}

fn status_body(code: u16, reason: &str) -> serde_json::Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason,
        "message": format!("things \"a\" {reason}"), "details": {"name": "a", "retryAfterSeconds": 3}})
}

#[tokio::test]
async fn failures_say_what_was_asked_and_what_was_answered() {
    let error = Scripted::json(404, &status_body(404, "NotFound"))
        .things()
        .get("a")
        .await
        .unwrap_err();
    assert!(error.is_not_found() && !error.is_conflict());
    assert_eq!(error.code(), Some(404));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(
        error.to_string(),
        "cannot get things.demo.example.com web/a: 404 NotFound: things \"a\" NotFound"
    );
    let error = Scripted::json(409, &status_body(409, "AlreadyExists"))
        .things()
        .create(&thing("a"))
        .await
        .unwrap_err();
    assert!(error.is_already_exists() && !error.is_conflict());
    let error = Scripted::json(410, &status_body(410, "Expired"))
        .things()
        .list()
        .await
        .unwrap_err();
    assert!(error.is_gone() && error.is_expired());
}

#[tokio::test]
async fn bodies_that_are_no_status_become_one() {
    let rows: [(u16, &str, &str, &str); 6] = [
        (503, "text/html", "<html>bad gateway</html>", "ServiceUnavailable"),
        (429, "text/plain", "slow down", "TooManyRequests"),
        (404, "application/json", "{\"error\": \"x\"}", "NotFound"),
        (500, "application/json", "{\"kind\": \"Status\"", "InternalError"),
        (409, "", "", "Conflict"),
        (418, "text/plain", "teapot", ""),
    ];
    for (code, content_type, body, reason) in rows {
        let mut server = Scripted::new(code, content_type, body);
        server.headers.set("retry-after", "12");
        let error = server.things().get("a").await.unwrap_err();
        let status = error.status().unwrap();
        assert_eq!(
            (status.code, &*status.reason),
            (i32::from(code), reason),
            "{body}"
        );
        assert_eq!(error.retry_after(), Some(Duration::from_secs(12)));
        assert!(
            error.to_string().contains("things.demo.example.com web/a"),
            "{error}"
        );
    }
    let long = Scripted::new(500, "text/plain", "x".repeat(10_000))
        .things()
        .get("a")
        .await
        .unwrap_err();
    assert!(long.to_string().len() < 2300);
}

#[tokio::test]
async fn a_failure_under_a_code_of_success_is_a_failure() {
    let error = Scripted::json(200, &status_body(0, "Conflict"))
        .things()
        .get("a")
        .await
        .unwrap_err();
    assert!(error.is_conflict(), "{error}");
    let mut body = Vec::new();
    let status = Status::decode(Format::Json, status_body(409, "Conflict").to_string().as_bytes()).unwrap();
    body.extend(status.encode(Format::Protobuf).unwrap());
    let server = Scripted::new(200, "application/vnd.kubernetes.protobuf", body);
    assert!(server.things().get("a").await.unwrap_err().is_conflict());
    let empty = Scripted::new(200, "application/json", "")
        .things()
        .get("a")
        .await
        .unwrap_err();
    assert!(matches!(empty.kind(), ErrorKind::Decode(_)), "{empty}");
}

#[tokio::test]
async fn a_deletion_answers_with_the_object_or_with_a_status() {
    let gone = Scripted::json(
        200,
        &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
    );
    assert!(
        matches!(gone.things().delete("a").await.unwrap(), Deletion::Status(status) if status.status == "Success")
    );
    let going = Scripted::json(
        200,
        &json!({"kind": "Thing", "metadata": {"name": "a"}, "size": 1}),
    );
    assert_eq!(
        going
            .things()
            .delete("a")
            .await
            .unwrap()
            .object()
            .unwrap()
            .metadata
            .name,
        "a"
    );
}

async fn events(server: &Scripted) -> Vec<Result<WatchEvent<Thing>, kubeloom::Error>> {
    let mut stream = server.things().watch().await.unwrap();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    events
}

#[tokio::test]
async fn a_watch_reads_every_kind_of_event_and_survives_an_unreadable_object() {
    let body = [
        json!({"type": "ADDED", "object": {"metadata": {"name": "a"}, "size": 1}}).to_string(),
        serde_json::to_string_pretty(&json!({"type": "MODIFIED", "object": {"metadata": {"name": "b"}}}))
            .unwrap(),
        json!({"type": "ADDED", "object": {"metadata": {"name": "bad", "namespace": "web"}, "size": "x"}})
            .to_string(),
        json!({"type": "DELETED", "object": {"metadata": {"name": "c"}}}).to_string(),
        json!({"type": "BOOKMARK", "object": {"kind": "Thing", "metadata": {"resourceVersion": "12",
            "creationTimestamp": null, "annotations": {"k8s.io/initial-events-end": "true"}}}})
        .to_string(),
        json!({"type": "LATER", "object": {}}).to_string(),
        json!({"type": "ERROR", "object": status_body(410, "Expired")}).to_string(),
        json!({"type": "ADDED", "object": {}}).to_string(),
    ]
    .join("\n");
    for size in [1, 7, 100_000] {
        let mut server = Scripted::new(200, "application/json;stream=watch", "");
        server.chunks = body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let events = events(&server).await;
        assert_eq!(events.len(), 7);
        assert!(matches!(&events[0], Ok(WatchEvent::Added(thing)) if thing.size == 1));
        assert!(matches!(&events[1], Ok(WatchEvent::Modified(thing)) if thing.metadata.name == "b"));
        let bad = events[2].as_ref().unwrap_err();
        assert_eq!(bad.context().unwrap().name.as_deref(), Some("bad"));
        assert!(matches!(&events[3], Ok(WatchEvent::Deleted(_))));
        assert!(
            matches!(&events[4], Ok(WatchEvent::Bookmark(mark)) if mark.resource_version == "12" && mark.initial_events_end)
        );
        assert!(events[5].is_err());
        assert!(events[6].as_ref().unwrap_err().is_gone());
    }
}

#[tokio::test]
async fn a_protobuf_watch_reads_frames() {
    let object = thing("a").encode(Format::Protobuf).unwrap();
    let mut extension = vec![0x0a, object.len() as u8];
    extension.extend(&object);
    let mut frame = b"\x0a\x05ADDED\x12".to_vec();
    frame.push(extension.len() as u8);
    frame.extend(&extension);
    let mut body = (frame.len() as u32).to_be_bytes().to_vec();
    body.extend(&frame);
    body.extend([0, 0, 0, 9, 1]);
    for size in [1, 3, 1000] {
        let mut server = Scripted::new(200, "application/vnd.kubernetes.protobuf;stream=watch", "");
        server.chunks = body.chunks(size).map(<[u8]>::to_vec).collect();
        let events = events(&server).await;
        assert_eq!(events.len(), 1, "the frame that was cut off is dropped");
        assert!(matches!(&events[0], Ok(WatchEvent::Added(found)) if *found == thing("a")));
    }
}

#[tokio::test]
async fn a_refused_watch_is_an_error_and_not_an_event() {
    let body = serde_json::to_string_pretty(&status_body(410, "Expired")).unwrap();
    let error = Scripted::new(410, "application/json", body)
        .things()
        .watch()
        .await
        .unwrap_err();
    assert!(error.is_gone(), "{error}");
}

#[tokio::test]
async fn a_list_is_read_as_it_arrives_and_says_which_object_it_cannot_read() {
    let items = json!([
        {"metadata": {"name": "a"}, "size": 1},
        {"metadata": {"name": "bad", "namespace": "web"}, "size": "x"},
        {"metadata": {"name": "c"}, "size": 3},
    ]);
    let body = json!({"kind": "ThingList", "metadata": {"resourceVersion": "7"}, "items": items}).to_string();
    for size in [1, 13, 100_000] {
        let mut server = Scripted::new(200, "application/json", "");
        server.chunks = body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let error = server.things().list().await.unwrap_err();
        assert!(error.to_string().contains("item 1 (web/bad)"), "{error}");
        let (list, unreadable) = server.things().list().lenient().await.unwrap();
        assert_eq!(list.metadata.resource_version, "7");
        assert_eq!(list.iter().map(|thing| thing.size).collect::<Vec<_>>(), [1, 3]);
        assert_eq!((unreadable.len(), &*unreadable[0].name), (1, "bad"));
    }
}

#[tokio::test]
async fn a_list_over_the_limit_is_refused_before_it_is_in_memory() {
    let server = Scripted::json(200, &json!({"items": [{"metadata": {"name": "a".repeat(5000)}}]}));
    let client = server.client().with_options(|options| options.max_body = 1000);
    let error = client.namespaced::<Thing>("web").list().await.unwrap_err();
    assert!(error.to_string().contains("longer than 1000 bytes"), "{error}");
}

/// A server without CBOR: refuses such bodies, and answers in JSON whatever is asked for.
#[derive(Debug, Clone, Default)]
struct WithoutCbor {
    seen: Arc<Mutex<Vec<Request>>>,
}

impl WithoutCbor {
    /// Content type and accepted types of the requests since the last call.
    fn sent(&self) -> Vec<(String, String)> {
        let header = |request: &Request, name| request.headers.get(name).unwrap_or_default().to_owned();
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.iter()
            .map(|request| (header(request, "content-type"), header(request, "accept")))
            .collect()
    }
}

impl Transport for WithoutCbor {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let (status, body) = match request.headers.get("content-type") {
            Some("application/cbor") => (415, status_body(415, "UnsupportedMediaType").to_string().into()),
            Some("application/json") => (201, request.body.clone()),
            _ => (200, thing("a").encode(Format::Json).unwrap().into()),
        };
        self.seen.lock().unwrap().push(request);
        let mut headers = Headers::new();
        headers.set("content-type", "application/json");
        let response = Response {
            status,
            headers,
            body: Body::stream(futures_util::stream::iter([Ok(body)])),
        };
        Box::pin(async move { Ok(response) })
    }
}

#[tokio::test]
async fn a_server_that_refuses_cbor_gets_json_from_then_on() {
    let server = WithoutCbor::default();
    let mut options = ClientOptions::default();
    options.format = Format::Cbor;
    let client = RestClient::with_transport(server.clone(), options);
    let clone = client.clone();
    let accept = || "application/cbor,application/json".to_owned();
    let things: Api<Thing> = client.namespaced("web");

    assert_eq!(things.get("a").await.unwrap(), thing("a"));
    assert_eq!(server.sent(), [(String::new(), accept())]);

    assert_eq!(things.create(&thing("b")).await.unwrap(), thing("b"));
    let (cbor, json) = ("application/cbor".to_owned(), "application/json".to_owned());
    assert_eq!(server.sent(), [(cbor, accept()), (json.clone(), accept())]);

    // One try was enough, for this client, its clones and those with other options, even if they ask for CBOR.
    let other = clone.with_options(|options| options.max_body = 1000);
    for client in [&client, &clone, &other] {
        let things: Api<Thing> = client.namespaced("web");
        assert_eq!(
            things.update(&thing("c")).format(Format::Cbor).await.unwrap(),
            thing("c")
        );
        assert_eq!(server.sent(), [(json.clone(), accept())]);
    }
}

#[tokio::test]
async fn a_refusal_of_json_is_told_and_not_repeated() {
    let server = Scripted::json(415, &status_body(415, "UnsupportedMediaType"));
    let things = server.things();
    assert_eq!(
        things
            .create(&thing("a"))
            .format(Format::Json)
            .await
            .unwrap_err()
            .code(),
        Some(415)
    );
    assert_eq!(server.seen.lock().unwrap().len(), 1);
    assert_eq!(
        things
            .create(&thing("a"))
            .format(Format::Cbor)
            .await
            .unwrap_err()
            .code(),
        Some(415)
    );
    assert_eq!(server.seen.lock().unwrap().len(), 3);
}

/// `{key: value, ...}` of bytes that are CBOR already.
fn cbor_map(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = vec![0xa0 + members.len() as u8];
    for (key, value) in members {
        out.push(0x40 + key.len() as u8);
        out.extend(key.as_bytes());
        out.extend(*value);
    }
    out
}

#[tokio::test]
async fn objects_lists_events_and_failures_are_read_from_cbor() {
    let wanted = thing("a").encode(Format::Cbor).unwrap();
    let server = Scripted::new(200, "application/cbor", &wanted);
    let client = server
        .client()
        .with_options(|options| options.format = Format::Cbor);
    let things: Api<Thing> = client.namespaced("web");
    assert_eq!(things.create(&thing("a")).await.unwrap(), thing("a"));
    let request = server.sent();
    assert_eq!(request.headers.get("content-type"), Some("application/cbor"));
    assert_eq!(request.body, wanted);

    let mut body = Vec::new();
    let bookmark = b"\xa1\x48metadata\xa1\x4fresourceVersion\x4212";
    for (kind, object) in [
        ("\x45ADDED", &wanted[..]),
        ("\x48BOOKMARK", bookmark),
        ("\x45ADDED", b"\xa1\x44size\x41x"),
    ] {
        body.extend(cbor_map(&[("type", kind.as_bytes()), ("object", object)]));
    }
    for size in [1, 7, 1000] {
        let mut server = Scripted::new(200, "application/cbor-seq", "");
        server.chunks = body.chunks(size).map(<[u8]>::to_vec).collect();
        let events = events(&server).await;
        assert_eq!(events.len(), 3);
        assert!(matches!(&events[0], Ok(WatchEvent::Added(found)) if *found == thing("a")));
        assert!(matches!(&events[1], Ok(WatchEvent::Bookmark(mark)) if mark.resource_version == "12"));
        assert!(events[2].is_err());
    }

    let failure = Status::decode(Format::Json, status_body(409, "Conflict").to_string().as_bytes()).unwrap();
    let failure = failure.encode(Format::Cbor).unwrap();
    for code in [409, 200] {
        let things = Scripted::new(code, "application/cbor", &failure).things();
        assert!(things.get("a").await.unwrap_err().is_conflict());
        assert!(things.list().await.unwrap_err().is_conflict());
    }
}

#[tokio::test]
async fn a_list_in_cbor_says_which_object_it_cannot_read() {
    let good = thing("a").encode(Format::Cbor).unwrap();
    let bad = cbor_map(&[
        ("metadata", &cbor_map(&[("name", b"\x43bad")])),
        ("size", b"\x41x"),
    ]);
    let items = [b"\x83", &good[..], &bad, &good].concat();
    let metadata = cbor_map(&[("resourceVersion", b"\x4277")]);
    let body = cbor_map(&[
        ("kind", b"\x49ThingList"),
        ("items", &items),
        ("metadata", &metadata),
    ]);
    let server = Scripted::new(200, "application/cbor", &body);
    let error = server.things().list().await.unwrap_err();
    assert!(error.to_string().contains("item 1 (bad)"), "{error}");
    let (list, errors) = server.things().list().lenient().await.unwrap();
    assert_eq!(list.items, [thing("a"), thing("a")]);
    assert_eq!(list.metadata.resource_version, "77");
    assert_eq!(
        (errors.len(), errors[0].index, errors[0].name.as_str()),
        (1, 1, "bad")
    );
    for end in 0..body.len() {
        let things = Scripted::new(200, "application/cbor", &body[..end]).things();
        assert!(things.list().lenient().await.is_err(), "cut at {end}");
    }
}

#[tokio::test]
async fn the_server_is_told_how_long_a_unary_call_may_take() {
    let server = ok();
    let things = server.things();
    let wait = std::time::Duration::from_millis(1500);
    things.get("a").timeout(wait).await.unwrap();
    let request = server.sent();
    assert_eq!(request.path, format!("{BASE}/a?timeout=1500ms"));
    assert_eq!(request.timeout, Some(wait));
    // A watch lives as long as the server keeps it; the timeout is for its beginning.
    let _ = things.watch().resource_version("7").timeout(wait).await;
    let request = server.sent();
    assert!(!request.path.contains("timeout="), "{}", request.path);
    assert_eq!(request.timeout, Some(wait));
    // What the configuration says is for unary calls.
    let client = things
        .client()
        .with_options(|options| options.timeout = Some(wait));
    let things = client.namespaced::<Thing>("web");
    things.get("a").await.unwrap();
    assert_eq!(server.sent().path, format!("{BASE}/a?timeout=1500ms"));
    let _ = things.watch().await;
    assert_eq!(server.sent().timeout, None);
}
