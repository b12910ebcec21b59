//! A replica's life in its group: publish a lease, wait for room, work, renew; leave when it cannot.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::{Notify, watch};

use super::members::{GROUP_LABEL, INCARNATION, Member, Members, ROOM};
use super::ownership::Ownership;
use super::place::Partitions;
use super::{ShardOptions, ShardPhase, ShardStatus};
use crate::cache::{ApiListWatch, Event, InformerOptions, SharedInformer};
use crate::clock::{Clock, within};
use crate::error::{CallContext, Error, ErrorKind};
use crate::leader_election::Lease;
use crate::rest::{Api, RestClient};
use crate::transport::{TransportError, TransportErrorKind};
use crate::value::{MicroTime, map};

/// A replica in its group.
pub(super) struct Replica {
    api: Api<Lease>,
    options: ShardOptions,
    ownership: Arc<Ownership>,
    status: watch::Sender<ShardStatus>,
    clock: Arc<dyn Clock>,
    /// Watches the leases, to be told soon.
    informer: SharedInformer<Lease>,
    changed: Arc<Notify>,
}

/// One life in the group.
struct Life {
    incarnation: String,
    members: Members,
    /// The own lease as it was last written.
    lease: Lease,
    /// When the last renewal that succeeded was begun: others count from later.
    renewed: Instant,
    /// Whether all others have made room.
    settled: bool,
}

/// Why a life is over.
enum Over {
    /// The lease could not be renewed in time, or somebody else wrote to it.
    Fenced(String),
}

impl Replica {
    pub(super) fn new(
        client: &RestClient,
        options: ShardOptions,
        ownership: Arc<Ownership>,
        status: watch::Sender<ShardStatus>,
    ) -> Self {
        let selector = format!("{GROUP_LABEL}={}", options.group);
        let source = ApiListWatch::<Lease>::new(client, Some(&options.namespace)).labels(selector);
        let clock = options.clock.clone();
        let informer = SharedInformer::with_options(
            source,
            InformerOptions {
                clock: clock.clone(),
                ..InformerOptions::default()
            },
        );
        let changed = Arc::new(Notify::new());
        let told = changed.clone();
        // Whether a renewal alone has changed a lease is not worth a look.
        informer.add_event_handler(move |event: Event<Lease>| match &event {
            Event::Updated { old, new } if old.metadata.annotations == new.metadata.annotations => {}
            _ => told.notify_one(),
        });
        Self {
            api: client.namespaced(&options.namespace),
            options,
            ownership,
            status,
            clock,
            informer,
            changed,
        }
    }

    /// Lives in the group, again and again, until it is stopped; then leaves it in order.
    pub(super) async fn run(self, mut stop: watch::Receiver<bool>) {
        self.informer.start();
        let mut last = None;
        {
            let lives = async {
                loop {
                    let over = self.live(&mut last).await;
                    let Over::Fenced(reason) = over;
                    tracing::warn!(
                        group = self.options.group,
                        reason,
                        "the replica has left its group and joins anew"
                    );
                    self.status.send_modify(|status| status.last_error = Some(reason));
                    self.give_up().await;
                    self.clock.sleep(self.options.retry).await;
                }
            };
            let stopped = stop.wait_for(|stop| *stop);
            select(Box::pin(lives), Box::pin(stopped)).await;
        }
        self.give_up().await;
        self.informer.stop().await;
        if let Some(lease) = last {
            self.delete(lease).await;
        }
        self.enter(ShardPhase::Left);
    }

    fn enter(&self, phase: ShardPhase) {
        self.status.send_modify(|status| status.phase = phase);
    }

    /// Owns nothing, and waits until nothing is worked on.
    async fn give_up(&self) {
        self.enter(ShardPhase::Joining);
        self.own(Partitions::NONE);
        self.ownership.drained().await;
    }

    fn own(&self, partitions: Partitions) {
        let count = partitions.len();
        self.ownership.set(partitions);
        self.status.send_modify(|status| status.partitions = count);
    }

