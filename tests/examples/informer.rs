//! Keeps the pods of a namespace in memory, prints what happens to them, and answers from memory, until Ctrl-C:
//! `cargo run -p kubeloom-tests --example informer -- NAMESPACE [SELECTOR]`.

use kubeloom::cache::{Deleted, Event};
use kubeloom::selector::Selector;
use kubeloom_k8s::core_v1::Pod;
use kubeloom_k8s::{Clientset, SharedInformerFactory};

fn tell(event: Event<Pod>) {
    match event {
        Event::Added { object, initial } => {
            let what = if initial { "found" } else { "added" };
            println!("{what:<8} {} {}", object.metadata.name, object.status.phase);
        }
        Event::Updated { old, new } => println!(
            "changed  {} {} -> {}",
            new.metadata.name, old.status.phase, new.status.phase
        ),
        Event::Deleted(Deleted::Known(last)) => println!("deleted  {}", last.metadata.name),
        // It went while nobody watched.
        Event::Deleted(Deleted::Unknown { key, .. }) => println!("deleted  {}", key.name),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clientset = Clientset::from_env().await?;
    let mut arguments = std::env::args().skip(1);
    let namespace = arguments
        .next()
        .unwrap_or_else(|| clientset.client().default_namespace().to_owned());
    let selector: Selector = arguments.next().unwrap_or_default().parse()?;

    let factory = SharedInformerFactory::new(&clientset).namespace(&namespace);
    let pods = factory.core_v1().pods();
    let by_node = pods.add_index("node", |pod: &Pod| vec![pod.spec.node_name.clone()])?;
    pods.add_event_handler(tell);
    factory.start();
    factory.wait_synced().await?;

    let lister = pods.lister();
    println!(
        "{} pods in {namespace}, {} of them match, {} wait for a node",
        lister.list().len(),
        lister.select(&selector).len(),
        by_node.get("").len()
    );
    tokio::signal::ctrl_c().await?;
    factory.shutdown().await;
    Ok(())
}
