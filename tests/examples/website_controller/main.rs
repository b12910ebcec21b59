//! A whole controller, to be copied: `cargo run -p kubeloom-tests --example website_controller -- NAMESPACE`.
//!
//! | file | what is there |
//! |---|---|
//! | `website.rs` | the kind, and its definition for the server |
//! | `children.rs` | what a website consists of |
//! | `controller.rs` | the reconciler: finalizer, children, status, events |
//! | `metrics.rs` | `/metrics`, `/healthz`, `/readyz` |
//!
//! Run it several times: one leads, the others stand by. It ends in order with Ctrl-C.

#![allow(missing_docs, unreachable_pub, reason = "an example is read whole")]

mod children;
mod controller;
mod metrics;
mod website;

use std::time::Duration;

use kubeloom::cache::SharedInformerFactory;
use kubeloom::controller::BoxError;
use kubeloom::events::{EventOptions, Recorder};
use kubeloom::leader_election::{ElectionOptions, LeaderElector};
use kubeloom::resource::Cluster;
use kubeloom::{Api, RestClient};
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let client = RestClient::from_env().await?;
    let namespace = std::env::args()
        .nth(1)
        .unwrap_or_else(|| client.default_namespace().to_owned());
    install(&client).await?;

    let factory = SharedInformerFactory::new(&client).namespace(&namespace);
    let recorder = Recorder::start(&client, EventOptions::new("demo.kubeloom.dev/website-controller"))?;
    let elector = LeaderElector::new(&client, ElectionOptions::new(&namespace, "website-controller"))?;
    let handle = controller::start(
        &factory,
        recorder.clone(),
        controller::Directory::default(),
        Some(&elector),
    );

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("metrics at http://{}/metrics", listener.local_addr()?);
    let endpoint = tokio::spawn(metrics::serve(listener, handle.clone()));

    tokio::signal::ctrl_c().await?;
    // In this order: work, informers, events.
    handle.stop().await;
    factory.shutdown().await;
    recorder.shutdown(Duration::from_secs(5)).await;
    endpoint.abort();
    Ok(())
}

/// Tells the server of the kind, and waits until it serves it.
async fn install(client: &RestClient) -> Result<(), BoxError> {
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
