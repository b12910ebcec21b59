//! Definitions on paper and on servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::types::CustomResourceDefinition;
use crate::clock::{Clock, TokioClock, within};
use crate::dynamic::{ConvertError, DynamicObject};
use crate::error::Error;
use crate::meta::APIResourceList;
use crate::resource::Resource;
use crate::rest::{ApplyBody, GroupVersionResource, PatchBody, RestClient, WaitError};
use crate::wire::{EncodeError, Format, Wire, to_yaml};

/// The definition as YAML, to be kept in a file or handed to `kubectl apply`. The same definition is the same text,
/// and what is empty is not written.
///
/// # Errors
/// Values that YAML cannot hold; no definition of a derived kind has such.
pub fn print(definition: &CustomResourceDefinition) -> Result<String, EncodeError> {
    let mut plain = definition.clone();
    plain.status = Default::default();
    to_yaml(&plain)
}

/// Creates the definition on a server, or changes the one that is there, by server-side apply as `manager`. Fields of
/// other managers are taken over.
///
/// # Errors
/// The call's; a definition that the server refuses is [`Error::is_invalid`].
pub async fn apply(
    client: &impl AsRef<RestClient>,
    definition: &CustomResourceDefinition,
    manager: &str,
) -> Result<CustomResourceDefinition, Error> {
    let definitions = client.as_ref().cluster::<CustomResourceDefinition>();
    definitions.apply(definition).manager(manager).force().await
}

impl ApplyBody for CustomResourceDefinition {
    fn name(&self) -> &str {
        &self.metadata.name
    }

    fn body(&self) -> PatchBody {
        let mut wanted = self.clone();
        wanted.status = Default::default();
        wanted.metadata.managed_fields.clear();
        wanted.metadata.resource_version = Default::default();
        PatchBody::apply(&wanted)
    }
}

impl CustomResourceDefinition {
    /// The definition as another type of the same kind, such as the generated one.
    ///
    /// # Errors
    /// A type of another kind.
    pub fn to_typed<K: Resource>(&self) -> Result<K, ConvertError> {
        DynamicObject::from_typed(self)?.to_typed()
    }

    /// The status of a condition: `True`, `False` or `Unknown`.
    #[must_use]
    pub fn condition(&self, type_: &str) -> Option<&str> {
        let found = self.status.conditions.iter().find(|one| one.type_ == type_);
        found.map(|one| one.status.as_str())
    }
}

/// Why a definition was not established.
#[derive(Debug)]
#[non_exhaustive]
pub enum EstablishError {
    /// Time ran out, the definition was deleted, or calls failed.
    Wait(WaitError),
    /// Another definition has one of its names; the server's words.
    Names(String),
    /// It is established, and the server does not serve this group and version within the time.
    NotServed(String),
}

impl fmt::Display for EstablishError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait(error) => error.fmt(f),
            Self::Names(words) => write!(f, "the server does not accept the names: {words}"),
            Self::NotServed(what) => write!(f, "{what} is established and not served in time"),
        }
    }
}

impl std::error::Error for EstablishError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Wait(error) => std::error::Error::source(error),
            Self::Names(_) | Self::NotServed(_) => None,
        }
    }
}

/// Waits until the server serves the resource: the definition is established, and discovery lists the resource in
/// each served version. Objects can be created then.
///
/// Where several servers share the load, others may follow a moment later.
///
/// # Errors
/// [`EstablishError`]: names that are taken are told at once, without waiting for `timeout`.
pub async fn wait_established(
    client: &impl AsRef<RestClient>,
    definition: &CustomResourceDefinition,
    timeout: Duration,
) -> Result<CustomResourceDefinition, EstablishError> {
    wait_with_clock(client.as_ref(), definition, timeout, Arc::new(TokioClock)).await
}

/// As [`wait_established`], with another clock.
///
/// # Errors
/// As [`wait_established`].
pub async fn wait_with_clock(
    client: &RestClient,
    definition: &CustomResourceDefinition,
    timeout: Duration,
    clock: Arc<dyn Clock>,
) -> Result<CustomResourceDefinition, EstablishError> {
    let started = clock.now();
    let definitions = client.dynamic(GroupVersionResource::of::<CustomResourceDefinition>());
    let wait = definitions
        .wait(&definition.metadata.name)
        .timeout(timeout)
        .clock(clock.clone());
    let is_settled = |object: &DynamicObject| {
        object.condition("Established") == Some("True") || object.condition("NamesAccepted") == Some("False")
    };
    let object = wait.until(is_settled).await.map_err(EstablishError::Wait)?;
    let found = object.encode(Format::Json).ok();
    let found = found.and_then(|json| CustomResourceDefinition::decode(Format::Json, &json).ok());
    let found = found.unwrap_or_else(|| definition.clone());
    if found.condition("Established") != Some("True") {
        let condition = found
            .status
            .conditions
            .iter()
            .find(|one| one.type_ == "NamesAccepted");
        return Err(EstablishError::Names(
            condition.map(|one| one.message.to_string()).unwrap_or_default(),
        ));
    }
    for version in found.spec.versions.iter().filter(|version| version.served) {
        let path = format!("/apis/{}/{}", found.spec.group, version.name);
        let left = timeout.saturating_sub(clock.now().saturating_duration_since(started));
        let served = wait_served(client, &path, &found.spec.names.plural, &*clock);
        if within(&*clock, left, served).await.is_none() {
            return Err(EstablishError::NotServed(format!(
                "{} of {path}",
                found.spec.names.plural
            )));
        }
    }
    Ok(found)
}

/// Between two looks at discovery, which has no watch.
const PAUSE: Duration = Duration::from_millis(50);

async fn wait_served(client: &RestClient, path: &str, plural: &str, clock: &dyn Clock) {
    loop {
        let document = client.document(path, "application/json").await;
        let list = document
            .ok()
            .and_then(|document| APIResourceList::decode(Format::Json, &document.body).ok());
        if list.is_some_and(|list| list.resources.iter().any(|one| one.name == plural)) {
            return;
        }
        clock.sleep(PAUSE).await;
    }
}
