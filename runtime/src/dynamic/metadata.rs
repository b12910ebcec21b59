//! [`MetadataApi`]: objects reduced to their metadata by the server.

use super::DynamicApi;
use crate::meta::{PartialObjectMetadata, PartialObjectMetadataList};
use crate::resource::Resource;
use crate::rest::{
    Api, Call, Delete, DeleteCollection, Get, List, Patch, PatchBody, RestClient, Target, Watch,
};
use crate::transport::Method;
use crate::wire::Format;

/// A handle of any resource that reads, patches and deletes its objects and sees their metadata alone.
///
/// The server leaves out all else, which saves most of the bytes of large objects. Protobuf is asked for first and JSON
/// second, for custom resources too: unlike their objects, their metadata has both. Writes of whole objects are not
/// there, since they would have to be whole.
#[derive(Clone, Debug)]
pub struct MetadataApi {
    api: DynamicApi,
}

impl RestClient {
    /// The metadata of any resource: see [`RestClient::dynamic`].
    pub fn metadata(&self, resource: crate::rest::GroupVersionResource) -> MetadataApi {
        self.dynamic(resource).metadata_only()
    }
}

impl<K: Resource, S> Api<K, S> {
    /// The same objects, metadata alone.
    pub fn metadata_only(&self) -> MetadataApi {
        let Target {
            resource, namespace, ..
        } = self.target().clone();
        let api = self
            .client()
            .dynamic(resource)
            .with_scope(<K::Scope as crate::resource::Scope>::NAMESPACED);
        MetadataApi::new(match namespace {
            Some(namespace) => api.namespace(&namespace),
            None => api,
        })
    }
}

impl MetadataApi {
    pub(super) fn new(api: DynamicApi) -> Self {
        Self { api }
    }

    /// The objects of one namespace.
    #[must_use]
    pub fn namespace(&self, namespace: &str) -> Self {
        Self::new(self.api.namespace(namespace))
    }

    /// The resource and namespace.
    pub fn target(&self) -> &Target {
        self.api.target()
    }

    /// Asks for `kind` of `meta.k8s.io/v1` in place of the object, in the client's format and in JSON.
    fn reduced(&self, call: Call, kind: &str) -> Call {
        let wanted = |format: Format| format!("{};as={kind};g=meta.k8s.io;v=v1", format.content_type());
        let accept = match self.api.client().options().format {
            format @ (Format::Protobuf | Format::Cbor) => {
                format!("{},{}", wanted(format), wanted(Format::Json))
            }
            _ => wanted(Format::Json),
        };
        call.header("accept", &accept)
    }

    fn object(&self, verb: &'static str, method: Method, name: &str) -> Call {
        self.reduced(
            self.api.on_object(verb, method).name(name),
            "PartialObjectMetadata",
        )
    }

    /// The calls of a list and of a watch in which one object is looked for.
    pub(crate) fn calls(&self) -> (Call, Call) {
        let call = |verb, kind| self.reduced(self.api.on_object(verb, Method::Get), kind);
        (
            call("list", "PartialObjectMetadataList"),
            call("watch", "PartialObjectMetadata"),
        )
    }

    /// Reads the metadata of the objects.
    pub fn list(&self) -> List<PartialObjectMetadataList> {
        List::new(self.reduced(
            self.api.on_collection("list", Method::Get),
            "PartialObjectMetadataList",
        ))
    }

    /// Follows the metadata of the objects.
    pub fn watch(&self) -> Watch<PartialObjectMetadata> {
        Watch::new(self.reduced(
            self.api.on_collection("watch", Method::Get),
            "PartialObjectMetadata",
        ))
    }

    /// Reads the metadata of one object.
    pub fn get(&self, name: &str) -> Get<PartialObjectMetadata> {
        Get::new(self.object("get", Method::Get, name))
    }

    /// Changes one object in part; the answer is its metadata.
    pub fn patch(&self, name: &str, body: PatchBody) -> Patch<PartialObjectMetadata> {
        Patch::new(self.object("patch", Method::Patch, name), body)
    }

    /// Deletes one object.
    pub fn delete(&self, name: &str) -> Delete<PartialObjectMetadata> {
        Delete::new(self.object("delete", Method::Delete, name))
    }

    /// Deletes the objects that match the selectors of the request; without selectors, all in reach of the handle.
    pub fn delete_collection(&self) -> DeleteCollection<PartialObjectMetadataList> {
        let call = self.api.on_collection("deletecollection", Method::Delete);
        DeleteCollection::new(self.reduced(call, "PartialObjectMetadataList"))
    }
}
