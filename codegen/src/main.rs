//! The command line of Kubeloom's generator.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubeloom_codegen::cli::run()
}
