//! Definitions on paper.

use std::path::Path;

use kubeloom::crd::{self, CustomResourceDefinition, SelectableField};
use kubeloom_k8s::apiextensions_v1;
use serde_json::{Value, json};

use crate::kinds::{Region, Shapes, Website};

fn all() -> [(&'static str, CustomResourceDefinition); 3] {
    [
        ("websites", Website::crd().unwrap()),
        ("shapes", Shapes::crd().unwrap()),
        ("regions", Region::crd().unwrap()),
    ]
}

#[test]
fn yaml_is_stable_and_has_nothing_empty() {
    for (name, definition) in all() {
        let found = crd::print(&definition).unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/derived/{name}.yaml"));
        if std::env::var_os("KUBELOOM_UPDATE").is_some() {
            std::fs::write(&path, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == wanted,
            "{} (KUBELOOM_UPDATE=1 writes it):\n{found}",
            path.display()
        );
        for empty in ["[]", ": null", "''", ": \"\""] {
            assert_eq!(found.find(empty), None, "{name}: {empty}");
        }
        let read: Value = serde_saphyr::from_str(&found).unwrap();
        assert_eq!(read, serde_json::to_value(&definition).unwrap(), "{name}");
    }
}

#[test]
fn the_generated_type_reads_and_writes_the_same() {
    for (name, definition) in all() {
        let typed: apiextensions_v1::CustomResourceDefinition = definition.to_typed().unwrap();
        let mut back = serde_json::to_value(&typed).unwrap();
        back.as_object_mut().unwrap().remove("status");
        assert_eq!(back, serde_json::to_value(&definition).unwrap(), "{name}");
        assert!(definition.to_typed::<kubeloom_k8s::core_v1::Pod>().is_err());
    }
}

#[test]
fn keys_are_where_servers_look_for_them() {
    let definition = Website::crd().unwrap();
    let (spec, version) = (&definition.spec, &definition.spec.versions[0]);
    assert_eq!(definition.metadata.name, "websites.derive.example.com");
    assert_eq!(definition.metadata.labels.get("team").unwrap(), "web");
    assert_eq!(
        (&*spec.scope, &*spec.names.list_kind),
        ("Namespaced", "WebsiteList")
    );
    assert_eq!(spec.names.categories, ["all", "web"]);
    let columns: Vec<(&str, &str)> = version
        .additional_printer_columns
        .iter()
        .map(|one| (&*one.name, &*one.type_))
        .collect();
    assert_eq!(
        columns,
        [
            ("Domain", "string"),
            ("Replicas", "integer"),
            ("Ready", "string"),
            ("Age", "date")
        ]
    );
    let selectable = [".spec.tier", ".spec.domain"].map(|path| SelectableField {
        json_path: path.into(),
    });
    assert_eq!(version.selectable_fields, selectable);
    let schema = &version.schema.as_ref().unwrap().open_api_v3_schema;
    assert_eq!(schema.at("/title"), Some(&json!("Website")));
    assert_eq!(schema.at("/required"), Some(&json!(["spec"])));
    assert_eq!(
        schema.at("/properties/metadata"),
        Some(&json!({"type": "object"}))
    );
    assert_eq!(
        schema.at("/x-kubernetes-validations/0/reason"),
        Some(&json!("FieldValueForbidden"))
    );
    let region = Region::crd().unwrap();
    assert_eq!(
        (&*region.spec.scope, region.spec.versions[0].deprecated),
        ("Cluster", true)
    );
    assert_eq!(region.spec.versions[0].subresources, None);
}

/// What only the schema tells is told by `crd()`.
#[test]
fn paths_of_fields_that_are_not_there_are_named() {
    use kubeloom::Resource;
    use kubeloom::meta::ObjectMeta;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    macro_rules! kind {
        ($name:ident: $($keys:tt)*) => {
            #[derive(Resource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
            #[resource(group = "demo.example.com", version = "v1", namespaced, $($keys)*)]
            struct $name {
                metadata: ObjectMeta,
                spec: Spec,
            }
        };
    }
    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Spec {
        ready_replicas: i32,
        free: std::collections::HashMap<String, String>,
    }
    kind! { Snake: printer_column(name = "Ready", json_path = .spec.ready_replicas) }
    kind! { Missing: selectable_field(.spec.color) }
    kind! { Deep: printer_column(name = "Deep", json_path = .spec.readyReplicas.more) }
    kind! { Fine: printer_column(name = "Ready", json_path = .spec.readyReplicas),
    printer_column(name = "Free", json_path = .spec.free.anything) }
    for (result, expected) in [
        (
            Snake::crd(),
            "Snake: `printer_column` names .spec.ready_replicas, and the type has no such field",
        ),
        (Missing::crd(), "Missing: `selectable_field` names .spec.color"),
        (
            Deep::crd(),
            "Deep: `printer_column` names .spec.readyReplicas.more",
        ),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    Fine::crd().unwrap();
}
