//! The client as a whole against the real kube-apiserver: who it is, what it is told, what it lives through.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod answers;
mod identity;
mod life;
mod lists;
mod overload;
mod tools;

use kubeloom::RestClient;
use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::meta::ObjectMeta;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{HttpTransport, TransportOptions};
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::ApiServer;

/// A configuration with the rights of an administrator.
fn admin(server: &ApiServer) -> Config {
    Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap()
}

fn client(config: &Config) -> RestClient {
    RestClient::new(config).unwrap()
}

/// A client whose transport gets more than its configuration.
fn client_with(config: &Config, change: impl FnOnce(&mut TransportOptions)) -> RestClient {
    let mut options = TransportOptions::default();
    change(&mut options);
    let transport = HttpTransport::with_options(config, options).unwrap();
    RestClient::with_transport(transport, ClientOptions::default())
}

fn config_map(name: impl Into<kubeloom::Str>) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: name.into(),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}
