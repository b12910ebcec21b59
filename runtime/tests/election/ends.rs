//! How runs end: stops, releases, tasks that panic or do not end, callbacks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::events::Captured;
use kubeloom::leader_election::{
    Callbacks, Candidacy, ElectionMetrics, ElectionState, ElectionTiming, Ending, LeaderElector, Loss,
    Outcome, Release,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use crate::server::{Fault, LeaseServer};
use crate::{elector, leads, options, seconds};

async fn after(wait: Duration) {
    sleep(wait).await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_election_calls_nothing_back() {
    let server = LeaseServer::default();
    let leader = elector(&server.way().client(), "leader");
    let run = tokio::spawn({
        let leader = leader.clone();
        async move { leader.run(async |leadership| leadership.ended().await).await }
    });
    leads(&leader).await;
    let called = Arc::new(AtomicUsize::new(0));
    let (started, stopped) = (called.clone(), called.clone());
    let callbacks = Callbacks::new(async move |_| {
        started.fetch_add(1, Ordering::Relaxed);
    });
    let callbacks = callbacks.on_stopped_leading(move || {
        stopped.fetch_add(1, Ordering::Relaxed);
    });
    let other = elector(&server.way().client(), "other");
    let outcome = other.run_callbacks(after(seconds(60)), callbacks).await;
    assert_eq!((outcome, called.load(Ordering::Relaxed)), (Outcome::NeverLed, 0));
    assert_eq!(server.holder(), "leader");
    assert_eq!(other.leader().as_deref(), Some("leader"));
    run.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_the_election_is_decided_leaves_no_lease_behind() {
    for fault in [Fault::answer_lost(), Fault::slow(0, 4), Fault::slow(2, 0)] {
        let server = LeaseServer::default();
        let way = server.way();
        way.next([Fault::default(), fault]);
        let elector = elector(&way.client(), "a");
        let outcome = elector
            .run_until(after(Duration::from_millis(1500)), async |_| ())
            .await;
        assert_eq!(outcome, Outcome::NeverLed, "{fault:?}");
        sleep(seconds(10)).await;
        if fault.before.is_zero() {
            assert_eq!(
                (server.holder(), server.writes().len()),
                (String::new(), 2),
                "{fault:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_kept_until_the_task_has_ended_and_then_given_up() {
    let server = LeaseServer::default();
    let (first, second) = (
        elector(&server.way().client(), "a"),
        elector(&server.way().client(), "b"),
    );
    let (tell, told) = oneshot::channel();
    let seen = server.clone();
    let run = tokio::spawn({
        let first = first.clone();
        async move {
            first
                .run_until(after(seconds(30)), async move |leadership| {
                    assert_eq!(leadership.ended().await, Ending::Stopping);
                    assert!(leadership.is_valid());
                    // Longer than the lease lasts.
                    sleep(seconds(40)).await;
                    assert!(leadership.is_valid());
                    assert_eq!(seen.holder(), "a");
                    tell.send(Instant::now()).unwrap();
                    "done"
                })
                .await
        }
    });
    leads(&first).await;
    let taken = second.run(async |_| Instant::now());
    let (outcome, taken) = tokio::join!(run, taken);
    assert_eq!(outcome.unwrap(), Outcome::Done("done"));
    let (Outcome::Done(taken), ended) = (taken, told.await.unwrap()) else {
        panic!("the second leads after the first");
    };
    let gap = taken - ended;
    assert!(gap < seconds(5), "{gap:?}");
    // Ended by itself: given up by the second too.
    assert_eq!(server.holder(), "");
}

#[tokio::test(start_paused = true)]
async fn a_release_is_tried_again_and_given_up_in_the_end() {
    let conflicts = [Fault::says(409, "Conflict"), Fault::default()];
    let rows: [(&[Fault], &str); 4] = [
        (&conflicts, ""),
        (&[Fault::answer_lost()], ""),
        (&[Fault::lost(), Fault::lost()], ""),
        (&[Fault::hangs(); 30], "a"),
    ];
    for (faults, holder) in rows {
        let server = LeaseServer::default();
        let way = server.way();
        let elector = elector(&way.client(), "a");
        let began = Instant::now();
        let breaks = way.clone();
        let faults = faults.to_vec();
        let outcome = elector
            .run(async move |_| {
                breaks.next(faults);
            })
            .await;
        assert_eq!(outcome, Outcome::Done(()));
        assert_eq!(server.holder(), holder);
        assert!(began.elapsed() <= seconds(10), "bounded: {:?}", began.elapsed());
    }
    let server = LeaseServer::default();
    let kept = LeaderElector::new(&server.way().client(), options("a").release(Release::Never)).unwrap();
    kept.run(async |_| ()).await;
    assert_eq!(server.holder(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_panics_gives_the_lease_up() {
    let server = LeaseServer::default();
    let (recorder, told) = Captured::new(10);
    let elector = LeaderElector::new(&server.way().client(), options("a").recorder(&recorder)).unwrap();
    let stopped = Arc::new(AtomicUsize::new(0));
    let count = stopped.clone();
    let callbacks = Callbacks::new(async |_| panic!("scripted")).on_stopped_leading(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let outcome = elector.run_callbacks(std::future::pending(), callbacks).await;
    assert_eq!(outcome, Outcome::Panicked("scripted".to_owned()));
    assert_eq!(
        (server.holder(), stopped.load(Ordering::Relaxed)),
        (String::new(), 1)
    );
    assert_eq!(elector.status().borrow().state, ElectionState::Stopped);
    let told = told.take();
    assert_eq!(
        [&*told[0].note, &*told[1].note],
        ["a became leader", "a stopped leading"]
    );
    assert_eq!(
        (&*told[0].regarding.kind, &*told[0].regarding.name),
        ("Lease", "reaper")
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_ends_the_task_and_one_runs_at_a_time() {
    let server = LeaseServer::default();
    let elector = elector(&server.way().client(), "a");
    let (alive, gone) = oneshot::channel::<()>();
    let dropped = timeout(
        seconds(5),
        elector.run(async move |leadership| {
            let _alive = alive;
            leadership.ended().await
        }),
    );
    assert!(dropped.await.is_err());
    assert!(gone.await.is_err(), "the task is gone");
    assert!(!elector.is_leader());
    assert_eq!(server.holder(), "a", "nobody was there to give it up");
    // The same candidate leads again at once: its former task has ended.
    let began = Instant::now();
    let (one, two) = tokio::join!(
        elector.run(async |_| sleep(seconds(30)).await),
        elector.run(async move |_| began.elapsed()),
    );
    assert_eq!(one, Outcome::Done(()));
    let Outcome::Done(second_began) = two else {
        panic!("{two:?}");
    };
    assert!(second_began >= seconds(30), "{second_began:?}");
}

#[tokio::test(start_paused = true)]
async fn leaders_are_told_of() {
    let server = LeaseServer::default();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = told.clone();
    let watching = options("w").on_new_leader(move |leader| {
        tells.lock().unwrap().push(leader.map(str::to_owned));
        assert_ne!(leader, Some("b"), "a panic does no harm");
    });
    let watching = LeaderElector::new(&server.way().client(), watching).unwrap();
    let run = tokio::spawn({
        let watching = watching.clone();
        async move {
            watching
                .run_until(after(seconds(200)), async |leadership| leadership.ended().await)
                .await
        }
    });
    for identity in ["a", "b", "a"] {
        let elector =
            LeaderElector::new(&server.way().client(), options(identity).release(Release::Never)).unwrap();
        // Until another had the time to see it, and not so long that it would lead itself.
        let _ = timeout(seconds(30), elector.run(async |_| sleep(seconds(10)).await)).await;
        server.set(|lease| {
            lease.map(|mut lease| {
                lease.spec.lease_duration_seconds = Some(1000);
                lease
            })
        });
        sleep(seconds(5)).await;
        server.set(|lease| {
            lease.map(|mut lease| {
                lease.spec.holder_identity = Some("".into());
                lease
            })
        });
    }
    assert_eq!(run.await.unwrap(), Outcome::Done(Ending::Stopping));
    let told: Vec<_> = told.lock().unwrap().clone();
    let names: Vec<_> = told.iter().map(|leader| leader.as_deref()).collect();
    assert!(names.contains(&Some("a")), "{names:?}");
    assert_eq!(names[names.len() - 2..], [Some("w"), None], "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_coordinate_is_noticed() {
    let server = LeaseServer::default();
    let options = options("a").coordinated(Candidacy::new("1.2.3"));
    let elector = LeaderElector::new(&server.way().client(), options).unwrap();
    let outcome = timeout(seconds(5), elector.run(async |_| ())).await;
    assert_eq!(outcome.unwrap(), Outcome::Done(()));
}

#[derive(Debug, Default)]
struct Counts(Mutex<Vec<&'static str>>);

impl ElectionMetrics for Counts {
    fn leading(&self, lease: &str, leading: bool) {
        assert_eq!(lease, "web/reaper");
        self.0.lock().unwrap().push(if leading { "on" } else { "off" });
    }
    fn overrun(&self, _lease: &str) {
        self.0.lock().unwrap().push("overrun");
    }
}

/// In real time: a task that blocks its thread cannot be ended, only reported.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_task_that_does_not_end_is_reported() {
    let server = LeaseServer::default();
    let way = server.way();
    let counts = Arc::new(Counts::default());
    let timing = ElectionTiming {
        lease: seconds(1),
        renew: Duration::from_millis(600),
        retry: Duration::from_millis(100),
    };
    let options = options("a").timing(timing).metrics(counts.clone());
    let elector = LeaderElector::new(&way.client(), options).unwrap();
    let probe = elector.clone();
    let unhealthy = tokio::spawn(async move {
        let mut status = probe.status();
        let overrun = status.wait_for(|status| status.overrun_since.is_some());
        assert_eq!(
            overrun.await.unwrap().state,
            ElectionState::Losing(Loss::Deadline)
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
        probe.check(Duration::ZERO).unwrap_err().since
    });
    let breaks = way.clone();
    let outcome = elector
        .run(async move |leadership| {
            breaks.always(Fault::lost());
            std::thread::sleep(Duration::from_millis(2500));
            assert!(!leadership.is_valid());
        })
        .await;
    let Outcome::Lost {
        loss: Loss::Deadline,
        overrun,
        ..
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    assert!(overrun >= Duration::from_secs(1), "{overrun:?}");
    assert!(unhealthy.await.unwrap() > Duration::from_secs(1));
    assert_eq!(*counts.0.lock().unwrap(), ["on", "overrun", "off"]);
    assert!(elector.check(Duration::ZERO).is_ok());
}
