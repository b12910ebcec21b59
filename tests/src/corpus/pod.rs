//! Pods of many templates: those of the same template share all but names, addresses and identifiers.

use serde_json::{Map, Value, json};

use super::managed;
use super::random::Random;

/// The `index`-th pod of a template.
pub(super) fn pod(template: usize, index: usize) -> Value {
    let mut shape = Random::new(0x7e3a + template as u64);
    let mut own = Random::new((template as u64) << 32 | index as u64);
    let workload = shape.name();
    let namespace = shape.word();
    let count = shape.between(1, 4);
    let containers: Vec<Value> = (0..count).map(|at| container(&mut shape, at)).collect();
    let statuses = containers
        .iter()
        .map(|container| container_status(&mut own, container))
        .collect::<Vec<_>>();
    let created = own.time();
    let mut pod = json!({
        "metadata": metadata(&mut shape, &mut own, &workload, namespace, &created),
        "spec": spec(&mut shape, &mut own, containers),
        "status": status(&mut own, statuses, &created),
    });
    managed::add(&mut pod, "v1", "kube-controller-manager", "kubelet", &created);
    pod
}

fn metadata(shape: &mut Random, own: &mut Random, workload: &str, namespace: &str, created: &str) -> Value {
    let kind = shape.pick(&["DaemonSet", "Job", "ReplicaSet", "StatefulSet"]);
    let hash = shape.suffix(10);
    let mut labels = Map::new();
    labels.insert("app".to_owned(), json!(workload));
    labels.insert("pod-template-hash".to_owned(), json!(hash));
    for _ in 0..shape.below(8) {
        labels.insert(
            format!("{}.example.com/{}", shape.word(), shape.word()),
            json!(shape.word()),
        );
    }
    let mut annotations = Map::new();
    for _ in 0..shape.below(6) {
        let words = shape.between(1, 12);
        annotations.insert(
            format!("{}.example.com/{}", shape.word(), shape.name()),
            json!(shape.words(words)),
        );
    }
    if shape.chance(10) {
        let config = json!({"spec": {"text": shape.words(120), "quote": "a \"quoted\" word\n\tand more"}});
        annotations.insert(
            "kubectl.kubernetes.io/last-applied-configuration".to_owned(),
            json!(config.to_string()),
        );
    }
    json!({
        "name": format!("{workload}-{hash}-{}", own.suffix(5)), "generateName": format!("{workload}-{hash}-"),
        "namespace": namespace, "uid": own.uid(), "resourceVersion": own.between(1000, 9_999_999).to_string(),
        "creationTimestamp": created, "labels": labels, "annotations": annotations,
        "ownerReferences": [{
            "apiVersion": "apps/v1", "kind": kind, "name": format!("{workload}-{hash}"), "uid": shape.uid(),
            "controller": true, "blockOwnerDeletion": true,
        }],
    })
}

/// A container of a template, `at` in its pod; also what a deployment's template has.
pub(super) fn container(shape: &mut Random, at: usize) -> Value {
    let name = format!("{}-{at}", shape.name());
    let tag = format!("v{}.{}.{}", shape.below(4), shape.below(30), shape.below(20));
    let count = shape.below(25);
    let env: Vec<Value> = (0..count).map(|at| variable(shape, at)).collect();
    let count = shape.below(4);
    let ports: Vec<Value> = (0..count)
        .map(|at| json!({"name": format!("port-{at}"), "containerPort": 8000 + at, "protocol": "TCP"}))
        .collect();
    let words = shape.below(10);
    let args: Vec<String> = (0..words)
        .map(|_| format!("--{}={}", shape.name(), shape.word()))
        .collect();
    let mut container = json!({
        "name": name, "image": format!("registry.example.com/{}/{name}:{tag}", shape.word()),
        "args": args, "ports": ports, "env": env, "resources": resources(shape),
        "volumeMounts": [{
            "name": "kube-api-access", "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
        }],
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": shape.pick(&["Always", "IfNotPresent"]),
    });
    if shape.chance(60) {
        container["livenessProbe"] = probe(shape);
        container["readinessProbe"] = probe(shape);
    }
    if shape.chance(50) {
        container["securityContext"] = json!({
            "capabilities": {"drop": ["ALL"]}, "privileged": shape.chance(5), "runAsUser": shape.between(1000, 65_534),
            "runAsNonRoot": true, "allowPrivilegeEscalation": false,
        });
    }
    if shape.chance(20) {
        container["lifecycle"] = json!({"preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 15"]}}});
    }
    container
}

