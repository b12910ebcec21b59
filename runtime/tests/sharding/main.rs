//! Replicas that share the work, in paused time: they come, go and hang.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail as tests do; the server of things has more than is needed here"
)]

mod leases;
mod lists;
#[path = "../cache/server.rs"]
mod server;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::sharding::{PARTITIONS, ShardOptions, ShardPhase, Shards};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::leases::{Leases, Way};

const LEASE: Duration = Duration::from_secs(15);
const S: Duration = Duration::from_secs(1);

/// The partitions that are worked on and looked at: one of eight, for the time that it takes.
fn some() -> impl Iterator<Item = usize> {
    (0..PARTITIONS).step_by(8)
}

/// Where a partition is: any place in it.
fn place(partition: usize) -> u64 {
    (partition as u64) << 56 | 0x1234
}

/// A replica with workers that work on everything that they are let.
struct Replica {
    shards: Shards,
    way: Way,
    work: JoinHandle<()>,
}

/// Who works where.
#[derive(Default)]
struct World {
    leases: Leases,
    busy: Arc<Mutex<Vec<Option<usize>>>>,
    /// When there was an owner last.
    owned: Mutex<Vec<Option<Instant>>>,
    count: AtomicUsize,
}

impl World {
    fn new() -> Self {
        let world = Self::default();
        *world.busy.lock().unwrap() = vec![None; PARTITIONS];
        *world.owned.lock().unwrap() = vec![None; PARTITIONS];
        world
    }

    fn join(&self) -> Replica {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        self.join_as(&format!("r{number}"))
    }

    fn join_as(&self, identity: &str) -> Replica {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        let way = self.leases.way();
        let mut options = ShardOptions::new("web", "group");
        options.identity = identity.to_owned();
        let shards = Shards::join(&way.client(), options);
        let (worker, busy) = (shards.clone(), self.busy.clone());
        let work = tokio::spawn(async move {
            for partition in some() {
                tokio::spawn(work(number, partition, worker.clone(), busy.clone()));
            }
        });
        Replica { shards, way, work }
    }

