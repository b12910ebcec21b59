//! CustomResourceDefinitions as objects: every verb, the status, and the schema's shapes of its own.

use std::time::Duration;

use kubeloom::rest::{PatchBody, WatchEvent};
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;
use serde_json::json;

use crate::fixture;

fn definition(group: &str) -> CustomResourceDefinition {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "tags": {"type": "object",
        "additionalProperties": {"type": "string"}}, "extra": {"type": "object", "additionalProperties": true},
        "any": {"x-kubernetes-int-or-string": true}, "list": {"type": "array", "items": {"type": "integer", "default": 3}}}});
    serde_json::from_value(json!({
        "metadata": {"name": format!("things.{group}")},
        "spec": {"group": group, "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}
    }))
    .unwrap()
}

#[tokio::test]
async fn definitions_are_established_changed_and_deleted() {
    let (clientset, namespace) = fixture!("crds");
    let crds = clientset.apiextensions_v1().custom_resource_definitions();
    let group = format!("{namespace}.example.com");
    let wanted = definition(&group);
    let created = crds.create(&wanted).await.unwrap();
    let name = created.metadata.name.to_string();

    let mut events = crds
        .watch()
        .fields(format!("metadata.name={name}"))
        .await
        .unwrap();
    let established = tokio::time::timeout(Duration::from_secs(20), async {
        loop {
            let (WatchEvent::Added(object) | WatchEvent::Modified(object)) =
                events.next().await.unwrap().unwrap()
            else {
                continue;
            };
            if object
                .status
                .conditions
                .iter()
                .any(|one| one.type_ == "Established" && one.status == "True")
            {
                break object;
            }
        }
    })
    .await
    .unwrap();
    assert_eq!(established.spec.names.short_names.len(), 0);

    let patch = PatchBody::merge(&json!({"spec": {"names": {"shortNames": ["th"]}}}));
    assert_eq!(
        crds.patch(&name, patch).await.unwrap().spec.names.short_names,
        ["th"]
    );
    // The server's own controllers write to the object as well.
    let updated = loop {
        let mut current = crds.get(&name).await.unwrap();
        current.spec.names.categories = vec!["demo".into()];
        match crds.update(&current).await {
            Err(error) if error.is_conflict() => continue,
            answer => break answer.unwrap(),
        }
    };
    assert_eq!(updated.spec.names.categories, ["demo"]);
    assert!(!crds.get_status(&name).await.unwrap().status.conditions.is_empty());
    assert!(
        crds.list()
            .await
            .unwrap()
            .iter()
            .any(|crd| crd.metadata.name == *name)
    );
    crds.delete(&name).await.unwrap();
}
