//! Reconcilers that fail.

use std::sync::atomic::{AtomicU32, Ordering};

use kubeloom::controller::{ControllerMetrics, FailureKind, Outcome};
use kubeloom::workqueue::{Exponential, QueueLabels, QueueMetrics};

use super::*;

fn failure(text: &str) -> std::io::Error {
    std::io::Error::other(text.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_key_that_fails_is_retried_with_growing_waits_and_others_go_on() {
    let world = World::new();
    world.server.put("web/bad", 1);
    world.server.put("web/good", 1);
    let started = tokio::time::Instant::now();
    let times = Arc::new(Mutex::new(Vec::new()));
    let seen = times.clone();
    let controller = world.controller().limiter(Arc::new(Exponential::default()));
    let handle = world.start(controller, move |context, key| {
        if key.name == "good" {
            return Ok(Action::Done);
        }
        seen.lock()
            .unwrap()
            .push((started.elapsed().as_millis(), context.attempt()));
        if context.attempt() < 5 {
            return Err(failure("not yet"));
        }
        Ok(Action::Done)
    });
    handle.ready().await;
    eventually("well", || handle.status().count(Outcome::Done) == 2).await;
    let times = times.lock().unwrap().clone();
    let attempts: Vec<u32> = times.iter().map(|(_, attempt)| *attempt).collect();
    assert_eq!(attempts, [0, 1, 2, 3, 4, 5]);
    let gaps: Vec<_> = times.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    for (gap, expected) in gaps.iter().zip([5, 10, 20, 40, 80]) {
        assert!((expected..expected + 3).contains(gap), "{gaps:?}");
    }
    let status = handle.status();
    assert_eq!(status.count(Outcome::Error), 5);
    let last = status.last_failure().unwrap();
    assert_eq!(
        (last.kind, last.message.as_str(), last.attempt),
        (FailureKind::Error, "not yet", 5)
    );
    assert_eq!(last.key.to_string(), "web/bad");
    handle.health().unwrap();
    // It is well: its next failure is its first.
    assert_eq!(handle.queue().retries(&ObjectKey::namespaced("web", "bad")), 0);
    handle.stop().await;
}

#[tokio::test(start_paused = true)]
async fn panics_and_runs_without_end_are_failures_of_their_key_alone() {
    let world = World::new();
    for name in ["panics", "panics-early", "hangs", "good"] {
        world.server.put(&format!("web/{name}"), 1);
    }
    let rounds = Arc::new(AtomicU32::new(0));
    let counted = rounds.clone();
    let controller = world.controller().timeout(Duration::from_secs(10));
    let handle = controller.start(move |context: Context, key: ObjectKey| {
        assert!(context.attempt() > 0 || key.name != "panics-early", "early");
        let counted = counted.clone();
        async move {
            if context.attempt() == 0 {
                match key.name.as_str() {
                    "panics" => panic!("on purpose"),
                    "hangs" => std::future::pending().await,
                    _ => {}
                }
            }
            counted.fetch_add(1, Ordering::SeqCst);
            Ok::<_, std::io::Error>(Action::Done)
        }
    });
    handle.ready().await;
    eventually("all are well", || rounds.load(Ordering::SeqCst) == 4).await;
    let status = handle.status();
    assert_eq!(
        (status.count(Outcome::Panic), status.count(Outcome::Timeout)),
        (2, 1)
    );
    assert_eq!(status.workers.len(), 1);
    assert_eq!(status.workers[0].failures, 3);
    handle.stop().await;
}

#[tokio::test(start_paused = true)]
async fn causes_are_told() {
    #[derive(Debug)]
    struct Outer(std::io::Error);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the site could not be made")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let world = World::new();
    world.server.put("web/a", 1);
    let controller = world.controller();
    let handle = controller.start(|_, _| std::future::ready(Err::<Action, _>(Outer(failure("disk full")))));
    eventually("a failure", || handle.status().last_failure().is_some()).await;
    let message = handle.status().last_failure().unwrap().message.clone();
    assert_eq!(message, "the site could not be made: disk full");
    handle.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_busy_is_asked_when_it_says() {
    let world = World::new();
    world.server.put("web/a", 1);
    let client = world.server.client();
    let (asked, runs) = (world.server.clone(), world.runs.clone());
    let handle = world.controller().start(move |context, _| {
        runs.push(context.attempt());
        let (asked, client) = (asked.clone(), client.clone());
        async move {
            if context.attempt() == 0 {
                let busy = server::Fault::Status(429, "TooManyRequests", Some(20));
                asked.state().list_faults.push_back(busy);
            }
            client.namespaced::<Thing>("web").list().await?;
            Ok::<_, kubeloom::Error>(Action::Done)
        }
    });
    handle.ready().await;
    tokio::time::sleep(Duration::from_secs(19)).await;
    assert_eq!(world.runs.len(), 1);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.runs.take(), ["0", "1"]);
    handle.stop().await;
}

#[derive(Debug, Default)]
struct Counts(Mutex<Vec<String>>);

impl QueueMetrics for Counts {
    fn started(&self, labels: &QueueLabels<'_>, _waited: Duration) {
        let class = labels.priority.as_str();
        self.0.lock().unwrap().push(format!("{} {class}", labels.queue));
    }
}

impl ControllerMetrics for Counts {
    fn reconciled(&self, controller: &str, outcome: Outcome, took: Duration) {
        let (outcome, took) = (outcome.as_str(), took.as_secs());
        self.0
            .lock()
            .unwrap()
            .push(format!("{controller} {outcome} {took}s"));
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_are_told_of_runs_and_of_the_queue() {
    let world = World::new();
    world.server.put("web/a", 1);
    let counts = Arc::new(Counts::default());
    let controller = world.controller().metrics(counts.clone());
    let handle = controller.start(|context, _| async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        if context.attempt() == 0 {
            Err(failure("once"))
        } else {
            Ok(Action::Done)
        }
    });
    eventually("done", || handle.status().count(Outcome::Done) == 1).await;
    let told = counts.0.lock().unwrap().clone();
    assert_eq!(
        told,
        ["things low", "things error 3s", "things low", "things done 3s"]
    );
    handle.stop().await;
}
