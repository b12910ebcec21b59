//! The command line of the generator as a process.
//!
//! The binary of this crate stands in for `kubeloom`: cargo builds it with each test, whereas that of another crate would be built
//! a second time with other features.

use std::env::current_exe;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A [`Command`](std::process::Command) that is `kubeloom`; its arguments follow. For integration tests of this crate.
#[macro_export]
macro_rules! kubeloom_command {
    () => {{
        let mut command = ::std::process::Command::new(::core::env!("CARGO_BIN_EXE_kubeloom-tests"));
        command.arg("kubeloom");
        command
    }};
}

/// The target folder that the running test is in.
///
/// # Errors
/// When the program does not stand where cargo puts tests.
pub fn target_dir() -> Result<PathBuf> {
    // target/debug/deps/test
    let here = current_exe().context("where is this test?")?;
    let found = here.ancestors().nth(3).map(Path::to_owned);
    found.context("this program is no test of cargo's")
}
