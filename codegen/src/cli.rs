//! The command line: `kubeloom generate` and `kubeloom snapshot`, and what looks at a cluster: `api-resources`, `api-versions`
//! and `get`.
//!
//! Exit codes: 0 all is well, 1 something is wrong with the input or, with `--check`, the crate is not what it should be,
//! 2 the command line cannot be understood. What was done goes to standard output, everything else to standard error.

mod api_resources;
mod api_versions;
mod columns;
mod get;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use indicatif::ProgressBar;

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::live::{self, Cluster};
use crate::output::{self, Drift};
use crate::provenance::{self, Recorded};
use crate::sources::{self, Descriptions, Documents, Snapshot, Source};
use crate::{Generated, Manifest, Options, Runtime, generate};

/// Generates typed Kubernetes clients from what an API server says about itself.
#[derive(Debug, Parser)]
#[command(name = "kubeloom", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes a crate of typed clients.
    Generate(Generate),
    /// Writes what an API server says about itself into a folder that can be committed.
    Snapshot(TakeSnapshot),
    /// Prints the resources that a cluster offers.
    ApiResources(api_resources::ApiResources),
    /// Prints the group-versions that a cluster offers.
    ApiVersions(api_versions::ApiVersions),
    /// Prints objects of any resource.
    Get(get::Get),
}

#[derive(Debug, Args)]
struct Generate {
    /// Snapshot folders, OpenAPI (v2, v3) and discovery files, CustomResourceDefinitions (JSON, YAML; files, folders, patterns, `-`
    /// for standard input); without any, the Kubernetes API that is built in.
    sources: Vec<PathBuf>,
    /// The folder of the crate. If it was generated before, and no option but --check and those of the cluster is
    /// given, all options are as they were, by its kubeloom.lock.json.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Groups or group-versions, such as core/v1,apps; all if left out.
    #[arg(long, value_delimiter = ',', value_name = "GROUPS")]
    groups: Vec<String>,
    /// The name of the crate; that of the folder if left out.
    #[arg(long)]
    name: Option<String>,
    /// Writes nothing; fails if the crate is not what it would be.
    #[arg(long)]
    check: bool,
    /// Takes version, lints and the runtime from the workspace that the crate is part of.
    #[arg(long, conflicts_with = "runtime_path")]
    workspace: bool,
    /// Where the runtime is, relative to the crate; from the registry if left out.
    #[arg(long, value_name = "PATH")]
    runtime_path: Option<String>,
    /// Takes Kubernetes' own types from the crate kubeloom-k8s, also where a definition repeats their fields.
    #[arg(long)]
    k8s: bool,
    /// Where kubeloom-k8s is, relative to the crate; from the registry if left out.
    #[arg(long, value_name = "PATH", conflicts_with = "workspace")]
    k8s_path: Option<String>,
    /// With --k8s: types of this crate also for schemas that repeat the fields of Kubernetes' own types.
    #[arg(long)]
    own_shapes: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Debug, Args)]
struct TakeSnapshot {
    /// Folders or files with raw documents; without any, the cluster is asked.
    sources: Vec<PathBuf>,
    /// The folder to write.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Leaves out the descriptions of types and fields.
    #[arg(long)]
    no_descriptions: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Debug, Default, Args)]
struct ClusterArgs {
    /// Asks the cluster that this file names.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Asks the cluster of this context.
    #[arg(long)]
    context: Option<String>,
}

impl ClusterArgs {
    fn is_given(&self) -> bool {
        self.kubeconfig.is_some() || self.context.is_some()
    }

    fn cluster(&self) -> Cluster {
        Cluster {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
        }
    }
}

/// Runs the command line of the process.
pub fn run() -> ExitCode {
    run_from(std::env::args_os())
}

