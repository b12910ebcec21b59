//! Lists in chunks, and what is done once more.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scripted;

use std::time::Duration;

use futures_util::StreamExt;
use kubeloom::clock::{Clock, TokioClock};
use kubeloom::dynamic::{DynamicApi, DynamicList};
use kubeloom::meta::Page;
use kubeloom::rest::{GroupVersionResource, ResourceVersionMatch};
use kubeloom::retry::{Backoff, DEFAULT_BACKOFF, retry};
use kubeloom::{Error, retry_on_conflict};
use scripted::{Reply, Script};
use serde_json::{Value, json};

const PATH: &str = "/api/v1/namespaces/web/pods";

fn pods(server: &Script) -> DynamicApi {
    server
        .client()
        .dynamic(GroupVersionResource::new("", "v1", "pods"))
        .namespace("web")
}

fn page(names: &[&str], token: &str, version: &str) -> Reply {
    let items: Vec<Value> = names
        .iter()
        .map(|name| json!({"metadata": {"name": name, "namespace": "web"}}))
        .collect();
    Reply::ok(
        &json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": version, "continue": token, "remainingItemCount": 9}, "items": items}),
    )
}

fn names(list: &DynamicList) -> Vec<&str> {
    list.page_items()
        .iter()
        .map(|item| item.metadata.name.as_str())
        .collect()
}

fn gone() -> Reply {
    Reply::failure(410, "Expired")
}

fn on(server: &Script, query: &str, reply: Reply) {
    server.on(&format!("GET {PATH}?{query}"), reply);
}

#[tokio::test]
async fn the_resource_version_is_left_out_once_there_is_a_token() {
    let server = Script::new();
    let first = "labelSelector=a&limit=500&resourceVersion=7&resourceVersionMatch=Exact";
    on(&server, first, page(&["a", "b"], "t1", "7"));
    on(
        &server,
        "labelSelector=a&limit=500&continue=t1",
        page(&["c"], "t2", "7"),
    );
    on(
        &server,
        "labelSelector=a&limit=500&continue=t2",
        page(&["d"], "", "7"),
    );
    let list = || {
        pods(&server)
            .list()
            .labels("a")
            .resource_version("7")
            .resource_version_match(ResourceVersionMatch::Exact)
    };
    let whole = list().all_pages().await.unwrap();
    assert_eq!(names(&whole), ["a", "b", "c", "d"]);
    assert_eq!(whole.metadata.resource_version, "7");
    assert_eq!(
        (
            whole.metadata.continue_.as_str(),
            whole.metadata.remaining_item_count
        ),
        ("", None)
    );
    assert_eq!(server.seen().len(), 3);

    let pages: Vec<_> = list()
        .pages()
        .into_stream()
        .map(|page| page.unwrap().items.len())
        .collect()
        .await;
    assert_eq!(pages, [2, 1, 1]);
    let mut pages = list().pages();
    for _ in 0..3 {
        pages.next().await.unwrap().unwrap();
    }
    assert!(pages.next().await.is_none() && pages.next().await.is_none());
}

#[tokio::test]
async fn an_expired_token_leads_to_one_list_of_the_rest_without_duplicates() {
    let server = Script::new();
    on(&server, "limit=2&resourceVersion=7", page(&["a", "b"], "t1", "7"));
    on(&server, "limit=2&continue=t1", page(&["c", "d"], "t2", "7"));
    on(&server, "limit=2&continue=t2", gone());
    // Meanwhile b was deleted and bb created.
    on(
        &server,
        "resourceVersion=7",
        page(&["a", "bb", "c", "d", "e"], "", "90"),
    );
    let list = || pods(&server).list().limit(2).resource_version("7");
    let whole = list().all_pages().await.unwrap();
    assert_eq!(names(&whole), ["a", "bb", "c", "d", "e"]);
    assert_eq!(whole.metadata.resource_version, "90");
    assert_eq!(server.seen().len(), 4);

    let mut pages = list().pages();
    let mut seen = Vec::new();
    while let Some(page) = pages.next().await {
        seen.push(names(&page.unwrap()).join(","));
    }
    assert_eq!(seen, ["a,b", "c,d", "bb,e"]);
}

