//! [`Candidacy`]: the server chooses the leader.

use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use futures_util::future::{Either, select};

use super::Shared;
use super::lease::{LeaseCandidate, LeaseCandidateSpec};
use super::task::Task;
use crate::cache::{ApiListWatch, Event, SharedInformer};
use crate::clock::{Clock, within};
use crate::error::Error;
use crate::meta::ObjectMeta;
use crate::rest::{Api, RestClient};
use crate::retry::Backoff;
use crate::value::{MicroTime, Str};

/// The strategy that servers know: the lowest emulation version leads, then the lowest binary version, then the one
/// that was created first.
pub const OLDEST_EMULATION_VERSION: &str = "OldestEmulationVersion";

/// The document that lists what the server has of the version that candidates are written in.
const GROUP_VERSION: &str = "/apis/coordination.k8s.io/v1beta1";

/// A candidate shows at least so often that it is there; servers forget one after 30 minutes.
const SHOW: Duration = Duration::from_secs(300);

/// A withdrawal takes no longer.
const WITHDRAW: Duration = Duration::from_secs(5);

const BACKOFF: Backoff = Backoff {
    steps: u32::MAX,
    duration: Duration::from_millis(500),
    factor: 2.0,
    jitter: 0.5,
    cap: Duration::from_secs(30),
};

/// What the server chooses by, in a coordinated election (KEP-4355).
///
/// The candidate registers itself by a `LeaseCandidate` of its identity's name, and the server gives it the lease when it
/// is the best. When another becomes better the server marks the end of its term: its task is told by
/// [`Loss::EndOfTerm`](super::Loss::EndOfTerm), ends, and the lease is given up to the other. A server that does not
/// serve `LeaseCandidate` is noticed, and the candidate takes part in an ordinary election; the two may be mixed. A
/// server that serves the kind but has the feature `CoordinatedLeaderElection` off chooses nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidacy {
    /// The version of this program, as semantic version.
    pub binary_version: Str,
    /// The version that it behaves as; not above `binary_version`.
    pub emulation_version: Str,
    /// How to choose; [`OLDEST_EMULATION_VERSION`], or one that a controller of the cluster knows.
    pub strategy: Str,
}

impl Candidacy {
    /// By [`OLDEST_EMULATION_VERSION`], of a program that behaves as its version.
    pub fn new(version: impl Into<Str>) -> Self {
        let version = version.into();
        Self {
            binary_version: version.clone(),
            emulation_version: version,
            strategy: OLDEST_EMULATION_VERSION.into(),
        }
    }
}

/// A registered candidate; dropping it ends the registration's upkeep.
pub(super) struct Candidate {
    api: Api<LeaseCandidate>,
    name: String,
    clock: Arc<dyn Clock>,
    _task: Task<()>,
}

