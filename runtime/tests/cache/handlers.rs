use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kubeloom::cache::{Deleted, Event, EventHandler, Filtered, HandlerOptions, ObjectKey, Overflow};

use super::history::History;
use super::server::{Server, Streams, Thing};
use super::{converges, eventually, informer, stored};

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_goes_on_and_harms_nobody() {
    let server = Server::new(Streams::Offered);
    let informer = informer(&server);
    let (before, other) = (History::default(), History::default());
    let mut tell = before.handler();
    let registration = informer.add_event_handler(move |event: Event<Thing>| {
        let panics = event.object().is_some_and(|object| object.size == 13);
        tell(event);
        assert!(!panics, "on purpose");
    });
    informer.add_event_handler(other.handler());
    informer.start();
    informer.wait_synced().await.unwrap();
    for size in [12, 13, 14] {
        server.put("web/a", size);
        converges(&server, &informer, "put").await;
    }
    eventually("all told", || before.told().len() == 3 && other.told().len() == 3).await;
    assert_eq!(
        (registration.metrics().panics, registration.metrics().delivered),
        (1, 3)
    );
}

#[tokio::test(start_paused = true)]
async fn filters_turn_changes_into_additions_and_deletions() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    server.put("web/b", 2);
    let informer = informer(&server);
    let history = History::default();
    informer.add_event_handler(Filtered::new(
        |thing: &Thing| thing.size % 2 == 0,
        history.handler(),
    ));
    informer.start();
    informer.wait_synced().await.unwrap();
    for (key, size) in [("web/a", 4), ("web/a", 6), ("web/a", 7), ("web/a", 9)] {
        server.put(key, size);
        converges(&server, &informer, "put").await;
    }
    server.delete("web/a");
    server.delete("web/b");
    eventually("told", || history.told().len() == 5).await;
    assert_eq!(
        history.told(),
        ["+web/b@12=2", "+web/a@13=4", "~web/a@14=6", "-web/a", "-web/b"]
    );
    assert_eq!(history.known().wrong, [""; 0]);
}

