//! Recorders against the real server: it takes what they write.

use std::time::Duration;

use kubeloom::events::{EventApi, EventOptions, ObjectReference, Recorder, Type};
use kubeloom_k8s::core_v1::{self, ConfigMap, Namespace, Node};
use kubeloom_k8s::events_v1;
use kubeloom_tests::require_apiserver;

use crate::client;

const LIMIT: Duration = Duration::from_secs(120);

fn config_map(name: &str, namespace: &str) -> ConfigMap {
    let mut object = ConfigMap::default();
    object.metadata.name = name.into();
    object.metadata.namespace = namespace.into();
    object.metadata.uid = format!("uid-of-{name}").into();
    object
}

#[tokio::test]
async fn an_event_appears_in_both_apis_and_its_series_is_patched() {
    let server = require_apiserver!();
    let namespace = server.namespace("series").unwrap();
    let client = client(server);
    let recorder = Recorder::start(&client, EventOptions::new("example.com/reaper")).unwrap();
    let object = config_map("settings", &namespace);
    for round in 0..7 {
        recorder
            .about(&object)
            .related(&config_map("other", &namespace))
            .annotation("example.com/round", round.to_string())
            .emit(Type::Warning, "Unreadable", "Reload", format!("round {round}"));
    }
    let stats = recorder.shutdown(LIMIT).await;
    assert_eq!(
        (stats.created, stats.patched, stats.counted, stats.rejected),
        (1, 2, 5, 0),
        "{stats:?}"
    );

    let events = client
        .namespaced::<events_v1::Event>(&namespace)
        .list()
        .await
        .unwrap()
        .items;
    assert_eq!(events.len(), 1, "{events:?}");
    let event = &events[0];
    assert_eq!(event.series.as_ref().unwrap().count, 7);
    assert!(event.series.as_ref().unwrap().last_observed_time >= event.event_time);
    assert_eq!(
        (&*event.reason, &*event.action, &*event.note),
        ("Unreadable", "Reload", "round 0")
    );
    assert_eq!(event.metadata.annotations.get("example.com/round").unwrap(), "0");
    assert_eq!(event.regarding.name, "settings");
    assert_eq!(event.related.as_ref().unwrap().name, "other");
    // What kubectl reads.
    let old = client
        .namespaced::<core_v1::Event>(&namespace)
        .get(&event.metadata.name)
        .await
        .unwrap();
    assert_eq!(
        (&*old.message, &*old.reporting_component),
        ("round 0", "example.com/reaper")
    );
}

#[tokio::test]
async fn an_older_event_has_its_count_raised_and_similar_ones_are_combined() {
    let server = require_apiserver!();
    let namespace = server.namespace("older").unwrap();
    let client = client(server);
    let options = EventOptions::new("reaper").api(EventApi::Core);
    let recorder = Recorder::start(&client, options).unwrap();
    let object = config_map("settings", &namespace);
    for _ in 0..3 {
        recorder.event(&object, Type::Normal, "Same", "Reload", "the same");
    }
    for round in 0..14 {
        recorder.event(
            &object,
            Type::Normal,
            "Similar",
            "Reload",
            format!("round {round}"),
        );
    }
    for round in 0..40 {
        recorder.event(&object, Type::Normal, &format!("Spam{round}"), "Reload", "");
    }
    let stats = recorder.shutdown(LIMIT).await;
    // A burst of 25 about one object.
    assert_eq!(
        (stats.created + stats.patched, stats.suppressed),
        (25, 57 - 25),
        "{stats:?}"
    );
    assert_eq!(stats.rejected, 0, "{stats:?}");

    let events = client
        .namespaced::<core_v1::Event>(&namespace)
        .list()
        .await
        .unwrap()
        .items;
    let same = events.iter().find(|event| event.reason == "Same").unwrap();
    assert_eq!(same.count, 3);
    let similar: Vec<_> = events.iter().filter(|event| event.reason == "Similar").collect();
    assert_eq!(similar.len(), 10);
    let combined = similar.iter().find(|event| event.count > 1).unwrap();
    assert_eq!(
        (&*combined.message, combined.count),
        ("(combined from similar events): round 13", 5)
    );
}

