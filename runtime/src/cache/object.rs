//! The key that an object is kept under, and when two states are the same.

use std::fmt;
use std::str::FromStr;

use hashbrown::Equivalent;

pub use crate::meta::Object;
use crate::value::Str;

/// Namespace and name: what tells objects of one resource apart at any one time. An object that was deleted and created
/// again has the same key and another UID.
///
/// Written `namespace/name`, or `name` for objects of cluster scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// The namespace; empty for objects of cluster scope.
    pub namespace: Str,
    /// The name.
    pub name: Str,
}

impl ObjectKey {
    /// The key of an object of cluster scope.
    pub fn cluster(name: impl Into<Str>) -> Self {
        Self::namespaced("", name)
    }

    /// The key of an object in a namespace.
    pub fn namespaced(namespace: impl Into<Str>, name: impl Into<Str>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// The key of an object.
    pub fn of(object: &impl Object) -> Self {
        let meta = object.object_meta();
        Self {
            namespace: meta.namespace.clone(),
            name: meta.name.clone(),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// A text that is no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidKey(String);

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is neither `name` nor `namespace/name`", self.0)
    }
}

impl std::error::Error for InvalidKey {}

impl FromStr for ObjectKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        match text.split_once('/') {
            None => Ok(Self::cluster(text)),
            Some((namespace, name)) if !name.contains('/') => Ok(Self::namespaced(namespace, name)),
            Some(_) => Err(InvalidKey(text.to_owned())),
        }
    }
}

/// A borrowed key; hashes and compares as [`ObjectKey`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeyRef<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

impl<'a> KeyRef<'a> {
    pub(super) fn of(object: &'a impl Object) -> Self {
        let meta = object.object_meta();
        Self {
            namespace: &meta.namespace,
            name: &meta.name,
        }
    }
}

impl<'a> From<&'a ObjectKey> for KeyRef<'a> {
    fn from(key: &'a ObjectKey) -> Self {
        Self {
            namespace: &key.namespace,
            name: &key.name,
        }
    }
}

impl KeyRef<'_> {
    pub(super) fn to_owned(self) -> ObjectKey {
        ObjectKey::namespaced(self.namespace, self.name)
    }
}

impl Equivalent<ObjectKey> for KeyRef<'_> {
    fn equivalent(&self, key: &ObjectKey) -> bool {
        *self == KeyRef::from(key)
    }
}

/// Whether both are the same state of the same object, by UID and resourceVersion.
pub(super) fn is_same_state(left: &impl Object, right: &impl Object) -> bool {
    let (left, right) = (left.object_meta(), right.object_meta());
    !left.resource_version.is_empty()
        && left.resource_version == right.resource_version
        && left.uid == right.uid
}

/// Whether both have a UID and they differ: the object was deleted and created again.
pub(super) fn is_other_object(left: &impl Object, right: &impl Object) -> bool {
    let (left, right) = (&left.object_meta().uid, &right.object_meta().uid);
    !left.is_empty() && !right.is_empty() && left != right
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;

    #[test]
    fn keys_as_text() {
        for text in ["web/web-0", "node-1", ""] {
            assert_eq!(text.parse::<ObjectKey>().unwrap().to_string(), text);
        }
        assert_eq!("a/b/c".parse::<ObjectKey>(), Err(InvalidKey("a/b/c".to_owned())));
        assert_eq!("/b".parse::<ObjectKey>().unwrap(), ObjectKey::cluster("b"));
    }

    #[test]
    fn borrowed_keys_hash_as_owned_ones() {
        let build = hashbrown::DefaultHashBuilder::default();
        for (namespace, name) in [
            ("", ""),
            ("a", "b"),
            ("", "ab"),
            ("ab", ""),
            ("a-namespace-of-some-length", "x"),
        ] {
            let owned = ObjectKey::namespaced(namespace, name);
            assert_eq!(build.hash_one(KeyRef { namespace, name }), build.hash_one(&owned));
        }
    }
}
