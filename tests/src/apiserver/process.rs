//! The server's process: started, watched until it is ready, stopped or killed, never left behind.
//!
//! The process holds the read end of a pipe as its standard input. A byte in it asks for an orderly stop; at its end
//! the process ends too, and the kernel closes the pipe however this process ends, `SIGKILL` included.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

/// A start takes about 5 s on an idle machine; a loaded one gets this long.
const READY_TIMEOUT: Duration = Duration::from_secs(120);

/// Pause between two looks at a server that starts or stops.
const POLL: Duration = Duration::from_millis(50);

/// An orderly stop that takes longer is cut off. The program gives itself less.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Asks the program for an orderly stop; any byte does.
const STOP: &[u8] = b"\n";

/// What kube-apiserver says when somebody else took the port (`EADDRINUSE`).
const PORT_TAKEN: &str = "address already in use";

/// Lines of the log that an error quotes.
const QUOTED_LINES: usize = 15;

/// How a start ended.
pub(super) enum Started {
    Ready(Process),
    /// Another process took the port between the choice and the bind.
    PortTaken,
}

/// A running server. Dropping it kills it and waits for its end.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `program` and waits until `ready` says so.
    pub(super) fn start(
        program: &Path,
        arguments: &[OsString],
        log: &Path,
        mut ready: impl FnMut() -> bool,
    ) -> Result<Started> {
        let output = OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .context("open the server's log")?;
        let logged_before = output.metadata().map_or(0, |metadata| metadata.len());
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(output.try_clone().context("share the server's log")?)
            .stderr(output)
            .spawn()
            .with_context(|| format!("start {}", program.display()))?;
        let mut process = Self {
            child,
            log: log.to_owned(),
        };
        let started = Instant::now();
        loop {
            if let Some(status) = process.exited()? {
                let words = process.log_since(logged_before);
                if words.contains(PORT_TAKEN) {
                    return Ok(Started::PortTaken);
                }
                bail!(
                    "kube-apiserver ended while it started ({status}):\n{}",
                    tail(&words)
                );
            }
            if ready() {
                return Ok(Started::Ready(process));
            }
            if started.elapsed() > READY_TIMEOUT {
                let words = process.log_since(logged_before);
                bail!(
                    "kube-apiserver is not ready after {} s:\n{}",
                    READY_TIMEOUT.as_secs(),
                    tail(&words)
                );
            }
            thread::sleep(POLL);
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The status of a process that has ended, by itself or not.
    pub(super) fn exited(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().context("look at kube-apiserver")
    }

    /// Lets the server end its work and close its store.
    pub(super) fn stop(mut self) -> Result<()> {
        // The pipe stays open meanwhile: its end would say that this process is gone.
        let pipe = self
            .child
            .stdin
            .as_mut()
            .context("the server has no standard input")?;
        match pipe.write_all(STOP) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(error).context("ask for a stop");
            }
            // A broken pipe is a server that has ended by itself.
            _ => {}
        }
        let asked = Instant::now();
        while self.exited()?.is_none() {
            if asked.elapsed() > STOP_TIMEOUT {
                return Err(anyhow!(
                    "kube-apiserver did not stop within {} s",
                    STOP_TIMEOUT.as_secs()
                ));
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    fn log_since(&self, offset: u64) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        String::from_utf8_lossy(&bytes[offset..]).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a process that has been waited for already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last lines of a log.
pub(super) fn tail(words: &str) -> String {
    let lines: Vec<&str> = words.lines().collect();
    lines[lines.len().saturating_sub(QUOTED_LINES)..].join("\n")
}
