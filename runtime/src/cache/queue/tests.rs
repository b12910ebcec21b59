use std::collections::BTreeMap;
use std::task::Waker;

use super::*;
use crate::cache::indexer::Sharing;
use crate::cache::testing::{Thing, text, texts, thing, whole};

fn all(objects: Vec<Arc<Thing>>, version: &str) -> Replacement<Thing> {
    Replacement {
        objects: objects.into_iter().map(Held::from).collect(),
        unreadable: Vec::new(),
        resource_version: version.into(),
        sharing: Sharing::Unchanged,
    }
}

fn pop(queue: &dyn Queue<Thing>) -> Option<Batch<Thing>> {
    match queue.poll_pop(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(batch) => batch,
        Poll::Pending => None,
    }
}

fn is_ready(queue: &dyn Queue<Thing>) -> bool {
    queue
        .poll_ready(&mut Context::from_waker(Waker::noop()))
        .is_ready()
}

fn told(delta: &Delta<Thing>) -> String {
    match delta {
        Delta::Added(object) => format!("+{}", text(object)),
        Delta::Updated(object) => format!("~{}", text(object)),
        Delta::Replaced(object) => format!("r{}", text(object)),
        Delta::Sync(object) => format!("s{}", text(object)),
        Delta::Deleted(Deleted::Known(object)) => format!("-{}", text(object)),
        Delta::Deleted(Deleted::Unknown { key, last }) => {
            format!(
                "x{key}({})",
                last.as_ref().map(|last| text(last)).unwrap_or_default()
            )
        }
        Delta::ReplacedAll(all) => format!(
            "all[{}]@{}",
            texts(&whole(&all.objects)).join(" "),
            all.resource_version
        ),
        Delta::SyncAll => "sync".to_owned(),
        Delta::Bookmark(version) => format!("b{version}"),
    }
}

fn batches(queue: &dyn Queue<Thing>) -> Vec<String> {
    std::iter::from_fn(|| pop(queue))
        .map(|batch| batch.deltas.iter().map(told).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn in_order_keeps_order_and_bounds_batches() {
    let queue = InOrderQueue::new(&Indexer::new());
    queue.replace(all(vec![thing("a", "", 1)], "3"));
    queue.add(thing("b", "", 4));
    queue.update(thing("a", "", 5));
    queue.update(thing("b", "", 6));
    queue.bookmark("7".into());
    queue.bookmark("8".into());
    queue.resync();
    queue.resync();
    queue.delete(Deleted::Known(thing("b", "", 9)));
    assert_eq!(texts(&queue.list()), ["a@5"]);
    assert_eq!(
        batches(&queue),
        ["all[a@1]@3", "+b@4 ~a@5", "~b@6", "b8", "sync", "-b@9"]
    );
    let queue = InOrderQueue::new(&Indexer::new());
    for number in 0..1500 {
        queue.add(thing(&number.to_string(), "", number + 1));
    }
    let sizes: Vec<_> = std::iter::from_fn(|| pop(&queue))
        .map(|batch| batch.deltas.len())
        .collect();
    assert_eq!(sizes, [1000, 500]);
}

#[test]
fn delta_fifo_keeps_the_changes_of_an_object_together() {
    let store = Indexer::new();
    let queue = DeltaFifo::new(&store);
    queue.add(thing("a", "", 1));
    queue.add(thing("b", "", 2));
    queue.update(thing("a", "", 3));
    queue.delete(Deleted::Unknown {
        key: ObjectKey::cluster("a"),
        last: None,
    });
    queue.delete(Deleted::Known(thing("a", "", 4)));
    queue.delete(Deleted::Known(thing("never", "", 5)));
    assert_eq!(queue.len(), 4);
    assert_eq!(batches(&queue), ["+a@1 ~a@3 -a@4", "+b@2"]);

    // A list: what is missing goes, with the last state that is known, be it queued or stored.
    store.put(thing("stored", "", 6));
    store.put(thing("both", "", 7));
    store.put(thing("unreadable", "", 7));
    queue.update(thing("both", "", 8));
    queue.add(thing("queued", "", 9));
    queue.add(thing("stays", "", 10));
    queue.delete(Deleted::Known(thing("stays", "", 11)));
    let mut list = all(vec![thing("new", "", 12)], "12");
    list.unreadable.push(ObjectKey::cluster("unreadable"));
    queue.replace(list);
    let mut popped = batches(&queue);
    popped.sort();
    assert_eq!(
        popped,
        [
            "+queued@9 xqueued(queued@9)",
            "+stays@10 -stays@11",
            "rnew@12",
            "xstored(stored@6)",
            "~both@8 xboth(both@8)",
        ]
    );

    // A resync leaves objects out that a change waits for.
    queue.update(thing("both", "", 13));
    queue.resync();
    let mut popped = batches(&queue);
    popped.sort();
    assert_eq!(popped, ["sstored@6", "sunreadable@7", "~both@13"]);
}

type Pair = (&'static str, Indexer<Thing>, Arc<dyn Queue<Thing>>);

fn both() -> Vec<Pair> {
    let stores = [Indexer::new(), Indexer::new()];
    let queues: [Arc<dyn Queue<Thing>>; 2] = [
        Arc::new(InOrderQueue::with_capacity(&stores[0], 4)),
        Arc::new(DeltaFifo::with_capacity(&stores[1], 4)),
    ];
    let names = ["in order", "delta fifo"];
    names
        .into_iter()
        .zip(stores)
        .zip(queues)
        .map(|((name, store), queue)| (name, store, queue))
        .collect()
}

#[test]
fn synced_is_when_the_first_list_has_been_processed() {
    for (name, _, queue) in both() {
        queue.bookmark("1".into());
        assert!(!queue.has_synced(), "{name}: nothing came yet");
        queue.replace(all(vec![thing("a", "", 1), thing("b", "", 2)], "3"));
        queue.add(thing("c", "", 4));
        let mut initial = 0;
        while let Some(batch) = pop(&*queue) {
            let is_initial = batch.initial;
            if is_initial {
                initial += 1;
                assert!(!queue.has_synced(), "{name}: being processed");
            }
            drop(batch);
            if is_initial && name == "in order" {
                assert!(queue.has_synced() || initial == 1);
            }
        }
        assert!(queue.has_synced(), "{name}");
    }
    for (name, _, queue) in both() {
        queue.replace(all(Vec::new(), "3"));
        while pop(&*queue).is_some() {}
        assert!(queue.has_synced(), "{name}: an empty list is a list");
    }
    for (name, _, queue) in both() {
        queue.add(thing("a", "", 1));
        while pop(&*queue).is_some() {}
        assert!(queue.has_synced(), "{name}: a change without a list before it");
    }
}

#[test]
fn a_full_queue_asks_to_wait_and_a_closed_one_ends() {
    for (name, _, queue) in both() {
        for number in 0..4 {
            assert!(is_ready(&*queue), "{name}");
            queue.add(thing(&number.to_string(), "", number + 1));
        }
        assert!(!is_ready(&*queue), "{name}");
        pop(&*queue);
        assert!(is_ready(&*queue), "{name}");
        queue.close();
        queue.add(thing("late", "", 9));
        while let Some(batch) = pop(&*queue) {
            assert!(
                batch.deltas.iter().all(|delta| !told(delta).contains("late")),
                "{name}"
            );
        }
        let end = queue.poll_pop(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(end, Poll::Ready(None)), "{name}");
    }
}

#[tokio::test]
async fn a_consumer_that_waits_is_woken() {
    for (name, _, queue) in both() {
        let consumer = tokio::spawn({
            let queue = queue.clone();
            async move { queue.pop().await.map(|batch| told(&batch.deltas[0])) }
        });
        tokio::task::yield_now().await;
        queue.add(thing("a", "", 1));
        assert_eq!(consumer.await.unwrap().as_deref(), Some("+a@1"), "{name}");
        let consumer = tokio::spawn({
            let queue = queue.clone();
            async move { queue.pop().await.is_none() }
        });
        tokio::task::yield_now().await;
        queue.close();
        assert!(consumer.await.unwrap(), "{name}");
    }
}

/// What a consumer does with a batch, with the rules of a batch checked.
fn consume(name: &str, store: &Indexer<Thing>, batch: Batch<Thing>) {
    assert!(!batch.deltas.is_empty() && batch.deltas.len() <= 1000);
    let keys: Vec<_> = batch.deltas.iter().map(Delta::key).collect();
    if name == "in order" {
        let mut unique = keys.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), keys.len(), "objects of a batch differ");
        assert!(
            keys.len() == 1 || keys.iter().all(Option::is_some),
            "a list is alone"
        );
    } else {
        assert!(
            keys.iter().all(|key| key.is_some() && *key == keys[0]),
            "one object a batch"
        );
        for pair in batch.deltas.windows(2) {
            assert!(
                !pair.iter().all(|delta| matches!(delta, Delta::Deleted(_))),
                "deletions are merged"
            );
        }
    }
    for delta in batch.deltas {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) => {
                store.put(object);
            }
            Delta::Sync(object) => {
                assert!(
                    store.get_key(&ObjectKey::of(&*object)).is_some(),
                    "only what is known is shown again"
                );
            }
            Delta::Deleted(deleted) => {
                store.remove(&deleted.key());
            }
            Delta::ReplacedAll(all) => {
                store.replace(all);
            }
            Delta::SyncAll | Delta::Bookmark(_) => {}
        }
    }
    if let Some(version) = batch.resource_version {
        store.set_resource_version(version);
    }
}

