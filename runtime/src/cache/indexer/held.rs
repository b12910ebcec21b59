//! [`Held`]: an object as a store keeps it.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

#[cfg(feature = "packed")]
use super::packed::Parcel;
use crate::cache::object::{KeyRef, Object, ObjectKey, is_other_object, is_same_state};

/// An object as a store keeps it: whole, or packed by a store that packs. Cheap to clone.
///
/// Key, UID and version can be read without unpacking.
pub struct Held<K>(pub(super) Form<K>);

/// The two forms; a store that packs keeps what cannot be packed whole.
pub(super) enum Form<K> {
    Whole(Arc<K>),
    #[cfg(feature = "packed")]
    Packed(Arc<Parcel>),
}

impl<K> Clone for Form<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Whole(object) => Self::Whole(object.clone()),
            #[cfg(feature = "packed")]
            Self::Packed(parcel) => Self::Packed(parcel.clone()),
        }
    }
}

impl<K> Clone for Held<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> From<Arc<K>> for Held<K> {
    fn from(object: Arc<K>) -> Self {
        Self(Form::Whole(object))
    }
}

impl<K: fmt::Debug> fmt::Debug for Held<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Whole(object) => object.fmt(f),
            #[cfg(feature = "packed")]
            Form::Packed(parcel) => write!(f, "packed {}", parcel.key().to_owned()),
        }
    }
}

impl<K: Object> Held<K> {
    /// The object; unpacked each time, if it is packed. `None` for an object that could not be unpacked: memory has been
    /// damaged since it was packed, which is logged with the key of the object.
    pub fn object(&self) -> Option<Arc<K>> {
        match &self.0 {
            Form::Whole(object) => Some(object.clone()),
            #[cfg(feature = "packed")]
            Form::Packed(parcel) => parcel.object().map(Arc::new),
        }
    }

    /// The key of the object.
    pub fn key(&self) -> ObjectKey {
        self.key_ref().to_owned()
    }

    /// Whether it is packed.
    pub fn is_packed(&self) -> bool {
        !matches!(self.0, Form::Whole(_))
    }

    /// Whether both are the same place in memory.
    pub(in crate::cache) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Whole(left), Form::Whole(right)) => Arc::ptr_eq(left, right),
            #[cfg(feature = "packed")]
            (Form::Packed(left), Form::Packed(right)) => Arc::ptr_eq(left, right),
            #[cfg(feature = "packed")]
            _ => false,
        }
    }

    /// The key, borrowed from what is held.
    pub(in crate::cache) fn key_ref(&self) -> KeyRef<'_> {
        match &self.0 {
            Form::Whole(object) => KeyRef::of(&**object),
            #[cfg(feature = "packed")]
            Form::Packed(parcel) => parcel.key(),
        }
    }

    pub(super) fn has_key(&self, key: KeyRef<'_>) -> bool {
        match &self.0 {
            Form::Whole(object) => KeyRef::of(&**object) == key,
            #[cfg(feature = "packed")]
            Form::Packed(parcel) => parcel.has_key(key),
        }
    }

    pub(super) fn hash(&self, hasher: &impl BuildHasher) -> u64 {
        hasher.hash_one(self.key_ref())
    }

    /// Whether it is the same state of the same object, by UID and resourceVersion.
    pub(in crate::cache) fn is_state(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Whole(left), Form::Whole(right)) => is_same_state(&**left, &**right),
            #[cfg(feature = "packed")]
            _ => self.identity() == other.identity() && !self.identity().1.is_empty(),
        }
    }

    /// Whether it is this state of the same object, by UID and resourceVersion.
    pub(super) fn is_state_of(&self, other: &K) -> bool {
        match &self.0 {
            Form::Whole(object) => is_same_state(&**object, other),
            #[cfg(feature = "packed")]
            Form::Packed(parcel) => {
                let meta = other.object_meta();
                let version = meta.resource_version.as_str();
                !version.is_empty() && parcel.identity() == (meta.uid.as_str(), version)
            }
        }
    }

    /// Whether both have a UID and they differ: the object was deleted and created again.
    pub(in crate::cache) fn is_other(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Whole(left), Form::Whole(right)) => is_other_object(&**left, &**right),
            #[cfg(feature = "packed")]
            _ => {
                let (left, right) = (self.identity().0, other.identity().0);
                !left.is_empty() && !right.is_empty() && left != right
            }
        }
    }

    /// UID and resourceVersion.
    #[cfg(feature = "packed")]
    fn identity(&self) -> (&str, &str) {
        match &self.0 {
            Form::Whole(object) => {
                let meta = object.object_meta();
                (&meta.uid, &meta.resource_version)
            }
            Form::Packed(parcel) => parcel.identity(),
        }
    }
}
