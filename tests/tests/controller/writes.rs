//! Counts what a client writes.

use std::sync::atomic::{AtomicUsize, Ordering};

use kubeloom::RestClient;
use kubeloom::config::Config;
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{HttpTransport, Labels, Method, Metrics, TransportOptions};

/// The writes to websites and their children; leases and events are not counted.
#[derive(Debug, Default)]
pub struct Writes(AtomicUsize);

impl Writes {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metrics for Writes {
    fn started(&self, labels: &Labels<'_>) {
        let counted = ["/websites", "/configmaps", "/deployments"];
        if labels.method != Method::Get && counted.iter().any(|part| labels.path.contains(part)) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A client whose writes are counted.
pub fn client(config: &Config, writes: &std::sync::Arc<Writes>) -> RestClient {
    let mut options = TransportOptions::default();
    options.metrics = writes.clone();
    let transport = HttpTransport::with_options(config, options).unwrap();
    RestClient::with_transport(transport, ClientOptions::default())
}
