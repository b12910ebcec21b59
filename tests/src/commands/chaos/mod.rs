//! `chaos`: informers of a real server behind faults, under load.
//!
//! Three informers (typed, typed and packed, dynamic) follow the same objects, each through a [`FaultProxy`] of its own and
//! with three handlers, while objects are created, updated and deleted, connections break in every way, and the server
//! restarts, at times with its data of earlier. Every few seconds the faults cease and the load pauses; then each store
//! must become what a fresh list shows, and each handler must have seen a legal history that ends there.
//!
//! | module | what is there |
//! |---|---|
//! | `follow` | an informer behind its proxy |
//! | `history` | what a handler is told, checked |
//! | `load` | the writers |
//!
//! [`FaultProxy`]: crate::apiserver::FaultProxy

mod follow;
mod history;
mod load;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::task::block_in_place;
use tokio::time::sleep;

use self::follow::{Followed, client, followers};
use self::history::Objects;
use self::load::Load;
use crate::apiserver::{ApiServer, Backup, Chances, Cut, Options};
use crate::arbitrary::Rng;
use crate::say;

/// So long every store has to become what the server is, once the faults have ceased.
const SETTLE: Duration = Duration::from_secs(60);

/// Arguments of the subcommand.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ChaosArgs {
    /// How long; a round that has begun is finished
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,

    /// What choices are made from; the run itself depends on time too
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs, and prints faults, events and divergences.
///
/// # Errors
/// When the server does not start, and when something diverged.
pub fn run(args: ChaosArgs) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut chaos = block_in_place(|| Chaos::start(args))?;
        let ended = chaos.run().await;
        chaos.print();
        for follower in &chaos.followers {
            follower.stop().await;
        }
        ended?;
        let count = chaos.divergences.len();
        ensure!(count == 0, "{count} divergences");
        Ok(())
    })
}

struct Chaos {
    args: ChaosArgs,
    random: Rng,
    server: ApiServer,
    backup: Backup,
    followers: Vec<Box<dyn Followed>>,
    load: Load,
    started: Instant,
    rounds: u64,
    faults: BTreeMap<String, u64>,
    divergences: Vec<String>,
}

impl Chaos {
    fn start(args: ChaosArgs) -> Result<Self> {
        let mut server = ApiServer::start(Options::default())?;
        let namespace = server.namespace("chaos")?;
        // The data of earlier that the server will be given.
        server.stop()?;
        let backup = server.back_up()?;
        server.resume()?;
        let followers = followers(&server, &namespace)?;
        let load = Load::start(&client(&server.kubeconfig())?, &namespace, args.seed);
        Ok(Self {
            args,
            random: Rng::new(args.seed),
            server,
            backup,
            followers,
            load,
            started: Instant::now(),
            rounds: 0,
            faults: BTreeMap::new(),
            divergences: Vec::new(),
        })
    }

    async fn run(&mut self) -> Result<()> {
        let time = Duration::from_secs_f64(self.args.minutes * 60.0);
        while self.started.elapsed() < time {
            self.rounds += 1;
            self.disturb().await?;
            match self.rounds % 4 {
                // The first restoration falls into the first minute.
                2 => self.restore().await?,
                0 => self.restart()?,
                _ => {}
            }
            self.settle().await?;
        }
        Ok(())
    }

    /// Some seconds of faults.
    async fn disturb(&mut self) -> Result<()> {
        for place in 0..self.followers.len() {
            self.open(place);
        }
        for _ in 0..8 {
            sleep(Duration::from_millis(600 + self.random.below(600) as u64)).await;
            let place = self.random.below(self.followers.len());
            let follower = self.followers.get(place).context("no followers")?;
            match self.random.below(6) {
                0 | 1 => follower.proxy().reset(),
                2 => follower.proxy().cut(Cut::Refused),
                3 => follower.proxy().cut(Cut::Silent),
                _ => {
                    follower.proxy().heal();
                    self.open(place);
                }
            }
        }
        Ok(())
    }

    /// The way of a follower is open, and faults come by chance.
    fn open(&mut self, place: usize) {
        let chances = Chances {
            request: 0.4,
            piece: 0.04,
            seed: self.random.bits(),
        };
        if let Some(follower) = self.followers.get(place) {
            follower.proxy().set_chances(chances);
        }
    }

    fn count(&mut self, fault: &str) {
        *self.faults.entry(fault.to_owned()).or_default() += 1;
    }

    fn restart(&mut self) -> Result<()> {
        self.count("server killed and restarted");
        block_in_place(|| {
            self.server.kill();
            self.server.resume()
        })
    }

