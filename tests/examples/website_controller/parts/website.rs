//! The kind: a struct as one writes it, and its definition for the server.

use kubeloom::generated::*;
use kubeloom::serde_object;
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A page and how many servers show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Website {
    pub metadata: ObjectMeta,
    pub spec: WebsiteSpec,
    #[serde(default)]
    pub status: WebsiteStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebsiteSpec {
    /// The page.
    pub html: String,
    /// How many pods show it.
    #[serde(default = "one")]
    pub replicas: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebsiteStatus {
    #[serde(default)]
    pub available_replicas: i32,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

fn one() -> i32 {
    1
}

impl Resource for Website {
    type Scope = Namespaced;
    const GROUP: &'static str = "demo.kubeloom.dev";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "demo.kubeloom.dev/v1";
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
    verb::Create, verb::Delete, verb::Get, verb::List, verb::Patch, verb::Update, verb::Watch,
} }
offers! { Website / sub::Status { verb::Get, verb::Patch, verb::Update } }

/// What the server has to know of the kind.
pub fn definition() -> CustomResourceDefinition {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer", "format": "int32", "minimum": 0});
    let condition = json!({"type": "object", "required": ["type", "status", "lastTransitionTime", "reason", "message"],
        "properties": {"type": text, "status": text, "reason": text, "message": text,
            "lastTransitionTime": {"type": "string", "format": "date-time"}, "observedGeneration": {"type": "integer"}}});
    let schema = json!({"type": "object", "required": ["spec"], "properties": {
        "spec": {"type": "object", "required": ["html"], "properties": {"html": text, "replicas": number}},
        "status": {"type": "object", "properties": {"availableReplicas": number,
            "conditions": {"type": "array", "items": condition,
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}}}}});
    let definition = json!({"metadata": {"name": "websites.demo.kubeloom.dev"}, "spec": {
        "group": Website::GROUP, "scope": "Namespaced",
        "names": {"plural": "websites", "singular": "website", "kind": "Website", "listKind": "WebsiteList"},
        "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": schema}}]}});
    // Constant, and read by a test.
    serde_json::from_value(definition).unwrap_or_default()
}
