//! One handler of 64 does not return: the others are told in time, and what waits for it is bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kubeloom::cache::{Event, HandlerOptions, SharedInformer};

use super::history::History;
use super::informer;
use super::server::{Server, Streams, Thing};

const UPDATES: i64 = 300;
const BUFFER: usize = 8;

/// How long it takes until all of 63 handlers have been told of a change, the longest and the sum of all.
async fn round_trips(server: &Server, informer: &SharedInformer<Thing>) -> (Duration, Duration) {
    let told = Arc::new(AtomicUsize::new(0));
    let registrations: Vec<_> = (0..63)
        .map(|_| {
            let told = told.clone();
            informer.add_event_handler(move |_: Event<Thing>| {
                told.fetch_add(1, Ordering::SeqCst);
            })
        })
        .collect();
    for registration in &registrations {
        registration.synced().await;
    }
    let (mut longest, begun) = (Duration::ZERO, Instant::now());
    for size in 0..UPDATES {
        told.store(0, Ordering::SeqCst);
        let sent = Instant::now();
        server.put("web/a", size);
        while told.load(Ordering::SeqCst) < 63 {
            assert!(sent.elapsed() < Duration::from_secs(30), "a handler is not told");
            tokio::task::yield_now().await;
        }
        longest = longest.max(sent.elapsed());
    }
    for registration in registrations {
        registration.remove().await;
    }
    (longest, begun.elapsed())
}

/// A handler that stays in its first call until something is sent, in real time, with its thread.
fn sleeper(history: &History, wake: Receiver<()>) -> impl FnMut(Event<Thing>) + Send + 'static {
    let history = history.clone();
    let mut wake = Some(wake);
    move |event| {
        history.tell(&event);
        if let Some(wake) = wake.take() {
            wake.recv().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_handler_that_sleeps_delays_no_other() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", -1);
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    let (longest_before, before) = round_trips(&server, &informer).await;

    let history = History::default();
    let (waker, wake) = channel();
    let options = HandlerOptions {
        buffer: BUFFER,
        ..HandlerOptions::default()
    };
    let asleep = informer.add_event_handler_with(sleeper(&history, wake), options);
    while history.told().is_empty() {
        tokio::task::yield_now().await;
    }
    let (longest, with_sleeper) = round_trips(&server, &informer).await;
    // Ten times is far from any noise of the machine and farther still from waiting for a handler that never returns.
    println!("{UPDATES} changes to 63 handlers: {before:?}, beside a sleeper {with_sleeper:?}");
    println!("the slowest change: {longest_before:?}, beside a sleeper {longest:?}");
    assert!(with_sleeper < before * 10 + Duration::from_secs(1));
    // Objects that come and go while it sleeps leave nothing that waits.
    for number in 0..2000 {
        server.put(&format!("web/passing-{number}"), 1);
        server.delete(&format!("web/passing-{number}"));
    }
    let version = server.put("web/a", UPDATES).to_string();
    informer.store().at_least(&version).await.unwrap();
    let metrics = asleep.metrics();
    assert!(metrics.depth <= BUFFER + 2 * 2, "{metrics:?}");
    assert_eq!(metrics.delivered, 0, "it is in its first call");
    assert!(metrics.coalesced > 4000, "{metrics:?}");

    waker.send(()).unwrap();
    while history.texts() != server.texts() {
        tokio::task::yield_now().await;
    }
    assert_eq!(history.known().wrong, [""; 0], "what it is told is legal");
    informer.stop().await;
}
