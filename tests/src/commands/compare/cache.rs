//! `compare cache`: informers, stores and queues beside those of client-go and kube-rs.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use kubeloom::meta::List;
use kubeloom::wire::{Format, Wire};
use kubeloom_k8s::core_v1::Pod;
use serde::Deserialize;
use serde_json::json;

use super::fixed::FixedServer;
use super::peers::{self, Programs};
use super::report::{Figure, Goal, Library, Report, Row, Unit};
use crate::corpus::{MIXED, ONE_TEMPLATE};
use crate::say;

/// Live bytes of a pod that are to be kept to, whole and packed.
const LIVE_BYTES: f64 = 8_500.0;
const PACKED_BYTES: f64 = 1_000.0;
/// Nanoseconds in which a packed pod is to be had.
const PACKED_GET: f64 = 25_000.0;
/// How much of the steady memory the peak at a relist may be.
const PEAK: f64 = 1.3;

/// How many threads use a store at once.
const THREADS: [usize; 2] = [1, 8];

/// Arguments of `compare cache`.
#[derive(clap::Args, Debug)]
pub struct CacheArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Leave a library out, such as `kube-rs`, whose programs take longest to build
    #[arg(long, value_name = "LIBRARY")]
    without: Vec<String>,

    /// How many pods an informer keeps
    #[arg(long, default_value_t = 10_000)]
    pods: usize,

    /// How many changes are told
    #[arg(long, default_value_t = 5_000)]
    events: usize,

    /// How many pods are there at a relist
    #[arg(long, default_value_t = 50_000)]
    relist: usize,

    /// How often each program is started for each row
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
}

/// What a program prints at a moment.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Reading {
    wall_ns: f64,
    cpu_ns: f64,
    objects: f64,
    live_bytes: f64,
    resident_bytes: f64,
    peak_bytes: f64,
}

/// Samples of one row, by library.
#[derive(Default)]
struct Samples(BTreeMap<Library, Vec<f64>>);

impl Samples {
    fn add(&mut self, library: Library, value: f64) {
        self.0.entry(library).or_default().push(value);
    }

    fn row(&self, name: impl Into<String>, unit: Unit, goals: Vec<Goal>) -> Row {
        Row {
            name: name.into(),
            unit,
            figures: Library::ALL.map(|library| Figure::of(self.0.get(&library)?)),
            goals,
        }
    }
}

/// Measures and prints.
///
/// # Errors
/// When a program cannot be built or fails, or does something else than the others.
pub fn run(args: &CacheArgs) -> Result<()> {
    let target = peers::target()?;
    std::fs::create_dir_all(&target)?;
    let mut report = Report::default();
    report.notes.push(super::machine());
    report.notes.push(
        "processor time unless said otherwise; client-go reads protobuf and kube-rs JSON, its only encoding; \
         a server of the comparison's own sends the same bytes to all"
            .to_owned(),
    );
    let programs = peers::build_caches(&target, &args.without, &mut report.notes)?;
    let measure = Measure {
        args,
        programs,
        target,
    };
    measure.informers(&mut report)?;
    measure.stores(&mut report)?;
    measure.queues(&mut report)?;
    measure.packed(&mut report)?;
    measure.relists(&mut report)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json!(report.json()))?);
    } else {
        print!("{report}");
    }
    Ok(())
}

struct Measure<'a> {
    args: &'a CacheArgs,
    programs: Vec<Programs>,
    target: PathBuf,
}

fn pods(count: usize) -> Result<Vec<Pod>> {
    let part = ONE_TEMPLATE.parts.first().context("the corpus has no pods")?;
    let bodies = part.bodies(count)?;
    Ok(List::<Pod>::decode(Format::Protobuf, &bodies.protobuf)?.items)
}

