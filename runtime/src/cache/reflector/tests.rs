use std::time::{Duration, Instant};

use super::state::{Effect, Failure, Memory, Moment, Outcome, PAGE, Page, Progress, State};
use super::{ReflectorBackoff, WatchList, backoff::Waits};
use crate::cache::indexer::Sharing;
use crate::value::Str;

struct Machine {
    memory: Memory,
    state: Option<State>,
    now: Instant,
}

impl Machine {
    fn new(watch_list: WatchList) -> Self {
        let memory = Memory::new(watch_list, None, Waits::new(ReflectorBackoff::default()));
        Self {
            state: Some(memory.begin()),
            memory,
            now: Instant::now(),
        }
    }

    /// In the middle of a healthy watch at version 100.
    fn watching(watch_list: WatchList) -> Self {
        let mut machine = Self::new(watch_list);
        machine.memory.version = "100".into();
        machine.state = Some(State::Watching);
        machine
    }

    fn step(&mut self, outcome: Outcome) -> String {
        let moment = Moment {
            now: self.now,
            random: 0.0,
        };
        let (state, effect) = self.state.take().unwrap().step(&mut self.memory, outcome, moment);
        let text = format!("{}{}", show(&state), show_effect(&effect));
        self.state = Some(state);
        text
    }
}

fn show(state: &State) -> String {
    match state {
        State::Listing(Page {
            version,
            limit,
            token,
        }) => {
            let limit = limit.map_or(String::new(), |limit| format!(" limit {limit}"));
            let token = if token.is_empty() {
                String::new()
            } else {
                format!(" after {token}")
            };
            format!("list {version:?}{limit}{token}")
        }
        State::Streaming { version } => format!("stream {version:?}"),
        State::Watching => "watch".to_owned(),
        State::Probing => "probe".to_owned(),
        State::BackingOff { wait, then } => format!("wait {} ms, {}", wait.as_millis(), show(then)),
    }
}

fn show_effect(effect: &Effect) -> String {
    match effect {
        Effect::Keep => String::new(),
        Effect::Discard => ", discard".to_owned(),
        Effect::Commit { version, sharing } => {
            let sharing = if *sharing == Sharing::Nothing { " anew" } else { "" };
            format!(", commit {version}{sharing}")
        }
    }
}

fn listed(version: &str, token: &str) -> Outcome {
    Outcome::Listed {
        version: version.into(),
        token: token.into(),
    }
}

fn event(version: &str) -> Outcome {
    Outcome::Event {
        version: version.into(),
    }
}

fn failed(failure: Failure) -> Outcome {
    Outcome::Failed(failure, Progress::default())
}

/// After ten healthy minutes.
fn failed_late(failure: Failure) -> Outcome {
    Outcome::Failed(failure, healthy(false))
}

fn healthy(full_time: bool) -> Progress {
    Progress {
        lasted: Duration::from_secs(600),
        events: true,
        full_time,
    }
}

const OTHER: Failure = Failure::Other { after: None };
const TOO_MANY: Failure = Failure::TooMany {
    after: Some(Duration::from_secs(5)),
};

fn check(machine: &mut Machine, steps: Vec<(Outcome, &str)>) {
    for (number, (outcome, expected)) in steps.into_iter().enumerate() {
        let text = format!("{outcome:?}");
        assert_eq!(machine.step(outcome), expected, "step {number}: {text}");
    }
}

#[test]
fn lists() {
    use WatchList::TurnedOff;
    let mut machine = Machine::new(TurnedOff);
    assert_eq!(show(&machine.memory.begin()), format!("list \"0\" limit {PAGE}"));
    // One page, then the next list is not paged: the server has a cache.
    check(
        &mut machine,
        vec![
            (listed("10", ""), "watch, commit 10"),
            (event("11"), "watch"),
            (failed_late(OTHER), "wait 800 ms, list \"11\", discard"),
            (Outcome::Waited, "list \"11\""),
            (failed(Failure::TooLarge), "list \"\" limit 500, discard"),
            (
                failed(Failure::TooLarge),
                "wait 1600 ms, list \"\" limit 500, discard",
            ),
            (Outcome::Waited, "list \"\" limit 500"),
            (listed("12", "t1"), "list \"\" limit 500 after t1"),
            (failed(Failure::Expired), "list \"\", discard"),
            (listed("13", ""), "watch, commit 13"),
        ],
    );
    // Pages at version 0: the server has no cache, so later lists are paged too.
    let mut machine = Machine::new(TurnedOff);
    check(
        &mut machine,
        vec![
            (listed("10", "t1"), "list \"0\" limit 500 after t1"),
            (listed("10", "t2"), "list \"0\" limit 500 after t2"),
            (listed("10", ""), "watch, commit 10"),
            (failed(Failure::Expired), "list \"10\" limit 500, discard"),
            (failed(Failure::Expired), "list \"\" limit 500, discard"),
            (failed(TOO_MANY), "wait 5000 ms, list \"\" limit 500, discard"),
        ],
    );
}

