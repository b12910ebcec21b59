//! The legacy form: a list of groups, and a document of resources for each group-version.

use super::aggregated::kind_within;
use super::types::{ApiGroup, ApiResource, ApiSubresource, ApiVersion};
use crate::meta::{APIGroup, APIResource, APIResourceList, APIVersions};
use crate::value::Str;

/// The core group of a legacy `/api`; its versions are still without resources.
pub(super) fn core_group(versions: APIVersions) -> Vec<ApiGroup> {
    if versions.versions.is_empty() {
        return Vec::new();
    }
    let versions: Vec<ApiVersion> = versions.versions.into_iter().map(bare_version).collect();
    let preferred = versions[0].version.clone();
    vec![ApiGroup {
        name: String::new(),
        versions,
        preferred,
    }]
}

/// A group of a legacy `/apis`; its versions are still without resources.
pub(super) fn named_group(group: APIGroup) -> ApiGroup {
    let versions: Vec<ApiVersion> = group
        .versions
        .into_iter()
        .map(|version| bare_version(version.version))
        .collect();
    let preferred = match group.preferred_version.version {
        preferred if preferred.is_empty() => versions
            .first()
            .map(|version| version.version.clone())
            .unwrap_or_default(),
        preferred => preferred.into(),
    };
    ApiGroup {
        name: group.name.into(),
        versions,
        preferred,
    }
}

fn bare_version(version: Str) -> ApiVersion {
    ApiVersion {
        version: version.into(),
        ..ApiVersion::default()
    }
}

/// Fills the resources of a version in.
pub(super) fn fill(group: &str, version: &mut ApiVersion, list: APIResourceList) {
    for resource in list.resources {
        let APIResource {
            name,
            namespaced,
            kind,
            ..
        } = resource;
        let kind = kind_within(
            group,
            &version.version,
            resource.group.into(),
            resource.version.into(),
            kind.into(),
        );
        let verbs = texts(resource.verbs);
        match name.split_once('/') {
            Some((parent, part)) => version.subresources.push(ApiSubresource {
                resource: parent.to_owned(),
                name: part.to_owned(),
                kind,
                namespaced,
                verbs,
            }),
            None => {
                let Some(kind) = kind else { continue };
                version.resources.push(ApiResource {
                    plural: name.into(),
                    singular: resource.singular_name.into(),
                    kind,
                    namespaced,
                    verbs,
                    short_names: texts(resource.short_names),
                    categories: texts(resource.categories),
                });
            }
        }
    }
}

fn texts(list: Vec<Str>) -> Vec<String> {
    list.into_iter().map(String::from).collect()
}
