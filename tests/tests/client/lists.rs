//! Lists in pages.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kubeloom::RestClient;
use kubeloom::rest::ResourceVersionMatch;
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::{ApiServer, Options, binary};
use kubeloom_tests::require_apiserver;

use crate::{admin, client, config_map};

/// Names in the order of the server's keys.
fn name(index: usize) -> String {
    format!("c{index:04}")
}

async fn fill(client: &RestClient, namespace: &str, count: usize) {
    let mut writers = tokio::task::JoinSet::new();
    for first in 0..32 {
        let api = client.namespaced::<ConfigMap>(namespace);
        writers.spawn(async move {
            for index in (first..count).step_by(32) {
                api.create(&config_map(name(index))).await.unwrap();
            }
        });
    }
    while let Some(writer) = writers.join_next().await {
        writer.unwrap();
    }
}

#[tokio::test]
async fn two_thousand_objects_come_in_pages_of_five_hundred_in_the_order_of_their_names() {
    let server = require_apiserver!();
    let namespace = server.namespace("pages").unwrap();
    let client = client(&admin(server));
    fill(&client, &namespace, 2000).await;
    let api = client.namespaced::<ConfigMap>(&namespace);
    let expected: Vec<String> = (0..2000).map(name).collect();

    let mut pages = api.list().pages();
    let (mut sizes, mut names, mut versions) = (Vec::new(), Vec::new(), BTreeSet::new());
    while let Some(page) = pages.next().await {
        let page = page.unwrap();
        sizes.push(page.items.len());
        versions.insert(page.metadata.resource_version.to_string());
        names.extend(page.items.iter().map(|item| item.metadata.name.to_string()));
        // What is written between two pages is not in the later ones: all are of one version.
        let late = config_map(format!("c0999-late-{}", sizes.len()));
        api.create(&late).await.unwrap();
    }
    assert_eq!(sizes, [500, 500, 500, 500]);
    assert_eq!(names, expected);
    assert_eq!(versions.len(), 1, "{versions:?}");

    // A version beside a continue token is refused by the server; the pager has to leave it out.
    let version = versions.pop_first().unwrap();
    let whole = api
        .list()
        .resource_version(&*version)
        .resource_version_match(ResourceVersionMatch::Exact)
        .all_pages()
        .await
        .unwrap();
    let names: Vec<String> = whole
        .items
        .iter()
        .map(|item| item.metadata.name.to_string())
        .collect();
    assert_eq!(names, expected);
    assert_eq!(whole.metadata.resource_version, *version);
    assert!(whole.metadata.continue_.is_empty() && whole.metadata.remaining_item_count.is_none());
    assert_eq!(api.list().limit(700).all_pages().await.unwrap().items.len(), 2004);
}

#[tokio::test]
async fn a_token_that_expires_between_pages_costs_nothing_and_repeats_nothing() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let server = ApiServer::start(Options {
        extra_args: vec!["--etcd-compaction-interval=1s".to_owned()],
        ..Options::default()
    })
    .unwrap();
    let client = client(&admin(&server));
    let namespace = server.namespace("expired").unwrap();
    fill(&client, &namespace, 60).await;
    let api = client.namespaced::<ConfigMap>(&namespace);

    let mut pages = api.list().limit(25).pages();
    let first = pages.next().await.unwrap().unwrap();
    assert_eq!(first.items.len(), 25);
    // Until the server has forgotten that version, which takes writes and two rounds of compaction.
    let started = Instant::now();
    loop {
        api.apply(&serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d-late"},
            "data": {"at": format!("{:?}", started.elapsed())},
        }))
        .manager("test")
        .await
        .unwrap();
        let probe = api
            .list()
            .limit(25)
            .continue_from(&*first.metadata.continue_)
            .await;
        match probe {
            Err(error) if error.is_gone() => {
                assert!(error.is_expired() && error.code() == Some(410), "{error}");
                break;
            }
            other => drop(other.unwrap()),
        }
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "the token does not expire"
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let rest = pages.next().await.unwrap().unwrap();
    assert!(pages.next().await.is_none());
    let names: Vec<String> = (first.items.iter().chain(&rest.items))
        .map(|item| item.metadata.name.to_string())
        .filter(|name| name.starts_with('c'))
        .collect();
    assert_eq!(names, (0..60).map(name).collect::<Vec<_>>());
    assert!(rest.items.iter().any(|item| item.metadata.name == *"d-late"));
}
