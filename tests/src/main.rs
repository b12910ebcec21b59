//! The command line of the harnesses.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kubeloom_tests::commands;

#[derive(Parser)]
#[command(
    name = "kubeloom-tests",
    about = "Harnesses and maintenance tools of Kubeloom"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a real kube-apiserver (with etcd, without controllers) until Ctrl-C.
    Apiserver(commands::apiserver::ApiserverArgs),
    /// Follow a real server through faults, under load; fails if anything diverges.
    Chaos(commands::chaos::ChaosArgs),
    /// Write or check the table of client-go's methods.
    ClientGo(commands::client_go::ClientGoArgs),
    /// Compare with client-go and kube-rs: a table with ratios.
    Compare(commands::compare::CompareArgs),
    /// Let everything go wrong around candidates of a leader election: at most one leads at any moment.
    Election(commands::election::ElectionArgs),
    /// Be a candidate: for `election`.
    #[command(hide = true)]
    ElectionCandidate(commands::election::CandidateArgs),
    /// Generate, compile and send objects through every CustomResourceDefinition of folders.
    Corpus(commands::corpus::CorpusArgs),
    /// Check that each feature of a generated crate compiles alone.
    Features(commands::features::FeaturesArgs),
    /// Write or check the test sources that list what was generated.
    Tables(commands::tables::TablesArgs),
    /// Write or check the fact table of the Kubernetes types.
    Facts(commands::facts::FactsArgs),
    /// Be the command line of the generator: for tests that run it as a process.
    #[command(hide = true, disable_help_flag = true)]
    Kubeloom {
        /// The words after `kubeloom`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        Command::Apiserver(args) => commands::apiserver::run(args),
        Command::Chaos(args) => commands::chaos::run(args),
        Command::ClientGo(args) => commands::client_go::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Election(args) => commands::election::run(args),
        Command::ElectionCandidate(args) => commands::election::run_candidate(args),
        Command::Corpus(args) => commands::corpus::run(args),
        Command::Features(args) => commands::features::run(args),
        Command::Tables(args) => commands::tables::run(args),
        Command::Facts(args) => commands::facts::run(args),
        Command::Kubeloom { words } => {
            let program = std::iter::once(OsString::from("kubeloom"));
            return Ok(kubeloom_codegen::cli::run_from(program.chain(words)));
        }
    }?;
    Ok(ExitCode::SUCCESS)
}
