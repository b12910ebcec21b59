//! Frames of watches, as servers write them.

use kubeloom::wire::{EncodeError, Format, Wire};

/// A frame with an event of an object, as JSON or protobuf.
///
/// # Errors
/// An object that has no such encoding.
pub fn watch_event(format: Format, kind: &str, object: &impl Wire) -> Result<Vec<u8>, EncodeError> {
    let object = object.encode(format)?;
    if format != Format::Protobuf {
        let head = format!("{{\"type\":\"{kind}\",\"object\":");
        return Ok([head.as_bytes(), &object, b"}\n"].concat());
    }
    // WatchEvent{type = 1, object = 2: RawExtension{raw = 1}} after its length.
    let event = [field(1, kind.as_bytes()), field(2, &field(1, &object))].concat();
    let length = u32::try_from(event.len()).unwrap_or_default().to_be_bytes();
    Ok([&length[..], &event].concat())
}

/// A protobuf field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(bytes);
    out
}

#[cfg(test)]
mod tests {
    use kubeloom::wire::read_watch_event;
    use kubeloom_k8s::core_v1::Pod;

    use super::*;

    #[test]
    fn frames_are_what_the_client_reads() {
        let mut pod = Pod::default();
        for length in [1, 127, 128, 20_000] {
            pod.metadata.name = "x".repeat(length).as_str().into();
            for (format, head) in [(Format::Json, 0), (Format::Protobuf, 4)] {
                let frame = watch_event(format, "ADDED", &pod).unwrap();
                let (kind, object) = read_watch_event(format, &frame[head..]).unwrap();
                assert_eq!(kind, "ADDED");
                assert_eq!(Pod::decode(format, &object).unwrap(), pod);
            }
        }
    }
}
