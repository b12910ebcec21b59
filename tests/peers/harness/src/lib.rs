//! What the comparison programs in Rust share: the command line, the clocks and the counting of memory.
//!
//! A program is called as `PROGRAM OP FORMAT ROUNDS KIND=FILE...`, as is the one in Go:
//!
//! | op | what it does | what it prints, a JSON object a line |
//! |---|---|---|
//! | `decode` | decodes all files, `ROUNDS` times | a [`Sample`] per round, then a total |
//! | `encode` | decodes all files once, encodes them `ROUNDS` times | as above |
//! | `memory` | decodes all files once and holds what comes out | what is held |
//!
//! Files are the bodies of lists, `FORMAT` is `json` or `protobuf`. Reading a file and freeing what was decoded are not
//! part of a round's time; the latter has a figure of its own.
//!
//! This crate must not know any of the libraries it measures.

pub mod caches;
pub mod calls;

use std::alloc::System;
use std::any::Any;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use stats_alloc::StatsAlloc;

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// The protobuf of Kubernetes, in its envelope.
    Protobuf,
}

/// A decoded list.
pub trait Objects: Any {
    /// The number of items.
    fn count(&self) -> usize;

    /// The body of the list.
    ///
    /// # Errors
    /// The library's, or that it has no such encoding.
    fn encode(&self, format: Format) -> Result<Vec<u8>>;
}

/// Decodes the body of a list of a kind; the kinds are `pods`, `nodes`, ... as in the names of resources.
///
/// # Errors
/// The library's, or that it has no such kind or encoding.
pub type Decode = fn(kind: &str, format: Format, body: &[u8]) -> Result<Box<dyn Objects>>;

/// What a round took, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// By the clock on the wall.
    wall: u64,
    /// Of the process on all processors.
    cpu: u64,
    /// By the wall, to free what was made; no part of the others.
    free: u64,
}

impl Sample {
    fn print(self) {
        println!(
            "{}",
            json!({"wall_ns": self.wall, "cpu_ns": self.cpu, "free_ns": self.free})
        );
    }
}

/// Times `work`; the second value is what it made, to be freed by the caller.
fn time<T>(work: impl FnOnce() -> Result<T>) -> Result<(Sample, T)> {
    let cpu = cpu_now();
    let start = Instant::now();
    let made = black_box(work()?);
    let wall = nanos(start);
    let cpu = cpu_now() - cpu;
    Ok((Sample { wall, cpu, free: 0 }, made))
}

/// Nanoseconds since `start`.
pub fn nanos(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds of processor time of this process.
pub fn cpu_now() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(now.tv_sec * 1_000_000_000 + now.tv_nsec).unwrap_or_default()
}

/// A file and the kind of its items.
struct Input {
    kind: String,
    body: Vec<u8>,
}

/// Runs the program named by the command line. `counter` is the global allocator of a program that measures memory; one
/// that measures time has none, for counting takes time.
///
/// # Errors
/// A malformed command line, a file that cannot be read, and what the library under test says.
pub fn run(decode: Decode, counter: Option<&StatsAlloc<System>>) -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().with_context(|| format!("{what} is missing"));
    let op = next("the operation")?;
    let format = match next("the format")?.as_str() {
        "json" => Format::Json,
        "protobuf" => Format::Protobuf,
        other => bail!("{other:?} is no format"),
    };
    let rounds: usize = next("the number of rounds")?
        .parse()
        .context("the rounds are no number")?;
    let inputs = arguments.map(|file| input(&file)).collect::<Result<Vec<_>>>()?;
    ensure!(!inputs.is_empty(), "no files");
    match (op.as_str(), counter) {
        ("decode", None) => time_decode(decode, format, rounds, &inputs),
        ("encode", None) => time_encode(decode, format, rounds, &inputs),
        ("memory", Some(counter)) => weigh(decode, format, inputs, counter),
        _ => bail!("this program has no operation {op:?}"),
    }
}

fn input(argument: &str) -> Result<Input> {
    let (kind, path) = argument.split_once('=').context("a file is given as KIND=PATH")?;
    let body = fs::read(path).with_context(|| format!("read {path}"))?;
    Ok(Input {
        kind: kind.to_owned(),
        body,
    })
}

fn decode_all(decode: Decode, format: Format, inputs: &[Input]) -> Result<Vec<Box<dyn Objects>>> {
    let decoded = inputs.iter().map(|input| {
        decode(&input.kind, format, &input.body).with_context(|| format!("decode {}", input.kind))
    });
    decoded.collect()
}

fn count(lists: &[Box<dyn Objects>]) -> usize {
    lists.iter().map(|list| list.count()).sum()
}

fn time_decode(decode: Decode, format: Format, rounds: usize, inputs: &[Input]) -> Result<()> {
    let mut items = 0;
    for _ in 0..rounds {
        let (mut sample, lists) = time(|| decode_all(decode, format, inputs))?;
        items = count(&lists);
        let start = Instant::now();
        drop(lists);
        sample.free = nanos(start);
        sample.print();
    }
    let bytes: usize = inputs.iter().map(|input| input.body.len()).sum();
    println!("{}", json!({"items": items, "bytes": bytes}));
    Ok(())
}

fn time_encode(decode: Decode, format: Format, rounds: usize, inputs: &[Input]) -> Result<()> {
    let lists = decode_all(decode, format, inputs)?;
    let mut bytes = 0;
    for _ in 0..rounds {
        let (mut sample, bodies) = time(|| {
            let bodies = lists.iter().map(|list| list.encode(format));
            bodies.collect::<Result<Vec<_>>>()
        })?;
        bytes = bodies.iter().map(Vec::len).sum();
        let start = Instant::now();
        drop(bodies);
        sample.free = nanos(start);
        sample.print();
    }
    println!("{}", json!({"items": count(&lists), "bytes": bytes}));
    Ok(())
}

/// Bytes as the program asked for them; what the allocator adds shows in the resident size only.
fn weigh(decode: Decode, format: Format, inputs: Vec<Input>, counter: &StatsAlloc<System>) -> Result<()> {
    let resident_before = resident()?;
    let before = counter.stats();
    let lists = decode_all(decode, format, &inputs)?;
    let change = counter.stats() - before;
    // A reallocation is in here too, by its difference.
    let live = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
    let resident = resident()?.saturating_sub(resident_before);
    println!(
        "{}",
        json!({
            "items": count(&lists),
            "live_bytes": live,
            "live_allocations": change.allocations.saturating_sub(change.deallocations),
            "allocations": change.allocations + change.reallocations,
            "resident_bytes": resident,
        })
    );
    Ok(())
}

/// The resident size of the process in bytes.
fn resident() -> Result<u64> {
    status("VmRSS:")
}

/// A size of the process in bytes, by its name in `/proc/self/status`.
fn status(name: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("the system has no /proc")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
    let kilobytes: u64 = kilobytes.with_context(|| format!("/proc/self/status has no {name}"))?.parse()?;
    Ok(kilobytes * 1024)
}
