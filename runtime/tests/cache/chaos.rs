use std::time::Duration;

use kubeloom::cache::{Event, HandlerOptions, Overflow, QueueKind, Storage};

use super::history::History;
use super::server::{Cut, Fault, Server, Streams, Thing};
use super::{converges, eventually, informer_with};

#[cfg(feature = "packed")]
fn storage(packed: bool) -> Storage {
    match packed {
        true => Storage::Packed(kubeloom::cache::PackedOptions::default().hot(2)),
        false => Storage::Whole,
    }
}

#[cfg(not(feature = "packed"))]
fn storage(_: bool) -> Storage {
    Storage::Whole
}

/// Random changes and faults against handlers of all sorts: each sees a legal history, and all end in the server's state.
#[tokio::test(start_paused = true)]
async fn every_handler_sees_a_legal_history_and_ends_in_the_servers_state() {
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let streams = [Streams::Offered, Streams::Refused, Streams::NeverEnded][random.usize(..3)];
        let server = Server::new(streams);
        let queue = [QueueKind::InOrder, QueueKind::DeltaFifo][random.usize(..2)];
        let storage = storage(random.bool());
        let what = format!("seed {seed} {streams:?} {queue:?} {storage:?}");
        if random.bool() {
            server.page();
        }
        let informer = informer_with(&server, |options| {
            options.queue = queue;
            options.storage = storage.clone();
            options.queue_capacity = 1 + random.usize(..50);
            options.reflector.page_size = random.bool().then_some(3);
            options.resync = random.bool().then_some(Duration::from_secs(20));
        });
        let mut histories = Vec::new();
        let add = |histories: &mut Vec<History>, random: &mut fastrand::Rng| {
            let history = History::default();
            let options = HandlerOptions {
                buffer: 1 + random.usize(..4),
                overflow: [Overflow::Coalesce, Overflow::Block][random.usize(..2)],
                resync: random.bool().then_some(Duration::from_secs(7)),
                ..HandlerOptions::default()
            };
            if random.bool() {
                informer.add_event_handler_with(history.handler(), options);
            } else {
                let (mut events, slow, pause) =
                    (informer.events_with(options), history.clone(), random.u64(..300));
                tokio::spawn(async move {
                    while let Some(event) = events.next().await {
                        tokio::time::sleep(Duration::from_millis(pause)).await;
                        slow.tell(&event);
                    }
                });
            }
            histories.push(history);
        };
        add(&mut histories, &mut random);
        informer.start();
        let mut backup = server.backup();
        for _ in 0..250 {
            if step(&server, &mut random, &mut backup) == Step::Restored {
                // A server whose version has overtaken the old one before anyone asks cannot be told from the old one.
                converges(&server, &informer, &what).await;
            }
            match random.u8(..60) {
                0 => add(&mut histories, &mut random),
                1 => {
                    informer.stop().await;
                    informer.start();
                }
                _ => {}
            }
            if random.bool() {
                tokio::time::sleep(Duration::from_millis(random.u64(..2000))).await;
            }
        }
        converges(&server, &informer, &what).await;
        for (number, history) in histories.iter().enumerate() {
            eventually(&what, || history.texts() == server.texts()).await;
            assert_eq!(history.known().wrong, [""; 0], "{what}, handler {number}");
        }
        informer.stop().await;
    }
}

type Backup = (
    std::collections::BTreeMap<(String, String), serde_json::Value>,
    u64,
);

#[derive(PartialEq)]
enum Step {
    Ordinary,
    Restored,
}

fn step(server: &Server, random: &mut fastrand::Rng, backup: &mut Backup) -> Step {
    let key = format!("{}/{}", ["web", "db"][random.usize(..2)], random.u8(..6));
    match random.u8(..40) {
        0..18 => drop(server.put(&key, random.i64(..100))),
        18..25 => server.delete(&key),
        25 | 26 => {
            server.delete(&key);
            server.put(&key, 1);
        }
        27..30 => {
            let cuts = [
                Cut::Close,
                Cut::Reset,
                Cut::HalfFrame,
                Cut::Expired,
                Cut::TooManyRequests,
                Cut::InternalError,
            ];
            server.cut(cuts[random.usize(..cuts.len())]);
        }
        30..33 => {
            let faults = [
                Fault::Refused,
                Fault::Reset,
                Fault::Status(429, "TooManyRequests", Some(1)),
                Fault::Status(410, "Gone", None),
                Fault::Status(500, "InternalError", None),
                Fault::Hidden(410, "Expired"),
                Fault::Html,
                Fault::HalfBody,
                Fault::Empty,
            ];
            let fault = faults[random.usize(..faults.len())];
            let mut state = server.state();
            if random.bool() {
                state.list_faults.push_back(fault);
            } else {
                state.watch_faults.push_back(fault);
            }
        }
        33 => server.compact(),
        34..36 => server.bookmark(),
        36 => *backup = server.backup(),
        37 if random.u8(..4) == 0 => {
            server.restore(backup.clone());
            return Step::Restored;
        }
        _ => {}
    }
    Step::Ordinary
}

/// A closure is a handler by itself.
#[allow(dead_code, reason = "compiles")]
fn closures_are_handlers(informer: &kubeloom::cache::SharedInformer<Thing>) {
    informer.add_event_handler(|event: Event<Thing>| drop(event));
}
