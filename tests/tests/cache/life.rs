//! What informers live through: a server that restarts, and one that forgets its history.

use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::cache::{ReflectorBackoff, ReflectorOptions, ReflectorState};
use kubeloom_k8s::{Clientset, SharedInformerFactory};
use kubeloom_tests::apiserver::{ApiServer, Options, binary};
use kubeloom_tests::require_apiserver;

use crate::history::History;
use crate::{admin, agrees, clientset, config_map, eventually};

/// A server without a cache, whose etcd forgets everything that is older than two seconds.
fn forgetful() -> Options {
    let flags = ["--watch-cache=false", "--etcd-compaction-interval=1s"];
    Options {
        extra_args: flags.map(str::to_owned).to_vec(),
        ..Options::default()
    }
}

/// The server is killed, comes back, is changed and forgets how before the informer is back: the version that the
/// informer was at is answered with 410, it lists, and what went meanwhile is a tombstone.
#[tokio::test]
async fn a_restart_is_a_relist_with_tombstones() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let mut server = ApiServer::start(forgetful()).unwrap();
    let namespace = server.namespace("restart").unwrap();
    let clientset = clientset(&server);
    let api = clientset.core_v1().config_maps(&namespace);
    for name in ["stays", "changes", "goes", "comes-back"] {
        api.create(&config_map(name)).await.unwrap();
    }
    // It stays away for long enough.
    let backoff = ReflectorBackoff {
        initial: Duration::from_secs(20),
        ..ReflectorBackoff::default()
    };
    let options = ReflectorOptions {
        backoff,
        ..ReflectorOptions::default()
    };
    let factory = SharedInformerFactory::new(&clientset)
        .namespace(&namespace)
        .reflector(options);
    let informer = factory.core_v1().config_maps();
    let history = History::of(&informer);
    factory.start();
    factory.wait_synced().await.unwrap();
    let stays = informer.lister().namespace(&namespace).require("stays").unwrap();

    server.kill();
    eventually("the loss is shown", || {
        let status = informer.status().borrow().clone();
        matches!(status.state, ReflectorState::BackingOff { .. }) && status.last_error.is_some()
    })
    .await;
    assert_eq!(informer.lister().list().len(), 4, "what is known can be read");
    let server = tokio::task::spawn_blocking(move || server.resume().map(|()| server));
    let server = server.await.unwrap().unwrap();
    // With a client of its own, whose connection is new.
    let other = crate::clientset(&server).core_v1().config_maps(&namespace);
    other.delete("goes").await.unwrap();
    other.delete("comes-back").await.unwrap();
    other.create(&config_map("comes-back")).await.unwrap();
    let mut changed = other.get("changes").await.unwrap();
    changed.data.insert("a".into(), "b".into());
    other.update(&changed).await.unwrap();

    agrees(&informer, &other, "").await;
    history.agrees(&informer).await;
    let again = informer.lister().namespace(&namespace).require("stays").unwrap();
    assert!(
        std::sync::Arc::ptr_eq(&stays, &again),
        "what did not change is the same"
    );
    let status = informer.status().borrow().clone();
    assert_eq!(status.lists, 2, "{status:?}");
    let error = status.last_error.map(|failed| failed.to_string());
    assert!(
        error.as_ref().is_some_and(|error| error.contains("410")),
        "{error:?}"
    );
    let tombstones = ["goes", "comes-back"].map(|name| format!("{namespace}/{name}"));
    let mut told = history.known().tombstones.clone();
    told.sort_by_key(|key| !key.ends_with("goes"));
    assert_eq!(told, tombstones);
    assert_eq!(status.went_back, 0);
    other.create(&config_map("afterwards")).await.unwrap();
    agrees(&informer, &other, "").await;
    factory.shutdown().await;
}

/// The version of a resource that is quiet is soon too old, for each watch anew.
#[tokio::test]
async fn a_version_that_was_compacted_is_a_relist() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let server = ApiServer::start(forgetful()).unwrap();
    let namespace = server.namespace("compacted").unwrap();
    let clientset = clientset(&server);
    let api = clientset.core_v1().config_maps(&namespace);
    api.create(&config_map("a")).await.unwrap();
    api.create(&config_map("b")).await.unwrap();
    let options = ReflectorOptions {
        watch_timeout: Duration::from_secs(4),
        ..ReflectorOptions::default()
    };
    let factory = SharedInformerFactory::new(&clientset)
        .namespace(&namespace)
        .reflector(options);
    let informer = factory.core_v1().config_maps();
    let history = History::of(&informer);
    factory.start();
    factory.wait_synced().await.unwrap();
    let namespaces = clientset.core_v1().namespaces();
    let mut number = 0_u32;
    let started = std::time::Instant::now();
    while informer.status().borrow().lists < 3 {
        assert!(
            started.elapsed() < Duration::from_secs(90),
            "{:?}",
            informer.status().borrow()
        );
        // Versions go on without the config maps.
        number += 1;
        let patch = serde_json::json!({"metadata": {"annotations": {"number": number.to_string()}}});
        namespaces
            .patch("default", kubeloom::rest::PatchBody::merge(&patch))
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let status = informer.status().borrow().clone();
    let error = status
        .last_error
        .map(|failed| failed.to_string())
        .unwrap_or_default();
    assert!(error.contains("410"), "{error}");
    api.delete("a").await.unwrap();
    api.create(&config_map("c")).await.unwrap();
    agrees(&informer, &api, "").await;
    history.agrees(&informer).await;
    factory.shutdown().await;
}

/// The timeout of a client is that of its calls: a watch lives on.
#[tokio::test]
async fn the_timeout_of_calls_ends_no_informer() {
    let server = require_apiserver!();
    let namespace = server.namespace("informer-timeout").unwrap();
    let mut config = admin(server);
    config.timeout = Some(Duration::from_secs(2));
    let clientset = Clientset::new(&RestClient::new(&config).unwrap());
    let factory = SharedInformerFactory::new(&clientset).namespace(&namespace);
    let informer = factory.core_v1().config_maps();
    factory.start();
    factory.wait_synced().await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let created = clientset
        .core_v1()
        .config_maps(&namespace)
        .create(&config_map("late"))
        .await
        .unwrap();
    let seen = informer.lister();
    let wait = seen.at_least(&created.metadata.resource_version);
    tokio::time::timeout(Duration::from_secs(20), wait)
        .await
        .unwrap()
        .unwrap();
    let status = informer.status().borrow().clone();
    assert_eq!(status.lists, 1);
    assert!(status.last_error.is_none(), "{status:?}");
    factory.shutdown().await;
}
