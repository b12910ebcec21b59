//! Kubeloom as the comparison sees it: one call to decode a list, one to encode it.

use anyhow::{Result, bail};
use kubeloom::Resource;
use kubeloom::meta::List;
use kubeloom::wire::{self, Wire as _};
use kubeloom_k8s::{apiextensions_v1, apps_v1, core_v1, discovery_v1};
use peer_harness::{Format, Objects};

/// Decodes a list with the type that a `list()` call would answer with.
///
/// # Errors
/// See [`peer_harness::Decode`].
pub fn decode(kind: &str, format: Format, body: &[u8]) -> Result<Box<dyn Objects>> {
    let read = match kind {
        "pods" => list::<core_v1::Pod>,
        "nodes" => list::<core_v1::Node>,
        "secrets" => list::<core_v1::Secret>,
        "events" => list::<core_v1::Event>,
        "deployments" => list::<apps_v1::Deployment>,
        "endpointslices" => list::<discovery_v1::EndpointSlice>,
        "customresourcedefinitions" => list::<apiextensions_v1::CustomResourceDefinition>,
        other => bail!("no type for {other}"),
    };
    read(wire_format(format), body)
}

fn wire_format(format: Format) -> wire::Format {
    match format {
        Format::Json => wire::Format::Json,
        Format::Protobuf => wire::Format::Protobuf,
    }
}

struct Decoded<K>(List<K>);

fn list<K>(format: wire::Format, body: &[u8]) -> Result<Box<dyn Objects>>
where
    K: Resource + kubeloom::record::Value + Default,
{
    Ok(Box::new(Decoded(List::<K>::decode(format, body)?)))
}

impl<K: Resource + kubeloom::record::Value + Default> Objects for Decoded<K> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn encode(&self, format: Format) -> Result<Vec<u8>> {
        Ok(self.0.encode(wire_format(format))?)
    }
}
