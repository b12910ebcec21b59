//! Mistakes and gaps of upstream documents, put right in one place.
//!
//! Each entry says why, where that can be seen, and for which minors. One that matches nothing within its range is an
//! error: upstream changed, and the entry must be looked at again.

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::parse::{Body, GroupVersion, Model, OperationKey, Shape};

/// One correction.
#[derive(Clone, Copy, Debug)]
pub struct Fixup {
    /// The group that it is about; empty for the core group.
    pub group: &'static str,
    /// The version of the group.
    pub version: &'static str,
    /// What is corrected.
    pub change: Change,
    /// Why.
    pub why: &'static str,
    /// Where that can be seen.
    pub link: &'static str,
    /// The first minor it is for.
    pub since: u32,
    /// The last minor it is for, if upstream corrected it.
    pub until: Option<u32>,
}

/// What a correction does.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// A field whose values must not be shown.
    Sensitive {
        /// The definition.
        definition: &'static str,
        /// The field, by its name in JSON.
        field: &'static str,
    },
    /// What a successful operation returns.
    Result {
        /// The plural.
        resource: &'static str,
        /// The subresource; empty for the resource itself.
        subresource: &'static str,
        /// The HTTP method, in lower case.
        method: &'static str,
        /// The definition that comes back.
        definition: &'static str,
    },
}

const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";

const fn sensitive(
    group: &'static str,
    definition: &'static str,
    field: &'static str,
    link: &'static str,
) -> Fixup {
    Fixup {
        group,
        version: "v1",
        change: Change::Sensitive { definition, field },
        why: "a credential; no document marks it as one",
        link,
        since: 0,
        until: None,
    }
}

const fn returns_status(resource: &'static str, subresource: &'static str, link: &'static str) -> Fixup {
    Fixup {
        group: "",
        version: "v1",
        change: Change::Result {
            resource,
            subresource,
            method: "post",
            definition: STATUS,
        },
        why: "the document names the body as the result; the server answers with a Status",
        link,
        since: 0,
        until: None,
    }
}

/// All corrections.
pub const TABLE: &[Fixup] = &[
    sensitive(
        "",
        "io.k8s.api.core.v1.Secret",
        "data",
        "https://kubernetes.io/docs/concepts/configuration/secret/",
    ),
    sensitive(
        "",
        "io.k8s.api.core.v1.Secret",
        "stringData",
        "https://kubernetes.io/docs/concepts/configuration/secret/",
    ),
    sensitive(
        "authentication.k8s.io",
        "io.k8s.api.authentication.v1.TokenRequestStatus",
        "token",
        "https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/",
    ),
    sensitive(
        "authentication.k8s.io",
        "io.k8s.api.authentication.v1.TokenReviewSpec",
        "token",
        "https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/",
    ),
    returns_status(
        "pods",
        "binding",
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/registry/core/pod/storage/storage.go",
    ),
    returns_status(
        "bindings",
        "",
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/registry/core/pod/storage/storage.go",
    ),
    returns_status(
        "pods",
        "eviction",
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/registry/core/pod/storage/eviction.go",
    ),
];

/// Applies a table to a model.
pub(crate) fn apply(model: &mut Model, table: &[Fixup], report: &mut Report) {
    let minor = model.version.as_ref().map(|version| version.minor);
    for fixup in table {
        let in_range = |minor| minor >= fixup.since && fixup.until.is_none_or(|until| minor <= until);
        if !minor.is_none_or(in_range) || !is_concerned(model, fixup) {
            continue;
        }
        if !change(model, fixup) && minor.is_some() {
            report.push(
                Diagnostic::new(
                    Code::UnusedFixup,
                    Location::default(),
                    format!("a fix-up matches nothing: {:?}", fixup.change),
                )
                .help(format!("it is there because {}; see {}", fixup.why, fixup.link)),
            );
        }
    }
}

/// Whether the sources tell of the API that a correction is about.
fn is_concerned(model: &Model, fixup: &Fixup) -> bool {
    let gv = GroupVersion::new(fixup.group, fixup.version);
    model.operations.keys().any(|key| key.gv == gv)
}

fn change(model: &mut Model, fixup: &Fixup) -> bool {
    match fixup.change {
        Change::Sensitive { definition, field } => {
            let Some(definition) = model.definitions.get_mut(definition) else {
                return false;
            };
            let Shape::Object(object) = &mut definition.schema.shape else {
                return false;
            };
            object
                .properties
                .get_mut(field)
                .map(|field| field.sensitive = true)
                .is_some()
        }
        Change::Result {
            resource,
            subresource,
            method,
            definition,
        } => {
            let key = OperationKey {
                gv: GroupVersion::new(fixup.group, fixup.version),
                resource: resource.to_owned(),
                subresource: (!subresource.is_empty()).then(|| subresource.to_owned()),
                method: method.to_owned(),
                named: !subresource.is_empty(),
            };
            let Some(operation) = model.operations.get_mut(&key) else {
                return false;
            };
            operation.result = Some(Body::Ref(definition.to_owned()));
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(minor: u32) -> Model {
        let mut report = Report::default();
        let mut model = crate::parse::parse(&crate::sources::embedded(), &mut report);
        assert!(report.is_empty(), "{report}");
        model.version.as_mut().unwrap().minor = minor;
        model
    }

    fn unused(model: &mut Model, table: &[Fixup]) -> usize {
        let mut report = Report::default();
        apply(model, table, &mut report);
        assert!(
            report
                .diagnostics()
                .iter()
                .all(|diagnostic| diagnostic.code == Code::UnusedFixup)
        );
        report.diagnostics().len()
    }

    #[test]
    fn one_that_matches_nothing_in_its_range_is_an_error() {
        let table = [Fixup {
            since: 30,
            until: Some(36),
            ..sensitive("", "io.k8s.api.core.v1.Secret", "gone", "https://example.com")
        }];
        for (minor, expected) in [(29, 0), (30, 1), (36, 1), (37, 0)] {
            assert_eq!(unused(&mut model(minor), &table), expected, "{minor}");
        }
        // Documents that do not tell of the group, or not of the version of the server.
        let mut other = model(36);
        other.operations.retain(|key, _| !key.gv.group.is_empty());
        assert_eq!(unused(&mut other, &table), 0);
        let mut unknown = model(36);
        unknown.version = None;
        assert_eq!(unused(&mut unknown, &table), 0);
    }

    #[test]
    fn the_table_is_used_and_explained() {
        assert_eq!(unused(&mut model(37), TABLE), 0);
        assert!(
            TABLE
                .iter()
                .all(|fixup| !fixup.why.is_empty() && fixup.link.starts_with("https://"))
        );
    }
}
