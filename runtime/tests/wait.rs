//! Waiting for an object, on a paused clock.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scripted;

use std::time::Duration;

use kubeloom::clock::{Clock, TokioClock};
use kubeloom::dynamic::{DynamicList, DynamicObject};
use kubeloom::rest::{GroupVersionResource, Wait, WaitError};
use scripted::{Reply, Script};
use serde_json::{Value, json};

const LIST: &str = "GET /api/v1/namespaces/web/pods?fieldSelector=metadata.name%3Da";

fn wait(server: &Script) -> Wait<DynamicList> {
    let pods = server
        .client()
        .dynamic(GroupVersionResource::new("", "v1", "pods"))
        .with_scope(true);
    pods.namespace("web").wait("a").timeout(Duration::from_secs(60))
}

fn watch(from: u32) -> String {
    format!(
        "GET /api/v1/namespaces/web/pods?watch=true&fieldSelector=metadata.name%3Da&resourceVersion={from}&allowWatchBookmarks=true"
    )
}

fn pod(uid: &str, version: u32, phase: &str) -> Value {
    json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a", "namespace": "web", "uid": uid, "resourceVersion": version.to_string()}, "status": {"phase": phase}})
}

fn list(version: u32, items: &[Value]) -> Reply {
    Reply::ok(
        &json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": version.to_string()}, "items": items}),
    )
}

fn event(kind: &str, object: Value) -> Value {
    json!({"type": kind, "object": object})
}

