use super::*;
use crate::leader_election::lease::LeaseSpec;
use crate::meta::ObjectMeta;

const ME: &str = "me";

fn timing() -> ElectionTiming {
    ElectionTiming::default()
}

/// A candidate, and the time.
struct Game {
    memory: Memory,
    start: Instant,
    millis: u64,
    version: u32,
}

impl Game {
    fn new(chooser: Chooser) -> Self {
        let rules = Rules {
            namespace: "web".into(),
            name: "reaper".into(),
            identity: ME.into(),
            timing: timing(),
            labels: crate::value::map([("app", "reaper")]),
            chooser,
        };
        let start = Instant::now();
        Self {
            memory: Memory::new(rules, start),
            start,
            millis: 0,
            version: 10,
        }
    }

    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }

    fn step(&mut self, state: State, answer: Answer) -> (State, Effect) {
        let moment = Moment {
            now: self.at(self.millis),
            wall: MicroTime::from_unix(1_000, 0).unwrap(),
            random: 0.5,
        };
        state.step(&mut self.memory, answer, moment)
    }

    /// The lease as the server has it after a write of another.
    fn lease(&mut self, holder: &str, seconds: i32, renewed: i64) -> Lease {
        self.version += 1;
        Lease {
            metadata: ObjectMeta {
                resource_version: format!("{}", self.version).into(),
                uid: "u".into(),
                ..ObjectMeta::default()
            },
            spec: LeaseSpec {
                holder_identity: Some(holder.into()),
                lease_duration_seconds: Some(seconds),
                renew_time: Some(MicroTime::from_unix(renewed, 0).unwrap()),
                lease_transitions: Some(4),
                ..LeaseSpec::default()
            },
        }
    }

    fn reads(&mut self, lease: Option<&Lease>) -> State {
        self.step(State::Reading, read(lease)).0
    }

    /// The server takes the write of `state`, which was sent at `sent`.
    fn accepts(&mut self, state: State, sent: u64) -> (State, Effect) {
        let State::Writing(write) = &state else {
            panic!("{state:?} writes nothing");
        };
        let mut lease = write.lease().clone();
        self.version += 1;
        lease.metadata.resource_version = format!("{}", self.version).into();
        lease.metadata.uid = "u".into();
        let answer = Answer::Wrote(self.at(sent), Ok(Box::new(lease)));
        self.step(state, answer)
    }

    /// A candidate that was elected by a write at 0.
    fn elected() -> (Self, State) {
        let mut game = Self::new(Chooser::Candidates);
        let state = game.reads(None);
        let (state, effect) = game.accepts(state, 0);
        assert_eq!(effect, Effect::Elected);
        (game, state)
    }
}

impl Write {
    fn lease(&self) -> &Lease {
        match self {
            Self::Create(lease) | Self::Update(lease) => lease,
        }
    }
}

fn read(lease: Option<&Lease>) -> Answer {
    Answer::Read(Ok(lease.cloned().map(Box::new)))
}

fn refused(game: &Game) -> Answer {
    Answer::Wrote(game.at(game.millis), Err(Failure::Refused))
}

fn name(state: &State) -> &'static str {
    match state {
        State::Reading => "read",
        State::Writing(Write::Create(_)) => "create",
        State::Writing(Write::Update(_)) => "update",
        State::Waiting(_) => "wait",
        State::Over(Loss::Deadline) => "deadline",
        State::Over(Loss::Taken { .. }) => "taken",
        State::Over(Loss::EndOfTerm { .. }) => "end of term",
    }
}

#[test]
fn what_a_candidate_does_about_the_lease() {
    // Who holds it, the duration of its record, how long it was watched without a change, what is done.
    let rows = [
        ("", 15, 0, "update"),
        (ME, 15, 0, "update"),
        ("you", 15, 0, "wait"),
        ("you", 15, 14_999, "wait"),
        ("you", 15, 15_000, "update"),
        ("you", 60, 15_000, "wait"),
        ("you", 0, 0, "update"),
        ("you", -7, 0, "update"),
        ("you", i32::MAX, 3_600_000, "wait"),
    ];
    for (holder, seconds, watched, expected) in rows {
        let mut game = Game::new(Chooser::Candidates);
        // The server's times are years off, and nobody minds.
        let lease = game.lease(holder, seconds, -9_999_999);
        game.reads(Some(&lease));
        game.millis = watched;
        let next = game.reads(Some(&lease));
        assert_eq!(name(&next), expected, "{holder:?} {seconds} {watched}");
        if let State::Waiting(until) = next {
            // Longer at random, here by a half of 1.2.
            assert_eq!(until, game.at(watched + 3_200));
        }
    }
}

