//! [`ObjectReference`]: which object an event is about.

use crate::dynamic::DynamicObject;
use crate::generated::*;

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

impl<K: Resource> Referent for K {
    fn reference(&self) -> ObjectReference {
        reference(K::API_VERSION, K::KIND, self.metadata())
    }
}

impl Referent for DynamicObject {
    fn reference(&self) -> ObjectReference {
        reference(&self.api_version, &self.kind, &self.metadata)
    }
}

impl Referent for ObjectReference {
    fn reference(&self) -> ObjectReference {
        self.clone()
    }
}

fn reference(api_version: &str, kind: &str, metadata: &ObjectMeta) -> ObjectReference {
    ObjectReference {
        kind: kind.into(),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone(),
        uid: metadata.uid.clone(),
        api_version: api_version.into(),
        resource_version: metadata.resource_version.clone(),
        field_path: Str::default(),
    }
}
