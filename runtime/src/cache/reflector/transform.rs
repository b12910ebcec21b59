//! [`Transform`]: what is done to each object before anyone sees it.

use std::error::Error as StdError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::cache::list_watch::Skipped;
use crate::cache::object::{Object, ObjectKey};

type Change<K> = dyn Fn(&mut K) -> Result<(), Box<dyn StdError + Send + Sync>> + Send + Sync;

/// Changes each object once, before it is queued and kept: to drop what nobody reads.
///
/// Namespace, name, UID and resourceVersion must stay as they are. An object whose change fails or panics is left out
/// and reported; what the store has of it stays, and the next event of the object tries again. Others are not
/// affected.
pub struct Transform<K>(Arc<Change<K>>);

impl<K> Clone for Transform<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> fmt::Debug for Transform<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transform")
    }
}

impl<K: Object> Transform<K> {
    /// A change that always succeeds.
    pub fn new(change: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        Self::fallible(move |object| {
            change(object);
            Ok(())
        })
    }

    /// A change that may fail.
    pub fn fallible<F>(change: F) -> Self
    where
        F: Fn(&mut K) -> Result<(), Box<dyn StdError + Send + Sync>> + Send + Sync + 'static,
    {
        Self(Arc::new(change))
    }

    /// Drops `metadata.managedFields`, often half of an object.
    pub fn drop_managed_fields() -> Self {
        Self::new(|object: &mut K| object.object_meta_mut().managed_fields = Vec::new())
    }

    /// This change, then another.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self::fallible(move |object| {
            (self.0)(object)?;
            (next.0)(object)
        })
    }

    /// What tells it from all others, for as long as a clone of it is there.
    pub(in crate::cache) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).cast::<()>().addr()
    }

    pub(super) fn apply(&self, object: &mut K) -> Result<(), Skipped> {
        // Of the key from before: the change may have ruined it.
        let key = ObjectKey::of(object);
        let reason = match catch_unwind(AssertUnwindSafe(|| (self.0)(object))) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => format!("the transform failed: {error}"),
            Err(_) => "the transform panicked".to_owned(),
        };
        Err(Skipped { key, reason })
    }
}
