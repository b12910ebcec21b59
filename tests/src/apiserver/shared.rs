//! One server for all tests of a binary.

use std::env;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, bail};

use super::{ApiServer, Options, binary, say};

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
    let ci = env::var_os("CI").is_some_and(|value| !value.is_empty());
    match absence(binary::obtainable()?, ci) {
        Absence::None => ApiServer::start(Options::default()).map(Some),
        Absence::Excused => Ok(None),
        Absence::Forbidden => {
            bail!(
                "no `go` on the PATH: tests against the real kube-apiserver may not be skipped where CI is set"
            )
        }
    }
}

/// What it means that a server can or cannot be had.
#[derive(Debug, PartialEq, Eq)]
enum Absence {
    None,
    Excused,
    Forbidden,
}

fn absence(obtainable: bool, ci: bool) -> Absence {
    match (obtainable, ci) {
        (true, _) => Absence::None,
        (false, false) => Absence::Excused,
        (false, true) => Absence::Forbidden,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuous_integration_may_not_skip() {
        let cases = [
            (true, true, Absence::None),
            (true, false, Absence::None),
            (false, false, Absence::Excused),
            (false, true, Absence::Forbidden),
        ];
        for (obtainable, ci, expected) in cases {
            assert_eq!(
                absence(obtainable, ci),
                expected,
                "obtainable {obtainable}, CI {ci}"
            );
        }
    }
}
