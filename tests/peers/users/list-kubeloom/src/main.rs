//! Lists three kinds and prints them: what a user's program weighs.

use kubeloom_k8s::Clientset;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let clientset = Clientset::from_env().await?;
    for pod in clientset.core_v1().pods("default").list().await? {
        println!(
            "pod {} {} {}",
            pod.metadata.name, pod.spec.node_name, pod.status.phase
        );
    }
    for node in clientset.core_v1().nodes().list().await? {
        println!(
            "node {} {}",
            node.metadata.name, node.status.node_info.kubelet_version
        );
    }
    for deployment in clientset.apps_v1().deployments("default").list().await? {
        println!(
            "deployment {} {}",
            deployment.metadata.name, deployment.status.ready_replicas
        );
    }
    Ok(())
}
