//! How long to wait after a failure.

use std::time::{Duration, Instant};

/// Waits that grow with each failure and begin anew after a healthy time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReflectorBackoff {
    /// The first wait.
    pub initial: Duration,
    /// No wait is longer, jitter aside.
    pub max: Duration,
    /// After so long without a failure the first wait is next.
    pub reset_after: Duration,
}

impl Default for ReflectorBackoff {
    /// 800 ms, doubled up to 30 s, anew after 2 minutes: client-go's.
    fn default() -> Self {
        Self {
            initial: Duration::from_millis(800),
            max: Duration::from_secs(30),
            reset_after: Duration::from_secs(120),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waits {
    rule: ReflectorBackoff,
    next: Duration,
    /// When the last wait ends.
    until: Option<Instant>,
}

impl Waits {
    pub(super) fn new(rule: ReflectorBackoff) -> Self {
        Self {
            rule,
            next: rule.initial,
            until: None,
        }
    }

    /// The wait after a failure at `now`: at least what the server asks for. `random` from 0 to 1 is added as a
    /// fraction, so that clients who lost one server do not return as one.
    pub(super) fn after_failure(&mut self, now: Instant, random: f64, asked: Option<Duration>) -> Duration {
        let healthy = self.until.map(|until| now.saturating_duration_since(until));
        if healthy.is_some_and(|healthy| healthy >= self.rule.reset_after) {
            self.next = self.rule.initial;
        }
        let wait = self.next.mul_f64(1.0 + random.clamp(0.0, 1.0));
        self.next = (self.next * 2).min(self.rule.max);
        let wait = wait.max(asked.unwrap_or_default());
        self.until = Some(now + wait);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_limit_and_begin_anew_after_a_healthy_time() {
        let mut waits = Waits::new(ReflectorBackoff::default());
        let mut now = Instant::now();
        let expected = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
        for milliseconds in expected {
            let wait = waits.after_failure(now, 0.0, None);
            assert_eq!(wait, Duration::from_millis(milliseconds));
            now += wait + Duration::from_secs(119);
        }
        now += Duration::from_secs(2);
        assert_eq!(waits.after_failure(now, 1.0, None), Duration::from_millis(1600));
        assert_eq!(
            waits.after_failure(now, 0.5, Some(Duration::from_secs(7))),
            Duration::from_secs(7)
        );
    }
}
