//! One server for this binary.

use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::crd::{CustomResourceDefinition, apply, wait_established};
use kubeloom_tests::apiserver::ApiServer;

/// A client with the rights of an administrator.
pub(crate) fn client(server: &ApiServer) -> RestClient {
    let config = Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    RestClient::new(&config).unwrap()
}

/// Applies a definition and waits until it is served; nothing about it is reproached.
pub(crate) async fn install(
    client: &RestClient,
    definition: &CustomResourceDefinition,
) -> CustomResourceDefinition {
    apply(client, definition, "tests").await.unwrap();
    let found = wait_established(client, definition, Duration::from_secs(30))
        .await
        .unwrap();
    let faults = ["NonStructuralSchema", "Violations", "Terminating"];
    for condition in &found.status.conditions {
        assert!(
            !faults.contains(&condition.type_.as_str()) || condition.status != "True",
            "{condition:?}"
        );
    }
    found
}

/// A client and a new namespace; returns from the test when there is no server to be had.
#[macro_export]
macro_rules! fixture {
    ($prefix:literal) => {{
        let server = kubeloom_tests::require_apiserver!();
        let namespace = server.namespace($prefix).unwrap();
        ($crate::server::client(server), namespace)
    }};
}
