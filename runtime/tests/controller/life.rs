//! From start to stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use futures_core::future::BoxFuture;
use kubeloom::controller::{Gate, OnStop, Outcome, Phase, Unhealthy};
use kubeloom::workqueue::Added;
use tokio::sync::watch;

use super::*;

#[tokio::test(start_paused = true)]
async fn keys_of_the_first_list_come_after_changes_and_changes_come_at_once() {
    let world = World::new();
    for number in 0..5 {
        world.server.put(&format!("web/{number}"), 1);
    }
    let handle = world.start(world.controller(), |_, _| Ok(Action::Done));
    assert!(!handle.is_ready());
    handle.ready().await;
    eventually("the first list", || world.runs.len() == 5).await;
    assert_eq!(world.runs.sorted(), ["web/0", "web/1", "web/2", "web/3", "web/4"]);
    world.server.put("web/1", 2);
    world.server.delete("web/2");
    world.server.put("web/new", 1);
    eventually("changes", || world.runs.len() == 3).await;
    assert_eq!(world.runs.sorted(), ["web/1", "web/2", "web/new"]);
    assert_eq!(handle.trigger(ObjectKey::namespaced("web", "1")), Added::Queued);
    eventually("the trigger", || world.runs.take() == ["web/1"]).await;

    let status = handle.status();
    assert_eq!((status.phase, status.count(Outcome::Done)), (Phase::Working, 9));
    assert_eq!(
        status.queue.ready + status.queue.running + status.queue.delayed,
        0
    );
    assert!(status.sources[0].synced && status.sources[0].running);
    handle.health().unwrap();
    handle.stop().await;
    assert_eq!(handle.phase(), Phase::Stopped);
    handle.health().unwrap();
    // The informer is not the controller's.
    assert!(world.informer.is_running());
    world.server.put("web/later", 1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.runs.len(), 0);
    assert_eq!(handle.trigger(ObjectKey::namespaced("web", "1")), Added::Refused);
}

#[tokio::test(start_paused = true)]
async fn what_changes_while_the_queue_is_full_of_the_first_list_comes_first() {
    let world = World::new();
    for number in 0..50 {
        world.server.put(&format!("web/{number}"), 1);
    }
    let runs = world.runs.clone();
    let handle = world.controller().start(move |_, key| {
        let runs = runs.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            runs.push(key);
            Ok::<_, std::io::Error>(Action::Done)
        }
    });
    handle.ready().await;
    world.server.put("web/new", 1);
    eventually("some", || world.runs.len() == 5).await;
    let first = world.runs.take();
    assert!(first.contains(&"web/new".to_owned()), "{first:?}");
    handle.stop().await;
}

#[tokio::test(start_paused = true)]
async fn another_run_comes_when_it_is_asked_for() {
    let world = World::new();
    world.server.put("web/a", 1);
    let handle = world.start(world.controller(), |_, _| {
        Ok(Action::After(Duration::from_secs(60)))
    });
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!(world.runs.len(), 6);
    handle.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_key_is_with_one_worker_and_keys_are_with_many() {
    let world = World::new();
    for number in 0..10 {
        world.server.put(&format!("web/{number}"), 1);
    }
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, peak) = (now.clone(), most.clone());
    let handle = world.controller().workers(4).start(move |_, _| {
        let (counted, peak) = (counted.clone(), peak.clone());
        async move {
            peak.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            counted.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, std::io::Error>(Action::Done)
        }
    });
    handle.ready().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for number in 0..10 {
        world.server.put(&format!("web/{number}"), 2);
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(most.load(Ordering::SeqCst), 4);
    let done = handle.status().count(Outcome::Done);
    assert!((10..=20).contains(&done), "{done}");
    handle.stop().await;
}

/// A gate that a test opens and closes.
#[derive(Debug)]
struct Door {
    open: watch::Sender<bool>,
    /// How many runs there were when it was released.
    released: Mutex<Option<usize>>,
    active: Arc<AtomicUsize>,
}

impl Gate for Door {
    fn opened(&self) -> BoxFuture<'_, ()> {
        let mut open = self.open.subscribe();
        Box::pin(async move { drop(open.wait_for(|open| *open).await) })
    }
    fn closed(&self) -> BoxFuture<'_, ()> {
        let mut open = self.open.subscribe();
        Box::pin(async move { drop(open.wait_for(|open| !*open).await) })
    }
    fn release(&self) -> BoxFuture<'_, ()> {
        *self.released.lock().unwrap() = Some(self.active.load(Ordering::SeqCst));
        Box::pin(std::future::ready(()))
    }
}

/// Counts the runs that go on.
struct Active(Arc<AtomicUsize>);

