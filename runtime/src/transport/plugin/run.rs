//! One run of a credential plugin.

use std::io::{IsTerminal, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::protocol::{self, Answer};
use crate::config::{ExecConfig, InteractiveMode};
use crate::transport::{TransportError, TransportErrorKind};

/// The longest answer that is read; a plugin that prints more is broken.
const LIMIT: u64 = 1 << 20;

/// Runs the program and reads its answer. Blocks for as long as the program runs; what it writes to the standard error
/// output goes where this process's goes, for it may talk to the user there. With `hint`, a program that is not there is
/// an error that says how to install it.
pub(super) fn run(exec: &ExecConfig, cluster: Option<&Value>, hint: bool) -> Result<Answer, TransportError> {
    let fail = |problem: &str| {
        let message = format!("the credential plugin {:?} failed: {problem}", exec.command);
        TransportError::new(TransportErrorKind::Credentials, message)
    };
    let interactive = interactive(exec.interactive_mode, std::io::stdin().is_terminal()).map_err(fail)?;
    let mut child = Command::new(&exec.command)
        .args(exec.args.iter().map(|arg| arg.expose()))
        .envs(exec.env.iter().map(|(name, value)| (name, value.expose())))
        .env("KUBERNETES_EXEC_INFO", protocol::info(exec, cluster, interactive))
        .stdin(if interactive {
            Stdio::inherit()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| {
            let hint = match (&exec.install_hint, error.kind()) {
                (Some(text), std::io::ErrorKind::NotFound) if hint => format!("\n\n{text}"),
                _ => String::new(),
            };
            fail(&format!("it cannot be started: {}{hint}", error.kind())).with_source(error)
        })?;
    let mut output = Vec::new();
    let read = match child.stdout.take() {
        Some(stdout) => stdout.take(LIMIT + 1).read_to_end(&mut output),
        None => Ok(0),
    };
    let too_long = output.len() as u64 > LIMIT;
    if too_long || read.is_err() {
        // It may have ended already.
        let _ = child.kill();
    }
    let ended = child
        .wait()
        .map_err(|error| fail("how it ended is not known").with_source(error))?;
    read.map_err(|error| fail("its output cannot be read").with_source(error))?;
    let answer = match (too_long, ended.success()) {
        (true, _) => Err(format!("its output is longer than {LIMIT} bytes")),
        (false, false) => Err(format!("it ended with {ended}")),
        (false, true) => protocol::parse(exec, &output),
    };
    zeroize::Zeroize::zeroize(&mut output);
    answer.map_err(|problem| fail(&problem))
}

/// Whether the program gets the standard input.
fn interactive(mode: InteractiveMode, terminal: bool) -> Result<bool, &'static str> {
    match (mode, terminal) {
        (InteractiveMode::Never, _) => Ok(false),
        (InteractiveMode::IfAvailable, terminal) => Ok(terminal),
        (InteractiveMode::Always, true) => Ok(true),
        (InteractiveMode::Always, false) => {
            Err("it needs a terminal to talk to the user, and the standard input is none")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_input_is_handed_out_by_the_mode() {
        let check = |mode, terminal, expected: Option<bool>| {
            assert_eq!(interactive(mode, terminal).ok(), expected, "{mode:?} {terminal}");
        };
        check(InteractiveMode::Never, true, Some(false));
        check(InteractiveMode::Never, false, Some(false));
        check(InteractiveMode::IfAvailable, true, Some(true));
        check(InteractiveMode::IfAvailable, false, Some(false));
        check(InteractiveMode::Always, true, Some(true));
        check(InteractiveMode::Always, false, None);
    }
}
