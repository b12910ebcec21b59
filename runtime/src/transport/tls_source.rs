//! [`TlsSource`]: certificates and keys that are read again when their files change.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::TransportError;
use super::credentials::PluginIdentity;
use super::endpoint::Endpoint;
use super::http::TransportOptions;
use super::metrics::{Metrics, Reload};
use super::tls::{Material, Tls};
use crate::clock::Clock;
use crate::config::{DataSource, HttpVersions, SecretSource, TlsConfig, Trust};

/// Files are read again after this long, at the next call; client-go takes five minutes.
const PERIOD: Duration = Duration::from_secs(60);
/// After a failed handshake they are read again at once, yet not more often than this.
const LEAST_PERIOD: Duration = Duration::from_secs(1);

/// The TLS side of connections, as of now.
pub(super) struct TlsSource {
    config: TlsConfig,
    http: HttpVersions,
    endpoint: Arc<Endpoint>,
    /// Client certificates that come with credentials.
    plugin: Option<Arc<dyn PluginIdentity>>,
    clock: Arc<dyn Clock>,
    metrics: Arc<dyn Metrics>,
    state: Mutex<State>,
}

struct State {
    tls: Tls,
    material: Material,
    /// Counts the changes; connections made under another number are retired.
    generation: u64,
    plugin_version: u64,
    read_at: Instant,
    /// Whether a handshake failed since.
    doubted: bool,
}

impl TlsSource {
    /// Reads certificates and keys. Blocks while it does.
    pub(super) fn new(
        config: &TlsConfig,
        http: HttpVersions,
        endpoint: Arc<Endpoint>,
        plugin: Option<Arc<dyn PluginIdentity>>,
        options: &TransportOptions,
    ) -> Result<Self, TransportError> {
        let material = Material::read(config)?;
        let state = Mutex::new(State {
            tls: Tls::new(config, &material, http, &endpoint)?,
            material,
            generation: 0,
            // The plugin has its certificate, if another client ran it before, loaded at the first call.
            plugin_version: 0,
            read_at: options.clock.now(),
            doubted: false,
        });
        Ok(Self {
            config: config.clone(),
            http,
            endpoint,
            plugin,
            clock: options.clock.clone(),
            metrics: options.metrics.clone(),
            state,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The TLS side now, and the number of its generation. Reads files if they may have changed; one that cannot be
    /// used leaves everything as it was.
    pub(super) async fn current(&self) -> (Tls, u64) {
        let plugin_version = self.plugin.as_ref().map_or(0, |plugin| plugin.version());
        {
            let mut state = self.state();
            let age = self.clock.now().saturating_duration_since(state.read_at);
            let files_due = self.reads_files() && (age >= PERIOD || (state.doubted && age >= LEAST_PERIOD));
            if !files_due && plugin_version == state.plugin_version {
                return (state.tls.clone(), state.generation);
            }
            // Calls that come meanwhile go on with what is there.
            state.read_at = self.clock.now();
            state.doubted = false;
        }
        let mut config = self.config.clone();
        if let Some(certificate) = self.plugin.as_ref().and_then(|plugin| plugin.certificate()) {
            config.identity = Some(certificate);
        }
        let material = {
            let config = config.clone();
            tokio::task::spawn_blocking(move || Material::read(&config)).await
        };
        // The task fails only when the runtime ends.
        if let Ok(material) = material {
            self.replace(&config, material, plugin_version);
        }
        let state = self.state();
        (state.tls.clone(), state.generation)
    }

    fn replace(&self, config: &TlsConfig, read: Result<Material, TransportError>, plugin_version: u64) {
        let changed = read.and_then(|material| {
            let (authority, identity) = material.differs_from(&self.state().material);
            if !authority && !identity {
                return Ok(None);
            }
            let reload = Reload::Changed { authority, identity };
            let tls = Tls::new(config, &material, self.http, &self.endpoint)?;
            Ok(Some((tls, material, reload)))
        });
        let mut state = self.state();
        state.plugin_version = plugin_version;
        match changed {
            Ok(None) => {
                drop(state);
                self.metrics.reloaded(Reload::Unchanged);
            }
            Ok(Some((tls, material, reload))) => {
                state.tls = tls;
                state.material = material;
                state.generation += 1;
                drop(state);
                self.metrics.reloaded(reload);
                tracing::info!("certificates have changed; new connections use the new ones");
            }
            Err(error) => {
                drop(state);
                self.metrics.reloaded(Reload::Failed);
                tracing::warn!(%error, "changed certificates cannot be used; the old ones are");
            }
        }
    }

    /// A handshake failed: the files may have changed since they were read.
    pub(super) fn doubt(&self) {
        self.state().doubted = true;
    }

    fn reads_files(&self) -> bool {
        let identity = self.config.identity.as_ref();
        matches!(self.config.trust, Trust::Authority(DataSource::File(_)))
            || identity.is_some_and(|identity| {
                matches!(identity.certificate, DataSource::File(_))
                    || matches!(identity.key, SecretSource::File(_))
            })
    }
}

impl fmt::Debug for TlsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSource")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
