//! Informers against a scripted list/watch server, in paused time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail as tests do"
)]

mod asleep;
mod chaos;
mod factory;
mod faults;
mod handlers;
mod history;
mod lifecycle;
mod server;

use std::time::Duration;

use kubeloom::cache::{ApiListWatch, InformerOptions, SharedInformer};

use self::server::{Server, Thing};

/// Waits, in virtual time, until something holds.
async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..20_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {what}");
}

fn source(server: &Server) -> ApiListWatch<Thing> {
    ApiListWatch::new(&server.client(), None)
}

fn informer(server: &Server) -> SharedInformer<Thing> {
    SharedInformer::new(source(server))
}

fn informer_with(server: &Server, change: impl FnOnce(&mut InformerOptions<Thing>)) -> SharedInformer<Thing> {
    let mut options = InformerOptions::default();
    change(&mut options);
    SharedInformer::with_options(source(server), options)
}

/// The store as [`Server::texts`] shows the server.
fn stored(informer: &SharedInformer<Thing>) -> Vec<String> {
    let objects = informer.store().list_sorted();
    let texts = objects.iter().map(|object| {
        let meta = &object.metadata;
        format!(
            "{}/{}@{}={}",
            meta.namespace, meta.name, meta.resource_version, object.size
        )
    });
    texts.collect()
}

async fn converges(server: &Server, informer: &SharedInformer<Thing>, what: &str) {
    for _ in 0..30_000 {
        if stored(informer) == server.texts() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let requests = server.state().requests.clone();
    panic!(
        "{what}: the store is {:?}, the server {:?}; {:?}; {requests:?}",
        stored(informer),
        server.texts(),
        informer.status().borrow()
    );
}
