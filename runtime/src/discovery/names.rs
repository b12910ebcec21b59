//! Which resource a name or a kind means. No network and no clock: the same discovery always gives the same answers.

use std::collections::BTreeSet;
use std::fmt;

use super::types::{ApiResource, ApiVersion, Discovered};
use crate::error::Error;
use crate::rest::{GroupVersionKind, GroupVersionResource, api_version};

/// A resource and the kind of its objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RestMapping {
    /// The resource.
    pub resource: GroupVersionResource,
    /// The kind of its objects.
    pub kind: GroupVersionKind,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

/// A resource as people write it: `deploy`, `deployments.apps`, `deployment.v1.apps`, `hpa.autosc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceArg {
    name: String,
    rest: Option<String>,
}

/// What a name means, and what else has that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// What it means.
    pub mapping: RestMapping,
    /// Resources of the same name in groups further back, which the first one hides.
    pub hidden: Vec<RestMapping>,
}

/// A name or a kind that means no resource, or several.
#[derive(Debug)]
#[non_exhaustive]
pub enum MapError {
    /// The server has nothing of that name.
    NoMatch {
        /// What was looked for.
        what: String,
        /// Group-versions that might have it, but could not be read.
        unknown: Vec<String>,
    },
    /// There are several, and nothing says which one is meant.
    Ambiguous {
        /// What was looked for.
        what: String,
        /// All that match, best first.
        matches: Vec<GroupVersionResource>,
    },
    /// The server could not be asked.
    Discovery(Error),
}

impl MapError {
    /// The server has nothing of that name.
    pub fn is_no_match(&self) -> bool {
        matches!(self, Self::NoMatch { .. })
    }

    /// There are several, and nothing says which one is meant.
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::Ambiguous { .. })
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMatch { what, unknown } => {
                write!(f, "the server has no resource {what}")?;
                if !unknown.is_empty() {
                    write!(f, "; not known is what it has in {}", unknown.join(", "))?;
                }
                Ok(())
            }
            Self::Ambiguous { what, matches } => {
                write!(f, "{what} may be any of")?;
                for (index, one) in matches.iter().enumerate() {
                    let separator = if index == 0 { " " } else { ", " };
                    write!(
                        f,
                        "{separator}{} {}",
                        api_version(&one.group, &one.version),
                        one.resource
                    )?;
                }
                Ok(())
            }
            Self::Discovery(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MapError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Discovery(error) => error.source(),
            _ => None,
        }
    }
}

impl From<Error> for MapError {
    fn from(error: Error) -> Self {
        Self::Discovery(error)
    }
}

impl ResourceArg {
    /// Reads what a person wrote. Case does not count.
    pub fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        match text.split_once('.') {
            Some((name, rest)) => Self {
                name: name.to_owned(),
                rest: Some(rest.to_owned()),
            },
            None => Self {
                name: text,
                rest: None,
            },
        }
    }

    /// The name without group and version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The readings, best first: `a.b.c` is version `b` of group `c`, or group `b.c`; one without a group is of any.
    fn readings(&self) -> Vec<Wanted<'_>> {
        let any = Wanted {
            group: None,
            version: None,
        };
        match self.rest.as_deref() {
            None | Some("") => vec![any],
            Some(rest) => {
                let whole = Wanted {
                    group: Some(rest),
                    version: None,
                };
                match rest.split_once('.') {
                    Some((version, group)) => vec![
                        Wanted {
                            group: Some(group),
                            version: Some(version),
                        },
                        whole,
                    ],
                    None => vec![whole],
                }
            }
        }
    }
}

impl fmt::Display for ResourceArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rest {
            Some(rest) => write!(f, "{}.{rest}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// One reading of the qualifiers of a [`ResourceArg`].
#[derive(Clone, Copy)]
struct Wanted<'a> {
    group: Option<&'a str>,
    version: Option<&'a str>,
}

/// How the group must agree.
#[derive(Clone, Copy)]
enum GroupMatch {
    Exact,
    Prefix,
}

/// The names of all resources of a server, by priority: the core group, then the groups in the server's order; within a
/// group the preferred version first.
#[derive(Clone, Debug, Default)]
pub struct ResourceNames {
    entries: Vec<Entry>,
    unknown: Vec<String>,
}

#[derive(Clone, Debug)]
struct Entry {
    mapping: RestMapping,
    singular: String,
    short_names: Vec<String>,
    categories: Vec<String>,
}

impl Entry {
    fn new(group: &str, version: &ApiVersion, resource: &ApiResource) -> Self {
        // Servers before 1.27 give no singular; it is then the kind in lower case, as in kubectl.
        let singular = match resource.singular.as_str() {
            "" => resource.kind.kind.to_lowercase(),
            singular => singular.to_owned(),
        };
        Self {
            mapping: RestMapping {
                resource: GroupVersionResource::new(group, &*version.version, &*resource.plural),
                kind: resource.kind.clone(),
                namespaced: resource.namespaced,
            },
            singular,
            short_names: resource.short_names.clone(),
            categories: resource.categories.clone(),
        }
    }

    fn group(&self) -> &str {
        &self.mapping.resource.group
    }

