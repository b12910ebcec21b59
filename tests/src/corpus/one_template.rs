//! A pod of a typical deployment, as it stands in the server: defaults filled in, a status, managed fields.

use serde_json::{Value, json};

use super::managed;

/// Pod `index`. All are of one template and differ in names, addresses and identifiers only; 10 KB of JSON, of which
/// half is managed fields.
pub(super) fn pod(index: usize) -> Value {
    let ip = format!("10.2.{}.{}", index / 250 % 250, index % 250);
    let host = format!("10.1.{}.{}", index / 250 % 250, index % 250);
    let time = "2026-10-01T10:00:00Z";
    let mut pod = json!({
        "metadata": {
            "name": format!("web-frontend-7d9c6b8f5d-{index:05}"),
            "namespace": "default",
            "uid": format!("5bb2a5c8-0d3f-4a5e-9b1c-{index:012}"),
            "resourceVersion": format!("{}", 20_000 + index),
            "generation": 1,
            "creationTimestamp": time,
            "labels": {
                "app.kubernetes.io/component": "frontend", "app.kubernetes.io/instance": format!("shop-{}", index % 50),
                "app.kubernetes.io/name": "web-frontend", "pod-template-hash": "7d9c6b8f5d",
                "tier": format!("t{}", index % 7),
            },
            "annotations": {
                "checksum/config": "d2a84f4b8b650937ec8f73cd8be2c74add5a911ba64df27458ed8229da804a26",
                "kubectl.kubernetes.io/restartedAt": time,
                "prometheus.io/port": "9090", "prometheus.io/scrape": "true",
            },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-frontend-7d9c6b8f5d",
                "uid": "0a2b7b9c-6a55-4c1d-8a53-3a36f0f3f0a1", "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "spec": spec(index),
        "status": status(index, &ip, &host, time),
    });
    managed::add(&mut pod, "v1", "kube-controller-manager", "kubelet", time);
    pod
}

fn spec(index: usize) -> Value {
    let token = json!({
        "name": "kube-api-access-x2x9v", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true,
    });
    json!({
        "volumes": [
            {"name": "config", "configMap": {"name": "web-config", "defaultMode": 420}},
            {"name": "cache", "emptyDir": {}},
            {"name": "kube-api-access-x2x9v", "projected": {"sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [
                    {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}},
                ]}},
            ], "defaultMode": 420}},
        ],
        "containers": [web(&token), {
            "name": "proxy", "image": "registry.example.com/mesh/proxy:v1.29.1",
            "ports": [{"name": "proxy", "containerPort": 15001, "protocol": "TCP"}],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            "volumeMounts": [token],
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
        }],
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "web", "serviceAccount": "web",
        "nodeName": format!("node-{}.compute.internal", index % 200),
        "securityContext": {}, "schedulerName": "default-scheduler",
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        ],
        "priority": 0, "enableServiceLinks": true, "preemptionPolicy": "PreemptLowerPriority",
        "topologySpreadConstraints": [{
            "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "web-frontend"}},
        }],
    })
}

fn web(token: &Value) -> Value {
    let probe = |path: &str, port: Value, period: i32| {
        json!({
            "httpGet": {"path": path, "port": port, "scheme": "HTTP"},
            "timeoutSeconds": 1, "periodSeconds": period, "successThreshold": 1, "failureThreshold": 3,
        })
    };
    json!({
        "name": "web", "image": "registry.example.com/shop/web-frontend:v1.42.7",
        "args": ["--listen=:8080", "--metrics=:9090", "--log-level=info"],
        "ports": [
            {"name": "http", "containerPort": 8080, "protocol": "TCP"},
            {"name": "metrics", "containerPort": 9090, "protocol": "TCP"},
        ],
        "env": [
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            {"name": "REGION", "value": "eu-west-1"},
            {"name": "DB_HOST", "value": "db.prod.svc.cluster.local"},
            {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        ],
        "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "250m", "memory": "256Mi"}},
        "volumeMounts": [
            {"name": "config", "readOnly": true, "mountPath": "/etc/web"},
            {"name": "cache", "mountPath": "/var/cache/web"},
            token,
        ],
        "livenessProbe": probe("/healthz", json!("http"), 10),
        "readinessProbe": probe("/ready", json!(8080), 5),
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {
            "capabilities": {"drop": ["ALL"]}, "runAsUser": 65532, "runAsNonRoot": true,
            "readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false,
        },
    })
}

fn status(index: usize, ip: &str, host: &str, time: &str) -> Value {
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        |kind| json!({"type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": time}),
    );
    let containers = ["web", "proxy"].map(|name| {
        json!({
            "name": name, "state": {"running": {"startedAt": time}}, "lastState": {}, "ready": true, "restartCount": 0,
            "image": format!("registry.example.com/shop/{name}:v1"),
            "imageID": format!(
                "registry.example.com/shop/{name}@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
            ),
            "containerID": format!("containerd://8c2f{index:060}"), "started": true,
        })
    });
    json!({
        "phase": "Running", "conditions": conditions, "hostIP": host, "podIP": ip, "podIPs": [{"ip": ip}],
        "startTime": time, "containerStatuses": containers, "qosClass": "Burstable",
    })
}
