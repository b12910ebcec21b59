//! `compare`: Kubeloom beside what its users would take instead, measured in one run on one machine.
//!
//! The programs that are measured live in `tests/peers`, one for each library, all with the same command line. They are run
//! in turns, so that what disturbs the machine disturbs all of them; of many samples the least counts. Ratios of one run
//! mean something, times of two runs do not.
//!
//! | module | what it is |
//! |---|---|
//! | [`cache`] | `compare cache`: informers, stores, queues |
//! | [`client`] | `compare client`: calls to a real API server |
//! | [`mod@derive`] | `compare derive`: ten derived kinds, expanded and compiled |
//! | [`queue`] | `compare queue`: work queues, and a controller that does nothing |
//! | [`types`] | `compare types`: decoding, encoding, memory, compilation, binaries |
//! | `fixed` | a server that costs nothing, for `cache` |
//! | `peers` | builds and runs the programs |
//! | `report` | rows, ratios and goals, as a table or as JSON |

pub mod cache;
pub mod client;
pub mod derive;
mod fixed;
mod peers;
pub mod queue;
mod report;
pub mod types;

/// Arguments of `compare`.
#[derive(clap::Args, Debug)]
pub struct CompareArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Informers, stores and queues: time, memory.
    Cache(cache::CacheArgs),
    /// Calls of a small object to a real API server: processor time and calls a second.
    Client(client::ClientArgs),
    /// Ten derived kinds beside kube-derive's: expansion and compilation.
    Derive(derive::DeriveArgs),
    /// Work queues and controllers: processor time and time for each run.
    Queue(queue::QueueArgs),
    /// Types and their encodings: time, memory, compilation, binaries.
    Types(types::TypesArgs),
}

/// Measures and prints.
///
/// # Errors
/// When a program cannot be built or fails, or when the libraries do not agree about the data.
pub fn run(args: CompareArgs) -> anyhow::Result<()> {
    match args.what {
        What::Cache(args) => cache::run(&args),
        What::Client(args) => client::run(&args),
        What::Derive(args) => derive::run(&args),
        What::Queue(args) => queue::run(&args),
        What::Types(args) => types::run(&args),
    }
}

/// What a reader has to know of the machine.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    format!("{cores} cores, load {load} at the start; ratios are of the least figures")
}
