//! What the server says beside an object: warnings, verdicts, tables; and what it does not do when told so.

use std::sync::{Arc, Mutex};

use kubeloom::dynamic::DynamicObject;
use kubeloom::rest::{FieldValidation, GroupVersionResource};
use kubeloom::transport::WarningHandler;
use kubeloom_k8s::core_v1::{ConfigMap, Endpoints};
use kubeloom_tests::require_apiserver;
use serde_json::json;

use crate::{admin, client, client_with, config_map};

#[derive(Debug, Default)]
struct Told(Mutex<Vec<String>>);

impl Told {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl WarningHandler for Told {
    fn warning(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

#[tokio::test]
async fn warnings_reach_the_handler_whatever_becomes_of_the_call() {
    let server = require_apiserver!();
    let namespace = server.namespace("warnings").unwrap();
    let told = Arc::new(Told::default());
    let client = client_with(&admin(server), |options| options.warnings = told.clone());
    let is_deprecation =
        |told: &[String]| matches!(told, [one] if one.starts_with("v1 Endpoints is deprecated in v1.33+"));

    let endpoints = client.namespaced::<Endpoints>(&namespace);
    endpoints.list().await.unwrap();
    let texts = told.take();
    assert!(is_deprecation(&texts), "{texts:?}");
    assert!(endpoints.get("missing").await.unwrap_err().is_not_found());
    let texts = told.take();
    assert!(is_deprecation(&texts), "{texts:?}");
    drop(endpoints.watch().await.unwrap());
    let texts = told.take();
    assert!(is_deprecation(&texts), "{texts:?}");

    client.namespaced::<ConfigMap>(&namespace).list().await.unwrap();
    assert_eq!(told.take(), [""; 0]);

    // Two in one answer: a deprecated label in a field, and a field that is unknown.
    let mut pod = DynamicObject::new("v1", "Pod", "old");
    pod.set(
        "/spec",
        json!({
            "nodeSelector": {"beta.kubernetes.io/arch": "amd64"}, "hunting": true,
            "containers": [{"name": "c", "image": "i"}],
        }),
    )
    .unwrap();
    let pods = client
        .dynamic(GroupVersionResource::new("", "v1", "pods"))
        .namespace(&namespace);
    pods.create(&pod).dry_run().await.unwrap();
    let mut texts = told.take();
    texts.sort();
    assert!(
        matches!(&*texts, [one, two] if one.contains("beta.kubernetes.io/arch") && two.contains("unknown field \"spec.hunting\"")),
        "{texts:?}"
    );
}

#[tokio::test]
async fn a_dry_run_answers_as_if_and_changes_nothing() {
    let server = require_apiserver!();
    let namespace = server.namespace("dry-run").unwrap();
    let api = client(&admin(server)).namespaced::<ConfigMap>(&namespace);

    let mut wanted = config_map("a");
    let answer = api.create(&wanted).dry_run().await.unwrap();
    assert!(!answer.metadata.uid.is_empty());
    assert!(api.get("a").await.unwrap_err().is_not_found());
    wanted.metadata.name = "Not A Name".into();
    assert!(api.create(&wanted).dry_run().await.unwrap_err().is_invalid());

    let before = api.create(&config_map("a")).await.unwrap();
    let mut changed = before.clone();
    changed.data = kubeloom::value::map([("k", "v")]);
    assert_eq!(api.update(&changed).dry_run().await.unwrap().data, changed.data);
    let patch = kubeloom::rest::PatchBody::merge(&json!({"data": {"k": "v"}}));
    assert_eq!(api.patch("a", patch).dry_run().await.unwrap().data, changed.data);
    api.delete("a").dry_run().await.unwrap();
    assert_eq!(api.get("a").await.unwrap(), before);
}

#[tokio::test]
async fn a_field_that_nobody_knows_is_refused_when_asked_to_be() {
    let server = require_apiserver!();
    let namespace = server.namespace("strict").unwrap();
    let told = Arc::new(Told::default());
    let client = client_with(&admin(server), |options| options.warnings = told.clone());
    let api = client
        .dynamic(GroupVersionResource::new("apps", "v1", "deployments"))
        .namespace(&namespace);
    let mut object = DynamicObject::new("apps/v1", "Deployment", "d");
    object
        .set("/spec", json!({
            "replicsa": 3, "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        }))
        .unwrap();

    let strict = api
        .create(&object)
        .field_validation(FieldValidation::Strict)
        .await
        .unwrap_err();
    assert!(strict.is_bad_request(), "{strict}");
    assert!(
        strict.to_string().contains("unknown field \"spec.replicsa\""),
        "{strict}"
    );
    api.create(&object)
        .dry_run()
        .field_validation(FieldValidation::Ignore)
        .await
        .unwrap();
    assert_eq!(told.take(), [""; 0]);
    let stored = api
        .create(&object)
        .field_validation(FieldValidation::Warn)
        .await
        .unwrap();
    assert_eq!(told.take(), ["unknown field \"spec.replicsa\""]);
    assert_eq!(stored.pointer("/spec/replicsa"), None);
    assert_eq!(stored.read("/spec/replicas").unwrap(), Some(1));
}

#[tokio::test]
async fn a_table_has_the_columns_and_cells_that_kubectl_prints() {
    let server = require_apiserver!();
    let namespace = server.namespace("table").unwrap();
    let client = client(&admin(server));
    let mut one = config_map("one");
    one.data = kubeloom::value::map([("a", "1"), ("b", "2")]);
    let typed = client.namespaced::<ConfigMap>(&namespace);
    typed.create(&one).await.unwrap();
    typed.create(&config_map("two")).await.unwrap();

    let api = client
        .dynamic(GroupVersionResource::new("", "v1", "configmaps"))
        .namespace(&namespace);
    let table = api.list_table().await.unwrap();
    let heads: Vec<&str> = table
        .column_definitions
        .iter()
        .map(|column| &*column.name)
        .collect();
    assert_eq!(heads, ["Name", "Data", "Age"]);
    let cells: Vec<Vec<&str>> = (table.rows.iter())
        .map(|row| row.cells.iter().take(2).map(|cell| cell.get()).collect())
        .collect();
    assert_eq!(cells, [["\"one\"", "2"], ["\"two\"", "0"]]);
    assert!(!table.metadata.resource_version.is_empty());
    assert_eq!(api.list().await.unwrap().items.len(), 2);
    assert_eq!(api.get_table("two").await.unwrap().rows.len(), 1);
    assert!(api.get_table("three").await.unwrap_err().is_not_found());
    let page = api.list_table().limit(1).await.unwrap();
    assert_eq!((page.rows.len(), page.metadata.continue_.is_empty()), (1, false));
}
