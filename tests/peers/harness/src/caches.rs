//! What the programs that keep objects in memory share. They are called as `PROGRAM OP ARGUMENT...` and print JSON objects, one a
//! line; between them they wait for what whoever started them makes the server do.
//!
//! | call | what it does | what it prints |
//! |---|---|---|
//! | `informer PODS EVENTS FORM` | an informer over all pods of the server of `KUBECONFIG`, with a handler; then waits for so many updates | a [`Reading`] when it has synced, one when it has seen the updates |
//! | `relist PODS FORM` | the same; then waits until the pod of the version [`MARK`] has come | a [`Reading`] each |
//! | `store FILE THREADS ROUNDS FORM` | adds, updates, gets and finds the pods of a list in a store with two indices | [`Operations`] |
//! | `queue FILE ROUNDS` | pods through the queues into a store | [`Operations`] |
//!
//! `FORM` is `whole` or `packed`; a program that has but one form ignores it.

use std::alloc::System;
use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use stats_alloc::StatsAlloc;

/// The resourceVersion of the pod that is another after a relist.
pub const MARK: &str = "2900000";

/// Clocks and counters at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    counter: Option<&'static StatsAlloc<System>>,
    start: Instant,
    cpu: u64,
    live: i64,
}

/// What passed since a moment: printed as `{"wall_ns", "cpu_ns", "objects", "live_bytes", "resident_bytes", "peak_bytes"}`.
pub type Reading = Value;

/// Nanoseconds of processor time for each operation, by name.
pub type Operations = Value;

impl Meter {
    /// Begins to measure.
    pub fn start(counter: Option<&'static StatsAlloc<System>>) -> Self {
        Self {
            counter,
            start: Instant::now(),
            cpu: crate::cpu_now(),
            live: live(counter),
        }
    }

    /// Prints what passed, and what is held now. `objects` is what the program worked on.
    ///
    /// # Errors
    /// A system without `/proc`.
    pub fn print(&self, objects: usize) -> Result<()> {
        let (wall, cpu) = (crate::nanos(self.start), crate::cpu_now() - self.cpu);
        println!(
            "{}",
            json!({
                "wall_ns": wall, "cpu_ns": cpu, "objects": objects,
                "live_bytes": live(self.counter) - self.live,
                "resident_bytes": crate::status("VmRSS:")?, "peak_bytes": crate::status("VmHWM:")?,
            })
        );
        Ok(())
    }
}

/// Bytes that were asked of the allocator and not given back; 0 without a counter.
fn live(counter: Option<&StatsAlloc<System>>) -> i64 {
    let stats = counter.map(|counter| counter.stats());
    // A reallocation is in here too, by its difference.
    stats.map_or(0, |stats| stats.bytes_allocated as i64 - stats.bytes_deallocated as i64)
}

/// The highest resident size is counted from now on.
///
/// # Errors
/// A system without `/proc`.
pub fn forget_peak() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("/proc/self/clear_refs")
}

/// The arguments of the process.
///
/// # Errors
/// None at all.
pub fn args() -> Result<(String, Vec<String>)> {
    let mut arguments = std::env::args().skip(1);
    let op = arguments.next().context("usage: OP ARGUMENT...")?;
    Ok((op, arguments.collect()))
}

/// An argument that is a number.
///
/// # Errors
/// One that is not.
pub fn number(arguments: &[String], place: usize) -> Result<usize> {
    let text = arguments.get(place).with_context(|| format!("argument {place} is missing"))?;
    text.parse().with_context(|| format!("{text:?} is no number"))
}

/// Operations with what each of them takes.
#[derive(Debug, Default)]
pub struct Figures(Map<String, Value>);

impl Figures {
    /// Does something `times` times on each of so many threads, which are given their numbers, and notes what one time
    /// takes. Of several rounds the least counts.
    pub fn measure(&mut self, name: &str, rounds: usize, threads: usize, times: usize, work: impl Fn(usize) + Sync) {
        for _ in 0..rounds {
            let (start, cpu) = (Instant::now(), crate::cpu_now());
            if threads == 1 {
                work(0);
            } else {
                std::thread::scope(|scope| {
                    for thread in 0..threads {
                        let work = &work;
                        scope.spawn(move || work(thread));
                    }
                });
            }
            let each = |total: u64| total as f64 / times as f64;
            self.least(name, each(crate::cpu_now() - cpu));
            self.least(&format!("{name} (wall)"), each(crate::nanos(start)));
        }
    }

    fn least(&mut self, name: &str, value: f64) {
        let before = self.0.get(name).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
        self.0.insert(name.to_owned(), json!(before.min(value)));
    }

    /// Notes a figure as it is.
    pub fn note(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), json!(value));
    }

    /// Prints all.
    ///
    /// # Errors
    /// When there is nothing.
    pub fn print(self) -> Result<()> {
        ensure!(!self.0.is_empty(), "nothing was measured");
        println!("{}", Value::Object(self.0));
        Ok(())
    }
}
