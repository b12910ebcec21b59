//! Processes in containers.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncReadExt;

use super::handshake::{self, V4, V5};
use super::pipes::{Output, Stdin};
use super::socket::{EndOfInput, PIPE, Pipe, Route, Socket};
use crate::error::{CallContext, Error, ErrorKind};
use crate::meta::Status;
use crate::rest::Call;
use crate::transport::{BoxFuture, TransportError, TransportErrorKind};

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const ERROR: u8 = 3;
const RESIZE: u8 = 4;

/// What of a process is connected.
#[derive(Clone, Debug)]
struct Wanted {
    container: String,
    stdin: bool,
    stdout: bool,
    stderr: bool,
    tty: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            container: String::new(),
            stdin: false,
            stdout: true,
            stderr: true,
            tty: false,
        }
    }
}

macro_rules! process_request {
    ($name:ident) => {
        impl $name {
            /// The container; may be left out if the pod has one, or names its default.
            pub fn container(mut self, name: impl Into<String>) -> Self {
                self.wanted.container = name.into();
                self
            }

            /// Connects the standard input, too.
            pub fn stdin(mut self) -> Self {
                self.wanted.stdin = true;
                self
            }

            /// Leaves the standard output unconnected.
            pub fn no_stdout(mut self) -> Self {
                self.wanted.stdout = false;
                self
            }

            /// Leaves the standard error output unconnected.
            pub fn no_stderr(mut self) -> Self {
                self.wanted.stderr = false;
                self
            }

            /// Connects a terminal, which merges the error output into the standard output.
            pub fn tty(mut self) -> Self {
                self.wanted.tty = true;
                self
            }
        }

        impl IntoFuture for $name {
            type Output = Result<Process, Error>;
            type IntoFuture = BoxFuture<'static, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }
    };
}

/// Runs a command in a container.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Exec {
    call: Call,
    command: Vec<String>,
    wanted: Wanted,
}

impl Exec {
    /// The request of a call.
    pub fn new(call: Call, command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            call,
            command: command.into_iter().map(Into::into).collect(),
            wanted: Wanted::default(),
        }
    }

    async fn run(mut self) -> Result<Process, Error> {
        if self.command.is_empty() {
            let problem = "a command is required and empty here".to_owned();
            return Err(Error::new(
                self.call.context(),
                ErrorKind::InvalidRequest(problem),
            ));
        }
        for word in &self.command {
            self.call.query().push("command", word);
        }
        Process::connect(self.call, self.wanted).await
    }
}

process_request!(Exec);

/// Connects to the main process of a container.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Attach {
    call: Call,
    wanted: Wanted,
}

impl Attach {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call,
            wanted: Wanted::default(),
        }
    }

    async fn run(self) -> Result<Process, Error> {
        Process::connect(self.call, self.wanted).await
    }
}

process_request!(Attach);

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitStatus {
    /// The exit code; 0 for success.
    pub code: i32,
}

impl ExitStatus {
    /// Whether the exit code is 0.
    pub fn success(self) -> bool {
        self.code == 0
    }
}

/// A process in a container, connected.
///
/// Take what you need of the streams and read outputs while you write input; outputs that nobody reads stop the process
/// once 64 KiB wait. The connection closes when the process and all streams taken from it are dropped; most container
/// runtimes let the process run on then.
#[derive(Debug)]
pub struct Process {
    /// The standard input, if asked for. Shutting it down or dropping it is the end of the input for the process.
    pub stdin: Option<Stdin>,
    /// The standard output, unless turned down.
    pub stdout: Option<Output>,
    /// The standard error output, unless turned down or merged by a terminal.
    pub stderr: Option<Output>,
    socket: Arc<Socket>,
    verdict: Arc<Mutex<Option<Status>>>,
    context: CallContext,
}

impl Process {
    async fn connect(mut call: Call, wanted: Wanted) -> Result<Self, Error> {
        let with_stderr = wanted.stderr && !wanted.tty;
        let query = call.query();
        query.push_text("container", &wanted.container);
        query.push_flag("stdin", wanted.stdin);
        query.push_flag("stdout", wanted.stdout);
        query.push_flag("stderr", with_stderr);
        query.push_flag("tty", wanted.tty);
        let context = call.context();
        // Without v5 the process would wait for an end of input that cannot be told.
        let protocols: &[&str] = if wanted.stdin { &[V5] } else { &[V5, V4] };
        let (websocket, _) = handshake::open(call, protocols).await?;

        let mut pipes = Vec::new();
        let mut pipe = |channel: u8, wanted: bool| {
            wanted.then(|| {
                let (ours, theirs) = tokio::io::duplex(PIPE);
                let (reader, writer) = tokio::io::split(theirs);
                pipes.push(match channel {
                    STDIN => (channel, Pipe::Outgoing(reader, EndOfInput::Told)),
                    _ => (channel, Pipe::Incoming(writer)),
                });
                ours
            })
        };
        let (stdin, stdout) = (pipe(STDIN, wanted.stdin), pipe(STDOUT, wanted.stdout));
        let stderr = pipe(STDERR, with_stderr);
        let verdict = Arc::new(Mutex::new(None));
        let socket = Socket::start(websocket, pipes, router(verdict.clone()));
        let output = |pipe| Output {
            pipe,
            socket: socket.clone(),
        };
        Ok(Self {
            stdin: stdin.map(|pipe| Stdin {
                pipe,
                _socket: socket.clone(),
            }),
            stdout: stdout.map(output),
            stderr: stderr.map(output),
            socket,
            verdict,
            context,
        })
    }

