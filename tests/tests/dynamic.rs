//! Discovery, the dynamic client and the metadata client against the real kube-apiserver.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::discovery::{DiscoveryCache, DiscoveryClient, DiskCache, RestMapper};
use kubeloom::dynamic::{DynamicApi, DynamicClient, DynamicObject};
use kubeloom::error::Error;
use kubeloom::meta::{ObjectMeta, OwnerReference};
use kubeloom::rest::{
    ClientOptions, GroupVersionKind, GroupVersionResource, PatchBody, RestClient, WatchEvent,
};
use kubeloom::retry_on_conflict;
use kubeloom::transport::{BoxFuture, HttpTransport, Request, Response, Transport, TransportError};
use kubeloom::wire::Format;
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::ApiServer;
use kubeloom_tests::require_apiserver;
use serde_json::json;

fn config(server: &ApiServer) -> Config {
    Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap()
}

fn client(server: &ApiServer) -> RestClient {
    RestClient::new(&config(server)).unwrap()
}

fn config_maps(client: &RestClient, namespace: &str) -> DynamicApi {
    client
        .dynamic(GroupVersionResource::new("", "v1", "configmaps"))
        .namespace(namespace)
}

/// Keeps the aggregated form of discovery from the client, as servers before 1.26 do.
#[derive(Debug)]
struct OldServer(HttpTransport);

impl Transport for OldServer {
    fn send(&self, mut request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        if request
            .headers
            .get("accept")
            .is_some_and(|accept| accept.contains("apidiscovery"))
        {
            request.headers.set("accept", "application/json");
        }
        self.0.send(request)
    }
}

#[tokio::test]
async fn both_forms_of_discovery_say_the_same() {
    let server = require_apiserver!();
    let aggregated = DiscoveryClient::new(&client(server)).discover().await.unwrap();
    let transport = OldServer(HttpTransport::new(&config(server)).unwrap());
    let old = RestClient::with_transport(transport, ClientOptions::default());
    let legacy = DiscoveryClient::new(&old).discover().await.unwrap();
    let names = |groups: &[kubeloom::discovery::ApiGroup]| -> Vec<String> {
        groups
            .iter()
            .map(|group| format!("{} {}", group.name, group.preferred))
            .collect()
    };
    pretty_assertions::assert_eq!(names(&aggregated.groups), names(&legacy.groups));
    assert!(aggregated.groups.len() > 15 && aggregated.groups[0].name.is_empty());
    for (group, version) in aggregated.group_versions() {
        if group.name.ends_with("example.com") {
            continue;
        }
        let other = legacy.version(&group.name, &version.version).unwrap();
        let sorted = |resources: &[kubeloom::discovery::ApiResource]| {
            let mut resources = resources.to_vec();
            resources.sort_by(|one, two| one.plural.cmp(&two.plural));
            resources
        };
        pretty_assertions::assert_eq!(
            sorted(&version.resources),
            sorted(&other.resources),
            "{}/{}",
            group.name,
            version.version
        );
        let parts = |parts: &[kubeloom::discovery::ApiSubresource]| {
            let mut parts: Vec<_> = parts
                .iter()
                .map(|part| {
                    (
                        part.resource.clone(),
                        part.name.clone(),
                        part.kind.clone(),
                        part.verbs.clone(),
                    )
                })
                .collect();
            parts.sort();
            parts
        };
        pretty_assertions::assert_eq!(
            parts(&version.subresources),
            parts(&other.subresources),
            "{}/{}",
            group.name,
            version.version
        );
    }
}

#[tokio::test]
async fn documents_are_read_and_kept() {
    let server = require_apiserver!();
    let dir = tempfile::tempdir().unwrap();
    let cache = DiscoveryCache::new(DiscoveryClient::new(&client(server)));
    let cache = cache.with_disk(DiskCache::for_server(
        dir.path(),
        &server.url(),
        DiskCache::DEFAULT_TTL,
    ));
    let version = cache.client().server_version().await.unwrap();
    assert_eq!(version.numbers().unwrap().0, 1);
    let index = cache.openapi_v3().await.unwrap();
    let apps = index.group_version("apps", "v1").unwrap();
    assert!(apps.hash().is_some());
    let document = cache.openapi_v3_document(apps).await.unwrap();
    let read: serde_json::Value = serde_json::from_slice(&document).unwrap();
    assert!(read["components"]["schemas"]["io.k8s.api.apps.v1.Deployment"].is_object());
    assert!(!cache.client().openapi_v2_protobuf().await.unwrap().is_empty());
    // Twice: the second answer is that nothing has changed.
    let first = cache.refresh().await.unwrap();
    let second = cache.refresh().await.unwrap();
    assert_eq!(first.group("apps"), second.group("apps"));
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_some());
}

