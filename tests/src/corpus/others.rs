//! Nodes, secrets, deployments, endpoint slices and events.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::managed;
use super::pod::container;
use super::random::Random;

/// What every object says about itself.
fn metadata(random: &mut Random, name: &str, namespace: Option<&str>) -> Value {
    let mut metadata = json!({
        "name": name, "uid": random.uid(), "resourceVersion": random.between(1000, 9_999_999).to_string(),
        "creationTimestamp": random.time(), "labels": {"app": random.word(), "tier": random.word()},
    });
    if let Some(namespace) = namespace {
        metadata["namespace"] = json!(namespace);
    }
    metadata
}

/// A node with its images.
pub(super) fn node(index: usize) -> Value {
    let mut random = Random::new(0x40de + index as u64);
    let name = format!("node-{index}.compute.internal");
    let amounts = json!({
        "cpu": random.between(4, 64).to_string(), "memory": format!("{}Ki", random.between(16_000_000, 256_000_000)),
        "ephemeral-storage": "95491281146", "hugepages-1Gi": "0", "hugepages-2Mi": "0", "pods": "110",
    });
    let images: Vec<Value> = (0..random.between(10, 50)).map(|_| {
        let image = format!("registry.example.com/{}/{}", random.word(), random.name());
        json!({
            "names": [format!("{image}@sha256:{}", random.hex(64)), format!("{image}:v{}", random.below(90))],
            "sizeBytes": random.between(1_000_000, 900_000_000),
        })
    }).collect();
    let conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(|kind| json!({
        "type": kind, "status": if kind == "Ready" { "True" } else { "False" }, "lastHeartbeatTime": random.time(),
        "lastTransitionTime": random.time(), "reason": format!("Kubelet{kind}"), "message": random.words(6),
    }));
    let mut node = json!({
        "metadata": metadata(&mut random, &name, None),
        "spec": {
            "podCIDR": format!("10.{}.{}.0/24", index / 256, index % 256), "providerID": format!("cloud:///{}", random.uid()),
            "podCIDRs": [format!("10.{}.{}.0/24", index / 256, index % 256)],
        },
        "status": {
            "capacity": amounts, "allocatable": amounts, "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": random.ip()}, {"type": "Hostname", "address": name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "machineID": random.hex(32), "systemUUID": random.uid(), "bootID": random.uid(),
                "kernelVersion": "6.8.0-1021", "osImage": "Linux", "containerRuntimeVersion": "containerd://2.1.4",
                "kubeletVersion": "v1.37.2", "kubeProxyVersion": "", "operatingSystem": "linux", "architecture": "amd64",
            },
            "images": images,
        },
    });
    managed::add(&mut node, "v1", "kubelet", "kubelet", "2026-10-01T10:00:00Z");
    node
}

/// A secret: mostly small ones, some certificates, a few of the size that package managers store.
pub(super) fn secret(index: usize) -> Value {
    let mut random = Random::new(0x5ec2e7 + index as u64);
    let (kind, keys, len) = match random.below(10) {
        0 => ("helm.sh/release.v1", 1, random.between(8_000, 40_000)),
        1..=3 => ("kubernetes.io/tls", 2, random.between(1_200, 3_000)),
        _ => ("Opaque", random.between(1, 6), random.between(8, 64)),
    };
    let data: Map<String, Value> = (0..keys)
        .map(|at| {
            let bytes = random.bytes(len);
            (format!("{}-{at}", random.word()), json!(STANDARD.encode(bytes)))
        })
        .collect();
    let (name, namespace) = (format!("{}-{index}", random.name()), random.word());
    let mut secret = json!({
        "metadata": metadata(&mut random, &name, Some(namespace)), "data": data, "type": kind,
    });
    managed::add(&mut secret, "v1", "kubectl-create", "", "2026-10-01T10:00:00Z");
    secret
}

