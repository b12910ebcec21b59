//! [`Gated`]: a connection on which nothing moves while its gate is shut.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Open or shut, for all connections of a proxy.
#[derive(Debug, Default)]
pub(super) struct Gate(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    shut: bool,
    waiting: Vec<Waker>,
}

impl Gate {
    pub(super) fn shut(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).shut = true;
    }

    pub(super) fn open(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.shut = false;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.shut {
            return Poll::Ready(());
        }
        if !state.waiting.iter().any(|known| known.will_wake(cx.waker())) {
            state.waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

/// A TCP stream behind a gate.
pub(super) struct Gated {
    stream: TcpStream,
    gate: Arc<Gate>,
}

/// The socket of a stream that somebody else has.
pub(super) struct Socket(Option<OwnedFd>);

impl Socket {
    /// The stream's end, whenever it comes, is a reset.
    pub(super) fn abort(self) {
        if let Some(socket) = self.0 {
            // A socket that is gone already needs none.
            let _ = SockRef::from(&socket).set_linger(Some(Duration::ZERO));
        }
    }
}

impl Gated {
    pub(super) fn new(stream: TcpStream, gate: Arc<Gate>) -> (Self, Socket) {
        let socket = stream.as_fd().try_clone_to_owned().ok();
        (Self { stream, gate }, Socket(socket))
    }
}

impl AsyncRead for Gated {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        std::task::ready!(self.gate.poll(cx));
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Gated {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        std::task::ready!(self.gate.poll(cx));
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        std::task::ready!(self.gate.poll(cx));
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
