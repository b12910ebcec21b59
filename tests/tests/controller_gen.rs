//! Three kinds, written in Go and in Rust: what controller-gen and `#[derive(Resource)]` make of them, and why they differ
//! where they do.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use kubeloom::Resource;
use kubeloom::crd::CustomResourceDefinition;
use kubeloom::crd::schema::{list_map, preserve_unknown_fields, rule};
use kubeloom::meta::{Condition, LabelSelector, ObjectMeta};
use kubeloom::value::{Duration, IntOrString, Quantity, RawJson, Time};
use kubeloom_tests::go::{self, Program};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Website is a site with replicas.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    short_names("ws"),
    categories("all"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Domain", json_path = .spec.domain),
    rule("self.spec.replicas <= 10", message = "at most 10 replicas")
)]
struct Website {
    metadata: ObjectMeta,
    spec: WebsiteSpec,
    #[serde(default)]
    status: WebsiteStatus,
}

/// WebsiteSpec is what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct WebsiteSpec {
    /// Domain is where it is.
    #[schemars(length(min = 1, max = 253), transform = rule("self == oldSelf").message("a site cannot move"))]
    domain: String,
    #[schemars(range(min = 0))]
    #[serde(default = "one")]
    replicas: i32,
    tier: Tier,
    #[serde(default)]
    #[schemars(transform = list_map(&["name"]))]
    listeners: Vec<Listener>,
}

fn one() -> i32 {
    1
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
enum Tier {
    #[default]
    Front,
    Back,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Listener {
    name: String,
    #[schemars(range(min = 1, max = 65535))]
    port: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<IntOrString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct WebsiteStatus {
    replicas: i32,
    #[schemars(transform = list_map(&["type"]))]
    conditions: Vec<Condition>,
}

/// Backup is a copy that is made now and then.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    status,
    printer_column(name = "Age", json_path = .metadata.creationTimestamp)
)]
struct Backup {
    metadata: ObjectMeta,
    spec: BackupSpec,
    status: Option<BackupStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct BackupSpec {
    source: String,
    size: Quantity,
    #[serde(default)]
    limits: BTreeMap<String, Quantity>,
    interval: Duration,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    selector: Option<LabelSelector>,
    #[serde(default)]
    #[schemars(transform = preserve_unknown_fields())]
    options: RawJson,
    suspend: Option<bool>,
    #[serde(default)]
    include: std::collections::BTreeSet<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BackupStatus {
    last_time: Option<Time>,
    #[serde(default)]
    count: i64,
}

/// Region is a place.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    cluster,
    deprecated = "use zones"
)]
struct Region {
    metadata: ObjectMeta,
    zones: Vec<String>,
    weight: Option<f64>,
    #[serde(default)]
    rates: BTreeMap<String, i64>,
}

/// Places (`*` stands for any text) and why the two differ there.
const REASONS: [(&str, &str); 16] = [
    (
        "*/title",
        "the name of the Rust type, for people and for generators; Go writes none",
    ),
    (
        "*/status/conditions",
        "Go writes an empty status of the definition",
    ),
    (
        "*/status/acceptedNames/*",
        "Go writes an empty status of the definition",
    ),
    (
        "*/status/storedVersions",
        "Go writes an empty status of the definition",
    ),
    (
        "*/nullable",
        "an `Option` reads null, and writes it unless serde skips it; a Go pointer is left out",
    ),
    (
        "*/default",
        "`#[serde(default)]` says what absence means; in Go it is the zero value without saying so",
    ),
    (
        "*/properties/apiVersion/description",
        "texts of Kubernetes' own types are not repeated",
    ),
    (
        "*/properties/kind/description",
        "texts of Kubernetes' own types are not repeated",
    ),
    (
        "*/selector/*description",
        "texts of Kubernetes' own types are not repeated",
    ),
    (
        "*/conditions/items/*description",
        "texts of Kubernetes' own types are not repeated",
    ),
    (
        "*/anyOf/*/type",
        "`x-kubernetes-int-or-string` alone says the same",
    ),
    (
        "*/pattern",
        "quantities: the same texts by a shorter pattern; conditions: markers of Go's type",
    ),
    (
        "*/interval/format",
        "servers check the format of durations; Go leaves it to the controller",
    ),
    ("*/weight/format", "an f64 is a double; Go's float has no format"),
    (
        "*/selector/*",
        "tables of generated types do not have the markers of Go's types: list types, what is required",
    ),
    (
        "*/conditions/items/*",
        "tables of generated types do not have the markers of Go's types: bounds and values",
    ),
];

/// All scalars of a document by their JSON pointers.
fn leaves(at: &str, value: &Value, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                leaves(
                    &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                    value,
                    out,
                );
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                leaves(&format!("{at}/{index}"), value, out);
            }
        }
        scalar => {
            out.insert(at.to_owned(), scalar.to_string());
        }
    }
}

/// The differences of two documents: pointer, ours, theirs.
fn differences(kind: &str, ours: &Value, theirs: &Value) -> Vec<String> {
    let (mut one, mut other) = (BTreeMap::new(), BTreeMap::new());
    leaves(kind, ours, &mut one);
    leaves(kind, theirs, &mut other);
    let places: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let absent = "absent".to_owned();
    places
        .into_iter()
        .filter(|place| one.get(*place) != other.get(*place))
        .map(|place| {
            let (ours, theirs) = (
                one.get(place).unwrap_or(&absent),
                other.get(place).unwrap_or(&absent),
            );
            format!("{place}: {ours}, in Go {theirs}")
        })
        .collect()
}

fn controller_gen() -> Option<Vec<Value>> {
    let program = Program::new("controller-gen", "controller-gen", "-s -w").unwrap();
    if !program.obtainable_or_skip().unwrap() || !go::available() {
        go::skipped("controller_gen");
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("controller-gen");
    let output = Command::new(program.build().unwrap())
        .arg("./kinds")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Of a definition what both write, in one order.
fn plain(definition: &CustomResourceDefinition) -> Value {
    serde_json::to_value(definition).unwrap()
}

#[test]
fn every_difference_has_a_reason() {
    let Some(theirs) = controller_gen() else {
        return;
    };
    let ours = [
        Backup::crd().unwrap(),
        Region::crd().unwrap(),
        Website::crd().unwrap(),
    ];
    assert_eq!(theirs.len(), ours.len());
    let mut used = [false; REASONS.len()];
    let mut unexplained = Vec::new();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        for difference in differences(&ours.spec.names.kind, &plain(ours), theirs) {
            let place = difference.split(": ").next().unwrap_or_default();
            match REASONS.iter().position(|(pattern, _)| matches(pattern, place)) {
                Some(index) => used[index] = true,
                None => unexplained.push(difference),
            }
        }
    }
    assert!(
        unexplained.is_empty(),
        "no reason for:\n{}",
        unexplained.join("\n")
    );
    let idle: Vec<_> = REASONS.iter().zip(used).filter(|(_, used)| !used).collect();
    assert!(idle.is_empty(), "reasons for nothing: {idle:?}");
}

/// Whether a path is that of the pattern, in which `*` stands for any text.
fn matches(pattern: &str, mut place: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(rest) = place.strip_prefix(first) else {
        return false;
    };
    place = rest;
    let parts: Vec<&str> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        if index + 1 == parts.len() {
            return place.ends_with(part);
        }
        match place.find(part) {
            Some(at) => place = &place[at + part.len()..],
            None => return false,
        }
    }
    place.is_empty()
}
