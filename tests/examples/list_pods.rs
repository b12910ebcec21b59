//! Lists the pods of all namespaces as a table: `cargo run -p kubeloom-tests --example list_pods`.

use kubeloom_k8s::Clientset;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), kubeloom::Error> {
    let clientset = Clientset::from_env().await?;
    let pods = clientset.core_v1().all_pods().list().await?;
    println!(
        "{:<24} {:<48} {:<10} {:>5}  NODE",
        "NAMESPACE", "NAME", "PHASE", "READY"
    );
    for pod in &pods {
        let ready = pod
            .status
            .container_statuses
            .iter()
            .filter(|status| status.ready)
            .count();
        println!(
            "{:<24} {:<48} {:<10} {:>5}  {}",
            pod.metadata.namespace,
            pod.metadata.name,
            pod.status.phase,
            format!("{ready}/{}", pod.spec.containers.len()),
            pod.spec.node_name,
        );
    }
    Ok(())
}
