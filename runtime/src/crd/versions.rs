//! Several versions of one kind in one definition.

use std::cmp::Reverse;
use std::fmt;

use super::types::{Conversion, CustomResourceDefinition, WebhookClientConfig, WebhookConversion};
use crate::value::{Map, Str};

/// Definitions that are no versions of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// There are none.
    Empty,
    /// They differ in what a kind has once.
    Differ {
        /// Such as `spec.names.plural`.
        field: &'static str,
        /// Both values.
        values: [String; 2],
    },
    /// A version is there twice.
    Twice(String),
    /// Not one version is stored but none or several: these.
    Storage(Vec<String>),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there are no definitions to merge"),
            Self::Differ {
                field,
                values: [one, other],
            } => {
                write!(f, "the definitions differ in {field}: {one} and {other}")
            }
            Self::Twice(version) => write!(f, "version {version} is there twice"),
            Self::Storage(versions) if versions.is_empty() => {
                f.write_str("no version is stored: one of them must be, so leave out `storage = false` there")
            }
            Self::Storage(versions) => write!(
                f,
                "versions {} are all stored, and only one can be: write `storage = false` on the others",
                versions.join(", ")
            ),
        }
    }
}

impl std::error::Error for MergeError {}

/// One definition of all versions of a kind, newest and most stable first, of which exactly one is stored.
///
/// Names that only some versions have (short names, categories) and labels and annotations are put together.
///
/// # Errors
/// Definitions of different kinds, a version that is there twice, and none or several stored versions.
pub fn merge(
    definitions: impl IntoIterator<Item = CustomResourceDefinition>,
) -> Result<CustomResourceDefinition, MergeError> {
    let mut definitions = definitions.into_iter();
    let mut merged = definitions.next().ok_or(MergeError::Empty)?;
    for other in definitions {
        add(&mut merged, other)?;
    }
    let versions = &mut merged.spec.versions;
    versions.sort_by_cached_key(|version| Reverse(Priority::of(&version.name)));
    if let Some(pair) = versions.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(MergeError::Twice(pair[0].name.to_string()));
    }
    let stored: Vec<String> = versions
        .iter()
        .filter(|version| version.storage)
        .map(|version| version.name.to_string())
        .collect();
    if stored.len() == 1 {
        Ok(merged)
    } else {
        Err(MergeError::Storage(stored))
    }
}

fn add(merged: &mut CustomResourceDefinition, other: CustomResourceDefinition) -> Result<(), MergeError> {
    let (ours, theirs) = (&merged.spec, &other.spec);
    for (field, one, other) in [
        ("spec.group", &ours.group, &theirs.group),
        ("spec.scope", &ours.scope, &theirs.scope),
        ("spec.names.kind", &ours.names.kind, &theirs.names.kind),
        ("spec.names.plural", &ours.names.plural, &theirs.names.plural),
        (
            "spec.names.singular",
            &ours.names.singular,
            &theirs.names.singular,
        ),
    ] {
        same(field, one, other)?;
    }
    pairs(
        "metadata.labels",
        &mut merged.metadata.labels,
        other.metadata.labels,
    )?;
    pairs(
        "metadata.annotations",
        &mut merged.metadata.annotations,
        other.metadata.annotations,
    )?;
    let names = &mut merged.spec.names;
    for (all, more) in [
        (&mut names.short_names, other.spec.names.short_names),
        (&mut names.categories, other.spec.names.categories),
    ] {
        for name in more {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    merged.spec.conversion = merged.spec.conversion.take().or(other.spec.conversion);
    merged.spec.versions.extend(other.spec.versions);
    Ok(())
}

fn same(field: &'static str, one: &str, other: &str) -> Result<(), MergeError> {
    if one == other {
        return Ok(());
    }
    Err(MergeError::Differ {
        field,
        values: [one.to_owned(), other.to_owned()],
    })
}

fn pairs(field: &'static str, all: &mut Map<Str>, more: Map<Str>) -> Result<(), MergeError> {
    for (key, value) in more {
        if let Some(known) = all.get(&key) {
            same(field, known, &value)?;
        }
        all.insert(key, value);
    }
    Ok(())
}

/// The order of versions: `v2` before `v1` before `v2beta1` before `v1alpha1`, others last and by name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    Other(Reverse<String>),
    Known { stability: u8, major: u32, minor: u32 },
}

impl Priority {
    fn of(version: &str) -> Self {
        Self::parse(version).unwrap_or_else(|| Self::Other(Reverse(version.to_owned())))
    }

    fn parse(version: &str) -> Option<Self> {
        let rest = version.strip_prefix('v')?;
        let digits = rest.find(|one: char| !one.is_ascii_digit()).unwrap_or(rest.len());
        let major = rest[..digits].parse().ok()?;
        let (stability, minor) = match &rest[digits..] {
            "" => (2, 0),
            rest => match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
                (Some(minor), _) => (1, minor.parse().ok()?),
                (_, Some(minor)) => (0, minor.parse().ok()?),
                _ => return None,
            },
        };
        Some(Self::Known {
            stability,
            major,
            minor,
        })
    }
}

