//! Informers of a real server leave nothing behind: neither those that come and go, nor objects that do.
//!
//! One test in a process of its own, for it looks at the memory of the process.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::fs;
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::cache::{ApiListWatch, Event, InformerOptions, PackedOptions, SharedInformer, Storage};
use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::require_apiserver;
use tokio::runtime::Handle;

/// The resident size of the process in megabytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

fn informer(client: &RestClient, namespace: &str, storage: Storage) -> SharedInformer<ConfigMap> {
    let options = InformerOptions {
        storage,
        ..InformerOptions::default()
    };
    let informer = SharedInformer::with_options(ApiListWatch::new(client, Some(namespace)), options);
    informer.add_event_handler(|_: Event<ConfigMap>| {});
    informer
}

async fn start_and_stop(client: &RestClient, namespace: &str, times: usize) {
    for number in 0..times {
        let storage = match number % 2 {
            0 => Storage::Whole,
            _ => Storage::Packed(PackedOptions::default()),
        };
        let informer = informer(client, namespace, storage);
        informer.start();
        informer.wait_synced().await.unwrap();
        assert_eq!(informer.store().len(), 20);
        informer.stop().await;
    }
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("never: {what}");
}

fn object(name: &str) -> ConfigMap {
    let mut object = ConfigMap::default();
    object.metadata.name = name.into();
    for line in 0..50 {
        let text = format!("{name}: line {line} of what takes some memory");
        object
            .data
            .insert(format!("line-{line}").as_str().into(), text.as_str().into());
    }
    object
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_informers_and_of_objects() {
    let server = require_apiserver!();
    let config = Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    let client = RestClient::new(&config).unwrap();
    let namespace = server.namespace("leak").unwrap();
    let api = client.namespaced::<ConfigMap>(&namespace);
    for number in 0..20 {
        api.create(&object(&format!("stays-{number}"))).await.unwrap();
    }

    // A thousand informers; the first hundred fill pools and caches.
    start_and_stop(&client, &namespace, 100).await;
    let tasks = Handle::current().metrics().num_alive_tasks();
    let before = resident();
    start_and_stop(&client, &namespace, 1000).await;
    eventually("the tasks of a thousand informers are gone", || {
        Handle::current().metrics().num_alive_tasks() <= tasks
    })
    .await;
    let after = resident();
    assert!(
        after <= before + 20,
        "{before} MB before a thousand informers, {after} MB after"
    );

    // Objects that come and go: 10,000 of 3 KB, 50 at a time, seen by an informer of each kind.
    let informers = [Storage::Whole, Storage::Packed(PackedOptions::default())]
        .map(|storage| informer(&client, &namespace, storage));
    for informer in &informers {
        informer.start();
        informer.wait_synced().await.unwrap();
    }
    churn(&client, &namespace, 0..20).await;
    let before = resident();
    churn(&client, &namespace, 20..200).await;
    for informer in &informers {
        eventually("the objects are gone", || informer.store().len() == 20).await;
    }
    let after = resident();
    assert!(
        after <= before + 20,
        "{before} MB before 10,000 objects, {after} MB after"
    );
    for informer in &informers {
        informer.stop().await;
    }
}

/// Creates and deletes fifty objects a round.
async fn churn(client: &RestClient, namespace: &str, rounds: std::ops::Range<usize>) {
    for round in rounds {
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..50 {
            let api = client.namespaced::<ConfigMap>(namespace);
            calls.spawn(async move {
                let name = format!("goes-{round}-{number}");
                api.create(&object(&name)).await.unwrap();
                api.delete(&name).await.unwrap();
            });
        }
        calls.join_all().await;
    }
}
