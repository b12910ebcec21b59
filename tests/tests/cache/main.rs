//! Informers against the real kube-apiserver: what they hold in the end is what a fresh list says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod changes;
mod churn;
mod custom;
mod history;
mod life;
mod rights;
mod servers;

use std::time::{Duration, Instant};

use kubeloom::RestClient;
use kubeloom::cache::{Informed, ObjectKey, SharedInformer};
use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::meta::ObjectMeta;
use kubeloom::rest::Api;
use kubeloom_k8s::Clientset;
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::ApiServer;

fn admin(server: &ApiServer) -> Config {
    Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap()
}

fn clientset(server: &ApiServer) -> Clientset {
    Clientset::new(&RestClient::new(&admin(server)).unwrap())
}

fn config_map(name: impl Into<kubeloom::Str>) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: name.into(),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}

/// Waits until something holds; what does not hold within a minute never does.
async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The objects of a kind in a namespace, or of the cluster if it is empty, by key.
async fn listed<K: Informed + PartialEq>(api: &Api<K, K::Scope>, labels: &str) -> Vec<K> {
    let mut items = api.list().labels(labels).await.unwrap().items;
    items.sort_by_key(|object| ObjectKey::of(object));
    items
}

/// Waits until an informer has exactly what a fresh list has, object by object.
async fn agrees<K: Informed + PartialEq>(informer: &SharedInformer<K>, api: &Api<K, K::Scope>, labels: &str) {
    let expected = listed(api, labels).await;
    let held = || informer.lister().list_sorted();
    eventually(&format!("{} as listed", informer.resource()), || {
        let held = held();
        held.len() == expected.len() && held.iter().zip(&expected).all(|(held, listed)| **held == *listed)
    })
    .await;
}