#[test]
fn streaming_lists() {
    let end = |version: &str| Outcome::InitialEventsEnded {
        version: version.into(),
    };
    let mut machine = Machine::new(WatchList::Used);
    check(
        &mut machine,
        vec![
            (event("7"), "stream \"\""),
            (event("3"), "stream \"\""),
            (end("10"), "watch, commit 10"),
            (event("11"), "watch"),
            (failed_late(Failure::Expired), "stream \"11\", discard"),
            (failed(Failure::Expired), "stream \"\", discard"),
            (failed(Failure::Expired), "wait 800 ms, stream \"\", discard"),
            (Outcome::Waited, "stream \"\""),
            (failed(TOO_MANY), "wait 5000 ms, stream \"\", discard"),
            (Outcome::Waited, "stream \"\""),
            (failed(Failure::Refused), "wait 3200 ms, stream \"\", discard"),
            (Outcome::Waited, "stream \"\""),
            (end("12"), "watch, commit 12"),
        ],
    );
    assert_eq!(machine.memory.watch_list, WatchList::Used);

    // Refused for good, or never ended: a plain list at once, and from then on.
    for (outcome, remembered) in [
        (failed(Failure::Rejected), WatchList::Rejected),
        (Outcome::InitialEventsStalled, WatchList::NeverEnded),
    ] {
        let mut machine = Machine::new(WatchList::Used);
        check(
            &mut machine,
            vec![
                (outcome, "list \"0\" limit 500, discard"),
                (listed("10", ""), "watch, commit 10"),
                (failed_late(Failure::Expired), "list \"10\", discard"),
            ],
        );
        assert_eq!(machine.memory.watch_list, remembered);
    }
    // Failed in another way: a plain list at once, and streams again in the next cycle.
    for outcome in [
        failed(OTHER),
        failed(Failure::Transport),
        Outcome::Ended(healthy(true)),
    ] {
        let mut machine = Machine::new(WatchList::Used);
        check(
            &mut machine,
            vec![
                (outcome, "list \"0\" limit 500, discard"),
                (listed("10", ""), "watch, commit 10"),
                (failed_late(Failure::Expired), "stream \"10\", discard"),
            ],
        );
    }
}

#[test]
fn watches() {
    let short = Outcome::Ended(Progress::default());
    let rows = [
        (event("101"), "watch"),
        (event(""), "watch"),
        (event("not-a-number"), "watch"),
        (Outcome::Ended(healthy(true)), "watch, discard"),
        (Outcome::Ended(healthy(false)), "probe, discard"),
        (short, "wait 800 ms, probe, discard"),
        (failed(Failure::Expired), "list \"100\", discard"),
        (failed(Failure::TooLarge), "list \"\" limit 500, discard"),
        (failed(TOO_MANY), "wait 5000 ms, probe, discard"),
        (failed(Failure::Refused), "wait 800 ms, probe, discard"),
        (failed(Failure::Transport), "wait 800 ms, probe, discard"),
        (failed_late(Failure::Transport), "probe, discard"),
        (failed(Failure::Rejected), "wait 800 ms, list \"100\", discard"),
        (failed(OTHER), "wait 800 ms, list \"100\", discard"),
        (event("99"), "list \"\" limit 500, discard"),
    ];
    for (outcome, expected) in rows {
        check(
            &mut Machine::watching(WatchList::TurnedOff),
            vec![(outcome, expected)],
        );
    }
}

#[test]
fn a_version_that_is_always_too_old_is_no_hot_loop() {
    let mut machine = Machine::watching(WatchList::TurnedOff);
    check(
        &mut machine,
        vec![
            (failed(Failure::Expired), "list \"100\", discard"),
            (listed("100", ""), "watch, commit 100"),
            (
                failed(Failure::Expired),
                "wait 800 ms, list \"\" limit 500, discard",
            ),
            (Outcome::Waited, "list \"\" limit 500"),
            (listed("101", ""), "watch, commit 101"),
            (
                failed(Failure::Expired),
                "wait 1600 ms, list \"\" limit 500, discard",
            ),
            (Outcome::Waited, "list \"\" limit 500"),
            (listed("102", ""), "watch, commit 102"),
            (event("103"), "watch"),
            (failed(Failure::Expired), "list \"103\", discard"),
        ],
    );
}

#[test]
fn a_server_that_went_back_in_time_is_noticed() {
    let probed = |version: &str| Outcome::Probed {
        version: version.into(),
    };
    // While probing after a cut connection.
    let mut machine = Machine::watching(WatchList::TurnedOff);
    check(
        &mut machine,
        vec![
            (failed_late(Failure::Transport), "probe, discard"),
            (probed("100"), "watch"),
            (failed_late(Failure::Transport), "probe, discard"),
            (failed(Failure::Refused), "wait 800 ms, probe, discard"),
            (Outcome::Waited, "probe"),
            (probed("50"), "list \"\" limit 500, discard"),
            (listed("51", ""), "watch, commit 51 anew"),
            (event("52"), "watch"),
        ],
    );
    assert_eq!(machine.memory.went_back, 1);
    // By a list, whose objects were taken for known ones: once more.
    let mut machine = Machine::watching(WatchList::TurnedOff);
    check(
        &mut machine,
        vec![
            (failed_late(Failure::Expired), "list \"100\", discard"),
            (failed(Failure::TooLarge), "list \"\" limit 500, discard"),
            (listed("50", ""), "list \"\" limit 500, discard"),
            (listed("50", ""), "watch, commit 50 anew"),
            (failed_late(Failure::Expired), "list \"50\", discard"),
            (listed("60", ""), "watch, commit 60"),
        ],
    );
    // By a streaming list.
    let mut machine = Machine::watching(WatchList::Used);
    check(
        &mut machine,
        vec![
            (failed_late(Failure::Expired), "stream \"100\", discard"),
            (failed(Failure::TooLarge), "stream \"\", discard"),
            (
                Outcome::InitialEventsEnded { version: "50".into() },
                "stream \"\", discard",
            ),
            (
                Outcome::InitialEventsEnded { version: "50".into() },
                "watch, commit 50 anew",
            ),
        ],
    );
    let version: &Str = &machine.memory.version;
    assert_eq!(version, "50");
}
