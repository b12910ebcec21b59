//! Which occurrences are repetitions, in tables.

use std::time::{Duration, Instant};

use super::correlator::{BURST, Correlator, REFILL, WINDOW};
use super::job::{Correlate, Job, Now, Source, Verdict, Written};
use super::occurrence::{Occurrence, Type};
use super::records::{CoreEvent, Event};
use super::reference::ObjectReference;
use super::series::{FINISH, REFRESH, Series};
use crate::value::Map;

struct Bench<C> {
    correlator: C,
    start: Instant,
    passed: Duration,
    unique: u64,
}

fn occurrence(object: &str, reason: &str, note: &str) -> Occurrence {
    Occurrence {
        regarding: ObjectReference {
            kind: "Pod".into(),
            namespace: "web".into(),
            name: object.into(),
            ..ObjectReference::default()
        },
        related: None,
        type_: Type::Normal,
        reason: reason.into(),
        action: reason.into(),
        note: note.into(),
        annotations: Map::default(),
    }
}

impl<C: Correlate> Bench<C> {
    fn new(correlator: C) -> Self {
        Self {
            correlator,
            start: Instant::now(),
            passed: Duration::ZERO,
            unique: 0,
        }
    }

    fn wait(&mut self, duration: Duration) {
        self.passed += duration;
    }

    fn now(&self) -> Instant {
        self.start + self.passed
    }

    fn take(&mut self, occurrence: Occurrence) -> Verdict {
        self.unique += 1;
        let wall = jiff::Timestamp::UNIX_EPOCH + jiff::SignedDuration::try_from(self.passed).unwrap();
        let now = Now {
            monotonic: self.now(),
            wall,
            unique: self.unique,
        };
        let source = Source {
            controller: "reaper".into(),
            instance: "reaper-1".into(),
        };
        self.correlator.take(occurrence, &source, now)
    }

    fn tell(&mut self, object: &str, reason: &str, note: &str) -> Verdict {
        self.take(occurrence(object, reason, note))
    }
}

fn v1(job: &Job) -> &Event {
    match &job.event {
        Written::V1(event) => event,
        Written::Core(event) => panic!("{event:?}"),
    }
}

fn core(verdict: Verdict) -> (CoreEvent, bool) {
    match verdict {
        Verdict::Write(mut jobs) => match jobs.remove(0) {
            Job {
                event: Written::Core(event),
                is_change,
            } => (*event, is_change),
            job => panic!("{job:?}"),
        },
        verdict => panic!("{verdict:?}"),
    }
}

/// What makes another occurrence of one.
type Change<'a> = &'a dyn Fn(&mut Occurrence);

/// `+` makes an event, `2` changes the count of one to 2, `.` counts, `-` does nothing.
fn shape(verdict: &Verdict) -> String {
    let job = |job: &Job| match (&job.event, job.is_change) {
        (_, false) => "+".to_owned(),
        (Written::V1(event), true) => event.series.as_ref().unwrap().count.to_string(),
        (Written::Core(event), true) => event.count.to_string(),
    };
    match verdict {
        Verdict::Write(jobs) => jobs.iter().map(job).collect(),
        Verdict::Counted => ".".to_owned(),
        Verdict::Suppressed => "-".to_owned(),
    }
}

#[test]
fn a_series_is_written_at_its_second_occurrence_and_counted_then() {
    let mut bench = Bench::new(Series::new());
    let shapes: String = (0..5)
        .map(|n| shape(&bench.tell("a", "Failed", &format!("note {n}"))))
        .collect();
    assert_eq!(shapes, "+2...");
    // Anything that differs is another kind; a new version of the object is not.
    assert_eq!(shape(&bench.tell("b", "Failed", "")), "+");
    assert_eq!(shape(&bench.tell("a", "Started", "")), "+");
    let with = |change: Change<'_>| {
        let mut occurrence = occurrence("a", "Failed", "");
        change(&mut occurrence);
        occurrence
    };
    let others: [(Change<'_>, &str); 6] = [
        (&|o| o.type_ = Type::Warning, "+"),
        (&|o| o.action = "Other".into(), "+"),
        (&|o| o.related = Some(ObjectReference::default()), "+"),
        (&|o| o.regarding.uid = "u2".into(), "+"),
        (&|o| o.regarding.field_path = "spec".into(), "+"),
        (&|o| o.regarding.resource_version = "77".into(), "."),
    ];
    for (change, expected) in others {
        assert_eq!(shape(&bench.take(with(change))), expected);
    }
}

