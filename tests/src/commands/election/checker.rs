//! Who was in a critical section when: every begin and end gets a time on the clock of this process.
//!
//! A candidate connects when it begins to lead, says who it is and the token of its term, and then writes `B` at the
//! beginning of each critical section, waits for the answer, and writes `E` at its end. The end of the connection ends
//! the section.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// Who leads begins a section more often than that, on a machine that is not too busy.
const RECENT: Duration = Duration::from_millis(100);

/// A term of leadership, by its token, and who leads.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    token: u64,
    who: String,
}

#[derive(Debug, Default)]
struct Log {
    began: Option<Instant>,
    /// The sections that are open now.
    open: Vec<(u64, Term)>,
    /// The highest term that was seen.
    newest: Option<Term>,
    leaders: usize,
    sections: u64,
    overlaps: Vec<String>,
    last_end: Option<Instant>,
    longest_gap: Duration,
    stopped: bool,
    next: u64,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) leaders: usize,
    sections: u64,
    pub(super) overlaps: Vec<String>,
    longest_gap: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "terms of leaders {}, critical sections {}, overlaps {}, longest time without a leader {:.1} s",
            self.leaders,
            self.sections,
            self.overlaps.len(),
            self.longest_gap.as_secs_f64()
        )
    }
}

impl Log {
    /// A section begins.
    fn begin(&mut self, term: &Term, now: Instant) -> u64 {
        let number = self.next;
        self.next += 1;
        if self.stopped {
            return number;
        }
        let at = now.duration_since(*self.began.get_or_insert(now)).as_secs_f64();
        self.sections += 1;
        if let Some((_, other)) = self.open.first() {
            self.overlaps.push(format!(
                "at {at:.3} s: {} (term {}) begins while {} (term {}) has not ended",
                term.who, term.token, other.who, other.token
            ));
        }
        match &self.newest {
            Some(newest) if newest.token > term.token => self.overlaps.push(format!(
                "at {at:.3} s: {} (term {}) goes on although {} (term {}) has begun",
                term.who, term.token, newest.who, newest.token
            )),
            Some(newest) if newest == term => {}
            _ => {
                self.newest = Some(term.clone());
                self.leaders += 1;
            }
        }
        if let Some(last) = self.last_end.filter(|_| self.open.is_empty()) {
            self.longest_gap = self.longest_gap.max(now.duration_since(last));
        }
        self.open.push((number, term.clone()));
        number
    }

    fn end(&mut self, number: u64, now: Instant) {
        self.open.retain(|(open, _)| *open != number);
        self.last_end = Some(now);
    }
}

/// The checker; clones are the same one.
#[derive(Clone, Debug)]
pub(super) struct Checker {
    log: Arc<Mutex<Log>>,
    port: u16,
}

impl Checker {
    /// Begins to listen.
    pub(super) async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .context("the checker's port")?;
        let checker = Self {
            port: listener.local_addr()?.port(),
            log: Arc::default(),
        };
        let accepting = checker.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let checker = accepting.clone();
                tokio::spawn(async move {
                    let mut open = None;
                    // A connection that breaks off is a candidate that was killed.
                    let _ = checker.follow(stream, &mut open).await;
                    if let Some(number) = open {
                        checker.log().end(number, Instant::now());
                    }
                });
            }
        });
        Ok(checker)
    }

    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn follow(&self, stream: TcpStream, open: &mut Option<u64>) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        let mut hello = String::new();
        stream.read_line(&mut hello).await?;
        let (who, token) = hello.trim().rsplit_once(' ').context("no name and token")?;
        let term = Term {
            token: token.parse().context("a token that is no number")?,
            who: who.to_owned(),
        };
        loop {
            match stream.read_u8().await? {
                b'B' => {
                    *open = Some(self.log().begin(&term, Instant::now()));
                    stream.get_mut().write_all(b"k").await?;
                }
                b'E' => {
                    if let Some(number) = open.take() {
                        self.log().end(number, Instant::now());
                    }
                }
                other => bail!("{other} is neither a begin nor an end"),
            }
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Waits for the first leader.
    pub(super) async fn first(&self, limit: Duration) -> Result<()> {
        let until = Instant::now() + limit;
        while self.sections() == 0 {
            ensure!(Instant::now() < until, "nobody was elected within {limit:?}");
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Who leads: whose last section is not long ago.
    pub(super) fn leader(&self) -> Option<String> {
        let log = self.log();
        let is_recent = |end: Instant| end.elapsed() < RECENT;
        let leads = !log.open.is_empty() || log.last_end.is_some_and(is_recent);
        log.newest.as_ref().filter(|_| leads).map(|term| term.who.clone())
    }

    pub(super) fn sections(&self) -> u64 {
        self.log().sections
    }

    /// Counts no more.
    pub(super) fn stop(&self) {
        self.log().stopped = true;
    }

    pub(super) fn summary(&self) -> Summary {
        let log = self.log();
        Summary {
            leaders: log.leaders,
            sections: log.sections,
            overlaps: log.overlaps.clone(),
            longest_gap: log.longest_gap,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_and_former_leaders_are_seen() {
        let (mut log, start) = (Log::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let term = |token, who: &str| Term {
            token,
            who: who.to_owned(),
        };
        let (a, b) = (term(9, "a"), term(10, "b"));
        let section = log.begin(&a, at(0));
        log.end(section, at(5));
        let section = log.begin(&a, at(10));
        log.end(section, at(15));
        let section = log.begin(&b, at(3_015));
        assert!(log.overlaps.is_empty());
        assert_eq!((log.leaders, log.sections), (2, 3));
        assert_eq!(log.longest_gap, Duration::from_secs(3));
        // A former leader goes on, while the next is in a section, and after that.
        let former = log.begin(&a, at(3_016));
        assert_eq!(log.overlaps.len(), 2, "{:?}", log.overlaps);
        log.end(former, at(3_017));
        log.end(section, at(3_018));
        log.begin(&a, at(3_020));
        assert_eq!(log.overlaps.len(), 3, "{:?}", log.overlaps);
    }

    #[tokio::test]
    async fn a_connection_that_breaks_off_ends_its_section() {
        let checker = Checker::start().await.unwrap();
        let enter = async |hello: &[u8]| {
            let mut stream = TcpStream::connect(("127.0.0.1", checker.port())).await.unwrap();
            stream.write_all(hello).await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), b'k');
            stream
        };
        let killed = enter(b"a 9\nB").await;
        drop(killed);
        while !checker.log().open.is_empty() {
            sleep(Duration::from_millis(1)).await;
        }
        let mut next = enter(b"b 10\nB").await;
        assert_eq!(checker.leader().as_deref(), Some("b"));
        assert!(checker.summary().overlaps.is_empty());
        let _two = enter(b"c 11\nB").await;
        assert_eq!(checker.summary().overlaps.len(), 1);
        next.write_all(b"E").await.unwrap();
    }
}
