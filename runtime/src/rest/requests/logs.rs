//! The output of a container.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;

use super::request;
use crate::error::{CallContext, Error, ErrorKind};
use crate::rest::Call;
use crate::transport::{Body, CallKind};
use crate::value::Time;
use crate::wire::Text;

/// Options of `logs`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOptions {
    /// The container; may be empty if the pod has one.
    pub container: String,
    /// Whether to wait for more. Only of use with [`Logs::stream`].
    pub follow: bool,
    /// Whether to read the container that ran before.
    pub previous: bool,
    /// How far back; whole seconds.
    pub since: Option<Duration>,
    /// From when on.
    pub since_time: Option<Time>,
    /// Whether each line begins with its time.
    pub timestamps: bool,
    /// How many lines from the end.
    pub tail_lines: Option<u64>,
    /// How many bytes at most.
    pub limit_bytes: Option<u64>,
}

/// Reads the output of a container. Awaited it is all of it as text; [`Logs::stream`] hands it out as it comes.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Logs {
    call: Call,
    options: LogOptions,
}

impl Logs {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call: call.header("accept", "*/*"),
            options: LogOptions::default(),
        }
    }

    /// See [`LogOptions::container`].
    pub fn container(mut self, name: impl Into<String>) -> Self {
        self.options.container = name.into();
        self
    }

    /// See [`LogOptions::follow`].
    pub fn follow(mut self) -> Self {
        self.options.follow = true;
        self
    }

    /// See [`LogOptions::previous`].
    pub fn previous(mut self) -> Self {
        self.options.previous = true;
        self
    }

    /// See [`LogOptions::since`].
    pub fn since(mut self, duration: Duration) -> Self {
        self.options.since = Some(duration);
        self
    }

    /// See [`LogOptions::timestamps`].
    pub fn timestamps(mut self) -> Self {
        self.options.timestamps = true;
        self
    }

    /// See [`LogOptions::tail_lines`].
    pub fn tail(mut self, lines: u64) -> Self {
        self.options.tail_lines = Some(lines);
        self
    }

    fn prepare(&mut self) {
        let options = &self.options;
        let query = self.call.query();
        query.push_text("container", &options.container);
        query.push_flag("follow", options.follow);
        query.push_flag("previous", options.previous);
        query.push_some("sinceSeconds", options.since.map(|since| since.as_secs()));
        query.push_some("sinceTime", options.since_time);
        query.push_flag("timestamps", options.timestamps);
        query.push_some("tailLines", options.tail_lines);
        query.push_some("limitBytes", options.limit_bytes);
    }

    /// The output as it comes.
    ///
    /// # Errors
    /// Those of the call; later ones are items of the stream.
    pub async fn stream(mut self) -> Result<LogStream, Error> {
        self.prepare();
        let mut call = self.call.kind(CallKind::Stream);
        let response = call.open().await?;
        Ok(LogStream {
            body: response.body,
            context: call.context(),
        })
    }

    async fn run(mut self) -> Result<String, Error> {
        self.prepare();
        self.call.fetch::<Text>().await.map(|text| text.0)
    }
}

request!(Logs, LogOptions, String);

/// Output of a container as it comes; chunks end anywhere, also within a line or a character.
#[derive(Debug)]
pub struct LogStream {
    body: Body,
    context: CallContext,
}

impl Stream for LogStream {
    type Item = Result<Bytes, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let next = Pin::new(&mut this.body).poll_next(cx);
        next.map_err(|error| Error::new(this.context.clone(), ErrorKind::Transport(error)))
    }
}
