//! [`Callbacks`]: an election with functions that are called.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_core::future::BoxFuture;
use futures_util::future::{Either, select};
use tokio::sync::{oneshot, watch};

use super::leadership::{Leadership, Outcome};
use super::options::OnNewLeader;
use super::status::ElectionStatus;
use super::{LeaderElector, Shared};
use crate::sync::panic_message;

/// What is called when, in client-go's manner. For who the leader is, see
/// [`ElectionOptions::on_new_leader`](super::ElectionOptions::on_new_leader).
///
/// ```no_run
/// # use kubeloom::leader_election::{Callbacks, ElectionOptions, LeaderElector};
/// # async fn example(client: kubeloom::RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// let options = ElectionOptions::new("web", "reaper").on_new_leader(|leader| println!("{leader:?} leads"));
/// let callbacks = Callbacks::new(async |leadership| {
///     leadership.ended().await;
/// });
/// LeaderElector::new(&client, options)?
///     .run_callbacks(std::future::pending(), callbacks.on_stopped_leading(|| println!("no more")))
///     .await;
/// # Ok(())
/// # }
/// ```
pub struct Callbacks {
    started: Box<dyn FnOnce(Leadership) -> BoxFuture<'static, ()> + Send>,
    stopped: Option<Box<dyn FnOnce() + Send>>,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}

impl Callbacks {
    /// Calls `started` when this candidate begins to lead; it is the leader's task, and must end when the leadership
    /// does.
    pub fn new<F, Fut>(started: F) -> Self
    where
        F: FnOnce(Leadership) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        Self {
            started: Box::new(move |leadership| Box::pin(started(leadership))),
            stopped: None,
        }
    }

    /// Calls `stopped` when the leader's task has ended and the lease was given up or lost. Not called if this candidate
    /// never led (client-go calls it then too).
    #[must_use]
    pub fn on_stopped_leading(mut self, stopped: impl FnOnce() + Send + 'static) -> Self {
        self.stopped = Some(Box::new(stopped));
        self
    }
}

impl LeaderElector {
    /// [`LeaderElector::run_until`] with functions that are called.
    ///
    /// # Panics
    /// Outside of a tokio runtime, and when `on_stopped_leading` panics.
    pub async fn run_callbacks<S>(&self, stop: S, callbacks: Callbacks) -> Outcome<()>
    where
        S: Future<Output = ()> + Send + 'static,
    {
        let outcome = self.run_until(stop, callbacks.started).await;
        if let Some(stopped) = callbacks.stopped
            && outcome != Outcome::NeverLed
        {
            stopped();
        }
        outcome
    }
}

/// Tells of new leaders until it is dropped, and of the last one after that.
pub(super) struct Teller {
    _ends: Option<oneshot::Sender<()>>,
}

impl Teller {
    pub(super) fn start(shared: &Arc<Shared>) -> Self {
        let ends = shared.options.on_new_leader.clone().map(|tell| {
            let (ends, ended) = oneshot::channel();
            tokio::spawn(tell_all(shared.status.subscribe(), tell, ended));
            ends
        });
        Self { _ends: ends }
    }
}

async fn tell_all(
    mut status: watch::Receiver<ElectionStatus>,
    tell: OnNewLeader,
    mut ended: oneshot::Receiver<()>,
) {
    let mut told = None;
    let mut last_look = false;
    loop {
        let leader = status.borrow_and_update().leader.clone();
        if leader != told {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| tell(leader.as_deref()))) {
                let panic = panic_message(&*panic);
                tracing::error!(panic, "the function that is told of new leaders panicked");
            }
            told = leader;
        }
        if last_look {
            return;
        }
        let changed = Box::pin(status.changed());
        last_look = match select(changed, &mut ended).await {
            Either::Left((Ok(()), _)) => false,
            Either::Left((Err(_), _)) | Either::Right(_) => true,
        };
    }
}
