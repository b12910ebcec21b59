//! What a recorder goes by.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::counters::{EventMetrics, NoEventMetrics};
use super::occurrence::{MAX_WORD, cut};
use crate::clock::{Clock, TokioClock};
use crate::value::Str;

/// Which of the two APIs of events is written to. Both show the same objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventApi {
    /// `events.k8s.io/v1`: repetitions are series. For new programs.
    #[default]
    V1,
    /// `core/v1`: repetitions raise a count, similar events are combined, and an object about which there is too much
    /// to tell is told of less.
    Core,
}

/// How often a write that fails is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRetry {
    /// The number of attempts, the first included.
    pub attempts: u32,
    /// The time between them. The first is shorter at random and the others longer by up to a quarter, so that clients
    /// which lost one server do not return as one.
    pub wait: Duration,
}

impl Default for EventRetry {
    /// 12 attempts, 10 s apart: client-go's.
    fn default() -> Self {
        Self {
            attempts: 12,
            wait: Duration::from_secs(10),
        }
    }
}

impl EventRetry {
    pub(super) fn wait(&self, attempt: u32, random: f64) -> Duration {
        match attempt {
            1 => self.wait.mul_f64(random),
            _ => self.wait.mul_f64(1.0 + random / 4.0),
        }
    }
}

/// What a recorder goes by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EventOptions {
    /// Who tells: a qualified name such as `reaper` or `example.com/reaper`.
    pub controller: Str,
    /// Which of its processes; the default is the controller and the host's name.
    pub instance: Str,
    /// Where events are written to.
    pub api: EventApi,
    /// How many writes wait; more are dropped and counted. The default is 1000, client-go's.
    pub queue: usize,
    /// How many writes are under way at a time. The default is 4.
    pub workers: usize,
    /// How often a write that fails is tried.
    pub retry: EventRetry,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who counts.
    pub metrics: Arc<dyn EventMetrics>,
}

impl EventOptions {
    /// The defaults for a controller.
    pub fn new(controller: impl Into<Str>) -> Self {
        let controller = controller.into();
        let mut instance: Str = format!("{}-{}", controller.replace('/', "-"), crate::host::name()).into();
        cut(&mut instance, MAX_WORD, "");
        Self {
            controller,
            instance,
            api: EventApi::default(),
            queue: 1000,
            workers: 4,
            retry: EventRetry::default(),
            clock: Arc::new(TokioClock),
            metrics: Arc::new(NoEventMetrics),
        }
    }

    /// See [`EventApi`].
    #[must_use]
    pub fn api(mut self, api: EventApi) -> Self {
        self.api = api;
        self
    }

    /// See [`EventOptions::instance`].
    #[must_use]
    pub fn instance(mut self, instance: impl Into<Str>) -> Self {
        self.instance = instance.into();
        self
    }

    /// See [`EventOptions::clock`].
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// See [`EventMetrics`].
    #[must_use]
    pub fn metrics(mut self, metrics: Arc<dyn EventMetrics>) -> Self {
        self.metrics = metrics;
        self
    }

    /// What servers would refuse of every event.
    pub(super) fn check(&self) -> Result<(), InvalidSource> {
        if !is_qualified_name(&self.controller) {
            return Err(InvalidSource(format!(
                "the controller {:?} is no qualified name: letters, digits, '-', '_' and '.', at most 63, with a DNS \
                 name and '/' before if need be",
                self.controller
            )));
        }
        if self.instance.is_empty() || self.instance.len() > MAX_WORD {
            return Err(InvalidSource(format!(
                "the instance of {:?} must have 1 to {MAX_WORD} bytes",
                self.controller
            )));
        }
        Ok(())
    }
}

fn is_qualified_name(name: &str) -> bool {
    let (prefix, name) = match name.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, name),
    };
    let ends = |bytes: &[u8]| {
        bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
    };
    let fine = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let bytes = name.as_bytes();
    prefix.is_none_or(super::occurrence::is_subdomain)
        && bytes.len() <= 63
        && ends(bytes)
        && bytes.iter().all(fine)
}

/// A source of events that servers would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSource(String);

impl fmt::Display for InvalidSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidSource {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_servers_refuse_are_refused_at_once() {
        let long = "a".repeat(64);
        for (controller, fine) in [
            ("reaper", true),
            ("example.com/reaper", true),
            ("A_b.c-d", true),
            ("", false),
            ("/reaper", false),
            ("a/b/c", false),
            ("-a", false),
            ("Example.com/a", false),
            (&long, false),
        ] {
            assert_eq!(
                EventOptions::new(controller).check().is_ok(),
                fine,
                "{controller}"
            );
        }
        let options = EventOptions::new("a");
        assert!(options.clone().instance("").check().is_err());
        assert!(options.instance("i".repeat(129)).check().is_err());
    }

    #[test]
    fn waits_are_spread() {
        let retry = EventRetry::default();
        let seconds = |attempt, random| retry.wait(attempt, random).as_secs_f64();
        assert_eq!(
            [seconds(1, 0.0), seconds(1, 0.5), seconds(2, 0.0), seconds(3, 1.0)],
            [0.0, 5.0, 10.0, 12.5]
        );
    }
}
