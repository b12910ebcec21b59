//! Elections on the real server: its rules for leases, its choice of the leader, observers.

use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::events::{EventOptions, Recorder};
use kubeloom::leader_election::{
    Candidacy, ElectionOptions, ElectionTiming, Ending, LeaderElector, LeaderObserver, Loss, Outcome,
};
use kubeloom_k8s::coordination_v1::Lease;
use kubeloom_k8s::coordination_v1beta1::LeaseCandidate;
use kubeloom_k8s::events_v1::Event;
use kubeloom_tests::apiserver::{ApiServer, Options, binary};
use kubeloom_tests::require_apiserver;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client;

const PATIENCE: Duration = Duration::from_secs(120);

fn options(namespace: &str, identity: &str) -> ElectionOptions {
    ElectionOptions::new(namespace, "reaper")
        .identity(identity)
        .timing(ElectionTiming {
            lease: Duration::from_secs(6),
            renew: Duration::from_secs(4),
            retry: Duration::from_millis(500),
        })
}

fn elector(client: &RestClient, options: ElectionOptions) -> LeaderElector {
    LeaderElector::new(client, options).unwrap()
}

async fn leads(elector: &LeaderElector) {
    let mut status = elector.status();
    let elected = timeout(PATIENCE, async {
        while !elector.is_leader() {
            status.changed().await.unwrap();
        }
    });
    assert!(elected.await.is_ok(), "{:?}", elector.status().borrow());
}

#[tokio::test]
async fn leaders_follow_each_other_and_observers_see_it() {
    let server = require_apiserver!();
    let namespace = server.namespace("leaders").unwrap();
    let client = client(server);
    let observer = LeaderObserver::start(&client, &namespace, "reaper");
    assert_eq!(observer.leader(), None);
    let recorder = Recorder::start(&client, EventOptions::new("reaper")).unwrap();
    let mut tokens = Vec::new();
    let mut seen = None;
    for identity in ["one", "two", "three"] {
        let elector = elector(&client, options(&namespace, identity).recorder(&recorder));
        let (stop, stopped) = oneshot::channel::<()>();
        let run = {
            let elector = elector.clone();
            let stop = async {
                let _ = stopped.await;
            };
            tokio::spawn(async move {
                elector
                    .run_until(stop, async |leadership| {
                        assert_eq!(leadership.ended().await, Ending::Stopping);
                        leadership.token().clone()
                    })
                    .await
            })
        };
        let observed = timeout(PATIENCE, async {
            loop {
                seen = observer.changed(seen.as_ref()).await;
                match &seen {
                    Some(leader) if leader.identity == identity => return leader.clone(),
                    _ => {}
                }
            }
        });
        assert_eq!(
            observed.await.unwrap().transitions,
            i32::try_from(tokens.len()).unwrap()
        );
        // Observers may see it before the leader has its answer.
        leads(&elector).await;
        stop.send(()).unwrap();
        let Outcome::Done(token) = timeout(PATIENCE, run).await.unwrap().unwrap() else {
            panic!("the task returns");
        };
        tokens.push(token);
    }
    assert!(tokens.is_sorted_by(|before, after| before < after), "{tokens:?}");
    assert_eq!(
        timeout(PATIENCE, observer.changed(seen.as_ref())).await.unwrap(),
        None
    );
    let lease = client
        .namespaced::<Lease>(&namespace)
        .get("reaper")
        .await
        .unwrap();
    assert_eq!(lease.spec.holder_identity.as_deref(), Some(""));
    assert_eq!(lease.spec.lease_duration_seconds, Some(1));
    recorder.shutdown(PATIENCE).await;
    let events = client.namespaced::<Event>(&namespace).list().await.unwrap().items;
    let mut notes: Vec<String> = events.iter().map(|event| event.note.to_string()).collect();
    notes.sort();
    // "stopped leading" is the second of its kind from this recorder: it is counted in the series of the first.
    assert!(notes.contains(&"one became leader".to_owned()), "{notes:?}");
}

#[tokio::test]
async fn the_server_chooses_the_oldest_version_and_ends_the_term_of_a_newer_one() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let gates = [("CoordinatedLeaderElection".to_owned(), true)].into();
    let server = ApiServer::start(Options {
        feature_gates: gates,
        ..Options::default()
    })
    .unwrap();
    let namespace = server.namespace("chosen").unwrap();
    let client = client(&server);
    let newer = elector(
        &client,
        options(&namespace, "newer").coordinated(Candidacy::new("1.2.0")),
    );
    let older = elector(
        &client,
        options(&namespace, "older").coordinated(Candidacy::new("1.1.0")),
    );
    let first = tokio::spawn({
        let newer = newer.clone();
        async move { newer.run(async |leadership| leadership.ended().await).await }
    });
    let mut status = newer.status();
    let elected = timeout(PATIENCE, async {
        while !newer.is_leader() {
            status.changed().await.unwrap();
        }
    });
    assert!(
        elected.await.is_ok(),
        "{:?}; {}",
        newer.status(),
        server.log_tail()
    );
    let lease = client
        .namespaced::<Lease>(&namespace)
        .get("reaper")
        .await
        .unwrap();
    assert_eq!(lease.spec.strategy.as_deref(), Some("OldestEmulationVersion"));

    let (lead, leads) = oneshot::channel();
    let second = tokio::spawn({
        let older = older.clone();
        async move {
            older
                .run(async move |leadership| {
                    lead.send(leadership.identity().to_owned()).unwrap();
                })
                .await
        }
    });
    let loss = Loss::EndOfTerm {
        preferred: "older".into(),
    };
    let ended = timeout(PATIENCE, first).await.unwrap().unwrap();
    let Outcome::Lost {
        loss: why, output, ..
    } = ended
    else {
        panic!("{ended:?}");
    };
    assert_eq!((&why, output), (&loss, Some(Ending::Lost(loss.clone()))));
    assert_eq!(timeout(PATIENCE, leads).await.unwrap().unwrap(), "older");
    assert_eq!(
        timeout(PATIENCE, second).await.unwrap().unwrap(),
        Outcome::Done(())
    );
    // Both are off the list.
    let candidates = client
        .namespaced::<LeaseCandidate>(&namespace)
        .list()
        .await
        .unwrap();
    assert!(candidates.items.is_empty(), "{:?}", candidates.items);
}

#[tokio::test]
async fn a_server_that_does_not_coordinate_lets_candidates_elect() {
    let server = require_apiserver!();
    let namespace = server.namespace("uncoordinated").unwrap();
    let client = client(server);
    let document = client
        .document("/apis/coordination.k8s.io/v1beta1", "application/json")
        .await;
    let is_served =
        document.is_ok_and(|document| String::from_utf8_lossy(&document.body).contains("leasecandidates"));
    let elector = elector(
        &client,
        options(&namespace, "one").coordinated(Candidacy::new("1.0.0")),
    );
    let outcome = timeout(Duration::from_secs(10), elector.run(async |_| ())).await;
    if is_served {
        // The gate is off while the kind is served: nobody chooses, and the candidate waits.
        assert!(outcome.is_err(), "{outcome:?}");
    } else {
        assert_eq!(outcome.unwrap(), Outcome::Done(()));
    }
}
