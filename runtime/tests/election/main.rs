//! Elections on a scripted server, in paused time: what is promised holds whatever the server and the network do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod ends;
mod faults;
mod many;
mod server;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::leader_election::{ElectionOptions, LeaderElector, Leadership};
use tokio::time::Instant;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn options(identity: &str) -> ElectionOptions {
    ElectionOptions::new("web", "reaper").identity(identity)
}

fn elector(client: &RestClient, identity: &str) -> LeaderElector {
    LeaderElector::new(client, options(identity)).unwrap()
}

/// Completes when the candidate leads.
async fn leads(elector: &LeaderElector) {
    let mut status = elector.status();
    while !elector.is_leader() {
        status.changed().await.unwrap();
    }
}

/// Whose tasks ran when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watcher(Arc<Mutex<Vec<Turn>>>);

#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) who: String,
    pub(crate) token: String,
    pub(crate) from: Instant,
    pub(crate) until: Option<Instant>,
}

/// A task that runs.
pub(crate) struct Running {
    watcher: Watcher,
    index: usize,
}

impl Watcher {
    /// A task begins; it ends when the guard is dropped, however that comes.
    pub(crate) fn enter(&self, leadership: &Leadership) -> Running {
        let mut turns = self.0.lock().unwrap();
        turns.push(Turn {
            who: leadership.identity().to_owned(),
            token: leadership.token().to_string(),
            from: Instant::now(),
            until: None,
        });
        Running {
            watcher: self.clone(),
            index: turns.len() - 1,
        }
    }

    pub(crate) fn turns(&self) -> Vec<Turn> {
        self.0.lock().unwrap().clone()
    }

    /// No two tasks ran at a time, and tokens grew.
    pub(crate) fn check(&self) -> Vec<Turn> {
        let turns = self.turns();
        for pair in turns.windows(2) {
            let ended = pair[0].until.expect("a task that goes on while another begins");
            assert!(ended <= pair[1].from, "{pair:?}");
            let (before, after): (u64, u64) =
                (pair[0].token.parse().unwrap(), pair[1].token.parse().unwrap());
            assert!(before < after, "{pair:?}");
        }
        turns
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.watcher.0.lock().unwrap()[self.index].until = Some(Instant::now());
    }
}
