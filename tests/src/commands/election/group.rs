//! The candidates: each a process with a way to the server and a clock of its own.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::proxy::{Mode, Proxy};
use crate::apiserver::{ApiServer, Credential};
use crate::arbitrary::Rng;

/// Rates of clocks, up to 1.27 apart; 4 s of lease and 2.4 s of renew deadline and grace allow for 1.67.
const RATES: [f64; 5] = [1.0, 0.88, 1.12, 0.95, 1.05];

/// What clocks are off by at most, in seconds: two years.
const OFF: usize = 2 * 365 * 86_400;

/// Somewhere in 2027.
const NOW: i64 = 1_800_000_000;

struct Member {
    identity: String,
    lives: u32,
    process: Process,
    proxy: Proxy,
}

/// A process that is killed when this is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a process that has been waited for already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) struct Group {
    members: Vec<Member>,
    folder: TempDir,
    checker: u16,
    random: Rng,
}

impl Group {
    pub(super) async fn start(server: &ApiServer, checker: u16, size: u32, seed: u64) -> Result<Self> {
        let mut group = Self {
            members: Vec::new(),
            folder: tempfile::tempdir().context("make a folder")?,
            checker,
            random: Rng::new(seed ^ 0x5eed),
        };
        for index in 0..size as usize {
            let proxy = Proxy::start(server.port()).await?;
            let config = server.kubeconfig_for(Credential::Certificate(server.admin_certificate()));
            let url = format!("https://127.0.0.1:{}", proxy.port());
            let config = config.replace(&server.url(), &url);
            std::fs::write(group.kubeconfig(index), config).context("write a kubeconfig")?;
            let (identity, process) = group.spawn(index, 0)?;
            group.members.push(Member {
                identity,
                lives: 1,
                process,
                proxy,
            });
        }
        Ok(group)
    }

    fn kubeconfig(&self, index: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("candidate-{index}.kubeconfig"))
    }

    fn spawn(&mut self, index: usize, life: u32) -> Result<(String, Process)> {
        let identity = format!("candidate-{index}.{life}");
        let seconds = |count: usize| i64::try_from(count).unwrap_or_default();
        let wall = NOW + seconds(self.random.below(2 * OFF)) - seconds(OFF);
        let rate = RATES[index % RATES.len()];
        let child = Command::new(std::env::current_exe().context("find this program")?)
            .arg("election-candidate")
            .arg("--kubeconfig")
            .arg(self.kubeconfig(index))
            .args(["--checker", &self.checker.to_string()])
            .args(["--identity", &identity])
            .args(["--rate", &rate.to_string()])
            .args(["--wall", &wall.to_string()])
            .stdin(Stdio::piped())
            .spawn()
            .context("start a candidate")?;
        Ok((identity, Process(child)))
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn identity(&self, index: usize) -> &str {
        &self.members[index].identity
    }

    /// The member of this identity.
    pub(super) fn find(&self, identity: &str) -> Option<usize> {
        self.members.iter().position(|member| member.identity == identity)
    }

    /// Kills a candidate (`SIGKILL`) and starts another in its place.
    pub(super) fn replace(&mut self, index: usize) -> Result<()> {
        let life = self.members[index].lives;
        let (identity, process) = self.spawn(index, life)?;
        let member = &mut self.members[index];
        (member.identity, member.process) = (identity, process);
        member.lives += 1;
        Ok(())
    }

    pub(super) fn set(&self, index: usize, mode: Mode) {
        self.members[index].proxy.set(mode);
    }
}