#[test]
fn a_series_ends_when_nothing_happens_for_six_minutes() {
    let mut bench = Bench::new(Series::new());
    bench.tell("a", "Failed", "");
    bench.wait(FINISH - Duration::from_secs(1));
    assert_eq!(shape(&bench.tell("a", "Failed", "")), "2");
    bench.wait(FINISH - Duration::from_secs(1));
    assert_eq!(shape(&bench.tell("a", "Failed", "")), ".");
    // It has ended, but its count is not written yet.
    bench.wait(FINISH);
    assert_eq!(shape(&bench.tell("a", "Failed", "")), "3+");

    // A look at it in time writes the count.
    bench.tell("a", "Failed", "");
    bench.tell("a", "Failed", "");
    assert!(bench.correlator.sweep(bench.now()).is_empty());
    bench.wait(FINISH);
    let jobs = bench.correlator.sweep(bench.now());
    assert_eq!((jobs.len(), v1(&jobs[0]).series.as_ref().unwrap().count), (1, 3));
    assert!(bench.correlator.sweep(bench.now()).is_empty());
    assert_eq!(shape(&bench.tell("a", "Failed", "")), "+");
    // One that never was a series ends silently.
    bench.wait(FINISH);
    assert!(bench.correlator.sweep(bench.now()).is_empty());
}

#[test]
fn a_series_that_goes_on_is_written_every_half_hour() {
    let mut bench = Bench::new(Series::new());
    let mut written = 0;
    let minutes = 95;
    for _ in 0..minutes {
        bench.tell("a", "Failed", "");
        let jobs = bench.correlator.sweep(bench.now());
        written += jobs.len();
        bench.wait(Duration::from_secs(60));
    }
    assert_eq!(
        written,
        usize::try_from(minutes * 60 / REFRESH.as_secs()).unwrap()
    );
    let jobs = bench.correlator.flush();
    assert_eq!(
        (jobs.len(), v1(&jobs[0]).series.as_ref().unwrap().count),
        (1, minutes.try_into().unwrap())
    );
    assert!(bench.correlator.flush().is_empty());
}

#[test]
fn what_was_dropped_is_told_again() {
    let mut bench = Bench::new(Series::new());
    let Verdict::Write(jobs) = bench.tell("a", "Failed", "") else {
        panic!("it is new");
    };
    bench.correlator.undo(&jobs[0]);
    assert_eq!(shape(&bench.tell("a", "Failed", "")), "+");
    let Verdict::Write(jobs) = bench.tell("a", "Failed", "") else {
        panic!("it is a series");
    };
    bench.correlator.undo(&jobs[0]);
    assert_eq!(shape(&bench.tell("a", "Failed", "")), "3");
}

#[test]
fn what_is_remembered_is_bounded_and_no_count_is_lost() {
    let mut bench = Bench::new(Series::new());
    for _ in 0..3 {
        bench.tell("first", "Failed", "");
    }
    let mut shapes = Vec::new();
    for n in 0..5000 {
        shapes.push(shape(&bench.tell(&format!("object-{n}"), "Failed", "")));
    }
    // The one that was forgotten had a count that was not written.
    assert_eq!(shapes.iter().filter(|shape| *shape == "+3").count(), 1);
    assert_eq!(shapes.iter().filter(|shape| *shape == "+").count(), 4999);
}

#[test]
fn the_same_message_raises_a_count() {
    let mut bench = Bench::new(Correlator::new());
    let (first, is_change) = core(bench.tell("a", "Failed", "no room"));
    assert_eq!((first.count, is_change), (1, false));
    bench.wait(Duration::from_secs(5));
    let (second, is_change) = core(bench.tell("a", "Failed", "no room"));
    assert_eq!((second.count, is_change), (2, true));
    assert_eq!(second.metadata.name, first.metadata.name);
    assert_eq!(second.first_timestamp, first.first_timestamp);
    assert!(second.last_timestamp > first.last_timestamp);
    assert!(second.event_time.is_zero());
}

