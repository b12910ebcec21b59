//! [`ObjectReference`]: which object an event is about.

use crate::generated::*;
use crate::meta;

/// `ObjectReference` of `core/v1`: an object, by name. Every field may be empty.
#[derive(Clone, Default)]
pub struct ObjectReference {
    /// The kind.
    pub kind: Str,
    /// The namespace; empty for objects of cluster scope.
    pub namespace: Str,
    /// The name.
    pub name: Str,
    /// The UID: tells an object from its successor of the same name.
    pub uid: Str,
    /// `group/version`, or the version alone for the core group.
    pub api_version: Str,
    /// The version of the object that is meant.
    pub resource_version: Str,
    /// A part of the object, such as `spec.containers{web}`.
    pub field_path: Str,
}

record! { ObjectReference {
    0 kind "kind" [1] OMIT;
    1 namespace "namespace" [2] OMIT;
    2 name "name" [3] OMIT;
    3 uid "uid" [4] OMIT;
    4 api_version "apiVersion" [5] OMIT;
    5 resource_version "resourceVersion" [6] OMIT;
    6 field_path "fieldPath" [7] OMIT;
} }

impl ObjectReference {
    /// The same about a part of the object: `spec.containers{web}`.
    #[must_use]
    pub fn field_path(mut self, path: impl Into<Str>) -> Self {
        self.field_path = path.into();
        self
    }
}

/// What an event can be about: an object of any kind, or a reference to one.
pub trait Referent {
    /// The reference. An object that says little about itself makes an incomplete one, never a failure.
    fn reference(&self) -> ObjectReference;
}

impl<K: meta::Referent> Referent for K {
    fn reference(&self) -> ObjectReference {
        meta::Reference::to(self).reference()
    }
}

impl Referent for meta::Reference {
    fn reference(&self) -> ObjectReference {
        ObjectReference {
            kind: self.kind.as_str().into(),
            namespace: self.namespace.as_str().into(),
            name: self.name.as_str().into(),
            uid: self.uid.as_str().into(),
            api_version: self.api_version.as_str().into(),
            resource_version: self.resource_version.as_str().into(),
            field_path: self.field_path.as_str().into(),
        }
    }
}

impl Referent for ObjectReference {
    fn reference(&self) -> ObjectReference {
        self.clone()
    }
}