impl Active {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn door() -> (Arc<Door>, Arc<AtomicUsize>) {
    let active = Arc::new(AtomicUsize::new(0));
    let door = Door {
        open: watch::Sender::new(false),
        released: Mutex::new(None),
        active: active.clone(),
    };
    (Arc::new(door), active)
}

#[tokio::test(start_paused = true)]
async fn work_waits_for_the_gate_stops_when_it_closes_and_loses_no_key() {
    let world = World::new();
    world.server.put("web/a", 1);
    let (door, active) = door();
    let (runs, count) = (world.runs.clone(), active.clone());
    let handle = world
        .controller()
        .workers(2)
        .gate(door.clone())
        .start(move |_, key| {
            let (runs, active) = (runs.clone(), Active::new(&count));
            async move {
                tokio::time::sleep(Duration::from_secs(10)).await;
                runs.push(key);
                drop(active);
                Ok::<_, std::io::Error>(Action::Done)
            }
        });
    handle.ready().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(
        (handle.phase(), active.load(Ordering::SeqCst)),
        (Phase::Standby, 0)
    );

    door.open.send_replace(true);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(
        (handle.phase(), active.load(Ordering::SeqCst)),
        (Phase::Working, 1)
    );
    door.open.send_replace(false);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(active.load(Ordering::SeqCst), 0, "dropped at once");
    assert_eq!((handle.phase(), world.runs.len()), (Phase::Standby, 0));
    assert_eq!(handle.status().count(Outcome::Cancelled), 1);

    door.open.send_replace(true);
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(
        world.runs.take(),
        ["web/a"],
        "the key that was dropped comes again"
    );
    world.server.put("web/b", 1);
    tokio::time::sleep(Duration::from_secs(5)).await;
    handle.stop().await;
    assert_eq!(world.runs.take(), ["web/b"], "what ran was let end");
    assert_eq!(
        *door.released.lock().unwrap(),
        Some(0),
        "released after the last run"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_runs_as_long_as_it_grants() {
    for (needs, grace, ended) in [(5, 10, true), (50, 10, false)] {
        let world = World::new();
        world.server.put("web/a", 1);
        let (door, active) = door();
        door.open.send_replace(true);
        let (runs, count) = (world.runs.clone(), active.clone());
        let controller = world
            .controller()
            .gate(door.clone())
            .grace(Duration::from_secs(grace));
        let handle = controller.start(move |mut context, key| {
            let (runs, active) = (runs.clone(), Active::new(&count));
            async move {
                context.stopping().await;
                tokio::time::sleep(Duration::from_secs(needs)).await;
                runs.push(key);
                drop(active);
                Ok::<_, std::io::Error>(Action::Done)
            }
        });
        handle.ready().await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(active.load(Ordering::SeqCst), 1);
        let started = tokio::time::Instant::now();
        handle.stop().await;
        assert_eq!(started.elapsed().as_secs(), needs.min(grace));
        assert_eq!(world.runs.len(), usize::from(ended));
        assert_eq!(*door.released.lock().unwrap(), Some(0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_queued_is_dropped_at_a_stop_or_worked_on_as_wished() {
    for (on_stop, expected) in [(OnStop::DropQueued, 1), (OnStop::Drain, 10)] {
        let world = World::new();
        for number in 0..10 {
            world.server.put(&format!("web/{number}"), 1);
        }
        let runs = world.runs.clone();
        let handle = world.controller().on_stop(on_stop).start(move |_, key| {
            let runs = runs.clone();
            async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                runs.push(key);
                Ok::<_, std::io::Error>(Action::Done)
            }
        });
        handle.ready().await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        handle.stop().await;
        assert_eq!(world.runs.len(), expected, "{on_stop:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_can_be_stopped_before_it_has_synced() {
    let world = World::new();
    world
        .server
        .state()
        .list_faults
        .extend([server::Fault::Refused; 100]);
    world
        .server
        .state()
        .watch_faults
        .extend([server::Fault::Refused; 100]);
    let handle = world.start(world.controller(), |_, _| Ok(Action::Done));
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(handle.phase(), Phase::Syncing);
    let status = handle.status();
    assert!(status.sources[0].last_error.is_some(), "the reason can be read");
    handle.stop().await;
    assert_eq!(handle.phase(), Phase::Stopped);
}

#[tokio::test(start_paused = true)]
async fn it_stops_when_the_last_handle_goes() {
    let world = World::new();
    world.server.put("web/a", 1);
    let handle = world.start(world.controller(), |_, _| Ok(Action::Done));
    handle.ready().await;
    let other = handle.clone();
    drop(handle);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(other.phase(), Phase::Working);
    let queue = other.queue().clone();
    drop(other);
    eventually("shut down", || queue.is_shut_down()).await;
}

#[tokio::test(start_paused = true)]
async fn health_names_what_is_stuck_and_what_was_stopped() {
    let world = World::new();
    world.server.put("web/a", 1);
    let controller = world.controller().stuck_after(Duration::from_secs(60));
    let handle = controller.start(|_, _| std::future::pending::<Result<Action, std::io::Error>>());
    handle.ready().await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    handle.health().unwrap();
    tokio::time::sleep(Duration::from_secs(31)).await;
    let stuck = handle.health().unwrap_err();
    assert!(
        stuck.to_string().starts_with("web/a has been worked on for 6"),
        "{stuck}"
    );
    let (key, since): (ObjectKey, Instant) = handle.status().workers[0].running.clone().unwrap();
    assert_eq!(key.name, "a");
    assert!(since < tokio::time::Instant::now().into_std());
    let controller = Controller::new("other").reconciles(&world.informer);
    let other = world.start(controller, |_, _| Ok(Action::Done));
    other.ready().await;
    other.health().unwrap();
    world.informer.stop().await;
    assert!(matches!(other.health(), Err(Unhealthy::SourceStopped { .. })));
}
