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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::config::{ClientIdentity, Config, DataSource, SecretSource, Trust};
    use crate::transport::{HttpTransport, TransportOptions};

    /// How many entries there are for servers whose name begins so.
    fn entries(name: &str) -> usize {
        let wires = super::WIRES.lock().unwrap();
        let ours = wires
            .iter()
            .filter(|(key, _)| key.server.expose().starts_with(name));
        ours.count()
    }

    /// How many of them are in use.
    fn live(name: &str) -> usize {
        let wires = super::WIRES.lock().unwrap();
        let ours = wires
            .iter()
            .filter(|(key, wire)| key.server.expose().starts_with(name) && wire.strong_count() > 0);
        ours.count()
    }

    fn config(server: &str) -> Config {
        let mut config = Config::new(server);
        config.tls.trust = Trust::Insecure;
        config
    }

    #[tokio::test]
    async fn ten_thousand_clients_with_changing_certificates_leave_nothing_behind() {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::default().self_signed(&key).unwrap();
        for index in 0..10_000_u32 {
            let mut config = config("https://rotating.example:6443");
            let pem = format!("{}# {index}\n", certificate.pem());
            config.tls.identity = Some(ClientIdentity {
                certificate: DataSource::Inline(pem.into_bytes()),
                key: SecretSource::Inline(key.serialize_pem().into_bytes().into()),
            });
            drop(HttpTransport::new(&config).unwrap());
            assert!(entries("https://rotating") <= 1);
        }
    }

    #[tokio::test]
    async fn connections_are_shared_by_what_they_depend_on() {
        let base = config("https://shared.example:6443");
        let first = HttpTransport::new(&base).unwrap();
        let same = |change: &dyn Fn(&mut Config)| {
            let mut config = base.clone();
            change(&mut config);
            let second = HttpTransport::new(&config).unwrap();
            let count = live("https://shared");
            drop(second);
            count == 1
        };
        assert!(same(&|_| {}));
        assert!(same(
            &|config| config.auth = crate::config::AuthConfig::Token("another".into())
        ));
        assert!(same(&|config| config.timeout = Some(Duration::from_secs(1))));
        assert!(!same(&|config| config.tls.server_name = Some("other".into())));
        assert!(!same(&|config| config.keep_alive.timeout = Duration::from_secs(1)));
        assert!(!same(&|config| config.proxy = crate::config::Proxy::Direct));
        let apart = TransportOptions {
            share: false,
            ..TransportOptions::default()
        };
        let second = HttpTransport::with_options(&base, apart).unwrap();
        assert_eq!(live("https://shared"), 1);
        drop((first, second));
        HttpTransport::new(&config("https://shared-no-more.example")).unwrap();
        assert_eq!(entries("https://shared.example"), 0);
    }
}
