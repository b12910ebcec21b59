//! Which group-versions are wanted.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::parse::{GroupVersion, Model};

/// The group-versions that the words name; all that discovery lists if there are none.
///
/// A word is a group or a group-version: `apps`, `apps/v1`, `core/v1`, `v1`, `networking.k8s.io/v1`, and the first label
/// of a group for short (`networking/v1`).
pub(super) fn select(model: &Model, words: &[String], report: &mut Report) -> BTreeSet<GroupVersion> {
    // What was wrong with the sources is said already.
    let silent = report.has_errors();
    if model.groups.is_empty() && !silent {
        report.push(
            Diagnostic::new(Code::Incomplete, Location::default(), "no source says which resources there are").help(
                "add the discovery documents (`/apis` and `/api`), or take a snapshot with `kubeloom snapshot --out DIR`",
            ),
        );
    }
    if model.definitions.is_empty() && !silent {
        report.push(
            Diagnostic::new(Code::Incomplete, Location::default(), "no source holds schemas")
                .help("add OpenAPI documents, or take a snapshot with `kubeloom snapshot --out DIR`"),
        );
    }
    if words.is_empty() {
        return model.groups.keys().cloned().collect();
    }
    let mut wanted = BTreeSet::new();
    for word in words {
        let before = wanted.len();
        let matching = model.groups.keys().filter(|gv| is_named(gv, word));
        let found: Vec<_> = matching.cloned().collect();
        if found.is_empty() {
            let known: Vec<_> = model.groups.keys().map(ToString::to_string).collect();
            report.push(
                Diagnostic::new(
                    Code::UnknownGroup,
                    Location::default(),
                    format!("{word:?} names no group-version of these sources"),
                )
                .help(format!("known: {}", known.join(", "))),
            );
        }
        wanted.extend(found);
        debug_assert!(wanted.len() >= before);
    }
    wanted
}

fn is_named(gv: &GroupVersion, word: &str) -> bool {
    let (group, version) = match word.split_once('/') {
        Some((group, version)) => (group, Some(version)),
        None if gv.group.is_empty() && word == gv.version => return true,
        None => (word, None),
    };
    let first_label = gv.group.split('.').next().unwrap_or_default();
    let same_group = match gv.group.is_empty() {
        true => group == "core",
        false => group == gv.group || group == first_label,
    };
    same_group && version.is_none_or(|version| version == gv.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_groups() {
        let (core, apps, networking) = (
            GroupVersion::new("", "v1"),
            GroupVersion::new("apps", "v1"),
            GroupVersion::new("networking.k8s.io", "v1"),
        );
        for (gv, word, expected) in [
            (&core, "core/v1", true),
            (&core, "core", true),
            (&core, "v1", true),
            (&core, "core/v2", false),
            (&core, "/v1", false),
            (&core, "", false),
            (&apps, "v1", false),
            (&apps, "apps", true),
            (&apps, "apps/v1", true),
            (&apps, "apps/v1/", false),
            (&networking, "networking/v1", true),
            (&networking, "networking.k8s.io/v1", true),
            (&networking, "networking.k8s", false),
        ] {
            assert_eq!(is_named(gv, word), expected, "{gv} {word:?}");
        }
    }
}