#[test]
fn only_what_the_holder_writes_starts_its_time_anew() {
    let mut game = Game::new(Chooser::Candidates);
    let mut lease = game.lease("you", 15, 1);
    game.reads(Some(&lease));
    game.millis = 10_000;
    lease.metadata.annotations = crate::value::map([("seen", "yes")]);
    lease.metadata.resource_version = "90".into();
    game.reads(Some(&lease));
    game.millis = 15_000;
    let State::Writing(Write::Update(taken)) = game.reads(Some(&lease)) else {
        panic!("an annotation is no renewal");
    };
    // Over the version that was read last.
    assert_eq!(taken.metadata.resource_version, "90");
    assert_eq!(taken.spec.lease_transitions, Some(5));
    assert_eq!(taken.spec.lease_duration_seconds, Some(15));
    assert_eq!(taken.spec.acquire_time, taken.spec.renew_time);

    let mut game = Game::new(Chooser::Candidates);
    for renewed in 1..6 {
        let lease = game.lease("you", 15, renewed);
        assert_eq!(name(&game.reads(Some(&lease))), "wait");
        game.millis += 14_000;
    }
    // The same record in a lease that was deleted and made anew is a change too.
    let mut lease = game.lease("you", 15, 5);
    game.millis += 1_000;
    lease.metadata.uid = "other".into();
    assert_eq!(name(&game.reads(Some(&lease))), "wait");
}

#[test]
fn a_leader_counts_from_the_request_and_not_from_the_answer() {
    let (mut game, _) = Game::elected();
    assert_eq!(game.memory.deadline(), Some(game.at(10_000)));
    game.millis = 2_000;
    let (state, _) = game.step(State::Waiting(game.at(2_000)), Answer::Waited);
    assert_eq!(name(&state), "update");
    game.millis = 6_900;
    let (state, effect) = game.accepts(state, 2_000);
    assert_eq!((name(&state), effect), ("wait", Effect::Renewed));
    assert_eq!(game.memory.deadline(), Some(game.at(12_000)));
    // Its next round is due at once.
    assert!(matches!(state, State::Waiting(until) if until == game.at(6_900)));
}

#[test]
fn an_election_whose_answer_comes_too_late_is_none() {
    let mut game = Game::new(Chooser::Candidates);
    let state = game.reads(None);
    game.millis = 10_000;
    let (state, effect) = game.accepts(state, 0);
    assert_eq!((name(&state), effect), ("wait", Effect::None));
    assert!(game.memory.term.is_none() && game.memory.may_hold);
    // It is the holder all the same, and leads with its next write.
    let lease = game.memory.observed.as_ref().unwrap().lease.clone();
    let state = game.reads(Some(&lease));
    assert_eq!(game.accepts(state, 10_000).1, Effect::Elected);
}

#[test]
fn a_leader_that_woke_up_late_is_none() {
    for answer in ["waited", "old renewal", "own lease"] {
        let (mut game, state) = Game::elected();
        game.millis = 10_000;
        let state = match answer {
            "waited" => game.step(state, Answer::Waited).0,
            "own lease" => {
                let lease = game.memory.observed.as_ref().unwrap().lease.clone();
                game.reads(Some(&lease))
            }
            _ => {
                let lease = game.memory.observed.as_ref().unwrap().lease.clone();
                let sent = game.at(0);
                game.step(state, Answer::Wrote(sent, Ok(Box::new(lease)))).0
            }
        };
        assert_eq!(name(&state), "deadline", "{answer}");
    }
    // A renewal that was sent not long ago is one.
    let (mut game, state) = Game::elected();
    game.millis = 2_000;
    let (state, _) = game.step(state, Answer::Waited);
    game.millis = 11_000;
    assert_eq!(game.accepts(state, 2_000).1, Effect::Renewed);
}

#[test]
fn a_leader_renews_what_it_knows_and_reads_only_after_a_failure() {
    let (mut game, state) = Game::elected();
    game.millis = 2_000;
    let (state, _) = game.step(state, Answer::Waited);
    let State::Writing(Write::Update(lease)) = &state else {
        panic!("{state:?}");
    };
    assert_eq!(lease.metadata.resource_version, "11");
    assert_eq!(lease.spec.lease_transitions, Some(0));
    // Equal times of day make unequal records: no change would be seen otherwise.
    assert!(lease.spec.renew_time > lease.spec.acquire_time);
    let answer = refused(&game);
    let (state, _) = game.step(state, answer);
    assert_eq!(name(&state), "read");
    // The write had been done, only the answer was lost.
    let mut mine = game.memory.observed.as_ref().unwrap().lease.clone();
    mine.metadata.resource_version = "12".into();
    let (state, _) = game.step(state, read(Some(&mine)));
    let State::Writing(Write::Update(lease)) = &state else {
        panic!("{state:?}");
    };
    assert_eq!(lease.metadata.resource_version, "12");
    // Conflicts do not make it spin.
    let mut state = state;
    let mut requests = 0;
    while !matches!(state, State::Waiting(_)) {
        requests += 1;
        let answer = match state {
            State::Reading => read(Some(&mine)),
            _ => refused(&game),
        };
        state = game.step(state, answer).0;
    }
    assert!(requests <= 4, "{requests}");
    assert!(matches!(state, State::Waiting(until) if until == game.at(4_000)));
}

