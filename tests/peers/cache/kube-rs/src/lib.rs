//! kube-rs' reflector and store, measured. See `peer_harness::caches` for the command line.

use std::alloc::System;
use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures_util::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectList;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, ResourceExt};
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
        other => bail!("no operation {other:?}"),
    }
}

async fn synced(pods: usize, counter: Counter) -> Result<(Store<Pod>, Arc<AtomicUsize>)> {
    let api: Api<Pod> = Api::all(Client::try_default().await?);
    let meter = Meter::start(counter);
    let (reader, writer) = reflector::store();
    let seen = Arc::new(AtomicUsize::new(0));
    let saw = seen.clone();
    let events = watcher(api, watcher::Config::default()).reflect(writer).touched_objects();
    tokio::spawn(events.for_each(move |_| {
        saw.fetch_add(1, Ordering::Relaxed);
        async {}
    }));
    reader.wait_until_ready().await?;
    ensure!(reader.len() == pods, "{} pods", reader.len());
    meter.print(pods)?;
    Ok((reader, seen))
}

async fn informer(arguments: &[String], counter: Counter) -> Result<()> {
    let (pods, events) = (number(arguments, 0)?, number(arguments, 1)?);
    let (_reader, seen) = synced(pods, counter).await?;
    let meter = Meter::start(counter);
    while seen.load(Ordering::Relaxed) < pods + events {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    meter.print(events)
}

async fn relist(arguments: &[String], counter: Counter) -> Result<()> {
    let pods = number(arguments, 0)?;
    let (reader, _seen) = synced(pods, counter).await?;
    forget_peak()?;
    let meter = Meter::start(counter);
    let is_mark = |pod: &Pod| pod.resource_version().as_deref() == Some(MARK);
    while reader.find(is_mark).is_none() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ensure!(reader.len() == pods, "{} pods", reader.len());
    meter.print(pods)
}

fn store(arguments: &[String], counter: Counter) -> Result<()> {
    let (threads, rounds) = (number(arguments, 1)?, number(arguments, 2)?);
    let path = arguments.first().context("FILE is missing")?;
    let path = path.replace(".protobuf", ".json");
    let list: ObjectList<Pod> = serde_json::from_slice(&fs::read(&path).with_context(|| path.clone())?)?;
    let pods = list.items;
    let mut figures = Figures::default();
    if counter.is_some() {
        let (_reader, mut writer) = reflector::store();
        let count = pods.len();
        let meter = Meter::start(counter);
        for pod in pods {
            writer.apply_watcher_event(&watcher::Event::Apply(pod));
        }
        return meter.print(count);
    }
    for _ in 0..rounds {
        let (reader, writer) = reflector::store();
        let writer = std::sync::Mutex::new(writer);
        let events: Vec<_> = pods.iter().map(|pod| watcher::Event::Apply(pod.clone())).collect();
        if threads == 1 {
            // There is one writer, of one thread.
            for name in ["add", "update"] {
                figures.measure(name, 1, 1, pods.len(), |_| {
                    if let Ok(mut writer) = writer.lock() {
                        events.iter().for_each(|event| writer.apply_watcher_event(event));
                    }
                });
            }
        } else if let Ok(mut writer) = writer.lock() {
            events.iter().for_each(|event| writer.apply_watcher_event(event));
        }
        let keys: Vec<_> = pods.iter().map(ObjectRef::from_obj).collect();
        figures.measure("get", 1, threads, threads * keys.len(), |thread| {
            for place in 0..keys.len() {
                black_box(reader.get(&keys[(place * 7919 + thread * 13) % keys.len()]).is_some());
            }
        });
    }
    figures.print()
}
