use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kubeloom::cache::{Event, QueueKind, ReflectorState, Transform};
use kubeloom::selector::Selector;
use kubeloom::wire::{Format, Wire};

use super::history::History;
use super::server::{Cut, Fault, Server, Streams, Thing};
use super::{converges, eventually, informer, informer_with, stored};

#[tokio::test(start_paused = true)]
async fn handlers_see_the_first_list_then_changes() {
    for queue in [QueueKind::InOrder, QueueKind::DeltaFifo] {
        for streams in [Streams::Offered, Streams::Refused] {
            let server = Server::new(streams);
            server.put("web/a", 1);
            server.put("web/b", 2);
            let informer = informer_with(&server, |options| options.queue = queue);
            let early = History::default();
            let registration = informer.add_event_handler(early.handler());
            assert!(!registration.has_synced() && !informer.has_synced());
            assert!(informer.wait_synced().await.is_err(), "it does not run");
            informer.start();
            informer.start();
            informer.wait_synced().await.unwrap();
            assert!(registration.has_synced());
            assert_eq!(
                early.known().initial,
                2,
                "{queue:?}: state built by handlers is there"
            );
            assert_eq!(early.take(), ["+web/a@11=1", "+web/b@12=2"]);

            server.put("web/a", 3);
            server.delete("web/b");
            server.put("web/c", 4);
            eventually("told", || early.known().told.len() == 3).await;
            let mut told = early.take();
            told.sort();
            assert_eq!(told, ["+web/c@15=4", "-web/b", "~web/a@13=3"]);
            assert_eq!(early.known().initial, 2);

            let late = History::default();
            let registration = informer.add_event_handler(late.handler());
            registration.synced().await;
            assert_eq!(late.known().initial, 2);
            let mut told = late.take();
            told.sort();
            assert_eq!(told, ["+web/a@13=3", "+web/c@15=4"]);
            assert_eq!(server.watchers(), 1, "one watch for all");
            informer.stop().await;
            assert_eq!(early.known().wrong, [""; 0]);
            assert_eq!(server.watchers(), 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_happens_while_an_informer_is_stopped_is_told_after_a_restart() {
    let server = Server::new(Streams::Offered);
    for key in ["web/a", "web/b", "web/c"] {
        server.put(key, 1);
    }
    let informer = informer(&server);
    let history = History::default();
    informer.add_event_handler(history.handler());
    informer.start();
    informer.wait_synced().await.unwrap();
    history.take();
    let a = informer.store().get("web", "a").unwrap();
    informer.stop().await;
    assert!(matches!(
        informer.status().borrow().state,
        ReflectorState::Stopped
    ));
    assert!(informer.wait_synced().await.is_err());
    server.put("web/b", 2);
    server.delete("web/c");
    // Another object of the same name.
    server.delete("web/b");
    server.put("web/b", 3);
    assert_eq!(stored(&informer).len(), 3, "a stopped informer can be read");
    server.state().requests.clear();
    informer.start();
    converges(&server, &informer, "restart").await;
    // Another server of the cluster may lag behind: the list is not to be older than what is known.
    assert!(
        server.state().requests[0].contains("resourceVersion=13&"),
        "{:?}",
        server.state().requests
    );
    eventually("told", || history.known().told.len() >= 3).await;
    assert_eq!(history.take(), ["xweb/c", "xweb/b", "+web/b@17=3"]);
    assert_eq!(history.known().wrong, [""; 0]);
    assert!(
        Arc::ptr_eq(&a, &informer.store().get("web", "a").unwrap()),
        "unchanged"
    );
    informer.stop().await;
    informer.start();
    drop(informer);
    eventually("a dropped informer stops", || server.watchers() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_thousand_informers_leave_nothing_behind() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    let metrics = tokio::runtime::Handle::current().metrics();
    let before = metrics.num_alive_tasks();
    let alive = Arc::new(());
    for _ in 0..1000 {
        let informer = informer(&server);
        let token = alive.clone();
        informer.add_event_handler(move |_: Event<Thing>| {
            let _ = &token;
        });
        let events = informer.events();
        informer.start();
        informer.wait_synced().await.unwrap();
        informer.stop().await;
        drop(events);
    }
    tokio::task::yield_now().await;
    assert_eq!(metrics.num_alive_tasks(), before);
    assert_eq!(server.watchers(), 0);
    assert_eq!(
        Arc::strong_count(&alive),
        1,
        "handlers are dropped with their informers"
    );
}

#[tokio::test(start_paused = true)]
async fn a_resync_shows_all_objects_to_those_who_asked() {
    for queue in [QueueKind::InOrder, QueueKind::DeltaFifo] {
        let server = Server::new(Streams::Offered);
        server.put("web/a", 1);
        server.put("web/b", 2);
        let informer = informer_with(&server, |options| {
            options.queue = queue;
            options.resync = Some(Duration::from_secs(30));
        });
        let (asks, never) = (History::default(), History::default());
        informer.add_event_handler(asks.handler());
        informer.add_event_handler_with(never.handler(), Default::default());
        informer.start();
        informer.wait_synced().await.unwrap();
        asks.take();
        never.take();
        tokio::time::sleep(Duration::from_secs(29)).await;
        assert_eq!(asks.take().len(), 0);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut told = asks.take();
        told.sort();
        assert_eq!(told, ["=web/a@11=1", "=web/b@12=2"], "{queue:?}");
        // One that is added later has a period of its own.
        let late = History::default();
        let options = kubeloom::cache::HandlerOptions {
            resync: Some(Duration::from_millis(1)),
            ..Default::default()
        };
        informer.add_event_handler_with(late.handler(), options);
        tokio::time::sleep(Duration::from_millis(5500)).await;
        assert_eq!(late.take().len(), 2 + 2 * 5, "a second at the least");
        assert_eq!((asks.take().len(), never.take().len()), (0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_can_be_waited_for() {
    let server = Server::new(Streams::Offered);
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    let version = server.put("web/a", 1).to_string();
    informer.store().at_least(&version).await.unwrap();
    assert!(informer.lister().namespace("web").get("a").is_some());
    // No change of this resource, but a bookmark.
    let store = informer.store().clone();
    let waiting = tokio::spawn(async move { store.at_least("12").await });
    server.bookmark();
    waiting.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn listers_read_by_name_namespace_and_index() {
    let server = Server::new(Streams::Offered);
    for key in ["web/a", "web/b", "db/a"] {
        server.put(key, 7);
    }
    let informer = informer(&server);
    let by_size = informer
        .add_index("size", |thing: &Thing| vec![thing.size])
        .unwrap();
    informer.start();
    informer.wait_synced().await.unwrap();
    let lister = informer.lister();
    assert_eq!(lister.list().len(), 3);
    assert_eq!(lister.namespace("web").list_sorted().len(), 2);
    assert_eq!(lister.namespace("none").list().len(), 0);
    assert_eq!(lister.by_index("namespace", "db").len(), 1);
    assert_eq!(by_size.get(&7).len(), 3);
    let error = lister.namespace("web").require("x").unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(
        error.to_string(),
        "cannot get things.demo.example.com web/x: 404 NotFound: things.demo.example.com \"x\" not found"
    );
    assert!(lister.get("a").is_none(), "no object of cluster scope");
    let all: Selector = "".parse().unwrap();
    let labelled: Selector = "size=7".parse().unwrap();
    assert_eq!(lister.select(&all).len(), 3);
    assert_eq!(lister.select(&labelled).len(), 0);
    assert_eq!(lister.select(&"!size".parse().unwrap()).len(), 3);
    assert_eq!(lister.namespace("web").select(&all).len(), 2);
    lister.at_least("11").await.unwrap();
    // What is kept says what it is, though the list does not: references to it are valid.
    let thing = lister.namespace("web").require("a").unwrap();
    let json = String::from_utf8(thing.encode(Format::Json).unwrap()).unwrap();
    assert!(
        json.starts_with(r#"{"apiVersion":"demo.example.com/v1","kind":"Thing","#),
        "{json}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_transform_that_fails_or_panics_costs_one_object() {
    for streams in [Streams::Offered, Streams::Refused] {
        let server = Server::new(streams);
        for (key, size) in [("web/a", 1), ("web/fails", -1), ("web/panics", -2)] {
            server.put(key, size);
        }
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let transform =
            Transform::drop_managed_fields().then(Transform::fallible(move |thing: &mut Thing| {
                counted.fetch_add(1, Ordering::Relaxed);
                match thing.size {
                    -1 => Err("on purpose".into()),
                    -2 => panic!("on purpose"),
                    _ => Ok(()),
                }
            }));
        let informer = informer_with(&server, |options| options.transform = Some(transform));
        informer.start();
        informer.wait_synced().await.unwrap();
        assert_eq!(stored(&informer), ["web/a@11=1"]);
        assert_eq!(calls.load(Ordering::Relaxed), 3, "once for each object");
        assert!(
            informer
                .store()
                .get("web", "a")
                .unwrap()
                .metadata
                .managed_fields
                .is_empty()
        );
        let status = informer.status().borrow().clone();
        assert_eq!(status.skipped, 2);
        assert!(status.last_skipped.unwrap().reason.contains("panicked"));
        // The next event of the object tries again; one that fails later leaves what is known.
        server.put("web/fails", 5);
        converges_on(&informer, &["web/a@11=1", "web/fails@14=5"]).await;
        server.put("web/a", -1);
        server.put("web/b", 1);
        server.compact();
        server.cut(Cut::Expired);
        converges_on(&informer, &["web/a@11=1", "web/b@16=1", "web/fails@14=5"]).await;
        server.delete("web/a");
        converges_on(&informer, &["web/b@16=1", "web/fails@14=5"]).await;
    }
}

async fn converges_on(informer: &kubeloom::cache::SharedInformer<Thing>, expected: &[&str]) {
    eventually(&format!("{expected:?}"), || stored(informer) == expected).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stored(informer), expected, "and it stays so");
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_object_costs_one_object() {
    for streams in [Streams::Offered, Streams::Refused] {
        let server = Server::new(streams);
        server.put("web/a", 1);
        server.put_value("web/bad", serde_json::json!("large"));
        server.put("web/c", 1);
        let informer = informer(&server);
        let history = History::default();
        informer.add_event_handler(history.handler());
        informer.start();
        informer.wait_synced().await.unwrap();
        assert_eq!(stored(&informer), ["web/a@11=1", "web/c@13=1"]);
        let skipped = informer.status().borrow().last_skipped.clone().unwrap();
        assert_eq!(skipped.key.to_string(), "web/bad");
        server.put_value("web/a", serde_json::json!([]));
        server.put("web/d", 1);
        converges_on(&informer, &["web/a@11=1", "web/c@13=1", "web/d@15=1"]).await;
        // A relist that cannot read it is no deletion.
        server.compact();
        server.cut(Cut::Expired);
        server.put("web/e", 1);
        converges_on(
            &informer,
            &["web/a@11=1", "web/c@13=1", "web/d@15=1", "web/e@16=1"],
        )
        .await;
        server.put("web/a", 2);
        server.delete("web/bad");
        converges(&server, &informer, "readable again").await;
        assert!(
            !history.told().iter().any(|told| told.starts_with(['x', '-'])),
            "{:?}",
            history.told()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_panics_is_tried_again() {
    let server = Server::new(Streams::Refused);
    server.put("web/a", 1);
    server.state().list_faults.extend([Fault::Panic, Fault::Panic]);
    server
        .state()
        .watch_faults
        .extend([Fault::Status(400, "BadRequest", None), Fault::Panic]);
    let informer = informer(&server);
    let status = informer.status();
    informer.start();
    converges(&server, &informer, "panics").await;
    eventually("watching", || {
        matches!(status.borrow().state, ReflectorState::Watching)
    })
    .await;
    eventually("three panics", || status.borrow().panics == 3).await;
    server.put("web/a", 2);
    converges(&server, &informer, "after panics").await;
}
