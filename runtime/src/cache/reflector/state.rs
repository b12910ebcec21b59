//! What a reflector does next: a state machine without clock, chance, network or objects.
//!
//! [`State::step`] consumes a state and what came of it, and returns the next one. What outlives a state is in
//! [`Memory`]. The driver does what the state says and tells the outcome.

use std::time::{Duration, Instant};

use super::backoff::Waits;
use crate::cache::indexer::Sharing;
use crate::cache::version::is_before;
use crate::value::Str;

/// The size of a page, unless said otherwise (client-go's number).
pub(super) const PAGE: u32 = 500;

/// A watch that is over sooner than this and brought nothing is a failure.
const SHORT_WATCH: Duration = Duration::from_secs(1);

/// A watch that lasted so long was healthy even if nothing came.
const HEALTHY_WATCH: Duration = Duration::from_secs(60);

/// What is being done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    /// One page of a list is asked for.
    Listing(Page),
    /// A watch is open, or to be opened, that begins with all objects; not older than `version`.
    Streaming { version: Str },
    /// A watch is open, or to be opened, from the version that [`Memory`] has.
    Watching,
    /// A list of one object is asked for, to see whether the server's version went back.
    Probing,
    /// Time passes, then something is done again.
    BackingOff { wait: Duration, then: Box<State> },
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Not older than this; `0` is whatever the server has at hand, empty the latest.
    pub(super) version: Str,
    pub(super) limit: Option<u32>,
    /// The token of the page before; empty for the first.
    pub(super) token: Str,
}

/// What came of a state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// A page is read; an empty token means that it was the last.
    Listed { version: Str, token: Str },
    /// A change or a bookmark came.
    Event { version: Str },
    /// The bookmark came that ends the initial events.
    InitialEventsEnded { version: Str },
    /// No such bookmark came in time.
    InitialEventsStalled,
    /// The call or the stream failed.
    Failed(Failure, Progress),
    /// The stream ended.
    Ended(Progress),
    /// The version of the server is this.
    Probed { version: Str },
    /// The time has passed.
    Waited,
}

/// How far a stream came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// How long it was open.
    pub(super) lasted: Duration,
    /// Whether anything came.
    pub(super) events: bool,
    /// Whether it was open for as long as was asked for.
    pub(super) full_time: bool,
}

impl Progress {
    fn is_short(self) -> bool {
        !self.events && self.lasted < SHORT_WATCH
    }
}

/// The failures that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The version or token is too old: 410 in any form.
    Expired,
    /// The server is not yet at the version.
    TooLarge,
    /// The server asks for fewer requests.
    TooMany { after: Option<Duration> },
    /// Nobody listens.
    Refused,
    /// The connection failed in another way.
    Transport,
    /// The server does not understand the request.
    Rejected,
    /// Anything else.
    Other { after: Option<Duration> },
}

/// What the driver has to do with the objects it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing; a stream that is open stays open.
    Keep,
    /// What was collected does not count, and no stream stays open.
    Discard,
    /// What was collected is the collection at this version; a stream that is open stays open.
    Commit {
        version: Str,
        /// Whether an object of a known UID and version is a known object.
        sharing: Sharing,
    },
}

/// Whether lists are asked for as streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchList {
    /// They are.
    Used,
    /// The source or the options say that they are not to be.
    TurnedOff,
    /// The server refused the request once.
    Rejected,
    /// The server took the request and never said that the initial events were complete.
    NeverEnded,
}

/// What outlives a state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Memory {
    /// The version up to which everything has been seen; empty before the first list.
    pub(super) version: Str,
    /// The server could not serve the version; the next list is to be the latest.
    pub(super) unavailable: bool,
    /// The server pages lists at version 0: it has no cache, so lists of other versions are paged too.
    pub(super) paged: bool,
    pub(super) watch_list: WatchList,
    /// Relists in a row for a version that was too old, without a healthy watch between.
    pub(super) relists_in_a_row: u32,
    /// Whether equal versions mean equal objects.
    pub(super) trusting: bool,
    /// How often the server's version went back.
    pub(super) went_back: u64,
    pub(super) page_size: Option<u32>,
    pub(super) waits: Waits,
}

/// Time and chance at a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: Instant,
    /// From 0 to 1.
    pub(super) random: f64,
}

