//! What each fuzz target does with its bytes. `tests/fuzz.rs` runs the same functions over seeds and mutations of them.

#![allow(dead_code, unreachable_pub, reason = "each target uses its own part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a target tells by panicking")]

use std::fmt::Debug;

use kubeloom::generated::*;
use kubeloom::record;
use kubeloom::wire::{self, Format, ListError, ListReader, Mode, Wire, split_envelope};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A kind with a field of every shape.
#[derive(Clone, Default)]
pub struct Thing {
    metadata: ObjectMeta,
    replicas: Option<i32>,
    count: i32,
    big: i64,
    ratio: Option<f64>,
    ready: bool,
    names: Vec<Str>,
    required: Vec<Str>,
    parts: Vec<Part>,
    limits: Map<Quantity>,
    extra: Map<Vec<Str>>,
    port: IntOrString,
    since: Time,
    until: Option<MicroTime>,
    every: Option<Duration>,
    template: RawJson,
    selector: Option<Box<LabelSelector>>,
    numbers: Vec<i64>,
    schema: Option<OrBool<Part>>,
    items: Option<OrArray<Part>>,
    nested: Map<Map<Vec<i64>>>,
    data: Map<ByteString>,
    by_name: Map<Part>,
    next: Option<Box<Thing>>,
}
record! { Thing = "demo.example.com/v1" "Thing" {
    0 metadata "metadata" [1] KEEP;
    1 replicas "replicas" [2] OPT;
    2 count "count" [3] KEEP;
    3 big "big" [4] OMIT;
    4 ratio "ratio" [5] OPT;
    5 ready "ready" [6] OMIT;
    6 names "names" [7] OMIT;
    7 required "required" [8] NIL;
    8 parts "parts" [9] OMIT;
    9 limits "limits" [10] OMIT;
    10 extra "extra" [11] OMIT;
    11 port "port" [12] KEEP;
    12 since "since" [13] OMIT;
    13 until "until" [14] OPT;
    14 every "every" [15] OPT;
    15 template "template" [16] OMIT;
    16 selector "selector" [17] NIL;
    17 numbers "numbers" [18] OMIT;
    18 schema "schema" [19] OPT;
    19 items "items" [20] OPT;
    20 nested "nested" [21] OMIT;
    21 data "data" [22] OMIT | SENSITIVE;
    22 by_name "byName" [23] OMIT;
    23 next "next" [24] OPT;
} }

/// A type that keeps fields it does not know.
#[derive(Clone, Default)]
pub struct Part {
    name: Str,
    path: Option<Str>,
    rest: Map<RawJson>,
}
record! { Part { 0 name "name" [1] KEEP; 1 path "path" [2, 1] OPT; rest rest; } }

#[derive(Clone, Default)]
struct Kind {
    kind: Str,
}
record! { Kind { 0 kind "kind" [1] KEEP; } }

impl Resource for Thing {
    type Scope = Namespaced;
    const GROUP: &'static str = "demo.example.com";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "demo.example.com/v1";
    const KIND: &'static str = "Thing";
    const PLURAL: &'static str = "things";
    const SINGULAR: &'static str = "thing";
    const PROTOBUF: bool = true;
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Levels of brackets outside strings, at their deepest.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Equality of trees; floats may differ by what `serde_json` misses when it reads them.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (x, y) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || a.is_f64() && b.is_f64() && (x - y).abs() <= x.abs() * 1e-15
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        _ => a == b,
    }
}

/// The reader against the serde path, and what was read through the writer and back.
pub fn json(data: &[u8]) {
    json_as::<Thing>(data);
    json_as::<Part>(data);
}

fn json_as<T: Wire + DeserializeOwned + serde::Serialize + PartialEq + Debug>(data: &[u8]) {
    let shown = || String::from_utf8_lossy(data).into_owned();
    let own = T::decode(Format::Json, data);
    match (&own, serde_json::from_slice::<T>(data)) {
        (Ok(own), Ok(other)) => {
            let (a, b) = (
                serde_json::to_value(own).unwrap(),
                serde_json::to_value(&other).unwrap(),
            );
            assert!(close(&a, &b), "{}\n{a}\n{b}", shown());
        }
        (Err(error), Ok(_)) => {
            let is_stricter = std::str::from_utf8(data).is_err() || depth(data) > 127;
            assert!(is_stricter, "{error}: {}", shown());
        }
        (Ok(_), Err(error)) => assert!(depth(data) > 127, "{error}: {}", shown()),
        (Err(_), Err(_)) => {}
    }
    let Ok(own) = own else { return };
    let written = own.encode(Format::Json).unwrap();
    if depth(&written) > wire::MAX_DEPTH {
        // Fields that are always written may be a level deeper than what was read.
        return;
    }
    let again = T::decode(Format::Json, &written).unwrap();
    assert_eq!(again.encode(Format::Json).unwrap(), written, "{}", shown());
    if depth(&written) < 127 {
        let tree: Value = serde_json::from_slice(&written).unwrap();
        assert!(close(&tree, &serde_json::to_value(&own).unwrap()), "{}", shown());
    }
}

