//! Objects of every built-in kind through every encoding and from each into each.

mod builtin;

use builtin::{first_difference, for_each_object, kinds};
use kubeloom::record::{self, Record};
use kubeloom::wire::{self, Format};
use kubeloom_tests::arbitrary::{Bound, Kind, to_cbor};

/// An encoding of whole objects.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    Kubernetes(Format),
    Cbor,
}

const ENCODINGS: [Encoding; 5] = [
    Encoding::Kubernetes(Format::Json),
    Encoding::Kubernetes(Format::Yaml),
    Encoding::Kubernetes(Format::Protobuf),
    Encoding::Kubernetes(Format::Cbor),
    Encoding::Cbor,
];

fn encode(object: &dyn Record, encoding: Encoding) -> Result<Vec<u8>, String> {
    let body = match encoding {
        Encoding::Kubernetes(format) => wire::encode(object, format).map_err(|error| error.to_string()),
        Encoding::Cbor => to_cbor(object),
    };
    body.map_err(|error| format!("cannot be written as {encoding:?}: {error}"))
}

fn decode(kind: &Kind, encoding: Encoding, body: &[u8]) -> Result<Box<dyn Record>, String> {
    let object = match encoding {
        Encoding::Kubernetes(format) => kind.decode(format, body).map_err(|error| error.to_string()),
        Encoding::Cbor => kind.from_cbor(body),
    };
    object.map_err(|error| {
        format!(
            "cannot be read from {encoding:?}: {error}\n{}",
            String::from_utf8_lossy(body)
        )
    })
}

/// Writes an object in every encoding; reads each, which must give the object; and writes it in every encoding again,
/// which must give the same bytes.
fn check(kind: &Kind, seed: u64) -> Result<(), String> {
    let object = kind.object(seed, Bound::Kubeloom);
    let bodies: Vec<_> = ENCODINGS
        .iter()
        .map(|encoding| encode(object.as_ref(), *encoding))
        .collect::<Result<_, _>>()?;
    for (encoding, body) in ENCODINGS.iter().zip(&bodies) {
        let back = decode(kind, *encoding, body)?;
        for (other, expected) in ENCODINGS.iter().zip(&bodies) {
            let again = encode(back.as_ref(), *other)?;
            if again != *expected {
                return Err(format!(
                    "{encoding:?} to {other:?}: {}",
                    first_difference(expected, &again)
                ));
            }
        }
        if !record::equal(back.as_ref(), object.as_ref()) {
            return Err(format!(
                "{encoding:?} changes the object, which no encoding shows"
            ));
        }
    }
    Ok(())
}

#[test]
fn every_encoding_keeps_objects_of_every_kind() {
    for_each_object(&kinds(), check);
}
