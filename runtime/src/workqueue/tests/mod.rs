//! What a queue promises, one by one; `model` checks it all against a reference, `stress` on many threads.

mod delays;
mod limiters;
mod model;
mod stress;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;

use super::*;

fn ordered() -> WorkQueue<u32> {
    WorkQueue::with_options(QueueOptions {
        order: Order::by_priority(),
        ..QueueOptions::default()
    })
}

fn with_priority(priority: i32) -> Request {
    Request {
        priority,
        ..Request::default()
    }
}

/// The next key, at once and done with.
fn next<T: Key>(queue: &WorkQueue<T>) -> Option<T> {
    let item = queue.get().now_or_never().flatten()?;
    Some(item.key().clone())
}

fn drain<T: Key>(queue: &WorkQueue<T>) -> Vec<T> {
    std::iter::from_fn(|| next(queue)).collect()
}

#[test]
fn a_key_waits_once_and_is_with_one_worker() {
    let queue = WorkQueue::new();
    assert_eq!(queue.add("a"), Added::Queued);
    assert_eq!(queue.add("b"), Added::Queued);
    assert_eq!(queue.add("a"), Added::Coalesced);
    let item = queue.get().now_or_never().unwrap().unwrap();
    assert_eq!(*item, "a");
    assert_eq!(queue.add("a"), Added::AfterRun);
    assert_eq!(queue.add("a"), Added::AfterRun);
    assert_eq!(drain(&queue), ["b"]);
    drop(item);
    assert_eq!(drain(&queue), ["a"]);
    let stats = queue.stats();
    assert_eq!((stats.added, stats.coalesced), (5, 2));
    assert_eq!((stats.ready, stats.running, stats.delayed), (0, 0, 0));
}

#[test]
fn a_panic_is_the_end_of_a_run() {
    let queue = WorkQueue::new();
    queue.add(1);
    let worked = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let _item = queue.get().now_or_never().unwrap().unwrap();
        queue.add(1);
        panic!("on purpose");
    }));
    worked.unwrap_err();
    assert_eq!(drain(&queue), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_get_that_is_dropped_loses_nothing() {
    let queue = WorkQueue::new();
    let (mut first, mut second) = (Box::pin(queue.get()), Box::pin(queue.get()));
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none());
    // Tells the first, which goes without coming back.
    queue.add(7);
    let waiting = async {
        let item = second.await.unwrap();
        assert_eq!(*item, 7);
    };
    drop(first);
    tokio::time::timeout(Duration::from_secs(1), waiting)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_time_is_kept_although_its_keeper_goes() {
    let queue = WorkQueue::new();
    queue.add_after(7, Duration::from_secs(5));
    let mut keeper = Box::pin(queue.get());
    assert!((&mut keeper).now_or_never().is_none());
    let other = queue.clone();
    let other = tokio::spawn(async move { other.get().await.map(|item| *item) });
    tokio::task::yield_now().await;
    drop(keeper);
    let got = tokio::time::timeout(Duration::from_secs(6), other).await;
    assert_eq!(got.unwrap().unwrap(), Some(7));
}

#[tokio::test(start_paused = true)]
async fn shutdown_hands_out_what_is_ready_and_drops_what_is_later() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.add_after(2, Duration::from_secs(1));
    queue.add_after(1, Duration::from_secs(1));
    let item = queue.get().await.unwrap();
    queue.add(1);
    queue.add(3);
    queue.shutdown();
    assert_eq!(
        (queue.add(4), queue.add_after(5, Duration::from_secs(1))),
        (Added::Refused, Added::Refused)
    );
    assert_eq!(next(&queue), Some(3));
    // One worker still has a key that was asked for again: others wait for it.
    assert!(queue.get().now_or_never().is_none());
    let waiter = queue.clone();
    let waiter = tokio::spawn(async move { waiter.get().await.map(|item| *item) });
    tokio::task::yield_now().await;
    drop(item);
    assert_eq!(waiter.await.unwrap(), Some(1));
    assert!(queue.get().await.is_none());
    assert_eq!(queue.stats().delayed, 0);
}

