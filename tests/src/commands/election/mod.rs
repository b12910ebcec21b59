//! `kubeloom-tests election`: candidates as processes on a real kube-apiserver, and all that may go wrong.
//!
//! | file | what is there |
//! |---|---|
//! | `candidate` | the process of a candidate |
//! | `checker` | who was in a critical section when, by one clock |
//! | `proxy` | the way of one candidate to the server, which can be cut, held or slowed |
//! | `group` | the candidates, killed and begun again |
//! | `faults` | what goes wrong when |

mod candidate;
mod checker;
mod faults;
mod group;
mod proxy;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::runtime;

pub use self::candidate::{CandidateArgs, run as run_candidate};
use self::checker::Checker;
use self::faults::{Counts, Faults};
use self::group::Group;
use crate::apiserver::{ApiServer, Options, binary};

/// How many overlaps are shown.
const SHOWN: usize = 20;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub struct ElectionArgs {
    /// How long things go wrong, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,

    /// How many candidates there are
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=50))]
    candidates: u32,

    /// Seed of what goes wrong; random when absent
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs candidates, lets things go wrong, and says whether two of them were in a critical section at one time.
///
/// # Errors
/// When two were, when a former leader went on after the next had begun, or when too little happened to prove anything.
pub fn run(args: ElectionArgs) -> Result<()> {
    if !binary::program()?.obtainable_or_skip()? {
        return Ok(());
    }
    let seed = args.seed.unwrap_or_else(entropy);
    let server = ApiServer::start(Options::default())?;
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("start the runtime")?;
    println!(
        "{} candidates, {} s, --seed {seed}; {}",
        args.candidates,
        args.seconds,
        candidate::timing_in_words()
    );
    let (counts, checker) = runtime.block_on(trial(server, &args, seed))?;
    report(&counts, &checker)
}

async fn trial(mut server: ApiServer, args: &ElectionArgs, seed: u64) -> Result<(Counts, Checker)> {
    let checker = Checker::start().await?;
    let mut group = Group::start(&server, checker.port(), args.candidates, seed).await?;
    let began = Instant::now();
    checker.first(Duration::from_secs(60)).await?;
    let mut faults = Faults::new(seed, began);
    let until = Instant::now() + Duration::from_secs(args.seconds);
    while Instant::now() < until {
        faults.next(&mut server, &mut group, &checker).await?;
    }
    faults.calm(&mut group);
    // All is well again: one leads.
    let sections = checker.sections();
    tokio::time::sleep(Duration::from_secs(10)).await;
    ensure!(
        checker.sections() > sections,
        "nobody leads although all is well; the end of the server's log:\n{}",
        server.log_tail()
    );
    checker.stop();
    drop(group);
    Ok((faults.counts, checker))
}

fn report(counts: &Counts, checker: &Checker) -> Result<()> {
    let summary = checker.summary();
    println!("{counts}");
    println!("{summary}");
    for overlap in summary.overlaps.iter().take(SHOWN) {
        println!("  OVERLAP {overlap}");
    }
    ensure!(
        summary.overlaps.is_empty(),
        "two candidates were leaders at one time"
    );
    ensure!(
        summary.leaders >= 3 && counts.kills > 0 && counts.partitions() > 0 && counts.restarts > 0,
        "too little happened to prove anything: run it for longer"
    );
    Ok(())
}

fn entropy() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}