    /// Joins and stays, as long as the lease can be renewed.
    async fn live(&self, last: &mut Option<Lease>) -> Over {
        let mut life = self.join(last).await;
        loop {
            let deadline = life.renewed + self.options.renew_deadline;
            let left = deadline.saturating_duration_since(self.clock.now());
            match within(&*self.clock, left, self.round(&mut life)).await {
                Some(Ok(())) => *last = Some(life.lease.clone()),
                Some(Err(error)) if error.is_conflict() => {
                    if let Err(over) = self.adopt(&mut life).await {
                        return over;
                    }
                }
                Some(Err(error)) => {
                    self.status
                        .send_modify(|status| status.last_error = Some(error.to_string()));
                    let wait = self.options.retry.min(left);
                    self.clock.sleep(wait).await;
                }
                None => {}
            }
            if self.clock.now() >= deadline && life.renewed + self.options.renew_deadline <= deadline {
                return Over::Fenced("the lease could not be renewed in time".to_owned());
            }
        }
    }

    /// After a conflict: an own renewal may have been written though its answer was lost.
    async fn adopt(&self, life: &mut Life) -> Result<(), Over> {
        let found = match self.bounded(self.api.get(&self.options.lease_name())).await {
            Ok(found) => found,
            Err(error) => return Err(Over::Fenced(error.to_string())),
        };
        let incarnation = found.metadata.annotations.get(INCARNATION);
        if incarnation.is_none_or(|one| *one != *life.incarnation) {
            let identity = &self.options.identity;
            return Err(Over::Fenced(format!(
                "another replica has the identity {identity:?}"
            )));
        }
        life.lease = found;
        Ok(())
    }

    /// Publishes the lease of a new life, and reads who else is there, for as long as it takes.
    async fn join(&self, last: &mut Option<Lease>) -> Life {
        self.enter(ShardPhase::Joining);
        let incarnation = format!("{:016x}", fastrand::u64(..));
        loop {
            match self.try_join(&incarnation, last).await {
                Ok(life) => return life,
                Err(error) => self
                    .status
                    .send_modify(|status| status.last_error = Some(error.to_string())),
            }
            self.clock.sleep(self.options.retry).await;
        }
    }

