//! The types that every group shares: `meta/v1`.

mod condition;
mod discovery;
mod list;
mod object_meta;
mod options;
mod selector;
mod status;

pub use condition::Condition;
pub use discovery::{
    APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions, GroupResource,
    GroupVersionForDiscovery, ServerAddressByClientCIDR,
};
pub use list::List;
pub use object_meta::{
    ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference, PartialObjectMetadata, ShardInfo,
};
pub use options::{DeleteOptions, Preconditions};
pub use selector::{FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement};
pub use status::{Status, StatusCause, StatusDetails};
