//! What is in one JSON value and not in another.

use serde_json::Value as Json;

/// Fields whose value the server chooses anew with each request.
const CHOSEN: &[&str] = &[
    "clusterIP",
    "clusterIPs[0]",
    "controller-uid",
    "healthCheckNodePort",
    "lastPhaseTransitionTime",
    "nodePort",
    "timeAdded",
];

/// Whether a line of [`differences`] is about a value that the server chooses.
pub(super) fn is_chosen(line: &str) -> bool {
    line.split_once(": ")
        .is_some_and(|(path, _)| CHOSEN.iter().any(|name| path.ends_with(name)))
}

/// Fields that servers take and do not keep, with the reason.
const EXPECTED: &[(&str, &str)] = &[
    // Never kept since dynamic kubelet configuration is gone.
    ("Node", "spec.configSource"),
    ("Node", "status.config"),
    // Write-only; becomes data.
    ("Secret", "stringData"),
    // References of which only the name is kept.
    ("ServiceAccount", "secrets[1]."),
    // The v1beta1 topology, which v1 takes on conversion only.
    ("EndpointSlice", "endpoints[0].deprecatedTopology"),
    // What the server knows about the requester is never taken from the request.
    ("CertificateSigningRequest", "spec.extra.ignored"),
    ("CertificateSigningRequest", "spec.uid"),
];

/// Kinds with raw JSON as it was written: the server's JSON writes `<` in it as `\u003c`, its protobuf as it is, and both are
/// kept to the byte, so the protobuf of what was read from JSON is equal in meaning only.
pub(super) const KEEPS_JSON_TEXT: &[&str] = &["ControllerRevision"];

/// Whether the server is known not to keep the field.
pub(super) fn is_expected(kind: &str, path: &str) -> bool {
    EXPECTED
        .iter()
        .any(|(of, prefix)| *of == kind && path.starts_with(prefix))
}

/// Paths of the values in `wanted` that `found` has nothing for. Empty and zero values may go without saying.
pub(super) fn fields(wanted: &Json, found: &Json) -> Vec<String> {
    let mut paths = Vec::new();
    walk(wanted, found, "", &mut |path, wanted, found| {
        if !is_empty(wanted) && found.is_none() {
            paths.push(path.to_owned());
        }
    });
    paths
}

/// The values that differ, with their paths.
pub(super) fn differences(left: &Json, right: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    walk(left, right, "", &mut |path, left, right| {
        if Some(left) != right {
            lines.push(format!(
                "{path}: {left} / {}",
                right.map_or("absent".to_owned(), Json::to_string)
            ));
        }
    });
    walk(right, left, "", &mut |path, right, left| {
        if left.is_none() {
            lines.push(format!("{path}: absent / {right}"));
        }
    });
    lines
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::Bool(true) => false,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.values().all(is_empty),
    }
}

fn walk(left: &Json, right: &Json, path: &str, judge: &mut impl FnMut(&str, &Json, Option<&Json>)) {
    match (left, right) {
        (Json::Object(fields), Json::Object(others)) => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                match others.get(name) {
                    Some(other) => walk(value, other, &path, judge),
                    None => judge(&path, value, None),
                }
            }
        }
        (Json::Array(items), Json::Array(others)) => {
            for (index, value) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                match others.get(index) {
                    Some(other) => walk(value, other, &path, judge),
                    None => judge(&path, value, None),
                }
            }
        }
        _ => judge(path, left, Some(right)),
    }
}
