//! The ends of a process's standard streams: [`Stdin`] and [`Output`].

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};

use super::socket::Socket;

/// The standard input of a process.
pub struct Stdin {
    pub(super) pipe: DuplexStream,
    pub(super) _socket: Arc<Socket>,
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stdin")
    }
}

impl AsyncWrite for Stdin {
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

/// An output of a process. A connection that breaks is an error, never an end.
pub struct Output {
    pub(super) pipe: DuplexStream,
    pub(super) socket: Arc<Socket>,
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output")
    }
}

impl AsyncRead for Output {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.pipe).poll_read(cx, buf);
        let ended =
            matches!(read, Poll::Ready(Ok(()))) && buf.filled().len() == before && buf.remaining() > 0;
        if ended && let Some(error) = self.socket.failure() {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionReset, error)));
        }
        read
    }
}
