//! One run: stands by, leads, steps down.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_core::future::BoxFuture;
use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::Shared;
use super::calls::{Calls, Told};
use super::candidate::Candidate;
use super::leadership::{Ending, Leadership, Loss, Outcome, Standing};
use super::options::Release;
use super::state::{Answer, Effect, Memory, Moment, Observed, State, Term};
use super::status::ElectionState;
use super::task::{Task, TaskEnd};
use crate::clock::within;
use crate::events::{ObjectReference, Referent, Type};
use crate::value::{MicroTime, Str};

/// A run under way.
pub(super) struct Driver {
    pub(super) shared: Arc<Shared>,
    pub(super) calls: Calls,
    pub(super) memory: Memory,
    pub(super) state: State,
    /// The registration, where the server chooses.
    pub(super) candidate: Option<Candidate>,
}

/// What happened to a leader.
enum Woken<T> {
    Told(Told),
    Deadline,
    TaskEnded(TaskEnd<T>),
    StopAsked,
}

impl Driver {
    fn now(&self) -> Instant {
        self.shared.options.clock.now()
    }

    /// Goes to the next state.
    fn step(&mut self, (answer, why): Told) -> Effect {
        let options = &self.shared.options;
        let moment = Moment {
            now: options.clock.now(),
            wall: MicroTime::from(options.clock.wall()),
            random: fastrand::f64(),
        };
        let (lease, leads) = (&self.shared.lease, self.memory.term.is_some());
        if leads && matches!((&self.state, &answer), (State::Reading, Answer::Read(_))) {
            options.metrics.slow_path(lease);
        }
        if let Answer::Wrote(sent, Ok(_)) = &answer {
            options
                .metrics
                .renewed(lease, moment.now.saturating_duration_since(*sent));
        }
        if let Some(error) = &why {
            tracing::debug!(lease = %lease, identity = %options.identity, error, "an attempt on the lease failed");
        }
        let state = std::mem::replace(&mut self.state, State::Reading);
        let (state, effect) = state.step(&mut self.memory, answer, moment);
        self.state = state;
        self.show(why);
        effect
    }

    pub(super) fn show(&self, why: Option<String>) {
        let observed = self.memory.observed.as_ref();
        let holder = observed
            .map(|observed| observed.lease.spec.holder())
            .unwrap_or_default();
        let renewed = self.memory.term.as_ref().map(|term| term.renewed);
        self.shared.status.send_modify(|status| {
            if status.leader.as_deref().unwrap_or_default() != holder {
                status.leader = (!holder.is_empty()).then(|| Str::from(holder));
            }
            status.renewed = renewed;
            status.last_error = why;
        });
    }

    fn enter(&self, state: ElectionState) {
        self.shared.status.send_modify(|status| status.state = state);
    }

