//! Several versions of one kind, in one definition.

use kubeloom::Resource;
use kubeloom::crd::merge;
use kubeloom::meta::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fixture;
use crate::server::install;

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "derive.example.com",
    version = "v1beta1",
    namespaced,
    kind = "Ticket",
    storage = false,
    deprecated
)]
struct OldTicket {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(group = "derive.example.com", version = "v1", namespaced, short_names("tk"))]
struct Ticket {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Spec {
    title: String,
}

#[tokio::test]
async fn versions_are_merged_and_served_side_by_side() {
    let (client, namespace) = fixture!("derived-versions");
    let definition = merge([OldTicket::crd().unwrap(), Ticket::crd().unwrap()]).unwrap();
    let names: Vec<&str> = definition
        .spec
        .versions
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["v1", "v1beta1"]);
    let found = install(&client, &definition).await;
    assert_eq!(found.status.stored_versions, ["v1"]);
    let mut old = OldTicket::default();
    old.metadata.name = "a".into();
    old.spec.title = "old".into();
    client
        .namespaced::<OldTicket>(&namespace)
        .create(&old)
        .await
        .unwrap();
    let new = client.namespaced::<Ticket>(&namespace).get("a").await.unwrap();
    assert_eq!(new.spec.title, "old");
    assert!(
        merge([OldTicket::crd().unwrap()])
            .unwrap_err()
            .to_string()
            .contains("no version is stored")
    );
}

#[tokio::test]
async fn names_that_are_taken_are_told_at_once() {
    #[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[resource(
        group = "derive.example.com",
        version = "v1",
        namespaced,
        kind = "Taken",
        plural = "takens"
    )]
    struct First {
        metadata: ObjectMeta,
    }
    #[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[resource(
        group = "derive.example.com",
        version = "v1",
        namespaced,
        kind = "Taken",
        plural = "othertakens"
    )]
    struct Second {
        metadata: ObjectMeta,
    }
    let (client, _) = fixture!("derived-taken");
    install(&client, &First::crd().unwrap()).await;
    let second = Second::crd().unwrap();
    kubeloom::crd::apply(&client, &second, "tests").await.unwrap();
    let wait = kubeloom::crd::wait_established(&client, &second, std::time::Duration::from_secs(20));
    let error = wait.await.unwrap_err();
    assert!(
        matches!(error, kubeloom::crd::EstablishError::Names(_)),
        "{error}"
    );
    assert!(error.to_string().contains("Taken"), "{error}");
}
