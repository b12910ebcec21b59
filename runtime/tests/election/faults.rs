//! One leader, and a server or a network that fails.

use kubeloom::leader_election::{Ending, Lease, LeaseSpec, Loss, Outcome};
use kubeloom::value::MicroTime;
use tokio::time::{Instant, sleep, timeout};

use crate::server::{Fault, LeaseServer};
use crate::{Watcher, elector, leads, seconds};

/// A lease of another.
fn held(holder: &str, duration: i32) -> Lease {
    Lease {
        spec: LeaseSpec {
            holder_identity: Some(holder.into()),
            lease_duration_seconds: Some(duration),
            renew_time: Some(MicroTime::from_unix(1, 0).unwrap()),
            ..LeaseSpec::default()
        },
        ..Lease::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_renews_by_one_request_each_two_seconds() {
    let server = LeaseServer::default();
    let way = server.way();
    let elector = elector(&way.client(), "a");
    let run = elector.run(async |leadership| leadership.ended().await);
    let ended = timeout(seconds(61), run).await;
    assert!(ended.is_err(), "{ended:?}");
    let seen = way.seen();
    assert_eq!(seen[..2], ["GET", "POST"]);
    assert!(seen[2..].iter().all(|method| method == "PUT"), "{seen:?}");
    assert_eq!(seen.len(), 32);
    let writes = server.writes();
    assert_eq!(writes[0].spec.acquire_time, writes[30].spec.acquire_time);
    assert_eq!(writes[30].spec.lease_transitions, Some(0));
}

#[tokio::test(start_paused = true)]
async fn faults_that_a_leader_survives() {
    let rows: [(&str, &[Fault]); 6] = [
        ("lost requests", &[Fault::lost(); 7]),
        ("lost answers", &[Fault::answer_lost(); 7]),
        ("answers in 4.9 s", &[Fault::slow(2, 2); 20]),
        (
            "a request that hangs",
            &[Fault {
                lost: true,
                ..Fault::slow(100, 0)
            }],
        ),
        ("an overloaded server", &[Fault::says(500, "InternalError"); 7]),
        ("conflicts", &[Fault::says(409, "Conflict"); 7]),
    ];
    for (name, faults) in rows {
        let server = LeaseServer::default();
        let way = server.way();
        let elector = elector(&way.client(), "a");
        let watcher = Watcher::default();
        let run = {
            let (elector, watcher) = (elector.clone(), watcher.clone());
            tokio::spawn(async move {
                elector
                    .run(async move |leadership| {
                        let _running = watcher.enter(&leadership);
                        leadership.ended().await
                    })
                    .await
            })
        };
        leads(&elector).await;
        way.next(faults.iter().copied());
        sleep(seconds(120)).await;
        assert!(elector.is_leader() && !run.is_finished(), "{name}");
        assert_eq!(watcher.turns().len(), 1, "{name}");
        assert!(elector.check(seconds(0)).is_ok(), "{name}");
        run.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn the_loss_is_told_when_the_deadline_demands_it() {
    // The server goes silent in different ways; what counts is when the last renewal that succeeded was sent.
    for fault in [
        Fault::lost(),
        Fault::hangs(),
        Fault::says(503, "ServiceUnavailable"),
    ] {
        let server = LeaseServer::default();
        let way = server.way();
        let elector = elector(&way.client(), "a");
        let silent = way.clone();
        let outcome = elector
            .run(async move |leadership| {
                // Sent at 2 s, answered at 5 s: the deadline is at 12 s.
                silent.next([Fault::slow(1, 2)]).always(fault);
                let began = Instant::now();
                let ending = leadership.ended().await;
                assert!(!leadership.is_valid());
                (began.elapsed(), ending)
            })
            .await;
        let Outcome::Lost {
            loss,
            output,
            overrun,
        } = outcome
        else {
            panic!("{outcome:?}");
        };
        let (after, ending) = output.unwrap();
        assert_eq!(loss, Loss::Deadline);
        assert_eq!(ending, Ending::Lost(Loss::Deadline));
        assert_eq!(after.as_secs(), 12, "{fault:?}");
        assert!(overrun.is_zero());
        assert!(elector.check(seconds(0)).is_ok(), "its task has ended");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_take_long_do_not_let_two_lead() {
    let server = LeaseServer::default();
    let slow = server.way();
    let (first, second) = (elector(&slow.client(), "a"), elector(&server.way().client(), "b"));
    let watcher = Watcher::default();
    let lead = |watcher: Watcher| {
        async move |leadership: kubeloom::leader_election::Leadership| {
            let _running = watcher.enter(&leadership);
            // It takes all the time it is given.
            std::future::pending::<()>().await;
        }
    };
    let one = tokio::spawn({
        let (first, lead) = (first.clone(), lead(watcher.clone()));
        async move { first.run(lead).await }
    });
    leads(&first).await;
    // Done at once, answered after four seconds, again and again, and then never.
    slow.next([Fault::slow(0, 4); 5]).always(Fault::slow(0, 1000));
    let two = tokio::spawn({
        let (second, lead) = (second.clone(), lead(watcher.clone()));
        async move { second.run(lead).await }
    });
    let outcome = one.await.unwrap();
    assert!(
        matches!(
            outcome,
            Outcome::Lost {
                loss: Loss::Deadline,
                output: None,
                ..
            }
        ),
        "{outcome:?}"
    );
    leads(&second).await;
    let turns = watcher.check();
    assert_eq!(
        turns.iter().map(|turn| &*turn.who).collect::<Vec<_>>(),
        ["a", "b"]
    );
    two.abort();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_deleted_is_made_anew_by_its_leader() {
    let server = LeaseServer::default();
    let (first, second) = (
        elector(&server.way().client(), "a"),
        elector(&server.way().client(), "b"),
    );
    let watcher = Watcher::default();
    let runs = [&first, &second].map(|elector| {
        let (elector, watcher) = (elector.clone(), watcher.clone());
        tokio::spawn(async move {
            elector
                .run(async move |leadership| {
                    let _running = watcher.enter(&leadership);
                    leadership.ended().await
                })
                .await
        })
    });
    leads(&first).await;
    sleep(seconds(10)).await;
    for _ in 0..5 {
        server.set(|_| None);
        sleep(seconds(7)).await;
        assert_eq!(server.holder(), "a");
    }
    assert_eq!(watcher.turns().len(), 1);
    runs.iter().for_each(|run| run.abort());
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_taken_stops_at_its_next_look() {
    let server = LeaseServer::default();
    let elector = elector(&server.way().client(), "a");
    let thief = server.clone();
    let outcome = elector
        .run(async move |leadership| {
            thief.set(|_| Some(held("b", 15)));
            let began = Instant::now();
            leadership.ended().await;
            assert!(began.elapsed() <= seconds(2), "{:?}", began.elapsed());
            // It is aborted at once: another leads already.
            std::future::pending::<()>().await;
        })
        .await;
    assert_eq!(
        outcome,
        Outcome::Lost {
            loss: Loss::Taken { holder: "b".into() },
            output: None,
            overrun: seconds(0)
        }
    );
    assert_eq!(server.holder(), "b");
}

#[tokio::test(start_paused = true)]
async fn records_of_others_with_odd_durations() {
    for (duration, waits) in [(0, 0), (1, 1), (3, 3), (60, 60)] {
        let server = LeaseServer::default();
        server.set(|_| Some(held("b", duration)));
        let elector = elector(&server.way().client(), "a");
        let began = Instant::now();
        let outcome = elector.run(async move |_| began.elapsed()).await;
        let Outcome::Done(after) = outcome else {
            panic!("{outcome:?}");
        };
        assert!(
            after >= seconds(waits) && after < seconds(waits + 5),
            "{duration}: {after:?}"
        );
    }
    let server = LeaseServer::default();
    server.set(|_| Some(held("b", i32::MAX)));
    let elector = elector(&server.way().client(), "a");
    let never = timeout(seconds(20_000), elector.run(async |_| ())).await;
    assert!(never.is_err());
    // Given up, it is free, whatever it says.
    server.set(|_| Some(held("", i32::MAX)));
    let soon = timeout(seconds(5), elector.run(async |_| ())).await;
    assert_eq!(soon.unwrap(), Outcome::Done(()));
}

#[tokio::test(start_paused = true)]
async fn what_others_wrote_on_the_lease_stays() {
    let server = LeaseServer::default();
    server.set(|_| {
        let mut lease = held("", 1);
        lease.metadata.annotations.insert("team".into(), "storage".into());
        Some(lease)
    });
    let elector = elector(&server.way().client(), "a");
    elector.run(async |_| ()).await;
    let lease = server.lease().unwrap();
    assert_eq!(
        lease.metadata.annotations.get("team").map(|team| &**team),
        Some("storage")
    );
    assert_eq!(
        (lease.spec.holder(), lease.spec.lease_duration_seconds),
        ("", Some(1))
    );
    assert_eq!(lease.spec.lease_transitions, Some(1));
}
