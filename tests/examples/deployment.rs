//! Creates a Deployment, scales it and deletes it: `cargo run -p kubeloom-tests --example deployment -- NAMESPACE`.

use kubeloom::meta::{LabelSelector, ObjectMeta};
use kubeloom::rest::Propagation;
use kubeloom::value::map;
use kubeloom_k8s::Clientset;
use kubeloom_k8s::apps_v1::{Deployment, DeploymentSpec};
use kubeloom_k8s::core_v1::{Container, ContainerPort, PodSpec, PodTemplateSpec};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), kubeloom::Error> {
    let clientset = Clientset::from_env().await?;
    let namespace = std::env::args()
        .nth(1)
        .unwrap_or_else(|| clientset.client().default_namespace().to_owned());
    let deployments = clientset.apps_v1().deployments(&namespace);

    let created = deployments.create(&web()).manager("example").await?;
    println!(
        "created {} with {} replicas",
        created.metadata.name,
        created.spec.replicas.unwrap_or(1)
    );

    let mut scale = deployments.get_scale("web").await?;
    scale.spec.replicas = 3;
    let scale = deployments.update_scale("web", &scale).await?;
    println!("scaled to {}", scale.spec.replicas);

    deployments
        .delete("web")
        .propagation(Propagation::Background)
        .await?;
    println!("deleted");
    Ok(())
}

fn web() -> Deployment {
    let labels = map([("app", "web")]);
    let container = Container {
        name: "web".into(),
        image: "registry.example.com/web:1".into(),
        ports: vec![ContainerPort {
            container_port: 8080,
            ..Default::default()
        }],
        ..Default::default()
    };
    Deployment {
        metadata: ObjectMeta {
            name: "web".into(),
            labels: labels.clone(),
            ..Default::default()
        },
        spec: DeploymentSpec {
            replicas: Some(1),
            selector: Some(Box::new(LabelSelector {
                match_labels: labels.clone(),
                ..Default::default()
            })),
            template: PodTemplateSpec {
                metadata: ObjectMeta {
                    labels,
                    ..Default::default()
                },
                spec: PodSpec {
                    containers: vec![container],
                    ..Default::default()
                },
            },
            ..Default::default()
        },
        ..Default::default()
    }
}
