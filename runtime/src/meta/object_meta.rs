//! Metadata of objects and of lists.

use crate::record;
use crate::record::{KEEP, NIL, OMIT, OPT};
use crate::value::{Map, RawJson, Str, Time};

/// What every object carries about itself.
#[derive(Clone, Default)]
pub struct ObjectMeta {
    /// Unique within namespace and resource.
    pub name: Str,
    /// A prefix from which the server makes a name if `name` is empty.
    pub generate_name: Str,
    /// Empty for objects of cluster scope.
    pub namespace: Str,
    /// No longer filled by servers.
    pub self_link: Str,
    /// Unique in time and space; set by the server.
    pub uid: Str,
    /// An opaque version; compare it as KEP-5504 says, never as a number.
    pub resource_version: Str,
    /// Counts changes of the desired state.
    pub generation: i64,
    /// Set by the server; zero before.
    pub creation_timestamp: Time,
    /// When the object is to go; set by the server on a graceful deletion.
    pub deletion_timestamp: Option<Time>,
    /// Seconds that were granted at deletion.
    pub deletion_grace_period_seconds: Option<i64>,
    /// What selectors match.
    pub labels: Map<Str>,
    /// Free data of tools.
    pub annotations: Map<Str>,
    /// The objects whose deletion deletes this one.
    pub owner_references: Vec<OwnerReference>,
    /// Who must act before the object may go.
    pub finalizers: Vec<Str>,
    /// Which manager set which field.
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

record! { ObjectMeta {
    0 name "name" [1] OMIT;
    1 generate_name "generateName" [2] OMIT;
    2 namespace "namespace" [3] OMIT;
    3 self_link "selfLink" [4] OMIT;
    4 uid "uid" [5] OMIT;
    5 resource_version "resourceVersion" [6] OMIT;
    6 generation "generation" [7] OMIT;
    7 creation_timestamp "creationTimestamp" [8] OMIT;
    8 deletion_timestamp "deletionTimestamp" [9] OPT;
    9 deletion_grace_period_seconds "deletionGracePeriodSeconds" [10] OPT;
    10 labels "labels" [11] OMIT;
    11 annotations "annotations" [12] OMIT;
    12 owner_references "ownerReferences" [13] OMIT;
    13 finalizers "finalizers" [14] OMIT;
    14 managed_fields "managedFields" [17] OMIT;
} }

/// Metadata of a list or of a status.
#[derive(Clone, Default)]
pub struct ListMeta {
    /// No longer filled by servers.
    pub self_link: Str,
    /// The version of the collection; where a watch may begin.
    pub resource_version: Str,
    /// The token of the next page; empty on the last one.
    pub continue_: Str,
    /// How many items follow, if the server knows.
    pub remaining_item_count: Option<i64>,
    /// Echo of the shard selector that the server applied (KEP-5866); absent if it ignored it.
    pub shard_info: Option<Box<ShardInfo>>,
}

record! { ListMeta {
    0 self_link "selfLink" [1] OMIT;
    1 resource_version "resourceVersion" [2] OMIT;
    2 continue_ "continue" [3] OMIT;
    3 remaining_item_count "remainingItemCount" [4] OPT;
    4 shard_info "shardInfo" [5] OPT;
} }

/// The shard of a sharded list.
#[derive(Clone, Default)]
pub struct ShardInfo {
    /// The selector that was applied.
    pub selector: Str,
}

record! { ShardInfo {
    0 selector "selector" [1] KEEP;
} }

/// A reference to an owner in the same namespace or of cluster scope.
#[derive(Clone, Default)]
pub struct OwnerReference {
    /// Group and version of the owner.
    pub api_version: Str,
    /// Kind of the owner.
    pub kind: Str,
    /// Name of the owner.
    pub name: Str,
    /// UID of the owner.
    pub uid: Str,
    /// Whether the owner is the managing controller; at most one is.
    pub controller: Option<bool>,
    /// Whether a foreground deletion of the owner waits for this object.
    pub block_owner_deletion: Option<bool>,
}

record! { OwnerReference {
    0 api_version "apiVersion" [5] KEEP;
    1 kind "kind" [1] KEEP;
    2 name "name" [3] KEEP;
    3 uid "uid" [4] KEEP;
    4 controller "controller" [6] OPT;
    5 block_owner_deletion "blockOwnerDeletion" [7] OPT;
} }

/// The fields that one manager set through one API version.
#[derive(Clone, Default)]
pub struct ManagedFieldsEntry {
    /// The field manager.
    pub manager: Str,
    /// `Apply` or `Update`.
    pub operation: Str,
    /// The version that the field paths belong to.
    pub api_version: Str,
    /// The last change.
    pub time: Option<Time>,
    /// `FieldsV1`.
    pub fields_type: Str,
    /// The paths, as raw JSON.
    pub fields_v1: Option<RawJson>,
    /// The subresource that was written to; empty for the object itself.
    pub subresource: Str,
}

record! { ManagedFieldsEntry {
    0 manager "manager" [1] OMIT;
    1 operation "operation" [2] OMIT;
    2 api_version "apiVersion" [3] OMIT;
    3 time "time" [4] OPT;
    4 fields_type "fieldsType" [6] OMIT;
    5 fields_v1 "fieldsV1" [7] OPT;
    6 subresource "subresource" [8] OMIT;
} }

/// Any object reduced to its metadata.
#[derive(Clone, Default)]
pub struct PartialObjectMetadata {
    /// The metadata.
    pub metadata: ObjectMeta,
}

record! { PartialObjectMetadata = "meta.k8s.io/v1" "PartialObjectMetadata" {
    0 metadata "metadata" [1] KEEP;
} }

/// A list of any objects, each reduced to its metadata.
#[derive(Clone, Default)]
pub struct PartialObjectMetadataList {
    /// Version and continue token.
    pub metadata: ListMeta,
    /// The metadata of the objects, in the server's order.
    pub items: Vec<PartialObjectMetadata>,
}

record! { PartialObjectMetadataList = "meta.k8s.io/v1" "PartialObjectMetadataList" {
    0 metadata "metadata" [1] KEEP;
    1 items "items" [2] NIL;
} }
