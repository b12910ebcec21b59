//! A struct of the user's own, with serde's traits written by serde, as the typed client of a custom resource.

use std::collections::HashMap;
use std::time::Duration;

use kubeloom::generated::*;
use kubeloom::rest::{WatchEvent, WatchStream};
use kubeloom::serde_object;
use kubeloom::wire::Format;
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::fixture;

const GROUP: &str = "user-types.example.com";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Website {
    metadata: ObjectMeta,
    spec: Spec,
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    notes: HashMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    domain_name: String,
    tier: Tier,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replicas: Option<i32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Tier {
    #[default]
    Front,
    Back,
}

impl Resource for Website {
    type Scope = Namespaced;
    const GROUP: &'static str = GROUP;
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "user-types.example.com/v1";
    const KIND: &'static str = "Website";
    const PLURAL: &'static str = "websites";
    const SINGULAR: &'static str = "website";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
serde_object! { Website }
offers! { Website {
    verb::Create, verb::Delete, verb::DeleteCollection, verb::Get, verb::List, verb::Patch, verb::Update, verb::Watch
} }

fn website(name: &str) -> Website {
    Website {
        metadata: ObjectMeta {
            name: name.into(),
            ..ObjectMeta::default()
        },
        spec: Spec {
            domain_name: format!("{name}.example.com"),
            tier: Tier::Back,
            memory: Some("1Gi".parse().unwrap()),
            replicas: Some(0),
        },
        notes: HashMap::from([("a".to_owned(), "ä".to_owned()), ("b".to_owned(), String::new())]),
    }
}

async fn install(client: &RestClient) -> Api<CustomResourceDefinition, Cluster> {
    let text = json!({"type": "string"});
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"domainName": text, "tier": text, "replicas": {"type": "integer"},
            "memory": {"x-kubernetes-int-or-string": true}}},
        "notes": {"type": "object", "additionalProperties": text}}});
    let definition = json!({"metadata": {"name": format!("websites.{GROUP}")}, "spec": {"group": GROUP, "scope": "Namespaced",
        "names": {"plural": "websites", "singular": "website", "kind": "Website", "listKind": "WebsiteList"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    let crds: Api<CustomResourceDefinition, Cluster> = client.cluster();
    crds.create(&serde_json::from_value(definition).unwrap())
        .await
        .unwrap();
    crds
}

async fn next(events: &mut WatchStream<Website>) -> Result<WatchEvent<Website>, kubeloom::Error> {
    tokio::time::timeout(Duration::from_secs(20), events.next())
        .await
        .expect("an event in time")
        .unwrap()
}

#[tokio::test]
async fn a_struct_of_serde_is_a_kind_like_any_other() {
    let (clientset, namespace) = fixture!("user-types");
    let client = clientset.client();
    let crds = install(client).await;
    let websites: Api<Website> = client.namespaced(&namespace);
    let created = loop {
        match websites.create(&website("a")).await {
            // Definitions are served a moment after they are created.
            Err(error) if error.is_not_found() => tokio::time::sleep(Duration::from_millis(100)).await,
            answer => break answer.unwrap(),
        }
    };
    assert_eq!(
        (&created.spec, &created.notes),
        (&website("a").spec, &website("a").notes)
    );
    assert!(!created.metadata.uid.is_empty());
    assert_eq!(websites.get("a").await.unwrap(), created);
    // Protobuf and CBOR are asked for in vain; the server answers in JSON.
    for format in [Format::Protobuf, Format::Cbor] {
        assert_eq!(websites.get("a").format(format).await.unwrap(), created);
    }

    let list = websites.list().await.unwrap();
    assert_eq!(list.items, std::slice::from_ref(&created));
    let mut events = websites
        .watch()
        .resource_version(list.metadata.resource_version.as_str())
        .await
        .unwrap();
    let mut changed = created.clone();
    changed.spec.tier = Tier::Front;
    changed.spec.replicas = None;
    let updated = websites.update(&changed).await.unwrap();
    assert_eq!(updated.spec, changed.spec);
    assert_eq!(
        next(&mut events).await.unwrap(),
        WatchEvent::Modified(updated.clone())
    );
    assert!(websites.update(&changed).await.unwrap_err().is_conflict());

    // A value that the struct does not know spoils its own object and no other.
    let untyped = client
        .dynamic(kubeloom::rest::GroupVersionResource::of::<Website>())
        .namespace(&namespace);
    let mut odd = kubeloom::dynamic::DynamicObject::from_typed(&website("odd")).unwrap();
    odd.set("/spec/tier", "Middle").unwrap();
    untyped.create(&odd).await.unwrap();
    let error = next(&mut events).await.unwrap_err();
    assert_eq!(error.context().unwrap().name.as_deref(), Some("odd"));
    assert!(error.to_string().contains("Middle"), "{error}");
    assert!(websites.get("odd").await.is_err());
    let error = websites.list().await.unwrap_err();
    assert!(error.to_string().contains("odd"), "{error}");
    let (list, errors) = websites.list().lenient().await.unwrap();
    assert_eq!(list.items, std::slice::from_ref(&updated));
    assert_eq!((errors.len(), &*errors[0].name), (1, "odd"));

    websites.delete("a").await.unwrap();
    assert!(
        matches!(next(&mut events).await.unwrap(), WatchEvent::Deleted(gone) if gone.spec == updated.spec)
    );
    assert!(websites.get("a").await.unwrap_err().is_not_found());
    crds.delete(&format!("websites.{GROUP}")).await.unwrap();
}
