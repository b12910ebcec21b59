//! What a client lives through: deadlines beside watches, many watches, a server that goes and comes back.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kubeloom::error::{Error, ErrorKind};
use kubeloom::rest::{WatchEvent, WatchStream};
use kubeloom::{RestClient, retry_on_conflict};
use kubeloom_k8s::core_v1::{ConfigMap, Namespace};
use kubeloom_tests::apiserver::{ApiServer, Options, binary};
use kubeloom_tests::require_apiserver;

use crate::{admin, client, config_map};

/// The name of the next object that appears.
async fn next_added(events: &mut WatchStream<ConfigMap>) -> String {
    loop {
        match events.next().await.unwrap().unwrap() {
            WatchEvent::Added(object) => return object.metadata.name.to_string(),
            WatchEvent::Bookmark(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn version(client: &RestClient, namespace: &str) -> String {
    let list = client.namespaced::<ConfigMap>(namespace).list().await.unwrap();
    list.metadata.resource_version.to_string()
}

#[tokio::test]
async fn the_timeout_of_calls_ends_calls_and_no_watches() {
    let server = require_apiserver!();
    let namespace = server.namespace("timeout").unwrap();
    let mut config = admin(server);
    config.timeout = Some(Duration::from_secs(4));
    let client = client(&config);
    let api = client.namespaced::<ConfigMap>(&namespace);
    let mut events = api
        .watch()
        .resource_version(version(&client, &namespace).await)
        .await
        .unwrap();

    // A unary call whose answer does not end.
    let path = format!("/api/v1/namespaces/{namespace}/configmaps?watch=1&timeoutSeconds=60");
    let started = Instant::now();
    let error = client.document(&path, "application/json").await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert!(
        matches!(error.kind(), ErrorKind::Transport(error) if error.is_timeout()),
        "{error:?}"
    );
    let took = started.elapsed();
    assert!(
        took >= Duration::from_secs(4) && took < Duration::from_secs(30),
        "{took:?}"
    );

    tokio::time::sleep(Duration::from_secs(2)).await;
    api.create(&config_map("late")).await.unwrap();
    let name = tokio::time::timeout(Duration::from_secs(20), next_added(&mut events)).await;
    assert_eq!(name.unwrap(), "late");
}

#[tokio::test]
async fn three_hundred_watches_leave_room_for_calls() {
    let server = require_apiserver!();
    let namespace = server.namespace("watches").unwrap();
    let mut config = admin(server);
    config.timeout = Some(Duration::from_secs(30));
    let client = client(&config);
    let api = client.namespaced::<ConfigMap>(&namespace);
    let version = version(&client, &namespace).await;
    let mut watches = Vec::new();
    for _ in 0..300 {
        watches.push(api.watch().resource_version(&*version).await.unwrap());
    }
    // Reading and writing beside them. The writes are few: a server on a busy machine ends watches that it cannot serve fast enough.
    let mut calls = tokio::task::JoinSet::new();
    for index in 0..100 {
        let api = api.clone();
        calls.spawn(async move {
            match index {
                0..3 => api.create(&config_map(format!("c{index}"))).await.map(drop),
                _ => api.list().limit(1).await.map(drop),
            }
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap().unwrap();
    }
    for watch in &mut watches {
        let mut names = Vec::new();
        for _ in 0..3 {
            names.push(next_added(watch).await);
        }
        names.sort();
        assert_eq!(names, ["c0", "c1", "c2"]);
    }
}

#[tokio::test]
async fn two_writers_of_one_object_both_get_through() {
    let server = require_apiserver!();
    let namespace = server.namespace("writers").unwrap();
    let api = client(&admin(server)).namespaced::<ConfigMap>(&namespace);
    api.create(&config_map("shared")).await.unwrap();

    // Both have read before either writes, so that one of them has to conflict.
    let both_have_read = std::sync::Arc::new(tokio::sync::Barrier::new(2));
    let writers = ["one", "two"].map(|key| {
        let (api, both_have_read) = (api.clone(), both_have_read.clone());
        tokio::spawn(async move {
            let attempts = AtomicU32::new(0);
            let outcome: Result<ConfigMap, Error> = retry_on_conflict(async || {
                let mut object = api.get("shared").await?;
                if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
                    both_have_read.wait().await;
                }
                object.data.insert(key.into(), "written".into());
                api.update(&object).await
            })
            .await;
            outcome.unwrap();
            attempts.into_inner()
        })
    });
    let mut attempts = 0;
    for writer in writers {
        attempts += writer.await.unwrap();
    }
    assert_eq!(attempts, 3);
    assert_eq!(api.get("shared").await.unwrap().data.len(), 2);
}

#[tokio::test]
async fn a_wait_ends_when_the_object_is_as_wished() {
    let server = require_apiserver!();
    let namespace = server.namespace("wait").unwrap();
    let api = client(&admin(server)).namespaced::<ConfigMap>(&namespace);
    let waiting = {
        let wait = api.wait("later").timeout(Duration::from_secs(60));
        tokio::spawn(wait.until(|object| object.data.get("state").is_some_and(|state| *state == *"ready")))
    };
    let soon = api
        .wait("never")
        .timeout(Duration::from_millis(300))
        .until(|_| true)
        .await
        .unwrap_err();
    assert!(soon.is_timeout(), "{soon}");
    let created = api.create(&config_map("later")).await.unwrap();
    assert!(!waiting.is_finished());
    let mut changed = created.clone();
    changed.data.insert("state".into(), "ready".into());
    let changed = api.update(&changed).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), changed);

    let gone = tokio::spawn(
        api.wait("later")
            .uid(&created.metadata.uid)
            .timeout(Duration::from_secs(60))
            .deleted(),
    );
    api.delete("later").await.unwrap();
    gone.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_that_restarts_is_found_again() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let mut server = ApiServer::start(Options::default()).unwrap();
    let namespace = server.namespace("restart").unwrap();
    let client = client(&admin(&server));
    let api = client.namespaced::<ConfigMap>(&namespace);
    api.create(&config_map("before")).await.unwrap();
    let seen = version(&client, &namespace).await;
    let mut events = api.watch().resource_version(&*seen).await.unwrap();
    let waiting = tokio::spawn(
        api.wait("after")
            .timeout(Duration::from_secs(120))
            .until(|_| true),
    );
    // So that the wait has its watch when the server goes.
    tokio::time::sleep(Duration::from_millis(500)).await;

    server.kill();
    let end = tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            match events.next().await {
                Some(Ok(WatchEvent::Bookmark(_))) => {}
                end => break end,
            }
        }
    });
    match end.await.expect("a watch that does not notice") {
        None => {}
        Some(Err(error)) => assert!(matches!(error.kind(), ErrorKind::Transport(_)), "{error:?}"),
        Some(Ok(event)) => panic!("{event:?}"),
    }
    let refused = api
        .get("before")
        .timeout(Duration::from_secs(5))
        .await
        .unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Transport(_)), "{refused:?}");
    assert!(!waiting.is_finished());

    let server = tokio::task::spawn_blocking(move || server.resume().map(|()| server))
        .await
        .unwrap()
        .unwrap();
    // The same client, the first call.
    api.get("before").await.unwrap();
    // A server that has just started knows no older version than its own (410 for those), so one begins with a list.
    let mut events = api
        .watch()
        .resource_version(version(&client, &namespace).await)
        .await
        .unwrap();
    api.create(&config_map("after")).await.unwrap();
    assert_eq!(next_added(&mut events).await, "after");
    assert_eq!(waiting.await.unwrap().unwrap().metadata.name, *"after");
    assert!(client.cluster::<Namespace>().list().await.unwrap().items.len() > 1);
    drop(server);
}
