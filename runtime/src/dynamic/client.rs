//! [`DynamicClient`]: from a kind to the handle of its resource.

use super::{DynamicApi, DynamicObject};
use crate::discovery::{MapError, RestMapper, RestMapping};
use crate::rest::{GroupVersionKind, RestClient};

/// Handles of resources that are known by kind, or by an object.
#[derive(Clone, Debug)]
pub struct DynamicClient {
    client: RestClient,
    mapper: RestMapper,
}

impl DynamicClient {
    /// A client with a mapper of its own.
    pub fn new(client: &RestClient) -> Self {
        Self::with_mapper(client, RestMapper::new(client))
    }

    /// A client over a mapper.
    pub fn with_mapper(client: &RestClient, mapper: RestMapper) -> Self {
        Self {
            client: client.clone(),
            mapper,
        }
    }

    /// The mapper.
    pub fn mapper(&self) -> &RestMapper {
        &self.mapper
    }

    /// The resource of a mapping, which knows whether its objects live in namespaces.
    pub fn mapping(&self, mapping: &RestMapping) -> DynamicApi {
        self.client
            .dynamic(mapping.resource.clone())
            .with_scope(mapping.namespaced)
    }

    /// The resource of a kind.
    ///
    /// # Errors
    /// See [`RestMapper::kind`].
    pub async fn kind(&self, kind: &GroupVersionKind) -> Result<DynamicApi, MapError> {
        Ok(self.mapping(&self.mapper.kind(kind).await?))
    }

    /// The resource that a person means.
    ///
    /// # Errors
    /// See [`RestMapper::resource`].
    pub async fn named(&self, name: &str) -> Result<DynamicApi, MapError> {
        Ok(self.mapping(&self.mapper.resource(name).await?))
    }

    /// The resource of an object, in the namespace of the object, or in the client's default one if the object names
    /// none and lives in one.
    ///
    /// # Errors
    /// See [`RestMapper::kind`].
    pub async fn of(&self, object: &DynamicObject) -> Result<DynamicApi, MapError> {
        let api = self.kind(&object.group_version_kind()).await?;
        Ok(match object.metadata.namespace.as_str() {
            "" => api.namespace_if_any(self.client.default_namespace()),
            namespace => api.namespace_if_any(namespace),
        })
    }
}
