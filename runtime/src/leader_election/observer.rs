//! [`LeaderObserver`]: who leads, for those who do not run.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use super::lease::{Lease, LeaseSpec};
use super::task::Task;
use crate::cache::{ApiListWatch, Deleted, Event, SharedInformer};
use crate::clock::Clock;
use crate::rest::RestClient;
use crate::value::Str;

/// The holder of a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedLeader {
    /// Who.
    pub identity: Str,
    /// How many times the holder had changed.
    pub transitions: i32,
}

/// Follows a lease by a watch. Reading costs nothing; the server is asked once, whatever the number of readers.
/// Dropping it ends the watch.
pub struct LeaderObserver {
    lease: String,
    seen: watch::Receiver<Option<Seen>>,
    clock: Arc<dyn Clock>,
    _task: Task<()>,
}

/// The lease as it last changed.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    spec: LeaseSpec,
    at: Instant,
}

impl fmt::Debug for LeaderObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderObserver")
            .field("lease", &self.lease)
            .field("leader", &self.leader())
            .finish_non_exhaustive()
    }
}

impl LeaderObserver {
    /// Begins to follow a lease, which need not be there.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(client: &RestClient, namespace: &str, name: &str, clock: Arc<dyn Clock>) -> Self {
        let source =
            ApiListWatch::<Lease>::new(client, Some(namespace)).fields(format!("metadata.name={name}"));
        let informer = SharedInformer::new(source);
        let (tell, seen) = watch::channel(None);
        let time = clock.clone();
        let task = Task::spawn(
            async move {
                let mut events = informer.events();
                informer.start();
                while let Some(event) = events.next().await {
                    take(&tell, event, time.now());
                }
            },
            None,
        );
        Self {
            lease: format!("{namespace}/{name}"),
            seen,
            clock,
            _task: task,
        }
    }

    /// Who leads now, as far as is known: the holder of the lease, if its record has changed here within the time that
    /// it says. A leader that died is shown until that time is over; what was read before the server became
    /// unreachable is shown no longer than that.
    pub fn leader(&self) -> Option<ObservedLeader> {
        leader(self.seen.borrow().as_ref(), self.clock.now())
    }

    /// Completes when another leads than `known`, or nobody does, and hands out who.
    pub async fn changed(&self, known: Option<&ObservedLeader>) -> Option<ObservedLeader> {
        let mut seen = self.seen.clone();
        loop {
            let (now, state) = (self.clock.now(), seen.borrow_and_update().clone());
            let leader = leader(state.as_ref(), now);
            if leader.as_ref() != known {
                return leader;
            }
            let end = state.filter(|_| leader.is_some()).and_then(|seen| seen.end());
            let expired = async {
                match end {
                    Some(end) => self.clock.sleep(end.saturating_duration_since(now)).await,
                    None => std::future::pending().await,
                }
            };
            let changed = std::pin::pin!(seen.changed());
            futures_util::future::select(changed, std::pin::pin!(expired)).await;
        }
    }
}

impl Seen {
    fn end(&self) -> Option<Instant> {
        self.at.checked_add(self.spec.duration())
    }
}

fn leader(seen: Option<&Seen>, now: Instant) -> Option<ObservedLeader> {
    let seen = seen.filter(|seen| !seen.spec.holder().is_empty())?;
    let alive = seen.end().is_none_or(|end| now < end);
    alive.then(|| ObservedLeader {
        identity: seen.spec.holder().into(),
        transitions: seen.spec.lease_transitions.unwrap_or_default(),
    })
}

fn take(tell: &watch::Sender<Option<Seen>>, event: Event<Lease>, at: Instant) {
    let spec = match event {
        Event::Added { object, .. } | Event::Updated { new: object, .. } => Some(object.spec.clone()),
        Event::Deleted(Deleted::Known(_) | Deleted::Unknown { .. }) => None,
    };
    tell.send_if_modified(|seen| {
        if seen.as_ref().map(|seen| &seen.spec) == spec.as_ref() {
            return false;
        }
        *seen = spec.map(|spec| Seen { spec, at });
        true
    });
}
