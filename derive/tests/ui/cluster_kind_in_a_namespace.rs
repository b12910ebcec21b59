use kubeloom::Resource;
use kubeloom::meta::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[resource(group = "demo.example.com", version = "v1", cluster)]
struct Website {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Spec {
    replicas: i32,
}

fn main() {
    let _: fn(&kubeloom::RestClient) = |client| drop(client.namespaced::<Website>("web"));
}
