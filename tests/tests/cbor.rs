//! CBOR against the real kube-apiserver: one that offers it, and one that does not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::dynamic::DynamicObject;
use kubeloom::generated::*;
use kubeloom::record;
use kubeloom::resource::Offers;
use kubeloom::rest::{ClientOptions, GroupVersionResource, WatchEvent, WatchStream};
use kubeloom::transport::{BoxFuture, Headers, HttpTransport, Request, Response, Transport, TransportError};
use kubeloom::wire::{Format, Wire};
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;
use kubeloom_k8s::apps_v1::Deployment;
use kubeloom_k8s::core_v1::{ConfigMap, Secret};
use kubeloom_tests::apiserver::{ApiServer, Options};
use kubeloom_tests::require_apiserver;
use serde_json::json;

/// Notes what is sent and answered where CBOR is asked for.
#[derive(Clone, Debug)]
struct Noting {
    transport: Arc<HttpTransport>,
    notes: Arc<Mutex<Vec<Note>>>,
}

#[derive(Debug)]
struct Note {
    sent: String,
    status: u16,
    answered: String,
}

impl Transport for Noting {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let header = |headers: &Headers, name| headers.get(name).unwrap_or_default().to_owned();
        let is_noted = header(&request.headers, "accept").starts_with("application/cbor,");
        let sent = header(&request.headers, "content-type");
        Box::pin(async move {
            let response = self.transport.send(request).await?;
            if is_noted {
                self.notes.lock().unwrap().push(Note {
                    sent,
                    status: response.status,
                    answered: header(&response.headers, "content-type"),
                });
            }
            Ok(response)
        })
    }
}

/// The client of a server, with objects in CBOR, and the notes of its transport.
fn client(server: &ApiServer) -> (RestClient, Arc<Mutex<Vec<Note>>>) {
    let config = Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    let transport = Noting {
        transport: Arc::new(HttpTransport::new(&config).unwrap()),
        notes: Arc::default(),
    };
    let notes = transport.notes.clone();
    let mut options = ClientOptions::default();
    options.format = Format::Cbor;
    (RestClient::with_transport(transport, options), notes)
}

fn read<K: Wire>(value: &serde_json::Value) -> K {
    K::decode(Format::Json, value.to_string().as_bytes()).unwrap()
}

async fn next<K: Resource>(events: &mut WatchStream<K>) -> WatchEvent<K> {
    tokio::time::timeout(Duration::from_secs(20), events.next())
        .await
        .expect("an event in time")
        .unwrap()
        .unwrap()
}

/// An object with free text, bytes that are not UTF-8, more than 23 entries, and characters beyond ASCII.
fn config_map() -> ConfigMap {
    let many: serde_json::Map<_, _> = (0..30)
        .map(|i| (format!("key-{i}"), json!(format!("ä{i}"))))
        .collect();
    read(
        &json!({"metadata": {"name": "things", "labels": {"app": "web"}}, "data": many,
        "binaryData": {"bytes": "AP/+gA==", "empty": ""}}),
    )
}

fn secret() -> Secret {
    read(&json!({"metadata": {"name": "secret"}, "type": "Opaque", "data": {"token": "/wA="}}))
}

fn deployment() -> Deployment {
    read(
        &json!({"metadata": {"name": "web"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "web"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i",
            "resources": {"limits": {"cpu": "1500m", "memory": "1Gi"}}, "ports": [{"containerPort": 80}]}]}}}}),
    )
}

/// Creates in CBOR; reads, lists, watches and updates in CBOR what is the same in JSON and protobuf.
async fn agree<K>(things: &Api<K>, wanted: &K)
where
    K: Resource<Scope = Namespaced> + record::Value + Default + PartialEq + Debug,
    K: Offers<verb::Create>
        + Offers<verb::Get>
        + Offers<verb::List>
        + Offers<verb::Watch>
        + Offers<verb::Update>,
{
    let created = things.create(wanted).await.unwrap();
    let name = &*wanted.metadata().name;
    let read = things.get(name).await.unwrap();
    assert_eq!(read, created, "created and read");
    for format in [Format::Json, Format::Protobuf] {
        let other = things.get(name).format(format).await.unwrap();
        assert_eq!(other, read, "{} in {format:?}", K::KIND);
    }

    let list = things.list().await.unwrap();
    let json = things.list().format(Format::Json).await.unwrap();
    assert_eq!(list.items, json.items);
    assert_eq!(list.items.iter().filter(|item| **item == read).count(), 1);

    let mut events = things
        .watch()
        .resource_version(list.metadata.resource_version.as_str())
        .await
        .unwrap();
    let mut changed = read.clone();
    changed
        .metadata_mut()
        .labels
        .insert("changed".into(), "yes".into());
    let updated = things.update(&changed).await.unwrap();
    assert_eq!(
        updated.metadata().labels.get("changed").map(|value| &**value),
        Some("yes")
    );
    assert_eq!(next(&mut events).await, WatchEvent::Modified(updated));
    let conflict = things.update(&changed).await.unwrap_err();
    assert!(conflict.is_conflict(), "{conflict}");
}

