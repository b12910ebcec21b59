//! Credential plugins: programs that print an `ExecCredential` of the group `client.authentication.k8s.io`.
//!
//! | file | what is there |
//! |---|---|
//! | `protocol` | what the program is told, and what it answers |
//! | `policy` | which programs may run |
//! | `run` | one run of the program, on a thread of its own |
//! | here | credentials kept between runs, shared by all clients of the process that use the same plugin |
//!
//! One run serves all calls that wait for it, and goes on if they give up. Credentials are used until they expire or the
//! server rejects them. Credentials that are expired already when they arrive (clocks differ) are used all the same for a
//! little while, rather than running the program for each call.

mod policy;
mod protocol;
mod run;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::credentials::{CredentialSource, Credentials, PluginIdentity, bearer};
use super::{BoxFuture, Metrics, TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::{Config, ExecConfig, PluginPolicy};
use protocol::Answer;

/// How many plugins' credentials the process keeps; those used longest ago go first.
const KEPT: usize = 64;
/// Credentials are used for at least this long, whatever their expiry says.
const LEAST_USE: Duration = Duration::from_secs(10);

/// So often in an hour a failure says how to install the program; client-go's value.
const HINTS: u32 = 10;
const HOUR: Duration = Duration::from_secs(3600);

/// The credentials of one plugin for one cluster.
pub(super) struct Plugin {
    config: ExecConfig,
    /// What is told about the cluster, in JSON; none if the plugin is not to know.
    cluster: Option<serde_json::Value>,
    state: Mutex<State>,
    /// Held by the one run under way.
    running: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    answer: Option<Answer>,
    obtained: Option<Instant>,
    /// Whether the server has rejected the answer.
    rejected: bool,
    /// Counts the changes of the certificate.
    identity: u64,
    /// Counts the runs that ended.
    runs: u64,
    /// How the last run failed, if it did.
    failure: Option<TransportError>,
    /// When the hour began in which hints are counted, and how many there were.
    hints: Option<(Instant, u32)>,
}

impl State {
    /// Whether a run that fails may say how to install the program. It is long, and programs retry.
    fn may_hint(&mut self, now: Instant) -> bool {
        let (since, count) = match self.hints {
            Some((since, count)) if now.saturating_duration_since(since) < HOUR => (since, count + 1),
            _ => (now, 1),
        };
        self.hints = Some((since, count));
        count <= HINTS
    }
}

/// The plugins of the process, the one used last at the end.
static PLUGINS: Mutex<VecDeque<Arc<Plugin>>> = Mutex::new(VecDeque::new());

impl Plugin {
    /// The plugin of a configuration: one and the same for equal ones.
    pub(super) fn shared(config: &Config, exec: &ExecConfig) -> Result<Arc<Self>, TransportError> {
        policy::check(&config.plugin_policy, exec)?;
        let cluster = match exec.provide_cluster_info {
            true => Some(protocol::cluster(config, exec)?),
            false => None,
        };
        let mut plugins = PLUGINS.lock().unwrap_or_else(PoisonError::into_inner);
        let found = plugins.iter().position(|plugin| {
            // A plugin that is told of no cluster answers the same for all.
            plugin.config == *exec && plugin.cluster == cluster
        });
        let plugin = match found.and_then(|at| plugins.remove(at)) {
            Some(plugin) => plugin,
            None => Arc::new(Self {
                config: exec.clone(),
                cluster,
                state: Mutex::default(),
                running: Arc::new(Semaphore::new(1)),
            }),
        };
        plugins.push_back(plugin.clone());
        if plugins.len() > KEPT {
            plugins.pop_front();
        }
        Ok(plugin)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The credentials at hand, unless they have expired or were rejected.
    fn current(&self, clock: &dyn Clock) -> Option<Credentials> {
        let state = self.state();
        let answer = state.answer.as_ref().filter(|_| !state.rejected)?;
        let fresh = state
            .obtained
            .is_some_and(|at| clock.now().saturating_duration_since(at) < LEAST_USE);
        let expired = answer.expires.is_some_and(|at| at <= clock.wall());
        (fresh || !expired).then(|| credentials(answer, state.identity))
    }

    /// Runs the program unless somebody did since `seen` runs had ended.
    async fn renewed(
        self: &Arc<Self>,
        clock: &Arc<dyn Clock>,
        metrics: &Arc<dyn Metrics>,
        seen: u64,
    ) -> Result<Credentials, TransportError> {
        let permit = self.running.clone().acquire_owned().await;
        let ended = self.state().runs;
        if ended == seen {
            let (done, wait) = tokio::sync::oneshot::channel();
            let (plugin, clock, metrics) = (self.clone(), clock.clone(), metrics.clone());
            let hint = self.state().may_hint(clock.now());
            let thread = std::thread::Builder::new().name("credential-plugin".to_owned());
            let started = thread.spawn(move || {
                let started = clock.now();
                let result = run::run(&plugin.config, plugin.cluster.as_ref(), hint);
                let took = clock.now().saturating_duration_since(started);
                metrics.plugin_ran(&plugin.config.command, took, result.is_ok());
                plugin.store(result, &*clock);
                drop(permit);
                // The caller may have given up.
                let _ = done.send(());
            });
            started.map_err(|error| {
                let message = "no thread can be started for the credential plugin";
                TransportError::new(TransportErrorKind::Credentials, message).with_source(error)
            })?;
            // It fails only if the thread died, and then there is no result.
            let _ = wait.await;
        }
        let state = self.state();
        match (&state.failure, &state.answer) {
            (Some(failure), _) => Err(failure.clone()),
            (None, Some(answer)) => Ok(credentials(answer, state.identity)),
            (None, None) => Err(TransportError::new(
                TransportErrorKind::Credentials,
                format!("the credential plugin {:?} gave no answer", self.config.command),
            )),
        }
    }

    fn store(&self, result: Result<Answer, TransportError>, clock: &dyn Clock) {
        let mut state = self.state();
        state.runs += 1;
        match result {
            Ok(answer) => {
                // The same certificate again must not end the connections that use it.
                if state.answer.as_ref().map(|old| &old.certificate) != Some(&answer.certificate) {
                    state.identity += 1;
                }
                state.answer = Some(answer);
                state.obtained = Some(clock.now());
                state.rejected = false;
                state.failure = None;
            }
            Err(error) => state.failure = Some(error),
        }
    }
}

fn credentials(answer: &Answer, identity: u64) -> Credentials {
    Credentials {
        authorization: answer.token.as_ref().map(|token| Arc::new(bearer(token))),
        identity,
    }
}

impl PluginIdentity for Plugin {
    fn version(&self) -> u64 {
        self.state().identity
    }

    fn certificate(&self) -> Option<crate::config::ClientIdentity> {
        self.state().answer.as_ref()?.certificate.clone()
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// A plugin as a source of credentials.
#[derive(Debug)]
pub(super) struct PluginSource {
    pub(super) plugin: Arc<Plugin>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Arc<dyn Metrics>,
}

impl CredentialSource for PluginSource {
    fn at_hand(&self) -> Option<Credentials> {
        self.plugin.current(&*self.clock)
    }

    fn credentials(&self) -> BoxFuture<'_, Result<Credentials, TransportError>> {
        Box::pin(async {
            let seen = self.plugin.state().runs;
            match self.plugin.current(&*self.clock) {
                Some(credentials) => Ok(credentials),
                None => self.plugin.renewed(&self.clock, &self.metrics, seen).await,
            }
        })
    }

    fn rejected(&self, used: &Credentials, _: Instant) {
        let mut state = self.plugin.state();
        let current = state
            .answer
            .as_ref()
            .map(|answer| credentials(answer, state.identity));
        // Another call may have renewed them meanwhile.
        if current.as_ref() == Some(used) {
            state.rejected = true;
        }
    }
}

/// The policy says no, or nothing of that name is there to be compared.
pub(super) fn denied(command: &str, why: &str) -> TransportError {
    let message = format!("the credential plugin {command:?} may not run: {why}");
    TransportError::new(TransportErrorKind::Config, message)
}

/// For the policy's own use in error texts.
pub(super) fn policy_name(policy: &PluginPolicy) -> &'static str {
    match policy {
        PluginPolicy::AllowAll => "AllowAll",
        PluginPolicy::DenyAll => "DenyAll",
        PluginPolicy::Allowlist(_) => "Allowlist",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_ten_an_hour() {
        let mut state = State::default();
        let start = Instant::now();
        let mut hints = |after: u64| {
            (0..15)
                .filter(|_| state.may_hint(start + Duration::from_secs(after)))
                .count()
        };
        assert_eq!(hints(0), 10);
        assert_eq!(hints(3599), 0);
        assert_eq!(hints(3600), 10);
    }
}
