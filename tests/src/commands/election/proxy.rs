//! The way of one candidate to the server: TCP, passed on, held, slowed or cut.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What happens to what passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// It passes.
    Open,
    /// It is held in both directions, and passes when the mode changes.
    Held,
    /// Requests pass, answers are held.
    AnswersHeld,
    /// Each piece is late by so much.
    Slow(Duration),
    /// Connections are closed, new ones at once.
    Cut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

/// A proxy; it ends when it is dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    port: u16,
    mode: Arc<watch::Sender<Mode>>,
    accepts: JoinHandle<()>,
}

impl Proxy {
    /// Begins to pass on to a port of this host.
    pub(super) async fn start(server: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .context("a proxy's port")?;
        let port = listener.local_addr()?.port();
        let mode = Arc::new(watch::Sender::new(Mode::Open));
        let modes = mode.clone();
        let accepts = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connection(client, server, modes.subscribe()));
            }
        });
        Ok(Self { port, mode, accepts })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepts.abort();
        self.set(Mode::Cut);
    }
}

async fn connection(client: TcpStream, server: u16, modes: watch::Receiver<Mode>) {
    let mut cut = modes.clone();
    let work = async {
        let server = TcpStream::connect(("127.0.0.1", server)).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        tokio::try_join!(
            pass(from_client, to_server, Direction::ToServer, modes.clone()),
            pass(from_server, to_client, Direction::ToClient, modes),
        )
        .map(drop)
    };
    // Ends close, and errors are what the other side sees as an end.
    tokio::select! {
        _ = work => {}
        _ = cut.wait_for(|mode| *mode == Mode::Cut) => {}
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    direction: Direction,
    mut modes: watch::Receiver<Mode>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let length = from.read(&mut buffer).await?;
        let held = |mode: &Mode| match mode {
            Mode::Held => true,
            Mode::AnswersHeld => direction == Direction::ToClient,
            Mode::Open | Mode::Slow(_) | Mode::Cut => false,
        };
        // A proxy that is gone holds nothing.
        let mode = modes
            .wait_for(|mode| !held(mode))
            .await
            .map_or(Mode::Cut, |mode| *mode);
        if let Mode::Slow(delay) = mode {
            sleep(delay).await;
        }
        if length == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..length]).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_passes_is_held_slowed_and_cut() {
        let echo = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = echo.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = echo.accept().await {
                tokio::spawn(async move {
                    let (mut reader, mut writer) = stream.split();
                    let _ = tokio::io::copy(&mut reader, &mut writer).await;
                });
            }
        });
        let proxy = Proxy::start(port).await.unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        let soon = Duration::from_secs(20);
        let later = Duration::from_millis(100);
        let ask = async |stream: &mut TcpStream, limit| {
            stream.write_all(b"x").await.unwrap();
            tokio::time::timeout(limit, stream.read_u8()).await
        };
        assert_eq!(ask(&mut stream, soon).await.unwrap().unwrap(), b'x');
        for mode in [Mode::Held, Mode::AnswersHeld] {
            proxy.set(mode);
            assert!(ask(&mut stream, later).await.is_err(), "{mode:?}");
            proxy.set(Mode::Open);
            assert_eq!(stream.read_u8().await.unwrap(), b'x', "{mode:?}");
        }
        proxy.set(Mode::Slow(later));
        let began = std::time::Instant::now();
        assert_eq!(ask(&mut stream, soon).await.unwrap().unwrap(), b'x');
        assert!(began.elapsed() >= later * 2);
        proxy.set(Mode::Cut);
        assert!(stream.read_u8().await.is_err());
        let mut refused = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        assert!(refused.read_u8().await.is_err());
        proxy.set(Mode::Open);
        let mut again = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        assert_eq!(ask(&mut again, soon).await.unwrap().unwrap(), b'x');
    }
}
