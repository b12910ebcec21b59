//! [`RestMapper`]: from names and kinds to resources, over a cache.

use std::sync::{Arc, Mutex, PoisonError};

use super::names::{MapError, Resolved, ResourceArg, ResourceNames, RestMapping};
use super::types::Discovered;
use super::{DiscoveryCache, DiscoveryClient};
use crate::rest::{GroupVersionKind, RestClient};

/// Says which resource a kind or a name means, as the server has it now.
///
/// What is not known is looked for once more in a new answer of the server, unless the last one is only seconds old
/// ([`CacheOptions::miss_ttl`](super::CacheOptions::miss_ttl)): a kind whose definition was just created is found, and a
/// name that does not exist does not become a stream of requests. This holds for new versions of known groups too.
///
/// Cheap to clone; clones share what is known. Used from any number of tasks at once.
#[derive(Clone, Debug)]
pub struct RestMapper {
    cache: Arc<DiscoveryCache>,
    names: Arc<Mutex<Option<Named>>>,
}

/// An answer of the server, and the names in it.
type Named = (Arc<Discovered>, Arc<ResourceNames>);

impl RestMapper {
    /// A mapper with a cache of its own, in memory.
    pub fn new(client: &RestClient) -> Self {
        Self::with_cache(Arc::new(DiscoveryCache::new(DiscoveryClient::new(client))))
    }

    /// A mapper over a cache.
    pub fn with_cache(cache: Arc<DiscoveryCache>) -> Self {
        Self {
            cache,
            names: Arc::default(),
        }
    }

    /// The cache.
    pub fn cache(&self) -> &DiscoveryCache {
        &self.cache
    }

    /// All names, as the server has them now.
    ///
    /// # Errors
    /// [`MapError::Discovery`].
    pub async fn names(&self) -> Result<Arc<ResourceNames>, MapError> {
        Ok(self.names_of(&self.cache.discovered().await?))
    }

    /// The resource of a kind in its version.
    ///
    /// # Errors
    /// See [`ResourceNames::kind`].
    pub async fn kind(&self, kind: &GroupVersionKind) -> Result<RestMapping, MapError> {
        self.look(|names| names.kind(&kind.group, Some(&kind.version), &kind.kind))
            .await
    }

    /// The resource of a kind in the version that its group prefers.
    ///
    /// # Errors
    /// See [`ResourceNames::kind`].
    pub async fn preferred_kind(&self, group: &str, kind: &str) -> Result<RestMapping, MapError> {
        self.look(|names| names.kind(group, None, kind)).await
    }

    /// The resource that a person means: `deploy`, `deployments.apps`, `deployment.v1.apps`.
    ///
    /// # Errors
    /// See [`ResourceNames::resolve`].
    pub async fn resource(&self, name: &str) -> Result<RestMapping, MapError> {
        self.resolve(name).await.map(|resolved| resolved.mapping)
    }

    /// The same, with the resources of that name which it hides.
    ///
    /// # Errors
    /// See [`ResourceNames::resolve`].
    pub async fn resolve(&self, name: &str) -> Result<Resolved, MapError> {
        let arg = ResourceArg::new(name);
        self.look(|names| names.resolve(&arg)).await
    }

    /// The resources of a category; none if there is no such category.
    ///
    /// # Errors
    /// [`MapError::Discovery`].
    pub async fn category(&self, category: &str) -> Result<Vec<RestMapping>, MapError> {
        Ok(self.names().await?.category(category))
    }

    async fn look<T>(&self, find: impl Fn(&ResourceNames) -> Result<T, MapError>) -> Result<T, MapError> {
        let discovered = self.cache.discovered().await?;
        match find(&self.names_of(&discovered)) {
            Err(miss) if miss.is_no_match() => match self.cache.after_miss(&discovered).await? {
                Some(newer) => find(&self.names_of(&newer)),
                None => Err(miss),
            },
            found => found,
        }
    }

    /// The names of an answer, made once for each.
    fn names_of(&self, discovered: &Arc<Discovered>) -> Arc<ResourceNames> {
        let lock = || self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, names)) = &*lock()
            && Arc::ptr_eq(of, discovered)
        {
            return names.clone();
        }
        let names = Arc::new(ResourceNames::new(discovered));
        *lock() = Some((discovered.clone(), names.clone()));
        names
    }
}