#[tokio::test]
async fn a_kind_is_found_as_soon_as_it_is_defined() {
    let server = require_apiserver!();
    let namespace = server.namespace("gadgets").unwrap();
    let client = client(server);
    let cache = DiscoveryCache::new(DiscoveryClient::new(&client))
        .with_options(|options| options.miss_ttl = Duration::ZERO);
    let dynamic = DynamicClient::with_mapper(&client, RestMapper::with_cache(Arc::new(cache)));
    let group = format!("{namespace}.example.com");
    let kind = GroupVersionKind::new(&*group, "v1", "Gadget");
    assert!(dynamic.kind(&kind).await.unwrap_err().is_no_match());

    let mut definition = DynamicObject::new(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        format!("gadgets.{group}"),
    );
    definition.data = json!({"spec": {"group": group, "scope": "Namespaced",
        "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList", "shortNames": ["gd"]},
        "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}},
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"size": {"type": "integer"}}},
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}})
    .as_object()
    .unwrap()
    .clone();
    let definitions = dynamic.of(&definition).await.unwrap();
    definitions.create(&definition).await.unwrap();
    let established = definitions
        .wait(&definition.metadata.name)
        .timeout(Duration::from_secs(30));
    established
        .until(|one| one.condition("Established") == Some("True"))
        .await
        .unwrap();

    // The aggregated document follows the definition after a moment.
    let gadgets = {
        let mut attempts = 0;
        loop {
            match dynamic.kind(&kind).await {
                Ok(api) => break api.namespace(&namespace),
                Err(error) => assert!(error.is_no_match() && attempts < 100, "{error}"),
            }
            attempts += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    every_verb(&gadgets, &kind).await;
    definitions.delete(&definition.metadata.name).await.unwrap();
}

async fn every_verb(gadgets: &DynamicApi, kind: &GroupVersionKind) {
    let mut one = DynamicObject::new(kind.api_version(), &*kind.kind, "one");
    one.data = json!({"spec": {"size": 3, "ratio": 1.5, "big": 9007199254740993_i64}})
        .as_object()
        .unwrap()
        .clone();
    let created = gadgets.create(&one).await.unwrap();
    assert_eq!(
        created.data["spec"],
        json!({"size": 3, "ratio": 1.5, "big": 9007199254740993_i64})
    );
    assert_eq!(created.group_version_kind(), *kind);
    assert!(OwnerReference::to(&created).is_ok());
    let mut events = gadgets
        .watch()
        .resource_version(&*created.metadata.resource_version)
        .await
        .unwrap();

    let mut current = gadgets.get("one").await.unwrap();
    current.set("/spec/size", 4).unwrap();
    let updated = gadgets.update(&current).await.unwrap();
    assert_eq!(updated.metadata.generation, 2);
    assert!(gadgets.update(&current).await.unwrap_err().is_conflict());
    let Some(Ok(WatchEvent::Modified(seen))) = events.next().await else {
        panic!("no event of the update")
    };
    assert_eq!(seen, updated);

    assert!(
        gadgets
            .apply(&updated)
            .manager("me")
            .await
            .unwrap_err()
            .to_string()
            .contains("managedFields")
    );
    let mut wanted = DynamicObject::new(kind.api_version(), &*kind.kind, "one");
    wanted.set("/spec/colour", "red").unwrap();
    assert_eq!(
        gadgets
            .apply(&wanted)
            .manager("me")
            .await
            .unwrap()
            .read::<String>("/spec/colour")
            .unwrap()
            .as_deref(),
        Some("red")
    );

    let mut observed = gadgets.get("one").await.unwrap();
    observed.set("/status/size", 2).unwrap();
    observed.set("/spec/size", 99).unwrap();
    let status = gadgets.update_status(&observed).await.unwrap();
    assert_eq!(
        (
            status.read("/status/size").unwrap(),
            status.read("/spec/size").unwrap()
        ),
        (Some(2), Some(4))
    );
    let scale = gadgets.subresource("scale").get("one").await.unwrap();
    assert_eq!(
        (scale.kind.as_str(), scale.read::<i64>("/spec/replicas").unwrap()),
        ("Scale", Some(4))
    );
    let patch = PatchBody::merge(&json!({"spec": {"replicas": 7}}));
    gadgets.subresource("scale").patch("one", patch).await.unwrap();
    assert_eq!(
        gadgets
            .get("one")
            .await
            .unwrap()
            .read::<i64>("/spec/size")
            .unwrap(),
        Some(7)
    );

    let list = gadgets.list().await.unwrap();
    assert!(list.items.iter().all(|item| item.group_version_kind() == *kind) && list.items.len() == 1);
    // Metadata of custom resources travels as protobuf, though their objects do not.
    let metadata = gadgets.metadata_only();
    assert_eq!(
        metadata.get("one").await.unwrap().metadata,
        gadgets.get("one").await.unwrap().metadata
    );
    assert_eq!(metadata.list().await.unwrap().items[0].metadata.name, "one");
    assert_eq!(gadgets.list_table().await.unwrap().rows.len(), 1);
    metadata.delete("one").await.unwrap();
    gadgets
        .wait("one")
        .timeout(Duration::from_secs(20))
        .deleted()
        .await
        .unwrap();
}

#[tokio::test]
async fn metadata_is_read_watched_patched_and_deleted_in_both_formats() {
    let server = require_apiserver!();
    for format in [Format::Protobuf, Format::Json] {
        let namespace = server.namespace("metadata").unwrap();
        let client = client(server).with_options(|options| options.format = format);
        let objects = config_maps(&client, &namespace);
        let mut object = DynamicObject::new("v1", "ConfigMap", "a");
        object.set("/data/key", "x".repeat(10_000)).unwrap();
        objects.create(&object).await.unwrap();
        let typed = client.namespaced::<ConfigMap>(&namespace);
        let metadata = typed.metadata_only();
        let list = metadata.list().await.unwrap();
        let mut events = metadata
            .watch()
            .resource_version(&*list.metadata.resource_version)
            .await
            .unwrap();
        assert_eq!(list.items[0].metadata, objects.get("a").await.unwrap().metadata);
        let patch = PatchBody::merge(&json!({"metadata": {"labels": {"seen": "yes"}}}));
        assert_eq!(
            metadata.patch("a", patch).await.unwrap().metadata.labels["seen"],
            "yes"
        );
        let Some(Ok(WatchEvent::Modified(seen))) = events.next().await else {
            panic!("no event of the patch")
        };
        assert_eq!(seen.metadata.labels["seen"], "yes");
        metadata.delete("a").await.unwrap();
        assert!(
            matches!(events.next().await, Some(Ok(WatchEvent::Deleted(gone))) if gone.metadata.name == "a"),
            "{format:?}"
        );
        assert!(metadata.get("a").await.unwrap_err().is_not_found());
        assert!(metadata.delete_collection().labels("a=b").await.is_ok());
    }
}

#[tokio::test]
async fn a_list_of_many_pages_is_whole_at_a_version() {
    let server = require_apiserver!();
    let namespace = server.namespace("paging").unwrap();
    let client = client(server);
    let objects = config_maps(&client, &namespace);
    for index in 0..120 {
        objects
            .create(&DynamicObject::new("v1", "ConfigMap", format!("c{index:03}")))
            .await
            .unwrap();
    }
    let version = objects.list().limit(1).await.unwrap().metadata.resource_version;
    let whole = objects
        .list()
        .limit(25)
        .resource_version(&*version)
        .resource_version_match(kubeloom::rest::ResourceVersionMatch::Exact);
    let whole = whole.all_pages().await.unwrap();
    assert_eq!(whole.items.len(), 120);
    assert_eq!(whole.metadata.resource_version, version);
    let mut pages = client
        .namespaced::<ConfigMap>(&namespace)
        .list()
        .limit(50)
        .pages();
    let mut sizes = Vec::new();
    while let Some(page) = pages.next().await {
        sizes.push(page.unwrap().items.len());
    }
    assert_eq!(sizes, [50, 50, 20]);
    let bad = objects
        .list()
        .continue_from("no token")
        .all_pages()
        .await
        .unwrap_err();
    assert!(bad.is_bad_request(), "{bad}");
}

#[tokio::test]
async fn writers_that_meet_all_get_through() {
    let server = require_apiserver!();
    let namespace = server.namespace("conflicts").unwrap();
    let objects = config_maps(&client(server), &namespace);
    let mut counter = DynamicObject::new("v1", "ConfigMap", "counter");
    counter.set("/data/n", "0").unwrap();
    objects.create(&counter).await.unwrap();
    let attempts = Arc::new(AtomicU32::new(0));
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (objects, attempts) = (objects.clone(), attempts.clone());
            tokio::spawn(async move {
                retry_on_conflict(|| async {
                    attempts.fetch_add(1, Ordering::Relaxed);
                    let mut counter = objects.get("counter").await?;
                    let n: u32 = counter.data["data"]["n"].as_str().unwrap().parse().unwrap();
                    counter.set("/data/n", (n + 1).to_string()).unwrap();
                    objects.update(&counter).await.map(drop)
                })
                .await
            })
        })
        .collect();
    for writer in writers {
        let outcome: Result<(), Error> = writer.await.unwrap();
        outcome.unwrap();
    }
    assert_eq!(objects.get("counter").await.unwrap().data["data"]["n"], "4");
    assert!(attempts.load(Ordering::Relaxed) >= 4);
}

#[tokio::test]
async fn typed_objects_and_dynamic_ones_are_the_same_on_the_server() {
    let server = require_apiserver!();
    let namespace = server.namespace("convert").unwrap();
    let client = client(server);
    let typed = ConfigMap {
        metadata: ObjectMeta {
            name: "a".into(),
            ..ObjectMeta::default()
        },
        data: [("k", "v")].into(),
        ..ConfigMap::default()
    };
    let objects = config_maps(&client, &namespace);
    let created = objects
        .create(&DynamicObject::from_typed(&typed).unwrap())
        .await
        .unwrap();
    let read = client.namespaced::<ConfigMap>(&namespace).get("a").await.unwrap();
    assert_eq!(created.to_typed::<ConfigMap>().unwrap(), read);
    assert_eq!(DynamicObject::from_typed(&read).unwrap(), created);
}
