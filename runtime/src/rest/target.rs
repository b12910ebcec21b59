//! Where a resource lives: the path below the server's URL.

use std::borrow::Cow;
use std::fmt;

use crate::resource::Resource;

/// Group, version and plural of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionResource {
    /// The group; empty for the core group.
    pub group: Cow<'static, str>,
    /// The version.
    pub version: Cow<'static, str>,
    /// The plural.
    pub resource: Cow<'static, str>,
}

impl GroupVersionResource {
    /// The resource of a kind.
    pub const fn of<K: Resource>() -> Self {
        Self {
            group: Cow::Borrowed(K::GROUP),
            version: Cow::Borrowed(K::VERSION),
            resource: Cow::Borrowed(K::PLURAL),
        }
    }

    /// A resource known by name at run time.
    pub fn new(group: impl Into<String>, version: impl Into<String>, resource: impl Into<String>) -> Self {
        Self {
            group: Cow::Owned(group.into()),
            version: Cow::Owned(version.into()),
            resource: Cow::Owned(resource.into()),
        }
    }
}

impl fmt::Display for GroupVersionResource {
    /// `pods`, `deployments.apps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.resource)
        } else {
            write!(f, "{}.{}", self.resource, self.group)
        }
    }
}

/// Group, version and kind of an object.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct GroupVersionKind {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl GroupVersionKind {
    /// A kind known by name at run time.
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }
    }

    /// The kind of a resource.
    pub fn of<K: Resource>() -> Self {
        Self::new(K::GROUP, K::VERSION, K::KIND)
    }

    /// The kind that an object's `apiVersion` and `kind` say.
    pub fn of_object(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self::new(group, version, kind)
    }

    /// `group/version`, or the version alone for the core group.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }
}

impl fmt::Display for GroupVersionKind {
    /// `v1 Pod`, `apps/v1 Deployment`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version(), self.kind)
    }
}

/// `group/version`, or the version alone for the core group.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

/// A resource, in one namespace or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The resource.
    pub resource: GroupVersionResource,
    /// The namespace; `None` for cluster scope and for all namespaces.
    pub namespace: Option<String>,
    /// Whether a namespace must be named: what is asked of one namespace is never asked of all by an empty name.
    pub namespaced: bool,
}

/// A path and the same path with its variable segments named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) path: String,
    pub(crate) template: String,
}

impl Path {
    fn fixed(&mut self, segment: &str) {
        for text in [&mut self.path, &mut self.template] {
            text.push('/');
            text.push_str(segment);
        }
    }

    fn variable(&mut self, what: &str, placeholder: &str, value: &str) -> Result<(), String> {
        check_segment(what, value)?;
        self.path.push('/');
        self.path
            .extend(percent_encoding::utf8_percent_encode(value, SEGMENT));
        self.template.push('/');
        self.template.push_str(placeholder);
        Ok(())
    }
}

/// What stays as it is in a path segment: RFC 3986's unreserved characters and the sub-delimiters, colon and at sign
/// that a segment may hold. RBAC names such as `system:node` stay readable.
const SEGMENT: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// Refuses what would make another path of it: nothing, `.`, `..`, and anything with `/` or `%`.
fn check_segment(what: &str, value: &str) -> Result<(), String> {
    match value {
        "" => Err(format!("{what} is required and empty here")),
        "." | ".." => Err(format!("{what} may not be {value:?}")),
        _ if value.contains(['/', '%']) => Err(format!("{what} {value:?} may not contain '/' or '%'")),
        _ => Ok(()),
    }
}

impl Target {
    /// The path of the collection, of one object or of a subresource.
    pub(crate) fn path(&self, name: Option<&str>, subresource: &str) -> Result<Path, String> {
        let resource = &self.resource;
        // Longer ones grow.
        let mut path = Path {
            path: String::with_capacity(128),
            template: String::with_capacity(64),
        };
        if resource.group.is_empty() {
            path.fixed("api");
        } else {
            path.fixed("apis");
            check_segment("the group", &resource.group)?;
            path.fixed(&resource.group);
        }
        check_segment("the version", &resource.version)?;
        path.fixed(&resource.version);
        if let Some(namespace) = &self.namespace {
            path.fixed("namespaces");
            path.variable("the namespace", "{namespace}", namespace)?;
        } else if self.namespaced {
            return Err("the namespace is required".to_owned());
        }
        check_segment("the resource", &resource.resource)?;
        path.fixed(&resource.resource);
        if let Some(name) = name {
            path.variable("the name", "{name}", name)?;
        }
        if !subresource.is_empty() {
            for segment in subresource.split('/') {
                path.variable("the subresource", segment, segment)?;
            }
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(group: &str, namespace: Option<&str>) -> Target {
        Target {
            resource: GroupVersionResource::new(group.to_owned(), "v1", "things"),
            namespace: namespace.map(str::to_owned),
            namespaced: namespace.is_some(),
        }
    }

    #[test]
    fn paths_and_templates() {
        let rows = [
            ("", None, None, "", "/api/v1/things", "/api/v1/things"),
            (
                "",
                Some("web"),
                Some("a"),
                "",
                "/api/v1/namespaces/web/things/a",
                "/api/v1/namespaces/{namespace}/things/{name}",
            ),
            (
                "apps",
                None,
                Some("a:b"),
                "scale",
                "/apis/apps/v1/things/a:b/scale",
                "/apis/apps/v1/things/{name}/scale",
            ),
            (
                "apps",
                None,
                Some("ä?b#c d"),
                "",
                "/apis/apps/v1/things/%C3%A4%3Fb%23c%20d",
                "/apis/apps/v1/things/{name}",
            ),
        ];
        for (group, namespace, name, subresource, path, template) in rows {
            let built = target(group, namespace).path(name, subresource).unwrap();
            assert_eq!((built.path.as_str(), built.template.as_str()), (path, template));
        }
    }

    #[test]
    fn names_that_would_change_the_request_are_refused() {
        for name in ["", ".", "..", "a/status", "../secrets/y", "a%2fb"] {
            assert!(target("", Some("web")).path(Some(name), "").is_err(), "{name:?}");
            assert!(target("", Some(name)).path(Some("fine"), "").is_err(), "{name:?}");
        }
        let mut missing = target("", None);
        missing.namespaced = true;
        assert!(missing.path(Some("a"), "").unwrap_err().contains("namespace"));
    }
}
