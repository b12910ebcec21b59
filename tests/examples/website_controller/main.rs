//! A whole controller, to be copied: `cargo run -p kubeloom-tests --example website_controller -- NAMESPACE`.
//!
//! | file | what is there |
//! |---|---|
//! | `mod.rs` | telling the server of the kind |
//! | `website.rs` | the kind, and its definition for the server |
//! | `children.rs` | what a website consists of |
//! | `controller.rs` | the reconciler: finalizer, children, status, events |
//! | `metrics.rs` | `/metrics`, `/healthz`, `/readyz` |
//!
//! Run it several times: one leads, the others stand by. It ends in order with Ctrl-C.

#![allow(missing_docs, unreachable_pub, reason = "an example is read whole")]

mod parts;

use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::cache::SharedInformerFactory;
use kubeloom::controller::BoxError;
use kubeloom::events::{EventOptions, Recorder};
use kubeloom::leader_election::{ElectionOptions, LeaderElector};

use self::parts::{controller, install, metrics};

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
