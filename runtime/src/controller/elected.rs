//! [`Elected`]: a leader election as a gate.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::gate::Gate;
use crate::clock::{Clock, TokioClock};
use crate::leader_election::LeaderElector;
use crate::sync::lock;

/// Between runs of an elector that end without a leader.
const PAUSE: Duration = Duration::from_secs(1);

/// Lets the replica in that leads. The lease is given up only when no reconciler runs.
pub struct Elected {
    elector: LeaderElector,
    clock: Arc<dyn Clock>,
    run: Mutex<Option<Run>>,
}

/// A run of the elector.
struct Run {
    phase: watch::Receiver<Phase>,
    /// Told when the elector is to give up, and when the work has ended.
    orders: watch::Sender<Orders>,
    task: JoinHandle<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Leading,
    Over,
}

#[derive(Clone, Copy, Debug, Default)]
struct Orders {
    stop: bool,
    idle: bool,
}

impl fmt::Debug for Elected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elected")
            .field("elector", &self.elector)
            .finish_non_exhaustive()
    }
}

impl Elected {
    /// The gate of a candidate. The elector is run by the gate and must not be run by others.
    pub fn new(elector: &LeaderElector) -> Self {
        Self {
            elector: elector.clone(),
            clock: Arc::new(TokioClock),
            run: Mutex::new(None),
        }
    }

    fn begin(&self) -> Run {
        let (tell, phase) = watch::channel(Phase::Waiting);
        let (orders, ordered) = watch::channel(Orders::default());
        let elector = self.elector.clone();
        let mut stopped = ordered.clone();
        let task = tokio::spawn(async move {
            // Told by being dropped, however the run ends.
            let end = End(tell);
            let lead_tell = end.0.clone();
            let stop = async move { drop(stopped.wait_for(|orders| orders.stop).await) };
            elector
                .run_until(stop, move |leadership| {
                    let mut idle = ordered;
                    async move {
                        lead_tell.send_replace(Phase::Leading);
                        leadership.ended().await;
                        lead_tell.send_replace(Phase::Over);
                        drop(idle.wait_for(|orders| orders.idle).await);
                    }
                })
                .await;
        });
        Run { phase, orders, task }
    }

    /// Ends a run, whose work has ended.
    async fn end(&self) {
        let run = lock(&self.run).take();
        if let Some(run) = run {
            run.orders.send_replace(Orders {
                stop: true,
                idle: true,
            });
            // A panic of the elector has been told by its outcome.
            let _ = run.task.await;
        }
    }

    fn phase(&self) -> Option<watch::Receiver<Phase>> {
        lock(&self.run).as_ref().map(|run| run.phase.clone())
    }
}

struct End(watch::Sender<Phase>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.send_replace(Phase::Over);
    }
}

impl Gate for Elected {
    fn opened(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                // What was led before is over, and its work has ended.
                let over = self.phase().is_none_or(|phase| *phase.borrow() == Phase::Over);
                if over {
                    self.end().await;
                    let run = self.begin();
                    *lock(&self.run) = Some(run);
                }
                let Some(mut phase) = self.phase() else {
                    continue;
                };
                let told = phase.wait_for(|phase| *phase != Phase::Waiting).await;
                if told.is_ok_and(|phase| *phase == Phase::Leading) {
                    return;
                }
                self.clock.sleep(PAUSE).await;
            }
        })
    }

    fn closed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(mut phase) = self.phase() {
                // An error says that the run is over too.
                let _ = phase.wait_for(|phase| *phase == Phase::Over).await;
            }
        })
    }

    fn release(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.end())
    }
}
