//! What discovery finds.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::rest::{GroupVersionKind, GroupVersionResource, api_version};

/// All that a server offers, and what it could not say.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// The groups: the core group first, then in the server's order.
    pub groups: Vec<ApiGroup>,
    /// The group-versions of which the resources are not known, or not known to be current. Nearly always that of an
    /// aggregated API whose server is down. What the others offer is not touched by it.
    pub failures: Vec<DiscoveryFailure>,
}

/// A group and its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiGroup {
    /// The name; empty for the core group.
    pub name: String,
    /// The versions in the server's order, the most stable first.
    pub versions: Vec<ApiVersion>,
    /// The version to use where none is said: what the server says, or the first that is not stale.
    pub preferred: String,
}

/// A version of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiVersion {
    /// The version.
    pub version: String,
    /// Whether the server could not ask the API behind it: the resources are those it last knew of, or none.
    pub stale: bool,
    /// The resources, in the server's order.
    pub resources: Vec<ApiResource>,
    /// The subresources, in the server's order. There may be some whose resource is not listed.
    pub subresources: Vec<ApiSubresource>,
}

/// A resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiResource {
    /// The plural, as in paths.
    pub plural: String,
    /// The singular; may be empty.
    pub singular: String,
    /// The kind of its objects. Nearly always of the group and version it is listed under.
    pub kind: GroupVersionKind,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// What the server offers, such as `get`.
    pub verbs: Vec<String>,
    /// What it is called for short, such as `po`.
    pub short_names: Vec<String>,
    /// Categories, such as `all`.
    pub categories: Vec<String>,
}

/// A subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiSubresource {
    /// The plural of the resource it belongs to.
    pub resource: String,
    /// What follows the name of the object in paths, such as `status`.
    pub name: String,
    /// The kind of its bodies, if the server says.
    pub kind: Option<GroupVersionKind>,
    /// Whether the objects of the resource live in namespaces.
    pub namespaced: bool,
    /// What the server offers.
    pub verbs: Vec<String>,
}

/// A group-version of which the resources are not known, or not known to be current.
#[derive(Clone, Debug)]
pub struct DiscoveryFailure {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// Why.
    pub reason: FailureReason,
}

/// Why a group-version is not known.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FailureReason {
    /// The server says that it could not ask the API behind it.
    Stale,
    /// Asking for its resources failed.
    Failed(Arc<Error>),
}

impl fmt::Display for DiscoveryFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", api_version(&self.group, &self.version))?;
        match &self.reason {
            FailureReason::Stale => f.write_str("the server cannot reach the API behind it"),
            FailureReason::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DiscoveryFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            FailureReason::Stale => None,
            FailureReason::Failed(error) => error.source(),
        }
    }
}

/// What a server says about itself at `/version`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServerVersion {
    /// The major version, as text.
    pub major: String,
    /// The minor version, as text; some providers add a `+`.
    pub minor: String,
    /// The whole version, such as `v1.37.2`.
    pub git_version: String,
    /// The commit it was built from.
    pub git_commit: String,
    /// `clean` or `dirty`.
    pub git_tree_state: String,
    /// When it was built.
    pub build_date: String,
    /// What it was built with.
    pub go_version: String,
    /// What it was built with.
    pub compiler: String,
    /// Operating system and architecture.
    pub platform: String,
}

impl ServerVersion {
    /// Major and minor version as numbers; `None` if the server does not say numbers.
    pub fn numbers(&self) -> Option<(u32, u32)> {
        let number = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text[..end].parse().ok()
        };
        Some((number(&self.major)?, number(&self.minor)?))
    }
}

impl Discovered {
    /// A group by name.
    pub fn group(&self, name: &str) -> Option<&ApiGroup> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// A version of a group.
    pub fn version(&self, group: &str, version: &str) -> Option<&ApiVersion> {
        self.group(group)?.version(version)
    }

    /// All group-versions, those that failed too.
    pub fn group_versions(&self) -> impl Iterator<Item = (&ApiGroup, &ApiVersion)> {
        self.groups
            .iter()
            .flat_map(|group| group.versions.iter().map(move |version| (group, version)))
    }

    /// A resource by its names.
    pub fn resource(&self, resource: &GroupVersionResource) -> Option<&ApiResource> {
        let version = self.version(&resource.group, &resource.version)?;
        version
            .resources
            .iter()
            .find(|one| one.plural == resource.resource)
    }

    /// Each resource once, in the preferred version of its group or, where that lacks it, in the first that has it.
    pub fn preferred_resources(&self) -> impl Iterator<Item = (&ApiGroup, &ApiVersion, &ApiResource)> {
        self.groups.iter().flat_map(|group| {
            let mut seen = BTreeSet::new();
            group.by_preference().flat_map(move |version| {
                let fresh: Vec<_> = version
                    .resources
                    .iter()
                    .filter(|resource| seen.insert(resource.plural.as_str()))
                    .collect();
                fresh.into_iter().map(move |resource| (group, version, resource))
            })
        })
    }
}

impl ApiGroup {
    /// A version by name.
    pub fn version(&self, version: &str) -> Option<&ApiVersion> {
        self.versions.iter().find(|one| one.version == version)
    }

    /// The versions, the preferred one first and the others in the server's order.
    pub fn by_preference(&self) -> impl Iterator<Item = &ApiVersion> {
        let preferred = |version: &&ApiVersion| version.version == self.preferred;
        let first = self.versions.iter().filter(preferred);
        first.chain(self.versions.iter().filter(move |version| !preferred(version)))
    }
}

impl ApiVersion {
    /// The resource with this plural.
    pub fn resource(&self, plural: &str) -> Option<&ApiResource> {
        self.resources.iter().find(|one| one.plural == plural)
    }
}

impl ApiResource {
    /// Whether the server offers a verb.
    pub fn offers(&self, verb: &str) -> bool {
        self.verbs.iter().any(|one| one == verb)
    }
}
