use std::time::Duration;

use kubeloom::cache::{QueueKind, ReflectorState, WatchList};

use super::history::History;
use super::server::{Cut, Fault, Server, Streams};
use super::{converges, eventually, informer, informer_with};

const FAULTS: [Fault; 15] = [
    Fault::Refused,
    Fault::Reset,
    Fault::Status(429, "TooManyRequests", Some(2)),
    Fault::Status(410, "Expired", None),
    Fault::Status(410, "Gone", None),
    Fault::Status(500, "InternalError", None),
    Fault::Status(503, "ServiceUnavailable", Some(1)),
    Fault::Status(403, "Forbidden", None),
    Fault::Status(504, "Timeout", None),
    Fault::Hidden(410, "Expired"),
    Fault::Hidden(500, "InternalError"),
    Fault::Html,
    Fault::OtherJson,
    Fault::HalfBody,
    Fault::Empty,
];

const CUTS: [Cut; 6] = [
    Cut::Close,
    Cut::Reset,
    Cut::HalfFrame,
    Cut::Expired,
    Cut::TooManyRequests,
    Cut::InternalError,
];

/// Each fault at each kind of call, once and thrice in a row, with both ways to list and both queues.
#[tokio::test(start_paused = true)]
async fn every_fault_is_overcome() {
    for queue in [QueueKind::InOrder, QueueKind::DeltaFifo] {
        for streams in [Streams::Offered, Streams::Refused] {
            for fault in FAULTS {
                for times in [1, 3] {
                    let what = format!("{queue:?} {streams:?} {fault:?} {times}");
                    let server = Server::new(streams);
                    server.put("web/a", 1);
                    server.state().list_faults.extend(vec![fault; times]);
                    server.state().watch_faults.extend(vec![fault; times]);
                    let informer = informer_with(&server, |options| options.queue = queue);
                    let history = History::default();
                    informer.add_event_handler(history.handler());
                    informer.start();
                    converges(&server, &informer, &what).await;
                    eventually(&what, || server.watchers() == 1).await;
                    server.state().watch_faults.extend(vec![fault; times]);
                    server.state().list_faults.extend(vec![fault; times]);
                    server.put("web/b", 1);
                    server.cut(Cut::Close);
                    server.delete("web/a");
                    server.put("web/b", 2);
                    converges(&server, &informer, &what).await;
                    eventually(&what, || history.texts() == server.texts()).await;
                    assert_eq!(history.known().wrong, [""; 0], "{what}");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_end_of_a_watch_is_overcome() {
    for streams in [Streams::Offered, Streams::Refused] {
        for cut in CUTS {
            for compacted in [false, true] {
                let what = format!("{streams:?} {cut:?} {compacted}");
                let server = Server::new(streams);
                server.put("web/gone", 1);
                server.put("web/a", 1);
                let informer = informer(&server);
                let history = History::default();
                informer.add_event_handler(history.handler());
                informer.start();
                informer.wait_synced().await.unwrap();
                server.cut(cut);
                // While nobody watches.
                server.delete("web/gone");
                server.put("web/a", 2);
                if compacted {
                    server.compact();
                }
                converges(&server, &informer, &what).await;
                eventually(&what, || history.texts() == server.texts()).await;
                let told = history.told();
                // Read from the history of the server, the deletion is told; found missing by a list, it is a tombstone.
                let expected = if told.contains(&"xweb/gone".to_owned()) {
                    "xweb/gone"
                } else {
                    "-web/gone"
                };
                assert!(told.contains(&expected.to_owned()), "{what}: {told:?}");
                assert_eq!(
                    expected == "xweb/gone",
                    compacted || matches!(cut, Cut::Expired | Cut::InternalError),
                    "{what}"
                );
                assert_eq!(history.known().wrong, [""; 0], "{what}");
            }
        }
    }
}

/// A watch that ends is begun again from where it was: neither all objects once more nor a list.
#[tokio::test(start_paused = true)]
async fn a_watch_goes_on_from_the_last_version() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    server.put("web/a", 2);
    converges(&server, &informer, "an event").await;
    server.state().requests.clear();
    tokio::time::sleep(Duration::from_secs(2)).await;
    server.cut(Cut::Close);
    server.put("web/b", 1);
    converges(&server, &informer, "cut").await;
    let requests = server.state().requests.clone();
    let watches: Vec<_> = requests
        .iter()
        .filter(|path| path.contains("watch=true"))
        .collect();
    assert_eq!(watches.len(), 1, "{requests:?}");
    assert!(watches[0].contains("resourceVersion=12&"), "{requests:?}");
    assert!(!watches[0].contains("sendInitialEvents"), "{requests:?}");
    assert!(!watches[0].contains("resourceVersionMatch"), "{requests:?}");
    // The server's version is asked for, with one object; nothing else is listed.
    let lists: Vec<_> = requests
        .iter()
        .filter(|path| !path.contains("watch=true"))
        .collect();
    assert!(
        lists.iter().all(|path| path.ends_with("?limit=1")),
        "{requests:?}"
    );
}

/// Whoever starts an informer again at each failure does not make it ask more often.
#[tokio::test(start_paused = true)]
async fn starting_again_at_each_failure_is_no_second_loop() {
    let server = Server::new(Streams::Refused);
    server.state().list_faults = vec![Fault::Status(500, "InternalError", None); 10_000].into();
    let informer = informer(&server);
    informer.start();
    let (again, mut status) = (informer.clone(), informer.status());
    let restarting = tokio::spawn(async move {
        while status.changed().await.is_ok() {
            again.start();
        }
    });
    let metrics = tokio::runtime::Handle::current().metrics();
    tokio::time::sleep(Duration::from_secs(600)).await;
    let requests = server.state().requests.len();
    assert!((10..60).contains(&requests), "{requests} in ten minutes");
    assert_eq!(
        metrics.num_alive_tasks(),
        2,
        "the informer and the one who restarts it"
    );
    restarting.abort();
    informer.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_that_never_ends_is_given_up_and_remembered() {
    for (streams, remembered, at_most) in [
        (
            Streams::NeverEnded,
            WatchList::NeverEnded,
            Duration::from_secs(11),
        ),
        (Streams::Busy, WatchList::NeverEnded, Duration::from_secs(181)),
        (Streams::Refused, WatchList::Rejected, Duration::from_millis(100)),
        (Streams::Offered, WatchList::Used, Duration::from_millis(100)),
    ] {
        let server = Server::new(streams);
        server.put("web/a", 1);
        let informer = informer(&server);
        let started = tokio::time::Instant::now();
        informer.start();
        informer.wait_synced().await.unwrap();
        assert!(
            started.elapsed() <= at_most,
            "{streams:?}: {:?}",
            started.elapsed()
        );
        assert_eq!(informer.status().borrow().watch_list, remembered);
        server.compact();
        server.cut(Cut::Expired);
        server.put("web/a", 2);
        converges(&server, &informer, "relist").await;
        let requests = server.state().requests.clone();
        let streaming = requests
            .iter()
            .filter(|request| request.contains("sendInitialEvents"))
            .count();
        assert_eq!(
            streaming,
            if streams == Streams::Offered { 2 } else { 1 },
            "{streams:?}: {requests:?}"
        );
        for request in requests {
            let has_match = request.contains("resourceVersionMatch");
            let may = request.contains("sendInitialEvents")
                || (!request.contains("watch=") && request.contains("limit="));
            assert!(!has_match || may, "{request}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pages_are_read_and_an_expired_token_is_no_loop() {
    let server = Server::new(Streams::Refused);
    server.page();
    for number in 0..1200 {
        server.put(&format!("web/{number}"), 1);
    }
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    converges(&server, &informer, "pages").await;
    let requests = server.state().requests.clone();
    let lists: Vec<_> = requests
        .iter()
        .filter(|request| !request.contains("watch="))
        .collect();
    assert_eq!(lists.len(), 3);
    assert!(lists[0].ends_with("?limit=500&resourceVersion=0"), "{}", lists[0]);
    assert!(lists[1].contains("limit=500&continue="), "{}", lists[1]);
    assert!(!lists[1].contains("resourceVersion"), "{}", lists[1]);

    let server = Server::new(Streams::Refused);
    server.page();
    for number in 0..1200 {
        server.put(&format!("web/{number}"), 1);
    }
    // The second page is refused: the whole is read at once, with no object twice.
    let compacting = server.clone();
    let informer = informer_with(&server, |options| options.reflector.page_size = Some(500));
    let history = History::default();
    informer.add_event_handler(history.handler());
    informer.start();
    eventually("the first page", || {
        let lists = compacting
            .state()
            .requests
            .iter()
            .filter(|request| !request.contains("watch="))
            .count();
        if lists == 1 {
            compacting.compact();
        }
        lists >= 1
    })
    .await;
    converges(&server, &informer, "whole").await;
    informer.wait_synced().await.unwrap();
    assert_eq!(history.known().initial, 1200);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_always_says_expired_is_not_asked_all_the_time() {
    let server = Server::new(Streams::Refused);
    server.put("web/a", 1);
    for fault in [
        Fault::Hidden(410, "Expired"),
        Fault::Status(410, "Expired", None),
        Fault::Empty,
    ] {
        server.state().requests.clear();
        server.state().watch_faults = vec![fault; 1000].into();
        let informer = informer(&server);
        informer.start();
        tokio::time::sleep(Duration::from_secs(600)).await;
        let requests = server.state().requests.len();
        assert!(
            (10..100).contains(&requests),
            "{fault:?}: {requests} in ten minutes"
        );
        let status = informer.status().borrow().clone();
        assert!(
            matches!(status.state, ReflectorState::BackingOff { .. }),
            "{status:?}"
        );
        assert!(status.last_error.is_some() || fault == Fault::Empty);
        server.state().watch_faults.clear();
        server.put("web/a", 2);
        converges(&server, &informer, "at last").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_connection_is_noticed() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    let informer = informer(&server);
    informer.start();
    informer.wait_synced().await.unwrap();
    // The server forgets the watch, and the connection does not end.
    let forgotten = server.forget();
    server.put("web/a", 2);
    let started = tokio::time::Instant::now();
    converges(&server, &informer, "silence").await;
    let limit = Duration::from_secs(600 + 30 + 1);
    assert!(started.elapsed() > Duration::from_secs(300) && started.elapsed() < limit);
    drop(forgotten);
}

#[tokio::test(start_paused = true)]
async fn a_restored_server_is_noticed() {
    for streams in [Streams::Offered, Streams::Refused] {
        let server = Server::new(streams);
        server.put("web/a", 1);
        server.put("web/b", 1);
        let backup = server.backup();
        let informer = informer(&server);
        let history = History::default();
        informer.add_event_handler(history.handler());
        informer.start();
        informer.wait_synced().await.unwrap();
        for size in 2..20 {
            server.put("web/a", size);
        }
        server.delete("web/b");
        server.put("web/c", 1);
        converges(&server, &informer, "before").await;
        server.restore(backup);
        // The same version of the same object, and not the same object.
        server.put("web/a", 100);
        converges(&server, &informer, "after").await;
        eventually("told", || history.texts() == server.texts()).await;
        assert_eq!(informer.status().borrow().went_back, 1, "{streams:?}");
        assert_eq!(history.known().wrong, [""; 0]);
        server.put("web/a", 101);
        converges(&server, &informer, "and on").await;
        assert_eq!(server.watchers(), 1);
    }
}
