//! [`LeaderObserver`]: who leads, for those who do not run.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use super::lease::{Lease, LeaseSpec};
use super::task::Task;
use crate::cache::{ApiListWatch, Deleted, Event, SharedInformer};
use crate::clock::{Clock, TokioClock};
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
    pub fn start(client: &RestClient, namespace: &str, name: &str) -> Self {
        Self::start_on(client, namespace, name, Arc::new(TokioClock))
    }

    /// The same with another clock.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start_on(client: &RestClient, namespace: &str, name: &str, clock: Arc<dyn Clock>) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn lease(holder: &str, seconds: i32) -> Event<Lease> {
        let mut lease = Lease::default();
        lease.spec.holder_identity = Some(holder.into());
        lease.spec.lease_duration_seconds = Some(seconds);
        lease.spec.lease_transitions = Some(3);
        let object = Arc::new(lease);
        Event::Added {
            object,
            initial: false,
        }
    }

    #[test]
    fn a_leader_that_does_not_renew_is_none_after_its_own_time() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let who = |seen: &watch::Sender<Option<Seen>>, at| {
            leader(seen.borrow().as_ref(), at).map(|leader| leader.identity.to_string())
        };
        let seen = watch::Sender::new(None);
        assert_eq!(who(&seen, start), None);
        take(&seen, lease("a", 15), start);
        assert_eq!(who(&seen, after(14)).as_deref(), Some("a"));
        assert_eq!(who(&seen, after(15)), None);
        // The same record again is no news.
        take(&seen, lease("a", 15), after(10));
        assert_eq!(who(&seen, after(15)), None);
        take(&seen, lease("b", i32::MAX), after(16));
        assert_eq!(who(&seen, after(1_000_000)).as_deref(), Some("b"));
        take(&seen, lease("", 15), after(16));
        assert_eq!(who(&seen, after(16)), None);
        take(&seen, lease("c", 15), after(17));
        let deleted = Event::Deleted(Deleted::Known(Arc::default()));
        take(&seen, deleted, after(18));
        assert_eq!(who(&seen, after(18)), None);
    }
}
