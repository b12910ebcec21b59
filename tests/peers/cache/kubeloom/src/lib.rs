//! Kubeloom's informer, store and queues, measured. See `peer_harness::caches` for the command line.

use std::alloc::System;
use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use kubeloom::RestClient;
use kubeloom::cache::{
    ApiListWatch, DeltaFifo, Event, Index, Indexer, InformerOptions, InOrderQueue, PackedOptions, Queue, SharedInformer,
    Sink, Storage,
};
use kubeloom::meta::List;
use kubeloom::wire::{Format, Wire};
use kubeloom_k8s::core_v1::Pod;
use peer_harness::caches::{Figures, MARK, Meter, args, forget_peak, number};
use stats_alloc::StatsAlloc;

type Counter = Option<&'static StatsAlloc<System>>;

/// Runs what the command line says.
///
/// # Errors
/// Whatever goes wrong.
pub fn run(counter: Counter) -> Result<()> {
    let (op, arguments) = args()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match op.as_str() {
        "informer" => runtime.block_on(informer(&arguments, counter)),
        "relist" => runtime.block_on(relist(&arguments, counter)),
        "store" => store(&arguments, counter),
        "queue" => queue(&arguments),
        other => bail!("no operation {other:?}"),
    }
}

fn storage(form: Option<&String>) -> Storage {
    match form.map(String::as_str) {
        Some("packed") => Storage::Packed(PackedOptions::default()),
        _ => Storage::Whole,
    }
}

/// What a handler has seen.
#[derive(Default)]
struct Seen {
    updates: AtomicUsize,
    marks: AtomicUsize,
}

