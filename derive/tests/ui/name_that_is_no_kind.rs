use kubeloom::Resource;
use kubeloom::meta::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[resource(group = "demo.example.com", version = "v1", namespaced)]
#[allow(non_camel_case_types)]
struct web_site {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Spec {
    replicas: i32,
}

fn main() {
}
