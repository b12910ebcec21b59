//! `compare client`: one small object read over and over from a real API server.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use super::peers;
use super::report::{Figure, Goal, Library, Report, Row, Unit};
use crate::apiserver::https::Call;
use crate::apiserver::{ApiServer, Credential, Options};
use crate::say;

/// How many calls are made at once.
const AT_ONCE: [usize; 3] = [1, 16, 128];

/// Arguments of `compare client`.
#[derive(clap::Args, Debug)]
pub struct ClientArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// How many calls each program makes
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    calls: u32,

    /// How often each program is started for each row
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
}

/// What a program's calls took.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Sample {
    wall_ns: f64,
    cpu_ns: f64,
    calls: u32,
    entries: usize,
}

/// A program, and what it took in each run.
struct Peer {
    library: Library,
    program: PathBuf,
}

/// Measures and prints.
///
/// # Errors
/// When a program or the server cannot be built or fails, or when the programs do not read the same.
pub fn run(args: &ClientArgs) -> Result<()> {
    let target = peers::target()?;
    let mut report = Report::default();
    report.notes.push(super::machine());
    let peers: Vec<Peer> = peers::build_clients(&target, &mut report.notes)?
        .into_iter()
        .map(|(library, program)| Peer { library, program })
        .collect();
    let server = ApiServer::start(Options::default())?;
    let object = Object::create(&server)?;
    for at_once in AT_ONCE {
        say(&format!("{} calls, {at_once} at once", args.calls));
        let mut samples: [Vec<Sample>; 3] = Default::default();
        for _ in 0..args.repeats {
            for peer in &peers {
                let sample = object.read(peer, args.calls, at_once)?;
                samples[peer.library as usize].push(sample);
            }
        }
        rows(args.calls, at_once, &samples, &mut report);
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json!(report.json()))?);
    } else {
        print!("{report}");
    }
    Ok(())
}

/// The object that is read.
struct Object {
    kubeconfig: PathBuf,
    namespace: String,
}

const NAME: &str = "small";
const ENTRIES: usize = 3;

impl Object {
    fn create(server: &ApiServer) -> Result<Self> {
        let namespace = server.namespace("compare")?;
        let body = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "labels": {"app": "compare"}},
            "data": {"colour": "red", "size": "large", "text": "a line of text, as they are in config maps"},
        });
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let call = Call::Post {
            json: &body.to_string(),
        };
        let reply = server.call(Credential::Token(server.admin_token()), &path, call)?;
        ensure!(
            reply.status == 201,
            "create the object: {} {}",
            reply.status,
            reply.text()
        );
        Ok(Self {
            kubeconfig: server.kubeconfig_path(),
            namespace,
        })
    }

    fn read(&self, peer: &Peer, calls: u32, at_once: usize) -> Result<Sample> {
        let mut command = Command::new(&peer.program);
        command.env("KUBECONFIG", &self.kubeconfig).args([
            &calls.to_string(),
            &at_once.to_string(),
            &self.namespace,
            NAME,
        ]);
        let name = peer.library.name();
        let text = peers::output(&mut command).with_context(|| name)?;
        let sample: Sample =
            serde_json::from_str(&text).with_context(|| format!("{name} printed {text:?}"))?;
        ensure!(
            sample.calls == calls && sample.entries == ENTRIES,
            "{name} did something else: {sample:?}"
        );
        Ok(sample)
    }
}

fn rows(calls: u32, at_once: usize, samples: &[Vec<Sample>; 3], report: &mut Report) {
    let figures = |of: fn(&Sample) -> f64| {
        Library::ALL.map(|library| {
            let each: Vec<f64> = (samples[library as usize].iter())
                .map(|sample| of(sample) / f64::from(calls))
                .collect();
            Figure::of(&each)
        })
    };
    let row = |what: &str, figures, goals| Row {
        name: format!("{at_once} at once: {what} per call"),
        unit: Unit::Nanoseconds,
        figures,
        goals,
    };
    let (wall, cpu) = (figures(|sample| sample.wall_ns), figures(|sample| sample.cpu_ns));
    let goals = vec![
        Goal::Part(Library::ClientGo, 0.5),
        Goal::Part(Library::KubeRs, 0.8),
    ];
    report.rows.push(row("processor", cpu, goals));
    report.rows.push(row("time", wall, Vec::new()));
    let rates = Library::ALL.iter().filter_map(|library| {
        let least = wall[*library as usize]?.least;
        Some(format!("{} {:.0}", library.name(), 1e9 / least))
    });
    let rates = rates.collect::<Vec<_>>().join(", ");
    report
        .notes
        .push(format!("{at_once} at once, calls a second: {rates}"));
}
