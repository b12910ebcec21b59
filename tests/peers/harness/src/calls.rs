//! What the programs that make calls share. They are called as `PROGRAM COUNT AT_ONCE NAMESPACE NAME`, find the server by the
//! environment variable `KUBECONFIG`, and print what all calls took as a JSON object.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;

/// The arguments of a program.
#[derive(Clone, Debug)]
pub struct Args {
    /// How many calls.
    pub count: usize,
    /// How many of them at once.
    pub at_once: usize,
    /// The object's namespace.
    pub namespace: String,
    /// The object's name.
    pub name: String,
}

/// Reads the arguments of the process.
///
/// # Errors
/// When they are not as they should be.
pub fn args() -> Result<Args> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [count, at_once, namespace, name] = &args[..] else {
        anyhow::bail!("usage: COUNT AT_ONCE NAMESPACE NAME");
    };
    Ok(Args {
        count: count.parse().context("COUNT")?,
        at_once: at_once.parse().context("AT_ONCE")?,
        namespace: namespace.clone(),
        name: name.clone(),
    })
}

/// Makes the calls and prints what they took. A first one that connects is not counted. `call` says how many entries the
/// object's data have.
///
/// # Errors
/// The first call's that fails, or objects that are not the same.
pub async fn run<F, R>(args: &Args, call: F) -> Result<()>
where
    F: Fn() -> R + Clone + Send + 'static,
    R: Future<Output = Result<usize>> + Send + 'static,
{
    let entries = call().await?;
    let left = Arc::new(AtomicUsize::new(args.count));
    let (cpu, start) = (crate::cpu_now(), Instant::now());
    let workers: Vec<_> = (0..args.at_once)
        .map(|_| {
            let (call, left) = (call.clone(), left.clone());
            tokio::spawn(async move {
                let take = |left: usize| left.checked_sub(1);
                while left
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                    .is_ok()
                {
                    ensure!(call().await? == entries, "the object has changed");
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    let (wall, cpu) = (crate::nanos(start), crate::cpu_now() - cpu);
    println!(
        "{}",
        json!({"wall_ns": wall, "cpu_ns": cpu, "calls": args.count, "entries": entries})
    );
    Ok(())
}
