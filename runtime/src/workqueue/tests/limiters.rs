//! Rate limiters, on a paused clock.

use tokio::time::Instant;

use super::*;

const MS: Duration = Duration::from_millis(1);
const S: Duration = Duration::from_secs(1);

fn clock() -> Arc<dyn Clock> {
    Arc::new(TokioClock)
}

fn waits(limiter: &dyn RateLimiter<u32>, key: u32, count: usize) -> Vec<Duration> {
    (0..count).map(|_| limiter.when(&key)).collect()
}

#[test]
fn exponential_waits_double_for_each_key_up_to_the_maximum() {
    let limiter = Exponential::default();
    assert_eq!(waits(&limiter, 1, 5), [5, 10, 20, 40, 80].map(|ms| MS * ms));
    assert_eq!(waits(&limiter, 2, 1), [5 * MS]);
    assert_eq!(limiter.retries(&1), 5);
    limiter.forget(&1);
    assert_eq!((limiter.retries(&1), limiter.retries(&2)), (0, 1));
    assert_eq!(
        waits(&limiter, 1, 18).last(),
        Some(&Duration::from_millis(5 << 17))
    );
    assert_eq!(waits(&limiter, 1, 300), vec![1000 * S; 300]);
}

#[test]
fn exponential_waits_do_not_overflow() {
    let cases = [
        (Duration::from_nanos(1), Duration::MAX, 200),
        (Duration::MAX, Duration::MAX, 3),
        (S, Duration::MAX, 100),
    ];
    for (base, max, count) in cases {
        let limiter = Exponential::new(base, max);
        let waits = waits(&limiter, 1, count);
        assert!(waits.is_sorted(), "{waits:?}");
        assert_eq!(waits.last(), Some(&Duration::MAX), "{base:?}");
    }
    assert_eq!(
        waits(&Exponential::new(Duration::ZERO, S), 1, 100),
        vec![Duration::ZERO; 100]
    );
    // Beyond 32 doublings it still is the power of two.
    let limiter = Exponential::new(Duration::from_nanos(1), Duration::MAX);
    let slow = waits(&limiter, 1, 41);
    assert_eq!(slow[40], Duration::from_nanos(1 << 40));
}

#[tokio::test(start_paused = true)]
async fn a_bucket_gives_the_burst_at_once_and_the_rest_at_its_rate() {
    let bucket = Bucket::new(10.0, 3, clock());
    let waits: Vec<_> = (0..6).map(|key| bucket.when(&key)).collect();
    assert_eq!(waits, [0, 0, 0, 100, 200, 300].map(|ms| MS * ms));
    tokio::time::sleep(S).await;
    let waits: Vec<_> = (10..15).map(|key| bucket.when(&key)).collect();
    assert_eq!(waits, [0, 0, 0, 100, 200].map(|ms| MS * ms));
}

#[tokio::test(start_paused = true)]
async fn one_key_that_fails_faster_than_the_rate_comes_at_the_rate() {
    // One token a second, no burst, and a key that is asked for twice a second.
    let queue = WorkQueue::with_options(QueueOptions {
        limiter: Arc::new(Bucket::new(1.0, 1, clock())),
        ..QueueOptions::default()
    });
    let started = Instant::now();
    let worker = queue.clone();
    let worker = tokio::spawn(async move {
        let mut runs = Vec::new();
        while let Some(_item) = worker.get().await {
            runs.push(started.elapsed());
        }
        runs
    });
    for _ in 0..120 {
        queue.add_rate_limited("key");
        tokio::time::sleep(500 * MS).await;
    }
    queue.shutdown();
    let runs = worker.await.unwrap();
    let gaps: Vec<_> = runs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(runs.len() >= 55, "{} runs in a minute", runs.len());
    assert!(gaps.iter().all(|gap| *gap >= S && *gap <= 2 * S), "{gaps:?}");
}

#[tokio::test(start_paused = true)]
async fn odd_buckets_do_not_panic() {
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e300] {
        let bucket = Bucket::new(rate, 0, clock());
        assert_eq!(bucket.when(&1), Duration::ZERO, "{rate}");
        for key in 2..50 {
            bucket.when(&key);
        }
    }
    let none = Bucket::new(0.0, 1, clock());
    none.when(&1);
    assert!(none.when(&2) > 86_400 * S);
}

#[tokio::test(start_paused = true)]
async fn promised_tokens_are_forgotten_when_their_time_has_passed() {
    let bucket = Bucket::new(10.0, 1, clock());
    for key in 0..100 {
        bucket.when(&key);
    }
    assert!(format!("{bucket:?}").contains("promised: 99"), "{bucket:?}");
    tokio::time::sleep(20 * S).await;
    bucket.when(&0);
    assert!(format!("{bucket:?}").contains("promised: 0"), "{bucket:?}");
}

#[tokio::test(start_paused = true)]
async fn combinations() {
    let fast_slow = FastSlow::new(5 * MS, 10 * S, 2);
    assert_eq!(waits(&fast_slow, 1, 4), [5 * MS, 5 * MS, 10 * S, 10 * S]);
    fast_slow.forget(&1);
    assert_eq!(waits(&fast_slow, 1, 1), [5 * MS]);

    let capped = WithMaxWait::new(Exponential::default(), 30 * MS);
    assert_eq!(waits(&capped, 1, 5), [5, 10, 20, 30, 30].map(|ms| MS * ms));

    let both = MaxOf::new([
        Arc::new(Exponential::default()) as Arc<dyn RateLimiter<u32>>,
        Arc::new(FastSlow::new(15 * MS, 15 * MS, 0)),
    ]);
    assert_eq!(waits(&both, 1, 4), [15, 15, 20, 40].map(|ms| MS * ms));
    assert_eq!(both.retries(&1), 4);
    both.forget(&1);
    assert_eq!(both.retries(&1), 0);
    assert_eq!(MaxOf::new([]).when(&1), Duration::ZERO);

    let jitter = Jitter::new(FastSlow::new(S, S, 0), 0.5);
    let spread = waits(&jitter, 1, 200);
    assert!(spread.iter().all(|wait| (S..=1500 * MS).contains(wait)));
    assert!(spread.iter().any(|wait| *wait > 1250 * MS) && spread.iter().any(|wait| *wait < 1250 * MS));
    for part in [f64::NAN, -1.0, f64::INFINITY] {
        assert_eq!(Jitter::new(FastSlow::new(S, S, 0), part).when(&1), S);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_time_gets_it() {
    let queue = WorkQueue::new();
    queue.add(1);
    let item = queue.get().await.unwrap();
    item.retry_after(30 * S);
    assert_eq!(item.retries(), 1);
    drop(item);
    let started = Instant::now();
    let item = queue.get().await.unwrap();
    assert_eq!(started.elapsed(), 30 * S);
    item.forget();
    assert_eq!(item.retries(), 0);
}
