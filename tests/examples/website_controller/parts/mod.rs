//! The parts of the example, as its test has them too.

pub mod children;
pub mod controller;
pub mod metrics;
pub mod website;

use std::time::Duration;

use kubeloom::controller::BoxError;
use kubeloom::resource::Cluster;
use kubeloom::{Api, RestClient};
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;

/// Tells the server of the kind, and waits until it serves it.
pub async fn install(client: &RestClient) -> Result<(), BoxError> {
    let definitions: Api<CustomResourceDefinition, Cluster> = client.cluster();
    match definitions.create(&website::definition()).await {
        Ok(_) => {}
        Err(error) if error.is_already_exists() => {}
        Err(error) => return Err(error.into()),
    }
    let established = |definition: &CustomResourceDefinition| {
        let mut conditions = definition.status.conditions.iter();
        conditions.any(|condition| condition.type_ == "Established" && condition.status == "True")
    };
    let wait = definitions
        .wait("websites.demo.kubeloom.dev")
        .timeout(Duration::from_secs(30));
    wait.until(established).await?;
    Ok(())
}