    /// Tells the process the size of its terminal.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn resize(&self, size: TerminalSize) -> Result<(), Error> {
        let text = format!(r#"{{"Width":{},"Height":{}}}"#, size.width, size.height);
        match self.socket.send(RESIZE, text.as_bytes()).await {
            true => Ok(()),
            false => Err(self.fail(TransportErrorKind::Closed, "the stream has ended")),
        }
    }

    /// Waits for the end of the process. Streams that were not taken are let go first: input ends, output is dropped.
    /// Those that were taken must be read meanwhile, or dropped.
    ///
    /// # Errors
    /// A connection that broke, and processes whose end is not known or that could not be started.
    pub async fn wait(mut self) -> Result<ExitStatus, Error> {
        (self.stdin, self.stdout, self.stderr) = (None, None, None);
        let ended = self.socket.ended().await;
        let verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (verdict, ended) {
            (Some(status), _) => {
                exit_status(status).map_err(|status| Error::new(self.context.clone(), ErrorKind::Api(status)))
            }
            (None, Err(error)) => Err(Error::new(self.context.clone(), ErrorKind::Transport(error))),
            (None, Ok(())) => Err(self.fail(
                TransportErrorKind::Closed,
                "the stream ended without saying how the process did",
            )),
        }
    }

    /// Reads both outputs to their end, at most `limit` bytes of each, and waits for the end of the process. Input that
    /// was not taken ends.
    ///
    /// # Errors
    /// As [`Process::wait`], and outputs longer than `limit`.
    pub async fn output(mut self, limit: usize) -> Result<(ExitStatus, Bytes, Bytes), Error> {
        self.stdin = None;
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let (stdout, stderr) = futures_util::future::join(whole(stdout, limit), whole(stderr, limit)).await;
        let too_long = |_: TooLong| {
            let message = format!("an output of the process is longer than {limit} bytes");
            self.fail(TransportErrorKind::TooLarge, &message)
        };
        let (stdout, stderr) = (stdout.map_err(too_long)?, stderr.map_err(too_long)?);
        self.wait().await.map(|status| (status, stdout, stderr))
    }

    fn fail(&self, kind: TransportErrorKind, message: &str) -> Error {
        Error::new(
            self.context.clone(),
            ErrorKind::Transport(TransportError::new(kind, message)),
        )
    }
}

struct TooLong;

/// All of an output. One that breaks off ends here; why is what waiting for the process tells.
async fn whole(output: Option<Output>, limit: usize) -> Result<Bytes, TooLong> {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let read = output.take(limit.saturating_add(1)).read_to_end(&mut bytes).await;
        if read.is_ok() && bytes.len() as u64 > limit {
            return Err(TooLong);
        }
    }
    Ok(bytes.into())
}

fn router(verdict: Arc<Mutex<Option<Status>>>) -> super::socket::Router {
    Box::new(move |channel, bytes| match channel {
        STDOUT | STDERR => Route::Pipe(channel, bytes),
        ERROR if !bytes.is_empty() => {
            let status = parse_verdict(&bytes);
            *verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
            Route::Done
        }
        _ => Route::Done,
    })
}

/// What the error channel says: a Status, or the text of old servers.
fn parse_verdict(bytes: &[u8]) -> Status {
    use crate::wire::{Format, Wire};
    Status::decode(Format::Json, bytes).unwrap_or_else(|_| Status {
        status: "Failure".into(),
        message: String::from_utf8_lossy(bytes).as_ref().into(),
        code: 500,
        ..Status::default()
    })
}

/// The exit code in a status; the status itself if it is about something else.
fn exit_status(status: Status) -> Result<ExitStatus, Box<Status>> {
    if status.status == "Success" {
        return Ok(ExitStatus { code: 0 });
    }
    let causes = status.details.iter().flat_map(|details| details.causes.iter());
    let code = causes
        .filter(|cause| cause.reason == "ExitCode")
        .find_map(|cause| cause.message.parse().ok());
    match code {
        Some(code) if status.reason == "NonZeroExitCode" => Ok(ExitStatus { code }),
        _ => Err(Box::new(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_come_from_the_status() {
        let check = |text: &str, expected: Result<i32, &str>| {
            let got = exit_status(parse_verdict(text.as_bytes()));
            match (got, expected) {
                (Ok(status), Ok(code)) => assert_eq!(status.code, code, "{text}"),
                (Err(status), Err(word)) => assert!(status.message.contains(word), "{text}"),
                (got, _) => panic!("{text}: {got:?}"),
            }
        };
        check(r#"{"metadata":{},"status":"Success"}"#, Ok(0));
        check(
            r#"{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#,
            Ok(3),
        );
        check(
            r#"{"status":"Failure","reason":"NonZeroExitCode","message":"odd","details":{"causes":[{"reason":"ExitCode","message":"x"}]}}"#,
            Err("odd"),
        );
        check(
            r#"{"status":"Failure","reason":"InternalError","message":"no such file"}"#,
            Err("no such file"),
        );
        check("command terminated", Err("command terminated"));
    }
}
