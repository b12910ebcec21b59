//! Every definition of folders is generated, compiled and sent objects through.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use kubeloom_codegen::{Generated, Manifest, Options, Runtime, describe, generate, ir::Api};

use crate::definitions::collect::{Definition, Shard, collect};
use crate::definitions::objects::cases;
use crate::definitions::workspace::{Outcome, Workspace};

/// Arguments of `corpus`.
#[derive(clap::Args, Debug)]
pub struct CorpusArgs {
    /// Folders of definitions; each folder right below is a project.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Takes one project of this many.
    #[arg(long, default_value_t = 1, value_name = "N")]
    sample: usize,
    /// Where the crates are written and compiled.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Documents the crates as well, warnings being errors.
    #[arg(long)]
    doc: bool,
}

/// What came of the definitions.
#[derive(Debug, Default)]
struct Tally {
    all: usize,
    generated: usize,
    compiled: usize,
    survived: usize,
}

/// Runs the corpus. The last line that it prints is `generated G, compiled C, round-tripped R of N`.
///
/// # Errors
/// When any definition does not come through.
pub fn run(args: CorpusArgs) -> Result<()> {
    let collected = collect(&args.folders, args.sample)?;
    for (file, why) in &collected.unreadable {
        println!("UNREADABLE {file}: {why}");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target")));
    let out = args.out.unwrap_or_else(|| target.join("corpus"));
    let mut workspace = Workspace::new(std::path::absolute(out)?)?;
    let mut tally = Tally {
        all: collected.unreadable.len(),
        ..Tally::default()
    };
    let mut built: BTreeMap<String, Shard> = BTreeMap::new();
    let mut spent = Duration::ZERO;
    for shard in collected.shards {
        tally.all += shard.definitions.len();
        let started = Instant::now();
        let made = make(&shard);
        spent += started.elapsed();
        match made {
            Ok((generated, api)) => {
                tally.generated += shard.definitions.len();
                let cases: Vec<_> = shard.definitions.iter().flat_map(cases).collect();
                workspace.add(&shard.name, &generated, &api, &cases)?;
                built.insert(shard.name.clone(), shard);
            }
            Err(why) => println!("NOT GENERATED {}: {why}", shard.name),
        }
    }
    let rate = tally.generated as f64 / spent.as_secs_f64();
    println!(
        "{} definitions generated in {spent:.1?}, {rate:.0} a second",
        tally.generated
    );
    let programs = workspace.compile()?;
    for (name, shard) in &built {
        let Some(program) = programs.get(name) else {
            println!("NOT COMPILED {name}");
            continue;
        };
        tally.compiled += shard.definitions.len();
        let outcome = workspace.run(name, program)?;
        tally.survived += shard
            .definitions
            .iter()
            .filter(|one| survived(one, &outcome))
            .count();
    }
    if args.doc {
        workspace.document()?;
    }
    let Tally {
        all,
        generated,
        compiled,
        survived,
    } = tally;
    println!("generated {generated}, compiled {compiled}, round-tripped {survived} of {all}");
    ensure!(
        survived == all && all > 0,
        "{} definitions do not come through",
        all - survived
    );
    Ok(())
}

fn make(shard: &Shard) -> Result<(Generated, Api)> {
    let documents = shard.documents();
    let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime");
    let options = Options {
        manifest: Manifest::Standalone(Runtime::Path(runtime.to_owned())),
        ..Options::new(&shard.name)
    };
    let generated = generate(&documents, &options)?;
    let (api, _) = describe(&documents, &options)?;
    Ok((generated, api))
}

/// Whether all objects of all versions came back; says which did not.
fn survived(definition: &Definition, outcome: &Outcome) -> bool {
    let text = |pointer: &str| {
        definition
            .value
            .pointer(pointer)
            .and_then(|text| text.as_str())
            .unwrap_or_default()
    };
    let (group, kind) = (text("/spec/group"), text("/spec/names/kind"));
    let mut all = definition.versions().next().is_some();
    for version in definition.versions() {
        let key = format!("{group}/{} {kind}", version["name"].as_str().unwrap_or_default());
        all &= outcome.passed.contains(&key) && !outcome.failed.contains_key(&key);
        for line in outcome.failed.get(&key).into_iter().flatten() {
            println!("NOT ROUND-TRIPPED {}: {line}", definition.file);
        }
    }
    all
}
