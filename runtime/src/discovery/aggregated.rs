//! The aggregated form: all resources of all groups in one document (KEP-3352).

use serde::{Deserialize, Deserializer};

use super::types::{ApiGroup, ApiResource, ApiSubresource, ApiVersion};
use crate::rest::GroupVersionKind;

/// What to ask `/api` and `/apis` for. Version 2 is served since 1.30, `v2beta1`, which differs in name alone, from
/// 1.26 to 1.36; older servers answer with the legacy form.
pub(super) const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
    application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// Whether an answer is in the aggregated form, by its content type; the parameters may stand in any order.
pub(super) fn is_aggregated(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    if !parts
        .next()
        .unwrap_or_default()
        .eq_ignore_ascii_case("application/json")
    {
        return false;
    }
    let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
    let parameter = |name: &str| {
        let found = parameters
            .iter()
            .find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().trim_matches('"'))
    };
    parameter("g") == Some("apidiscovery.k8s.io")
        && matches!(parameter("v"), Some("v2" | "v2beta1"))
        && parameter("as") == Some("APIGroupDiscoveryList")
}

/// `null` and absence are the default.
fn lenient<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// The structs below as `apidiscovery.k8s.io/v2` has them; each field lenient.
macro_rules! written {
    ($($name:ident { $($field:ident: $type:ty),* })*) => { $(
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct $name {
            $(#[serde(deserialize_with = "lenient")] $field: $type),*
        }
    )* };
}

written! {
    GroupList { items: Vec<Group> }
    Group { metadata: Metadata, versions: Vec<Version> }
    Metadata { name: String }
    Version { version: String, resources: Vec<Resource>, freshness: String }
    Resource {
        resource: String, response_kind: Option<Kind>, scope: String, singular_resource: String, verbs: Vec<String>,
        short_names: Vec<String>, categories: Vec<String>, subresources: Vec<Subresource>
    }
    Subresource { subresource: String, response_kind: Option<Kind>, verbs: Vec<String> }
    Kind { group: String, version: String, kind: String }
}

/// Reads the document of one root.
pub(super) fn read(body: &[u8]) -> Result<Vec<ApiGroup>, serde_json::Error> {
    let list: GroupList = serde_json::from_slice(body)?;
    Ok(list.items.into_iter().map(group).collect())
}

fn group(written: Group) -> ApiGroup {
    let name = written.metadata.name;
    let versions: Vec<ApiVersion> = written
        .versions
        .into_iter()
        .map(|one| version(&name, one))
        .collect();
    let preferred = versions
        .iter()
        .find(|version| !version.stale)
        .or(versions.first());
    let preferred = preferred
        .map(|version| version.version.clone())
        .unwrap_or_default();
    ApiGroup {
        name,
        versions,
        preferred,
    }
}

fn version(group: &str, written: Version) -> ApiVersion {
    let mut out = ApiVersion {
        stale: written.freshness == "Stale",
        version: written.version,
        ..ApiVersion::default()
    };
    for resource in written.resources {
        let namespaced = resource.scope == "Namespaced";
        for part in resource.subresources {
            out.subresources.push(ApiSubresource {
                resource: resource.resource.clone(),
                name: part.subresource,
                kind: kind(group, &out.version, part.response_kind),
                namespaced,
                verbs: part.verbs,
            });
        }
        // Without a kind it is there for its subresources alone.
        if let Some(kind) = kind(group, &out.version, resource.response_kind) {
            out.resources.push(ApiResource {
                plural: resource.resource,
                singular: resource.singular_resource,
                kind,
                namespaced,
                verbs: resource.verbs,
                short_names: resource.short_names,
                categories: resource.categories,
            });
        }
    }
    out
}

fn kind(group: &str, version: &str, written: Option<Kind>) -> Option<GroupVersionKind> {
    let written = written?;
    kind_within(group, version, written.group, written.version, written.kind)
}

/// A kind whose group and version are those of the enclosing group-version where they are empty; `None` without a name.
pub(super) fn kind_within(
    group: &str,
    version: &str,
    own_group: String,
    own_version: String,
    kind: String,
) -> Option<GroupVersionKind> {
    if kind.is_empty() {
        return None;
    }
    let or = |own: String, outer: &str| if own.is_empty() { outer.to_owned() } else { own };
    Some(GroupVersionKind {
        group: or(own_group, group),
        version: or(own_version, version),
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_compared_by_parameters_in_any_order() {
        let rows = [
            (
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                true,
            ),
            (
                "application/json; as=APIGroupDiscoveryList ;v=v2beta1; g=apidiscovery.k8s.io",
                true,
            ),
            (
                "application/json;profile=nopeer;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io;charset=utf-8",
                true,
            ),
            (
                "Application/JSON;G=apidiscovery.k8s.io;V=\"v2\";As=APIGroupDiscoveryList",
                true,
            ),
            ("application/json", false),
            ("", false),
            (
                "application/cbor;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                false,
            ),
            (
                "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList",
                false,
            ),
            (
                "application/json;g=other.k8s.io;v=v2;as=APIGroupDiscoveryList",
                false,
            ),
            ("application/json;g=apidiscovery.k8s.io;v=v2", false),
        ];
        for (header, expected) in rows {
            assert_eq!(is_aggregated(header), expected, "{header}");
        }
    }

    #[test]
    fn empty_group_and_version_of_a_kind_are_those_around_it() {
        let check = |written: [&str; 3], expected: Option<[&str; 3]>| {
            let [group, version, kind] = written.map(str::to_owned);
            let found = kind_within("apps", "v1", group, version, kind);
            assert_eq!(
                found,
                expected.map(|[group, version, kind]| GroupVersionKind::new(group, version, kind))
            );
        };
        check(["", "", "Deployment"], Some(["apps", "v1", "Deployment"]));
        check(
            ["autoscaling", "v1", "Scale"],
            Some(["autoscaling", "v1", "Scale"]),
        );
        check(["", "v2", "Deployment"], Some(["apps", "v2", "Deployment"]));
        check(["apps", "v1", ""], None);
    }
}
