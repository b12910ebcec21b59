//! Ports of a pod.
//!
//! The channels of `v4.channel.k8s.io` are spoken, one WebSocket for all ports. API servers of all versions hand such a
//! connection on unchanged to the kubelet and the container runtime behind it, which serve it; Kubernetes tests it to
//! this day (1.37, `test/e2e/kubectl/portforward.go`). kubectl instead speaks SPDY, since 1.31 within a WebSocket
//! (`SPDY/3.1+portforward.k8s.io`), which API servers of that time unpack: it carries any number of connections to a
//! port, at the price of a protocol that is otherwise dead. Here each connection to a port is a call of its own.
//!
//! Opening it is a GET; a server from 1.35 on also asks for the right to `create` `pods/portforward`, as of exec and attach.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};

use super::handshake::{self, V4};
use super::socket::{EndOfInput, PIPE, Pipe, Route, Router, Socket};
use crate::error::{Error, ErrorKind};
use crate::rest::Call;
use crate::transport::BoxFuture;

/// Two channels per port and one byte to number them.
const MOST_PORTS: usize = 100;

/// Connects to ports of a pod.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct PortForward {
    call: Call,
    ports: Vec<u16>,
}

impl PortForward {
    /// The request of a call.
    pub fn new(call: Call, ports: &[u16]) -> Self {
        Self {
            call,
            ports: ports.to_vec(),
        }
    }

    async fn run(mut self) -> Result<Forwarded, Error> {
        let mut sorted = self.ports.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let problem = match sorted.as_slice() {
            [] => Some("a port is required"),
            [0, ..] => Some("0 is no port"),
            ports if ports.len() < self.ports.len() => Some("a port is there twice"),
            ports if ports.len() > MOST_PORTS => Some("more than 100 ports"),
            _ => None,
        };
        if let Some(problem) = problem {
            let kind = ErrorKind::InvalidRequest(problem.to_owned());
            return Err(Error::new(self.call.context(), kind));
        }
        for port in &self.ports {
            self.call.query().push("ports", port);
        }
        let (websocket, _) = handshake::open(self.call, &[V4]).await?;
        let failures = Arc::new(Mutex::new(BTreeMap::new()));
        let mut pipes = Vec::new();
        let mut ours = Vec::new();
        for (channel, port) in (0u8..).step_by(2).zip(&self.ports) {
            let (mine, theirs) = tokio::io::duplex(PIPE);
            let (reader, writer) = tokio::io::split(theirs);
            pipes.push((channel, Pipe::Incoming(writer)));
            pipes.push((channel, Pipe::Outgoing(reader, EndOfInput::Untold)));
            ours.push((channel, *port, mine));
        }
        let socket = Socket::start(websocket, pipes, router(failures.clone()));
        let streams = ours.into_iter().map(|(channel, port, pipe)| {
            let stream = PortStream {
                channel,
                pipe,
                socket: socket.clone(),
                failures: failures.clone(),
            };
            (port, stream)
        });
        Ok(Forwarded {
            streams: streams.collect(),
        })
    }
}

impl IntoFuture for PortForward {
    type Output = Result<Forwarded, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// What went wrong, by channel.
type Failures = Arc<Mutex<BTreeMap<u8, String>>>;

/// The first message of each channel is the port; those of odd channels are errors of the channel before.
fn router(failures: Failures) -> Router {
    let mut greeted = std::collections::BTreeSet::new();
    Box::new(move |channel, bytes| {
        let bytes = match greeted.insert(channel) {
            true => bytes.slice(bytes.len().min(2)..),
            false => bytes,
        };
        if bytes.is_empty() {
            return Route::Done;
        }
        if channel % 2 == 0 {
            return Route::Pipe(channel, bytes);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        tracing::debug!(error = text, "a forwarded port failed");
        failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(channel - 1, text);
        Route::Close(channel - 1)
    })
}

/// Connections to ports of a pod: one per port. Dropping it and all streams taken from it closes them.
#[derive(Debug)]
pub struct Forwarded {
    streams: BTreeMap<u16, PortStream>,
}

impl Forwarded {
    /// Takes the connection to a port; none if the port was not asked for or its connection is taken.
    pub fn take(&mut self, port: u16) -> Option<PortStream> {
        self.streams.remove(&port)
    }
}

/// A connection to a port of a pod. It cannot be closed in one direction only. A port that refuses the connection, and a
/// stream that breaks, are errors of reading.
pub struct PortStream {
    channel: u8,
    pipe: DuplexStream,
    socket: Arc<Socket>,
    failures: Failures,
}

impl PortStream {
    fn failure(&self) -> Option<io::Error> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = failures.get(&self.channel).cloned();
        drop(failures);
        match refused {
            Some(text) => Some(io::Error::new(io::ErrorKind::ConnectionRefused, text)),
            None => {
                let error = self.socket.failure()?;
                Some(io::Error::new(io::ErrorKind::ConnectionReset, error))
            }
        }
    }
}

impl fmt::Debug for PortStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PortStream")
    }
}

impl AsyncRead for PortStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.pipe).poll_read(cx, buf);
        let ended =
            matches!(read, Poll::Ready(Ok(()))) && buf.filled().len() == before && buf.remaining() > 0;
        match self.failure().filter(|_| ended) {
            Some(error) => Poll::Ready(Err(error)),
            None => read,
        }
    }
}

impl AsyncWrite for PortStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.pipe).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_shutdown(cx)
    }
}
