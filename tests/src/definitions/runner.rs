//! The program of one crate of the corpus: reads cases, sends them through the types of the crate, and says what did not come
//! back. It is compiled within each crate, so it uses the runtime and `serde_json` alone.

use std::collections::BTreeMap;

use kubeloom::record::{Record, Validate};
use kubeloom::wire::{Format, Wire};
use serde_json::Value;

/// Sends JSON through a type.
type Through = fn(&str) -> Result<Vec<(&'static str, String)>, String>;

/// The kinds of a crate.
#[derive(Default)]
pub(crate) struct Kinds(BTreeMap<(&'static str, &'static str), Through>);

impl Kinds {
    /// Adds a kind.
    pub(crate) fn add<K: Record + Wire + Default>(&mut self) {
        if let Some(meta) = K::default().type_meta() {
            self.0.insert((meta.api_version, meta.kind), through::<K>);
        }
    }

    /// Sends a case through its type. Where and why it does not come back, if it does not.
    pub(crate) fn verdict(&self, case: &Value) -> (String, Option<String>) {
        let name = |key: &str| case[key].as_str().unwrap_or_default();
        let place = format!("{} {} {}", name("apiVersion"), name("kind"), name("plan"));
        let why = match self.0.get(&(name("apiVersion"), name("kind"))) {
            None => Some("the crate has no such type".to_owned()),
            Some(through) => failure(*through, &case["input"], &case["expected"]),
        };
        (place, why)
    }

    /// Runs the cases of the file that the command line names, one a line; prints a line for each.
    #[allow(dead_code, reason = "tests have the cases at hand")]
    pub(crate) fn run(&self) -> Result<(), Box<dyn std::error::Error>> {
        let file = std::env::args()
            .nth(1)
            .ok_or("the file with the cases is missing")?;
        for line in std::fs::read_to_string(file)?.lines() {
            match self.verdict(&serde_json::from_str(line)?) {
                (place, None) => println!("ok {place}"),
                (place, Some(why)) => println!("FAILED {place}: {why}"),
            }
        }
        Ok(())
    }
}

fn through<K: Record + Wire + Default>(input: &str) -> Result<Vec<(&'static str, String)>, String> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|error| error.to_string());
    let one = K::decode(Format::Json, input.as_bytes()).map_err(|error| error.to_string())?;
    let json = text(one.encode(Format::Json).map_err(|error| error.to_string())?)?;
    // By way of serde and of CBOR, which have readers of their own.
    let cbor = one.encode(Format::Cbor).map_err(|error| error.to_string())?;
    let other = K::decode(Format::Cbor, &cbor).map_err(|error| error.to_string())?;
    let by_cbor = text(other.encode(Format::Json).map_err(|error| error.to_string())?)?;
    // It may find anything, but must come to an end.
    let _ = one.validate();
    Ok(vec![("JSON", json), ("CBOR", by_cbor)])
}

fn failure(through: Through, input: &Value, expected: &Value) -> Option<String> {
    let outputs = match through(&input.to_string()) {
        Ok(outputs) => outputs,
        Err(error) => return Some(error),
    };
    outputs.into_iter().find_map(|(way, output)| {
        let output: Value = match serde_json::from_str(&output) {
            Ok(output) => output,
            Err(error) => return Some(format!("{way}: {error}")),
        };
        difference(expected, &output, String::new()).map(|difference| format!("{way}: {difference}"))
    })
}

/// The first place where two values differ.
fn difference(expected: &Value, found: &Value, path: String) -> Option<String> {
    let short = |value: &Value| value.to_string().chars().take(60).collect::<String>();
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            keys.into_iter().find_map(|key| {
                let path = format!("{path}.{key}");
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => difference(a, b, path),
                    (Some(a), None) => Some(format!("{path} is lost: {}", short(a))),
                    (None, Some(b)) => Some(format!("{path} came from nowhere: {}", short(b))),
                    (None, None) => None,
                }
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (a, b))| difference(a, b, format!("{path}[{index}]")))
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!("{path} was {} and is {}", short(a), short(b))),
    }
}