/// Both queues against a sorted map that plays the server: whenever the queue is empty the store is what the map is.
#[test]
fn model() {
    for seed in 0..80 {
        for (name, store, queue) in both() {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut server: BTreeMap<String, Arc<Thing>> = BTreeMap::new();
            let mut version = 0;
            for _ in 0..400 {
                version += 1;
                let key = random.u8(..8).to_string();
                match random.u8(..12) {
                    0..5 => {
                        let object = thing(&key, "", version);
                        match server.insert(key, object.clone()) {
                            None => queue.add(object),
                            Some(_) => queue.update(object),
                        }
                    }
                    5 | 6 => {
                        if server.remove(&key).is_some() {
                            queue.delete(Deleted::Known(thing(&key, "", version)));
                        }
                    }
                    7 => {
                        // Changes that were missed, then a list.
                        server.retain(|_, _| random.bool());
                        server.insert(key.clone(), thing(&key, "", version));
                        queue.replace(all(server.values().cloned().collect(), &version.to_string()));
                    }
                    8 => queue.resync(),
                    9 => queue.bookmark(version.to_string().into()),
                    _ => {
                        if let Some(batch) = pop(&*queue) {
                            consume(name, &store, batch);
                        }
                    }
                }
                if random.u8(..20) == 0 {
                    while let Some(batch) = pop(&*queue) {
                        consume(name, &store, batch);
                    }
                    assert!(queue.is_empty() && queue.list().is_empty());
                    let expected: Vec<_> = server.values().cloned().collect();
                    assert_eq!(
                        texts(&store.list()),
                        texts(&expected),
                        "{name}, seed {seed}, version {version}"
                    );
                    assert!(
                        !crate::cache::version::is_before(&version.to_string(), &store.resource_version()),
                        "{name}: the store is not ahead of the server"
                    );
                }
            }
        }
    }
}