    /// Looks at all replicas for so long: at most one owner, and how long there was none.
    async fn watch(&self, replicas: &[&Replica], time: Duration) -> Duration {
        let (until, mut gap) = (Instant::now() + time, Duration::ZERO);
        while Instant::now() < until {
            for partition in some() {
                let owners = replicas.iter().filter(|replica| {
                    let claim = replica.shards.claim(place(partition));
                    claim.is_some()
                });
                let count = owners.count();
                assert!(count <= 1, "{count} owners of {partition}");
                let mut owned = self.owned.lock().unwrap();
                if count == 1 {
                    owned[partition] = Some(Instant::now());
                } else if let Some(last) = owned[partition] {
                    gap = gap.max(last.elapsed());
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        gap
    }
}

/// Works on one partition, again and again, and needs a moment to end when it is told.
async fn work(number: usize, partition: usize, shards: Shards, busy: Arc<Mutex<Vec<Option<usize>>>>) {
    // The task does not keep the replica in its group.
    let mut status = shards.status();
    let claims = shards.clone();
    drop(shards);
    while status.borrow().phase != ShardPhase::Left {
        if let Some(claim) = claims.claim(place(partition)) {
            let other = busy.lock().unwrap()[partition].replace(number);
            assert_eq!(other, None, "{number} and another one work on {partition}");
            let some = Duration::from_millis(fastrand::u64(1..3000));
            let _ = tokio::time::timeout(some, claim.lost()).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            busy.lock().unwrap()[partition] = None;
            drop(claim);
        }
        let pause = Duration::from_millis(fastrand::u64(1..500));
        let _ = tokio::time::timeout(pause, status.changed()).await;
    }
}

fn count(replica: &Replica) -> usize {
    replica.shards.status().borrow().partitions
}

#[tokio::test(start_paused = true)]
async fn one_replica_has_all_and_shares_with_those_who_come() {
    let world = World::new();
    let first = world.join();
    world.watch(&[&first], S).await;
    assert_eq!(count(&first), PARTITIONS);
    let second = world.join();
    let gap = world.watch(&[&first, &second], 3 * S).await;
    assert_eq!(count(&first) + count(&second), PARTITIONS);
    assert!((64..192).contains(&count(&first)), "{}", count(&first));
    assert!(gap <= S, "nobody worked for {gap:?}");
    let status = second.shards.status().borrow().clone();
    assert_eq!(
        (status.phase, status.members, status.last_error),
        (ShardPhase::Member, 2, None)
    );
    second.shards.leave().await;
    let gap = world.watch(&[&first, &second], 3 * S).await;
    assert_eq!((count(&first), count(&second)), (PARTITIONS, 0));
    assert!(gap <= S, "nobody worked for {gap:?}");
    assert_eq!(world.leases.names(), ["group-r0"]);
    first.shards.leave().await;
    assert_eq!(world.leases.names(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn one_that_hangs_is_waited_for_and_comes_back() {
    let world = World::new();
    let replicas = [world.join(), world.join(), world.join()];
    let all: Vec<&Replica> = replicas.iter().collect();
    world.watch(&all, 5 * S).await;
    assert_eq!(replicas.iter().map(count).sum::<usize>(), PARTITIONS);
    replicas[0].way.cut.store(true, Ordering::SeqCst);
    let gap = world.watch(&all, 30 * S).await;
    assert_eq!(count(&replicas[0]), 0, "it has counted itself out");
    assert_eq!(count(&replicas[1]) + count(&replicas[2]), PARTITIONS);
    assert!(gap > 2 * S && gap <= LEASE + 2 * S, "nobody worked for {gap:?}");
    assert!(replicas[0].shards.status().borrow().last_error.is_some());
    replicas[0].way.cut.store(false, Ordering::SeqCst);
    // The requests that hang are given up first.
    let gap = world.watch(&all, 60 * S).await;
    assert_eq!(replicas.iter().map(count).sum::<usize>(), PARTITIONS);
    assert!(count(&replicas[0]) > 0);
    assert!(gap <= LEASE + 2 * S, "nobody worked for {gap:?}");
}

#[tokio::test(start_paused = true)]
async fn one_that_comes_while_another_hangs_waits_for_its_lease_alone() {
    let world = World::new();
    let first = world.join();
    world.watch(&[&first], 5 * S).await;
    first.way.cut.store(true, Ordering::SeqCst);
    let second = world.join();
    let gap = world.watch(&[&first, &second], 40 * S).await;
    assert_eq!((count(&first), count(&second)), (0, PARTITIONS));
    assert!(gap <= LEASE + 2 * S, "nobody worked for {gap:?}");
}

#[tokio::test(start_paused = true)]
async fn an_identity_that_is_used_twice_has_one_owner_at_a_time() {
    let world = World::new();
    let first = world.join_as("same");
    world.watch(&[&first], 5 * S).await;
    let second = world.join_as("same");
    // The second waits for the lease of the first, then takes it; the first then sees that it is not alone.
    world.watch(&[&first, &second], 120 * S).await;
    assert!(count(&first) + count(&second) <= PARTITIONS);
}

#[tokio::test(start_paused = true)]
async fn slow_servers_cost_time_and_no_safety() {
    let world = World::new();
    let replicas = [world.join(), world.join()];
    replicas[0].way.slow.store(1_500, Ordering::SeqCst);
    let all: Vec<&Replica> = replicas.iter().collect();
    world.watch(&all, 60 * S).await;
    assert_eq!(replicas.iter().map(count).sum::<usize>(), PARTITIONS);
}

#[tokio::test(start_paused = true)]
async fn replicas_that_come_go_and_hang_at_random() {
    for seed in 0..4 {
        let mut random = fastrand::Rng::with_seed(seed);
        let world = World::new();
        let mut replicas = vec![world.join()];
        world.watch(&[&replicas[0]], 2 * S).await;
        for _ in 0..20 {
            match random.u32(0..4) {
                0 if replicas.len() < 6 => replicas.push(world.join()),
                1 if replicas.len() > 2 => {
                    let leaver = &replicas[random.usize(0..replicas.len())];
                    let _ = tokio::time::timeout(S, leaver.shards.leave()).await;
                }
                2 => {
                    let way = &replicas[random.usize(0..replicas.len())].way;
                    way.cut.fetch_xor(true, Ordering::SeqCst);
                }
                _ => {
                    let way = &replicas[random.usize(0..replicas.len())].way;
                    way.slow.store(random.u64(0..400), Ordering::SeqCst);
                }
            }
            let all: Vec<&Replica> = replicas.iter().collect();
            let time = Duration::from_millis(random.u64(100..20_000));
            world.watch(&all, time).await;
        }
        for replica in &replicas {
            replica.way.cut.store(false, Ordering::SeqCst);
            replica.way.slow.store(0, Ordering::SeqCst);
        }
        replicas.push(world.join());
        let all: Vec<&Replica> = replicas.iter().collect();
        world.watch(&all, 90 * S).await;
        let total: usize = replicas.iter().map(count).sum();
        assert_eq!(total, PARTITIONS, "seed {seed}: all is owned in the end");
    }
}
