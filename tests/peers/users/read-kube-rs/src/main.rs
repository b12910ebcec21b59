//! Reads three lists as JSON, prints them and writes them: what the types weigh by themselves.

use std::fs;

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Node, Pod},
};
use kube::{ResourceExt as _, core::ObjectList};

fn main() -> anyhow::Result<()> {
    let pods: ObjectList<Pod> = serde_json::from_slice(&fs::read("pods.json")?)?;
    for pod in &pods {
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
        let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
        println!(
            "pod {} {} {}",
            pod.name_any(),
            node.unwrap_or_default(),
            phase.unwrap_or_default()
        );
    }
    fs::write("pods.out", serde_json::to_vec(&pods)?)?;
    let nodes: ObjectList<Node> = serde_json::from_slice(&fs::read("nodes.json")?)?;
    for node in &nodes {
        let info = node.status.as_ref().and_then(|status| status.node_info.as_ref());
        println!(
            "node {} {}",
            node.name_any(),
            info.map_or("", |info| info.kubelet_version.as_str())
        );
    }
    fs::write("nodes.out", serde_json::to_vec(&nodes)?)?;
    let deployments: ObjectList<Deployment> = serde_json::from_slice(&fs::read("deployments.json")?)?;
    for deployment in &deployments {
        let ready = deployment
            .status
            .as_ref()
            .and_then(|status| status.ready_replicas);
        println!(
            "deployment {} {}",
            deployment.name_any(),
            ready.unwrap_or_default()
        );
    }
    fs::write("deployments.out", serde_json::to_vec(&deployments)?)?;
    Ok(())
}