impl Memory {
    pub(super) fn new(watch_list: WatchList, page_size: Option<u32>, waits: Waits) -> Self {
        Self {
            version: Str::default(),
            unavailable: false,
            paged: false,
            watch_list,
            relists_in_a_row: 0,
            trusting: true,
            went_back: 0,
            page_size,
            waits,
        }
    }

    /// The first state of a cycle.
    pub(super) fn begin(&self) -> State {
        if self.watch_list == WatchList::Used {
            let version = if self.unavailable {
                Str::default()
            } else {
                self.version.clone()
            };
            State::Streaming { version }
        } else {
            self.list()
        }
    }

    fn list(&self) -> State {
        let version = match (self.unavailable, self.version.is_empty()) {
            (true, _) => Str::default(),
            (false, true) => Str::from("0"),
            (false, false) => self.version.clone(),
        };
        let is_paged = self.paged || matches!(&*version, "" | "0");
        // A list of a version is served from the server's cache, which does not page.
        let limit = self.page_size.or(is_paged.then_some(PAGE));
        State::Listing(Page {
            version,
            limit: limit.filter(|limit| *limit > 0),
            token: Str::default(),
        })
    }

    fn back_off(&mut self, moment: Moment, asked: Option<Duration>, then: State) -> State {
        State::BackingOff {
            wait: self.waits.after_failure(moment.now, moment.random, asked),
            then: Box::new(then),
        }
    }

    /// Another cycle because what was seen is too old: at once the first time, then with waits and for the latest.
    fn relist(&mut self, moment: Moment) -> State {
        self.relists_in_a_row += 1;
        if self.relists_in_a_row == 1 {
            return self.begin();
        }
        self.unavailable = true;
        let then = self.begin();
        self.back_off(moment, None, then)
    }

    pub(super) fn sharing(&self) -> Sharing {
        if self.trusting {
            Sharing::Unchanged
        } else {
            Sharing::Nothing
        }
    }

    /// Notes that the server went back in time: nothing that is known of versions holds any more.
    fn go_back(&mut self) {
        self.went_back += 1;
        self.version = Str::default();
        self.unavailable = true;
        self.trusting = false;
    }

    /// A list at this version is complete.
    fn commit(&mut self, version: Str) -> (State, Effect) {
        self.version.clone_from(&version);
        self.unavailable = false;
        let sharing = self.sharing();
        self.trusting = true;
        (State::Watching, Effect::Commit { version, sharing })
    }
}

impl State {
    pub(super) fn step(self, memory: &mut Memory, outcome: Outcome, moment: Moment) -> (Self, Effect) {
        match (self, outcome) {
            (Self::Listing(page), outcome) => page.step(memory, outcome, moment),
            (Self::Streaming { version }, outcome) => stream(version, memory, outcome, moment),
            (Self::Watching, outcome) => watch(memory, outcome, moment),
            (Self::Probing, outcome) => probe(memory, outcome, moment),
            (Self::BackingOff { then, .. }, Outcome::Waited) => (*then, Effect::Keep),
            (Self::BackingOff { then, .. }, _) => (*then, Effect::Discard),
        }
    }
}

impl Page {
    fn step(self, memory: &mut Memory, outcome: Outcome, moment: Moment) -> (State, Effect) {
        match outcome {
            Outcome::Listed { version, token } if token.is_empty() => {
                if memory.trusting && is_before(&version, &memory.version) {
                    // Objects that were taken for known ones may be others: once more.
                    memory.go_back();
                    return (memory.list(), Effect::Discard);
                }
                memory.commit(version)
            }
            Outcome::Listed { token, .. } => {
                memory.paged |= self.version == "0";
                (State::Listing(Self { token, ..self }), Effect::Keep)
            }
            Outcome::Failed(Failure::Expired, _) if !self.token.is_empty() => {
                // The pages were not read in time: all at once, as old as was asked for.
                let whole = Self {
                    limit: None,
                    token: Str::default(),
                    ..self
                };
                (State::Listing(whole), Effect::Discard)
            }
            Outcome::Failed(Failure::Expired | Failure::TooLarge, _) if !self.version.is_empty() => {
                memory.unavailable = true;
                (memory.list(), Effect::Discard)
            }
            outcome => (memory.fail(&outcome, moment, Memory::begin), Effect::Discard),
        }
    }
}

