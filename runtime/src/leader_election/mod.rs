//! One of many: leader election on a Lease.
//!
//! | file | what is there |
//! |---|---|
//! | `options` | [`ElectionOptions`] and [`ElectionTiming`]: what an election goes by |
//! | `state` | what a candidate does next: a state machine without network |
//! | `driver`, `calls`, `task`, `release` | do it: calls to the server, the leader's task, its end |
//! | `leadership` | [`Leadership`], which the task holds, and [`Outcome`] |
//! | `lease` | the records on the server, and [`FencingToken`] |
//! | `callbacks` | [`Callbacks`]: the same with functions that are called |
//! | `candidate` | [`Candidacy`]: the server chooses (KEP-4355) |
//! | `observer` | [`LeaderObserver`]: who leads, for those who do not run |
//! | `status` | [`ElectionStatus`], health, metrics |
//!
//! ```no_run
//! # async fn example(client: kubeloom::RestClient) -> Result<(), Box<dyn std::error::Error>> {
//! use kubeloom::leader_election::{ElectionOptions, LeaderElector, Outcome};
//!
//! let elector = LeaderElector::new(&client, ElectionOptions::new("web", "reaper"))?;
//! let outcome = elector
//!     .run(async |leadership| {
//!         // One process does this at a time.
//!         while leadership.is_valid() {
//!             println!("{} leads, term {}", leadership.identity(), leadership.token());
//!             # return;
//!         }
//!     })
//!     .await;
//! if let Outcome::Lost { loss, .. } = outcome {
//!     eprintln!("{loss}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//!
//! A candidate takes a lease only when nobody holds it or when it has seen no change of it, by its own monotonic
//! clock, for as long as the holder's record says; the time of day is never compared. A leader stops counting as one
//! [`ElectionTiming::renew`] after it *sent* its last successful renewal, at once when it sees another holder, and its
//! task is told at that moment; the task is aborted a short [grace](ElectionTiming::grace) later. The lease is given up
//! only when the task has ended.
//!
//! So no two tasks run at a time, as long as the monotonic clocks of two candidates run at rates that differ by less
//! than a factor of `lease / (renew + grace)`, tasks do not block their thread, identities are unique, and nobody changes
//! or deletes the lease behind the candidates' backs. A candidate that had seen the holder of a lease that was deleted
//! waits for it; one that had not takes it, and the former leader sees that at its next renewal. A machine that is
//! suspended, or a process that is stopped, cannot stop its task: that is what [`Leadership::is_valid`] and, if what is
//! written to can refuse, [`FencingToken`] are for.
//!
//! The rules are client-go's, with these differences: it counts the renew deadline from the *answer* to the last
//! renewal (an answer that takes long lets two lead); it lets a leader that sees another holder go on until the
//! deadline; it gives the lease up when it is asked to stop, before the task has ended; it calls "stopped leading" also
//! if it never led; and one request that hangs uses up all of its deadline, while here none takes longer than half of it.
//!
//! A candidate needs the verbs `get`, `create` and `update` of `leases` in `coordination.k8s.io`; an observer `list` and
//! `watch`; a [`Candidacy`] `get`, `list`, `watch`, `create`, `update` and `delete` of `leasecandidates`.
//!
//! This module must not know what leaders do.

mod callbacks;
mod calls;
mod candidate;
mod driver;
mod leadership;
mod lease;
mod observer;
mod options;
mod release;
mod state;
mod status;
mod task;

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

pub use self::callbacks::Callbacks;
use self::candidate::Candidate;
pub use self::candidate::{Candidacy, OLDEST_EMULATION_VERSION};
use self::driver::Driver;
pub use self::leadership::{Ending, Leadership, Loss, Outcome};
pub use self::lease::{FencingToken, Lease, LeaseCandidate, LeaseCandidateSpec, LeaseSpec};
pub use self::observer::{LeaderObserver, ObservedLeader};
pub use self::options::{ElectionOptions, ElectionTiming, InvalidElection, Release};
use self::state::{Chooser, Memory, Rules, State};
pub use self::status::{ElectionMetrics, ElectionState, ElectionStatus, NoElectionMetrics, NotRenewed};
use self::task::{Task, TaskEnd};
use crate::rest::RestClient;

/// A candidate. Clones are the same one.
#[derive(Clone)]
pub struct LeaderElector {
    shared: Arc<Shared>,
}

struct Shared {
    client: RestClient,
    options: ElectionOptions,
    /// `namespace/name`.
    lease: String,
    status: watch::Sender<ElectionStatus>,
    /// One run at a time, counted until its task has ended.
    runs: Arc<Semaphore>,
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElector")
            .field("lease", &self.shared.lease)
            .field("identity", &self.shared.options.identity)
            .field("status", &*self.shared.status.borrow())
            .finish()
    }
}

