//! One server for all tests of a binary.

use std::sync::OnceLock;

use anyhow::{Result, anyhow};

use super::{ApiServer, Options, binary};
use crate::say;

/// The test binary's server, started by the first caller while the others wait; it ends with the process.
///
/// `None` where it cannot be had: there is no Go toolchain, nor a binary built earlier. That is said on standard error
/// and, where the environment variable `CI` is set, an error instead.
///
/// Tests share it, so each works in a namespace of its own ([`ApiServer::namespace`]) and names its cluster-scoped
/// objects uniquely.
///
/// # Errors
/// When the build or the start fails; each caller gets the same words.
pub fn shared() -> Result<Option<&'static ApiServer>> {
    static SHARED: OnceLock<Result<Option<ApiServer>, String>> = OnceLock::new();
    match SHARED.get_or_init(|| start().map_err(|error| format!("{error:#}"))) {
        Ok(server) => Ok(server.as_ref()),
        Err(words) => Err(anyhow!("{words}")),
    }
}

fn start() -> Result<Option<ApiServer>> {
    match binary::program()?.obtainable_or_skip()? {
        true => ApiServer::start(Options::default()).map(Some),
        false => Ok(None),
    }
}

/// Says that a test is skipped for want of a server. For [`require_apiserver!`](crate::require_apiserver).
#[doc(hidden)]
pub fn skipped(test: &str) {
    say(&format!(
        "SKIPPED {test}: no `go` on the PATH to build kube-apiserver with"
    ));
}

/// The shared server of the test binary; returns from the test, loudly, where it cannot be had.
///
/// A test that returns something names it: `require_apiserver!(Ok(()))`. Panics when the server does not start, and
/// where Go is missing although the environment variable `CI` is set.
///
/// ```no_run
/// # fn main() {
/// let server = kubeloom_tests::require_apiserver!();
/// let namespace = server.namespace("pods").unwrap();
/// # }
/// ```
#[macro_export]
macro_rules! require_apiserver {
    () => {
        $crate::require_apiserver!(())
    };
    ($otherwise:expr) => {
        match $crate::apiserver::shared() {
            ::core::result::Result::Ok(::core::option::Option::Some(server)) => server,
            ::core::result::Result::Ok(::core::option::Option::None) => {
                let here = ::std::concat!(
                    ::std::module_path!(),
                    " (",
                    ::std::file!(),
                    ":",
                    ::std::line!(),
                    ")"
                );
                $crate::apiserver::skipped(here);
                return $otherwise;
            }
            ::core::result::Result::Err(error) => ::core::panic!("{error:#}"),
        }
    };
}
