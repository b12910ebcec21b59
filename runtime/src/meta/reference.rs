//! References to objects: [`Referent`] and [`Reference`].

use serde::{Deserialize, Serialize};

use super::Object;
use crate::dynamic::DynamicObject;
use crate::resource::Resource;

/// An object whose group, version and kind are known, by its type or by itself.
pub trait Referent: Object {
    /// `group/version` and kind; empty where they are not known.
    fn type_name(&self) -> (&str, &str);
}

impl<K: Resource> Referent for K {
    fn type_name(&self) -> (&str, &str) {
        (K::API_VERSION, K::KIND)
    }
}

impl Referent for DynamicObject {
    fn type_name(&self) -> (&str, &str) {
        (&self.api_version, &self.kind)
    }
}

/// A reference to an object, from anywhere: what events are about, with the fields of the core group's
/// `ObjectReference`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reference {
    /// Group and version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// The kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The namespace; empty for cluster scope.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The UID; empty if any object of the name is meant.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The version of the object that is meant; empty for none in particular.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// A part of the object, such as `spec.containers{web}`; empty for all of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field_path: String,
}

impl Reference {
    /// A reference to `object` as it is. What the object does not say is empty.
    pub fn to(object: &impl Referent) -> Self {
        let ((api_version, kind), meta) = (object.type_name(), object.object_meta());
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: meta.namespace.to_string(),
            name: meta.name.to_string(),
            uid: meta.uid.to_string(),
            resource_version: meta.resource_version.to_string(),
            field_path: String::new(),
        }
    }

    /// The same with a part of the object.
    #[must_use]
    pub fn part(mut self, field_path: impl Into<String>) -> Self {
        self.field_path = field_path.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::{OwnerError, OwnerReference};

    #[test]
    fn references_say_what_the_object_is() {
        let mut owner = DynamicObject::new("apps/v1", "Deployment", "front").within("web");
        assert_eq!(
            OwnerReference::to(&owner),
            Err(OwnerError::NoIdentity),
            "without a UID"
        );
        owner.metadata.uid = "u-1".into();
        owner.metadata.resource_version = "7".into();
        let reference = OwnerReference::to_controller(&owner).unwrap();
        assert_eq!(
            (&*reference.kind, &*reference.uid, reference.controller),
            ("Deployment", "u-1", Some(true))
        );
        assert_eq!(OwnerReference::to(&owner).unwrap().controller, None);
        let reference = Reference::to(&owner).part("spec.replicas");
        let text = serde_json::to_string(&reference).unwrap();
        assert_eq!(
            text,
            r#"{"apiVersion":"apps/v1","kind":"Deployment","namespace":"web","name":"front","uid":"u-1","resourceVersion":"7","fieldPath":"spec.replicas"}"#
        );
    }
}