#[tokio::test]
async fn whatever_an_event_is_about_the_server_takes_it() {
    let server = require_apiserver!();
    let namespace = server.namespace("odd").unwrap();
    let client = client(server);
    for api in [EventApi::V1, EventApi::Core] {
        let recorder = Recorder::start(&client, EventOptions::new("example.com/odd").api(api)).unwrap();
        let mut node = Node::default();
        node.metadata.name = "Node:With:Colons".into();
        recorder.event(&node, Type::Normal, "Odd", "", "of the cluster");
        recorder.event(
            &ObjectReference::default(),
            Type::Normal,
            "Odd",
            "Do",
            "of nothing",
        );
        let long = config_map(&"a".repeat(253), &namespace);
        recorder.event(
            &long,
            Type::Normal,
            &"R".repeat(500),
            &"A".repeat(500),
            "ü".repeat(5000),
        );
        let stats = recorder.shutdown(LIMIT).await;
        assert_eq!(
            (stats.created, stats.rejected),
            (3, 0),
            "{api:?} {stats:?}; {}",
            server.log_tail()
        );
    }
    let here = client
        .namespaced::<events_v1::Event>(&namespace)
        .list()
        .await
        .unwrap()
        .items;
    assert_eq!(here.len(), 2);
    assert!(
        here.iter()
            .all(|event| event.note.len() <= 1024 && event.note.ends_with("..."))
    );
    let cluster = client
        .namespaced::<events_v1::Event>("default")
        .list()
        .await
        .unwrap()
        .items;
    let odd = cluster.iter().filter(|event| event.reason == "Odd").count();
    assert_eq!(odd, 4);
}

#[tokio::test]
async fn a_namespace_that_is_not_there_refuses_and_nobody_insists() {
    let server = require_apiserver!();
    let client = client(server);
    let recorder = Recorder::start(&client, EventOptions::new("reaper")).unwrap();
    let mut namespace = Namespace::default();
    namespace.metadata.name = "nowhere".into();
    recorder.event(
        &config_map("settings", "nowhere"),
        Type::Normal,
        "Lost",
        "Do",
        "nowhere",
    );
    let stats = recorder.shutdown(LIMIT).await;
    assert_eq!(
        (stats.rejected, stats.retried, stats.created),
        (1, 0, 0),
        "{stats:?}"
    );
}

#[tokio::test]
async fn a_storm_of_ten_thousand_events_is_bounded() {
    let server = require_apiserver!();
    let namespace = server.namespace("storm").unwrap();
    let client = client(server);
    let recorder = Recorder::start(&client, EventOptions::new("example.com/storm")).unwrap();
    let mut most = 0;
    for round in 0..10_000 {
        // Half of them are of ten kinds, the others of one each.
        let reason = match round % 2 {
            0 => format!("Kind{}", round % 20),
            _ => format!("Single{round}"),
        };
        recorder.event(
            &config_map("settings", &namespace),
            Type::Warning,
            &reason,
            "Blow",
            "hard",
        );
        if round % 100 == 0 {
            most = most.max(recorder.stats().queued);
            tokio::task::yield_now().await;
        }
    }
    let stats = recorder.shutdown(LIMIT).await;
    println!("{stats:?}, at most {most} waited");
    assert!(most <= 1000, "{most}");
    assert!(stats.dropped > 0 && stats.created >= 1000, "{stats:?}");
    assert_eq!(
        (stats.recorded, stats.rejected, stats.abandoned, stats.queued),
        (10_000, 0, 0, 0),
        "{stats:?}"
    );
    let events = client
        .namespaced::<events_v1::Event>(&namespace)
        .list()
        .await
        .unwrap()
        .items;
    assert_eq!(events.len() as u64, stats.created);
    // Of the ten kinds nothing is lost: one event each, with all that happened.
    for kind in 0..10 {
        let reason = format!("Kind{}", kind * 2);
        let found: Vec<_> = events.iter().filter(|event| event.reason == *reason).collect();
        assert_eq!(found.len(), 1, "{reason}");
        assert_eq!(found[0].series.as_ref().unwrap().count, 500, "{reason}");
    }
}
