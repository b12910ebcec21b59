//! kube-rs as the comparison sees it: `Api::list` reads an `ObjectList` of k8s-openapi's types with serde_json.

use anyhow::{Result, ensure};
use k8s_openapi::api::{apps::v1 as apps, core::v1 as core, discovery::v1 as discovery};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as apiextensions;
use kube::core::ObjectList;
use peer_harness::{Format, Objects};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Decodes a list with the type that `Api::list` answers with.
///
/// # Errors
/// See [`peer_harness::Decode`]; there is no protobuf.
pub fn decode(kind: &str, format: Format, body: &[u8]) -> Result<Box<dyn Objects>> {
    ensure!(format == Format::Json, "kube-rs reads JSON only");
    match kind {
        "pods" => list::<core::Pod>(body),
        "nodes" => list::<core::Node>(body),
        "secrets" => list::<core::Secret>(body),
        "events" => list::<core::Event>(body),
        "deployments" => list::<apps::Deployment>(body),
        "endpointslices" => list::<discovery::EndpointSlice>(body),
        "customresourcedefinitions" => list::<apiextensions::CustomResourceDefinition>(body),
        other => anyhow::bail!("no type for {other}"),
    }
}

struct Decoded<K: Clone>(ObjectList<K>);

fn list<K: Clone + DeserializeOwned + Serialize + 'static>(body: &[u8]) -> Result<Box<dyn Objects>> {
    let list: ObjectList<K> = serde_json::from_slice(body)?;
    Ok(Box::new(Decoded(list)))
}

impl<K: Clone + Serialize + 'static> Objects for Decoded<K> {
    fn count(&self) -> usize {
        self.0.items.len()
    }
    fn encode(&self, format: Format) -> Result<Vec<u8>> {
        ensure!(format == Format::Json, "kube-rs writes JSON only");
        Ok(serde_json::to_vec(&self.0)?)
    }
}
