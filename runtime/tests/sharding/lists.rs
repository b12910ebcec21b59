//! Lists and watches of a share.

use std::collections::BTreeSet;

use kubeloom::cache::{ApiListWatch, ObjectKey, SharedInformer};
use kubeloom::controller::{Action, Controller};
use kubeloom::sharding::{Sharded, hash};

use super::server::{Server, Streams, Thing};
use super::*;

/// The keys in a store.
fn keys(informer: &SharedInformer<Thing>) -> BTreeSet<String> {
    let objects = informer.store().list();
    objects
        .iter()
        .map(|thing| ObjectKey::of(&**thing).to_string())
        .collect()
}

fn is_own(replica: &Replica, key: &str) -> bool {
    let namespace = key.split('/').next().unwrap();
    replica.shards.claim(hash(namespace)).is_some()
}

fn fill(server: &Server) -> BTreeSet<String> {
    let all: BTreeSet<String> = (0..60).map(|number| format!("space-{number}/thing")).collect();
    for key in &all {
        server.put(key, 1);
    }
    all
}

#[tokio::test(start_paused = true)]
async fn a_store_has_the_share_and_follows_it() {
    for streams in [Streams::Offered, Streams::Refused] {
        let (world, server) = (World::new(), Server::new(streams));
        let mut all = fill(&server);
        let (first, second) = (world.join(), world.join());
        let informers = [&first, &second].map(|replica| {
            let source = ApiListWatch::<Thing>::new(&server.client(), None);
            SharedInformer::new(Sharded::new(source, &replica.shards))
        });
        informers.iter().for_each(SharedInformer::start);
        world.watch(&[&first, &second], 10 * S).await;
        let [one, two] = informers.each_ref().map(keys);
        assert!(one.is_disjoint(&two) && !one.is_empty() && !two.is_empty());
        assert_eq!(&one | &two, all, "{streams:?}");
        assert!(one.iter().all(|key| is_own(&first, key)));
        let asked = server.state().requests.clone();
        let selector = "shardRange%28object.metadata.namespace%2C";
        assert!(
            asked.iter().any(|request| request.contains(selector)),
            "{asked:?}"
        );

        // Changes go to the one whose they are.
        server.put("space-new/thing", 1);
        all.insert("space-new/thing".to_owned());
        tokio::time::sleep(S).await;
        let [one, two] = informers.each_ref().map(keys);
        assert_eq!(&one | &two, all);
        // One goes: the other one has all.
        second.shards.leave().await;
        world.watch(&[&first, &second], 10 * S).await;
        assert_eq!(keys(&informers[0]), all, "{streams:?}");
        assert!(keys(&informers[1]).is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn controllers_share_the_keys_and_take_over() {
    let (world, server) = (World::new(), Server::new(Streams::Offered));
    let all = fill(&server);
    let replicas = [world.join(), world.join()];
    let runs: [Arc<Mutex<Vec<String>>>; 2] = Default::default();
    let mut handles = Vec::new();
    for (replica, runs) in replicas.iter().zip(&runs) {
        let informer = SharedInformer::new(ApiListWatch::<Thing>::new(&server.client(), None));
        let runs = runs.clone();
        let controller = Controller::new("things")
            .reconciles(&informer)
            .sharded(&replica.shards);
        handles.push(controller.start(move |_, key| {
            runs.lock().unwrap().push(key.to_string());
            std::future::ready(Ok::<_, std::io::Error>(Action::Done))
        }));
    }
    let all_of = [&replicas[0], &replicas[1]];
    world.watch(&all_of, 10 * S).await;
    let take = |index: usize| -> BTreeSet<String> {
        std::mem::take(&mut *runs[index].lock().unwrap())
            .into_iter()
            .collect()
    };
    // Until both had settled one may have worked on what is the other's now.
    assert_eq!(&take(0) | &take(1), all);
    for key in &all {
        server.put(key, 2);
    }
    tokio::time::sleep(S).await;
    let (one, two) = (take(0), take(1));
    assert!(one.is_disjoint(&two) && !one.is_empty() && !two.is_empty());
    assert_eq!(&one | &two, all);
    replicas[1].way.cut.store(true, Ordering::SeqCst);
    world.watch(&all_of, LEASE + 5 * S).await;
    assert!(
        take(0).is_superset(&two),
        "what was the other's is looked at anew"
    );
    assert!(take(1).is_empty());
    for handle in handles {
        handle.stop().await;
    }
}
