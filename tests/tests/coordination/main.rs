//! Leader election and events against the real kube-apiserver.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod leaders;
mod recorder;
mod records;

use kubeloom::RestClient;
use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom_tests::apiserver::ApiServer;

/// A client with the rights of an administrator.
fn client(server: &ApiServer) -> RestClient {
    let config = Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    RestClient::new(&config).unwrap()
}
