//! What a candidate does next: a state machine without network, clock or task.
//!
//! ```text
//! Reading ──── nobody's, or expired ────► Writing ── written ──► Waiting ──┐
//!    ▲ ▲ └──── held by another ─────────► Waiting      │                   │
//!    │ └────── conflict, failure ──────────────────────┘                   │
//!    └──────── standby ◄───────────────────────────────────────────────────┤
//!                        Writing (what is known, optimistically) ◄─ leading ┘
//! any state, leading ── deadline, another holder, end of term ──► Over
//! ```

use std::time::{Duration, Instant};

use super::leadership::Loss;
use super::lease::{FencingToken, Lease};
use super::options::{ElectionTiming, JITTER};
use crate::value::{Map, MicroTime, Str};

/// A leader reads the lease at most so often before it waits for its next attempt.
const READS_A_ROUND: u32 = 2;

/// Who chooses the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chooser {
    /// Whoever comes first.
    Candidates,
    /// The server: candidates only renew what was given to them.
    Server,
}

/// What the candidate goes by.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) namespace: Str,
    pub(super) name: Str,
    pub(super) identity: Str,
    pub(super) timing: ElectionTiming,
    pub(super) labels: Map<Str>,
    pub(super) chooser: Chooser,
}

/// What to do.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Read the lease.
    Reading,
    /// Write it.
    Writing(Write),
    /// Do nothing until then.
    Waiting(Instant),
    /// Stop leading.
    Over(Loss),
}

#[derive(Clone, Debug)]
pub(super) enum Write {
    Create(Box<Lease>),
    Update(Box<Lease>),
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Read(Result<Option<Box<Lease>>, Failure>),
    /// A write that was sent then.
    Wrote(Instant, Result<Box<Lease>, Failure>),
    Waited,
    /// The time of the leader is over.
    Deadline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Definitely not done: the lease has changed, is gone, or is there already.
    Refused,
    /// Perhaps done: no answer, or one that says nothing.
    Unknown,
}

/// What the step brought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Elected,
    Renewed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: Instant,
    /// For people who read the lease.
    pub(super) wall: MicroTime,
    /// From 0 to 1.
    pub(super) random: f64,
}

/// The lease as it was last seen to change.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    pub(super) lease: Lease,
    at: Instant,
}

impl Observed {
    /// Whether the holder's time is over, by the clock here and the duration that the holder wrote. An instant that the
    /// clock cannot show never comes.
    fn is_expired(&self, now: Instant) -> bool {
        self.at
            .checked_add(self.lease.spec.duration())
            .is_some_and(|end| now >= end)
    }
}

/// A term of leadership.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// When the last renewal that succeeded was sent: others have seen it later.
    pub(super) renewed: Instant,
    pub(super) token: FencingToken,
}

/// What is known.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) rules: Rules,
    pub(super) observed: Option<Observed>,
    pub(super) term: Option<Term>,
    /// Whether a write may have made this candidate the holder although no answer said so.
    pub(super) may_hold: bool,
    round_began: Instant,
    reads: u32,
}

impl Memory {
    pub(super) fn new(rules: Rules, now: Instant) -> Self {
        Self {
            rules,
            observed: None,
            term: None,
            may_hold: false,
            round_began: now,
            reads: 0,
        }
    }

    /// When the leader's time is over unless it renews.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.term
            .as_ref()
            .map(|term| term.renewed + self.rules.timing.renew)
    }

    pub(super) fn is_ours(&self) -> bool {
        let observed = self.observed.as_ref();
        observed.is_some_and(|observed| observed.lease.spec.holder() == self.rules.identity)
    }

    /// Takes note of the lease. Only a change of what the holder writes starts its time anew: an annotation does not.
    fn observe(&mut self, lease: Lease, now: Instant) {
        let same = self.observed.as_ref().filter(|observed| {
            observed.lease.spec == lease.spec && observed.lease.metadata.uid == lease.metadata.uid
        });
        let at = same.map_or(now, |observed| observed.at);
        self.observed = Some(Observed { lease, at });
    }

    /// The next attempt of this round: soon for a leader, and not with all the others for a candidate.
    fn wait(&self, moment: Moment) -> State {
        let retry = self.rules.timing.retry;
        State::Waiting(match self.term {
            Some(_) => (self.round_began + retry).max(moment.now),
            None => moment.now + retry.mul_f64(1.0 + JITTER * moment.random.clamp(0.0, 1.0)),
        })
    }

    fn read_again(&self, moment: Moment) -> State {
        if self.reads < READS_A_ROUND {
            State::Reading
        } else {
            self.wait(moment)
        }
    }

    /// The lease with this candidate as holder, over what is there.
    fn held(&self, over: Option<&Lease>, moment: Moment) -> Box<Lease> {
        let rules = &self.rules;
        let mut lease = over.cloned().unwrap_or_default();
        lease.metadata.namespace = rules.namespace.clone();
        lease.metadata.name = rules.name.clone();
        for (name, value) in &rules.labels {
            lease.metadata.labels.insert(name.clone(), value.clone());
        }
        let spec = &mut lease.spec;
        let is_renewal = spec.holder() == rules.identity;
        // Two records that are equal would be no change, and others count from the last change that they see.
        let renewed = match spec.renew_time {
            Some(last) if last == moment.wall => next_micro(last),
            _ => moment.wall,
        };
        if !is_renewal {
            spec.acquire_time = Some(renewed);
            let last = self.observed.as_ref().map(|observed| &observed.lease.spec);
            let last = last.map(|spec| spec.lease_transitions.unwrap_or_default());
            // A lease that was deleted is made anew by its leader without a change of the holder.
            let change = i32::from(self.term.is_none());
            spec.lease_transitions = Some(last.map_or(0, |last| last.saturating_add(change)));
        }
        spec.acquire_time = spec.acquire_time.or(Some(renewed));
        spec.renew_time = Some(renewed);
        spec.holder_identity = Some(rules.identity.clone());
        spec.lease_duration_seconds = i32::try_from(rules.timing.lease.as_secs()).ok();
        if rules.chooser == Chooser::Candidates {
            spec.strategy = None;
            spec.preferred_holder = None;
        }
        Box::new(lease)
    }

    /// The lease given up: nobody's, with the shortest duration that servers allow.
    pub(super) fn released(&self, lease: &Lease, wall: MicroTime) -> Lease {
        let mut lease = lease.clone();
        lease.spec.holder_identity = Some(Str::default());
        lease.spec.lease_duration_seconds = Some(1);
        lease.spec.acquire_time = Some(wall);
        lease.spec.renew_time = Some(wall);
        lease
    }
}

