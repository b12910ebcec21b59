//! Lists of a share, chosen by the server where it can.

use std::collections::BTreeMap;
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::cache::{ApiListWatch, InformerOptions, SharedInformer, WatchList};
use kubeloom::meta::ObjectMeta;
use kubeloom::sharding::{PARTITIONS, ShardOptions, Sharded, Shards};
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::{ApiServer, Options, binary};

use super::{admin, eventually};

/// The config maps called `thing` in a store.
fn things(informer: &SharedInformer<ConfigMap>) -> Vec<String> {
    let objects = informer.store().list_sorted();
    let things = objects.iter().filter(|object| object.metadata.name == "thing");
    things
        .map(|object| object.metadata.namespace.to_string())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn shares_are_chosen_by_servers_that_can_and_filtered_otherwise() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    for offered in [true, false] {
        let server = ApiServer::start(Options {
            feature_gates: BTreeMap::from([("ShardedListAndWatch".to_owned(), offered)]),
            ..Options::default()
        })
        .unwrap();
        let client = RestClient::new(&admin(&server)).unwrap();
        let mut all = Vec::new();
        for number in 0..12 {
            let namespace = server.namespace(&format!("space-{number}")).unwrap();
            let thing = ConfigMap {
                metadata: ObjectMeta {
                    name: "thing".into(),
                    ..ObjectMeta::default()
                },
                ..ConfigMap::default()
            };
            client.namespaced(&namespace).create(&thing).await.unwrap();
            all.push(namespace);
        }
        all.sort();
        let mut replicas = Vec::new();
        for _ in 0..2 {
            let shards = Shards::join(&client, ShardOptions::new("default", "things"));
            let source = Sharded::new(ApiListWatch::<ConfigMap>::new(&client, None), &shards);
            let chosen = source.chosen_by_server();
            let mut options = InformerOptions::default();
            options.reflector.watch_list = WatchList::TurnedOff;
            let informer = SharedInformer::with_options(source, options);
            informer.start();
            replicas.push((shards, informer, chosen));
        }
        let count = |index: usize| replicas[index].0.status().borrow().partitions;
        eventually("both have their shares", || async {
            count(0) + count(1) == PARTITIONS && count(1) > 0
        })
        .await;
        let lists = |index: usize| things(&replicas[index].1);
        eventually("both have their things", || async {
            let mut both = [lists(0), lists(1)].concat();
            both.sort();
            both == all
        })
        .await;
        for (_, _, chosen) in &replicas {
            assert_eq!(chosen(), offered, "what the server says of the list");
        }
        replicas[1].0.leave().await;
        eventually("the first has all", || async { lists(0) == all }).await;
        eventually("the second has nothing", || async { lists(1).is_empty() }).await;
        tokio::time::timeout(Duration::from_secs(20), replicas[0].0.leave())
            .await
            .unwrap();
        let leases = client.namespaced::<kubeloom::leader_election::Lease>("default");
        let left = leases
            .list()
            .labels("sharding.kubeloom.dev/group=things")
            .await
            .unwrap();
        assert_eq!(left.items.len(), 0);
    }
}
