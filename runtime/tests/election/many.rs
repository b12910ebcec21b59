//! Many candidates for a long time, with clocks that are wrong, a server that fails, and candidates that are killed.

use std::sync::Arc;
use std::time::Duration;

use kubeloom::clock::SkewedClock;
use kubeloom::leader_election::{LeaderElector, Leadership};
use tokio::time::{Instant, sleep, timeout};

use crate::server::{Fault, LeaseServer, Way};
use crate::{Watcher, options, seconds};

/// A generator of its own: the same numbers at each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn fault(&mut self) -> Fault {
        match self.roll(8) {
            0 => Fault::lost(),
            1 => Fault::answer_lost(),
            2 => Fault::slow(self.roll(6), self.roll(6)),
            3 => Fault::hangs(),
            4 => Fault::says(500, "InternalError"),
            5 => Fault {
                answer_lost: true,
                ..Fault::slow(self.roll(12), 0)
            },
            _ => Fault::default(),
        }
    }
}

/// A candidate that stands again whenever it has led, and is killed now and then.
async fn candidate(way: Way, number: u64, watcher: Watcher, seed: u64) {
    let mut dice = Dice(seed);
    // Rates up to 1.35 apart: below 1.36, the quotient of lease and renew deadline with grace.
    let rate = [0.85, 1.0, 1.15, 0.92, 1.08][usize::try_from(number).unwrap() % 5];
    let wall =
        jiff::Timestamp::from_second(1_700_000_000 - i64::try_from(number).unwrap() * 86_400 * 365).unwrap();
    for life in 0.. {
        let clock = Arc::new(SkewedClock::starting_at(wall, rate));
        let options = options(&format!("candidate-{number}-{life}")).clock(clock);
        let elector = LeaderElector::new(&way.client(), options).unwrap();
        let watcher = watcher.clone();
        let run = elector.run(async move |leadership| {
            let _running = watcher.enter(&leadership);
            leadership.ended().await;
            // As long as it is let.
            std::future::pending::<()>().await;
        });
        let _ = timeout(seconds(20 + dice.roll(200)), run).await;
        sleep(seconds(dice.roll(20))).await;
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_one_leads_whatever_happens() {
    for seed in 1..6 {
        let server = LeaseServer::default();
        let watcher = Watcher::default();
        let ways: Vec<Way> = (0..5).map(|_| server.way()).collect();
        let candidates: Vec<_> = (0_u64..)
            .zip(&ways)
            .map(|(number, way)| {
                tokio::spawn(candidate(
                    way.clone(),
                    number,
                    watcher.clone(),
                    seed * 100 + number,
                ))
            })
            .collect();
        let mut dice = Dice(seed);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(2400) {
            sleep(seconds(1 + dice.roll(20))).await;
            let way = &ways[usize::try_from(dice.roll(5)).unwrap()];
            // One is cut off or slowed for a while, or has a hard time.
            match dice.roll(3) {
                0 => drop(way.always(dice.fault())),
                1 => drop(way.always(Fault::default())),
                _ => drop(way.next((0..dice.roll(10)).map(|_| dice.fault()).collect::<Vec<_>>())),
            }
        }
        candidates.iter().for_each(|candidate| candidate.abort());
        sleep(seconds(1)).await;
        let turns = watcher.check();
        assert!(turns.len() > 15, "seed {seed}: {} turns", turns.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_killed_is_replaced_when_its_lease_is_over() {
    let mut dice = Dice(9);
    for _ in 0..20 {
        let server = LeaseServer::default();
        let watcher = Watcher::default();
        let [killed, spare] =
            ["a", "b"].map(|name| LeaderElector::new(&server.way().client(), options(name)).unwrap());
        let lead = |watcher: Watcher| {
            async move |leadership: Leadership| {
                let _running = watcher.enter(&leadership);
                leadership.ended().await
            }
        };
        let (first, second) = (lead(watcher.clone()), lead(watcher.clone()));
        let victim = tokio::spawn(async move { killed.run(first).await });
        sleep(seconds(1)).await;
        let heir = tokio::spawn(async move { spare.run(second).await });
        sleep(Duration::from_millis(20_000 + dice.roll(10_000))).await;
        victim.abort();
        sleep(seconds(40)).await;
        heir.abort();
        let turns = watcher.check();
        let gap = turns[1].from - turns[0].until.unwrap();
        // At most the lease, and what it was seen late by and looked at late by.
        assert!(
            gap >= seconds(13) && gap <= Duration::from_millis(15_000 + 2 * 4_400),
            "{gap:?}"
        );
    }
}
