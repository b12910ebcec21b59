//! A work queue and a controller that does nothing. Called as `PROGRAM WHAT COUNT THREADS`; prints what it took as a JSON
//! object.
//!
//! - `integers`, `names`: each of THREADS tasks, on as many threads, adds a key, gets one and is done with it, until there
//!   were COUNT runs. No key comes twice: one that is added while it is with a worker that was put to sleep would make
//!   the others wait.
//! - `first`, `again`: a controller with THREADS workers is run for each of COUNT objects, from the start of its informer;
//!   or twenty times more, by adding all keys to its queue.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use kubeloom::cache::{Changes, InformerOptions, ListEnd, ListWatch, ObjectKey, SharedInformer};
use kubeloom::controller::{Action, Controller, Outcome};
use kubeloom::meta::ObjectMeta;
use kubeloom::rest::{GroupVersionResource, ListOptions, WatchOptions};
use kubeloom::workqueue::{Key, WorkQueue};
use kubeloom_k8s::core_v1::ConfigMap;
use peer_harness::{cpu_now, nanos};
use serde_json::json;

/// How often all keys are added again.
const ROUNDS: usize = 20;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, count, threads] = &args[..] else {
        bail!("usage: WHAT COUNT THREADS");
    };
    let count: usize = count.parse().context("COUNT")?;
    let threads: usize = threads.parse().context("THREADS")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()?;
    let (wall, cpu, runs) = runtime.block_on(async {
        match what.as_str() {
            "integers" => queue(count, threads, |task, key| ((task << 32) + key) as u64).await,
            "names" => queue(count, threads, name).await,
            "first" => Ok(reconcile(count, threads).await?.0),
            "again" => Ok(reconcile(count, threads).await?.1),
            _ => bail!("WHAT is integers, names, first or again"),
        }
    })?;
    println!("{}", json!({"wall_ns": wall, "cpu_ns": cpu, "runs": runs}));
    Ok(())
}

/// Wall time, processor time, runs.
type Took = (u64, u64, usize);

fn name(task: usize, key: usize) -> ObjectKey {
    ObjectKey::namespaced(format!("namespace-{task}"), format!("config-map-{key:06}"))
}

async fn queue<T: Key>(count: usize, tasks: usize, key: impl Fn(usize, usize) -> T) -> Result<Took> {
    let queue = WorkQueue::<T>::new();
    let each = count / tasks;
    let keys: Vec<Vec<T>> = (0..tasks)
        .map(|task| (0..each).map(|number| key(task, number)).collect())
        .collect();
    let (cpu, start) = (cpu_now(), Instant::now());
    let spawned = tasks;
    let tasks: Vec<_> = keys
        .into_iter()
        .map(|keys| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let mut runs = 0;
                for key in &keys {
                    queue.add(key.clone());
                    if let Some(item) = queue.get().await {
                        drop(item);
                        runs += 1;
                    }
                }
                runs
            })
        })
        .collect();
    let mut runs = 0;
    for task in tasks {
        runs += task.await?;
    }
    let took = (nanos(start), cpu_now() - cpu, runs);
    ensure!(runs == each * spawned, "{runs} runs");
    Ok(took)
}

/// Objects that are there and do not change.
struct Source(Vec<ConfigMap>);

impl ListWatch for Source {
    type Object = ConfigMap;

    fn resource(&self) -> GroupVersionResource {
        GroupVersionResource::of::<ConfigMap>()
    }

    fn list<'a>(
        &'a self,
        _options: ListOptions,
        take: &'a mut (dyn FnMut(ConfigMap) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, kubeloom::Error>> {
        self.0.iter().cloned().for_each(take);
        let mut end = ListEnd::default();
        end.metadata.resource_version = "1".into();
        std::future::ready(Ok(end)).boxed()
    }

    fn watch(&self, _options: WatchOptions) -> BoxFuture<'_, Result<Changes<ConfigMap>, kubeloom::Error>> {
        let nothing: Changes<ConfigMap> = Box::pin(futures_util::stream::pending());
        std::future::ready(Ok(nothing)).boxed()
    }

    fn streams_lists(&self) -> bool {
        false
    }
}

fn objects(count: usize) -> Vec<ConfigMap> {
    (0..count)
        .map(|number| ConfigMap {
            metadata: ObjectMeta {
                namespace: "default".into(),
                name: format!("config-map-{number:06}").into(),
                uid: format!("uid-{number}").into(),
                resource_version: "1".into(),
                ..Default::default()
            },
            ..Default::default()
        })
        .collect()
}

async fn reconcile(count: usize, workers: usize) -> Result<(Took, Took)> {
    let source = Source(objects(count));
    let (cpu, start) = (cpu_now(), Instant::now());
    let informer = SharedInformer::with_options(source, InformerOptions::default());
    let lister = informer.lister();
    let controller = Controller::new("nothing").reconciles(&informer).workers(workers);
    let handle = controller.start(move |_, key| {
        let found = lister.namespace(&key.namespace).require(&key.name);
        std::future::ready(found.map(|_| Action::Done))
    });
    let all = |runs: u64| {
        let handle = handle.clone();
        async move {
            while handle.status().count(Outcome::Done) < runs {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    };
    all(count as u64).await;
    let first = (nanos(start), cpu_now() - cpu, count);
    let keys: Vec<ObjectKey> = informer.store().list().iter().map(|object| ObjectKey::of(&**object)).collect();
    let keys = Arc::new(keys);
    let (cpu, start) = (cpu_now(), Instant::now());
    for round in 1..=ROUNDS {
        for key in keys.iter() {
            handle.trigger(key.clone());
        }
        all((count * (round + 1)) as u64).await;
    }
    let again = (nanos(start), cpu_now() - cpu, count * ROUNDS);
    let done = handle.status().count(Outcome::Done);
    ensure!(done == (count * (ROUNDS + 1)) as u64, "{done} runs");
    handle.stop().await;
    Ok((first, again))
}
