//! An HTTP/2 server by hand, for endings that a well-behaved one does not have.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// How a connection ends.
#[derive(Clone, Copy, Debug)]
pub enum Ending {
    /// It says so first (GOAWAY) and finishes what it began with.
    GoAway,
    /// TCP ends, calls under way or not.
    Cut,
}

/// A server each of whose connections answers so many calls and ends with the next one.
pub struct Http2Server {
    pub port: u16,
    pub connections: Arc<AtomicUsize>,
    pub calls: Arc<AtomicUsize>,
}

impl Http2Server {
    pub async fn start(tls: ServerConfig, serves: usize, ending: Ending) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            connections: Arc::default(),
            calls: Arc::default(),
        };
        let (connections, calls) = (server.connections.clone(), server.calls.clone());
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                connections.fetch_add(1, SeqCst);
                let (acceptor, calls) = (acceptor.clone(), calls.clone());
                tokio::spawn(async move {
                    if let Ok(tls) = acceptor.accept(tcp).await {
                        serve(tls, serves, ending, &calls).await;
                    }
                });
            }
        });
        server
    }
}

async fn serve(
    tls: tokio_rustls::server::TlsStream<tokio::net::TcpStream>,
    serves: usize,
    ending: Ending,
    calls: &AtomicUsize,
) {
    let Ok(mut connection) = h2::server::handshake(tls).await else {
        return;
    };
    let mut served = 0;
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        calls.fetch_add(1, SeqCst);
        if served == serves {
            match ending {
                Ending::Cut => return,
                Ending::GoAway => connection.graceful_shutdown(),
            }
        }
        served += 1;
        let mut body = respond.send_response(http::Response::new(()), false).unwrap();
        body.send_data(Bytes::from_static(b"x"), true).unwrap();
    }
}
