//! Watches that are taken up again, on a paused clock.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scripted;

use kubeloom::clock::{Clock, TokioClock};
use kubeloom::dynamic::DynamicObject;
use kubeloom::error::ErrorKind;
use kubeloom::rest::{GroupVersionResource, ResumedWatch, WatchEvent};
use scripted::{Reply, Script};
use serde_json::{Value, json};

fn resumed(server: &Script, version: &str) -> ResumedWatch<DynamicObject> {
    let pods = server
        .client()
        .dynamic(GroupVersionResource::new("", "v1", "pods"));
    pods.namespace("web")
        .watch()
        .labels("app=web")
        .resource_version(version)
        .resumed()
}

fn watch(from: u32) -> String {
    format!(
        "GET /api/v1/namespaces/web/pods?watch=true&labelSelector=app%3Dweb&resourceVersion={from}&allowWatchBookmarks=true"
    )
}

fn event(kind: &str, version: u32) -> Value {
    json!({"type": kind, "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a", "resourceVersion": version.to_string()}}})
}

fn failure(code: u16) -> Value {
    json!({"type": "ERROR", "object": {"kind": "Status", "status": "Failure", "code": code, "message": "scripted"}})
}

/// The events that come, and the code of the error that ends them.
async fn all(mut watch: ResumedWatch<DynamicObject>) -> (Vec<String>, Option<i32>) {
    let mut told = Vec::new();
    while let Some(event) = watch.next().await {
        match event {
            Ok(event) => told.push(match event {
                WatchEvent::Added(pod) => format!("added {}", pod.metadata.resource_version),
                WatchEvent::Modified(pod) => format!("modified {}", pod.metadata.resource_version),
                WatchEvent::Deleted(pod) => format!("deleted {}", pod.metadata.resource_version),
                WatchEvent::Bookmark(_) => "bookmark".to_owned(),
            }),
            Err(error) => {
                assert!(watch.next().await.is_none(), "it has ended");
                return (told, Some(error.code().map_or(0, i32::from)));
            }
        }
    }
    (told, None)
}

#[tokio::test(start_paused = true)]
async fn each_start_begins_where_the_last_stream_ended() {
    let server = Script::new();
    server.on(
        &watch(5),
        Reply::events(&[event("ADDED", 6), event("MODIFIED", 7)]),
    );
    server.on(&watch(7), Reply::events(&[event("BOOKMARK", 20)]));
    server.on(&watch(20), Reply::refused());
    server.on(&watch(20), Reply::failure(503, "ServiceUnavailable"));
    server.on(&watch(20), Reply::events(&[failure(500)]));
    server.on(&watch(20), Reply::events(&[event("DELETED", 21), failure(410)]));
    let started = TokioClock.now();
    let told = all(resumed(&server, "5")).await;
    assert_eq!(
        told,
        (
            ["added 6", "modified 7", "deleted 21"]
                .map(str::to_owned)
                .to_vec(),
            Some(410)
        )
    );
    let expected = [watch(5), watch(7), watch(20), watch(20), watch(20), watch(20)];
    assert_eq!(server.seen(), expected);
    let took = TokioClock.now() - started;
    assert!(
        took.as_secs() >= 5,
        "starts are a second apart at least: {took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_version_it_does_not_start() {
    for version in ["", "0"] {
        let server = Script::new();
        let error = resumed(&server, version).next().await.unwrap().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidRequest(_)), "{error}");
        assert!(server.seen().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn what_time_does_not_heal_is_an_error_and_the_end() {
    for code in [401, 403, 404, 410] {
        let server = Script::new();
        server.on(&watch(5), Reply::failure(code, "Scripted"));
        assert_eq!(all(resumed(&server, "5")).await, (vec![], Some(i32::from(code))));
        assert_eq!(server.seen().len(), 1);
    }
    // The same within a stream.
    let server = Script::new();
    server.on(&watch(5), Reply::events(&[event("ADDED", 6), failure(403)]));
    assert_eq!(
        all(resumed(&server, "5")).await,
        (vec!["added 6".to_owned()], Some(403))
    );
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_read_is_told_and_the_others_flow() {
    let server = Script::new();
    let broken = json!({"type": "MODIFIED", "object": {"metadata": {"name": 7}}});
    server.on(
        &watch(5),
        Reply::events(&[event("ADDED", 6), broken, event("DELETED", 8)]),
    );
    server.on(&watch(8), Reply::new(200, "application/json", "<html>"));
    let mut watch = resumed(&server, "5");
    assert!(watch.next().await.unwrap().is_ok());
    assert!(watch.next().await.unwrap().is_err());
    assert!(watch.next().await.unwrap().is_ok());
    assert_eq!(watch.resource_version(), "8");
    // What is no stream of events at all is the end.
    assert!(watch.next().await.unwrap().is_err());
    assert!(watch.next().await.is_none());
}
