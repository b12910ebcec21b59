//! [`Environment`]: what of the process's surroundings decides about the configuration; and the decision itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::{Config, ConfigError, HttpVersions, Kubeconfig, KubeconfigOptions, UrlBackoff};

/// Where a pod's service account is mounted.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// What of the process's surroundings decides about the configuration. Empty variables count as unset.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `KUBECONFIG`: kubeconfig files, separated as `PATH` is.
    pub kubeconfig: Option<OsString>,
    /// The user's home directory, for `.kube/config`.
    pub home: Option<PathBuf>,
    /// `KUBERNETES_SERVICE_HOST`.
    pub service_host: Option<String>,
    /// `KUBERNETES_SERVICE_PORT`.
    pub service_port: Option<String>,
    /// `POD_NAMESPACE`.
    pub pod_namespace: Option<String>,
    /// `HTTP2_READ_IDLE_TIMEOUT_SECONDS`: [`KeepAlive::interval`](super::KeepAlive::interval) in seconds, 0 for no pings.
    pub http2_read_idle_timeout: Option<String>,
    /// `HTTP2_PING_TIMEOUT_SECONDS`: [`KeepAlive::timeout`](super::KeepAlive::timeout) in seconds.
    pub http2_ping_timeout: Option<String>,
    /// `DISABLE_HTTP2`: with any value, HTTP/1.1 only.
    pub disable_http2: bool,
    /// `KUBE_CLIENT_BACKOFF_BASE`: [`UrlBackoff::base`](super::UrlBackoff::base) in seconds; only together with the next.
    pub backoff_base: Option<String>,
    /// `KUBE_CLIENT_BACKOFF_DURATION`: [`UrlBackoff::most`](super::UrlBackoff::most) in seconds.
    pub backoff_duration: Option<String>,
    /// The directory with the service account's `token`, `ca.crt` and `namespace`.
    pub service_account: PathBuf,
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |name: &str| set(name).and_then(|value| value.into_string().ok());
        Self {
            kubeconfig: set("KUBECONFIG"),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            service_host: text("KUBERNETES_SERVICE_HOST"),
            service_port: text("KUBERNETES_SERVICE_PORT"),
            pod_namespace: text("POD_NAMESPACE"),
            http2_read_idle_timeout: text("HTTP2_READ_IDLE_TIMEOUT_SECONDS"),
            http2_ping_timeout: text("HTTP2_PING_TIMEOUT_SECONDS"),
            disable_http2: set("DISABLE_HTTP2").is_some(),
            backoff_base: text("KUBE_CLIENT_BACKOFF_BASE"),
            backoff_duration: text("KUBE_CLIENT_BACKOFF_DURATION"),
            service_account: PathBuf::from(SERVICE_ACCOUNT),
        }
    }

    /// The kubeconfig files to look for, in the order of precedence: those of `KUBECONFIG`, else `~/.kube/config`.
    pub fn kubeconfig_paths(&self) -> Vec<PathBuf> {
        match &self.kubeconfig {
            Some(list) => std::env::split_paths(list)
                .filter(|path| !path.as_os_str().is_empty())
                .collect(),
            None => self
                .home
                .iter()
                .map(|home| home.join(".kube").join("config"))
                .collect(),
        }
    }

    /// Sets what variables of client-go's say about connections and pacing. One that is no number of seconds is left out
    /// and logged.
    fn tune(&self, config: &mut Config) {
        let seconds = |name: &str, value: &Option<String>| {
            let value = value.as_deref()?;
            let seconds = value.trim().parse().ok().map(Duration::from_secs);
            if seconds.is_none() {
                tracing::warn!(
                    name,
                    value,
                    "the environment variable is no number of seconds and is not used"
                );
            }
            seconds
        };
        let read_idle = seconds("HTTP2_READ_IDLE_TIMEOUT_SECONDS", &self.http2_read_idle_timeout);
        config.keep_alive.interval = read_idle.unwrap_or(config.keep_alive.interval);
        let ping = seconds("HTTP2_PING_TIMEOUT_SECONDS", &self.http2_ping_timeout);
        config.keep_alive.timeout = ping.unwrap_or(config.keep_alive.timeout);
        if self.disable_http2 {
            config.http = HttpVersions::Http1;
        }
        let base = seconds("KUBE_CLIENT_BACKOFF_BASE", &self.backoff_base);
        let most = seconds("KUBE_CLIENT_BACKOFF_DURATION", &self.backoff_duration);
        if let (Some(base), Some(most)) = (base, most) {
            config.retry.backoff = Some(UrlBackoff { base, most });
        }
    }

    fn searched(&self) -> String {
        let paths: Vec<String> = self
            .kubeconfig_paths()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let files = match (&self.kubeconfig, paths.is_empty()) {
            (_, true) => "no kubeconfig file to look for".to_owned(),
            (Some(_), false) => format!("KUBECONFIG names {}, missing or empty", paths.join(", ")),
            (None, false) => {
                format!(
                    "KUBECONFIG is not set and {} is missing or empty",
                    paths.join(", ")
                )
            }
        };
        format!("{files}, and this is no pod (no KUBERNETES_SERVICE_HOST or no service account)")
    }
}

impl Config {
    /// The configuration this process is meant to have, found as client-go finds it: the files of `KUBECONFIG` merged,
    /// else `~/.kube/config`; if they say nothing, that of the pod the process runs in.
    ///
    /// Reads files, and blocks while it does.
    ///
    /// # Errors
    /// [`ConfigError::NoConfiguration`] when there is none; else what is wrong with the one that was found.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_environment(&Environment::of_process(), &KubeconfigOptions::default())
    }

    /// As [`Config::from_env`], with an environment and overrides of the caller's choice.
    ///
    /// # Errors
    /// As [`Config::from_env`].
    pub fn from_environment(
        environment: &Environment,
        options: &KubeconfigOptions,
    ) -> Result<Self, ConfigError> {
        let kubeconfig = Kubeconfig::read_merged(environment.kubeconfig_paths())?;
        if !kubeconfig.is_empty() {
            let mut config = Self::from_loaded(&kubeconfig, options)?;
            environment.tune(&mut config);
            let chosen = options.namespace.is_some() || kubeconfig.namespace(options).is_some();
            if !chosen && environment.is_in_cluster() {
                config.namespace = environment.pod_namespace().unwrap_or(config.namespace);
            }
            return Ok(config);
        }
        if environment.is_in_cluster() {
            let mut config = Self::in_cluster_of(environment)?;
            environment.tune(&mut config);
            if let Some(namespace) = &options.namespace {
                config.namespace.clone_from(namespace);
            }
            return Ok(config);
        }
        Err(ConfigError::NoConfiguration {
            searched: environment.searched(),
        })
    }
}
