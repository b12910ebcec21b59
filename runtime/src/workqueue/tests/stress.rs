//! Many producers and many workers at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;

const KEYS: usize = 100;
const PRODUCERS: u64 = 8;
const WORKERS: usize = 8;
const EACH: u64 = 20_000;

/// What is known of each key outside of the queue.
#[derive(Default)]
struct Keys {
    busy: Vec<AtomicBool>,
    /// The number of the last addition.
    asked: Vec<AtomicU64>,
    /// The last addition that a run has seen.
    seen: Vec<AtomicU64>,
    runs: AtomicU64,
}

impl Keys {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            busy: (0..KEYS).map(|_| AtomicBool::new(false)).collect(),
            asked: (0..KEYS).map(|_| AtomicU64::new(0)).collect(),
            seen: (0..KEYS).map(|_| AtomicU64::new(0)).collect(),
            runs: AtomicU64::new(0),
        })
    }

    async fn work(self: Arc<Self>, queue: WorkQueue<usize>) {
        while let Some(item) = queue.get().await {
            self.run(&queue, &item).await;
            drop(item);
            if fastrand::u32(0..200) == 0 {
                // A get that is often given up.
                let limit = Duration::from_micros(10);
                if let Ok(Some(item)) = tokio::time::timeout(limit, queue.get()).await {
                    self.run(&queue, &item).await;
                }
            }
        }
    }

    async fn run(&self, queue: &WorkQueue<usize>, item: &Item<'_, usize>) {
        let key = **item;
        assert!(
            !self.busy[key].swap(true, Ordering::AcqRel),
            "key {key} is with two workers"
        );
        let asked = self.asked[key].load(Ordering::Acquire);
        if fastrand::u32(0..8) == 0 {
            tokio::task::yield_now().await;
        }
        if fastrand::u32(0..200) == 0 {
            queue.add_after(key, Duration::from_micros(fastrand::u64(1..3000)));
        }
        self.seen[key].fetch_max(asked, Ordering::AcqRel);
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.busy[key].store(false, Ordering::Release);
    }
}

async fn stress(order: Order) {
    let queue = WorkQueue::with_options(QueueOptions {
        order,
        ..QueueOptions::default()
    });
    let keys = Keys::new();
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| tokio::spawn(keys.clone().work(queue.clone())))
        .collect();
    let producers = (0..PRODUCERS).map(|_| {
        let (queue, keys) = (queue.clone(), keys.clone());
        tokio::spawn(async move {
            for round in 0..EACH {
                let key = fastrand::usize(0..KEYS);
                keys.asked[key].fetch_add(1, Ordering::AcqRel);
                queue.add_with(key, with_priority(fastrand::i32(-2..2)));
                if round % 64 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        })
    });
    for producer in producers.collect::<Vec<_>>() {
        producer.await.unwrap();
    }
    queue.shutdown_with_drain().await;
    for worker in workers {
        worker.await.unwrap();
    }
    // After each addition a run began.
    for key in 0..KEYS {
        let (asked, seen) = (&keys.asked[key], &keys.seen[key]);
        assert_eq!(
            asked.load(Ordering::Acquire),
            seen.load(Ordering::Acquire),
            "key {key}"
        );
    }
    let runs = keys.runs.load(Ordering::Relaxed);
    assert!(runs > 0 && runs <= queue.stats().added, "{runs} runs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn keys_are_with_one_worker_and_no_addition_is_lost() {
    let all = async {
        stress(Order::Fifo).await;
        stress(Order::by_priority()).await;
    };
    tokio::time::timeout(Duration::from_secs(120), all).await.unwrap();
}
