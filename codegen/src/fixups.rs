//! Mistakes and gaps of upstream documents, put right in one place.
//!
//! Each entry says why, where that can be seen, and for which minors. One that matches nothing within its range is an
//! error: upstream changed, and the entry must be looked at again.

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::parse::{Body, GroupVersion, Model, OperationKey, Shape};

/// One correction.
#[derive(Clone, Copy, Debug)]
pub struct Fixup {
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
        /// The group; empty for the core group.
        group: &'static str,
        /// The version.
        version: &'static str,
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

const fn sensitive(definition: &'static str, field: &'static str, link: &'static str) -> Fixup {
    Fixup {
        change: Change::Sensitive { definition, field },
        why: "a credential; no document marks it as one",
        link,
        since: 0,
        until: None,
    }
}

const fn returns_status(resource: &'static str, subresource: &'static str, link: &'static str) -> Fixup {
    Fixup {
        change: Change::Result {
            group: "",
            version: "v1",
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
        "io.k8s.api.core.v1.Secret",
        "data",
        "https://kubernetes.io/docs/concepts/configuration/secret/",
    ),
    sensitive(
        "io.k8s.api.core.v1.Secret",
        "stringData",
        "https://kubernetes.io/docs/concepts/configuration/secret/",
    ),
    sensitive(
        "io.k8s.api.authentication.v1.TokenRequestStatus",
        "token",
        "https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/",
    ),
    sensitive(
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
        if !minor.is_none_or(in_range) || !is_concerned(model, &fixup.change) {
            continue;
        }
        if !change(model, &fixup.change) && minor.is_some() {
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
fn is_concerned(model: &Model, change: &Change) -> bool {
    match change {
        Change::Sensitive { definition, .. } => {
            let package = package(definition);
            model
                .definitions
                .keys()
                .any(|name| self::package(name) == package)
        }
        Change::Result { group, version, .. } => {
            let gv = GroupVersion::new(group, version);
            model.operations.keys().any(|key| key.gv == gv)
        }
    }
}

fn package(definition: &str) -> &str {
    definition.rsplit_once('.').map_or("", |(package, _)| package)
}

fn change(model: &mut Model, change: &Change) -> bool {
    match *change {
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
            group,
            version,
            resource,
            subresource,
            method,
            definition,
        } => {
            let key = OperationKey {
                gv: GroupVersion::new(group, version),
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
