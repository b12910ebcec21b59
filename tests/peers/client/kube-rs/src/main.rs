//! Reads one config map over and over.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use peer_harness::calls;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = calls::args()?;
    let client = Client::try_default().await?;
    let api = Api::<ConfigMap>::namespaced(client, &args.namespace);
    let name = args.name.clone();
    calls::run(&args, move || {
        let (api, name) = (api.clone(), name.clone());
        async move { Ok(api.get(&name).await?.data.map_or(0, |data| data.len())) }
    })
    .await
}