/// Runs a command line. The first word names the program; an error of usage ends the process.
pub fn run_from(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let result = match Cli::parse_from(words).command {
        Command::Generate(command) => command.run(),
        Command::Snapshot(command) => command.run(),
        Command::ApiResources(command) => command.run(),
        Command::ApiVersions(command) => command.run(),
        Command::Get(command) => command.run(),
    };
    match result {
        Ok(code) => code,
        Err(report) => {
            show(&report);
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard output. A reader that has gone is no error.
fn say(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

fn show(report: &Report) {
    let coloured = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let _ = io::stderr().lock().write_all(report.render(coloured).as_bytes());
}

/// A line that moves, if someone looks on.
fn progress(message: &str) -> ProgressBar {
    let bar = ProgressBar::no_length();
    if io::stderr().is_terminal() {
        bar.enable_steady_tick(Duration::from_millis(100));
        bar.set_message(message.to_owned());
        if let Ok(style) = indicatif::ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
    } else {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    bar
}

/// What a cluster says; what it did not give is shown.
fn ask(cluster: &ClusterArgs, bar: &ProgressBar) -> Result<Documents, Report> {
    let fetched = live::fetch(&cluster.cluster(), &mut |request| {
        bar.set_message(request.to_owned())
    })?;
    bar.suspend(|| show(&fetched.warnings));
    Ok(fetched.documents)
}

fn read(paths: &[PathBuf], cluster: &ClusterArgs, bar: &ProgressBar) -> Result<Documents, Report> {
    let source = |path: &PathBuf| match path.as_os_str() == "-" {
        true => Source::Stdin,
        false => Source::Path(path.clone()),
    };
    let mut sources: Vec<Source> = paths.iter().map(source).collect();
    if cluster.is_given() {
        sources.push(Source::Documents(ask(cluster, bar)?));
    }
    sources::read(&sources)
}

impl Generate {
    fn run(&self) -> Result<ExitCode, Report> {
        let bar = progress("reading");
        let documents = read(&self.sources, &self.cluster, &bar)?;
        bar.set_message("generating");
        let recorded = std::fs::read(self.out.join(provenance::FILE)).ok();
        let recorded = recorded.and_then(|bytes| Recorded::read(&bytes));
        let options = self.options(recorded.as_ref());
        let generated = generate(&documents, &options)?;
        bar.finish_and_clear();
        show(&generated.warnings);
        match self.check {
            true => {
                let inputs = recorded.and_then(|recorded| recorded.other_inputs(&documents));
                self.compare(&generated, inputs.as_deref())
            }
            false => self.write(&generated, &options),
        }
    }

    /// Those of the command line; with none there, those of the run before.
    fn options(&self, recorded: Option<&Recorded>) -> Options {
        let given = self.workspace
            || self.runtime_path.is_some()
            || self.name.is_some()
            || !self.groups.is_empty()
            || self.wants_kubernetes()
            || self.own_shapes;
        if let Some(recorded) = recorded.filter(|_| !given) {
            return recorded.options.clone();
        }
        let folder = std::path::absolute(&self.out).unwrap_or_else(|_| self.out.clone());
        let folder = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let manifest = match (&self.runtime_path, self.workspace) {
            (_, true) => Manifest::Workspace,
            (Some(path), false) => Manifest::Standalone(Runtime::Path(path.clone())),
            (None, false) => Manifest::default(),
        };
        Options {
            name: self.name.clone().or(folder).unwrap_or_default(),
            groups: self.groups.clone(),
            manifest,
            kubernetes: self.wants_kubernetes().then(|| match &self.k8s_path {
                Some(path) => Runtime::Path(path.clone()),
                None => Runtime::default(),
            }),
            own_shapes: self.own_shapes,
        }
    }

    fn wants_kubernetes(&self) -> bool {
        self.k8s || self.k8s_path.is_some()
    }

    fn compare(&self, generated: &Generated, inputs: Option<&str>) -> Result<ExitCode, Report> {
        let drift =
            output::compare(&self.out, &generated.files).map_err(|error| io_report(&self.out, &error))?;
        if drift.is_empty() {
            say(&format!(
                "{} is up to date ({} files)\n",
                self.out.display(),
                generated.files.len()
            ));
            return Ok(ExitCode::SUCCESS);
        }
        let inputs = inputs.map_or_else(String::new, |how| {
            format!("It was made from other documents: {how}.\n")
        });
        say(&format!(
            "{drift}{} is not up to date. {inputs}To repair it:\n\n    {}\n",
            self.out.display(),
            self.command()
        ));
        Ok(ExitCode::FAILURE)
    }

    /// The command line that writes what `--check` compared.
    fn command(&self) -> String {
        let mut words = vec!["kubeloom".to_owned(), "generate".to_owned()];
        words.extend(self.sources.iter().map(|source| source.display().to_string()));
        words.extend(["--out".to_owned(), self.out.display().to_string()]);
        let mut option = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                words.extend([name.to_owned(), value]);
            }
        };
        option(
            "--groups",
            (!self.groups.is_empty()).then(|| self.groups.join(",")),
        );
        option("--name", self.name.clone());
        option("--runtime-path", self.runtime_path.clone());
        option("--k8s-path", self.k8s_path.clone());
        option(
            "--kubeconfig",
            self.cluster
                .kubeconfig
                .as_ref()
                .map(|path| path.display().to_string()),
        );
        option("--context", self.cluster.context.clone());
        for (name, given) in [
            ("--workspace", self.workspace),
            ("--k8s", self.k8s),
            ("--own-shapes", self.own_shapes),
        ] {
            if given {
                words.push(name.to_owned());
            }
        }
        words.iter().map(|word| shell(word)).collect::<Vec<_>>().join(" ")
    }

    fn write(&self, generated: &Generated, options: &Options) -> Result<ExitCode, Report> {
        let drift =
            output::write(&self.out, &generated.files).map_err(|error| io_report(&self.out, &error))?;
        say(&summary(&self.out, generated, options, &drift));
        Ok(ExitCode::SUCCESS)
    }
}

/// A word as a shell reads it back.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn summary(out: &Path, generated: &Generated, options: &Options, drift: &Drift) -> String {
    let counts = &generated.counts;
    let mut text = format!(
        "{} group-versions, {} resources, {} types with {} fields\n{}: {} files written, {} removed, {} unchanged\n",
        counts.group_versions,
        counts.resources,
        counts.types,
        counts.fields,
        out.display(),
        drift.missing.len() + drift.stale.len(),
        drift.orphan.len(),
        generated.files.len() - drift.missing.len() - drift.stale.len(),
    );
    let module = generated
        .files
        .keys()
        .find_map(|path| path.strip_prefix("src/")?.strip_suffix("/mod.rs"));
    if let Some(module) = module {
        let path = out.display().to_string();
        text.push_str(&format!(
            "\nTo use it, in Cargo.toml:\n\n    {} = {{ path = {path:?}, features = [\"{module}\"] }}\n\nand in an async fn:\n\n    \
             use {}::Clientset;\n    let clientset = Clientset::from_env().await?;\n    let api = clientset.{module}();\n",
            options.name,
            options.name.replace('-', "_"),
        ));
    }
    text
}

impl TakeSnapshot {
    fn run(&self) -> Result<ExitCode, Report> {
        let bar = progress("reading");
        let documents = match self.sources.is_empty() && !self.cluster.is_given() {
            true => ask(&self.cluster, &bar)?,
            false => read(&self.sources, &self.cluster, &bar)?,
        };
        let descriptions = if self.no_descriptions {
            Descriptions::Strip
        } else {
            Descriptions::Keep
        };
        let snapshot = Snapshot::from_documents(&documents, descriptions)?;
        snapshot
            .write(&self.out)
            .map_err(|error| io_report(&self.out, &error))?;
        bar.finish_and_clear();
        let bytes: usize = snapshot.files().values().map(Vec::len).sum();
        say(&format!(
            "{}: {} files, {} kB\n\nNext: kubeloom generate {} --out DIR\n",
            self.out.display(),
            snapshot.files().len(),
            bytes / 1000,
            shell(&self.out.display().to_string()),
        ));
        Ok(ExitCode::SUCCESS)
    }
}

fn io_report(path: &Path, error: &io::Error) -> Report {
    Diagnostic::new(
        Code::Io,
        Location::document(&path.to_string_lossy()),
        error.to_string(),
    )
    .into()
}
