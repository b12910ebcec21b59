//! Controllers against the real kube-apiserver.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail as tests do; the example is read whole"
)]

#[path = "../../examples/website_controller/parts/mod.rs"]
mod parts;
mod shards;
mod websites;
mod writes;

use std::time::{Duration, Instant};

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom_tests::apiserver::ApiServer;

/// A configuration with the rights of an administrator.
fn admin(server: &ApiServer) -> Config {
    Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap()
}

/// Waits until something holds.
async fn eventually<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let started = Instant::now();
    while !holds().await {
        assert!(
            started.elapsed() < Duration::from_secs(300),
            "not within five minutes: {what}"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
