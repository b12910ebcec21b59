#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use serde_json::{Value, json};

use super::*;
use crate::meta::{ObjectMeta, PartialObjectMetadata};
use crate::wire::Wire;

fn read(bytes: &[u8]) -> Result<Value, DecodeError> {
    from_slice(bytes)
}

#[test]
fn every_type_of_item_is_read_as_the_json_it_stands_for() {
    let table: &[(&[u8], Value)] = &[
        (b"\xd9\xd9\xf7\xa0", json!({})),
        (b"\x00", json!(0)),
        (b"\x18\xff", json!(255)),
        (b"\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", json!(i64::MAX)),
        (b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff", json!(u64::MAX)),
        (b"\x20", json!(-1)),
        (b"\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", json!(i64::MIN)),
        (b"\x43foo", json!("foo")),
        (b"\x63foo", json!("foo")),
        (b"\x41\xff", json!("\u{fffd}")),
        (b"\x5f\x41\xc3\x41\xa4\x40\xff", json!("ä")),
        (b"\x7f\x61a\x61b\xff", json!("ab")),
        (b"\xd6\x43\x00\xff\x10", json!("AP8Q")),
        (b"\xd6\x40", json!("")),
        (b"\xd5\x42\xff\xfe", json!("__4")),
        (b"\xd7\x42\xff\x0e", json!("ff0e")),
        (b"\xc0\x54" as &[u8], Value::Null),
        (b"\xf4", json!(false)),
        (b"\xf5", json!(true)),
        (b"\xf6", Value::Null),
        (b"\xf7", Value::Null),
        (b"\xf9\x3e\x00", json!(1.5)),
        (b"\xf9\x3c\x00", json!(1.0)),
        (b"\xf9\x00\x01", json!(5.960_464_477_539_063e-8)),
        (b"\xf9\xc4\x00", json!(-4.0)),
        (b"\xfa\x47\xc3\x50\x80", json!(100_001.0)),
        (b"\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a", json!(0.1)),
        (b"\x9f\x01\x82\x02\x03\xff", json!([1, [2, 3]])),
        (b"\xbf\x41a\x01\x61b\x9f\xff\xff", json!({"a": 1, "b": []})),
        (b"\xa1\xd9\xd9\xf7\x41a\xd8\x20\x41b", json!({"a": "b"})),
    ];
    for (bytes, wanted) in table {
        // A time's tag is passed over, its text is the text.
        if bytes.starts_with(b"\xc0\x54") {
            let mut time = b"\xc0\x54".to_vec();
            time.extend(b"2026-01-02T03:04:05Z");
            assert_eq!(read(&time).unwrap(), json!("2026-01-02T03:04:05Z"));
            continue;
        }
        assert_eq!(read(bytes).unwrap(), *wanted, "{bytes:x?}");
    }
}

#[test]
fn malformed_items_are_errors() {
    let deep = [vec![0x81; 300], vec![0x80]].concat();
    let deep_raw = [b"\xa1\x41a".to_vec(), vec![0x81; 300], vec![0x80]].concat();
    let table: &[(&str, &[u8])] = &[
        ("nothing", b""),
        ("a tag of nothing", b"\xd9\xd9\xf7"),
        ("a cut head", b"\x19\x01"),
        ("a cut string", b"\x44abc"),
        (
            "a string longer than memory",
            b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
        ),
        (
            "an array longer than memory",
            b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ),
        (
            "a map longer than memory",
            b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff\x41a\x01",
        ),
        ("an array without end", b"\x9f\x01"),
        ("an end in place of a value", b"\xbf\x41a\xff"),
        ("an end in an array of known length", b"\x81\xff"),
        ("an end alone", b"\xff"),
        ("pieces of the other type", b"\x5f\x61a\xff"),
        ("pieces of pieces", b"\x5f\x5f\xff\xff"),
        ("a reserved head", b"\x1d"),
        ("an integer of no length", b"\x1f"),
        ("a simple value", b"\xe0"),
        ("a simple value of a byte", b"\xf8\xff"),
        ("not a number", b"\xf9\x7e\x00"),
        ("infinity", b"\xf9\x7c\x00"),
        ("infinity of 64 bits", b"\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00"),
        ("a big integer", b"\xc2\x42\x01\x00"),
        ("a negative of 65 bits", b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("text that is not UTF-8", b"\x61\xff"),
        ("bytes behind the end", b"\xa0\xa0"),
        ("deep nesting", &deep),
        ("deep nesting in a map", &deep_raw),
    ];
    for (name, bytes) in table {
        assert!(read(bytes).is_err(), "{name}");
        assert!(from_slice::<RawJson>(bytes).is_err(), "{name} as raw JSON");
        assert!(
            from_slice::<serde::de::IgnoredAny>(bytes).is_err(),
            "{name} passed over"
        );
        assert!(
            PartialObjectMetadata::decode(Format::Cbor, bytes).is_err(),
            "{name} as an object"
        );
        assert!(kind_of(bytes).is_none(), "{name}");
    }
    assert!(
        PartialObjectMetadata::decode(Format::Cbor, b"\xa1\x01\x01").is_err(),
        "a number as a key"
    );
}

#[test]
fn values_are_written_in_the_dialect() {
    let table: &[(Value, &[u8])] = &[
        (json!(0), b"\x00"),
        (json!(23), b"\x17"),
        (json!(24), b"\x18\x18"),
        (json!(256), b"\x19\x01\x00"),
        (json!(65_536), b"\x1a\x00\x01\x00\x00"),
        (json!(u64::MAX), b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff"),
        (json!(-1), b"\x20"),
        (json!(-257), b"\x39\x01\x00"),
        (json!(i64::MIN), b"\x3b\x7f\xff\xff\xff\xff\xff\xff\xff"),
        (json!("ä"), b"\x42\xc3\xa4"),
        (json!(1.5), b"\xfa\x3f\xc0\x00\x00"),
        (json!(0.1), b"\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a"),
        (json!([null, true, false]), b"\x83\xf6\xf5\xf4"),
        (json!({"a": {}, "b": []}), b"\xa2\x41a\xa0\x41b\x80"),
    ];
    for (value, wanted) in table {
        let bytes = from_serialize(value).unwrap();
        assert_eq!(bytes[..3], SELF_DESCRIBED);
        assert_eq!(&bytes[3..], *wanted, "{value}");
        assert_eq!(read(&bytes).unwrap(), *value);
    }
    assert!(from_serialize(&f64::NAN).is_err());
    let bytes = from_serialize(&crate::value::ByteString::from(vec![0, 255])).unwrap();
    assert_eq!(bytes[3..], *b"\xd6\x42\x00\xff");
    assert_eq!(
        from_slice::<crate::value::ByteString>(&bytes).unwrap().as_ref(),
        [0, 255]
    );
    for length in [0, 23, 24, 255, 256, 70_000] {
        let value: Value = (0..length).collect();
        assert_eq!(
            read(&from_serialize(&value).unwrap()).unwrap(),
            value,
            "{length} items"
        );
    }
}

#[test]
fn enums_and_options_are_read_as_json_has_them() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Unit,
        New(i32),
        Tuple(i32, i32),
        Struct { a: Option<Option<i32>> },
    }
    for shape in [
        Shape::Unit,
        Shape::New(1),
        Shape::Tuple(1, 2),
        Shape::Struct { a: None },
    ] {
        let bytes = from_serialize(&shape).unwrap();
        assert_eq!(read(&bytes).unwrap(), serde_json::to_value(&shape).unwrap());
        assert_eq!(from_slice::<Shape>(&bytes).unwrap(), shape);
    }
    assert!(from_slice::<Shape>(b"\x01").is_err());
    assert!(
        from_slice::<(i32, i32)>(b"\x83\x01\x02\x03").is_err(),
        "an item too many"
    );
}

#[test]
fn another_implementation_reads_what_is_written_and_is_read() {
    let value = json!({"a": [1, -70_000, 0.25, true, null, "text"], "b": {"c": {}}});
    let mut theirs = Vec::new();
    ciborium::into_writer(&value, &mut theirs).unwrap();
    assert_eq!(read(&theirs).unwrap(), value);
    let ours: ciborium::Value = ciborium::from_reader(&from_serialize(&value).unwrap()[..]).unwrap();
    let ciborium::Value::Tag(55799, ours) = ours else {
        unreachable!("self-described")
    };
    assert_eq!(ours.as_map().unwrap().len(), 2);
    assert_eq!(ours.as_map().unwrap()[0].0, ciborium::Value::Bytes(b"a".to_vec()));
}

#[test]
fn an_event_is_split_without_reading_its_object() {
    let object = from_serialize(&json!({"kind": "Thing"})).unwrap();
    let frame = [
        b"\xa3\x46object".as_slice(),
        &object,
        b"\x41x\x80\x44type\x45ADDED",
    ]
    .concat();
    let (kind, found) = read_event(&frame).unwrap();
    assert_eq!((&*kind, &*found), ("ADDED", &*object));
    assert_eq!(kind_of(&found).as_deref(), Some("Thing"));
    for end in 0..frame.len() {
        assert!(read_event(&frame[..end]).is_err(), "cut at {end}");
    }
    assert!(read_event(b"\xa1\x44type\x01").is_err());
    assert!(read_event(b"\x80").is_err());
}

#[test]
fn metadata_travels_whole() {
    let partial = PartialObjectMetadata {
        metadata: ObjectMeta {
            name: "a".into(),
            ..ObjectMeta::default()
        },
    };
    let bytes = partial.encode(Format::Cbor).unwrap();
    assert_eq!(
        PartialObjectMetadata::decode(Format::Cbor, &bytes).unwrap(),
        partial
    );
    let json: Value = serde_json::from_slice(&partial.encode(Format::Json).unwrap()).unwrap();
    assert_eq!(read(&bytes).unwrap(), json);
    assert_eq!(
        serde_json::from_str::<Value>(&to_json_text(&bytes).unwrap()).unwrap(),
        json
    );
}

#[test]
fn damaged_bodies_do_no_harm() {
    let json = json!({"kind": "Thing", "metadata": {"name": "a", "labels": {"x": "\u{e4}"}}, "items": [1.5, [], -3, null, {"a": true}]});
    let whole = from_serialize(&json).unwrap();
    let ends = |body: &[u8]| Cutter::default().scan(body).ok().flatten();
    let check = |body: &[u8]| {
        let passed_over = from_slice::<serde::de::IgnoredAny>(body).is_ok();
        assert!(!passed_over || ends(body) == Some(body.len()), "{body:x?}");
        if let Ok(value) = read(body) {
            assert_eq!(read(&from_serialize(&value).unwrap()).unwrap(), value);
        }
        let _ = PartialObjectMetadata::decode(Format::Cbor, body);
        let _ = (kind_of(body), read_event(body), to_json_text(body));
    };
    check(&whole);
    for at in 0..whole.len() {
        assert!(
            read(&whole[..at]).is_err() && ends(&whole[..at]).is_none(),
            "cut at {at}"
        );
        for byte in 0..=u8::MAX {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            check(&damaged);
            damaged.truncate(at + 1);
            check(&damaged);
        }
    }
}