    /// Runs until the candidate is stopped or has led.
    pub(super) async fn run<F, Fut>(
        mut self,
        stop: BoxFuture<'static, ()>,
        lead: F,
        permit: OwnedSemaphorePermit,
    ) -> Outcome<Fut::Output>
    where
        F: FnOnce(Leadership) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        let _stopped = Stopped(self.shared.clone());
        self.enter(ElectionState::Standby);
        let Some(stop) = self.stand_by(stop).await else {
            self.withdraw().await;
            if self.memory.may_hold || self.memory.is_ours() {
                self.release().await;
            }
            return Outcome::NeverLed;
        };
        let Some(Term { renewed, token }) = self.memory.term.clone() else {
            return Outcome::NeverLed;
        };
        let options = self.shared.options.clone();
        tracing::info!(lease = %self.shared.lease, identity = %options.identity, token = %token, "elected");
        let standing = watch::Sender::new(Standing {
            renewed,
            ending: None,
        });
        let leadership = Leadership {
            identity: options.identity.clone(),
            token,
            renew: options.timing.renew,
            clock: options.clock.clone(),
            standing: standing.subscribe(),
        };
        let _leading = Leading::begin(&self.shared, self.memory.observed.as_ref());
        let task = Task::spawn(async move { lead(leadership).await }, Some(permit));
        self.lead(task, standing, stop).await
    }

    /// Waits for the turn of this candidate; hands out the stop, or nothing when it came first.
    async fn stand_by(&mut self, stop: BoxFuture<'static, ()>) -> Option<BoxFuture<'static, ()>> {
        let mut stop = stop;
        loop {
            let action = self.calls.perform(&self.state);
            match select(stop, action).await {
                Either::Left(((), _)) => {
                    self.memory.may_hold |= matches!(self.state, State::Writing(_));
                    return None;
                }
                Either::Right((told, rest)) => {
                    stop = rest;
                    if self.step(told) == Effect::Elected {
                        return Some(stop);
                    }
                }
            }
        }
    }

    /// Renews until the task has ended or the lease is lost.
    async fn lead<T: Send + 'static>(
        mut self,
        mut task: Task<T>,
        standing: watch::Sender<Standing>,
        stop: BoxFuture<'static, ()>,
    ) -> Outcome<T> {
        let mut stop = Some(stop);
        self.enter(ElectionState::Leading);
        let mut action = self.calls.perform(&self.state);
        let mut deadline = self.until_deadline();
        loop {
            match woken(&mut action, &mut deadline, &mut task, &mut stop).await {
                Woken::TaskEnded(end) => {
                    drop(action);
                    return self.finish(end).await;
                }
                Woken::StopAsked => {
                    stop = None;
                    self.enter(ElectionState::Stopping);
                    standing.send_modify(|standing| standing.ending = Some(Ending::Stopping));
                    continue;
                }
                Woken::Deadline => {
                    self.step((Answer::Deadline, None));
                }
                Woken::Told(told) => {
                    if self.step(told) == Effect::Renewed {
                        if let Some(term) = &self.memory.term {
                            standing.send_modify(|standing| standing.renewed = term.renewed);
                        }
                        deadline = self.until_deadline();
                    }
                }
            }
            if let State::Over(loss) = self.state.clone() {
                drop(action);
                return self.step_down(loss, task, &standing).await;
            }
            action = self.calls.perform(&self.state);
        }
    }

    fn until_deadline(&self) -> BoxFuture<'static, ()> {
        let now = self.now();
        let deadline = self.memory.deadline().unwrap_or(now);
        self.shared
            .options
            .clock
            .sleep(deadline.saturating_duration_since(now))
    }

    /// The task has ended while this candidate led.
    async fn finish<T>(mut self, end: TaskEnd<T>) -> Outcome<T> {
        self.end_term().await;
        match end {
            TaskEnd::Returned(output) => Outcome::Done(output),
            TaskEnd::Panicked(panic) => {
                tracing::error!(lease = %self.shared.lease, panic, "the leader's task panicked");
                Outcome::Panicked(panic)
            }
            TaskEnd::Aborted => Outcome::Panicked("the runtime ended the leader's task".to_owned()),
        }
    }

    /// The lease is lost: the task has to end before others may lead.
    async fn step_down<T: Send + 'static>(
        mut self,
        loss: Loss,
        mut task: Task<T>,
        standing: &watch::Sender<Standing>,
    ) -> Outcome<T> {
        let options = self.shared.options.clone();
        tracing::warn!(lease = %self.shared.lease, identity = %options.identity, %loss, "leadership lost");
        self.enter(ElectionState::Losing(loss.clone()));
        standing.send_modify(|standing| standing.ending = Some(Ending::Lost(loss.clone())));
        let renewed = self
            .memory
            .term
            .as_ref()
            .map_or_else(|| self.now(), |term| term.renewed);
        let others = renewed + options.timing.lease;
        let until = renewed + options.timing.renew + options.timing.grace();
        let grace = match loss {
            Loss::Taken { .. } => Duration::ZERO,
            _ => until.saturating_duration_since(self.now()),
        };
        let end = match within(&*options.clock, grace, task.end()).await {
            Some(end) => end,
            None => {
                task.abort();
                self.outlast(&mut task, others).await
            }
        };
        let overrun = match loss {
            Loss::Taken { .. } => Duration::ZERO,
            _ => self.now().saturating_duration_since(others),
        };
        self.end_term().await;
        match end {
            TaskEnd::Panicked(panic) => Outcome::Panicked(panic),
            TaskEnd::Returned(output) => Outcome::Lost {
                loss,
                output: Some(output),
                overrun,
            },
            TaskEnd::Aborted => Outcome::Lost {
                loss,
                output: None,
                overrun,
            },
        }
    }

    /// Waits for the end of a task that was aborted; says so when others may lead before.
    async fn outlast<T: Send + 'static>(&self, task: &mut Task<T>, others: Instant) -> TaskEnd<T> {
        let options = &self.shared.options;
        let left = others.saturating_duration_since(self.now());
        if let Some(end) = within(&*options.clock, left, task.end()).await {
            return end;
        }
        let now = self.now();
        self.shared
            .status
            .send_modify(|status| status.overrun_since = Some(now));
        options.metrics.overrun(&self.shared.lease);
        tracing::error!(
            lease = %self.shared.lease,
            identity = %options.identity,
            "the leader's task does not end although others may lead now; it blocks its thread"
        );
        task.end().await
    }

    /// Takes the candidate off the server's list, before the lease is given up: it is not to be chosen again.
    async fn withdraw(&mut self) {
        if let Some(candidate) = self.candidate.take() {
            candidate.withdraw().await;
        }
    }

    /// After the task: the lease is given up if that is wished and it is still held.
    async fn end_term(&mut self) {
        let taken = matches!(&self.state, State::Over(Loss::Taken { .. }));
        self.memory.term = None;
        self.withdraw().await;
        if self.shared.options.release == Release::WhenDone && !taken {
            self.release().await;
        }
        self.show(None);
    }
}

