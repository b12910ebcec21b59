//! Transports of equal configurations share their connections.
//!
//! Programs make clients as they need them, often one for each task; without this, each would connect, and keep its
//! connections, for itself. Nothing is kept here: an entry goes with the last transport that uses it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::credentials::PluginIdentity;
use super::http::TransportOptions;
use super::metrics::Metrics;
use super::wire::Wire;
use crate::clock::Clock;
use crate::config::{Config, HttpVersions, KeepAlive, Proxy, TlsConfig, UrlString};

/// What connections depend on.
struct Key {
    server: UrlString,
    tls: TlsConfig,
    proxy: Proxy,
    http: HttpVersions,
    keep_alive: KeepAlive,
    streams: u32,
    /// Where client certificates come from.
    identity: Option<Arc<dyn PluginIdentity>>,
    clock: Arc<dyn Clock>,
    metrics: Arc<dyn Metrics>,
    /// Connections are driven by tasks, which end with their runtime.
    runtime: tokio::runtime::Id,
}

impl Key {
    /// None outside of a runtime.
    fn new(
        config: &Config,
        identity: Option<&Arc<dyn PluginIdentity>>,
        options: &TransportOptions,
    ) -> Option<Self> {
        Some(Self {
            server: config.server.clone(),
            tls: config.tls.clone(),
            proxy: config.proxy.clone(),
            http: config.http,
            keep_alive: config.keep_alive,
            streams: config.streams_per_connection,
            identity: identity.cloned(),
            clock: options.clock.clone(),
            metrics: options.metrics.clone(),
            runtime: tokio::runtime::Handle::try_current().ok()?.id(),
        })
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        let same_identity = match (&self.identity, &other.identity) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        same_identity
            && self.server == other.server
            && self.tls == other.tls
            && self.proxy == other.proxy
            && (self.http, self.keep_alive, self.streams) == (other.http, other.keep_alive, other.streams)
            && Arc::ptr_eq(&self.clock, &other.clock)
            && Arc::ptr_eq(&self.metrics, &other.metrics)
            && self.runtime == other.runtime
    }
}

/// The connections of the process that are in use.
static WIRES: Mutex<Vec<(Key, Weak<Wire>)>> = Mutex::new(Vec::new());

/// The connections of an equal configuration that is in use, or new ones.
pub(super) fn wire<E>(
    config: &Config,
    identity: Option<&Arc<dyn PluginIdentity>>,
    options: &TransportOptions,
    make: impl FnOnce() -> Result<Wire, E>,
) -> Result<Arc<Wire>, E> {
    let key = match options.share {
        true => Key::new(config, identity, options),
        false => None,
    };
    let Some(key) = key else {
        return make().map(Arc::new);
    };
    let mut wires = WIRES.lock().unwrap_or_else(PoisonError::into_inner);
    wires.retain(|(_, wire)| wire.strong_count() > 0);
    let found = wires.iter().find(|(known, _)| *known == key);
    if let Some(wire) = found.and_then(|(_, wire)| wire.upgrade()) {
        return Ok(wire);
    }
    drop(wires);
    // Files are read; whoever makes the same meanwhile has it for itself.
    let wire = Arc::new(make()?);
    let mut wires = WIRES.lock().unwrap_or_else(PoisonError::into_inner);
    wires.push((key, Arc::downgrade(&wire)));
    Ok(wire)
}
