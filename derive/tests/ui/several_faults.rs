use kubeloom::Resource;
use kubeloom::meta::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[resource(group = "demo", version = 1, kinds = "Website", short_names = "ws")]
struct Website {
    metadata: ObjectMeta,
    spec: Spec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Spec {
    replicas: i32,
}

fn main() {
    let website = Website::default();
    let _ = (Website::KIND, website.metadata().name.len());
    let _: kubeloom::Api<Website>;
    let _ = Website::crd();
}