#[tokio::test]
async fn what_cannot_be_fallen_back_from_is_an_error() {
    // On the first page; on a token of the caller's; in the fallback itself; of another kind.
    let server = Script::new();
    on(&server, "limit=500&resourceVersion=1", gone());
    assert!(
        pods(&server)
            .list()
            .resource_version("1")
            .all_pages()
            .await
            .unwrap_err()
            .is_gone()
    );
    on(&server, "limit=500&continue=old", gone());
    assert!(
        pods(&server)
            .list()
            .continue_from("old")
            .all_pages()
            .await
            .unwrap_err()
            .is_gone()
    );
    assert_eq!(server.seen().len(), 2);
    on(&server, "limit=1", page(&["a"], "t", "7"));
    on(&server, "limit=1&continue=t", gone());
    server.on(&format!("GET {PATH}"), gone());
    let mut pages = pods(&server).list().limit(1).pages();
    pages.next().await.unwrap().unwrap();
    assert!(pages.next().await.unwrap().unwrap_err().is_gone());
    assert!(pages.next().await.is_none());
    assert!(
        pods(&server)
            .list()
            .limit(1)
            .all_pages()
            .await
            .unwrap_err()
            .is_gone()
    );
    server.forget(&format!("GET {PATH}?limit=1&continue=t"));
    on(
        &server,
        "limit=1&continue=t",
        Reply::failure(500, "InternalError"),
    );
    assert!(
        pods(&server)
            .list()
            .limit(1)
            .all_pages()
            .await
            .unwrap_err()
            .is_internal()
    );
}

#[tokio::test]
async fn a_token_that_leads_nowhere_ends_the_list() {
    let server = Script::new();
    on(&server, "limit=500", page(&["a"], "t", "7"));
    on(&server, "limit=500&continue=t", page(&["b"], "t", "7"));
    let error = pods(&server).list().all_pages().await.unwrap_err();
    assert!(error.to_string().contains("continue token"), "{error}");
    assert_eq!(server.seen().len(), 2);
    let results: Vec<_> = pods(&server)
        .list()
        .pages()
        .into_stream()
        .map(|page| page.is_ok())
        .collect()
        .await;
    assert_eq!(results, [true, false]);
}

#[tokio::test]
async fn an_empty_list_is_one_page() {
    let server = Script::new();
    on(
        &server,
        "limit=500",
        Reply::ok(&json!({"kind": "PodList", "apiVersion": "v1", "items": null})),
    );
    assert!(pods(&server).list().all_pages().await.unwrap().items.is_empty());
    assert_eq!(pods(&server).list().pages().into_stream().count().await, 1);
}

// ---- once more

async fn conflict(server: &Script) -> Result<(), Error> {
    server
        .client()
        .dynamic(GroupVersionResource::new("", "v1", "pods"))
        .get("x")
        .await
        .map(drop)
}

#[tokio::test(start_paused = true)]
async fn conflicts_are_retried_five_times_ten_milliseconds_apart() {
    let server = Script::new();
    server.on("GET /api/v1/pods/x", Reply::failure(409, "Conflict"));
    let started = TokioClock.now();
    let error = retry_on_conflict(|| conflict(&server)).await.unwrap_err();
    assert!(error.is_conflict());
    assert_eq!(server.seen().len(), 5);
    let took = TokioClock.now() - started;
    assert!((40..=48).contains(&took.as_millis()), "{took:?}");

    let server = Script::new();
    server
        .on("GET /api/v1/pods/x", Reply::failure(409, "Conflict"))
        .on("GET /api/v1/pods/x", Reply::failure(409, "AlreadyExists"));
    let error = retry_on_conflict(|| conflict(&server)).await.unwrap_err();
    assert!(error.is_already_exists(), "no conflict, so no retry");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_can_run_on_another_task_and_change_what_it_captured() {
    let server = Script::new();
    server.on("GET /api/v1/pods/x", Reply::failure(409, "Conflict"));
    let task = tokio::spawn(async move {
        let mut attempts = 0;
        let server = &server;
        let outcome = retry_on_conflict(|| {
            attempts += 1;
            async move {
                if attempts == 3 {
                    return Ok(attempts);
                }
                conflict(server).await.map(|()| 0)
            }
        });
        outcome.await
    });
    assert_eq!(task.await.unwrap().unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_as_long_as_the_server_asks() {
    let server = Script::new();
    let busy = json!({"kind": "Status", "status": "Failure", "code": 429, "reason": "TooManyRequests", "details": {"retryAfterSeconds": 3}});
    server.on(
        "GET /api/v1/pods/x",
        Reply::new(429, "application/json", busy.to_string()),
    );
    let started = TokioClock.now();
    let outcome = retry(&TokioClock, DEFAULT_BACKOFF, Error::is_too_many_requests, || {
        conflict(&server)
    });
    assert!(outcome.await.is_err());
    assert_eq!(TokioClock.now() - started, Duration::from_secs(9));
    let once = Backoff {
        steps: 0,
        ..DEFAULT_BACKOFF
    };
    server.take();
    assert!(
        retry(&TokioClock, once, |_| true, || conflict(&server))
            .await
            .is_err()
    );
    assert_eq!(server.seen().len(), 1);
}
