//! [`Finalizer`]: a last word before an object goes.

use std::fmt;

use serde_json::json;

use crate::error::Error;
use crate::meta::{Object, ObjectMeta};
use crate::resource::{Offers, Resource, Scope, verb};
use crate::rest::{Api, PatchBody};
use crate::retry::DEFAULT_RETRY;
use crate::value::Str;

/// A finalizer of a controller: while an object has it, a deletion only marks the object.
///
/// ```no_run
/// # use kubeloom::{Api, Resource, resource::{Offers, verb}};
/// # async fn example<Site>(sites: &Api<Site>, site: Site) -> Result<(), kubeloom::controller::FinalizerError>
/// # where Site: Resource + Offers<verb::Get> + Offers<verb::Patch> {
/// use kubeloom::controller::Finalizer;
///
/// const CLEANUP: Finalizer = Finalizer::new("example.com/cleanup");
///
/// if site.metadata().deletion_timestamp.is_some() {
///     if CLEANUP.is_on(&site) {
///         // ... tidy up what garbage collection does not know of ...
///         CLEANUP.remove(sites, &site).await?;
///     }
///     return Ok(());
/// }
/// let site = CLEANUP.add(sites, &site).await?;
/// // ... nothing outside may be made before this line ...
/// # let _ = site;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finalizer {
    name: &'static str,
}

/// Why a finalizer could not be added or removed.
#[derive(Debug)]
#[non_exhaustive]
pub enum FinalizerError {
    /// The object is being deleted: servers take no new finalizers.
    BeingDeleted,
    /// The object is gone; another one has its name.
    Gone,
    /// The call failed. A conflict says that others change finalizers at the same time and won each of five times.
    Call(Error),
}

impl fmt::Display for FinalizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeingDeleted => f.write_str("the object is being deleted and takes no new finalizer"),
            Self::Gone => f.write_str("the object is gone and another one has its name"),
            Self::Call(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FinalizerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::BeingDeleted | Self::Gone => None,
            Self::Call(error) => error.source(),
        }
    }
}

/// How many times a change is tried when others write at the same time.
const ATTEMPTS: u32 = DEFAULT_RETRY.steps;

impl Finalizer {
    /// A finalizer by its name: a domain of yours, a slash, a word.
    pub const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether an object has it.
    pub fn is_on(&self, object: &impl Object) -> bool {
        self.is_in(object.object_meta())
    }

    fn is_in(&self, meta: &ObjectMeta) -> bool {
        meta.finalizers.iter().any(|finalizer| finalizer == self.name)
    }

    /// Puts it on an object, without a call if it is there already; the object as it is then. The change is made to the
    /// very state of `object`: when that is not the newest one, the newest is read and the change made to it.
    ///
    /// # Errors
    /// The object is being deleted, is gone (also if another one has its name), or a call failed.
    pub async fn add<K, S>(&self, api: &Api<K, S>, object: &K) -> Result<K, FinalizerError>
    where
        K: Resource + Offers<verb::Get> + Offers<verb::Patch>,
        S: Scope,
    {
        let change = |meta: &ObjectMeta| {
            if self.is_in(meta) {
                return Ok(None);
            }
            if meta.deletion_timestamp.is_some() {
                return Err(FinalizerError::BeingDeleted);
            }
            let mut finalizers = meta.finalizers.clone();
            finalizers.push(self.name.into());
            Ok(Some(finalizers))
        };
        self.change(api, object, change).await
    }

    /// Takes it off an object, without a call if it is not there. An object that is gone, or whose name another one has now,
    /// is as good.
    ///
    /// # Errors
    /// A call failed.
    pub async fn remove<K, S>(&self, api: &Api<K, S>, object: &K) -> Result<(), FinalizerError>
    where
        K: Resource + Offers<verb::Get> + Offers<verb::Patch>,
        S: Scope,
    {
        let change = |meta: &ObjectMeta| {
            let mut finalizers = meta.finalizers.clone();
            finalizers.retain(|finalizer| finalizer != self.name);
            Ok((finalizers.len() != meta.finalizers.len()).then_some(finalizers))
        };
        match self.change(api, object, change).await {
            Err(FinalizerError::Call(error)) if !error.is_not_found() => Err(FinalizerError::Call(error)),
            _ => Ok(()),
        }
    }

    /// Makes a change to the finalizers that holds for the newest state of an object.
    async fn change<K, S>(
        &self,
        api: &Api<K, S>,
        object: &K,
        change: impl Fn(&ObjectMeta) -> Result<Option<Vec<Str>>, FinalizerError>,
    ) -> Result<K, FinalizerError>
    where
        K: Resource + Offers<verb::Get> + Offers<verb::Patch>,
        S: Scope,
    {
        let (name, uid) = (object.metadata().name.clone(), object.metadata().uid.clone());
        let mut object = object.clone();
        let mut attempt = 1;
        loop {
            let meta = object.metadata();
            let Some(finalizers) = change(meta)? else {
                return Ok(object);
            };
            // With these two the server refuses the change if it is not made to this state of this object.
            let body = json!({"metadata": {
                "finalizers": finalizers, "resourceVersion": meta.resource_version, "uid": meta.uid,
            }});
            let error = match api.patch(&name, PatchBody::merge(&body)).await {
                Ok(changed) => return Ok(changed),
                Err(error) => error,
            };
            if !error.is_conflict() || attempt == ATTEMPTS {
                return Err(FinalizerError::Call(error));
            }
            attempt += 1;
            object = api.get(&name).await.map_err(FinalizerError::Call)?;
            if object.metadata().uid != uid {
                return Err(FinalizerError::Gone);
            }
        }
    }
}