#[tokio::test(start_paused = true)]
async fn shutdown_wakes_everyone_who_waits() {
    let queue = WorkQueue::<u32>::new();
    let workers: Vec<_> = (0..10)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.get().await.is_none() })
        })
        .collect();
    tokio::task::yield_now().await;
    queue.shutdown();
    for worker in workers {
        assert!(worker.await.unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn draining_waits_for_the_last_run() {
    let queue = WorkQueue::new();
    queue.add_all(0..20, 0);
    let worker = queue.clone();
    let worker = tokio::spawn(async move {
        let mut count = 0;
        while let Some(item) = worker.get().await {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if count == 0 {
                // Refused: the queue is shut down by now.
                assert_eq!(worker.add(*item), Added::Refused);
            }
            count += 1;
        }
        count
    });
    tokio::task::yield_now().await;
    let started = tokio::time::Instant::now();
    queue.shutdown_with_drain().await;
    assert_eq!(started.elapsed(), Duration::from_secs(20));
    assert_eq!(worker.await.unwrap(), 20);
    // Again, with nothing to wait for.
    queue.shutdown_with_drain().await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_now_drops_what_is_ready() {
    let queue = WorkQueue::new();
    queue.add_all(0..3, 0);
    let item = queue.get().await.unwrap();
    queue.add(*item);
    queue.shutdown_now();
    assert!(queue.get().await.is_none());
    assert!(queue.shutdown_with_drain().now_or_never().is_none());
    drop(item);
    assert!(queue.shutdown_with_drain().now_or_never().is_some());
    assert!(queue.get().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn ready_keys_of_high_priority_come_before_older_ones_of_low_priority() {
    let queue = ordered();
    queue.add_all(0..3, LOW_PRIORITY);
    queue.add_all(10..13, 0);
    queue.add_with(20, with_priority(5));
    queue.add_with(1, with_priority(5));
    // The first of priority 5 has waited longer.
    assert_eq!(drain(&queue), [1, 20, 10, 11, 12, 0, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_key_of_low_priority_does_not_starve() {
    let queue = ordered();
    queue.add_with(1_000, with_priority(LOW_PRIORITY));
    let started = tokio::time::Instant::now();
    // Two new keys for each that is worked on, for ever.
    let mut fresh = 0;
    let worked = loop {
        queue.add_all([fresh, fresh + 1].map(|key| key % 1000), 0);
        fresh += 2;
        if next(&queue) == Some(1_000) {
            break started.elapsed();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(worked >= Duration::from_secs(29), "{worked:?}");
    assert!(worked <= Duration::from_secs(90), "{worked:?}");
}

#[tokio::test(start_paused = true)]
async fn strict_priorities_do_not_age() {
    let queue = WorkQueue::with_options(QueueOptions {
        order: Order::Priority { point: None },
        ..QueueOptions::default()
    });
    queue.add_with(1, with_priority(-1));
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    queue.add_with(2, with_priority(i32::MAX));
    queue.add_with(3, with_priority(i32::MIN));
    queue.add(4);
    assert_eq!(drain(&queue), [2, 4, 1, 3]);
}

#[tokio::test(start_paused = true)]
async fn the_priority_of_a_run_is_the_highest_of_its_requests_and_stays_on_retry() {
    let queue = ordered();
    queue.add_with(1, with_priority(LOW_PRIORITY));
    let item = queue.get().await.unwrap();
    assert_eq!(item.priority(), LOW_PRIORITY);
    item.retry();
    drop(item);
    let item = queue.get().await.unwrap();
    assert_eq!(item.priority(), LOW_PRIORITY);
    queue.add_with(1, with_priority(-3));
    queue.add_with(1, with_priority(-5));
    drop(item);
    assert_eq!(queue.get().await.unwrap().priority(), -3);
}

#[tokio::test(start_paused = true)]
async fn an_item_can_go_to_a_task_of_its_own() {
    let queue = WorkQueue::new();
    queue.add("a");
    let item = queue.get().await.unwrap().into_owned();
    let task = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(item);
    });
    queue.add("a");
    assert_eq!(next(&queue), None);
    task.await.unwrap();
    assert_eq!(next(&queue), Some("a"));
}

/// Remembers what it is told.
#[derive(Debug, Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn push(&self, what: &str, labels: &QueueLabels<'_>, time: Duration) {
        let class = labels.priority.as_str();
        lock(&self.0).push(format!("{what} {} {class} {time:?}", labels.queue));
    }
}

impl QueueMetrics for Log {
    fn added(&self, labels: &QueueLabels<'_>) {
        self.push("added", labels, Duration::ZERO);
    }
    fn started(&self, labels: &QueueLabels<'_>, waited: Duration) {
        self.push("started", labels, waited);
    }
    fn finished(&self, labels: &QueueLabels<'_>, worked: Duration) {
        self.push("finished", labels, worked);
    }
    fn retried(&self, labels: &QueueLabels<'_>, delay: Duration) {
        self.push("retried", labels, delay);
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_tell_times_and_few_labels() {
    let log = Arc::new(Log::default());
    let queue = WorkQueue::with_options(QueueOptions {
        name: "things".to_owned(),
        order: Order::by_priority(),
        metrics: Some(log.clone()),
        ..QueueOptions::default()
    });
    // Seventy priorities are three labels.
    for key in 0..70 {
        queue.add_with(key, with_priority(key - 35));
    }
    assert_eq!(drain(&queue).len(), 70);
    let mut classes: Vec<String> = std::mem::take(&mut *lock(&log.0));
    classes.sort();
    classes.dedup();
    assert_eq!(classes.len(), 9, "{classes:?}");
    queue.add(1);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let item = queue.get().await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let stats = queue.stats();
    assert_eq!(stats.longest_running, Some(Duration::from_secs(3)));
    assert_eq!(stats.unfinished, Duration::from_secs(3));
    item.retry();
    drop(item);
    assert_eq!(
        *lock(&log.0),
        [
            "added things normal 0ns",
            "started things normal 2s",
            "retried things normal 5ms",
            "finished things normal 3s"
        ]
    );
}

#[test]
fn memory_is_given_back() {
    let queue = WorkQueue::new();
    queue.add_all(0..100_000, 0);
    assert_eq!(drain(&queue).len(), 100_000);
    let shared = format!("{:?}", lock(&queue.shared.state).0);
    assert!(shared.len() < 10_000, "{} bytes of debug text", shared.len());
}
