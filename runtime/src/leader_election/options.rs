//! What an election goes by.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::candidate::Candidacy;
use super::status::{ElectionMetrics, NoElectionMetrics};
use crate::clock::{Clock, TokioClock};
use crate::events::Recorder;
use crate::value::{Map, Str};

/// A candidate waits up to this much longer between two looks at the lease, at random, as a fraction of the retry
/// period; client-go's value.
pub(super) const JITTER: f64 = 1.2;

/// How long things take. `lease > renew > retry * 1.2`.
///
/// What is safe about it: a leader counts from the moment it *sent* its last successful renewal and stops after
/// `renew`, its task is aborted a [grace](ElectionTiming::grace) later; others count from the moment they *saw* that
/// renewal, which is later, and wait for `lease`. So two clocks may run at rates that differ by a factor of
/// `lease / (renew + grace)` (1.36 by default), whatever the time of day that they show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElectionTiming {
    /// How long others wait after the last change of the record that they have seen. Whole seconds.
    pub lease: Duration,
    /// A leader that could not renew for so long is none any more.
    pub renew: Duration,
    /// Between two attempts.
    pub retry: Duration,
}

impl Default for ElectionTiming {
    /// 15, 10 and 2 seconds: client-go's.
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            renew: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }
}

impl ElectionTiming {
    /// How long the task of a leader that lost the lease may go on, to put things in order, before it is aborted: a
    /// fifth of the time between `renew` and `lease`, 1 s by default.
    pub fn grace(&self) -> Duration {
        self.lease.saturating_sub(self.renew) / 5
    }

    /// No request takes longer: one that hangs leaves time for another.
    pub(super) fn attempt(&self) -> Duration {
        self.renew / 2
    }

    fn check(&self) -> Result<(), InvalidElection> {
        let invalid = |what| Err(InvalidElection(what));
        if self.lease.is_zero() || self.lease.subsec_nanos() != 0 {
            return invalid(
                "the lease duration must be whole seconds and at least one: leases hold whole seconds",
            );
        }
        if i32::try_from(self.lease.as_secs()).is_err() {
            return invalid("the lease duration must fit into 31 bits of seconds");
        }
        if self.lease <= self.renew {
            return invalid(
                "the lease duration must be longer than the renew deadline, or two could lead at once",
            );
        }
        if self.retry.is_zero() || self.renew <= self.retry.mul_f64(JITTER) {
            return invalid(
                "the renew deadline must be longer than 1.2 times the retry period, and that above 0",
            );
        }
        Ok(())
    }
}

/// What happens to the lease when the leader's task has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// It is given up, so that another candidate takes it at its next look. Never before the task has ended.
    #[default]
    WhenDone,
    /// It expires.
    Never,
}

/// Called with the leader whenever another one is seen, with `None` when there is none.
pub(super) type OnNewLeader = Arc<dyn Fn(Option<&str>) + Send + Sync>;

/// What an election goes by.
#[derive(Clone)]
#[non_exhaustive]
pub struct ElectionOptions {
    /// The namespace of the lease.
    pub namespace: String,
    /// The name of the lease: what candidates have in common.
    pub name: String,
    /// Who this candidate is: different for each process, and for each start of it unless the old one is known to be
    /// gone. The default is the host's name and something random.
    pub identity: Str,
    /// How long things take.
    pub timing: ElectionTiming,
    /// What happens to the lease when the leader's task has ended.
    pub release: Release,
    /// Labels that the lease is to have, besides those that it has.
    pub labels: Map<Str>,
    /// Whether the server chooses the leader, if it can.
    pub coordinated: Option<Candidacy>,
    /// The time. The wall side is only written to the lease, for people; nothing is decided by it.
    pub clock: Arc<dyn Clock>,
    /// Who counts.
    pub metrics: Arc<dyn ElectionMetrics>,
    /// Where it is told, as events of the lease, that this candidate became leader and that it is none any more.
    pub recorder: Option<Recorder>,
    pub(super) on_new_leader: Option<OnNewLeader>,
}

