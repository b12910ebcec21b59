//! Recorders on a scripted server: bounded, in order, through failures, to the end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::dynamic::DynamicObject;
use kubeloom::events::{EventApi, EventMetrics, EventOutcome, EventStats, ObjectReference, Recorder, Type};
use kubeloom::transport::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::server::{Fault, Server};

fn pod(name: &str) -> ObjectReference {
    ObjectReference {
        kind: "Pod".into(),
        namespace: "web".into(),
        name: name.into(),
        uid: "u1".into(),
        api_version: "v1".into(),
        ..ObjectReference::default()
    }
}

async fn until_quiet(recorder: &Recorder) -> EventStats {
    while recorder.stats().queued > 0 {
        sleep(Duration::from_millis(10)).await;
    }
    recorder.stats()
}

#[tokio::test(start_paused = true)]
async fn an_event_says_who_what_and_why() {
    let server = Server::default();
    let recorder = server.recorder(|options| options.instance = "reaper-7".into());
    let mut node = DynamicObject::new("v1", "Node", "node-1");
    node.metadata.uid = "n1".into();
    recorder
        .about(&pod("web-0"))
        .related(&node)
        .field_path("spec.containers{web}")
        .annotation("example.com/run", "7")
        .emit(Type::Warning, "Unreachable", "Evict", "no answer");
    // Of cluster scope.
    recorder.event(&node, Type::Normal, "Drained", "Drain", "all pods are gone");
    let stats = recorder.shutdown(Duration::from_secs(5)).await;
    assert_eq!((stats.recorded, stats.created, stats.queued), (2, 2, 0));
    let events = server.events();
    let of = |name: &str| {
        let found = events.iter().find(|event| event["regarding"]["name"] == name);
        found.unwrap().clone()
    };
    let event = of("web-0");
    assert_eq!(event["apiVersion"], "events.k8s.io/v1");
    assert_eq!(event["metadata"]["namespace"], "web");
    assert!(
        event["metadata"]["name"]
            .as_str()
            .unwrap()
            .starts_with("web-0.18fae"),
        "{event}"
    );
    assert_eq!(event["metadata"]["annotations"], json!({"example.com/run": "7"}));
    assert_eq!(event["eventTime"], "2027-01-15T08:00:00.000000Z");
    assert_eq!(event["regarding"]["fieldPath"], "spec.containers{web}");
    assert_eq!(
        event["related"],
        json!({"kind": "Node", "name": "node-1", "uid": "n1", "apiVersion": "v1"})
    );
    let words = [
        "type",
        "reason",
        "action",
        "note",
        "reportingController",
        "reportingInstance",
    ];
    assert_eq!(
        words.map(|word| event[word].as_str().unwrap()),
        [
            "Warning",
            "Unreachable",
            "Evict",
            "no answer",
            "example.com/reaper",
            "reaper-7"
        ]
    );
    assert_eq!(of("node-1")["metadata"]["namespace"], "default");
}

#[tokio::test(start_paused = true)]
async fn a_series_is_patched_and_its_count_written_at_the_end() {
    let server = Server::default();
    let recorder = server.recorder(|_| {});
    for _ in 0..50 {
        recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
    }
    until_quiet(&recorder).await;
    assert_eq!(server.events()[0]["series"]["count"], 2);
    let stats = recorder.shutdown(Duration::from_secs(5)).await;
    assert_eq!(server.methods(), [Method::Post, Method::Patch, Method::Patch]);
    assert_eq!(server.events()[0]["series"]["count"], 50);
    assert_eq!(
        (stats.recorded, stats.counted, stats.created, stats.patched),
        (50, 48, 1, 2)
    );
    // Too late.
    recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
    assert_eq!(recorder.stats().dropped, 1);
}

