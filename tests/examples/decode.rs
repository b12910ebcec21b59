//! How fast a list of pods is read and written: our reader beside the serde path, in one run.
//!
//! `cargo run --release -p kubeloom-tests --example decode -- DIR`, where `DIR` holds `pods.json` and `pods.pb`, each a
//! list as the server sends it.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use kubeloom::meta::List;
use kubeloom::wire::{Format, ListReader, Mode, Wire};
use kubeloom_k8s::core_v1::Pod;

/// Runs of each measurement, of which the best counts.
const RUNS: usize = 7;
/// A piece of a body as HTTP/2 brings it.
const PIECE: usize = 16 << 10;

fn measure<T>(name: &str, bytes: usize, mut run: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let value = black_box(run()?);
        best = best.min(start.elapsed().as_secs_f64());
        drop(value);
    }
    println!(
        "{name:28} {:8.1} ms {:6.0} MB/s",
        best * 1e3,
        bytes as f64 / 1e6 / best
    );
    Ok(best)
}

fn in_pieces(format: Format, body: &[u8]) -> Result<List<Pod>> {
    let mut reader = ListReader::new(format, Mode::Strict);
    for piece in body.chunks(PIECE) {
        reader.push(piece)?;
    }
    Ok(reader.finish()?.0)
}

fn main() -> Result<()> {
    let dir = std::env::args()
        .nth(1)
        .context("give the folder of pods.json and pods.pb")?;
    let read =
        |name: &str| std::fs::read(format!("{dir}/{name}")).with_context(|| format!("read {dir}/{name}"));
    let (json, protobuf) = (read("pods.json")?, read("pods.pb")?);
    let list = List::<Pod>::decode(Format::Json, &json)?;
    ensure!(
        list == serde_json::from_slice(&json)?,
        "the serde path reads other pods"
    );
    ensure!(
        list == in_pieces(Format::Json, &json)?,
        "pieces of JSON make other pods"
    );
    ensure!(
        list == in_pieces(Format::Protobuf, &protobuf)?,
        "protobuf makes other pods"
    );
    println!(
        "{} pods, {} bytes of JSON, {} of protobuf",
        list.len(),
        json.len(),
        protobuf.len()
    );

    let serde = measure("JSON through serde", json.len(), || {
        Ok(serde_json::from_slice::<List<Pod>>(&json)?)
    })?;
    let own = measure("JSON", json.len(), || {
        Ok(List::<Pod>::decode(Format::Json, &json)?)
    })?;
    measure("JSON in pieces", json.len(), || in_pieces(Format::Json, &json))?;
    measure("protobuf", protobuf.len(), || {
        Ok(List::<Pod>::decode(Format::Protobuf, &protobuf)?)
    })?;
    measure("protobuf in pieces", protobuf.len(), || {
        in_pieces(Format::Protobuf, &protobuf)
    })?;
    let serde_out = measure("write JSON through serde", json.len(), || {
        Ok(serde_json::to_vec(&list)?)
    })?;
    let own_out = measure("write JSON", json.len(), || Ok(list.encode(Format::Json)?))?;
    println!(
        "read {:.1} times, written {:.1} times as fast as through serde",
        serde / own,
        serde_out / own_out
    );
    Ok(())
}