/// A deployment.
pub(super) fn deployment(index: usize) -> Value {
    let mut random = Random::new(0xdeb1 + index as u64);
    let (name, namespace, replicas) = (
        format!("{}-{index}", random.name()),
        random.word(),
        random.below(20),
    );
    let count = random.between(1, 3);
    let containers: Vec<Value> = (0..count).map(|at| container(&mut random, at)).collect();
    let conditions = ["Available", "Progressing"].map(|kind| json!({
        "type": kind, "status": "True", "lastUpdateTime": random.time(), "lastTransitionTime": random.time(),
        "reason": "MinimumReplicasAvailable", "message": random.words(8),
    }));
    let mut deployment = json!({
        "metadata": metadata(&mut random, &name, Some(namespace)),
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "containers": containers, "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
                    "dnsPolicy": "ClusterFirst", "securityContext": {}, "schedulerName": "default-scheduler",
                },
            },
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": 1}},
            "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
        },
        "status": {
            "observedGeneration": 3, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas, "conditions": conditions,
        },
    });
    managed::add(
        &mut deployment,
        "apps/v1",
        "helm",
        "kube-controller-manager",
        "2026-10-01T10:00:00Z",
    );
    deployment
}

/// An endpoint slice with up to a hundred endpoints.
pub(super) fn endpoint_slice(index: usize) -> Value {
    let mut random = Random::new(0xe5 + index as u64);
    let (service, namespace) = (random.name(), random.word());
    let endpoints: Vec<Value> = (0..random.between(1, 100)).map(|_| {
        let ready = random.chance(95);
        json!({
            "addresses": [random.ip()], "conditions": {"ready": ready, "serving": ready, "terminating": false},
            "targetRef": {
                "kind": "Pod", "namespace": namespace, "name": format!("{service}-{}", random.suffix(5)), "uid": random.uid(),
            },
            "nodeName": format!("node-{}.compute.internal", random.below(300)),
            "zone": random.pick(&["eu-west-1a", "eu-west-1b", "eu-west-1c"]),
        })
    }).collect();
    let name = format!("{service}-{}", random.suffix(5));
    let mut slice = json!({
        "metadata": metadata(&mut random, &name, Some(namespace)), "addressType": "IPv4", "endpoints": endpoints,
        "ports": [{"name": "http", "protocol": "TCP", "port": 8080}, {"name": "metrics", "protocol": "TCP", "port": 9090}],
    });
    managed::add(
        &mut slice,
        "discovery.k8s.io/v1",
        "kube-controller-manager",
        "",
        "2026-10-01T10:00:00Z",
    );
    slice
}

/// An event of the core group.
pub(super) fn event(index: usize) -> Value {
    let mut random = Random::new(0xe7e27 + index as u64);
    let (pod, namespace) = (format!("{}-{}", random.name(), random.suffix(5)), random.word());
    let (first, words) = (random.time(), random.between(4, 30));
    let reason = random.pick(&[
        "BackOff",
        "Created",
        "FailedScheduling",
        "Pulled",
        "Scheduled",
        "Started",
        "Unhealthy",
    ]);
    let name = format!("{pod}.{}", random.hex(16));
    let mut event = json!({
        "metadata": metadata(&mut random, &name, Some(namespace)),
        "involvedObject": {
            "kind": "Pod", "namespace": namespace, "name": pod, "uid": random.uid(), "apiVersion": "v1",
            "resourceVersion": "12345", "fieldPath": format!("spec.containers{{{}}}", random.word()),
        },
        "reason": reason, "message": random.words(words),
        "source": {"component": "kubelet", "host": format!("node-{}.compute.internal", random.below(300))},
        "firstTimestamp": first, "lastTimestamp": first, "count": random.between(1, 50),
        "type": random.pick(&["Normal", "Warning"]), "eventTime": null, "reportingComponent": "kubelet",
        "reportingInstance": "",
    });
    managed::add(&mut event, "v1", "kubelet", "", &first);
    event
}
