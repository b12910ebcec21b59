//! `compare`: Kubeloom beside what its users would take instead, measured in one run on one machine.
//!
//! The programs that are measured live in `tests/peers`, one for each library, all with the same command line. They are run
//! in turns, so that what disturbs the machine disturbs all of them; of many samples the least counts. Ratios of one run
//! mean something, times of two runs do not.
//!
//! | module | what it is |
//! |---|---|
//! | [`types`] | `compare types`: decoding, encoding, memory, compilation, binaries |
//! | `peers` | builds and runs the programs |
//! | `report` | rows, ratios and goals, as a table or as JSON |

mod peers;
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
    /// Types and their encodings: time, memory, compilation, binaries.
    Types(types::TypesArgs),
}

/// Measures and prints.
///
/// # Errors
/// When a program cannot be built or fails, or when the libraries do not agree about the data.
pub fn run(args: CompareArgs) -> anyhow::Result<()> {
    match args.what {
        What::Types(args) => types::run(&args),
    }
}
