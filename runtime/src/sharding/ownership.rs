//! Which partitions are this replica's, and who works in them.

use std::sync::{Arc, Mutex};

use tokio::sync::{Notify, watch};

use super::place::{PARTITIONS, Partitions, partition};
use crate::sync::lock;

/// Which partitions are this replica's, and who works in them.
#[derive(Debug)]
pub(super) struct Ownership {
    state: Mutex<State>,
    /// Counts the times that partitions came.
    gains: watch::Sender<u64>,
    /// Counts all changes.
    changes: watch::Sender<u64>,
    /// Told when a claim is dropped.
    dropped: Notify,
}

#[derive(Debug)]
struct State {
    owned: Partitions,
    /// Of each partition: how many claims there are, and how often it was lost.
    claims: [(usize, u64); PARTITIONS],
}

impl Ownership {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                owned: Partitions::NONE,
                claims: [(0, 0); PARTITIONS],
            }),
            gains: watch::Sender::new(0),
            changes: watch::Sender::new(0),
            dropped: Notify::new(),
        })
    }

    pub(super) fn owned(&self) -> Partitions {
        lock(&self.state).owned.clone()
    }

    pub(super) fn gains(&self) -> watch::Receiver<u64> {
        self.gains.subscribe()
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// From now on these partitions are this replica's; claims in others are lost.
    pub(super) fn set(&self, owned: Partitions) {
        let mut state = lock(&self.state);
        let before = std::mem::replace(&mut state.owned, owned.clone());
        let (mut gained, mut lost) = (false, false);
        for index in 0..PARTITIONS {
            gained |= owned.has(index) && !before.has(index);
            if before.has(index) && !owned.has(index) {
                lost = true;
                state.claims[index].1 += 1;
            }
        }
        drop(state);
        if gained || lost {
            self.changes.send_modify(|count| *count += 1);
        }
        if gained {
            self.gains.send_modify(|count| *count += 1);
        }
    }

    pub(super) fn claim(self: &Arc<Self>, place: u64) -> Option<Claim> {
        let partition = partition(place);
        let mut state = lock(&self.state);
        if !state.owned.has(partition) {
            return None;
        }
        let (count, losses) = &mut state.claims[partition];
        *count += 1;
        Some(Claim {
            ownership: self.clone(),
            partition,
            losses: *losses,
        })
    }

    /// Completes when no claim is left in partitions that are not this replica's.
    pub(super) async fn drained(&self) {
        loop {
            let dropped = self.dropped.notified();
            {
                let state = lock(&self.state);
                let mut claims = state.claims.iter().enumerate();
                if claims.all(|(index, (count, _))| *count == 0 || state.owned.has(index)) {
                    return;
                }
            }
            dropped.await;
        }
    }
}

/// The right to work on something. Another replica gets it only after this is dropped, as far as leases can promise.
#[derive(Debug)]
#[must_use = "another replica may begin when it is dropped"]
pub struct Claim {
    ownership: Arc<Ownership>,
    partition: usize,
    losses: u64,
}

impl Claim {
    /// Whether the right has been lost.
    pub fn is_lost(&self) -> bool {
        lock(&self.ownership.state).claims[self.partition].1 != self.losses
    }

    /// Completes when the right has been lost: the work is to be given up at once, and the claim dropped.
    pub async fn lost(&self) {
        let mut changes = self.ownership.changes();
        while !self.is_lost() {
            if changes.changed().await.is_err() {
                // The sender lives as long as the claim.
                return;
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.ownership.state).claims[self.partition].0 -= 1;
        self.ownership.dropped.notify_waiters();
    }
}