async fn synced(pods: usize, form: Option<&String>, counter: Counter) -> Result<(SharedInformer<Pod>, Arc<Seen>)> {
    let client = RestClient::from_env().await?;
    let meter = Meter::start(counter);
    let mut options = InformerOptions::default();
    options.storage = storage(form);
    let informer = SharedInformer::with_options(ApiListWatch::<Pod>::new(&client, None), options);
    let seen = Arc::new(Seen::default());
    let saw = seen.clone();
    informer.add_event_handler(move |event: Event<Pod>| {
        if let Event::Updated { new, .. } = &event {
            saw.updates.fetch_add(1, Ordering::Relaxed);
            if new.metadata.resource_version == MARK {
                saw.marks.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    informer.start();
    informer.wait_synced().await?;
    ensure!(informer.store().len() == pods, "{} pods", informer.store().len());
    meter.print(pods)?;
    Ok((informer, seen))
}

async fn reach(counter: &AtomicUsize, count: usize) {
    while counter.load(Ordering::Relaxed) < count {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn informer(arguments: &[String], counter: Counter) -> Result<()> {
    let events = number(arguments, 1)?;
    let (_informer, seen) = synced(number(arguments, 0)?, arguments.get(2), counter).await?;
    let meter = Meter::start(counter);
    reach(&seen.updates, events).await;
    meter.print(events)
}

async fn relist(arguments: &[String], counter: Counter) -> Result<()> {
    let pods = number(arguments, 0)?;
    let (informer, seen) = synced(pods, arguments.get(1), counter).await?;
    forget_peak()?;
    let meter = Meter::start(counter);
    reach(&seen.marks, 1).await;
    ensure!(informer.store().len() == pods, "{} pods", informer.store().len());
    meter.print(pods)
}

fn pods(arguments: &[String]) -> Result<Vec<Arc<Pod>>> {
    let path = arguments.first().context("FILE is missing")?;
    let body = fs::read(path).with_context(|| format!("read {path}"))?;
    Ok(List::<Pod>::decode(Format::Protobuf, &body)?.items.into_iter().map(Arc::new).collect())
}

/// The same pods in another version, and in other memory.
fn changed(pods: &[Arc<Pod>]) -> Vec<Arc<Pod>> {
    let again = pods.iter().map(|pod| {
        let mut pod = (**pod).clone();
        pod.metadata.resource_version = "999".into();
        Arc::new(pod)
    });
    again.collect()
}

type ByNode = Index<Pod, kubeloom::Str>;

fn indexed(storage: &Storage) -> Result<(Indexer<Pod>, ByNode)> {
    let store = Indexer::with_storage(storage);
    store.add_index("namespace", |pod: &Pod| vec![pod.metadata.namespace.clone()])?;
    let nodes = store.add_index("node", |pod: &Pod| vec![pod.spec.node_name.clone()])?;
    Ok((store, nodes))
}

fn store(arguments: &[String], counter: Counter) -> Result<()> {
    let (threads, rounds) = (number(arguments, 1)?, number(arguments, 2)?);
    let storage = storage(arguments.get(3));
    let first = pods(arguments)?;
    let mut figures = Figures::default();
    if counter.is_some() {
        let (store, _nodes) = indexed(&storage)?;
        let count = first.len();
        let meter = Meter::start(counter);
        for pod in first {
            store.put(pod);
        }
        meter.print(count)?;
        return figures_of_packed(&store, figures);
    }
    let second = changed(&first);
    let keys: Vec<_> = first.iter().map(|pod| (pod.metadata.namespace.clone(), pod.metadata.name.clone())).collect();
    let share = |thread: usize| (first.len() * thread / threads)..(first.len() * (thread + 1) / threads);
    for _ in 0..rounds {
        let (store, nodes) = indexed(&storage)?;
        let put = |from: &[Arc<Pod>], thread: usize| {
            for pod in &from[share(thread)] {
                store.put(pod.clone());
            }
        };
        figures.measure("add", 1, threads, first.len(), |thread| put(&first, thread));
        figures.measure("update", 1, threads, first.len(), |thread| put(&second, thread));
        // All threads read all, in an order of their own.
        figures.measure("get", 1, threads, threads * keys.len(), |thread| {
            for place in 0..keys.len() {
                let (namespace, name) = &keys[(place * 7919 + thread * 13) % keys.len()];
                black_box(store.get(namespace, name).is_some());
            }
        });
        let values = nodes.values();
        figures.measure("by index, for an object", 1, threads, threads * keys.len(), |_| {
            for value in &values {
                black_box(nodes.get(value.as_str()));
            }
        });
    }
    figures.print()
}

fn figures_of_packed(store: &Indexer<Pod>, mut figures: Figures) -> Result<()> {
    if let Some(stats) = store.packed_stats() {
        figures.note("packed", stats.packed as f64);
        figures.note("dictionaries", stats.dictionaries as f64);
        figures.note("dictionary bytes", stats.dictionary_bytes as f64);
        figures.note("parcel bytes", stats.bytes as f64);
        figures.print()?;
    }
    Ok(())
}

fn queue(arguments: &[String]) -> Result<()> {
    let (pods, rounds) = (pods(arguments)?, number(arguments, 1)?);
    let mut figures = Figures::default();
    let store = Indexer::new();
    let delta_fifo: Arc<dyn Queue<Pod>> = Arc::new(DeltaFifo::new(&store));
    through(&mut figures, "DeltaFIFO", rounds, &delta_fifo, &store, &pods);
    let store = Indexer::new();
    let in_order: Arc<dyn Queue<Pod>> = Arc::new(InOrderQueue::new(&store));
    through(&mut figures, "in-order queue", rounds, &in_order, &store, &pods);
    figures.print()
}

fn through(
    figures: &mut Figures,
    name: &str,
    rounds: usize,
    queue: &Arc<dyn Queue<Pod>>,
    store: &Indexer<Pod>,
    pods: &[Arc<Pod>],
) {
    let sink: Arc<dyn Sink<Pod>> = queue.clone();
    figures.measure(name, rounds, 1, pods.len(), |_| {
        for pod in pods {
            sink.add(pod.clone());
        }
        while let Poll::Ready(Some(batch)) = queue.poll_pop(&mut TaskContext::from_waker(Waker::noop())) {
            for delta in batch.deltas {
                if let Some(object) = delta.object() {
                    store.put(object.clone());
                }
            }
        }
    });
}