fn next_micro(time: MicroTime) -> MicroTime {
    let next = MicroTime::from_unix(time.seconds(), time.nanos() + 1000);
    next.unwrap_or(time)
}

impl State {
    /// The state after `answer`.
    pub(super) fn step(self, memory: &mut Memory, answer: Answer, moment: Moment) -> (Self, Effect) {
        // A process that was stopped may find good news here that is too old.
        if memory.deadline().is_some_and(|deadline| moment.now >= deadline)
            && !is_renewal(&answer, memory.rules.timing.renew, moment.now)
        {
            return (Self::Over(Loss::Deadline), Effect::None);
        }
        let next = match (self, answer) {
            (over @ Self::Over(_), _) => over,
            (_, Answer::Deadline) => Self::Over(Loss::Deadline),
            (_, Answer::Waited) => begin_round(memory, moment),
            (_, Answer::Read(Err(_))) => memory.wait(moment),
            (_, Answer::Read(Ok(None))) => absent(memory, moment),
            (_, Answer::Read(Ok(Some(lease)))) => present(memory, *lease, moment),
            (_, Answer::Wrote(sent, Ok(lease))) => return wrote(memory, *lease, sent, moment),
            (_, Answer::Wrote(_, Err(failure))) => {
                // A write that was refused has not been done, but an earlier one may have been.
                memory.may_hold |= failure == Failure::Unknown;
                match memory.term {
                    Some(_) => memory.read_again(moment),
                    None => memory.wait(moment),
                }
            }
        };
        if matches!(next, Self::Reading) {
            memory.reads += 1;
        }
        (next, Effect::None)
    }
}

/// Whether it is the answer to a renewal that was sent recently enough to lead on.
fn is_renewal(answer: &Answer, renew: Duration, now: Instant) -> bool {
    matches!(answer, Answer::Wrote(sent, Ok(_)) if now < *sent + renew)
}

fn begin_round(memory: &mut Memory, moment: Moment) -> State {
    memory.round_began = moment.now;
    memory.reads = 0;
    match (&memory.term, &memory.observed) {
        (Some(_), Some(observed)) => {
            State::Writing(Write::Update(memory.held(Some(&observed.lease), moment)))
        }
        _ => State::Reading,
    }
}

/// There is no lease.
fn absent(memory: &mut Memory, moment: Moment) -> State {
    if memory.rules.chooser == Chooser::Server {
        return memory.wait(moment);
    }
    let deleted_under_another = memory.observed.as_ref().is_some_and(|observed| {
        let holder = observed.lease.spec.holder();
        !holder.is_empty() && holder != memory.rules.identity && !observed.is_expired(moment.now)
    });
    // Whoever held it when it was deleted may not know yet.
    if deleted_under_another {
        return memory.wait(moment);
    }
    State::Writing(Write::Create(memory.held(None, moment)))
}

/// There is a lease.
fn present(memory: &mut Memory, lease: Lease, moment: Moment) -> State {
    memory.observe(lease, moment.now);
    let Some(observed) = &memory.observed else {
        return memory.wait(moment);
    };
    let spec = &observed.lease.spec;
    let ours = spec.holder() == memory.rules.identity;
    let expired = observed.is_expired(moment.now);
    if memory.term.is_some() && !ours {
        return State::Over(Loss::Taken {
            holder: spec.holder().into(),
        });
    }
    let may_write = match memory.rules.chooser {
        Chooser::Candidates => ours || spec.holder().is_empty() || expired,
        Chooser::Server => {
            let preferred = spec.preferred_holder.as_deref().unwrap_or_default();
            if memory.term.is_some() && !preferred.is_empty() {
                return State::Over(Loss::EndOfTerm {
                    preferred: preferred.into(),
                });
            }
            ours && preferred.is_empty() && !expired
        }
    };
    if may_write {
        State::Writing(Write::Update(memory.held(Some(&observed.lease), moment)))
    } else {
        memory.may_hold = false;
        memory.wait(moment)
    }
}

/// The lease is this candidate's, by a write that was sent then.
fn wrote(memory: &mut Memory, lease: Lease, sent: Instant, moment: Moment) -> (State, Effect) {
    let token = FencingToken::of(&lease);
    memory.observe(lease, moment.now);
    memory.may_hold = true;
    let effect = match &mut memory.term {
        Some(term) => {
            term.renewed = sent;
            Effect::Renewed
        }
        // An answer so late that the time to lead is over is no reason to begin.
        None if moment.now >= sent + memory.rules.timing.renew => Effect::None,
        None => {
            memory.term = Some(Term { renewed: sent, token });
            Effect::Elected
        }
    };
    // The round of a leader begins with the request, not with the answer.
    memory.round_began = sent;
    (memory.wait(moment), effect)
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
