//! What a reconciler is given and gives back.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::workqueue::Key;

/// An error of a reconciler.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What a reconciler is run for: a queue's key that can be shown in logs.
pub trait ReconcileKey: Key + Display {}
impl<T: Key + Display> ReconcileKey for T {}

/// What comes after a run that did not fail. A failure is retried with growing waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing, until something that is watched changes. Failures before are forgotten.
    Done,
    /// Another run after this time, if nothing changes before. Failures before are forgotten.
    After(Duration),
    /// Another run, after a wait that grows as for failures, without being one.
    Retry,
}

/// What a reconciler knows besides its key.
#[derive(Clone, Debug)]
pub struct Context {
    pub(super) controller: Arc<str>,
    pub(super) attempt: u32,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stopping: watch::Receiver<bool>,
}

impl Context {
    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.controller
    }

    /// How many runs for this key failed or asked for a retry since the last one that did not.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The controller's clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Whether the controller is being stopped. Runs have some time left then, but should begin nothing long.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Completes when the controller is being stopped.
    pub async fn stopping(&mut self) {
        // An error says that the controller is gone.
        let _ = self.stopping.wait_for(|stopping| *stopping).await;
    }
}

/// A reconciler whose type does not matter.
pub(super) type Reconciler<Q> =
    Arc<dyn Fn(Context, Q) -> BoxFuture<'static, Result<Action, BoxError>> + Send + Sync>;

/// An error with its causes, in one line.
pub(super) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // Some errors have the text of their cause in their own.
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