#[tokio::test]
async fn a_server_with_cbor_is_spoken_to_in_cbor() {
    // Nothing to build a server with: the shared one says so.
    let _ = require_apiserver!();
    let server = ApiServer::start(Options {
        feature_gates: [("CBORServingAndStorage".to_owned(), true)].into(),
        ..Options::default()
    })
    .unwrap();
    let namespace = server.namespace("cbor").unwrap();
    let (client, notes) = client(&server);
    agree(&client.namespaced(&namespace), &config_map()).await;
    agree(&client.namespaced(&namespace), &secret()).await;
    agree(&client.namespaced(&namespace), &deployment()).await;
    custom_resources(&client, &namespace).await;

    let config_maps = client
        .dynamic(GroupVersionResource::new("", "v1", "configmaps"))
        .namespace(&namespace);
    let untyped = config_maps.get("things").await.unwrap();
    let typed = client
        .namespaced::<ConfigMap>(&namespace)
        .get("things")
        .await
        .unwrap();
    assert_eq!(untyped.to_typed::<ConfigMap>().unwrap(), typed);

    let missing = client
        .namespaced::<ConfigMap>(&namespace)
        .get("missing")
        .await
        .unwrap_err();
    assert!(missing.is_not_found(), "{missing}");

    let notes = notes.lock().unwrap();
    assert!(
        notes
            .iter()
            .any(|note| note.sent == "application/cbor" && note.status == 201)
    );
    assert!(notes.iter().any(|note| note.answered == "application/cbor-seq"));
    for note in &*notes {
        // What has no resource behind it is answered in plain text.
        let is_cbor = note.answered.starts_with("application/cbor")
            || (note.status, &*note.answered) == (404, "text/plain; charset=utf-8");
        assert!(
            is_cbor && note.status != 415 && note.sent != "application/json",
            "{note:?}"
        );
    }
}

/// A definition, which is full of raw JSON, and an object of its kind.
async fn custom_resources(client: &RestClient, namespace: &str) {
    let group = format!("{namespace}.example.com");
    let wanted: CustomResourceDefinition = read(&json!({
        "metadata": {"name": format!("things.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": {"a": [1, 0.5, "x", null]}}}}}}]}
    }));
    let crds: Api<CustomResourceDefinition, Cluster> = client.cluster();
    let name = wanted.metadata.name.clone();
    crds.create(&wanted).await.unwrap();
    let definition = loop {
        let definition = crds.get(&name).await.unwrap();
        if definition
            .status
            .conditions
            .iter()
            .any(|one| one.type_ == "Established" && one.status == "True")
        {
            break definition;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(
        definition.spec,
        crds.get(&name).format(Format::Json).await.unwrap().spec
    );

    let things = client
        .dynamic(GroupVersionResource::new(&group, "v1", "things"))
        .namespace(namespace);
    let object = json!({"apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": {"name": "a"},
        "spec": {"whole": 3, "half": 0.5, "text": "ä", "list": [true, null, {"deep": {}}]}});
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let created = loop {
        match things.create(&object).await {
            // Definitions are served a moment after they are established.
            Err(error) if error.is_not_found() => tokio::time::sleep(Duration::from_millis(100)).await,
            answer => break answer.unwrap(),
        }
    };
    let json = client.with_options(|options| options.format = Format::Json);
    let json = json
        .dynamic(GroupVersionResource::new(&group, "v1", "things"))
        .namespace(namespace);
    let text = |object: &DynamicObject| serde_json::to_value(object).unwrap();
    assert_eq!(text(&created), text(&json.get("a").await.unwrap()));
    assert_eq!(text(&created)["spec"], text(&object)["spec"]);
    crds.delete(&name).await.unwrap();
}

#[tokio::test]
async fn a_server_without_cbor_is_spoken_to_in_json() {
    let server = require_apiserver!();
    let namespace = server.namespace("no-cbor").unwrap();
    let (client, notes) = client(server);
    agree(&client.namespaced(&namespace), &config_map()).await;
    agree(&client.namespaced(&namespace), &deployment()).await;
    let notes = notes.lock().unwrap();
    assert_eq!((&*notes[0].sent, notes[0].status), ("application/cbor", 415));
    assert!(
        notes[1..]
            .iter()
            .all(|note| note.sent != "application/cbor" && note.status != 415)
    );
    assert!(
        notes
            .iter()
            .all(|note| note.answered.starts_with("application/json"))
    );
}
