use kubeloom::Resource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[resource(group = "demo.example.com", version = "v1", namespaced)]
struct Website;

fn main() {}
