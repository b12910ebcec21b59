//! Lists three kinds and prints them: what a user's program weighs.

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Node, Pod},
};
use kube::{Api, Client, ResourceExt as _, api::ListParams};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let all = ListParams::default();
    for pod in Api::<Pod>::namespaced(client.clone(), "default")
        .list(&all)
        .await?
    {
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
        let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
        println!(
            "pod {} {} {}",
            pod.name_any(),
            node.unwrap_or_default(),
            phase.unwrap_or_default()
        );
    }
    for node in Api::<Node>::all(client.clone()).list(&all).await? {
        let info = node.status.as_ref().and_then(|status| status.node_info.as_ref());
        println!(
            "node {} {}",
            node.name_any(),
            info.map_or("", |info| info.kubelet_version.as_str())
        );
    }
    for deployment in Api::<Deployment>::namespaced(client, "default")
        .list(&all)
        .await?
    {
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
    Ok(())
}
