//! Prints what happens to the config maps of a namespace until Ctrl-C:
//! `cargo run -p kubeloom-tests --example watch_config_maps -- NAMESPACE`.

use kubeloom::rest::WatchEvent;
use kubeloom_k8s::Clientset;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), kubeloom::Error> {
    let clientset = Clientset::from_env().await?;
    let namespace = std::env::args()
        .nth(1)
        .unwrap_or_else(|| clientset.client().default_namespace().to_owned());
    let config_maps = clientset.core_v1().config_maps(&namespace);
    let mut version = config_maps.list().await?.metadata.resource_version.to_string();
    println!("watching {namespace} from version {version}");
    loop {
        let mut events = config_maps.watch().resource_version(&version).await?;
        while let Some(event) = events.next().await {
            let (what, object) = match event {
                Ok(WatchEvent::Added(object)) => ("added", object),
                Ok(WatchEvent::Modified(object)) => ("modified", object),
                Ok(WatchEvent::Deleted(object)) => ("deleted", object),
                Ok(WatchEvent::Bookmark(bookmark)) => {
                    version = bookmark.resource_version;
                    continue;
                }
                // The version is too old: begin again with a list.
                Err(error) if error.is_gone() => {
                    version = config_maps.list().await?.metadata.resource_version.to_string();
                    break;
                }
                Err(error) => return Err(error),
            };
            println!("{what:<9} {} ({} keys)", object.metadata.name, object.data.len());
            version = object.metadata.resource_version.to_string();
        }
    }
}
