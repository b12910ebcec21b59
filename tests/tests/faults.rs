//! The fault proxy does what it says, and leaves alone what it should.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::time::{Duration, Instant};

use kubeloom::RestClient;
use kubeloom::config::{Config, Kubeconfig, KubeconfigOptions, Origin};
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::{ApiServer, Cut, Fault, FaultProxy};
use kubeloom_tests::require_apiserver;

fn client(server: &ApiServer, proxy: &FaultProxy, attempts: u32) -> RestClient {
    let text = proxy.kubeconfig(server.admin_token());
    let loaded = Kubeconfig::parse(text.as_bytes(), Origin::Memory).unwrap();
    let mut config = Config::from_loaded(&loaded, &KubeconfigOptions::default()).unwrap();
    config.retry.max_attempts = attempts;
    RestClient::new(&config).unwrap()
}

fn config_map(name: &str) -> ConfigMap {
    let mut object = ConfigMap::default();
    object.metadata.name = name.into();
    object
}

#[tokio::test]
async fn calls_and_watches_pass_and_statuses_are_injected() {
    let server = require_apiserver!();
    let namespace = server.namespace("faults").unwrap();
    let proxy = FaultProxy::start(server).unwrap();
    let api = client(server, &proxy, 1).namespaced::<ConfigMap>(&namespace);
    api.create(&config_map("a")).await.unwrap();
    assert_eq!(api.list().await.unwrap().items.len(), 1);
    for code in [410, 429, 500, 503, 504] {
        proxy.inject("/configmaps", Fault::Status(code));
        let error = api.list().await.unwrap_err();
        assert_eq!(error.code(), Some(code), "{error}");
    }
    assert_eq!(api.list().await.unwrap().items.len(), 1, "each fault comes once");

    let mut events = api.watch().await.unwrap();
    assert!(events.next().await.unwrap().is_ok());
    proxy.inject("watch=", Fault::Expired);
    let mut events = api.watch().await.unwrap();
    assert!(events.next().await.unwrap().unwrap_err().is_gone());
    assert_eq!(proxy.counts()["expired"], 1);
}

#[tokio::test]
async fn streams_break_and_stall_and_connections_are_reset() {
    let server = require_apiserver!();
    let namespace = server.namespace("faults").unwrap();
    let proxy = FaultProxy::start(server).unwrap();
    let api = client(server, &proxy, 1).namespaced::<ConfigMap>(&namespace);
    api.create(&config_map("a")).await.unwrap();

    proxy.inject("watch=", Fault::HalfBody);
    let mut events = api.watch().await.unwrap();
    let first = events.next().await;
    assert!(
        !matches!(first, Some(Ok(_))),
        "half of an event is none: {first:?}"
    );

    proxy.inject("watch=", Fault::StallBody);
    let mut events = api.watch().await.unwrap();
    let stalled = tokio::time::timeout(Duration::from_millis(500), events.next()).await;
    assert!(stalled.is_err(), "{stalled:?}");
    proxy.reset();
    let ended = tokio::time::timeout(Duration::from_secs(10), events.next())
        .await
        .unwrap();
    assert!(!matches!(ended, Some(Ok(_))), "{ended:?}");

    proxy.inject("/configmaps", Fault::Reset);
    assert!(api.list().await.is_err());
    assert!(api.list().await.is_ok());
    let started = Instant::now();
    proxy.inject("/configmaps", Fault::Delay(Duration::from_millis(300)));
    assert!(api.list().await.is_ok());
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn one_client_is_cut_off_and_others_are_not() {
    let server = require_apiserver!();
    let namespace = server.namespace("faults").unwrap();
    let proxies = [
        FaultProxy::start(server).unwrap(),
        FaultProxy::start(server).unwrap(),
    ];
    let [one, other] =
        [0, 1].map(|place| client(server, &proxies[place], 1).namespaced::<ConfigMap>(&namespace));
    assert!(one.list().await.is_ok());

    proxies[0].cut(Cut::Refused);
    assert!(one.list().await.is_err());
    assert!(other.list().await.is_ok());
    proxies[0].heal();
    assert!(one.list().await.is_ok());

    proxies[0].cut(Cut::Silent);
    let silent = tokio::time::timeout(Duration::from_millis(700), async { one.list().await }).await;
    assert!(silent.is_err(), "{silent:?}");
    assert!(other.list().await.is_ok());
    proxies[0].heal();
    let healed = tokio::time::timeout(Duration::from_secs(20), async { one.list().await }).await;
    assert!(healed.is_ok());
    assert!(one.list().await.is_ok());
}
