//! Every verb of the kinds that people use each day.

use std::time::Duration;

use kubeloom::meta::{LabelSelector, ObjectMeta};
use kubeloom::rest::{Deletion, FieldValidation, PatchBody, WatchEvent, WatchStream};
use kubeloom::value::map;
use kubeloom::wire::Format;
use kubeloom_k8s::apps_v1::{Deployment, DeploymentSpec};
use kubeloom_k8s::core_v1::{
    ConfigMap, Container, ContainerPort, Namespace, Pod, PodSpec, PodTemplateSpec, Service, ServicePort,
    ServiceSpec,
};
use serde_json::json;

use crate::fixture;

fn named(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: name.into(),
        labels: map([("app", name)]),
        ..Default::default()
    }
}

pub(crate) fn pod(name: &str) -> Pod {
    Pod {
        metadata: named(name),
        spec: pod_spec(),
        ..Default::default()
    }
}

fn pod_spec() -> PodSpec {
    PodSpec {
        containers: vec![Container {
            name: "main".into(),
            image: "example.com/main:1".into(),
            ports: vec![ContainerPort {
                container_port: 8080,
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub(crate) fn deployment(name: &str) -> Deployment {
    Deployment {
        metadata: named(name),
        spec: DeploymentSpec {
            replicas: Some(2),
            selector: Some(Box::new(LabelSelector {
                match_labels: map([("app", name)]),
                ..Default::default()
            })),
            template: PodTemplateSpec {
                metadata: named(name),
                spec: pod_spec(),
            },
            ..Default::default()
        },
        ..Default::default()
    }
}

async fn next<K: kubeloom::Resource>(events: &mut WatchStream<K>) -> WatchEvent<K> {
    tokio::time::timeout(Duration::from_secs(20), events.next())
        .await
        .expect("an event in time")
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn config_maps_from_create_to_delete_in_both_formats() {
    let (clientset, namespace) = fixture!("config-maps");
    let config_maps = clientset.core_v1().config_maps(&namespace);
    let version = config_maps.list().await.unwrap().metadata.resource_version;
    let mut events = config_maps
        .watch()
        .resource_version(version.as_str())
        .await
        .unwrap();

    for format in [Format::Json, Format::Protobuf] {
        let name = format!("{format:?}").to_lowercase();
        let wanted = ConfigMap {
            metadata: named(&name),
            data: map([("a", "1")]),
            ..Default::default()
        };
        let dry = config_maps
            .create(&wanted)
            .dry_run()
            .format(format)
            .await
            .unwrap();
        assert!(!dry.metadata.uid.is_empty());
        assert!(
            config_maps
                .get(&name)
                .format(format)
                .await
                .unwrap_err()
                .is_not_found()
        );

        let created = config_maps
            .create(&wanted)
            .manager("e2e")
            .format(format)
            .await
            .unwrap();
        assert_eq!(created.data, wanted.data);
        assert!(!created.metadata.creation_timestamp.is_zero());
        assert_eq!(created.metadata.managed_fields[0].manager, "e2e");
        assert!(
            config_maps
                .create(&wanted)
                .format(format)
                .await
                .unwrap_err()
                .is_already_exists()
        );
        let got = config_maps.get(&name).format(format).await.unwrap();
        assert_eq!(got, created);

        let mut changed = got.clone();
        changed.data.insert("b".into(), "2".into());
        let updated = config_maps.update(&changed).format(format).await.unwrap();
        assert_eq!(updated.data.len(), 2);
        assert!(
            config_maps
                .update(&changed)
                .format(format)
                .await
                .unwrap_err()
                .is_conflict()
        );

        let merged = config_maps
            .patch(&name, PatchBody::merge(&json!({"data": {"a": null}})))
            .format(format)
            .await;
        assert_eq!(merged.unwrap().data, map([("b", "2")]));
        let operations = json!([{"op": "add", "path": "/data/c", "value": "3"}]);
        let patched = config_maps
            .patch(&name, PatchBody::json(&operations))
            .format(format)
            .await
            .unwrap();
        assert_eq!(patched.data.len(), 2);
        let strategic = PatchBody::strategic(&json!({"metadata": {"labels": {"x": "y"}}}));
        let patched = config_maps.patch(&name, strategic).format(format).await.unwrap();
        assert_eq!(patched.metadata.labels["x"], "y");

        let wanted =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"b": "9"}});
        let conflict = config_maps
            .apply(&wanted)
            .manager("other")
            .format(format)
            .await
            .unwrap_err();
        assert!(
            conflict.is_conflict() && conflict.has_cause("FieldManagerConflict"),
            "{conflict}"
        );
        let applied = config_maps
            .apply(&wanted)
            .manager("other")
            .force()
            .format(format)
            .await
            .unwrap();
        assert_eq!(applied.data["b"], "9");

        assert!(
            matches!(config_maps.delete(&name).uid("other").format(format).await, Err(error) if error.is_conflict())
        );
        config_maps
            .delete(&name)
            .grace_period(Duration::ZERO)
            .format(format)
            .await
            .unwrap();
        assert!(
            config_maps
                .get(&name)
                .format(format)
                .await
                .unwrap_err()
                .is_not_found()
        );

        assert!(
            matches!(next(&mut events).await, WatchEvent::Added(object) if object.metadata.name == *name)
        );
        loop {
            match next(&mut events).await {
                WatchEvent::Deleted(object) => break assert_eq!(object.metadata.name, *name),
                other => assert!(matches!(other, WatchEvent::Modified(_)), "{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn collections_page_and_go_by_selector() {
    let (clientset, namespace) = fixture!("collections");
    let config_maps = clientset.core_v1().config_maps(&namespace);
    for index in 0..7 {
        let mut object = ConfigMap {
            metadata: named(&format!("c{index}")),
            ..Default::default()
        };
        object.metadata.labels = map([("parity", if index % 2 == 0 { "even" } else { "odd" })]);
        config_maps.create(&object).await.unwrap();
    }
    let mut names = Vec::new();
    let mut token = String::new();
    loop {
        let page = config_maps
            .list()
            .labels("parity")
            .limit(3)
            .continue_from(token)
            .await
            .unwrap();
        assert!(page.len() <= 3);
        names.extend(page.iter().map(|object| object.metadata.name.to_string()));
        token = page.metadata.continue_.to_string();
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(names, ["c0", "c1", "c2", "c3", "c4", "c5", "c6"]);
    assert_eq!(config_maps.list().labels("parity=odd").await.unwrap().len(), 3);
    assert_eq!(
        config_maps.list().fields("metadata.name=c4").await.unwrap().len(),
        1
    );
    let everywhere = clientset
        .core_v1()
        .all_config_maps()
        .list()
        .labels("parity=even")
        .await
        .unwrap();
    assert!(
        everywhere
            .iter()
            .filter(|object| object.metadata.namespace == *namespace)
            .count()
            == 4
    );

    let gone = config_maps
        .delete_collection()
        .labels("parity=odd")
        .await
        .unwrap();
    if let Deletion::Object(list) = gone {
        assert_eq!(list.len(), 3);
    }
    assert_eq!(config_maps.list().labels("parity").await.unwrap().len(), 4);
    let stale = config_maps
        .list()
        .limit(1)
        .continue_from("nonsense")
        .await
        .unwrap_err();
    assert!(stale.is_bad_request() || stale.is_gone(), "{stale}");
}

#[tokio::test]
async fn pods_and_services_have_what_was_written() {
    let (clientset, namespace) = fixture!("pods");
    let pods = clientset.core_v1().pods(&namespace);
    let created = pods.create(&pod("web-0")).await.unwrap();
    assert_eq!(created.spec.containers[0].image, "example.com/main:1");
    assert_eq!(created.spec.restart_policy, "Always");
    assert_eq!(created.spec.termination_grace_period_seconds, Some(30));
    assert_eq!(created.status.phase, "Pending");

    let mut status = created.clone();
    status.status.phase = "Running".into();
    status.status.pod_ip = "10.0.0.7".into();
    let running = pods.update_status(&status).await.unwrap();
    assert_eq!(running.status.phase, "Running");
    assert_eq!(pods.get_status("web-0").await.unwrap().status.pod_ip, "10.0.0.7");
    let patch = PatchBody::merge(&json!({"status": {"message": "fine"}}));
    assert_eq!(
        pods.patch_status("web-0", patch).await.unwrap().status.message,
        "fine"
    );
    assert_eq!(pods.list().fields("status.phase=Running").await.unwrap().len(), 1);

    let bad = pods
        .create(&Pod {
            metadata: named("bad"),
            ..Default::default()
        })
        .await
        .unwrap_err();
    assert!(
        bad.is_invalid() && bad.to_string().contains("spec.containers"),
        "{bad}"
    );

    let services = clientset.core_v1().services(&namespace);
    let spec = ServiceSpec {
        selector: map([("app", "web")]),
        ports: vec![ServicePort {
            port: 80,
            target_port: "http".into(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let service = services
        .create(&Service {
            metadata: named("web"),
            spec,
            ..Default::default()
        })
        .await
        .unwrap();
    assert_eq!(service.spec.type_, "ClusterIP");
    assert_eq!(service.spec.ports[0].target_port, "http".into());
    assert!(
        service.spec.cluster_ip.starts_with("10."),
        "{}",
        service.spec.cluster_ip
    );
    services.delete_collection().await.unwrap();
    assert!(services.list().await.unwrap().is_empty());
}

#[tokio::test]
async fn deployments_scale() {
    let (clientset, namespace) = fixture!("deployments");
    let deployments = clientset.apps_v1().deployments(&namespace);
    let created = deployments.create(&deployment("web")).await.unwrap();
    assert_eq!(created.spec.replicas, Some(2));

    let mut scale = deployments.get_scale("web").await.unwrap();
    assert_eq!(scale.spec.replicas, 2);
    scale.spec.replicas = 5;
    assert_eq!(
        deployments
            .update_scale("web", &scale)
            .await
            .unwrap()
            .spec
            .replicas,
        5
    );
    let patched = deployments
        .patch_scale("web", PatchBody::merge(&json!({"spec": {"replicas": 0}})))
        .await
        .unwrap();
    assert_eq!(patched.spec.replicas, 0);
    assert_eq!(deployments.get("web").await.unwrap().spec.replicas, Some(0));

    let mut status = deployments.get("web").await.unwrap();
    status.status.observed_generation = 3;
    assert_eq!(
        deployments
            .update_status(&status)
            .await
            .unwrap()
            .status
            .observed_generation,
        3
    );
    deployments.delete("web").await.unwrap();
}

#[tokio::test]
async fn unknown_fields_are_refused_when_asked_to() {
    let (clientset, namespace) = fixture!("validation");
    let config_maps = clientset.core_v1().config_maps(&namespace);
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "later": 1});
    let error = config_maps
        .apply(&body)
        .manager("e2e")
        .field_validation(FieldValidation::Strict)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("later"), "{error}");
}

#[tokio::test]
async fn namespaces_are_created_finalized_and_deleted() {
    let (clientset, namespace) = fixture!("namespaces");
    let namespaces = clientset.core_v1().namespaces();
    let name = format!("{namespace}-more");
    let mut created = namespaces
        .create(&Namespace {
            metadata: named(&name),
            ..Default::default()
        })
        .await
        .unwrap();
    assert_eq!(created.spec.finalizers, ["kubernetes"]);
    let deleted = namespaces.delete(&name).await.unwrap();
    if let Deletion::Object(namespace) = deleted {
        assert_eq!(namespace.status.phase, "Terminating");
    }
    created = namespaces.get(&name).await.unwrap();
    created.spec.finalizers.clear();
    namespaces.finalize(&created).await.unwrap();
    assert!(namespaces.get(&name).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_watch_with_initial_events_ends_them_with_a_bookmark() {
    let (clientset, namespace) = fixture!("watch-list");
    let config_maps = clientset.core_v1().config_maps(&namespace);
    for name in ["a", "b"] {
        config_maps
            .create(&ConfigMap {
                metadata: named(name),
                ..Default::default()
            })
            .await
            .unwrap();
    }
    let mut events = config_maps
        .watch()
        .labels("app in (a,b)")
        .initial_events()
        .await
        .unwrap();
    let mut names = Vec::new();
    let bookmark = loop {
        match next(&mut events).await {
            WatchEvent::Added(object) => names.push(object.metadata.name.to_string()),
            WatchEvent::Bookmark(bookmark) => break bookmark,
            other => panic!("{other:?}"),
        }
    };
    names.sort();
    assert_eq!(names, ["a", "b"]);
    assert!(bookmark.initial_events_end && !bookmark.resource_version.is_empty());
}
