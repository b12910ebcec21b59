//! Does what the state machine says: calls, streams and timers.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use super::Reflector;
use super::backoff::Waits;
use super::collected::Collected;
use super::open::{Next, Open};
use super::report::Report;
use super::state::{Effect, Failure, Memory, Moment, Outcome, Page, Progress, State, WatchList};
use crate::cache::indexer::{Held, Replacement, Sharing};
use crate::cache::list_watch::{ListWatch, Skipped, unreadable};
use crate::cache::object::{Object, ObjectKey};
use crate::cache::queue::Deleted;
use crate::error::Error;
use crate::rest::{ListOptions, ResourceVersionMatch, WatchEvent, WatchOptions};
use crate::value::Str;

/// One run of a reflector.
pub(super) struct Driver<'a, L: ListWatch> {
    reflector: &'a Reflector<L>,
    state: State,
    memory: Memory,
    collected: Collected<L::Object>,
    open: Option<Open<L::Object>>,
    report: Report<'a>,
}

impl<'a, L: ListWatch> Driver<'a, L> {
    pub(super) fn new(reflector: &'a Reflector<L>) -> Self {
        let options = &reflector.options;
        let watch_list = if reflector.source.streams_lists() {
            options.watch_list
        } else {
            WatchList::TurnedOff
        };
        let mut memory = Memory::new(watch_list, options.page_size, Waits::new(options.backoff));
        memory.version = reflector.sink.resource_version();
        Self {
            reflector,
            state: memory.begin(),
            memory,
            collected: Collected::default(),
            open: None,
            report: Report::new(reflector.source.resource(), &reflector.status),
        }
    }

    /// Does what the state says and goes to the next.
    pub(super) async fn turn(&mut self) {
        let now = self.reflector.clock.now();
        self.report.state(&self.state, self.memory.watch_list, now);
        let mut change = None;
        let outcome = match self.state.clone() {
            State::Listing(page) => self.list(page).await,
            State::Streaming { version } => self.follow(Some(version), &mut change).await,
            State::Watching => self.follow(None, &mut change).await,
            State::Probing => self.probe().await,
            State::BackingOff { wait, .. } => {
                self.reflector.clock.sleep(wait).await;
                Outcome::Waited
            }
        };
        let was_streaming = matches!(self.state, State::Streaming { .. });
        let effect = self.step(outcome);
        match (effect, change) {
            (Effect::Keep, Some(change)) if was_streaming => self.collect(change),
            (Effect::Keep, Some(change)) => self.pass_on(change),
            (Effect::Keep, None) => {}
            (Effect::Discard, _) => {
                self.collected = Collected::default();
                self.open = None;
            }
            (Effect::Commit { version, sharing }, _) => self.commit(version, sharing),
        }
    }

    fn step(&mut self, outcome: Outcome) -> Effect {
        let moment = self.moment();
        let went_back = self.memory.went_back;
        let state = std::mem::replace(&mut self.state, State::Watching);
        let (state, effect) = state.step(&mut self.memory, outcome, moment);
        self.state = state;
        if self.memory.went_back > went_back {
            self.report.went_back(self.memory.went_back);
        }
        effect
    }

    fn moment(&self) -> Moment {
        Moment {
            now: self.reflector.clock.now(),
            random: fastrand::f64(),
        }
    }

    /// A turn panicked: all that it held is suspect.
    pub(super) fn panicked(&mut self, message: String) {
        self.report.panicked(message);
        self.collected = Collected::default();
        self.open = None;
        self.state = State::Listing(Page::default());
        let outcome = Outcome::Failed(Failure::Other { after: None }, Progress::default());
        self.step(outcome);
    }

    fn failed(&mut self, error: Error, progress: Progress) -> Outcome {
        Outcome::Failed(self.report.failed(error), progress)
    }

