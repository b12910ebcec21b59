//! [`ScaleClient`]: the number of replicas of whatever has one.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{DynamicApi, DynamicObject};
use crate::discovery::{DiscoveryCache, DiscoveryClient, MapError, ResourceNames};
use crate::error::Error;
use crate::meta::ObjectMeta;
use crate::rest::{GroupVersionKind, PatchBody, RestClient};
use crate::wire::DecodeError;

/// The scale of an object, whatever kind the server writes it in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// The metadata of the object that is scaled. An update with its resource version fails if the object has changed
    /// since.
    pub metadata: ObjectMeta,
    /// How many replicas are wanted.
    pub replicas: i32,
    /// How many there are.
    pub observed_replicas: i32,
    /// The label selector of the replicas; empty if the object has none.
    pub selector: String,
}

/// Handles of the scale of resources that are known by name: Deployments, StatefulSets, custom resources with a `scale`
/// subresource.
///
/// ```no_run
/// # use kubeloom::{RestClient, dynamic::ScaleClient};
/// # async fn example(client: RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// let scales = ScaleClient::new(&client);
/// let deployments = scales.resource("apps", "deployments").await?.namespace("web");
/// let mut scale = deployments.get("front").await?;
/// scale.replicas += 1;
/// deployments.update("front", &scale).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ScaleClient {
    client: RestClient,
    cache: Arc<DiscoveryCache>,
}

impl ScaleClient {
    /// A client with a discovery cache of its own.
    pub fn new(client: &RestClient) -> Self {
        Self::with_cache(
            client,
            Arc::new(DiscoveryCache::new(DiscoveryClient::new(client))),
        )
    }

    /// A client over a cache.
    pub fn with_cache(client: &RestClient, cache: Arc<DiscoveryCache>) -> Self {
        Self {
            client: client.clone(),
            cache,
        }
    }

    /// The scale of a resource, in the version that the server prefers among those that have one.
    ///
    /// # Errors
    /// [`MapError::NoMatch`] if no version has the resource with the subresource `scale`; [`MapError::Discovery`].
    pub async fn resource(&self, group: &str, plural: &str) -> Result<ScaleApi, MapError> {
        let discovered = self.cache.discovered().await?;
        let found = discovered.group(group).and_then(|group| {
            group.by_preference().find_map(|version| {
                let scale = version
                    .subresources
                    .iter()
                    .find(|one| one.resource == plural && one.name == "scale")?;
                Some((version, scale))
            })
        });
        let Some((version, scale)) = found else {
            return Err(
                ResourceNames::new(&discovered).no_match(format!("{plural} of group {group:?} with a scale"))
            );
        };
        let resource = crate::rest::GroupVersionResource::new(group, &*version.version, plural);
        Ok(ScaleApi {
            api: self.client.dynamic(resource).with_scope(scale.namespaced),
            kind: scale
                .kind
                .clone()
                .filter(|kind| !kind.group.is_empty())
                .unwrap_or_else(Self::kind),
        })
    }

    /// What servers of our time write.
    fn kind() -> GroupVersionKind {
        GroupVersionKind::new("autoscaling", "v1", "Scale")
    }
}

/// The scale of the objects of a resource: in one namespace, or in the cluster.
#[derive(Clone, Debug)]
pub struct ScaleApi {
    api: DynamicApi,
    kind: GroupVersionKind,
}

impl ScaleApi {
    /// The objects of one namespace, unless the resource lives in none.
    #[must_use]
    pub fn namespace(&self, namespace: &str) -> Self {
        Self {
            api: self.api.namespace_if_any(namespace),
            kind: self.kind.clone(),
        }
    }

    /// The kind that the server writes scales in.
    pub fn kind(&self) -> &GroupVersionKind {
        &self.kind
    }

    /// Reads the scale of one object.
    ///
    /// # Errors
    /// As [`DynamicApi::get`], and an answer of another shape.
    pub async fn get(&self, name: &str) -> Result<Scale, Error> {
        let object = self.api.subresource("scale").get(name).await?;
        self.read(object)
    }

    /// Sets the number of replicas, whatever else `scale` says; hands out what came of it.
    ///
    /// # Errors
    /// As [`ScaleApi::get`]; a conflict if the object has changed since `scale` was read.
    pub async fn update(&self, name: &str, scale: &Scale) -> Result<Scale, Error> {
        let mut object = DynamicObject::new(self.kind.api_version(), self.kind.kind.as_str(), name);
        object.metadata = scale.metadata.clone();
        object.metadata.name = name.into();
        object
            .data
            .insert("spec".to_owned(), json!({"replicas": scale.replicas}));
        let updated = self.api.subresource("scale").update(name, &object).await?;
        self.read(updated)
    }

    /// Changes the scale in part; hands out what came of it.
    ///
    /// # Errors
    /// As [`ScaleApi::get`].
    pub async fn patch(&self, name: &str, body: PatchBody) -> Result<Scale, Error> {
        let patched = self.api.subresource("scale").patch(name, body).await?;
        self.read(patched)
    }

    /// Sets the number of replicas, whatever it is now.
    ///
    /// # Errors
    /// As [`ScaleApi::get`].
    pub async fn set_replicas(&self, name: &str, replicas: u32) -> Result<Scale, Error> {
        self.patch(name, PatchBody::merge(&json!({"spec": {"replicas": replicas}})))
            .await
    }

    fn read(&self, object: DynamicObject) -> Result<Scale, Error> {
        read(object).map_err(|error| {
            let call = self.api.on_object("get", crate::transport::Method::Get);
            call.subresource("scale")
                .fail(crate::error::ErrorKind::Decode(error))
        })
    }
}

/// A scale of any kind. Old ones hold the selector as labels, and as text beside it where labels do not say it all.
fn read(object: DynamicObject) -> Result<Scale, DecodeError> {
    let selector = match object.read::<String>("/status/targetSelector")? {
        Some(text) => text,
        None => match object.pointer("/status/selector") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Object(labels)) => {
                let pairs = labels
                    .iter()
                    .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
                pairs.collect::<Vec<_>>().join(",")
            }
            Some(_) => return Err(DecodeError::other("neither text nor labels").within("/status/selector")),
        },
    };
    Ok(Scale {
        replicas: object.read("/spec/replicas")?.unwrap_or_default(),
        observed_replicas: object.read("/status/replicas")?.unwrap_or_default(),
        selector,
        metadata: object.metadata,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_of_all_times_are_read() {
        let check = |status: Value, selector: Option<&str>| {
            let mut object = DynamicObject::new("autoscaling/v1", "Scale", "a");
            object.data.insert("spec".to_owned(), json!({"replicas": 3}));
            object.data.insert("status".to_owned(), status);
            let scale = read(object).ok();
            assert_eq!(scale.as_ref().map(|scale| scale.selector.as_str()), selector);
            assert!(scale.is_none_or(|scale| scale.replicas == 3 && scale.metadata.name == "a"));
        };
        check(json!({"replicas": 2, "selector": "app=a"}), Some("app=a"));
        check(json!({"replicas": 2}), Some(""));
        check(
            json!({"replicas": 2, "selector": {"app": "a", "tier": "b"}}),
            Some("app=a,tier=b"),
        );
        check(
            json!({"selector": {"app": "a"}, "targetSelector": "app in (a, b)"}),
            Some("app in (a, b)"),
        );
        check(json!({"selector": 3}), None);
    }
}