fn variable(shape: &mut Random, at: usize) -> Value {
    let name = format!("{}_{at}", shape.word().to_uppercase());
    match shape.below(4) {
        0 => {
            json!({"name": name, "valueFrom": {"secretKeyRef": {"name": shape.name(), "key": shape.word()}}})
        }
        1 => {
            json!({"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}})
        }
        _ => json!({"name": name, "value": format!("{}.{}.svc.cluster.local", shape.name(), shape.word())}),
    }
}

fn resources(shape: &mut Random) -> Value {
    // Canonical texts, as servers have them.
    let memory = shape.pick(&["64Mi", "128Mi", "256Mi", "512Mi", "1Gi", "1500Mi", "2Gi"]);
    match shape.below(3) {
        0 => json!({}),
        1 => json!({"requests": {"cpu": format!("{}m", 5 + 10 * shape.between(1, 200)), "memory": memory}}),
        _ => json!({
            "limits": {"cpu": shape.between(1, 8).to_string(), "memory": memory},
            "requests": {"cpu": "100m", "memory": memory},
        }),
    }
}

fn probe(shape: &mut Random) -> Value {
    let mut probe = json!({
        "timeoutSeconds": shape.between(1, 5), "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
    });
    match shape.below(3) {
        0 => probe["exec"] = json!({"command": ["/bin/check", shape.word()]}),
        1 => probe["tcpSocket"] = json!({"port": shape.between(1000, 9000)}),
        _ => {
            probe["httpGet"] = json!({"path": format!("/{}", shape.word()), "port": "http", "scheme": "HTTP"})
        }
    }
    probe
}

fn spec(shape: &mut Random, own: &mut Random, containers: Vec<Value>) -> Value {
    let mut volumes = vec![json!({"name": "kube-api-access", "projected": {"sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ], "defaultMode": 420}})];
    for at in 0..shape.below(7) {
        let name = format!("{}-{at}", shape.word());
        volumes.push(match shape.below(5) {
            0 => json!({"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}),
            1 => json!({"name": name, "secret": {"secretName": shape.name(), "defaultMode": 420}}),
            2 => json!({"name": name, "configMap": {"name": shape.name(), "defaultMode": 420}}),
            3 => {
                json!({"name": name, "hostPath": {"path": format!("/var/lib/{}", shape.word()), "type": ""}})
            }
            _ => json!({"name": name, "persistentVolumeClaim": {"claimName": shape.name()}}),
        });
    }
    let mut spec = json!({
        "volumes": volumes, "containers": containers,
        "restartPolicy": "Always", "terminationGracePeriodSeconds": shape.between(5, 120), "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default", "serviceAccount": "default",
        "nodeName": format!("node-{}.compute.internal", own.below(300)),
        "securityContext": {}, "schedulerName": "default-scheduler", "priority": shape.below(2) * 1000,
        "enableServiceLinks": true, "preemptionPolicy": "PreemptLowerPriority",
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        ],
    });
    if shape.chance(30) {
        spec["initContainers"] = json!([container(shape, 9)]);
    }
    if shape.chance(40) {
        spec["affinity"] = json!({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{
            "weight": 100, "podAffinityTerm": {
                "labelSelector": {"matchExpressions": [
                    {"key": "app", "operator": "In", "values": [shape.name(), shape.name()]},
                ]},
                "topologyKey": "kubernetes.io/hostname",
            },
        }]}});
    }
    spec
}

fn container_status(own: &mut Random, container: &Value) -> Value {
    let image = container["image"].as_str().unwrap_or_default();
    let restarts = if own.chance(10) { own.between(1, 40) } else { 0 };
    let mut status = json!({
        "name": container["name"], "state": {"running": {"startedAt": own.time()}}, "lastState": {},
        "ready": true, "restartCount": restarts, "image": image,
        "imageID": format!("{image}@sha256:{}", own.hex(64)), "containerID": format!("containerd://{}", own.hex(64)),
        "started": true,
    });
    if restarts > 0 {
        status["lastState"] = json!({"terminated": {
            "exitCode": 137, "reason": "OOMKilled", "startedAt": own.time(), "finishedAt": own.time(),
            "containerID": format!("containerd://{}", own.hex(64)),
        }});
    }
    status
}

fn status(own: &mut Random, containers: Vec<Value>, created: &str) -> Value {
    let conditions = [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ]
    .map(
        |kind| json!({"type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": created}),
    );
    let (ip, host) = (own.ip(), own.ip());
    json!({
        "phase": "Running", "conditions": conditions, "hostIP": host, "hostIPs": [{"ip": host}],
        "podIP": ip, "podIPs": [{"ip": ip}], "startTime": created, "containerStatuses": containers,
        "qosClass": own.pick(&["BestEffort", "Burstable", "Guaranteed"]),
    })
}
