//! The same controller twice, once put together by hand and once by `Controller`:
//! `cargo run -p kubeloom-tests --example two_controllers -- NAMESPACE by-hand|controller`.
//!
//! It keeps the annotation `demo.kubeloom.dev/entries` of every ConfigMap at the number of its entries, until Ctrl-C.

use std::time::Duration;

use kubeloom::cache::{Event, Lister, ObjectKey, SharedInformer, SharedInformerFactory};
use kubeloom::controller::{Action, Controller};
use kubeloom::rest::PatchBody;
use kubeloom::workqueue::WorkQueue;
use kubeloom::{Api, Error, RestClient};
use kubeloom_k8s::core_v1::ConfigMap;
use serde_json::json;

const ANNOTATION: &str = "demo.kubeloom.dev/entries";
const WORKERS: usize = 2;

/// What both do for a key: read what there is, write what is missing.
async fn reconcile(client: RestClient, lister: Lister<ConfigMap>, key: ObjectKey) -> Result<Action, Error> {
    let Some(config_map) = lister.namespace(&key.namespace).get(&key.name) else {
        return Ok(Action::Done);
    };
    let entries = config_map.data.len().to_string();
    let known = config_map.metadata.annotations.get(ANNOTATION);
    if known.is_some_and(|known| *known == *entries) {
        return Ok(Action::Done);
    }
    let api: Api<ConfigMap> = client.namespaced(&key.namespace);
    let body = json!({"metadata": {"annotations": {ANNOTATION: entries}}});
    match api.patch(&key.name, PatchBody::merge(&body)).await {
        Ok(_) => println!("{key} has {entries} entries"),
        // Deleted meanwhile: nothing is left to do.
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error),
    }
    Ok(Action::Done)
}

/// An informer puts keys into a queue, workers take them out: client-go's loop.
async fn by_hand(client: RestClient, informer: SharedInformer<ConfigMap>) {
    let queue = WorkQueue::new();
    let adds = queue.clone();
    let registration = informer.add_event_handler(move |event: Event<ConfigMap>| {
        adds.add(event.key());
    });
    informer.start();
    registration.synced().await;
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let (queue, client, lister) = (queue.clone(), client.clone(), informer.lister());
            tokio::spawn(async move {
                while let Some(item) = queue.get().await {
                    match reconcile(client.clone(), lister.clone(), item.key().clone()).await {
                        Ok(_) => item.forget(),
                        Err(error) => {
                            eprintln!("{}: {error}", item.key());
                            item.retry();
                        }
                    }
                } // Dropping the item is client-go's Done.
            })
        })
        .collect();
    stopped().await;
    registration.remove().await;
    queue.shutdown();
    for worker in workers {
        // A worker that panicked has been told on standard error.
        let _ = worker.await;
    }
}

/// The same, with timeouts, priorities, isolated panics, status and an orderly end.
async fn by_controller(client: RestClient, informer: SharedInformer<ConfigMap>) {
    let lister = informer.lister();
    let handle = Controller::new("entries")
        .reconciles(&informer)
        .workers(WORKERS)
        .timeout(Duration::from_secs(30))
        .start(move |_context, key| reconcile(client.clone(), lister.clone(), key));
    stopped().await;
    handle.stop().await;
}

async fn stopped() {
    // Without signals it runs until it is killed.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = RestClient::from_env().await?;
    let mut args = std::env::args().skip(1);
    let namespace = args
        .next()
        .unwrap_or_else(|| client.default_namespace().to_owned());
    let factory = SharedInformerFactory::new(&client).namespace(&namespace);
    let informer = factory.informer::<ConfigMap>();
    match args.next().as_deref() {
        Some("by-hand") => by_hand(client, informer).await,
        _ => by_controller(client, informer).await,
    }
    factory.shutdown().await;
    Ok(())
}