#[test]
fn a_leader_that_sees_another_holder_stops_at_once() {
    for holder in ["you", ""] {
        let (mut game, _) = Game::elected();
        game.millis = 3_000;
        let lease = game.lease(holder, 15, 1);
        let state = game.reads(Some(&lease));
        assert!(matches!(state, State::Over(Loss::Taken { holder: by }) if *by == *holder));
    }
}

#[test]
fn a_lease_that_was_deleted() {
    // Under the leader: it makes it anew, and is the same leader.
    let (mut game, _) = Game::elected();
    game.memory
        .observed
        .as_mut()
        .unwrap()
        .lease
        .spec
        .lease_transitions = Some(7);
    let State::Writing(Write::Create(lease)) = game.reads(None) else {
        panic!("it is made anew");
    };
    assert_eq!(lease.spec.lease_transitions, Some(7));
    assert_eq!(lease.metadata.labels.get("app").map(|app| &**app), Some("reaper"));

    // Under another, who may not know it yet.
    let mut game = Game::new(Chooser::Candidates);
    let lease = game.lease("you", 15, 1);
    game.reads(Some(&lease));
    game.millis = 14_999;
    assert_eq!(name(&game.reads(None)), "wait");
    game.millis = 15_000;
    let State::Writing(Write::Create(lease)) = game.reads(None) else {
        panic!("it is made anew");
    };
    assert_eq!(lease.spec.lease_transitions, Some(5));
    // Somebody else was faster.
    let answer = refused(&game);
    assert_eq!(
        name(&game.step(State::Writing(Write::Create(lease)), answer).0),
        "wait"
    );
}

#[test]
fn failures_are_survived_until_the_deadline() {
    let (mut game, mut state) = Game::elected();
    for round in 1..5 {
        game.millis = round * 2_000;
        state = game.step(state, Answer::Waited).0;
        assert_eq!(name(&state), "update");
        let lost = Answer::Wrote(game.at(game.millis), Err(Failure::Unknown));
        state = game.step(state, lost).0;
        assert_eq!(name(&state), "read");
        game.millis += 500;
        state = game.step(state, Answer::Read(Err(Failure::Unknown))).0;
        assert!(matches!(state, State::Waiting(until) if until == game.at((round + 1) * 2_000)));
    }
    assert_eq!(name(&game.step(state, Answer::Deadline).0), "deadline");
}

#[test]
fn a_candidate_that_may_hold_the_lease_remembers_it() {
    let mut game = Game::new(Chooser::Candidates);
    let state = game.reads(None);
    assert!(!game.memory.may_hold);
    let lost = Answer::Wrote(game.at(0), Err(Failure::Unknown));
    assert_eq!(name(&game.step(state, lost).0), "wait");
    assert!(game.memory.may_hold);
    let lease = game.lease("you", 15, 1);
    game.reads(Some(&lease));
    assert!(!game.memory.may_hold);
}

#[test]
fn the_server_chooses_where_it_coordinates() {
    let mut game = Game::new(Chooser::Server);
    assert_eq!(name(&game.reads(None)), "wait");
    for (holder, expected) in [("", "wait"), ("you", "wait"), (ME, "update")] {
        let lease = game.lease(holder, 5, 1);
        assert_eq!(name(&game.reads(Some(&lease))), expected, "{holder:?}");
    }
    // Not what another gave up, nor what was given to this one long ago.
    let lease = game.lease("you", 5, 9);
    game.reads(Some(&lease));
    game.millis = 60_000;
    assert_eq!(name(&game.reads(Some(&lease))), "wait");
    let mut mine = game.lease(ME, 5, 10);
    mine.spec.strategy = Some("OldestEmulationVersion".into());
    let state = game.reads(Some(&mine));
    let State::Writing(Write::Update(lease)) = &state else {
        panic!("{state:?}");
    };
    assert_eq!(lease.spec.strategy.as_deref(), Some("OldestEmulationVersion"));
    assert!(lease.spec.acquire_time.is_some());
    let sent = game.millis;
    assert_eq!(game.accepts(state, sent).1, Effect::Elected);
    // The server prefers another.
    mine.spec.preferred_holder = Some("you".into());
    mine.metadata.resource_version = "99".into();
    let state = game.reads(Some(&mine));
    assert!(matches!(state, State::Over(Loss::EndOfTerm { preferred }) if preferred == "you"));
}

#[test]
fn a_lease_is_given_up_as_servers_allow() {
    let (game, _) = Game::elected();
    let held = game.memory.observed.as_ref().unwrap().lease.clone();
    let wall = MicroTime::from_unix(2_000, 0).unwrap();
    let released = game.memory.released(&held, wall);
    assert_eq!(released.spec.holder(), "");
    // 0 is invalid.
    assert_eq!(released.spec.lease_duration_seconds, Some(1));
    assert_eq!(released.metadata.resource_version, held.metadata.resource_version);
    assert_eq!(released.spec.lease_transitions, held.spec.lease_transitions);
}
