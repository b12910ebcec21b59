//! [`Socket`]: the tasks that serve one WebSocket.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::clock::{TokioClock, within};
use crate::transport::{TransportError, TransportErrorKind, Upgraded};

/// The time between pings; client-go's value.
const PING: Duration = Duration::from_secs(5);
/// Without a word from the server for this long, answers to pings included, it is taken for dead; client-go's value.
const SILENCE: Duration = Duration::from_secs(61);
/// So much is held for a reader or writer that is slow; then the other side waits.
pub(super) const PIPE: usize = 64 << 10;
/// So many messages wait for the network.
const OUTGOING: usize = 16;
/// So much of the standard input goes into one message.
const CHUNK: usize = 32 << 10;
/// The channel that says of another one that it has ended (v5).
const CLOSE: u8 = 255;

/// How a socket ended: by the server's word, or otherwise.
pub(super) type Ended = Result<(), TransportError>;

/// What becomes of a message.
pub(super) enum Route {
    /// Its bytes go to the pipe of this channel.
    Pipe(u8, Bytes),
    /// The pipe of this channel ends.
    Close(u8),
    /// It was taken care of.
    Done,
}

/// Decides about the messages of all channels.
pub(super) type Router = Box<dyn FnMut(u8, Bytes) -> Route + Send>;

/// A WebSocket with its tasks. Dropping it ends them and closes the connection.
#[derive(Debug)]
pub(super) struct Socket {
    outgoing: mpsc::Sender<Message>,
    ended: watch::Receiver<Option<Ended>>,
    _tasks: JoinSet<()>,
}

/// The side of a pipe that the tasks hold.
pub(super) enum Pipe {
    /// What arrives on the channel goes here.
    Incoming(WriteHalf<DuplexStream>),
    /// What is written here leaves on the channel.
    Outgoing(ReadHalf<DuplexStream>, EndOfInput),
}

/// Whether the end of a pipe is told to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndOfInput {
    Told,
    /// The protocol has no word for it.
    Untold,
}

impl Socket {
    pub(super) fn start(
        socket: WebSocketStream<Upgraded>,
        pipes: impl IntoIterator<Item = (u8, Pipe)>,
        router: Router,
    ) -> Arc<Self> {
        let (sink, stream) = socket.split();
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let (tell, ended) = watch::channel(None);
        let mut tasks = JoinSet::new();
        let mut incoming = BTreeMap::new();
        for (channel, pipe) in pipes {
            match pipe {
                Pipe::Incoming(pipe) => {
                    incoming.insert(channel, pipe);
                }
                Pipe::Outgoing(pipe, end) => {
                    tasks.spawn(pump(channel, pipe, end, outgoing.clone()));
                }
            }
        }
        tasks.spawn(write(sink, messages));
        tasks.spawn(async move {
            let result = read(stream, &mut incoming, router).await;
            // The end is known before the pipes end, so that readers can tell a cut from an end.
            tell.send_replace(Some(result));
            while let Some((channel, _)) = incoming.first_key_value() {
                let channel = *channel;
                end(&mut incoming, channel).await;
            }
        });
        Arc::new(Self {
            outgoing,
            ended,
            _tasks: tasks,
        })
    }

    /// Sends a message on a channel. False if the connection has ended.
    pub(super) async fn send(&self, channel: u8, bytes: &[u8]) -> bool {
        self.outgoing.send(message(channel, bytes)).await.is_ok()
    }

    /// Waits for the end.
    pub(super) async fn ended(&self) -> Ended {
        let mut ended = self.ended.clone();
        let result = ended.wait_for(Option::is_some).await;
        match result.as_deref() {
            Ok(Some(result)) => result.clone(),
            _ => Err(lost("the connection's task ended", TransportErrorKind::Closed)),
        }
    }

    /// The failure it ended with, if it did.
    pub(super) fn failure(&self) -> Option<TransportError> {
        self.ended.borrow().as_ref()?.as_ref().err().cloned()
    }
}

fn message(channel: u8, bytes: &[u8]) -> Message {
    let mut framed = Vec::with_capacity(bytes.len() + 1);
    framed.push(channel);
    framed.extend_from_slice(bytes);
    Message::Binary(framed.into())
}

fn lost(problem: &str, kind: TransportErrorKind) -> TransportError {
    TransportError::new(kind, format!("the stream broke off: {problem}"))
}

/// Sends messages, and pings while there are none.
async fn write(
    mut sink: SplitSink<WebSocketStream<Upgraded>, Message>,
    mut messages: mpsc::Receiver<Message>,
) {
    loop {
        let sent = match within(&TokioClock, PING, messages.recv()).await {
            Some(Some(message)) => sink.send(message).await,
            Some(None) => return,
            None => sink.send(Message::Ping(Bytes::new())).await,
        };
        // The reading side finds out why.
        if sent.is_err() {
            return;
        }
    }
}

/// Carries what is written into a pipe to the server.
async fn pump(
    channel: u8,
    mut pipe: ReadHalf<DuplexStream>,
    end: EndOfInput,
    outgoing: mpsc::Sender<Message>,
) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = pipe.read(&mut chunk).await.unwrap_or(0);
        if length == 0 {
            break;
        }
        if outgoing.send(message(channel, &chunk[..length])).await.is_err() {
            return;
        }
    }
    if end == EndOfInput::Told {
        // A connection that has ended needs no such word.
        let _ = outgoing.send(message(CLOSE, &[channel])).await;
    }
    // The pipe stays until the connection ends: closed, writing would be an error.
    outgoing.closed().await;
}

/// Takes messages until the end.
async fn read(
    mut stream: SplitStream<WebSocketStream<Upgraded>>,
    incoming: &mut BTreeMap<u8, WriteHalf<DuplexStream>>,
    mut router: Router,
) -> Ended {
    loop {
        let Some(next) = within(&TokioClock, SILENCE, stream.next()).await else {
            return Err(lost("the server has gone silent", TransportErrorKind::Timeout));
        };
        let bytes = match next {
            None | Some(Ok(Message::Close(_))) => return Ok(()),
            Some(Ok(Message::Binary(bytes))) => bytes,
            Some(Ok(Message::Text(text))) => text.into(),
            Some(Ok(_)) => continue,
            Some(Err(error)) => {
                let error = lost("the connection ended without a word", TransportErrorKind::Closed)
                    .with_source(error);
                return Err(error);
            }
        };
        let Some(&channel) = bytes.first() else { continue };
        let rest = bytes.slice(1..);
        if channel == CLOSE {
            if let Some(ended) = rest.first() {
                end(incoming, *ended).await;
            }
            continue;
        }
        match router(channel, rest) {
            Route::Pipe(channel, bytes) => {
                if let Some(pipe) = incoming.get_mut(&channel)
                    && pipe.write_all(&bytes).await.is_err()
                {
                    // Nobody reads it any more; what still comes is dropped.
                    end(incoming, channel).await;
                }
            }
            Route::Close(channel) => end(incoming, channel).await,
            Route::Done => {}
        }
    }
}

/// Ends a pipe: its reader reads what is left, and then the end.
async fn end(incoming: &mut BTreeMap<u8, WriteHalf<DuplexStream>>, channel: u8) {
    if let Some(mut pipe) = incoming.remove(&channel) {
        // Nobody may be reading any more.
        let _ = pipe.shutdown().await;
    }
}
