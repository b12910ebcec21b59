//! The Go types, asked what they make of an object: the program `tests/go-check` and its protocol.
//!
//! The module must not know what is compared with what.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use kubeloom::wire::Format;

use crate::go::Program;

/// No answer is longer; a length beyond is a broken stream.
const MAX_PART: u32 = 256 << 20;

/// The verdict on a kind that the Go scheme does not know.
const UNREGISTERED: &str = "unregistered";

/// What Go makes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The object as Go writes it.
    Rewritten {
        /// In JSON.
        json: Vec<u8>,
        /// In protobuf, in its envelope.
        protobuf: Vec<u8>,
    },
    /// Go's words for why it cannot read or write it.
    Refused(String),
    /// There is no Go type for the kind.
    Unregistered,
}

/// The running program. It ends with this value.
#[derive(Debug)]
pub struct GoCheck {
    child: Child,
    /// Absent once the program has been told to end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl GoCheck {
    /// Builds the program if need be and starts it; `None` where it cannot be had for want of Go.
    ///
    /// # Errors
    /// When the build or the start fails, and where Go is missing although the environment variable `CI` is set.
    pub fn start() -> Result<Option<Self>> {
        let program = Program::new("go-check", "go-check", "-s -w")?;
        if !program.obtainable_or_skip()? {
            return Ok(None);
        }
        let mut child = Command::new(program.build()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("start go-check")?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("the pipe from go-check")?);
        Ok(Some(Self {
            child,
            requests,
            answers,
        }))
    }

    /// Has Go read `body` in `format`, strictly, and write it again.
    ///
    /// # Errors
    /// When the format is YAML, or the program has died.
    pub fn ask(&mut self, api_version: &str, kind: &str, format: Format, body: &[u8]) -> Result<Answer> {
        let format = match format {
            Format::Json => "json",
            Format::Protobuf => "protobuf",
            Format::Yaml | Format::Cbor => bail!("go-check reads no {format:?}"),
        };
        let mut request = Vec::with_capacity(body.len() + 128);
        for part in [api_version.as_bytes(), kind.as_bytes(), format.as_bytes(), body] {
            request.extend_from_slice(&u32::try_from(part.len())?.to_be_bytes());
            request.extend_from_slice(part);
        }
        let pipe = self.requests.as_mut().context("go-check has been told to end")?;
        pipe.write_all(&request).context("write to go-check")?;
        let [verdict, json, protobuf] = [self.part()?, self.part()?, self.part()?];
        Ok(match String::from_utf8_lossy(&verdict).as_ref() {
            "" => Answer::Rewritten { json, protobuf },
            UNREGISTERED => Answer::Unregistered,
            words => Answer::Refused(words.to_owned()),
        })
    }

    fn part(&mut self) -> Result<Vec<u8>> {
        let mut length = [0; 4];
        self.answers
            .read_exact(&mut length)
            .context("read from go-check")?;
        let length = u32::from_be_bytes(length);
        if length > MAX_PART {
            bail!("go-check announced {length} bytes");
        }
        let mut part = vec![0; length as usize];
        self.answers.read_exact(&mut part).context("read from go-check")?;
        Ok(part)
    }
}

impl Drop for GoCheck {
    fn drop(&mut self) {
        // The end of its input ends the program.
        drop(self.requests.take());
        if self.child.wait().is_err() {
            let _ = self.child.kill();
        }
    }
}