impl LeaderElector {
    /// A candidate that does not run yet.
    ///
    /// # Errors
    /// Options that make no election: no name, no identity, durations that could let two lead.
    pub fn new(client: &RestClient, options: ElectionOptions) -> Result<Self, InvalidElection> {
        options.check()?;
        let shared = Shared {
            client: client.clone(),
            lease: format!("{}/{}", options.namespace, options.name),
            options,
            status: watch::Sender::default(),
            runs: Arc::new(Semaphore::new(1)),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Waits until this candidate is elected, then runs `lead` on a task of its own until it has ended or the lease is
    /// lost. Then the task is told, given time to end by itself, and aborted; see [`Leadership::ended`].
    ///
    /// The lease is kept by a task too, so that it does not matter how often the future is polled. Dropping the future
    /// aborts both; the lease then expires. One run at a time: a second waits until the task of the first has ended.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn run<F, Fut>(&self, lead: F) -> Outcome<Fut::Output>
    where
        F: FnOnce(Leadership) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        self.run_until(pending(), lead).await
    }

    /// The same until `stop` completes. A leader is then told by [`Ending::Stopping`] and leads on until its task has
    /// ended, however long that takes; then it gives the lease up.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn run_until<S, F, Fut>(&self, stop: S, lead: F) -> Outcome<Fut::Output>
    where
        S: Future<Output = ()> + Send + 'static,
        F: FnOnce(Leadership) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        // Never closed.
        let Ok(permit) = self.shared.runs.clone().acquire_owned().await else {
            return Outcome::NeverLed;
        };
        let shared = self.shared.clone();
        let run = async move {
            let teller = callbacks::Teller::start(&shared);
            let (stop, candidate) = candidate::stand(&shared, Box::pin(stop)).await;
            let Some(stop) = stop else {
                return Outcome::NeverLed;
            };
            let outcome = driver(&shared, candidate).run(stop, lead, permit).await;
            drop(teller);
            outcome
        };
        match Task::spawn(run, None).end().await {
            TaskEnd::Returned(outcome) => outcome,
            TaskEnd::Panicked(panic) => Outcome::Panicked(panic),
            TaskEnd::Aborted => Outcome::Panicked("the runtime ended the election".to_owned()),
        }
    }

    /// Who this candidate is.
    pub fn identity(&self) -> &str {
        &self.shared.options.identity
    }

    /// How the election fares, now and at each change.
    pub fn status(&self) -> watch::Receiver<ElectionStatus> {
        self.shared.status.subscribe()
    }

    /// Who held the lease when this candidate last read it.
    pub fn leader(&self) -> Option<String> {
        self.shared
            .status
            .borrow()
            .leader
            .as_ref()
            .map(ToString::to_string)
    }

    /// Whether this candidate leads now, by its own clock.
    pub fn is_leader(&self) -> bool {
        let options = &self.shared.options;
        let status = self.shared.status.borrow();
        let leads = matches!(status.state, ElectionState::Leading | ElectionState::Stopping);
        let renewed = status.renewed.filter(|_| leads);
        renewed.is_some_and(|renewed| {
            options.clock.now().saturating_duration_since(renewed) < options.timing.renew
        })
    }

    /// For a liveness probe: fails if this candidate leads, or its task has not ended, and the last renewal was sent
    /// longer ago than the lease lasts and `tolerable`. A candidate that does not lead is healthy.
    ///
    /// # Errors
    /// As said: the process should be restarted.
    pub fn check(&self, tolerable: Duration) -> Result<(), NotRenewed> {
        let options = &self.shared.options;
        let status = self.shared.status.borrow();
        status.check(options.clock.now(), options.timing.lease, tolerable)
    }
}

fn driver(shared: &Arc<Shared>, candidate: Option<Candidate>) -> Driver {
    let options = &shared.options;
    let chooser = match candidate {
        Some(_) => Chooser::Server,
        None => Chooser::Candidates,
    };
    let rules = Rules {
        namespace: options.namespace.as_str().into(),
        name: options.name.as_str().into(),
        identity: options.identity.clone(),
        timing: options.timing,
        labels: options.labels.clone(),
        chooser,
    };
    Driver {
        shared: shared.clone(),
        calls: calls::Calls {
            api: shared.client.namespaced(&options.namespace),
            name: options.name.clone(),
            clock: options.clock.clone(),
            limit: options.timing.attempt(),
        },
        memory: Memory::new(rules, options.clock.now()),
        state: State::Reading,
        candidate,
    }
}
