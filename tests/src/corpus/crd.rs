//! CustomResourceDefinitions with deep schemas.

use serde_json::{Map, Value, json};

use super::managed;
use super::random::Random;

/// A definition with one or two versions; some tens of kilobytes, as those of operators are.
pub(super) fn crd(index: usize) -> Value {
    let mut random = Random::new(0xc2d + index as u64);
    let kind = format!("Thing{index}");
    let (singular, plural) = (format!("thing{index}"), format!("thing{index}s"));
    let group = format!("{}.example.com", random.word());
    let count = random.between(1, 2);
    let versions: Vec<Value> = (1..=count)
        .map(|at| version(&mut random, at, at == count))
        .collect();
    let names =
        json!({"plural": plural, "singular": singular, "kind": kind, "listKind": format!("{kind}List")});
    let conditions = ["NamesAccepted", "Established"].map(|kind| json!({
        "type": kind, "status": "True", "lastTransitionTime": "2026-10-01T10:00:00Z", "reason": "NoConflicts",
        "message": "no conflicts found",
    }));
    let mut crd = json!({
        "metadata": {
            "name": format!("{plural}.{group}"), "uid": random.uid(), "resourceVersion": "77", "generation": 1,
            "creationTimestamp": random.time(), "annotations": {"controller-gen.kubebuilder.io/version": "v0.17.0"},
        },
        "spec": {
            "group": group, "names": names, "scope": "Namespaced", "versions": versions,
            "conversion": {"strategy": "None"},
        },
        "status": {"conditions": conditions, "acceptedNames": names, "storedVersions": ["v1"]},
    });
    managed::add(
        &mut crd,
        "apiextensions.k8s.io/v1",
        "helm",
        "kube-apiserver",
        "2026-10-01T10:00:00Z",
    );
    crd
}

fn version(random: &mut Random, number: usize, stored: bool) -> Value {
    json!({
        "name": format!("v{number}"), "served": true, "storage": stored,
        "schema": {"openAPIV3Schema": {
            "description": random.words(12), "type": "object", "required": ["spec"],
            "properties": {
                "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
                "spec": object(random, 0), "status": object(random, 2),
            },
        }},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
            {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status", "priority": 1},
        ],
    })
}

fn object(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    for _ in 0..random.between(3, 9) {
        properties.insert(
            format!("{}{}", random.word(), random.below(100)),
            schema(random, depth + 1),
        );
    }
    let required: Vec<&String> = properties.keys().take(1).collect();
    json!({"description": random.words(10), "type": "object", "required": required, "properties": properties})
}

fn schema(random: &mut Random, depth: usize) -> Value {
    let words = random.between(5, 40);
    let mut schema = match random.below(if depth < 5 { 10 } else { 6 }) {
        0 => json!({"type": "boolean", "default": random.chance(50)}),
        1 => json!({"type": "integer", "format": "int32", "minimum": random.below(5), "maximum": 65_535}),
        2 => {
            json!({"type": "string", "enum": [random.word(), random.word(), random.word()], "default": random.word()})
        }
        3 => json!({
            "anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true,
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
        }),
        4 => json!({"type": "string", "minLength": 1, "maxLength": 253}),
        5 => {
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": {"a": [1, 2.5, null]}})
        }
        6 => json!({"type": "object", "additionalProperties": schema(random, depth + 1)}),
        7 => json!({"type": "array", "items": schema(random, depth + 1), "x-kubernetes-list-type": "atomic"}),
        _ => object(random, depth),
    };
    schema["description"] = json!(random.words(words));
    if random.chance(10) {
        schema["x-kubernetes-validations"] = json!([{"rule": "self == oldSelf", "message": random.words(6)}]);
    }
    schema
}