impl Measure<'_> {
    fn repeats(&self) -> impl Iterator<Item = &Programs> {
        (0..self.args.repeats).flat_map(|_| &self.programs)
    }

    /// Runs an informer: a reading when it has synced, and one after what `then` makes the server do.
    fn informer(
        &self,
        program: &Path,
        words: &[&str],
        server: &FixedServer,
        then: impl FnOnce(&FixedServer),
    ) -> Result<[Reading; 2]> {
        let kubeconfig = self.target.join("fixed.kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig())?;
        server.reset();
        let mut child = Command::new(program)
            .args(words)
            .env("KUBECONFIG", &kubeconfig)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {}", program.display()))?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let mut reading = || -> Result<Reading> {
            let line = lines
                .next()
                .with_context(|| format!("{} ended early", program.display()))??;
            serde_json::from_str(&line).with_context(|| format!("{} printed {line:?}", program.display()))
        };
        let synced = reading()?;
        then(server);
        let last = reading()?;
        let status = child.wait()?;
        ensure!(status.success(), "{} ended with {status}", program.display());
        Ok([synced, last])
    }

    fn informers(&self, report: &mut Report) -> Result<()> {
        let (pods_, events) = (self.args.pods, self.args.events);
        say(&format!("informers of {pods_} pods"));
        let server = FixedServer::start(pods(pods_)?)?;
        server.prepare();
        let words = ["informer", &pods_.to_string(), &events.to_string(), "whole"];
        let packed = ["informer", &pods_.to_string(), &events.to_string(), "packed"];
        let mut samples: [Samples; 7] = Default::default();
        let [
            sync_cpu,
            sync_wall,
            event_cpu,
            live,
            packed_sync,
            packed_event,
            packed_live,
        ] = &mut samples;
        for one in self.repeats() {
            let send = |server: &FixedServer| server.send_changes(events);
            let [synced, told] = self.informer(&one.time, &words, &server, send)?;
            sync_cpu.add(one.library, synced.cpu_ns);
            sync_wall.add(one.library, synced.wall_ns);
            event_cpu.add(one.library, told.cpu_ns / told.objects);
            let [synced, _] = self.informer(&one.memory, &words, &server, send)?;
            live.add(one.library, synced.live_bytes / synced.objects);
            if one.library == Library::Kubeloom {
                let [synced, told] = self.informer(&one.time, &packed, &server, send)?;
                packed_sync.add(one.library, synced.cpu_ns);
                packed_event.add(one.library, told.cpu_ns / told.objects);
                let [synced, _] = self.informer(&one.memory, &packed, &server, send)?;
                packed_live.add(one.library, synced.live_bytes / synced.objects);
            }
        }
        let half = vec![Goal::Part(Library::ClientGo, 0.5)];
        let third = vec![Goal::Part(Library::ClientGo, 1.0 / 3.0)];
        let name = |what: &str| format!("informer of {pods_} pods: {what}");
        let (ns, bytes) = (Unit::Nanoseconds, Unit::Bytes);
        report.rows.extend([
            sync_cpu.row(name("to synced"), ns, half),
            sync_wall.row(name("to synced, by the wall"), ns, Vec::new()),
            event_cpu.row(name("an event to the handler"), ns, third),
            live.row(
                name("live memory of a pod"),
                bytes,
                vec![Goal::AtMost(LIVE_BYTES)],
            ),
            packed_sync.row(name("packed, to synced"), ns, Vec::new()),
            packed_event.row(name("packed, an event to the handler"), ns, Vec::new()),
            packed_live.row(
                name("packed, live memory of a pod"),
                bytes,
                vec![Goal::AtMost(PACKED_BYTES)],
            ),
        ]);
        Ok(())
    }

    fn operations(&self, words: &[&str]) -> Result<BTreeMap<String, Samples>> {
        let mut all: BTreeMap<String, Samples> = BTreeMap::new();
        for one in self.repeats() {
            if words[0] == "queue" && one.library == Library::KubeRs {
                continue;
            }
            let text = peers::output(Command::new(&one.time).args(words))?;
            let figures: BTreeMap<String, f64> = serde_json::from_str(&text).with_context(|| text.clone())?;
            for (name, value) in figures {
                all.entry(name).or_default().add(one.library, value);
            }
        }
        Ok(all)
    }

    fn stores(&self, report: &mut Report) -> Result<()> {
        let files = ONE_TEMPLATE.write(&self.target.join("corpus"))?;
        let file = files.first().context("no pods")?.protobuf.display().to_string();
        for threads in THREADS {
            say(&format!("stores, {threads} threads"));
            let all = self.operations(&["store", &file, &threads.to_string(), "10"])?;
            for (name, samples) in &all {
                let goals = match name.ends_with("(wall)") {
                    true => Vec::new(),
                    false => vec![Goal::Times(Library::ClientGo, 2.0)],
                };
                let name = format!("store, {threads} threads: {name}");
                report.rows.push(samples.row(name, Unit::Nanoseconds, goals));
            }
        }
        Ok(())
    }

    fn queues(&self, report: &mut Report) -> Result<()> {
        say("queues");
        let files = ONE_TEMPLATE.write(&self.target.join("corpus"))?;
        let file = files.first().context("no pods")?.protobuf.display().to_string();
        for (name, samples) in &self.operations(&["queue", &file, "20"])? {
            if !name.ends_with("(wall)") {
                let goals = vec![Goal::Times(Library::ClientGo, 3.0)];
                let name = format!("{name}: add, pop and store");
                report.rows.push(samples.row(name, Unit::Nanoseconds, goals));
            }
        }
        Ok(())
    }

    /// Pods of 300 templates in a store that packs.
    fn packed(&self, report: &mut Report) -> Result<()> {
        say("packed stores");
        let part = MIXED.parts.first().context("the corpus has no pods")?;
        let file = self.target.join("corpus").join("mixed-pods-10000.protobuf");
        if !file.exists() {
            std::fs::write(&file, part.bodies(10_000)?.protobuf)?;
        }
        let file = file.display().to_string();
        let Some(ours) = self.programs.iter().find(|one| one.library == Library::Kubeloom) else {
            return Ok(());
        };
        let (mut operations, mut live) = (BTreeMap::<String, Samples>::new(), Samples::default());
        for _ in 0..self.args.repeats {
            let words = ["store", &file, "1", "3", "packed"];
            let figures: BTreeMap<String, f64> =
                serde_json::from_str(&peers::output(Command::new(&ours.time).args(words))?)?;
            for (name, value) in figures {
                operations.entry(name).or_default().add(ours.library, value);
            }
            let text = peers::output(Command::new(&ours.memory).args(words))?;
            let mut lines = text.lines();
            let reading: Reading = serde_json::from_str(lines.next().unwrap_or_default())?;
            live.add(ours.library, reading.live_bytes / reading.objects);
            if let Some(stats) = lines.next() {
                report.notes.push(format!("packed, 300 templates: {stats}"));
            }
        }
        for (name, samples) in operations.iter().filter(|(name, _)| !name.ends_with("(wall)")) {
            let goals = match name.as_str() {
                "get" => vec![Goal::AtMost(PACKED_GET)],
                _ => Vec::new(),
            };
            let name = format!("packed, 300 templates: {name}");
            report.rows.push(samples.row(name, Unit::Nanoseconds, goals));
        }
        let goals = vec![Goal::AtMost(PACKED_BYTES)];
        let row = live.row("packed, 300 templates: live memory of a pod", Unit::Bytes, goals);
        report.rows.push(row);
        report.notes.dedup();
        Ok(())
    }

    fn relists(&self, report: &mut Report) -> Result<()> {
        let count = self.args.relist;
        say(&format!("relists of {count} pods"));
        let server = FixedServer::start(pods(count)?)?;
        server.prepare();
        let mut samples: [Samples; 3] = Default::default();
        let [peak, cpu, packed] = &mut samples;
        let over = |readings: [Reading; 2]| readings[1].peak_bytes / readings[0].resident_bytes;
        for one in &self.programs {
            let words = ["relist", &count.to_string(), "whole"];
            let readings = self.informer(&one.time, &words, &server, FixedServer::expire)?;
            peak.add(one.library, over(readings));
            cpu.add(one.library, readings[1].cpu_ns);
            if one.library == Library::Kubeloom {
                let words = ["relist", &count.to_string(), "packed"];
                packed.add(
                    one.library,
                    over(self.informer(&one.time, &words, &server, FixedServer::expire)?),
                );
            }
        }
        let name = |what: &str| format!("relist of {count} pods: {what}");
        let most = || vec![Goal::AtMost(PEAK)];
        report.rows.extend([
            peak.row(name("peak over steady resident size"), Unit::Ratio, most()),
            packed.row(
                name("packed, peak over steady resident size"),
                Unit::Ratio,
                most(),
            ),
            cpu.row(name("processor time"), Unit::Nanoseconds, Vec::new()),
        ]);
        Ok(())
    }
}