impl CustomResourceDefinition {
    /// The same definition, with objects converted between versions by a webhook (which
    /// `kubeloom::webhook::Converter` answers for).
    #[must_use]
    pub fn with_conversion_webhook(mut self, config: WebhookClientConfig) -> Self {
        self.spec.conversion = Some(Box::new(Conversion {
            strategy: "Webhook".into(),
            webhook: Some(Box::new(WebhookConversion {
                client_config: Some(Box::new(config)),
                conversion_review_versions: vec!["v1".into()],
            })),
        }));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crd::Version;

    fn definition(name: &str, storage: bool) -> CustomResourceDefinition {
        let mut definition = CustomResourceDefinition::default();
        definition.spec.group = "example.com".into();
        definition.spec.names.short_names = vec![name.into()];
        definition.metadata.labels.insert(name.into(), "x".into());
        definition.spec.versions.push(Version {
            name: name.into(),
            storage,
            ..Version::default()
        });
        definition
    }

    #[test]
    fn versions_come_newest_and_most_stable_first() {
        let names = [
            "v1", "foo", "v2beta1", "v10", "v2", "v1alpha1", "bar", "v2beta2", "v1beta",
        ];
        let merged = merge(names.map(|name| definition(name, name == "v1"))).unwrap();
        let order: Vec<&str> = merged.spec.versions.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            order,
            [
                "v10", "v2", "v1", "v2beta2", "v2beta1", "v1alpha1", "bar", "foo", "v1beta"
            ]
        );
        assert_eq!(merged.spec.names.short_names.len(), 9);
        assert_eq!(merged.metadata.labels.len(), 9);
    }

    #[test]
    fn what_is_no_kind_in_versions_is_refused() {
        let of = |all: &[(&str, bool)]| merge(all.iter().map(|(name, storage)| definition(name, *storage)));
        assert_eq!(of(&[]).unwrap_err(), MergeError::Empty);
        assert_eq!(
            of(&[("v1", true), ("v1", false)]).unwrap_err(),
            MergeError::Twice("v1".into())
        );
        assert!(
            of(&[("v1", false)])
                .unwrap_err()
                .to_string()
                .contains("no version is stored")
        );
        let both = of(&[("v1", true), ("v2", true)]).unwrap_err().to_string();
        assert!(both.contains("v2, v1 are all stored"), "{both}");
        let mut other = definition("v2", false);
        other.spec.names.plural = "things".into();
        let error = merge([definition("v1", true), other]).unwrap_err().to_string();
        assert!(error.contains("spec.names.plural"), "{error}");
        let mut other = definition("v2", false);
        other.metadata.labels.insert("v1".into(), "y".into());
        assert!(merge([definition("v1", true), other]).is_err());
    }
}
