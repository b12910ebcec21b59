//! One API in several forms, and APIs that need each other.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use kubeloom_codegen::sources::Documents;
use serde_json::{Value, json};
use support::{crate_of, demo, documents};

fn document(name: &str) -> Value {
    let demo = demo();
    let document = demo.iter().find(|document| document.path == name).unwrap();
    serde_json::from_slice(&document.bytes).unwrap()
}

/// The fixture as Swagger 2.0.
fn v2() -> Value {
    let mut v3 = document("openapi.json");
    let paths = v3["paths"].as_object_mut().unwrap();
    for operation in paths
        .values_mut()
        .flat_map(|item| item.as_object_mut().unwrap().values_mut())
    {
        let body = operation["requestBody"]["content"]["*/*"]["schema"].take();
        if !body.is_null() {
            operation["parameters"] =
                json!([{"in": "query", "name": "pretty"}, {"in": "body", "schema": body}]);
        }
        operation.as_object_mut().unwrap().remove("requestBody");
        if let Some(content) = operation["responses"]["200"]["content"].as_object() {
            let (media, content) = content.iter().next().unwrap();
            let (media, schema) = (media.clone(), content["schema"].clone());
            operation["produces"] = json!([media]);
            operation["responses"]["200"] = json!({"schema": schema});
        }
    }
    let v2 = json!({
        "swagger": "2.0",
        "definitions": v3["components"]["schemas"].take(),
        "paths": v3["paths"].take(),
    });
    serde_json::from_str(&v2.to_string().replace("#/components/schemas/", "#/definitions/")).unwrap()
}

/// The fixture's discovery in the form before aggregation.
fn legacy() -> Value {
    let mut resources = Vec::new();
    for resource in document("discovery.json")["items"][0]["versions"][0]["resources"]
        .as_array()
        .unwrap()
    {
        let namespaced = resource["scope"] == "Namespaced";
        let plural = resource["resource"].as_str().unwrap();
        if resource.get("responseKind").is_some() {
            let mut entry = resource.clone();
            entry["name"] = plural.into();
            entry["singularName"] = resource["singularResource"].clone();
            entry["kind"] = resource["responseKind"]["kind"].clone();
            entry["namespaced"] = namespaced.into();
            resources.push(entry);
        }
        for sub in resource["subresources"].as_array().into_iter().flatten() {
            let mut entry = sub["responseKind"].clone();
            entry["name"] = format!("{plural}/{}", sub["subresource"].as_str().unwrap()).into();
            entry["namespaced"] = namespaced.into();
            entry["verbs"] = sub["verbs"].clone();
            resources.push(entry);
        }
    }
    json!({"kind": "APIResourceList", "groupVersion": "demo.example.com/v1", "resources": resources})
}

#[test]
fn forms_of_one_api_give_one_crate() {
    let expected = crate_of(&demo()).files;
    let (v3, aggregated) = (document("openapi.json"), document("discovery.json"));
    let groups = json!({"kind": "APIGroupList", "groups": []});
    let index = json!({"paths": {"apis/demo.example.com/v1": {"serverRelativeURL": "/openapi/v3/x?hash=1"}}});
    for (name, forms) in [
        ("v2", vec![v2(), aggregated.clone()]),
        ("legacy discovery", vec![v3.clone(), legacy(), groups]),
        ("v2 and legacy", vec![v2(), legacy()]),
        ("v2 beside v3, with the index", vec![v2(), v3, aggregated, index]),
    ] {
        let mut documents = Documents::default();
        for (number, form) in forms.iter().enumerate() {
            documents.insert(format!("{number}.json"), form.to_string());
        }
        let files = crate_of(&documents).files;
        for (path, text) in expected.iter().filter(|(path, _)| path.ends_with(".rs")) {
            assert_eq!(files.get(path), Some(text), "{name}: {path}");
        }
    }
}

/// A group whose kind refers to that of another.
fn pair(name: &str, other: &str) -> (Value, Value) {
    let openapi = json!({
        "openapi": "3.0.0",
        "paths": {format!("/apis/{name}/v1/as"): {}},
        "components": {"schemas": {
            format!("x.{name}.v1.A"): {
                "type": "object",
                "x-kubernetes-group-version-kind": [{"group": name, "version": "v1", "kind": "A"}],
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "other": {"$ref": format!("#/components/schemas/x.{other}.v1.A")}
                }
            }
        }}
    });
    let resources = json!([{"name": "as", "kind": "A", "namespaced": false, "verbs": ["get"]}]);
    (
        openapi,
        json!({"kind": "APIResourceList", "groupVersion": format!("{name}/v1"), "resources": resources}),
    )
}

#[test]
fn groups_that_need_each_other_share_a_gate() {
    // user → ping ⇄ pong → base
    let mut all = Documents::default();
    for (name, other) in [
        ("user", "ping"),
        ("ping", "pong"),
        ("pong", "ping"),
        ("base", "base"),
    ] {
        let (mut openapi, discovery) = pair(name, other);
        if name == "pong" {
            openapi["components"]["schemas"]["x.pong.v1.A"]["properties"]["base"] =
                json!({"$ref": "#/components/schemas/x.base.v1.A"});
        }
        all.insert(format!("{name}.json"), openapi.to_string());
        all.insert(format!("{name}-discovery.json"), discovery.to_string());
    }
    let files = crate_of(&all).files;
    let manifest = &files["Cargo.toml"];
    for line in [
        "base_v1 = []",
        "ping_v1 = [\"base_v1\"]",
        "pong_v1 = [\"base_v1\"]",
        "user_v1 = [\"ping_v1\"]",
        "all = [\"base_v1\", \"ping_v1\", \"pong_v1\", \"user_v1\"]",
    ] {
        assert!(manifest.lines().any(|found| found == line), "{line}: {manifest}");
    }
    let lib = &files["src/lib.rs"];
    assert!(
        lib.contains("#[cfg(any(feature = \"ping_v1\", feature = \"pong_v1\"))]\npub mod ping_v1;"),
        "{lib}"
    );
    assert!(
        lib.contains("#[cfg(feature = \"user_v1\")]\npub mod user_v1;"),
        "{lib}"
    );
}

#[test]
fn one_kind_of_two_plurals_is_said() {
    let (openapi, mut discovery) = pair("g", "g");
    let mut second = discovery["resources"][0].clone();
    second["name"] = "bs".into();
    discovery["resources"].as_array_mut().unwrap().push(second);
    let texts = [openapi.to_string(), discovery.to_string()];
    let generated = crate_of(&documents(&[("o.json", &texts[0]), ("d.json", &texts[1])]));
    let said: Vec<_> = generated
        .warnings
        .diagnostics()
        .iter()
        .map(|d| d.code.id())
        .collect();
    assert_eq!(said, ["KL010"]);
    assert!(generated.files["src/g_v1/a.rs"].contains("const PLURAL: &'static str = \"as\";"));
}