    async fn list(&mut self, page: Page) -> Outcome {
        // A page of a version would be exactly that version, which may be gone, unless said otherwise.
        let is_version = !matches!(&*page.version, "" | "0");
        let options = ListOptions {
            resource_version_match: (is_version && page.limit.is_some())
                .then_some(ResourceVersionMatch::NotOlderThan),
            limit: page.limit,
            continue_: page.token.to_string(),
            resource_version: page.version.to_string(),
            ..ListOptions::default()
        };
        let sharing = self.memory.sharing();
        let mut skipped = Vec::new();
        let (reflector, collected) = (self.reflector, &mut self.collected);
        let before = collected.objects.len();
        let mut take = |object| match hold(reflector, sharing, object) {
            Ok(object) => collected.objects.push(object),
            Err(one) => skipped.push(one),
        };
        let result = reflector.source.list(options, &mut take).await;
        let end = match result {
            Ok(end) => end,
            Err(error) => {
                self.collected.objects.truncate(before);
                return self.failed(error, Progress::default());
            }
        };
        for one in skipped.into_iter().chain(end.unreadable) {
            self.collected.skip(one.key.clone());
            self.report.skipped(one);
        }
        Outcome::Listed {
            version: end.metadata.resource_version,
            token: end.metadata.continue_,
        }
    }

    /// The version of the server, by a list of one object that must come from etcd.
    async fn probe(&mut self) -> Outcome {
        let options = ListOptions {
            limit: Some(1),
            ..ListOptions::default()
        };
        match self.reflector.source.list(options, &mut drop).await {
            Ok(end) => Outcome::Probed {
                version: end.metadata.resource_version,
            },
            Err(error) => self.failed(error, Progress::default()),
        }
    }

    /// The next thing that comes of a watch, which is opened first if it is not; with initial events if a version is
    /// given. A change goes into `change`.
    async fn follow(&mut self, initial: Option<Str>, change: &mut Option<WatchEvent<L::Object>>) -> Outcome {
        let is_initial = initial.is_some();
        if self.open.is_none()
            && let Err(error) = self.open(initial).await
        {
            return self.failed(error, Progress::default());
        }
        let clock = self.reflector.clock.clone();
        let options = &self.reflector.options;
        let (idle, limit) = (options.initial_events_idle, options.initial_events_limit);
        let sink = &self.reflector.sink;
        poll_fn(|cx| sink.poll_ready(cx)).await;
        loop {
            let Some(open) = &mut self.open else {
                return Outcome::Ended(Progress::default());
            };
            if !is_initial {
                open.stall = None;
            }
            let next = open.next().await;
            let now = clock.now();
            let progress = open.progress(now);
            match next {
                Next::Event(event) => {
                    open.events = true;
                    if is_initial {
                        open.last = now;
                    }
                    let outcome = outcome_of(&event, is_initial);
                    if !matches!(event, WatchEvent::Bookmark(_)) || !is_initial {
                        *change = Some(event);
                    }
                    return outcome;
                }
                Next::Failed(error) => match unreadable(&error) {
                    Some(one) => {
                        open.last = now;
                        open.events = true;
                        if is_initial {
                            self.collected.skip(one.key.clone());
                        }
                        self.report.skipped(one);
                    }
                    None => return self.failed(error, progress),
                },
                Next::Ended => {
                    self.report.ended();
                    return Outcome::Ended(progress);
                }
                Next::Overdue => return Outcome::Ended(progress),
                Next::Check => {
                    let (quiet, open_for) = (now - open.last, now - open.opened);
                    if quiet >= idle || open_for >= limit {
                        self.report.stalled();
                        return Outcome::InitialEventsStalled;
                    }
                    open.stall = Some(clock.sleep((idle - quiet).min(limit - open_for)));
                }
            }
        }
    }