#[test]
fn ten_similar_messages_become_one_event() {
    let mut bench = Bench::new(Correlator::new());
    let shapes: Vec<String> = (0..12)
        .map(|n| shape(&bench.tell("a", "Failed", &format!("note {n}"))))
        .collect();
    assert_eq!(shapes.concat(), "++++++++++23");
    let (combined, _) = core(bench.tell("a", "Failed", "note 12"));
    assert_eq!(combined.message, "(combined from similar events): note 12");
    assert_eq!(combined.count, 4);
    // Another reason, another object: other groups. After the window it begins anew.
    assert_eq!(shape(&bench.tell("a", "Started", "note 12")), "+");
    assert_eq!(shape(&bench.tell("b", "Failed", "note 12")), "+");
    bench.wait(WINDOW + Duration::from_secs(1));
    let (single, is_change) = core(bench.tell("a", "Failed", "note 99"));
    assert_eq!((&*single.message, is_change), ("note 99", false));
}

#[test]
fn a_long_message_is_within_the_limit_when_combined() {
    let mut bench = Bench::new(Correlator::new());
    for n in 0..9 {
        bench.tell("a", "Failed", &n.to_string());
    }
    let (combined, _) = core(bench.tell("a", "Failed", &"x".repeat(1024)));
    assert_eq!(combined.message.len(), 1024);
    assert!(combined.message.starts_with("(combined") && combined.message.ends_with("..."));
}

#[test]
fn one_object_cannot_fill_the_server() {
    let mut bench = Bench::new(Correlator::new());
    let written = |verdict: &Verdict| matches!(verdict, Verdict::Write(_));
    let burst = (0..100)
        .filter(|n| written(&bench.tell("a", &format!("Reason{n}"), "")))
        .count();
    assert_eq!(burst, BURST as usize);
    assert!(written(&bench.tell("b", "Reason", "")), "another object");
    bench.wait(REFILL - Duration::from_secs(1));
    assert!(!written(&bench.tell("a", "Reason", "")));
    bench.wait(Duration::from_secs(1));
    assert!(written(&bench.tell("a", "Reason", "x")));
    assert!(!written(&bench.tell("a", "Reason", "x")));
    // What was suppressed was counted.
    bench.wait(REFILL);
    let (event, is_change) = core(bench.tell("a", "Reason", "x"));
    assert_eq!((event.count, is_change), (3, true));
    bench.wait(REFILL * 1000);
    let burst = (0..100)
        .filter(|n| written(&bench.tell("a", &format!("Other{n}"), "")))
        .count();
    assert_eq!(burst, BURST as usize);
}

#[test]
fn an_object_that_says_nothing_of_itself_does_no_harm() {
    for correlator in [
        Box::new(Series::new()) as Box<dyn Correlate>,
        Box::new(Correlator::new()),
    ] {
        let mut bench = Bench {
            correlator: Holder(correlator),
            start: Instant::now(),
            passed: Duration::ZERO,
            unique: 0,
        };
        let mut nothing = occurrence("", "", "");
        nothing.regarding = ObjectReference::default();
        let Verdict::Write(jobs) = bench.take(nothing.fitted()) else {
            panic!("it is told");
        };
        let metadata = match &jobs[0].event {
            Written::V1(event) => &event.metadata,
            Written::Core(event) => &event.metadata,
        };
        assert_eq!(metadata.namespace, "default");
        assert!(metadata.name.starts_with("event.1."), "{}", metadata.name);
    }
}

#[derive(Debug)]
struct Holder(Box<dyn Correlate>);

impl Correlate for Holder {
    fn take(&mut self, occurrence: Occurrence, source: &Source, now: Now) -> Verdict {
        self.0.take(occurrence, source, now)
    }
    fn undo(&mut self, job: &Job) {
        self.0.undo(job);
    }
    fn sweep(&mut self, now: Instant) -> Vec<Job> {
        self.0.sweep(now)
    }
    fn flush(&mut self) -> Vec<Job> {
        self.0.flush()
    }
}