    async fn try_join(&self, incarnation: &str, last: &mut Option<Lease>) -> Result<Life, Error> {
        let name = self.options.lease_name();
        let found = match self.bounded(self.api.get(&name)).await {
            Ok(found) => Some(found),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error),
        };
        if let Some(found) = &found {
            self.wait_for_former(found, last).await?;
        }
        let renewed = self.clock.now();
        let lease = match found {
            Some(found) => {
                // Anew: it may have been renewed meanwhile, and that is a conflict.
                let lease = self.fill(found, incarnation, &[]);
                self.bounded(self.api.update(&lease)).await?
            }
            None => {
                let lease = self.fill(Lease::default(), incarnation, &[]);
                self.bounded(self.api.create(&lease)).await?
            }
        };
        *last = Some(lease.clone());
        let mut life = Life {
            incarnation: incarnation.to_owned(),
            members: Members::default(),
            lease,
            renewed,
            settled: false,
        };
        // After the own lease is there: of two that join at once, one sees the other.
        self.look(&mut life).await?;
        Ok(life)
    }

    /// A lease of this identity that is not of this process may be of one that hangs: it gets the time to notice.
    async fn wait_for_former(&self, found: &Lease, last: &Option<Lease>) -> Result<(), Error> {
        let incarnation = |lease: &Lease| lease.metadata.annotations.get(INCARNATION).cloned();
        let own = last.as_ref().and_then(incarnation);
        if Member::of(found).is_none() || own.is_some() && own == incarnation(found) {
            return Ok(());
        }
        let seconds = found.spec.lease_duration_seconds.unwrap_or_default().max(1);
        let duration = Duration::from_secs(u64::try_from(seconds).unwrap_or(1));
        self.clock.sleep(duration).await;
        Ok(())
    }

    /// The own lease, as it is to be written now.
    fn fill(&self, mut lease: Lease, incarnation: &str, room: &[String]) -> Lease {
        let now = MicroTime::from(self.clock.wall());
        let is_new = lease
            .metadata
            .annotations
            .get(INCARNATION)
            .is_none_or(|known| known != incarnation);
        lease.metadata.name = self.options.lease_name().into();
        lease.metadata.namespace = self.options.namespace.as_str().into();
        lease.metadata.labels = map([(GROUP_LABEL, self.options.group.as_str())]);
        lease.metadata.annotations = map([(INCARNATION, incarnation), (ROOM, &room.join(","))]);
        let seconds = self.options.lease_duration.as_secs().max(1);
        lease.spec.holder_identity = Some(self.options.identity.as_str().into());
        lease.spec.lease_duration_seconds = Some(i32::try_from(seconds).unwrap_or(i32::MAX));
        lease.spec.renew_time = Some(now);
        if is_new {
            lease.spec.acquire_time = Some(now);
            *lease.spec.lease_transitions.get_or_insert(-1) += 1;
        }
        lease
    }

    /// Makes room, renews, takes what falls to it, and waits for something to do.
    async fn round(&self, life: &mut Life) -> Result<(), Error> {
        let share = life.members.share_of(&self.options.identity);
        // First what is no longer its own is let go, then the others are told, then what is new is taken.
        let mut kept = self.ownership.owned();
        kept.0
            .iter_mut()
            .zip(share.0)
            .for_each(|(kept, share)| *kept &= share);
        self.own(kept);
        self.ownership.drained().await;
        let begun = self.clock.now();
        let lease = self.fill(
            life.lease.clone(),
            &life.incarnation,
            &life.members.incarnations(),
        );
        life.lease = self.bounded(self.api.update(&lease)).await?;
        life.renewed = begun;
        life.settled |= life.members.have_room_for(&life.incarnation);
        if life.settled {
            self.own(share);
        }
        self.status.send_modify(|status| {
            status.phase = if life.settled {
                ShardPhase::Member
            } else {
                ShardPhase::Joining
            };
            status.members = life.members.identities().count() + 1;
            status.last_error = None;
        });
        self.wait(life).await;
        self.look(life).await
    }

    /// A call that hangs is given up while there is time for another one.
    async fn bounded<T>(&self, call: impl IntoFuture<Output = Result<T, Error>>) -> Result<T, Error> {
        let limit = self.options.renew_interval();
        match within(&*self.clock, limit, call.into_future()).await {
            Some(result) => result,
            None => {
                let context = CallContext {
                    verb: "renew",
                    resource: "leases.coordination.k8s.io".to_owned(),
                    namespace: Some(self.options.namespace.clone()),
                    name: Some(self.options.lease_name()),
                };
                let text = format!("no answer within {limit:?}");
                let error = TransportError::new(TransportErrorKind::Timeout, text);
                Err(Error::new(context, ErrorKind::Transport(error)))
            }
        }
    }

    /// Until a lease changes by more than a renewal, a member falls silent, or the own lease is to be renewed.
    async fn wait(&self, life: &Life) {
        let now = self.clock.now();
        let mut until = life.renewed + self.options.renew_interval();
        if let Some(silent) = life.members.next_silent() {
            until = until.min(silent.max(now + self.options.retry / 4));
        }
        let sleep = self.clock.sleep(until.saturating_duration_since(now));
        if let Either::Right(_) = select(sleep, Box::pin(self.changed.notified())).await {
            tracing::debug!(group = self.options.group, "the members have changed");
        }
    }

    /// Reads all leases, as they are on the server now.
    async fn look(&self, life: &mut Life) -> Result<(), Error> {
        let selector = format!("{GROUP_LABEL}={}", self.options.group);
        let list = self.bounded(self.api.list().labels(selector)).await?;
        let now = self.clock.now();
        let members = list.iter().filter_map(Member::of);
        let others = members.filter(|(identity, _)| *identity != self.options.identity);
        life.members.replace(others, now);
        Ok(())
    }

    /// The others need not wait until the lease ends.
    async fn delete(&self, lease: Lease) {
        let name = self.options.lease_name();
        let delete = self.api.delete(&name).uid(lease.metadata.uid.clone());
        match within(&*self.clock, self.options.retry, async { delete.await }).await {
            Some(Err(error)) if !error.is_not_found() => {
                tracing::warn!(group = self.options.group, %error, "the lease was not deleted; others wait until it ends");
            }
            _ => {}
        }
    }
}
