//! What is built on calls: scales, watches that are taken up again, ownership of fields.

use std::time::{Duration, Instant};

use kubeloom::dynamic::{DynamicObject, ScaleClient};
use kubeloom::meta::{OwnerReference, ownership_patch};
use kubeloom::rest::{GroupVersionResource, PatchBody, WatchEvent};
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::require_apiserver;
use serde_json::json;

use crate::{admin, client, config_map};

#[tokio::test]
async fn deployments_and_custom_resources_are_scaled_alike() {
    let server = require_apiserver!();
    let namespace = server.namespace("scale").unwrap();
    let client = client(&admin(server));
    let any = |group: &str, plural: &str| client.dynamic(GroupVersionResource::new(group, "v1", plural));

    let mut front = DynamicObject::new("apps/v1", "Deployment", "front");
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}});
    front.set("/spec/replicas", 2).unwrap();
    front.set("/spec/selector/matchLabels/app", "a").unwrap();
    front.set("/spec/template", template).unwrap();
    any("apps", "deployments")
        .namespace(&namespace)
        .create(&front)
        .await
        .unwrap();

    let mut definition = DynamicObject::new(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "fleets.scale.example.com",
    );
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let scale = json!({"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"});
    definition.data.insert(
        "spec".to_owned(),
        json!({"group": "scale.example.com", "scope": "Namespaced", "names": {"plural": "fleets", "kind": "Fleet"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema, "subresources": {"scale": scale}}]}),
    );
    let definitions = any("apiextensions.k8s.io", "customresourcedefinitions");
    definitions.create(&definition).await.unwrap();
    let established = definitions
        .wait("fleets.scale.example.com")
        .timeout(Duration::from_secs(30));
    established
        .until(|one| one.condition("Established") == Some("True"))
        .await
        .unwrap();
    let mut fleet = DynamicObject::new("scale.example.com/v1", "Fleet", "front");
    fleet.set("/spec/size", 2).unwrap();
    let fleets = any("scale.example.com", "fleets").namespace(&namespace);
    let deadline = Instant::now() + Duration::from_secs(30);
    while let Err(error) = fleets.create(&fleet).await {
        assert!(error.is_not_found() && Instant::now() < deadline, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    for (group, plural) in [("apps", "deployments"), ("scale.example.com", "fleets")] {
        // Aggregated discovery follows new definitions with a delay.
        let scales = loop {
            match ScaleClient::new(&client).resource(group, plural).await {
                Ok(scales) => break scales.namespace(&namespace),
                Err(error) => assert!(error.is_no_match() && Instant::now() < deadline, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        };
        let mut scale = scales.get("front").await.unwrap();
        assert_eq!(scale.replicas, 2, "{plural}");
        scale.replicas = 3;
        assert_eq!(
            scales.update("front", &scale).await.unwrap().replicas,
            3,
            "{plural}"
        );
        let stale = scales.update("front", &scale).await.unwrap_err();
        assert!(stale.is_conflict(), "{plural}: {stale}");
        assert_eq!(
            scales.set_replicas("front", 5).await.unwrap().replicas,
            5,
            "{plural}"
        );
    }
    assert_eq!(
        fleets
            .get("front")
            .await
            .unwrap()
            .read::<i32>("/spec/size")
            .unwrap(),
        Some(5)
    );
    definitions.delete("fleets.scale.example.com").await.unwrap();
}

#[tokio::test]
async fn a_watch_that_the_server_ends_because_nobody_reads_it_is_taken_up_again() {
    const WRITES: u32 = 300;
    let server = require_apiserver!();
    let namespace = server.namespace("resumed").unwrap();
    let client = client(&admin(server));
    let api = client.namespaced::<ConfigMap>(&namespace);
    let mut object = config_map("busy");
    object.data = [("text", "x".repeat(100_000))].into();
    let created = api.create(&object).await.unwrap();
    let begin = created.metadata.resource_version.to_string();
    let bare = async || api.watch().resource_version(&*begin).await.unwrap();
    let mut unread = bare().await;
    let mut resumed = api.watch().resource_version(&*begin).resumed();
    // It starts, and is then left alone, as a slow consumer does: 30 MB do not fit into what may be sent ahead.
    let waiting = tokio::time::timeout(Duration::from_millis(300), resumed.next()).await;
    assert!(waiting.is_err(), "nothing has changed yet");
    for index in 1..=WRITES {
        let patch = json!({"data": {"n": index.to_string()}});
        api.patch("busy", PatchBody::merge(&patch)).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    // A bare watch ends early without an error: the server drops whom it cannot serve.
    let mut told = 0;
    let ended = loop {
        match tokio::time::timeout(Duration::from_secs(10), unread.next()).await {
            Ok(Some(event)) => {
                event.unwrap();
                told += 1;
            }
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    assert!(
        ended && told < WRITES,
        "{told} of {WRITES} changes, ended: {ended}"
    );
    // One that is taken up again misses nothing and repeats nothing.
    for index in 1..=WRITES {
        let next = tokio::time::timeout(Duration::from_secs(60), resumed.next()).await;
        let Ok(Some(Ok(WatchEvent::Modified(object)))) = next else {
            panic!("at {index}: {next:?}");
        };
        assert_eq!(object.data["n"], index.to_string().as_str());
    }
}

#[tokio::test]
async fn a_field_that_apply_no_longer_wants_goes_once_ownership_has_moved() {
    let server = require_apiserver!();
    let namespace = server.namespace("ownership").unwrap();
    let client = client(&admin(server));
    let api = client.namespaced::<ConfigMap>(&namespace);
    let mut object = config_map("a");
    object.data = [("kept", "1"), ("dropped", "1")].into();
    api.create(&object).manager("old").await.unwrap();
    let apply = |name: &'static str, data: serde_json::Value| {
        let wanted =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data});
        api.patch(name, PatchBody::apply(&wanted)).manager("new")
    };
    apply("a", json!({"kept": "1", "dropped": "1"})).await.unwrap();
    // The old manager still owns the field, so it stays.
    let after = apply("a", json!({"kept": "1"})).await.unwrap();
    assert_eq!(after.data.len(), 2);

    let patch = ownership_patch(&after, &["old"], "new", "").unwrap().unwrap();
    let moved = api.patch("a", PatchBody::json(&patch)).await.unwrap();
    assert_eq!(ownership_patch(&moved, &["old"], "new", "").unwrap(), None);
    let stale = api.patch("a", PatchBody::json(&patch)).await.unwrap_err();
    assert!(stale.is_conflict(), "{stale}");
    let after = apply("a", json!({"kept": "1"})).await.unwrap();
    assert_eq!(after.data.len(), 1, "{:?}", after.metadata.managed_fields);

    // A reference to what was read is one that the server takes.
    let mut owned = config_map("owned");
    owned.metadata.owner_references = vec![OwnerReference::to_controller(&after).unwrap()];
    let owned = api.create(&owned).await.unwrap();
    assert_eq!(owned.metadata.owner_references[0].uid, after.metadata.uid);
}