#[tokio::test(start_paused = true)]
async fn a_series_that_ends_is_written_without_anybody_asking() {
    let server = Server::default();
    let recorder = server.recorder(|_| {});
    for _ in 0..5 {
        recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
    }
    sleep(Duration::from_secs(8 * 60)).await;
    assert_eq!(server.events()[0]["series"]["count"], 5);
    recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "again");
    until_quiet(&recorder).await;
    assert_eq!(server.events().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_an_event_that_is_gone_makes_it_anew() {
    for api in [EventApi::V1, EventApi::Core] {
        let server = Server::default();
        let recorder = server.recorder(|options| options.api = api);
        recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
        until_quiet(&recorder).await;
        server.events.lock().unwrap().clear();
        recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
        until_quiet(&recorder).await;
        let events = server.events();
        let (count, name) = match api {
            EventApi::V1 => (&events[0]["series"]["count"], &events[0]["regarding"]["name"]),
            EventApi::Core => (&events[0]["count"], &events[0]["involvedObject"]["name"]),
        };
        assert_eq!((count, name), (&json!(2), &json!("web-0")));
        assert_eq!(server.methods(), [Method::Post, Method::Patch, Method::Post]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_older_event_has_its_count_raised() {
    let server = Server::default();
    let recorder = server.recorder(|options| options.api = EventApi::Core);
    for round in 0..3 {
        recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
        until_quiet(&recorder).await;
        sleep(Duration::from_secs(round)).await;
    }
    let event = &server.events()[0];
    assert_eq!((&event["apiVersion"], &event["count"]), (&json!("v1"), &json!(3)));
    assert_eq!(event["firstTimestamp"], "2027-01-15T08:00:00Z");
    assert_eq!(event["lastTimestamp"], "2027-01-15T08:00:01Z");
    assert_eq!(
        event["source"],
        json!({"component": "example.com/reaper", "host": event["reportingInstance"]})
    );
    assert_eq!(event["eventTime"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn what_servers_refuse_is_not_sent_again_and_what_they_missed_is() {
    use Fault::{AnswerLost, Hangs, Refused, Says};
    let rows: [(&[Fault], u64, u64, u64); 8] = [
        // Faults, requests, made, refused.
        (&[Says(403, "Forbidden")], 1, 0, 1),
        (&[Says(422, "Invalid")], 1, 0, 1),
        (&[Says(404, "NotFound")], 1, 0, 1),
        (&[Refused, Refused, Refused], 4, 1, 0),
        (&[Says(503, "ServiceUnavailable")], 2, 1, 0),
        (&[Says(429, "TooManyRequests")], 2, 1, 0),
        (&[Hangs], 2, 1, 0),
        (&[AnswerLost], 2, 1, 0),
    ];
    for (faults, requests, created, rejected) in rows {
        let server = Server::default();
        server.next.lock().unwrap().extend(faults);
        let recorder = server.recorder(|_| {});
        recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
        let stats = until_quiet(&recorder).await;
        assert_eq!(server.methods().len() as u64, requests, "{faults:?}");
        assert_eq!((stats.created, stats.rejected), (created, rejected), "{faults:?}");
        assert_eq!(server.events().len() as u64, created, "{faults:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_away_is_given_up_after_twelve_attempts() {
    let server = Server::default();
    *server.always.lock().unwrap() = Some(Fault::Refused);
    let recorder = server.recorder(|_| {});
    let began = Instant::now();
    recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
    let stats = until_quiet(&recorder).await;
    assert_eq!(
        (server.methods().len(), stats.abandoned, stats.retried),
        (12, 1, 11)
    );
    let took = began.elapsed();
    assert!(
        took >= Duration::from_secs(100) && took <= Duration::from_secs(136),
        "{took:?}"
    );
}

#[derive(Debug, Default)]
struct Counts(Mutex<BTreeMap<String, u64>>);

impl EventMetrics for Counts {
    fn event(&self, outcome: EventOutcome) {
        *self.0.lock().unwrap().entry(format!("{outcome:?}")).or_default() += 1;
    }
}

#[tokio::test(start_paused = true)]
async fn a_storm_is_bounded_and_what_is_dropped_is_counted() {
    let server = Server::default();
    *server.delay.lock().unwrap() = Duration::from_millis(10);
    let counts = Arc::new(Counts::default());
    let metrics = counts.clone();
    let recorder = server.recorder(|options| {
        options.queue = 100;
        options.metrics = metrics;
    });
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    for round in 0..10_000 {
        // Each is of another kind, and nobody writes meanwhile.
        recorder.event(
            &pod(&format!("web-{round}")),
            Type::Warning,
            "Storm",
            "Blow",
            "hard",
        );
        assert!(recorder.stats().queued <= 100);
    }
    assert_eq!(
        tokio::runtime::Handle::current().metrics().num_alive_tasks(),
        tasks
    );
    // And one kind a thousand times, which needs no room.
    let dropped = recorder.stats().dropped;
    assert_eq!(dropped, 9_900);
    for _ in 0..1000 {
        recorder.event(&pod("web-0"), Type::Warning, "Storm", "Blow", "hard");
    }
    let stats = recorder.shutdown(Duration::from_secs(60)).await;
    assert_eq!(
        (stats.created, stats.dropped + stats.counted),
        (100, 9_900 + 1000)
    );
    assert_eq!(server.events().len(), 100);
    // The change that had no room was told in the end.
    let loudest = server
        .events()
        .iter()
        .filter_map(|event| event["series"]["count"].as_i64())
        .max();
    assert_eq!(loudest, Some(1001));
    assert_eq!(counts.0.lock().unwrap()["Dropped"], stats.dropped);
    assert_eq!(counts.0.lock().unwrap()["Created"], 100);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_takes_no_longer_than_it_may() {
    for fault in [Fault::Hangs, Fault::Refused] {
        let server = Server::default();
        *server.always.lock().unwrap() = Some(fault);
        let recorder = server.recorder(|_| {});
        for round in 0..20 {
            recorder.event(
                &pod(&format!("web-{round}")),
                Type::Normal,
                "Pulled",
                "Pull",
                "there",
            );
        }
        sleep(Duration::from_secs(1)).await;
        let began = Instant::now();
        let stats = recorder.shutdown(Duration::from_secs(3)).await;
        assert_eq!(began.elapsed(), Duration::from_secs(3), "{fault:?}");
        assert_eq!((stats.abandoned, stats.created), (20, 0), "{fault:?}");
        // Again: nothing is left to do.
        recorder.shutdown(Duration::from_secs(3)).await;
        assert_eq!(began.elapsed(), Duration::from_secs(3), "{fault:?}");
    }
    // A server that comes back in time gets all.
    let server = Server::default();
    *server.always.lock().unwrap() = Some(Fault::Refused);
    let recorder = server.recorder(|_| {});
    recorder.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
    sleep(Duration::from_millis(100)).await;
    let back = server.clone();
    tokio::spawn(async move {
        sleep(Duration::from_secs(2)).await;
        *back.always.lock().unwrap() = None;
    });
    let stats = recorder.shutdown(Duration::from_secs(10)).await;
    assert_eq!((stats.abandoned, stats.created), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn the_last_recorder_may_simply_go() {
    let server = Server::default();
    let recorder = server.recorder(|_| {});
    let clone = recorder.clone();
    drop(recorder);
    for _ in 0..10 {
        clone.event(&pod("web-0"), Type::Normal, "Pulled", "Pull", "there");
    }
    drop(clone);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(server.events()[0]["series"]["count"], 10);
    sleep(Duration::from_secs(120)).await;
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}
