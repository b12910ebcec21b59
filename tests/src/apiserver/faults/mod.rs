//! [`FaultProxy`]: the way to a server, with faults on it.
//!
//! It is one client's way: whoever needs several clients, one of which is cut off, starts a proxy for each. It ends TLS
//! on both sides, speaks HTTP/2 and HTTP/1.1 to the client, and knows nothing of Kubernetes but the body of an error.
//! Upgrades (exec, port-forward) do not pass.
//!
//! | module | what is there |
//! |---|---|
//! | `plan` | [`Fault`], [`Chances`]: which fault comes when |
//! | `gate` | a connection on which nothing moves while the client is cut off |
//! | `forward` | a request to the server and the answer back, piece by piece |

mod forward;
mod gate;
mod plan;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use self::forward::Way;
use self::gate::{Gate, Gated};
use self::plan::Plan;
pub use self::plan::{Chances, Fault};
use super::{ApiServer, Credential, kubeconfig};

/// How a client is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Connections are reset, and new ones too, as if the server were gone.
    Refused,
    /// Nothing moves and nobody says so, as when a network is partitioned.
    Silent,
}

/// A proxy before a server, for one client. Ends when it is dropped.
pub struct FaultProxy {
    port: u16,
    ca_pem: String,
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

struct Shared {
    /// The server's port. A server that is restarted keeps it.
    server: SocketAddr,
    connector: TlsConnector,
    plan: Plan,
    gate: Arc<Gate>,
    refused: watch::Sender<bool>,
    /// Counts up when all connections are to be reset.
    era: watch::Sender<u64>,
    stopped: watch::Sender<bool>,
}

impl FaultProxy {
    /// A proxy before a server, without faults.
    ///
    /// # Errors
    /// Certificates that cannot be made, and no free port.
    pub fn start(server: &ApiServer) -> Result<Self> {
        let acceptor = TlsAcceptor::from(Arc::new(serving(server)?));
        let shared = Arc::new(Shared {
            server: SocketAddr::from((Ipv4Addr::LOCALHOST, server.port())),
            connector: TlsConnector::from(Arc::new(calling(&server.ca_pem())?)),
            plan: Plan::default(),
            gate: Arc::default(),
            refused: watch::Sender::new(false),
            era: watch::Sender::new(0),
            stopped: watch::Sender::new(false),
        });
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listen")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("start the proxy's runtime")?;
        let serving = shared.clone();
        let thread = thread::spawn(move || {
            let mut stopped = serving.stopped.subscribe();
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, &acceptor, &serving) => {}
                    _ = stopped.wait_for(|stopped| *stopped) => {}
                }
            });
            // Connections end with their runtime.
            runtime.shutdown_timeout(Duration::from_secs(1));
        });
        Ok(Self {
            port,
            ca_pem: server.ca_pem(),
            shared,
            thread: Some(thread),
        })
    }

    /// `https://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// A kubeconfig document of whoever has a bearer token of the server. Client certificates do not pass.
    #[must_use]
    pub fn kubeconfig(&self, token: &str) -> String {
        kubeconfig::render(&self.url(), &self.ca_pem, Credential::Token(token))
    }

    /// From now on faults come by chance.
    pub fn set_chances(&self, chances: Chances) {
        self.shared.plan.set_chances(chances);
    }

    /// The next request whose path and query contain this meets the fault.
    pub fn inject(&self, path: &str, fault: Fault) {
        self.shared.plan.inject(path, fault);
    }

    /// Resets all connections.
    pub fn reset(&self) {
        self.shared.plan.count("connections reset");
        self.shared.era.send_modify(|era| *era += 1);
    }

    /// Cuts the client off until [`FaultProxy::heal`].
    pub fn cut(&self, cut: Cut) {
        match cut {
            Cut::Refused => {
                self.shared.plan.count("cut off, refused");
                self.shared.refused.send_replace(true);
                self.reset();
            }
            Cut::Silent => {
                self.shared.plan.count("cut off, silent");
                self.shared.gate.shut();
            }
        }
    }

    /// No more faults: chances and injections are forgotten, the way is open. What has stalled is reset.
    pub fn heal(&self) {
        self.shared.plan.clear();
        self.shared.refused.send_replace(false);
        self.shared.era.send_modify(|era| *era += 1);
        self.shared.gate.open();
    }

    /// How often each kind of fault has come.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.shared.plan.counts()
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.gate.open();
        self.shared.stopped.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A proxy that panicked is over too.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for FaultProxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FaultProxy")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

fn serving(server: &ApiServer) -> Result<ServerConfig> {
    let certificate = server.serving_certificate()?;
    let chain = vec![CertificateDer::from_pem_slice(
        certificate.certificate_pem.as_bytes(),
    )?];
    let key = PrivateKeyDer::from_pem_slice(certificate.key_pem.as_bytes())?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("use the proxy's certificate")?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn calling(ca_pem: &str) -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca_pem.as_bytes())?)?;
    Ok(ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

async fn accept(listener: std::net::TcpListener, acceptor: &TlsAcceptor, shared: &Arc<Shared>) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors: later, perhaps.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        if *shared.refused.borrow() {
            abort(&stream);
            continue;
        }
        tokio::spawn(connection(stream, acceptor.clone(), shared.clone()));
    }
}

/// The stream's end, whenever it comes, is a reset.
fn abort(stream: &TcpStream) {
    // A socket that is gone already needs none.
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

async fn connection(stream: TcpStream, acceptor: TlsAcceptor, shared: Arc<Shared>) {
    let mut era = shared.era.subscribe();
    era.mark_unchanged();
    let _ = stream.set_nodelay(true);
    let reset = Arc::new(Notify::new());
    let (stream, socket) = Gated::new(stream, shared.gate.clone());
    let way = Way {
        shared: shared.clone(),
        reset: reset.clone(),
    };
    let served = async {
        let Ok(tls) = acceptor.accept(stream).await else {
            return;
        };
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let way = way.clone();
            async move { way.forward(request).await }
        });
        let builder = auto::Builder::new(TokioExecutor::new());
        // A client that goes away is no news.
        let _ = builder.serve_connection(TokioIo::new(tls), service).await;
    };
    tokio::select! {
        () = served => {}
        () = reset.notified() => socket.abort(),
        _ = era.changed() => socket.abort(),
    }
}