    fn is_within(&self, wanted: Wanted<'_>, how: GroupMatch) -> bool {
        let version = wanted
            .version
            .is_none_or(|version| version == self.mapping.resource.version);
        version
            && wanted.group.is_none_or(|group| match how {
                GroupMatch::Exact => self.group() == group,
                GroupMatch::Prefix => self.group().starts_with(group),
            })
    }
}

impl ResourceNames {
    /// The names of what was discovered. Resources of stale group-versions are among them.
    pub fn new(discovered: &Discovered) -> Self {
        let mut entries = Vec::new();
        for group in &discovered.groups {
            for version in group.by_preference() {
                entries.extend(
                    version
                        .resources
                        .iter()
                        .map(|one| Entry::new(&group.name, version, one)),
                );
            }
        }
        let unknown = discovered.failures.iter();
        let unknown = unknown
            .map(|failure| api_version(&failure.group, &failure.version))
            .collect();
        Self { entries, unknown }
    }

    /// What a person means by a name: a plural or singular, else a short name; with or without version and group, of
    /// which the beginning is enough. Without a group the first one that has it wins, as in kubectl.
    ///
    /// # Errors
    /// [`MapError::NoMatch`]; [`MapError::Ambiguous`] if the beginning of a group is that of several which have it.
    pub fn resolve(&self, arg: &ResourceArg) -> Result<Resolved, MapError> {
        let is_name =
            |entry: &Entry| entry.mapping.resource.resource == *arg.name || entry.singular == arg.name;
        let is_short = |entry: &Entry| entry.short_names.contains(&arg.name);
        for wanted in arg.readings() {
            // A name beats a short name of another resource, wherever both are.
            for (is_named, how) in [
                (&is_name as &dyn Fn(&Entry) -> bool, GroupMatch::Exact),
                (&is_short, GroupMatch::Exact),
                (&is_name, GroupMatch::Prefix),
                (&is_short, GroupMatch::Prefix),
            ] {
                let found: Vec<&Entry> = self
                    .entries
                    .iter()
                    .filter(|entry| entry.is_within(wanted, how) && is_named(entry))
                    .collect();
                let several = || found.iter().any(|entry| entry.group() != found[0].group());
                match how {
                    _ if found.is_empty() => {}
                    GroupMatch::Prefix if several() => return Err(self.ambiguous(arg, &found)),
                    _ => return Ok(resolved(&found)),
                }
            }
        }
        Err(self.no_match(arg))
    }

    /// The resource of a kind: in this version, or without one in the preferred version of the group or else in the
    /// first that has it.
    ///
    /// # Errors
    /// [`MapError::NoMatch`]; [`MapError::Ambiguous`] if several resources have objects of the kind.
    pub fn kind(&self, group: &str, version: Option<&str>, kind: &str) -> Result<RestMapping, MapError> {
        let mut found = self.entries.iter().filter(|entry| {
            let own = &entry.mapping.kind;
            own.group == group && own.kind == kind && version.is_none_or(|version| own.version == version)
        });
        let what = || match version {
            Some(version) => format!("of kind {}", GroupVersionKind::new(group, version, kind)),
            None if group.is_empty() => format!("of kind {kind}"),
            None => format!("of kind {kind}.{group}"),
        };
        let first = found.next().ok_or_else(|| self.no_match(what()))?;
        let mut others = found
            .filter(|entry| entry.mapping.kind == first.mapping.kind)
            .peekable();
        if others.peek().is_some() {
            let matches: Vec<&Entry> = std::iter::once(first).chain(others).collect();
            return Err(self.ambiguous(what(), &matches));
        }
        Ok(first.mapping.clone())
    }

    /// The kind of a resource whose names are all known.
    ///
    /// # Errors
    /// [`MapError::NoMatch`].
    pub fn resource(&self, resource: &GroupVersionResource) -> Result<RestMapping, MapError> {
        let found = self
            .entries
            .iter()
            .find(|entry| entry.mapping.resource == *resource);
        let what = || {
            format!(
                "{} {}",
                api_version(&resource.group, &resource.version),
                resource.resource
            )
        };
        found
            .map(|entry| entry.mapping.clone())
            .ok_or_else(|| self.no_match(what()))
    }

    /// The resources of a category such as `all`, each once, in the order of priority.
    pub fn category(&self, category: &str) -> Vec<RestMapping> {
        let found = self
            .entries
            .iter()
            .filter(|entry| entry.categories.iter().any(|one| one == category));
        each_once(found).map(|entry| entry.mapping.clone()).collect()
    }

    /// The singular of a resource.
    pub fn singular(&self, resource: &GroupVersionResource) -> Option<&str> {
        let found = self
            .entries
            .iter()
            .find(|entry| entry.mapping.resource == *resource);
        found.map(|entry| entry.singular.as_str())
    }

    pub(crate) fn no_match(&self, what: impl fmt::Display) -> MapError {
        MapError::NoMatch {
            what: what.to_string(),
            unknown: self.unknown.clone(),
        }
    }

    fn ambiguous(&self, what: impl fmt::Display, found: &[&Entry]) -> MapError {
        MapError::Ambiguous {
            what: what.to_string(),
            matches: found.iter().map(|entry| entry.mapping.resource.clone()).collect(),
        }
    }
}

/// The first of some matches, which are not none, and the other resources among them.
fn resolved(found: &[&Entry]) -> Resolved {
    let mut once = each_once(found.iter().copied()).map(|entry| entry.mapping.clone());
    let mapping = once.next().unwrap_or_else(|| found[0].mapping.clone());
    Resolved {
        mapping,
        hidden: once.collect(),
    }
}

/// Drops what is there in an earlier version.
fn each_once<'a>(entries: impl Iterator<Item = &'a Entry>) -> impl Iterator<Item = &'a Entry> {
    let mut seen = BTreeSet::new();
    entries.filter(move |entry| {
        let GroupVersionResource { group, resource, .. } = &entry.mapping.resource;
        seen.insert((group.as_ref(), resource.as_ref()))
    })
}