    /// The server goes back to its data of earlier. Writing goes on when that has been noticed: a version that has overtaken
    /// the old one cannot be told from one that never went back.
    async fn restore(&mut self) -> Result<()> {
        self.count("server restored to an older state");
        let paused = self.load.pause().await;
        let before: Vec<u64> = self
            .followers
            .iter()
            .map(|follower| follower.went_back())
            .collect();
        for follower in &self.followers {
            follower.proxy().heal();
        }
        // Everyone has seen what is to be forgotten.
        let known = self.agree().await?;
        self.divergences.extend(known);
        block_in_place(|| {
            self.server.kill();
            self.server.restore(&self.backup)?;
            self.server.resume()
        })?;
        let since = Instant::now();
        let unnoticed = loop {
            let followers = self.followers.iter().zip(&before);
            let left = followers.filter(|(follower, before)| follower.went_back() == **before);
            let left: Vec<_> = left
                .map(|(follower, _)| (follower.name().to_owned(), follower.status()))
                .collect();
            if left.is_empty() || since.elapsed() > SETTLE {
                break left;
            }
            sleep(Duration::from_millis(100)).await;
        };
        for (name, status) in unnoticed {
            self.divergences
                .push(format!("{name}: a restored server was not noticed: {status}"));
        }
        drop(paused);
        sleep(Duration::from_secs(1)).await;
        Ok(())
    }

    /// The faults cease, the load pauses, and all must agree.
    async fn settle(&mut self) -> Result<()> {
        let _paused = self.load.pause().await;
        for follower in &self.followers {
            follower.proxy().heal();
        }
        let found = self.agree().await?;
        for line in &found {
            say(line);
        }
        say(&format!(
            "round {}: {} s, {} writes, {} events, {} divergences",
            self.rounds,
            self.started.elapsed().as_secs(),
            self.load.writes(),
            self.events(),
            found.len()
        ));
        self.divergences.extend(found);
        Ok(())
    }

    /// Waits until each store and each history is what a fresh list shows; hands back what is not.
    async fn agree(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for follower in &self.followers {
            let truth = follower.truth().await.context("list past the proxy")?;
            let since = Instant::now();
            let differs = loop {
                let differs = differences(&**follower, &truth);
                if differs.is_empty() || since.elapsed() > SETTLE {
                    break differs;
                }
                sleep(Duration::from_millis(100)).await;
            };
            found.extend(
                differs
                    .into_iter()
                    .map(|line| format!("{}: {line}; {}", follower.name(), follower.status())),
            );
            for (number, history) in follower.histories().iter().enumerate() {
                let wrong = std::mem::take(&mut history.known().wrong);
                let name = follower.name();
                found.extend(
                    wrong
                        .into_iter()
                        .map(|line| format!("{name}, handler {number}: {line}")),
                );
            }
        }
        Ok(found)
    }

    fn events(&self) -> u64 {
        let histories = self.followers.iter().flat_map(|follower| follower.histories());
        histories.map(|history| history.known().events).sum()
    }

    fn print(&self) {
        let mut faults = self.faults.clone();
        for follower in &self.followers {
            for (name, count) in follower.proxy().counts() {
                *faults.entry(name).or_default() += count;
            }
        }
        println!(
            "seed {}, {} s, {} rounds, {} writes",
            self.args.seed,
            self.started.elapsed().as_secs(),
            self.rounds,
            self.load.writes()
        );
        println!("faults injected: {}", faults.values().sum::<u64>());
        for (name, count) in &faults {
            println!("  {count:>6}  {name}");
        }
        let handlers: usize = self
            .followers
            .iter()
            .map(|follower| follower.histories().len())
            .sum();
        println!(
            "events seen: {} by {handlers} handlers of {} informers",
            self.events(),
            self.followers.len()
        );
        println!("divergences: {}", self.divergences.len());
        for line in self.divergences.iter().take(20) {
            println!("  {line}");
        }
    }
}

/// In what a follower differs from the server.
fn differences(follower: &dyn Followed, truth: &Objects) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, objects: &Objects| {
        if objects == truth {
            return;
        }
        let keys = objects.keys().chain(truth.keys());
        let wrong = keys.filter(|key| objects.get(*key) != truth.get(*key));
        let example = wrong
            .clone()
            .next()
            .map(|key| (key, objects.get(key), truth.get(key)));
        found.push(format!(
            "{what} differs in {} places, such as {example:?}",
            wrong.count()
        ));
    };
    compare("the store", &follower.stored());
    for (number, history) in follower.histories().iter().enumerate() {
        compare(
            &format!("the history of handler {number}"),
            &history.known().objects,
        );
    }
    found
}
