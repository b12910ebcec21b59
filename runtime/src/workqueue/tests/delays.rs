//! Later runs, on a paused clock.

use tokio::time::Instant;

use super::*;

/// What is asked for, in order: at which second, which key, after how many seconds.
type Asked = &'static [(u64, u32, u64)];

/// When which keys come out, in seconds, with a worker that is always free.
async fn runs(asked: Asked, options: QueueOptions<u32>) -> Vec<(u64, u32)> {
    let queue = WorkQueue::with_options(options);
    let started = Instant::now();
    let worker = queue.clone();
    let worker = tokio::spawn(async move {
        let mut runs = Vec::new();
        while let Some(item) = worker.get().await {
            runs.push((started.elapsed().as_secs(), *item));
        }
        runs
    });
    for (at, key, after) in asked {
        tokio::time::sleep_until(started + Duration::from_secs(*at)).await;
        match after {
            0 => queue.add(*key),
            _ => queue.add_after(*key, Duration::from_secs(*after)),
        };
    }
    tokio::time::sleep_until(started + Duration::from_secs(1_000)).await;
    queue.shutdown();
    worker.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn later_runs_come_when_they_are_due() {
    let cases: [(Asked, &[(u64, u32)]); 7] = [
        (&[(0, 1, 10)], &[(10, 1)]),
        // The earlier time counts, whichever was asked for first.
        (&[(0, 1, 10), (0, 1, 5)], &[(5, 1)]),
        (&[(0, 1, 5), (0, 1, 10)], &[(5, 1)]),
        (&[(0, 1, 10), (8, 1, 5)], &[(10, 1)]),
        // Others come in between.
        (&[(0, 1, 10), (0, 2, 3), (1, 3, 1)], &[(2, 3), (3, 2), (10, 1)]),
        // A run before leaves the later one in place.
        (&[(0, 1, 10), (4, 1, 0)], &[(4, 1), (10, 1)]),
        // A run after is one of its own.
        (
            &[(0, 1, 10), (10, 1, 10), (12, 1, 0)],
            &[(10, 1), (12, 1), (20, 1)],
        ),
    ];
    for (asked, expected) in cases {
        assert_eq!(runs(asked, QueueOptions::default()).await, expected, "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_addition_may_cancel_the_later_run() {
    let supersede = || QueueOptions {
        supersede_delayed: true,
        ..QueueOptions::default()
    };
    let cases: [(Asked, &[(u64, u32)]); 3] = [
        (&[(0, 1, 10), (4, 1, 0)], &[(4, 1)]),
        (&[(0, 1, 10), (4, 2, 0)], &[(4, 2), (10, 1)]),
        (&[(0, 1, 10), (4, 1, 0), (5, 1, 10)], &[(4, 1), (15, 1)]),
    ];
    for (asked, expected) in cases {
        assert_eq!(runs(asked, supersede()).await, expected, "{asked:?}");
    }
    let queue = WorkQueue::with_options(supersede());
    queue.add_after(1, Duration::from_secs(1));
    queue.add(1);
    assert_eq!((queue.stats().superseded, queue.stats().delayed), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn later_runs_can_be_taken_back() {
    let queue = WorkQueue::new();
    queue.add_after(1, Duration::from_secs(5));
    queue.add_after(2, Duration::from_secs(5));
    assert!(queue.cancel_delayed(&1));
    assert!(!queue.cancel_delayed(&1));
    assert!(!queue.cancel_delayed(&3));
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(drain(&queue), [2]);
}

#[tokio::test(start_paused = true)]
async fn a_later_run_that_is_due_during_a_run_comes_after_it() {
    let queue = WorkQueue::new();
    queue.add(1);
    let item = queue.get().await.unwrap();
    item.again_after(Duration::from_secs(1));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(next(&queue), None);
    assert_eq!(queue.stats().delayed, 0);
    drop(item);
    assert_eq!(next(&queue), Some(1));
}

#[tokio::test(start_paused = true)]
async fn many_workers_get_many_later_runs_on_time() {
    let queue = WorkQueue::new();
    let started = Instant::now();
    let workers: Vec<_> = (0..50)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let mut late = Duration::ZERO;
                while let Some(item) = queue.get().await {
                    late = late.max(started.elapsed().saturating_sub(Duration::from_millis(*item)));
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                late
            })
        })
        .collect();
    // Latest first, so that the time to wait for is a new one each time.
    for millis in (1..=1_000).rev() {
        queue.add_after(millis, Duration::from_millis(millis));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(queue.stats().added, 1_000);
    queue.shutdown_with_drain().await;
    for worker in workers {
        assert!(worker.await.unwrap() <= Duration::from_millis(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_without_end_is_no_run_and_no_panic() {
    let queue = WorkQueue::new();
    assert_eq!(queue.add_after(1, Duration::MAX), Added::Delayed);
    assert!(queue.get().now_or_never().is_none());
    queue.shutdown();
    assert_eq!(queue.add_after(1, Duration::MAX), Added::Refused);
}
