//! [`Leadership`]: what the leader's task holds while it leads, and how a run ends.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::watch;

use super::lease::FencingToken;
use crate::clock::Clock;
use crate::value::Str;

/// Why a leader is none any more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// It could not renew the lease in time.
    Deadline,
    /// The lease has another holder. `holder` is empty if somebody gave it up on the leader's behalf.
    Taken {
        /// Who holds it now.
        holder: Str,
    },
    /// The server has chosen another one (coordinated election).
    EndOfTerm {
        /// Who is to be next.
        preferred: Str,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline => f.write_str("the lease could not be renewed in time"),
            Self::Taken { holder } if holder.is_empty() => f.write_str("the lease was given up by somebody"),
            Self::Taken { holder } => write!(f, "the lease is held by {holder}"),
            Self::EndOfTerm { preferred } => write!(f, "the server prefers {preferred}"),
        }
    }
}

/// Why the leader's task is to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The candidate was asked to stop. It goes on leading until the task has ended, however long that takes.
    Stopping,
    /// It leads no more.
    Lost(Loss),
}

/// What the leader's task is told.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// When the last renewal that succeeded was sent.
    pub(super) renewed: Instant,
    pub(super) ending: Option<Ending>,
}

/// The leadership of one term, held by the leader's task. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Leadership {
    pub(super) identity: Str,
    pub(super) token: FencingToken,
    pub(super) renew: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) standing: watch::Receiver<Standing>,
}

impl Leadership {
    /// Who leads: this candidate.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The number of this term, for systems that refuse former leaders.
    pub fn token(&self) -> &FencingToken {
        &self.token
    }

    /// How long this candidate leads for sure, by its own clock; zero if it does not. A process that was stopped and
    /// goes on knows here, before anything else has noticed. (A clock that stands still while a machine is suspended
    /// knows nothing: only a [`FencingToken`] guards against that.)
    pub fn remaining(&self) -> Duration {
        let standing = self.standing.borrow();
        if matches!(standing.ending, Some(Ending::Lost(_))) {
            return Duration::ZERO;
        }
        self.renew
            .saturating_sub(self.clock.now().saturating_duration_since(standing.renewed))
    }

    /// Whether this candidate leads now: ask before each step that must not be done by two.
    pub fn is_valid(&self) -> bool {
        !self.remaining().is_zero()
    }

    /// Why the task is to end, if it is.
    pub fn ending(&self) -> Option<Ending> {
        self.standing.borrow().ending.clone()
    }

    /// Completes when the task is to end. A task that ends by itself then has time to put things in order: after
    /// [`Ending::Stopping`] as long as it takes, after a loss for a [grace](super::ElectionTiming::grace), and none if
    /// another leads already; then it is aborted.
    pub async fn ended(&self) -> Ending {
        let mut standing = self.standing.clone();
        let ended = standing.wait_for(|standing| standing.ending.is_some()).await;
        match ended {
            Ok(standing) => standing.ending.clone().unwrap_or(Ending::Stopping),
            // The election is gone, and nobody renews.
            Err(_) => Ending::Lost(Loss::Deadline),
        }
    }

    /// Runs `work` until it completes or the task is to end, whichever is first; `work` is then dropped.
    ///
    /// # Errors
    /// Why the task is to end.
    pub async fn guard<F: Future>(&self, work: F) -> Result<F::Output, Ending> {
        let (ended, work) = (std::pin::pin!(self.ended()), std::pin::pin!(work));
        match select(ended, work).await {
            Either::Left((ending, _)) => Err(ending),
            Either::Right((output, _)) => Ok(output),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// It was stopped before it led. The task was not begun.
    NeverLed,
    /// The task ended while this candidate led, by itself or because it was asked to.
    Done(T),
    /// This candidate lost the lease. The task has ended.
    Lost {
        /// Why.
        loss: Loss,
        /// What the task returned if it ended by itself; `None` if it was aborted.
        output: Option<T>,
        /// How long the task went on although others might have led.
        overrun: Duration,
    },
    /// The task panicked. The lease was given up as if it had ended.
    Panicked(String),
}
