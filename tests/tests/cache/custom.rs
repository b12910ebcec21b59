//! Objects of custom resources: a struct of serde, JSON and metadata, and a definition that goes and comes back.

use kubeloom::RestClient;
use kubeloom::cache::SharedInformerFactory;
use kubeloom::dynamic::DynamicObject;
use kubeloom::generated::*;
use kubeloom::rest::GroupVersionResource;
use kubeloom::serde_object;
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;
use kubeloom_tests::require_apiserver;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::history::History;
use crate::{clientset, eventually};

const GROUP: &str = "informers.example.com";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Widget {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Spec {
    tier: Tier,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Tier {
    #[default]
    Front,
    Back,
}

impl Resource for Widget {
    type Scope = Namespaced;
    const GROUP: &'static str = GROUP;
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "informers.example.com/v1";
    const KIND: &'static str = "Widget";
    const PLURAL: &'static str = "widgets";
    const SINGULAR: &'static str = "widget";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
serde_object! { Widget }
offers! { Widget { verb::List, verb::Watch } }

async fn install(client: &RestClient) {
    let text = json!({"type": "string"});
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"tier": text}}}});
    let definition = json!({"metadata": {"name": format!("widgets.{GROUP}")}, "spec": {"group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetCollection"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    let definition: CustomResourceDefinition = serde_json::from_value(definition).unwrap();
    let crds: Api<CustomResourceDefinition, Cluster> = client.cluster();
    loop {
        match crds.create(&definition).await {
            // The one before is still being deleted.
            Err(error) if error.is_already_exists() => {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            answer => break drop(answer.unwrap()),
        }
    }
}

async fn create(client: &RestClient, namespace: &str, name: &str, tier: &str) {
    let api = client
        .dynamic(GroupVersionResource::of::<Widget>())
        .namespace(namespace);
    let mut widget = DynamicObject::new(Widget::API_VERSION, Widget::KIND, name);
    widget.set("/spec", json!({"tier": tier})).unwrap();
    loop {
        match api.create(&widget).await {
            // Definitions are served a moment after they are created.
            Err(error) if error.is_not_found() => {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            answer => break drop(answer.unwrap()),
        }
    }
}

#[tokio::test]
async fn custom_resources_are_like_all_others() {
    let server = require_apiserver!();
    let namespace = server.namespace("custom").unwrap();
    let clientset = clientset(server);
    let client = clientset.client();
    // Informers that are there before the definition is.
    let factory = SharedInformerFactory::new(client).namespace(&namespace);
    let resource = GroupVersionResource::of::<Widget>();
    let widgets = factory.informer::<Widget>();
    let objects = factory.for_resource(&resource);
    let metadata = factory.metadata_of::<Widget>();
    let histories = (
        History::of(&widgets),
        History::of(&objects),
        History::of(&metadata),
    );
    factory.start();
    eventually("not there", || {
        factory
            .overview()
            .iter()
            .all(|one| one.reflector.last_error.is_some() && !one.synced)
    })
    .await;
    install(client).await;
    create(client, &namespace, "a", "Front").await;
    create(client, &namespace, "b", "Back").await;
    create(client, &namespace, "odd", "Middle").await;
    factory.wait_synced().await.unwrap();
    let counts = || {
        let counts = factory.overview();
        counts.iter().map(|one| one.objects).collect::<Vec<_>>()
    };
    eventually("all but what the struct does not know", || counts() == [2, 3, 3]).await;
    let skipped = factory.overview()[0].reflector.last_skipped.clone().unwrap();
    assert_eq!(skipped.key.to_string(), format!("{namespace}/odd"));
    assert!(skipped.reason.contains("Middle"), "{}", skipped.reason);
    let odd = objects.lister().namespace(&namespace).require("odd").unwrap();
    assert_eq!(
        (&*odd.kind, odd.read::<String>("/spec/tier").unwrap().as_deref()),
        ("Widget", Some("Middle"))
    );
    assert_eq!(
        widgets
            .lister()
            .namespace(&namespace)
            .require("b")
            .unwrap()
            .spec
            .tier,
        Tier::Back
    );

    // The definition goes, and with it all objects; it comes back with others.
    let crds: Api<CustomResourceDefinition, Cluster> = client.cluster();
    crds.delete(&format!("widgets.{GROUP}")).await.unwrap();
    install(client).await;
    create(client, &namespace, "c", "Front").await;
    eventually("only the new one", || counts() == [1, 1, 1]).await;
    assert!(widgets.lister().namespace(&namespace).get("c").is_some());
    histories.0.agrees(&widgets).await;
    histories.1.agrees(&objects).await;
    histories.2.agrees(&metadata).await;
    crds.delete(&format!("widgets.{GROUP}")).await.unwrap();
    factory.shutdown().await;
}
