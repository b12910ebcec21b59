//! The types that every group shares: `meta/v1`.

mod condition;
mod discovery;
mod list;
mod object;
mod object_meta;
mod options;
mod owner;
mod ownership;
mod reference;
mod selector;
mod status;
mod table;

pub use condition::{Condition, ConditionStatus, Conditions};
pub use discovery::{
    APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions, GroupResource,
    GroupVersionForDiscovery, ServerAddressByClientCIDR,
};
pub use list::List;
pub(crate) use object::page;
pub use object::{Object, Page};
pub use object_meta::{
    ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference, PartialObjectMetadata,
    PartialObjectMetadataList, ShardInfo,
};
pub use options::{DeleteOptions, Preconditions};
pub use owner::OwnerError;
pub use ownership::{migrate_ownership, ownership_patch};
pub use reference::{Reference, Referent};
pub use selector::{FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement};
pub use status::{Status, StatusCause, StatusDetails};
pub use table::{Table, TableColumnDefinition, TableRow, TableRowCondition};