/// Whatever happens first; news before the deadline, the end of the task before all.
async fn woken<T: Send + 'static>(
    action: &mut BoxFuture<'static, Told>,
    deadline: &mut BoxFuture<'static, ()>,
    task: &mut Task<T>,
    stop: &mut Option<BoxFuture<'static, ()>>,
) -> Woken<T> {
    poll_fn(|cx| {
        if let Poll::Ready(end) = task.poll_end(cx) {
            return Poll::Ready(Woken::TaskEnded(end));
        }
        if let Poll::Ready(told) = action.as_mut().poll(cx) {
            return Poll::Ready(Woken::Told(told));
        }
        if deadline.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Woken::Deadline);
        }
        match stop {
            Some(stop) => stop.as_mut().poll(cx).map(|()| Woken::StopAsked),
            None => Poll::Pending,
        }
    })
    .await
}

/// Shows that a run has ended, however it did.
struct Stopped(Arc<Shared>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.status.send_modify(|status| {
            status.state = ElectionState::Stopped;
            status.renewed = None;
            status.overrun_since = None;
        });
    }
}

/// Counts a term and tells of it, however it ends.
struct Leading {
    shared: Arc<Shared>,
    lease: ObjectReference,
}

impl Leading {
    fn begin(shared: &Arc<Shared>, observed: Option<&Observed>) -> Self {
        shared.options.metrics.leading(&shared.lease, true);
        let lease = observed.map(|observed| observed.lease.reference());
        let leading = Self {
            shared: shared.clone(),
            lease: lease.unwrap_or_default(),
        };
        leading.tell("became leader");
        leading
    }

    fn tell(&self, what: &str) {
        let options = &self.shared.options;
        if let Some(recorder) = &options.recorder {
            let note = format!("{} {what}", options.identity);
            recorder.event(&self.lease, Type::Normal, "LeaderElection", "Elect", note);
        }
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        self.shared.options.metrics.leading(&self.shared.lease, false);
        self.tell("stopped leading");
    }
}
