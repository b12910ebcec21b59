//! `kubeloom-tests apiserver`: a real kube-apiserver in the foreground.

use std::fs;
use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use crate::apiserver::{ApiServer, Options, binary};
use anyhow::{Context, Result, bail};
use tokio::runtime;
use tokio::signal;
use tokio::time::sleep;

/// How often the server's process is looked at.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub struct ApiserverArgs {
    /// Turn a feature gate on or off; may be given several times
    #[arg(long = "feature-gate", value_name = "NAME=BOOL", value_parser = feature_gate)]
    feature_gates: Vec<(String, bool)>,

    /// Port on 127.0.0.1; a free one when absent
    #[arg(long)]
    port: Option<u16>,

    /// Folder to keep the data in; a temporary one, removed at the end, when absent
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// File with an audit policy; the audit log is then audit.log in the data folder
    #[arg(long, value_name = "FILE")]
    audit_policy: Option<PathBuf>,

    /// Further flags of kube-apiserver, after `--`
    #[arg(last = true, value_name = "FLAG")]
    extra_args: Vec<String>,
}

/// Starts the server, says how to use it, and stops it at Ctrl-C or SIGTERM.
///
/// # Errors
/// As [`ApiServer::start`]; also when the server ends by itself or standard output is closed before all is said.
pub fn run(args: ApiserverArgs) -> Result<()> {
    // A build takes minutes; a signal ends it, as nothing has to be stopped yet.
    binary::program()?.build()?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the runtime")?;
    // Signals are taken before the server starts, so that one in between is not lost.
    let end_requested = {
        let _entered = runtime.enter();
        end_requested()?
    };
    let mut server = ApiServer::start(options(args)?)?;
    announce(&server)?;
    runtime.block_on(async {
        let mut end_requested = pin!(end_requested);
        loop {
            tokio::select! {
                () = &mut end_requested => return Ok(()),
                () = sleep(WATCH_EVERY) => if !server.is_running()? {
                    bail!("kube-apiserver has ended by itself; the end of its log:\n{}", server.log_tail());
                },
            }
        }
    })?;
    server.stop()
}

/// Takes Ctrl-C and SIGTERM from now on; the future ends with the first of them.
#[cfg(unix)]
fn end_requested() -> Result<impl Future<Output = ()>> {
    let mut interrupt = signal::unix::signal(signal::unix::SignalKind::interrupt())?;
    let mut terminate = signal::unix::signal(signal::unix::SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends with the first Ctrl-C.
#[cfg(not(unix))]
fn end_requested() -> Result<impl Future<Output = ()>> {
    Ok(async { signal::ctrl_c().await.unwrap_or_default() })
}

fn options(args: ApiserverArgs) -> Result<Options> {
    let audit_policy = args
        .audit_policy
        .map(|path| fs::read_to_string(&path).with_context(|| format!("read {}", path.display())))
        .transpose()?;
    Ok(Options {
        feature_gates: args.feature_gates.into_iter().collect(),
        port: args.port,
        data_dir: args.data_dir,
        audit_policy,
        extra_args: args.extra_args,
        ..Options::default()
    })
}

fn announce(server: &ApiServer) -> Result<()> {
    let kubeconfig = server.kubeconfig_path();
    let kubeconfig = kubeconfig.display();
    let mut out = stdout().lock();
    writeln!(out, "kube-apiserver serves on {}", server.url())?;
    writeln!(out, "  log         {}", server.log().display())?;
    writeln!(out, "  kubeconfig  {kubeconfig}")?;
    writeln!(
        out,
        "  try         kubectl --kubeconfig {kubeconfig} api-resources"
    )?;
    writeln!(out, "              export KUBECONFIG={kubeconfig}")?;
    writeln!(out, "Ctrl-C stops it.")?;
    out.flush()?;
    Ok(())
}

fn feature_gate(text: &str) -> Result<(String, bool), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=true or NAME=false")?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(format!("{name:?} is no name of a feature gate"));
    }
    let on = value
        .parse()
        .map_err(|_| format!("{value:?} is neither true nor false"))?;
    Ok((name.to_owned(), on))
}

#[cfg(test)]
mod tests {
    use super::feature_gate;

    #[test]
    fn feature_gates_are_names_with_a_value() {
        let cases = [
            ("A=true", Some(("A", true))),
            (
                "CBORServingAndStorage=false",
                Some(("CBORServingAndStorage", false)),
            ),
            ("A", None),
            ("A=", None),
            ("A=yes", None),
            ("=true", None),
            ("A=true,B=true", None),
            ("A B=true", None),
        ];
        for (text, expected) in cases {
            let parsed = feature_gate(text).ok();
            assert_eq!(
                parsed.as_ref().map(|(name, on)| (name.as_str(), *on)),
                expected,
                "{text:?}"
            );
        }
    }
}