/// What is left of the stop, and the candidate if the server chooses.
type Stands = (Option<BoxFuture<'static, ()>>, Option<Candidate>);

/// Registers the candidate if that is wished and the server chooses. `None` in place of the stop if it came first.
pub(super) async fn stand(shared: &Arc<Shared>, stop: BoxFuture<'static, ()>) -> Stands {
    let options = &shared.options;
    let Some(candidacy) = &options.coordinated else {
        return (Some(stop), None);
    };
    let served = Box::pin(is_served_at_last(&shared.client, &*options.clock));
    let stop = match select(stop, served).await {
        Either::Left(_) => return (None, None),
        Either::Right((true, stop)) => stop,
        Either::Right((false, stop)) => {
            tracing::warn!(lease = %shared.lease, "the server has no LeaseCandidate; candidates elect among themselves");
            return (Some(stop), None);
        }
    };
    let upkeep = Upkeep {
        client: shared.client.clone(),
        api: shared.client.namespaced(&options.namespace),
        namespace: options.namespace.clone(),
        name: options.identity.to_string(),
        spec: LeaseCandidateSpec {
            lease_name: options.name.as_str().into(),
            binary_version: candidacy.binary_version.clone(),
            emulation_version: candidacy.emulation_version.clone(),
            strategy: candidacy.strategy.clone(),
            ..LeaseCandidateSpec::default()
        },
        clock: options.clock.clone(),
    };
    let candidate = Candidate {
        api: upkeep.api.clone(),
        name: upkeep.name.clone(),
        clock: upkeep.clock.clone(),
        _task: Task::spawn(async move { upkeep.run().await }, None),
    };
    (Some(stop), Some(candidate))
}

impl Candidate {
    /// Takes the candidate off the server's list.
    pub(super) async fn withdraw(self) {
        let Self {
            api,
            name,
            clock,
            _task,
        } = self;
        drop(_task);
        let gone = within(&*clock, WITHDRAW, api.delete(&name).into_future()).await;
        if let Some(Err(error)) = gone
            && !error.is_not_found()
        {
            tracing::debug!(%error, "the candidate could not be withdrawn; the server forgets it");
        }
    }
}

/// Whether the server has the resource; asks until there is an answer.
async fn is_served_at_last(client: &RestClient, clock: &dyn Clock) -> bool {
    let mut attempt = 0;
    loop {
        match client.document(GROUP_VERSION, "application/json").await {
            Ok(document) => return names_candidates(&document.body),
            Err(error) if error.is_not_found() || error.is_forbidden() => return false,
            Err(error) => {
                tracing::debug!(%error, "what the server has of coordination could not be read");
                clock.sleep(BACKOFF.random_delay(attempt)).await;
                attempt += 1;
            }
        }
    }
}

fn names_candidates(body: &[u8]) -> bool {
    let list: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let resources = list.as_ref().and_then(|list| list["resources"].as_array());
    resources.is_some_and(|resources| {
        resources
            .iter()
            .any(|resource| resource["name"] == "leasecandidates")
    })
}

/// Keeps the candidate on the server's list and answers when the server asks.
struct Upkeep {
    client: RestClient,
    api: Api<LeaseCandidate>,
    namespace: String,
    name: String,
    spec: LeaseCandidateSpec,
    clock: Arc<dyn Clock>,
}

impl Upkeep {
    async fn run(self) {
        let source = ApiListWatch::<LeaseCandidate>::new(&self.client, Some(&self.namespace))
            .fields(format!("metadata.name={}", self.name));
        let informer = SharedInformer::new(source);
        let mut events = informer.events();
        informer.start();
        let mut known = None;
        let mut attempt = 0;
        let mut due = Duration::ZERO;
        loop {
            let event = within(&*self.clock, due, events.next()).await;
            match event {
                // The informer is gone, and with it the run.
                Some(None) => return,
                Some(Some(Event::Added { object, .. } | Event::Updated { new: object, .. })) => {
                    let asked = is_asked(&object.spec);
                    known = Some((*object).clone());
                    if !asked {
                        continue;
                    }
                }
                Some(Some(Event::Deleted(_))) => known = None,
                None => {}
            }
            due = match self.show(known.as_ref()).await {
                Ok(shown) => {
                    known = Some(shown);
                    attempt = 0;
                    SHOW
                }
                Err(error) => {
                    // What is there is not what is known: the next attempt reads.
                    known = self.api.get(&self.name).await.ok();
                    tracing::debug!(%error, "the candidate could not be shown");
                    attempt += 1;
                    BACKOFF.random_delay(attempt - 1)
                }
            };
        }
    }

    async fn show(&self, known: Option<&LeaseCandidate>) -> Result<LeaseCandidate, Error> {
        let wall = MicroTime::from(self.clock.wall());
        let asked = known.and_then(|known| known.spec.ping_time);
        let mut candidate = known.cloned().unwrap_or_else(|| LeaseCandidate {
            metadata: ObjectMeta {
                name: self.name.as_str().into(),
                namespace: self.namespace.as_str().into(),
                ..ObjectMeta::default()
            },
            spec: LeaseCandidateSpec::default(),
        });
        candidate.spec = LeaseCandidateSpec {
            // A clock that is behind the server's would leave the question unanswered.
            renew_time: Some(asked.map_or(wall, |asked| asked.max(wall))),
            ping_time: asked,
            ..self.spec.clone()
        };
        match known {
            Some(_) => self.api.update(&candidate).await,
            None => self.api.create(&candidate).await,
        }
    }
}

/// Whether the server waits for an answer.
fn is_asked(spec: &LeaseCandidateSpec) -> bool {
    match (spec.ping_time, spec.renew_time) {
        (Some(asked), Some(answered)) => asked > answered,
        (asked, None) => asked.is_some(),
        (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_those_after_the_last_answer() {
        let time = |seconds: Option<i64>| seconds.map(|seconds| MicroTime::from_unix(seconds, 0).unwrap());
        for (ping, renew, expected) in [
            (None, None, false),
            (Some(1), None, true),
            (None, Some(1), false),
            (Some(1), Some(1), false),
            (Some(2), Some(1), true),
        ] {
            let spec = LeaseCandidateSpec {
                ping_time: time(ping),
                renew_time: time(renew),
                ..LeaseCandidateSpec::default()
            };
            assert_eq!(is_asked(&spec), expected, "{ping:?} {renew:?}");
        }
    }

    #[test]
    fn servers_without_candidates_are_noticed() {
        assert!(names_candidates(
            br#"{"resources": [{"name": "leasecandidates"}]}"#
        ));
        for other in [&br#"{"resources": [{"name": "leases"}]}"#[..], b"{}", b"<html>"] {
            assert!(!names_candidates(other));
        }
    }
}
