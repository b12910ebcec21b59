//! Reads one config map over and over.

use kubeloom::RestClient;
use kubeloom_k8s::core_v1::ConfigMap;
use peer_harness::calls;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = calls::args()?;
    let client = RestClient::from_env().await?;
    let api = client.namespaced::<ConfigMap>(&args.namespace);
    let name = args.name.clone();
    calls::run(&args, move || {
        let (api, name) = (api.clone(), name.clone());
        async move { Ok(api.get(&name).await?.data.len()) }
    })
    .await
}
