//! Reads three lists as JSON or protobuf, prints them and writes them as the other: what the types weigh by themselves.

use std::fs;

use kubeloom::meta::List;
use kubeloom::wire::{Format, Wire as _};
use kubeloom_k8s::{
    apps_v1::Deployment,
    core_v1::{Node, Pod},
};

fn main() -> anyhow::Result<()> {
    let formats = [
        (Format::Json, Format::Protobuf, "json"),
        (Format::Protobuf, Format::Json, "protobuf"),
    ];
    for (from, to, ending) in formats {
        let pods = List::<Pod>::decode(from, &fs::read(format!("pods.{ending}"))?)?;
        for pod in &pods {
            println!(
                "pod {} {} {}",
                pod.metadata.name, pod.spec.node_name, pod.status.phase
            );
        }
        fs::write("pods.out", pods.encode(to)?)?;
        let nodes = List::<Node>::decode(from, &fs::read(format!("nodes.{ending}"))?)?;
        for node in &nodes {
            println!(
                "node {} {}",
                node.metadata.name, node.status.node_info.kubelet_version
            );
        }
        fs::write("nodes.out", nodes.encode(to)?)?;
        let deployments = List::<Deployment>::decode(from, &fs::read(format!("deployments.{ending}"))?)?;
        for deployment in &deployments {
            println!(
                "deployment {} {}",
                deployment.metadata.name, deployment.status.ready_replicas
            );
        }
        fs::write("deployments.out", deployments.encode(to)?)?;
    }
    Ok(())
}