fn gone_event() -> Value {
    event(
        "ERROR",
        json!({"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}),
    )
}

fn runs(pod: &DynamicObject) -> bool {
    pod.pointer("/status/phase") == Some(&json!("Running"))
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_as_wished_is_handed_out_at_once() {
    let server = Script::new();
    server.on(LIST, list(5, &[pod("u", 3, "Running")]));
    let task = tokio::spawn(wait(&server).until(runs));
    assert_eq!(task.await.unwrap().unwrap().metadata.resource_version, "3");
    assert_eq!(server.seen(), [LIST]);
}

#[tokio::test(start_paused = true)]
async fn changes_are_watched_through_closed_watches_bookmarks_and_expiry() {
    let server = Script::new();
    server
        .on(LIST, list(5, &[]))
        .on(LIST, list(40, &[pod("u", 30, "Pending")]));
    server.on(
        &watch(5),
        Reply::events(&[event("ADDED", pod("u", 6, "Pending"))]),
    );
    server.on(&watch(6), Reply::events(&[event("BOOKMARK", pod("", 9, ""))]));
    server.on(&watch(9), Reply::events(&[gone_event()]));
    server.on(
        &watch(40),
        Reply::events(&[event("MODIFIED", pod("u", 41, "Running"))]).left_open(),
    );
    assert_eq!(
        wait(&server).until(runs).await.unwrap().metadata.resource_version,
        "41"
    );
    assert_eq!(
        server.seen(),
        [
            LIST.to_owned(),
            watch(5),
            watch(6),
            watch(9),
            LIST.to_owned(),
            watch(40)
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_version_refused_as_status_leads_to_a_list_and_no_hot_loop() {
    let server = Script::new();
    server.on(LIST, list(5, &[pod("u", 3, "Pending")]));
    server.on(&watch(5), Reply::failure(410, "Gone"));
    let started = TokioClock.now();
    let error = wait(&server).until(runs).await.unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(TokioClock.now() - started, Duration::from_secs(60));
    let requests = server.seen().len();
    assert!((4..30).contains(&requests), "{requests}");
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_no_hot_loop() {
    let server = Script::new();
    server.on(LIST, list(5, &[pod("u", 3, "Pending")]));
    server.on(&watch(5), Reply::events(&[]));
    assert!(wait(&server).until(runs).await.unwrap_err().is_timeout());
    let requests = server.seen().len();
    assert!((4..15).contains(&requests), "{requests}");
}

#[tokio::test(start_paused = true)]
async fn servers_that_are_away_are_asked_again() {
    let server = Script::new();
    server
        .on(LIST, Reply::refused())
        .on(LIST, Reply::failure(503, "ServiceUnavailable"))
        .on(LIST, list(5, &[]));
    server.on(&watch(5), Reply::failure(429, "TooManyRequests")).on(
        &watch(5),
        Reply::events(&[event("ADDED", pod("u", 6, "Running"))]),
    );
    wait(&server).until(runs).await.unwrap();
    assert_eq!(server.seen().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn failures_that_time_does_not_heal_end_the_wait() {
    for (code, reason) in [
        (403, "Forbidden"),
        (401, "Unauthorized"),
        (404, "NotFound"),
        (400, "BadRequest"),
    ] {
        let server = Script::new();
        server.on(LIST, Reply::failure(code, reason));
        let started = TokioClock.now();
        let error = wait(&server).until(runs).await.unwrap_err();
        assert!(
            matches!(&error, WaitError::Failed(error) if error.code() == Some(code)),
            "{error}"
        );
        assert_eq!(TokioClock.now(), started);
    }
    let server = Script::new();
    server.on(LIST, list(5, &[]));
    let broken = event("ADDED", json!({"metadata": {"name": 5}}));
    server.on(&watch(5), Reply::events(&[broken]));
    assert!(matches!(
        wait(&server).until(runs).await,
        Err(WaitError::Failed(_))
    ));
    let pods = server
        .client()
        .dynamic(GroupVersionResource::new("", "v1", "pods"));
    assert!(
        matches!(pods.wait("").until(runs).await, Err(WaitError::Failed(error)) if error.is_bad_request())
    );
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_is_told_when_time_runs_out() {
    let server = Script::new();
    server.on(LIST, Reply::failure(503, "ServiceUnavailable"));
    let error = wait(&server).until(runs).await.unwrap_err();
    assert!(matches!(&error, WaitError::Timeout { last: Some(error), .. } if error.is_service_unavailable()));
    let text = error.to_string();
    assert!(
        text.contains("pods web/a") && text.contains("60s") && text.contains("ServiceUnavailable"),
        "{text}"
    );

    let server = Script::new();
    server
        .on(LIST, list(5, &[]))
        .on(&watch(5), Reply::events(&[]).left_open());
    assert!(matches!(
        wait(&server).until(runs).await,
        Err(WaitError::Timeout { last: None, .. })
    ));
    assert_eq!(server.seen().len(), 2, "an idle watch stays open");
}

#[tokio::test(start_paused = true)]
async fn deletion_is_told_from_not_being_there_yet() {
    // As an event; by a list after an expired watch; as another object of the same name.
    let deleted_event = Script::new();
    deleted_event.on(LIST, list(5, &[pod("u", 3, "Pending")]));
    deleted_event.on(
        &watch(5),
        Reply::events(&[event("DELETED", pod("u", 6, "Running"))]).left_open(),
    );
    let deleted_between = Script::new();
    deleted_between
        .on(LIST, list(5, &[pod("u", 3, "Pending")]))
        .on(LIST, list(9, &[]));
    deleted_between.on(&watch(5), Reply::events(&[gone_event()]));
    let replaced = Script::new();
    replaced
        .on(LIST, list(5, &[pod("u", 3, "Pending")]))
        .on(LIST, list(9, &[pod("v", 8, "Running")]));
    replaced.on(&watch(5), Reply::events(&[gone_event()]));
    for server in [&deleted_event, &deleted_between, &replaced] {
        let error = wait(server).until(runs).await.unwrap_err();
        assert!(error.is_deleted(), "{error}");
        assert!(server.seen().len() >= 2);
    }
    for server in [&deleted_event, &deleted_between, &replaced] {
        server.forget(LIST);
        server.on(LIST, list(5, &[pod("u", 3, "Pending")]));
    }
    deleted_between.on(LIST, list(9, &[]));
    replaced.on(LIST, list(9, &[pod("v", 8, "Running")]));
    for server in [&deleted_event, &deleted_between, &replaced] {
        wait(server).deleted().await.unwrap();
    }
    let never = Script::new();
    never.on(LIST, list(5, &[]));
    wait(&never).deleted().await.unwrap();
    never.forget(LIST).on(LIST, list(5, &[pod("v", 3, "Pending")]));
    wait(&never).uid("u").deleted().await.unwrap();
    assert!(wait(&never).uid("u").until(runs).await.unwrap_err().is_deleted());
}

#[tokio::test(start_paused = true)]
async fn metadata_is_enough_to_wait_for_deletion() {
    let server = Script::new();
    server.on(LIST, list(5, &[]));
    let pods = server
        .client()
        .metadata(GroupVersionResource::new("", "v1", "pods"))
        .namespace("web");
    pods.wait("a").deleted().await.unwrap();
    let request = &server.take()[0];
    assert!(
        request
            .headers
            .get("accept")
            .unwrap()
            .contains("as=PartialObjectMetadataList")
    );
}

#[tokio::test(start_paused = true)]
async fn names_are_escaped_in_selectors() {
    let server = Script::new();
    let pods = server
        .client()
        .dynamic(GroupVersionResource::new("", "v1", "pods"))
        .namespace("web");
    let _ = pods.wait("a,b=c\\d").until(runs).await;
    assert_eq!(
        server.seen(),
        [r"GET /api/v1/namespaces/web/pods?fieldSelector=metadata.name%3Da%5C%2Cb%5C%3Dc%5C%5Cd"]
    );
}
