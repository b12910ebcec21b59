//! One server for this binary, a namespace for each test.

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom_k8s::Clientset;
use kubeloom_tests::apiserver::ApiServer;

/// Clients with the rights of an administrator.
pub(crate) fn clientset(server: &ApiServer) -> Clientset {
    let config = Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    Clientset::from_config(&config).unwrap()
}

/// The server, clients and a new namespace; returns from the test when there is no server to be had.
#[macro_export]
macro_rules! fixture {
    ($prefix:literal) => {{
        let server = kubeloom_tests::require_apiserver!();
        let namespace = server.namespace($prefix).unwrap();
        ($crate::server::clientset(server), namespace)
    }};
}
