//! The fixture in other forms that servers have.

use serde_json::{Value, json};

use super::demo;

/// A document of the fixture.
pub(crate) fn document(name: &str) -> Value {
    let demo = demo();
    let document = demo.iter().find(|document| document.path == name).unwrap();
    serde_json::from_slice(&document.bytes).unwrap()
}

/// The fixture as Swagger 2.0.
pub(crate) fn v2() -> Value {
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
pub(crate) fn legacy() -> Value {
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
