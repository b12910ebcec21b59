//! The process of a candidate: stands for election, and while it leads, does one critical section after another.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use kubeloom::RestClient;
use kubeloom::clock::SkewedClock;
use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::leader_election::{ElectionOptions, ElectionTiming, LeaderElector, Leadership};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::time::sleep;

/// Shorter than the defaults, so that much happens in a short time; the quotient of lease and renew deadline is larger,
/// as a machine that is busy stops processes for a part of a second.
const TIMING: ElectionTiming = ElectionTiming {
    lease: Duration::from_secs(4),
    renew: Duration::from_secs(2),
    retry: Duration::from_millis(500),
};

/// How long a critical section lasts.
const SECTION: Duration = Duration::from_millis(5);

/// The lease that all stand for.
pub(super) const LEASE: (&str, &str) = ("default", "election");

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub struct CandidateArgs {
    /// How to reach the server
    #[arg(long)]
    kubeconfig: PathBuf,

    /// Port of the checker
    #[arg(long)]
    checker: u16,

    /// Who this is
    #[arg(long)]
    identity: String,

    /// Seconds of this candidate's clock in a second
    #[arg(long)]
    rate: f64,

    /// What its clock shows, in seconds since 1970
    #[arg(long, allow_negative_numbers = true)]
    wall: i64,
}

pub(super) fn timing_in_words() -> String {
    format!(
        "lease {:?}, renew deadline {:?}, retry period {:?}",
        TIMING.lease, TIMING.renew, TIMING.retry
    )
}

/// Stands for election until the process that started this one is gone.
///
/// # Errors
/// A kubeconfig that cannot be used.
pub fn run(args: CandidateArgs) -> Result<()> {
    // The end of standard input is the end of the parent.
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the runtime")?;
    runtime.block_on(stand(args))
}

async fn stand(args: CandidateArgs) -> Result<()> {
    let config = Config::from_kubeconfig(&args.kubeconfig, &KubeconfigOptions::default())?;
    let client = RestClient::new(&config)?;
    let wall = jiff::Timestamp::from_second(args.wall).context("the time of day")?;
    let clock = Arc::new(SkewedClock::starting_at(wall, args.rate));
    let options = ElectionOptions::new(LEASE.0, LEASE.1)
        .identity(args.identity.as_str())
        .timing(TIMING)
        .clock(clock);
    let elector = LeaderElector::new(&client, options)?;
    loop {
        let port = args.checker;
        elector
            .run(async move |leadership| {
                let worked = leadership.guard(work(&leadership, port)).await;
                if let Ok(Err(error)) = worked {
                    eprintln!("the checker: {error:#}");
                }
            })
            .await;
    }
}

/// One critical section after another while the leadership is valid. The checker sees the end of the connection when
/// the task is aborted or the process is killed.
async fn work(leadership: &Leadership, port: u16) -> Result<()> {
    let mut checker = TcpStream::connect(("127.0.0.1", port)).await?;
    checker.set_nodelay(true)?;
    let hello = format!("{} {}\n", leadership.identity(), leadership.token());
    checker.write_all(hello.as_bytes()).await?;
    while leadership.is_valid() {
        checker.write_all(b"B").await?;
        let mut answer = [0];
        checker.read_exact(&mut answer).await?;
        sleep(SECTION).await;
        checker.write_all(b"E").await?;
        sleep(SECTION).await;
    }
    Ok(())
}
