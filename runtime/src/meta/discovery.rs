//! What servers say about their API, in its legacy form.

use crate::record;
use crate::record::{KEEP, NIL, OMIT};
use crate::value::Str;

/// The versions of the core group: the answer of `/api`.
#[derive(Clone, Default)]
pub struct APIVersions {
    /// The versions.
    pub versions: Vec<Str>,
    /// Addresses of the server.
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCIDR>,
}

record! { APIVersions = "v1" "APIVersions" {
    0 versions "versions" [1] NIL;
    1 server_address_by_client_cidrs "serverAddressByClientCIDRs" [2] NIL;
} }

/// The answer of `/apis`.
#[derive(Clone, Default)]
pub struct APIGroupList {
    /// The groups, in the server's order.
    pub groups: Vec<APIGroup>,
}

record! { APIGroupList = "v1" "APIGroupList" {
    0 groups "groups" [1] NIL;
} }

/// A group and its versions.
#[derive(Clone, Default)]
pub struct APIGroup {
    /// The group.
    pub name: Str,
    /// The versions, the most stable first.
    pub versions: Vec<GroupVersionForDiscovery>,
    /// The version to use.
    pub preferred_version: GroupVersionForDiscovery,
    /// Addresses of the server.
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCIDR>,
}

record! { APIGroup = "v1" "APIGroup" {
    0 name "name" [1] KEEP;
    1 versions "versions" [2] NIL;
    2 preferred_version "preferredVersion" [3] KEEP;
    3 server_address_by_client_cidrs "serverAddressByClientCIDRs" [4] OMIT;
} }

/// A version of a group.
#[derive(Clone, Default)]
pub struct GroupVersionForDiscovery {
    /// `group/version`.
    pub group_version: Str,
    /// The version alone.
    pub version: Str,
}

record! { GroupVersionForDiscovery {
    0 group_version "groupVersion" [1] KEEP;
    1 version "version" [2] KEEP;
} }

/// The address of the server for some clients.
#[derive(Clone, Default)]
pub struct ServerAddressByClientCIDR {
    /// The clients.
    pub client_cidr: Str,
    /// Host, or host and port.
    pub server_address: Str,
}

record! { ServerAddressByClientCIDR {
    0 client_cidr "clientCIDR" [1] KEEP;
    1 server_address "serverAddress" [2] KEEP;
} }

/// The resources of a group-version.
#[derive(Clone, Default)]
pub struct APIResourceList {
    /// `group/version`.
    pub group_version: Str,
    /// Resources and subresources.
    pub resources: Vec<APIResource>,
}

record! { APIResourceList = "v1" "APIResourceList" {
    0 group_version "groupVersion" [1] KEEP;
    1 resources "resources" [2] NIL;
} }

/// A resource or a subresource.
#[derive(Clone, Default)]
pub struct APIResource {
    /// The plural; `pods/log` for a subresource.
    pub name: Str,
    /// The singular; may be empty.
    pub singular_name: Str,
    /// Whether it lives in namespaces.
    pub namespaced: bool,
    /// Group of `kind` if it is not that of the list.
    pub group: Str,
    /// Version of `kind` if it is not that of the list.
    pub version: Str,
    /// The kind of its body.
    pub kind: Str,
    /// What the server offers.
    pub verbs: Vec<Str>,
    /// Such as `po`.
    pub short_names: Vec<Str>,
    /// Such as `all`.
    pub categories: Vec<Str>,
    /// Changes with the version that is stored.
    pub storage_version_hash: Str,
}

record! { APIResource {
    0 name "name" [1] KEEP;
    1 singular_name "singularName" [6] KEEP;
    2 namespaced "namespaced" [2] KEEP;
    3 group "group" [8] OMIT;
    4 version "version" [9] OMIT;
    5 kind "kind" [3] KEEP;
    6 verbs "verbs" [4, 1] NIL;
    7 short_names "shortNames" [5] OMIT;
    8 categories "categories" [7] OMIT;
    9 storage_version_hash "storageVersionHash" [10] OMIT;
} }

/// A resource of a group, whichever version.
#[derive(Clone, Default)]
pub struct GroupResource {
    /// The group; empty for the core group.
    pub group: Str,
    /// The plural.
    pub resource: Str,
}

record! { GroupResource {
    0 group "group" [1] KEEP;
    1 resource "resource" [2] KEEP;
} }
