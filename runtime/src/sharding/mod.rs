//! Many replicas, each with its share of the keys: for those who outgrow one process.
//!
//! | file | what is there |
//! |---|---|
//! | `place` | where keys are, and which member has which partition |
//! | `ownership` | [`Claim`]: the right to work on a key |
//! | `members` | who is there, as leases tell it |
//! | `replica` | a replica's life in its group |
//! | `list_watch` | [`Sharded`]: lists and watches of this replica's share alone |
//!
//! ```no_run
//! # async fn example<Site: kubeloom::cache::Informed>(client: kubeloom::RestClient) -> Result<(), Box<dyn std::error::Error>> {
//! use kubeloom::cache::{ApiListWatch, SharedInformer};
//! use kubeloom::controller::{Action, Controller};
//! use kubeloom::sharding::{ShardOptions, Sharded, Shards};
//!
//! let shards = Shards::join(&client, ShardOptions::new("web", "sites"));
//! let sites = SharedInformer::new(Sharded::new(ApiListWatch::<Site>::new(&client, None), &shards));
//! let handle = Controller::new("sites").reconciles(&sites).sharded(&shards).start(|_, key| async move {
//!     println!("{key} is mine");
//!     Ok::<_, kubeloom::Error>(Action::Done)
//! });
//! # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
//! handle.stop().await;
//! shards.leave().await;
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//!
//! Places are cut into 256 partitions. Each replica has a Lease; rendezvous hashing over those whose leases live says who has
//! which partition. A replica that comes begins when every other one has written into its lease that it has made room: that
//! it has ended all work on what is no longer its own. One that goes deletes its lease after its work has ended. One that
//! hangs is waited for until its lease has ended.
//!
//! # What is promised
//!
//! No place has two owners at a time, as long as monotonic clocks run at rates that differ by less than a factor of
//! `lease_duration / renew_deadline`, and work ends at once when it is told ([`Claim::lost`]): a controller drops its
//! reconciler, which ends at its next await. A replica that cannot renew counts itself out `renew_deadline` after it *sent* its
//! last successful renewal; others count it out `lease_duration` after they saw that renewal, and only when a list from the
//! server confirms it. What leases cannot promise: a request that was sent before the end may reach the server after it,
//! and a process that is frozen does not notice that time passes until it goes on. Where that matters, write with
//! resourceVersions.
//!
//! A place is without an owner for at most `lease_duration`, and the retries until the next look, after a replica hangs; for
//! the round trip of three writes when one comes or goes in order. Each further replica that hangs while room is awaited
//! adds its own lease.
//!
//! This module must not know what is done at a place.

mod list_watch;
mod members;
mod ownership;
mod place;
mod replica;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

pub use self::list_watch::Sharded;
pub use self::ownership::Claim;
use self::ownership::Ownership;
pub use self::place::{PARTITIONS, hash};
use self::replica::Replica;
use crate::cache::ObjectKey;
use crate::clock::{Clock, TokioClock};
use crate::rest::RestClient;

/// By what objects and keys are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardBy {
    /// By namespace: an object, its children and their keys are at one place, so that all of them can be listed and watched
    /// by shard, by the server if it offers that. What is in one namespace is one replica's; all of cluster scope is.
    #[default]
    Namespace,
    /// By namespace and name of what is worked on: evenly spread, but everything has to be watched by every replica.
    Key,
}

/// What a replica is told about its group.
#[derive(Clone, Debug)]
pub struct ShardOptions {
    /// The name of the group: replicas with the same name in the same namespace share the work. A label's value.
    pub group: String,
    /// Where the leases are.
    pub namespace: String,
    /// What this replica is called; unlike all others. Part of a lease's name. Random unless said otherwise: a name that is
    /// used again makes the next process wait until the lease of the one before it has ended.
    pub identity: String,
    /// How long others wait for a replica that gives no sign. Whole seconds.
    pub lease_duration: Duration,
    /// How long after its last renewal a replica works; less than `lease_duration`.
    pub renew_deadline: Duration,
    /// Between attempts that fail.
    pub retry: Duration,
    /// By what places are told.
    pub by: ShardBy,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl ShardOptions {
    /// A group in a namespace; leases of 15 seconds, renewed within 10, retried every 2.
    pub fn new(namespace: impl Into<String>, group: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            namespace: namespace.into(),
            identity: format!("{:016x}", fastrand::u64(..)),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry: Duration::from_secs(2),
            by: ShardBy::default(),
            clock: Arc::new(TokioClock),
        }
    }

    fn lease_name(&self) -> String {
        format!("{}-{}", self.group, self.identity)
    }

    /// A third of the deadline: two renewals may fail.
    fn renew_interval(&self) -> Duration {
        self.renew_deadline / 3
    }
}

/// Where a replica is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardPhase {
    /// It has no lease yet, or others have not made room.
    #[default]
    Joining,
    /// It works on its share.
    Member,
    /// It was asked to leave and has left.
    Left,
}

/// A replica at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardStatus {
    /// Where it is in its life.
    pub phase: ShardPhase,
    /// How many replicas it knows of, itself included; 0 before it has looked.
    pub members: usize,
    /// How many of the [`PARTITIONS`] are its own.
    pub partitions: usize,
    /// The last error, if no round has succeeded since.
    pub last_error: Option<String>,
}

/// This replica's share. Cheap to clone; when the last clone is dropped the replica leaves its group.
#[derive(Clone)]
pub struct Shards {
    ownership: Arc<Ownership>,
    status: watch::Receiver<ShardStatus>,
    by: ShardBy,
    stop: Arc<StopOnDrop>,
}

struct StopOnDrop(watch::Sender<bool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shards")
            .field("status", &*self.status.borrow())
            .finish_non_exhaustive()
    }
}

impl Shards {
    /// Joins a group, on a task of the current tokio runtime. It owns nothing at first.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn join(client: &RestClient, options: ShardOptions) -> Self {
        let ownership = Ownership::new();
        let (sender, status) = watch::channel(ShardStatus::default());
        let (stop, stopped) = watch::channel(false);
        let by = options.by;
        let replica = Replica::new(client, options, ownership.clone(), sender);
        tokio::spawn(replica.run(stopped));
        Self {
            ownership,
            status,
            by,
            stop: Arc::new(StopOnDrop(stop)),
        }
    }

    /// Leaves the group and completes when that is done: work is lost, ends, and the lease is deleted. Stop controllers
    /// first, so that their work can end in order.
    pub async fn leave(&self) {
        self.stop.0.send_replace(true);
        let mut status = self.status.clone();
        // An error says that the task is gone.
        let _ = status.wait_for(|status| status.phase == ShardPhase::Left).await;
    }

    /// How the replica fares, now and at each change.
    pub fn status(&self) -> watch::Receiver<ShardStatus> {
        self.status.clone()
    }

    /// The right to work at a place ([`hash`]), if it is this replica's.
    pub fn claim(&self, place: u64) -> Option<Claim> {
        self.ownership.claim(place)
    }

    /// Counts the times that partitions came to this replica: what is there has to be looked at then.
    pub fn gains(&self) -> watch::Receiver<u64> {
        self.ownership.gains()
    }

    /// Where keys are.
    pub(crate) fn place_of_keys(&self) -> fn(&ObjectKey) -> u64 {
        match self.by {
            ShardBy::Namespace => |key| hash(&key.namespace),
            ShardBy::Key => |key| place::extend(place::extend(hash(&key.namespace), "/"), &key.name),
        }
    }
}