    async fn open(&mut self, initial: Option<Str>) -> Result<(), Error> {
        let options = &self.reflector.options;
        let clock = &self.reflector.clock;
        let asked = options.watch_timeout.mul_f64(1.0 + fastrand::f64());
        let asked = Duration::from_secs(asked.as_secs().max(1));
        let is_initial = initial.is_some();
        let request = WatchOptions {
            resource_version: initial.unwrap_or_else(|| self.memory.version.clone()).into(),
            server_timeout: Some(asked),
            bookmarks: true,
            initial_events: is_initial,
            ..WatchOptions::default()
        };
        let changes = self.reflector.source.watch(request).await?;
        let now = clock.now();
        self.open = Some(Open {
            changes,
            opened: now,
            last: now,
            events: false,
            asked,
            limit: clock.sleep(asked + options.watch_grace),
            stall: is_initial
                .then(|| clock.sleep(options.initial_events_idle.min(options.initial_events_limit))),
        });
        Ok(())
    }

    fn collect(&mut self, change: WatchEvent<L::Object>) {
        match change {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                match hold(self.reflector, self.memory.sharing(), object) {
                    Ok(object) => self.collected.put(object),
                    Err(one) => {
                        self.collected.skip(one.key.clone());
                        self.report.skipped(one);
                    }
                }
            }
            WatchEvent::Deleted(object) => self.collected.remove(&ObjectKey::of(&object)),
            WatchEvent::Bookmark(_) => {}
        }
    }

    fn pass_on(&mut self, change: WatchEvent<L::Object>) {
        let sink = &self.reflector.sink;
        let prepare = |object| prepare(self.reflector, object);
        let result = match change {
            WatchEvent::Added(object) => prepare(object).map(|object| sink.add(object)),
            WatchEvent::Modified(object) => prepare(object).map(|object| sink.update(object)),
            WatchEvent::Deleted(object) => {
                // An object that cannot be transformed is gone all the same.
                let key = ObjectKey::of(&object);
                let deleted = match prepare(object) {
                    Ok(object) => Deleted::Known(object),
                    Err(one) => {
                        self.report.skipped(one);
                        Deleted::Unknown { key, last: None }
                    }
                };
                sink.delete(deleted);
                Ok(())
            }
            WatchEvent::Bookmark(mark) => {
                sink.bookmark(mark.resource_version.into());
                Ok(())
            }
        };
        if let Err(one) = result {
            self.report.skipped(one);
        }
    }

    fn commit(&mut self, version: Str, sharing: Sharing) {
        let collected = std::mem::take(&mut self.collected);
        self.reflector.sink.replace(Replacement {
            objects: collected.objects,
            unreadable: collected.unreadable,
            resource_version: version.clone(),
            sharing,
        });
        self.report.listed(version, self.memory.watch_list);
    }
}

/// An object of a list as it is to be kept: the one that is kept already, or this one, transformed.
fn hold<L: ListWatch>(
    reflector: &Reflector<L>,
    sharing: Sharing,
    object: L::Object,
) -> Result<Held<L::Object>, Skipped> {
    if sharing == Sharing::Unchanged
        && let Some(known) = reflector.sink.known(&object)
    {
        return Ok(known);
    }
    prepare(reflector, object).map(|object| reflector.sink.hold(object))
}

/// An object as it is to be passed on, transformed.
fn prepare<L: ListWatch>(reflector: &Reflector<L>, mut object: L::Object) -> Result<Arc<L::Object>, Skipped> {
    if object.object_meta().name.is_empty() {
        // An object of another kind, such as a `Status` or a `Table`, is read as one of which all is missing.
        let reason = "it has no name: it is no object of this resource".to_owned();
        let key = ObjectKey::of(&object);
        return Err(Skipped { key, reason });
    }
    if let Some(transform) = &reflector.transform {
        transform.apply(&mut object)?;
    }
    Ok(Arc::new(object))
}

fn outcome_of<K: Object>(event: &WatchEvent<K>, is_initial: bool) -> Outcome {
    match event {
        WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
            Outcome::Event {
                version: object.object_meta().resource_version.clone(),
            }
        }
        WatchEvent::Bookmark(mark) if is_initial && mark.initial_events_end => Outcome::InitialEventsEnded {
            version: Str::from(&*mark.resource_version),
        },
        WatchEvent::Bookmark(mark) => Outcome::Event {
            version: Str::from(&*mark.resource_version),
        },
    }
}
