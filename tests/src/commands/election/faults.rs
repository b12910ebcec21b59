//! What goes wrong when.

use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::time::sleep;

use super::checker::Checker;
use super::group::Group;
use super::proxy::Mode;
use crate::apiserver::ApiServer;
use crate::arbitrary::Rng;

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) kills: u32,
    held: u32,
    answers_held: u32,
    cut: u32,
    slowed: u32,
    stopped: u32,
    pub(super) restarts: u32,
}

impl Counts {
    pub(super) fn partitions(&self) -> u32 {
        self.held + self.answers_held + self.cut
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kills {}, partitions {} ({} held, {} with answers held, {} cut), slowed {}, server stopped for a while {}, server killed and restarted {}",
            self.kills,
            self.partitions(),
            self.held,
            self.answers_held,
            self.cut,
            self.slowed,
            self.stopped,
            self.restarts
        )
    }
}

/// What may go wrong.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Kill,
    Held,
    AnswersHeld,
    Cut,
    Slow,
    StopServer,
    RestartServer,
}

/// How often each is chosen.
const KINDS: [Kind; 14] = [
    Kind::Kill,
    Kind::Kill,
    Kind::Kill,
    Kind::Held,
    Kind::Held,
    Kind::Held,
    Kind::AnswersHeld,
    Kind::AnswersHeld,
    Kind::Cut,
    Kind::Cut,
    Kind::Slow,
    Kind::Slow,
    Kind::StopServer,
    Kind::RestartServer,
];

/// The longest wait for a leader to disturb.
const LEADER: Duration = Duration::from_secs(8);

/// Who leads, if somebody does soon.
async fn leader(group: &Group, checker: &Checker) -> Option<usize> {
    let until = Instant::now() + LEADER;
    while Instant::now() < until {
        if let Some(leader) = checker.leader().and_then(|leader| group.find(&leader)) {
            return Some(leader);
        }
        sleep(Duration::from_millis(50)).await;
    }
    None
}

/// Lets things go wrong.
pub(super) struct Faults {
    pub(super) counts: Counts,
    random: Rng,
    began: Instant,
    /// The candidates whose way is not open, and until when.
    disturbed: Vec<(Instant, usize)>,
    round: usize,
}

impl Faults {
    pub(super) fn new(seed: u64, began: Instant) -> Self {
        Self {
            counts: Counts::default(),
            random: Rng::new(seed),
            began,
            disturbed: Vec::new(),
            round: 0,
        }
    }

    fn say(&self, what: &str) {
        println!("{:7.2} s  {what}", self.began.elapsed().as_secs_f64());
    }

    fn millis(&mut self, from: u64, to: u64) -> Duration {
        let span = usize::try_from(to - from).unwrap_or(usize::MAX);
        Duration::from_millis(from + self.random.below(span) as u64)
    }

    /// Waits a little and lets the next thing go wrong. What a short run must have comes first.
    pub(super) async fn next(
        &mut self,
        server: &mut ApiServer,
        group: &mut Group,
        checker: &Checker,
    ) -> Result<()> {
        let wait = self.millis(500, 3_000);
        sleep(wait).await;
        self.end_disturbances(group);
        let leader = leader(group, checker).await;
        let anybody = self.random.below(group.len());
        // The leader more often than not: who does not lead has little to lose.
        let victim = leader.filter(|_| !self.random.one_in(5)).unwrap_or(anybody);
        let first = [
            Kind::Held,
            Kind::Kill,
            Kind::AnswersHeld,
            Kind::StopServer,
            Kind::RestartServer,
        ];
        let kind = match first.get(self.round) {
            Some(kind) => *kind,
            None => self.random.pick_copy(&KINDS),
        };
        self.round += 1;
        match kind {
            Kind::Kill => self.kill(group, victim)?,
            Kind::Held => self.disturb(group, victim, Mode::Held),
            Kind::AnswersHeld => self.disturb(group, victim, Mode::AnswersHeld),
            Kind::Cut => self.disturb(group, victim, Mode::Cut),
            Kind::Slow => {
                let delay = self.millis(50, 700);
                self.disturb(group, victim, Mode::Slow(delay));
            }
            Kind::StopServer => self.stop_server(server).await?,
            Kind::RestartServer => self.restart_server(server)?,
        }
        Ok(())
    }

    fn kill(&mut self, group: &mut Group, victim: usize) -> Result<()> {
        self.say(&format!("kill -9 {}", group.identity(victim)));
        self.counts.kills += 1;
        group.replace(victim)
    }

    fn disturb(&mut self, group: &Group, victim: usize, mode: Mode) {
        let duration = self.millis(500, 8_000);
        self.say(&format!("{mode:?} for {duration:?}: {}", group.identity(victim)));
        *match mode {
            Mode::Held => &mut self.counts.held,
            Mode::AnswersHeld => &mut self.counts.answers_held,
            Mode::Cut => &mut self.counts.cut,
            Mode::Slow(_) | Mode::Open => &mut self.counts.slowed,
        } += 1;
        group.set(victim, mode);
        self.disturbed.retain(|(_, index)| *index != victim);
        self.disturbed.push((Instant::now() + duration, victim));
    }

    fn end_disturbances(&mut self, group: &Group) {
        let now = Instant::now();
        self.disturbed.retain(|(until, index)| {
            if *until <= now {
                group.set(*index, Mode::Open);
            }
            *until > now
        });
    }

    /// All ways are open again.
    pub(super) fn calm(&mut self, group: &mut Group) {
        for (_, index) in self.disturbed.drain(..) {
            group.set(index, Mode::Open);
        }
        self.say("all is well again");
    }

    /// The server stands still for a while, and then answers all that came meanwhile.
    async fn stop_server(&mut self, server: &ApiServer) -> Result<()> {
        let duration = self.millis(500, 2_500);
        self.say(&format!("the server stands still for {duration:?}"));
        self.counts.stopped += 1;
        let id = server.process_id().context("the server does not run")?;
        signal("-STOP", id)?;
        sleep(duration).await;
        signal("-CONT", id)
    }

    fn restart_server(&mut self, server: &mut ApiServer) -> Result<()> {
        self.say("kill -9 of the server");
        self.counts.restarts += 1;
        server.kill();
        // The checker goes on meanwhile.
        tokio::task::block_in_place(|| server.resume())?;
        self.say("the server is back");
        Ok(())
    }
}

fn signal(which: &str, process: u32) -> Result<()> {
    let status = Command::new("kill")
        .args([which, &process.to_string()])
        .status()
        .context("run kill")?;
    ensure!(status.success(), "kill {which} {process}: {status}");
    Ok(())
}