/// 64 readers, one of them asleep: it costs the others nothing, and no more memory than an event or two an object.
#[tokio::test(start_paused = true)]
async fn a_sleeping_reader_is_bounded_and_alone() {
    let server = Server::new(Streams::Offered);
    let informer = informer(&server);
    let histories: Vec<_> = (0..63).map(|_| History::default()).collect();
    for history in &histories {
        informer.add_event_handler(history.handler());
    }
    let options = HandlerOptions {
        buffer: 16,
        ..HandlerOptions::default()
    };
    let mut asleep = informer.events_with(options);
    informer.start();
    informer.wait_synced().await.unwrap();
    let mut deepest = 0;
    for round in 0..300 {
        for object in 0..10 {
            server.put(&format!("web/{object}"), round);
        }
        server.delete(&format!("web/{}", round % 10));
        // Objects that come and go while it sleeps leave no trace.
        server.put(&format!("web/passing-{round}"), 1);
        server.delete(&format!("web/passing-{round}"));
        converges(&server, &informer, "round").await;
        deepest = deepest.max(asleep.registration().metrics().depth);
    }
    let expected = server.texts();
    eventually("the others are told", || {
        histories.iter().all(|history| history.texts() == expected)
    })
    .await;
    for history in &histories {
        assert_eq!(history.known().wrong, [""; 0]);
        assert!(history.told().len() >= 3000, "each state is told");
    }
    assert!(deepest <= 16 + 1 + 2 * 11, "{deepest}");
    let metrics = asleep.registration().metrics();
    assert!(metrics.coalesced > 1000, "{metrics:?}");
    let woken = History::default();
    while woken.texts() != expected {
        woken.tell(&asleep.next().await.unwrap());
    }
    assert_eq!(woken.known().wrong, [""; 0]);
    assert_eq!(asleep.registration().metrics().depth, 0);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_must_miss_nothing_holds_up_the_reading() {
    let server = Server::new(Streams::Offered);
    let informer = super::informer_with(&server, |options| options.queue_capacity = 8);
    let options = HandlerOptions {
        buffer: 4,
        overflow: Overflow::Block,
        ..HandlerOptions::default()
    };
    let mut events = informer.events_with(options);
    informer.start();
    informer.wait_synced().await.unwrap();
    for size in 0..500 {
        server.put("web/a", size);
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    let depth = events.registration().metrics().depth;
    assert!(depth <= 5 + 8, "{depth}");
    assert!(informer.queue_depth() <= 8);
    assert_ne!(stored(&informer), server.texts(), "the store waits too");
    let history = History::default();
    for _ in 0..500 {
        history.tell(&events.next().await.unwrap());
    }
    assert_eq!(history.known().wrong, [""; 0]);
    assert_eq!(history.texts(), server.texts());
    // Dropping the reader lets the informer go on.
    for size in 0..500 {
        server.put("web/a", size);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(events);
    converges(&server, &informer, "without the reader").await;
}

#[tokio::test(start_paused = true)]
async fn a_late_handler_misses_nothing_under_churn() {
    let server = Server::new(Streams::Offered);
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    let mut histories = Vec::new();
    for round in 0..400 {
        server.put(&format!("web/{}", round % 7), round);
        if round % 3 == 0 {
            server.delete(&format!("web/{}", round % 5));
        }
        if round % 10 == 0 {
            let history = History::default();
            informer.add_event_handler(history.handler());
            histories.push(history);
        }
        if round % 4 == 0 {
            tokio::task::yield_now().await;
        }
    }
    converges(&server, &informer, "churn").await;
    let expected = server.texts();
    eventually("told", || {
        histories.iter().all(|history| history.texts() == expected)
    })
    .await;
    for history in histories {
        assert_eq!(history.known().wrong, [""; 0]);
    }
}

/// Removal and stop wait for a call that is under way, in real time and on other threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn removal_and_stop_wait_for_running_calls() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    let informer = informer(&server);
    let begun = Arc::new(AtomicUsize::new(0));
    let ended = Arc::new(AtomicUsize::new(0));
    let slow = || {
        let (begun, ended) = (begun.clone(), ended.clone());
        move |_: Event<Thing>| {
            begun.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(60));
            ended.fetch_add(1, Ordering::SeqCst);
        }
    };
    let first = informer.add_event_handler(slow());
    informer.start();
    while begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    first.remove().await;
    assert_eq!(ended.load(Ordering::SeqCst), 1);
    first.remove().await;
    assert!(first.is_removed());
    server.put("web/a", 2);
    informer.store().at_least("12").await.unwrap();
    let _second = informer.add_event_handler(slow());
    while begun.load(Ordering::SeqCst) == 1 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    informer.stop().await;
    assert_eq!(
        begun.load(Ordering::SeqCst),
        2,
        "the removed one is not called again"
    );
    assert_eq!(ended.load(Ordering::SeqCst), 2);
}

/// Of an object that nobody saw there is a key alone: nothing can be judged by it, nothing is made up.
#[test]
fn a_deletion_of_what_was_never_seen_has_a_key_alone() {
    let deleted = Deleted::<Thing>::Unknown {
        key: ObjectKey::namespaced("web", "a"),
        last: None,
    };
    let event = Event::Deleted(deleted.clone());
    assert_eq!(event.key().to_string(), "web/a");
    assert!(event.object().is_none() && deleted.last().is_none());
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (seen, refused) = (told.clone(), told.clone());
    let handlers: [Box<dyn EventHandler<Thing>>; 2] = [
        Box::new(Filtered::new(
            |_: &Thing| true,
            move |event: Event<Thing>| {
                seen.lock().unwrap().push(event.key().to_string());
            },
        )),
        // It may have matched when it was last seen by this handler.
        Box::new(Filtered::new(
            |_: &Thing| false,
            move |event: Event<Thing>| {
                refused.lock().unwrap().push(event.key().to_string());
            },
        )),
    ];
    for mut handler in handlers {
        handler.on_event(event.clone());
    }
    assert_eq!(*told.lock().unwrap(), ["web/a", "web/a"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_can_be_added_and_removed_by_a_handler() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    let informer = informer(&server);
    let history = History::default();
    let added = Arc::new(AtomicBool::new(false));
    let (inner, inner_history, once) = (informer.clone(), history.clone(), added.clone());
    let outer = informer.add_event_handler(move |_: Event<Thing>| {
        if !once.swap(true, Ordering::SeqCst) {
            let registration = inner.add_event_handler(inner_history.handler());
            inner.add_event_handler(|_: Event<Thing>| {}).detach();
            drop(registration);
        }
    });
    informer.start();
    eventually("added", || history.told() == ["+web/a@11=1"]).await;
    outer.remove().await;
    informer.stop().await;
}

/// Handlers come and go on other threads while objects change: each sees a legal history from its first object on.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handlers_come_and_go_on_many_threads() {
    let server = Server::new(Streams::Offered);
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    let churn = server.clone();
    let churning = tokio::task::spawn_blocking(move || {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..3000 {
            let key = format!("web/{}", random.u8(..10));
            if random.u8(..3) == 0 {
                churn.delete(&key);
            } else {
                churn.put(&key, round);
            }
            if round % 50 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    });
    let adding: Vec<_> = (0..8)
        .map(|_| {
            let informer = informer.clone();
            tokio::spawn(async move {
                let mut kept = Vec::new();
                for round in 0..40 {
                    let history = History::default();
                    let registration = informer.add_event_handler(history.handler());
                    tokio::time::sleep(Duration::from_micros(500)).await;
                    assert!(informer.store().list().len() <= 10);
                    if round % 4 == 0 {
                        kept.push(history);
                    } else {
                        registration.remove().await;
                        assert_eq!(history.known().wrong, [""; 0]);
                    }
                }
                kept
            })
        })
        .collect();
    churning.await.unwrap();
    let mut histories = Vec::new();
    for task in adding {
        histories.extend(task.await.unwrap());
    }
    converges(&server, &informer, "churn").await;
    let expected = server.texts();
    eventually("told", || {
        histories.iter().all(|history| history.texts() == expected)
    })
    .await;
    assert!(histories.iter().all(|history| history.known().wrong.is_empty()));
    informer.stop().await;
}