impl Memory {
    /// Waits, then does what `then` says.
    fn fail(&mut self, outcome: &Outcome, moment: Moment, then: impl FnOnce(&Self) -> State) -> State {
        let asked = match outcome {
            Outcome::Failed(Failure::TooMany { after } | Failure::Other { after }, _) => *after,
            _ => None,
        };
        let then = then(self);
        self.back_off(moment, asked, then)
    }
}

fn stream(version: Str, memory: &mut Memory, outcome: Outcome, moment: Moment) -> (State, Effect) {
    match outcome {
        // Initial events are in no order of versions: nothing is to be learnt from them.
        Outcome::Event { .. } => (State::Streaming { version }, Effect::Keep),
        Outcome::InitialEventsEnded { version } => {
            if memory.trusting && is_before(&version, &memory.version) {
                memory.go_back();
                return (memory.begin(), Effect::Discard);
            }
            memory.commit(version)
        }
        Outcome::InitialEventsStalled => {
            memory.watch_list = WatchList::NeverEnded;
            (memory.list(), Effect::Discard)
        }
        Outcome::Failed(Failure::Rejected, _) => {
            memory.watch_list = WatchList::Rejected;
            (memory.list(), Effect::Discard)
        }
        Outcome::Failed(Failure::Expired | Failure::TooLarge, _) if !version.is_empty() => {
            memory.unavailable = true;
            (memory.begin(), Effect::Discard)
        }
        Outcome::Failed(
            Failure::Expired | Failure::TooLarge | Failure::TooMany { .. } | Failure::Refused,
            _,
        ) => (memory.fail(&outcome, moment, Memory::begin), Effect::Discard),
        // Whatever it is, a plain list may do better; the next cycle tries again.
        _ => (memory.list(), Effect::Discard),
    }
}

fn watch(memory: &mut Memory, outcome: Outcome, moment: Moment) -> (State, Effect) {
    match outcome {
        Outcome::Event { version } => {
            if is_before(&version, &memory.version) {
                memory.go_back();
                return (memory.relist(moment), Effect::Discard);
            }
            memory.relists_in_a_row = 0;
            if !version.is_empty() {
                memory.version = version;
            }
            (State::Watching, Effect::Keep)
        }
        // A second end of the initial events is a bookmark like any other.
        Outcome::InitialEventsEnded { version } => watch(memory, Outcome::Event { version }, moment),
        Outcome::Failed(Failure::Expired, progress) => {
            if progress.lasted >= HEALTHY_WATCH {
                memory.relists_in_a_row = 0;
            }
            (memory.relist(moment), Effect::Discard)
        }
        Outcome::Failed(Failure::TooLarge, _) => {
            memory.unavailable = true;
            (memory.relist(moment), Effect::Discard)
        }
        Outcome::Failed(Failure::Transport, progress) if !progress.is_short() => {
            (State::Probing, Effect::Discard)
        }
        // Whoever waits does not see the server restart: it asks before it goes on.
        Outcome::Failed(Failure::Refused | Failure::Transport | Failure::TooMany { .. }, _) => {
            (memory.fail(&outcome, moment, |_| State::Probing), Effect::Discard)
        }
        Outcome::Ended(progress) if progress.is_short() => {
            (memory.fail(&outcome, moment, |_| State::Probing), Effect::Discard)
        }
        Outcome::Ended(progress) if progress.full_time => {
            memory.relists_in_a_row = 0;
            (State::Watching, Effect::Discard)
        }
        // The server, or something on the way, ended it early: it may have restarted.
        Outcome::Ended(_) => (State::Probing, Effect::Discard),
        outcome => (memory.fail(&outcome, moment, Memory::begin), Effect::Discard),
    }
}

fn probe(memory: &mut Memory, outcome: Outcome, moment: Moment) -> (State, Effect) {
    match outcome {
        Outcome::Probed { version } if is_before(&version, &memory.version) => {
            memory.go_back();
            (memory.begin(), Effect::Discard)
        }
        Outcome::Probed { .. } => (State::Watching, Effect::Keep),
        Outcome::Failed(Failure::Refused | Failure::Transport | Failure::TooMany { .. }, _) => {
            (memory.fail(&outcome, moment, |_| State::Probing), Effect::Discard)
        }
        outcome => (memory.fail(&outcome, moment, Memory::begin), Effect::Discard),
    }
}