/// The bytes behind the first are a protobuf body's.
pub fn protobuf(data: &[u8]) {
    let Ok(thing) = Thing::decode(Format::Protobuf, data) else {
        return;
    };
    let written = thing.encode(Format::Protobuf).unwrap();
    let again = Thing::decode(Format::Protobuf, &written).unwrap();
    assert_eq!(again.encode(Format::Protobuf).unwrap(), written);
}

/// A body cut into pieces of the first byte's size gives the list that the whole body gives.
pub fn list(data: &[u8]) {
    let Some((size, body)) = data.split_first() else {
        return;
    };
    let format = if body.starts_with(b"k8s\0") {
        Format::Protobuf
    } else {
        Format::Json
    };
    let size = usize::from(*size).max(1);
    let strict = read_list(format, Mode::Strict, body.chunks(size));
    match (&strict, List::<Thing>::decode(format, body)) {
        (Ok((list, errors)), Ok(whole)) => {
            assert!(errors.is_empty());
            let written = |list: &List<Thing>| list.encode(format).unwrap();
            assert_eq!(written(list), written(&whole));
        }
        (Err(ListError::Status(_)), _) | (Err(_), Err(_)) => {}
        (Err(ListError::Decode(error)), Ok(_)) => {
            let is_stricter =
                body.trim_ascii() == b"null" || messages(format, body) > 1 || is_status(format, body);
            assert!(is_stricter, "{error}: {}", String::from_utf8_lossy(body));
        }
        (Ok(_), Err(error)) => assert!(depth(body) > 190, "{error}: {}", String::from_utf8_lossy(body)),
    }
    let lenient = read_list(format, Mode::Lenient, [body].into_iter());
    match (&strict, lenient) {
        (Ok((list, _)), Ok((other, errors))) => assert!(errors.is_empty() && list.len() == other.len()),
        (Ok(_), Err(error)) => panic!("{error}"),
        (Err(ListError::Status(_)), lenient) => assert!(lenient.is_err()),
        // Left is an item's own failure, reported, or a body that is none.
        (Err(ListError::Decode(_)), Ok((_, errors))) => assert!(!errors.is_empty()),
        (Err(_), Err(_)) => {}
    }
}

/// How many messages an envelope holds, of which the reader of whole bodies takes the last.
fn messages(format: Format, body: &[u8]) -> usize {
    let varint = |rest: &mut &[u8]| {
        let end = rest.iter().position(|byte| byte & 0x80 == 0).unwrap();
        let value = rest[..=end]
            .iter()
            .rev()
            .fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
        *rest = &rest[end + 1..];
        value
    };
    let Some(mut rest) = body.strip_prefix(b"k8s\0").filter(|_| format == Format::Protobuf) else {
        return 0;
    };
    let mut count = 0;
    while !rest.is_empty() {
        let key = varint(&mut rest);
        let length = match key & 7 {
            0 => {
                varint(&mut rest);
                0
            }
            1 => 8,
            2 => varint(&mut rest),
            _ => 4,
        };
        count += usize::from(key == 2 << 3 | 2);
        rest = &rest[length as usize..];
    }
    count
}

fn is_status(format: Format, body: &[u8]) -> bool {
    match format {
        Format::Protobuf => split_envelope(body).is_ok_and(|unknown| unknown.kind == "Status"),
        _ => Kind::decode(format, body).is_ok_and(|body| body.kind == "Status"),
    }
}

pub type Read = Result<(List<Thing>, Vec<wire::ItemError>), ListError>;

pub fn read_list<'a>(format: Format, mode: Mode, pieces: impl Iterator<Item = &'a [u8]>) -> Read {
    let mut reader = ListReader::<Thing>::new(format, mode);
    for piece in pieces {
        reader.push(piece)?;
    }
    reader.finish()
}

/// One frame of a watch in either format, and the object in it.
pub fn watch(data: &[u8]) {
    for format in [Format::Json, Format::Protobuf] {
        if let Ok((_, object)) = wire::read_watch_event(format, data) {
            let _ = Thing::decode(format, &object);
            let _ = Status::decode(format, &object);
        }
    }
}
