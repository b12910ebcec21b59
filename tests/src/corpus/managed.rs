//! The `managedFields` that a server would have recorded: a set of field paths made from the object itself.

use serde_json::{Map, Value, json};

/// Lists that are maps on the server, and the fields that are their keys.
const KEYS: [(&str, &[&str]); 15] = [
    ("addresses", &["type"]),
    ("conditions", &["type"]),
    ("containers", &["name"]),
    ("env", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("hostAliases", &["ip"]),
    ("hostIPs", &["ip"]),
    ("imagePullSecrets", &["name"]),
    ("initContainers", &["name"]),
    ("ownerReferences", &["uid"]),
    ("podIPs", &["ip"]),
    ("ports", &["containerPort", "protocol"]),
    ("topologySpreadConstraints", &["topologyKey", "whenUnsatisfiable"]),
    ("volumeMounts", &["mountPath"]),
    ("volumes", &["name"]),
];
/// Metadata that the server sets and nobody manages.
const OF_THE_SERVER: [&str; 8] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Adds the entries of the manager of `metadata` and of everything else, and of the manager of `status`, if there is one.
pub(super) fn add(object: &mut Value, api_version: &str, manager: &str, status_manager: &str, time: &str) {
    let mut own = Map::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        match name.as_str() {
            "apiVersion" | "kind" | "status" => {}
            "metadata" => {
                let mut metadata = value.clone();
                if let Value::Object(fields) = &mut metadata {
                    fields.retain(|name, _| !OF_THE_SERVER.contains(&name.as_str()));
                }
                own.insert("f:metadata".to_owned(), paths(name, &metadata));
            }
            _ => {
                own.insert(format!("f:{name}"), paths(name, value));
            }
        }
    }
    let mut entries = vec![json!({
        "manager": manager, "operation": "Update", "apiVersion": api_version, "time": time,
        "fieldsType": "FieldsV1", "fieldsV1": own,
    })];
    if let Some(status) = object.get("status").filter(|status| *status != &json!({})) {
        entries.push(json!({
            "manager": status_manager, "operation": "Update", "apiVersion": api_version, "time": time,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:status": paths("status", status)}, "subresource": "status",
        }));
    }
    object["metadata"]["managedFields"] = Value::Array(entries);
}

/// The paths below a value that is called `name`.
fn paths(name: &str, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut set = Map::new();
            if !fields.is_empty() && !matches!(name, "metadata" | "spec" | "status" | "template") {
                set.insert(".".to_owned(), json!({}));
            }
            for (name, value) in fields {
                set.insert(format!("f:{name}"), paths(name, value));
            }
            Value::Object(set)
        }
        Value::Array(items) => {
            let keys = KEYS
                .iter()
                .find(|(list, _)| *list == name)
                .map_or(&[][..], |(_, keys)| keys);
            let mut set = Map::new();
            for item in items.iter().filter(|_| !keys.is_empty()) {
                let key: Map<String, Value> = keys
                    .iter()
                    .filter_map(|key| Some(((*key).to_owned(), item.get(*key)?.clone())))
                    .collect();
                set.insert(format!("k:{}", Value::Object(key)), paths("item", item));
            }
            Value::Object(set)
        }
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_fields_v1() {
        let mut object = json!({
            "metadata": {"name": "a", "labels": {"x": "y"}},
            "spec": {"containers": [{"name": "c", "ports": [{"containerPort": 80, "protocol": "TCP"}]}], "args": ["1"]},
            "status": {"phase": "Running"},
        });
        add(&mut object, "v1", "kubectl", "kubelet", "2026-10-01T00:00:00Z");
        let entries = &object["metadata"]["managedFields"];
        let expected = json!({
            "f:metadata": {"f:labels": {".": {}, "f:x": {}}},
            "f:spec": {
                "f:args": {},
                "f:containers": {"k:{\"name\":\"c\"}": {
                    ".": {},
                    "f:name": {},
                    "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {
                        ".": {}, "f:containerPort": {}, "f:protocol": {},
                    }},
                }},
            },
        });
        assert_eq!(entries[0]["fieldsV1"], expected);
        assert_eq!(entries[1]["fieldsV1"], json!({"f:status": {"f:phase": {}}}));
        assert_eq!(entries[1]["subresource"], "status");
    }
}
