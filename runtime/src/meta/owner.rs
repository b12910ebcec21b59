//! Owner references.

use std::fmt;

use super::{ObjectMeta, OwnerReference, Referent};
use crate::resource::{Resource, Scope};

/// Why an object cannot be given an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnerError {
    /// The owner lives in a namespace and the object in another one, or in none. Garbage collection would delete the object.
    OtherNamespace {
        /// The owner's namespace.
        owner: String,
        /// The object's; empty for one of cluster scope.
        object: String,
    },
    /// Another object controls it.
    Controlled {
        /// Kind and name of the object that does.
        by: String,
    },
    /// The owner has no UID or no name: it was not read from a server.
    NoIdentity,
}

impl fmt::Display for OwnerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherNamespace { owner, object } if object.is_empty() => {
                write!(
                    f,
                    "an object of cluster scope cannot be owned by one in namespace {owner}"
                )
            }
            Self::OtherNamespace { owner, object } => {
                write!(
                    f,
                    "an object in namespace {object} cannot be owned by one in namespace {owner}"
                )
            }
            Self::Controlled { by } => write!(
                f,
                "the object is controlled by {by} already; it has to be released first"
            ),
            Self::NoIdentity => {
                f.write_str("the owner has no UID, name or kind; use an object that was read from the server")
            }
        }
    }
}

impl std::error::Error for OwnerError {}

impl OwnerReference {
    /// A reference to an owner, not as controller.
    ///
    /// # Errors
    /// The owner has no UID or no name, or does not say its kind, as every object read from a server does.
    pub fn to(owner: &impl Referent) -> Result<Self, OwnerError> {
        let ((api_version, kind), meta) = (owner.type_name(), owner.object_meta());
        let texts = [api_version, kind, &meta.name, &meta.uid];
        if texts.iter().any(|text| text.is_empty()) {
            return Err(OwnerError::NoIdentity);
        }
        Ok(Self {
            api_version: api_version.into(),
            kind: kind.into(),
            name: meta.name.clone(),
            uid: meta.uid.clone(),
            controller: None,
            block_owner_deletion: None,
        })
    }

    /// A reference to the controller: the one owner that manages the object, whose foreground deletion waits for it.
    ///
    /// # Errors
    /// As [`OwnerReference::to`].
    pub fn to_controller(owner: &impl Referent) -> Result<Self, OwnerError> {
        Ok(Self {
            controller: Some(true),
            block_owner_deletion: Some(true),
            ..Self::to(owner)?
        })
    }

    /// Whether the owner is the controller.
    pub fn is_controller(&self) -> bool {
        self.controller == Some(true)
    }

    /// Whether the owner is of this kind, in whatever version.
    pub fn is_of<K: Resource>(&self) -> bool {
        let group = self.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        self.kind == K::KIND && group == K::GROUP
    }
}

impl ObjectMeta {
    /// The owner that is the controller, if there is one.
    pub fn controller_owner(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.is_controller())
    }

    /// Whether `owner` controls the object, by its UID.
    pub fn is_controlled_by(&self, owner: &ObjectMeta) -> bool {
        !owner.uid.is_empty()
            && self
                .controller_owner()
                .is_some_and(|controller| controller.uid == owner.uid)
    }

    /// Adds an owner, or brings the reference to it up to date. A reference to the owner as controller stays one.
    ///
    /// # Errors
    /// The owner lives in another namespace, or has no UID.
    pub fn add_owner<K: Resource>(&mut self, owner: &K) -> Result<(), OwnerError> {
        self.check_owner(owner)?;
        self.put_owner(OwnerReference::to(owner)?);
        Ok(())
    }

    /// Makes `owner` the controller of the object. At most one is: another one has to be removed first.
    ///
    /// # Errors
    /// As [`ObjectMeta::add_owner`], and another owner is the controller.
    pub fn set_controller<K: Resource>(&mut self, owner: &K) -> Result<(), OwnerError> {
        self.check_owner(owner)?;
        let reference = OwnerReference::to_controller(owner)?;
        if let Some(other) = self.controller_owner().filter(|other| other.uid != reference.uid) {
            return Err(OwnerError::Controlled {
                by: format!("{} {}", other.kind, other.name),
            });
        }
        self.put_owner(reference);
        Ok(())
    }

    /// Takes an owner out, by its UID; whether it was one.
    pub fn remove_owner(&mut self, owner: &ObjectMeta) -> bool {
        let before = self.owner_references.len();
        self.owner_references
            .retain(|reference| reference.uid != owner.uid);
        self.owner_references.len() != before
    }

    fn check_owner<K: Resource>(&self, owner: &K) -> Result<(), OwnerError> {
        let namespace = &owner.metadata().namespace;
        if K::Scope::NAMESPACED && *namespace != self.namespace {
            return Err(OwnerError::OtherNamespace {
                owner: namespace.to_string(),
                object: self.namespace.to_string(),
            });
        }
        Ok(())
    }

    fn put_owner(&mut self, mut reference: OwnerReference) {
        let known = self
            .owner_references
            .iter_mut()
            .find(|known| known.uid == reference.uid);
        match known {
            Some(known) => {
                reference.controller = reference.controller.or(known.controller);
                reference.block_owner_deletion =
                    reference.block_owner_deletion.or(known.block_owner_deletion);
                *known = reference;
            }
            None => self.owner_references.push(reference),
        }
    }
}