impl fmt::Debug for ElectionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElectionOptions")
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("identity", &self.identity)
            .field("timing", &self.timing)
            .field("release", &self.release)
            .field("coordinated", &self.coordinated)
            .finish_non_exhaustive()
    }
}

impl ElectionOptions {
    /// The defaults for a lease.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
            identity: default_identity(),
            timing: ElectionTiming::default(),
            release: Release::default(),
            labels: Map::default(),
            coordinated: None,
            clock: Arc::new(TokioClock),
            metrics: Arc::new(NoElectionMetrics),
            recorder: None,
            on_new_leader: None,
        }
    }

    /// See [`ElectionOptions::identity`].
    #[must_use]
    pub fn identity(mut self, identity: impl Into<Str>) -> Self {
        self.identity = identity.into();
        self
    }

    /// See [`ElectionTiming`].
    #[must_use]
    pub fn timing(mut self, timing: ElectionTiming) -> Self {
        self.timing = timing;
        self
    }

    /// See [`Release`].
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = release;
        self
    }

    /// Lets the server choose, if it can; see [`Candidacy`].
    #[must_use]
    pub fn coordinated(mut self, candidacy: Candidacy) -> Self {
        self.coordinated = Some(candidacy);
        self
    }

    /// See [`ElectionOptions::clock`].
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// See [`ElectionMetrics`].
    #[must_use]
    pub fn metrics(mut self, metrics: Arc<dyn ElectionMetrics>) -> Self {
        self.metrics = metrics;
        self
    }

    /// See [`ElectionOptions::recorder`].
    #[must_use]
    pub fn recorder(mut self, recorder: &Recorder) -> Self {
        self.recorder = Some(recorder.clone());
        self
    }

    /// Calls `tell` with the leader when another one is seen, the first one and this candidate included, and with `None`
    /// when there is none. It runs on a task of its own; while it is busy, leaders between are left out. A panic in it
    /// is logged.
    #[must_use]
    pub fn on_new_leader(mut self, tell: impl Fn(Option<&str>) + Send + Sync + 'static) -> Self {
        self.on_new_leader = Some(Arc::new(tell));
        self
    }

    pub(super) fn check(&self) -> Result<(), InvalidElection> {
        if self.namespace.is_empty() || self.name.is_empty() {
            return Err(InvalidElection("the lease needs a namespace and a name"));
        }
        if self.identity.is_empty() {
            return Err(InvalidElection("the candidate needs an identity"));
        }
        self.timing.check()
    }
}

/// The host's name and something random: two processes on one host differ.
fn default_identity() -> Str {
    format!("{}_{:016x}", crate::host::name(), fastrand::u64(..)).into()
}

/// Options that make no election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidElection(&'static str);

impl fmt::Display for InvalidElection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidElection {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_that_could_let_two_lead_are_refused() {
        let rows = [
            (15_000, 10_000, 2_000, true),
            (15_000, 15_000, 2_000, false),
            (15_000, 16_000, 2_000, false),
            (15_000, 2_400, 2_000, false),
            (15_000, 2_401, 2_000, true),
            (15_500, 10_000, 2_000, false),
            (0, 10_000, 2_000, false),
            (15_000, 10_000, 0, false),
            (1_000, 500, 100, true),
            (i64::from(i32::MAX) * 1000 + 1000, 10_000, 2_000, false),
        ];
        for (lease, renew, retry, fine) in rows {
            let millis = |millis: i64| Duration::from_millis(millis.unsigned_abs());
            let timing = ElectionTiming {
                lease: millis(lease),
                renew: millis(renew),
                retry: millis(retry),
            };
            assert_eq!(timing.check().is_ok(), fine, "{timing:?}");
        }
    }

    #[test]
    fn identities_differ_and_names_are_required() {
        let options = ElectionOptions::new("web", "reaper");
        assert_ne!(options.identity, ElectionOptions::new("web", "reaper").identity);
        assert!(options.check().is_ok());
        assert!(options.clone().identity("").check().is_err());
        assert!(ElectionOptions::new("", "reaper").check().is_err());
        assert!(ElectionOptions::new("web", "").check().is_err());
    }
}
