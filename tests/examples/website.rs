//! A kind of one's own: from a Rust struct to a definition on the server and objects of it.
//!
//! ```sh
//! cargo run -p kubeloom-tests --example website -- default
//! ```

use std::time::Duration;

use kubeloom::meta::ObjectMeta;
use kubeloom::{Api, Resource, RestClient, crd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A website that somebody else serves.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "examples.kubeloom.dev",
    version = "v1",
    namespaced,
    short_names("ws"),
    status,
    printer_column(name = "Domain", json_path = .spec.domain),
    rule("self.spec.replicas <= 10", message = "a website has at most 10 replicas")
)]
struct Website {
    metadata: ObjectMeta,
    spec: WebsiteSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<WebsiteStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct WebsiteSpec {
    /// Where it is.
    domain: String,
    #[schemars(range(min = 0))]
    replicas: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct WebsiteStatus {
    ready: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = RestClient::from_env().await?;
    let namespace = std::env::args()
        .nth(1)
        .unwrap_or_else(|| client.default_namespace().to_owned());

    let definition = Website::crd()?;
    crd::apply(&client, &definition, "website-example").await?;
    crd::wait_established(&client, &definition, Duration::from_secs(30)).await?;
    println!("{} is established", definition.metadata.name);

    let websites: Api<Website> = client.namespaced(&namespace);
    let mut website = Website::default();
    website.metadata.name = "front".into();
    website.spec = WebsiteSpec {
        domain: "example.com".to_owned(),
        replicas: 2,
    };
    let mut website = websites.create(&website).await?;
    website.status = Some(WebsiteStatus { ready: true });
    let website = websites.update_status(&website).await?;
    println!(
        "{} at {}: {:?}",
        website.metadata.name, website.spec.domain, website.status
    );

    let mut large = website.clone();
    large.spec.replicas = 11;
    if let Err(error) = websites.update(&large).await {
        println!("refused: {}", error.is_invalid());
    }
    websites.delete("front").await?;
    println!("deleted");
    Ok(())
}
