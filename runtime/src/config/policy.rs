//! How calls are repeated, paced and spread over connections, and which credential plugins may run. Plain data.

use std::time::Duration;

/// When a call is sent again. What may be repeated is decided by the transport; this says how often and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryConfig {
    /// How often a call is sent at most, the first time included; 10 as client-go has it, 1 for no repetition.
    pub max_attempts: u32,
    /// A server that asks to wait longer than this is not waited for: its answer is handed out as it is.
    pub max_wait: Duration,
    /// A wait before calls to a server that is in trouble, which the server does not ask for; none unless set.
    pub backoff: Option<UrlBackoff>,
}

/// A wait before every call to a server while it answers 429 or 500 and above: `base` after the first such answer, twice
/// as long after each further one, at most `most`. Any other end of a call resets it. What client-go has behind
/// `KUBE_CLIENT_BACKOFF_BASE` and `KUBE_CLIENT_BACKOFF_DURATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlBackoff {
    /// The first wait.
    pub base: Duration,
    /// The longest wait.
    pub most: Duration,
}

impl Default for RetryConfig {
    /// 10 attempts; five minutes.
    fn default() -> Self {
        Self {
            max_attempts: 10,
            max_wait: Duration::from_secs(300),
            backoff: None,
        }
    }
}

/// A client-side limit of the rate of calls: a bucket of `burst` tokens that fills at `qps`; every attempt takes one.
///
/// Streams (watches, followed logs) and upgrades take none. Off unless set: servers pace their clients themselves
/// (priority and fairness), and answer 429 with `Retry-After`, which is obeyed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateLimit {
    /// Calls per second in the long run; more than 0.
    pub qps: f64,
    /// Calls that may leave at once; at least 1.
    pub burst: u32,
}

/// Which credential plugins may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginPolicy {
    /// Any that the configuration names.
    #[default]
    AllowAll,
    /// None.
    DenyAll,
    /// These: absolute paths, or names that are looked up in `PATH`. A plugin may run if its program is the same file as
    /// that of an entry; a program elsewhere that merely has the name of an entry may not.
    Allowlist(Vec<String>),
}
