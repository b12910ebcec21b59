//! How an election fares, for whoever asks and whoever counts.

use std::fmt;
use std::time::{Duration, Instant};

use super::leadership::Loss;
use crate::value::Str;

/// What a candidate is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElectionState {
    /// It does not run.
    #[default]
    Stopped,
    /// It waits for its turn.
    Standby,
    /// It leads.
    Leading,
    /// It leads until its task, which was asked to stop, has ended.
    Stopping,
    /// It has lost the lease and waits for its task to end.
    Losing(Loss),
}

/// How an election fares.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElectionStatus {
    /// What this candidate is doing.
    pub state: ElectionState,
    /// Who held the lease when it was last read; `None` if nobody did or it was not read yet.
    pub leader: Option<Str>,
    /// When the last renewal that succeeded was sent, while this candidate leads or its task has not ended.
    pub renewed: Option<Instant>,
    /// Why the last attempt failed, if it did.
    pub last_error: Option<String>,
    /// Since when others may lead while the task of this candidate has not ended.
    pub overrun_since: Option<Instant>,
}

impl ElectionStatus {
    /// Fails if this candidate acts as leader and could not renew for longer than the lease and `tolerable`.
    pub(super) fn check(&self, now: Instant, lease: Duration, tolerable: Duration) -> Result<(), NotRenewed> {
        match self.renewed {
            Some(renewed) if now.saturating_duration_since(renewed) > lease.saturating_add(tolerable) => {
                Err(NotRenewed {
                    since: now.saturating_duration_since(renewed),
                })
            }
            _ => Ok(()),
        }
    }
}

/// A leader that should not be one any more and has not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRenewed {
    /// How long ago the last renewal was sent.
    pub since: Duration,
}

impl fmt::Display for NotRenewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the lease was renewed {:?} ago and the leader's task has not ended: restart the process",
            self.since
        )
    }
}

impl std::error::Error for NotRenewed {}

/// Receives what happens in an election. All methods do nothing unless implemented; they must not block. `lease` is
/// `namespace/name`.
pub trait ElectionMetrics: fmt::Debug + Send + Sync {
    /// This candidate begins or ceases to lead.
    fn leading(&self, lease: &str, leading: bool) {
        let _ = (lease, leading);
    }

    /// The lease was renewed, by a request that took so long.
    fn renewed(&self, lease: &str, latency: Duration) {
        let _ = (lease, latency);
    }

    /// A leader had to read the lease again: what it knew of it was old, or a write failed.
    fn slow_path(&self, lease: &str) {
        let _ = lease;
    }

    /// The task of a former leader has not ended although others may lead now.
    fn overrun(&self, lease: &str) {
        let _ = lease;
    }
}

/// Counts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoElectionMetrics;

impl ElectionMetrics for NoElectionMetrics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_overdue_leader_is_unhealthy() {
        let start = Instant::now();
        let status = |renewed| ElectionStatus {
            renewed,
            ..ElectionStatus::default()
        };
        let (lease, tolerable) = (Duration::from_secs(15), Duration::from_secs(20));
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(status(None).check(after(99), lease, tolerable).is_ok());
        assert!(status(Some(start)).check(after(35), lease, tolerable).is_ok());
        let error = status(Some(start)).check(after(36), lease, tolerable);
        assert_eq!(error.unwrap_err().since, Duration::from_secs(36));
        assert!(status(Some(start)).check(after(36), lease, Duration::MAX).is_ok());
    }
}
