//! The fuzz targets, each over seeds, cuts and mutations of them, and random JSON, the same on every run.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../fuzz/mutate.rs"]
mod mutate;
#[path = "../fuzz/targets.rs"]
mod targets;

use kubeloom::generated::*;
use kubeloom::wire::{Format, ListError, Mode, Wire};
use mutate::{Random, run};
use targets::{Thing, read_list};

const KEYS: &[&str] = &[
    "metadata",
    "replicas",
    "count",
    "big",
    "ratio",
    "ready",
    "names",
    "required",
    "parts",
    "limits",
    "extra",
    "port",
    "since",
    "until",
    "every",
    "template",
    "selector",
    "numbers",
    "schema",
    "items",
    "nested",
    "data",
    "byName",
    "next",
    "name",
    "path",
    "kind",
    "apiVersion",
    "matchLabels",
    "labels",
    "other",
    "na\\u006de",
    "ä\\n",
    "",
];

const SCALARS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1.0",
    "1e3",
    "-1.5",
    "80",
    "2147483647",
    "2147483648",
    "-2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    "1e400",
    "-1e400",
    "1e-400",
    "0e999999999999",
    "9e15",
    "9007199254740993.0",
    "0.1",
    "0.30000000000000004",
    "5e-324",
    "01",
    "-",
    "+1",
    ".5",
    "1.",
    "1e",
    "1e+",
    "nul",
    "\"\"",
    "\"a\"",
    "\"1\"",
    "\"100m\"",
    "\"1Gi\"",
    "\"2026-01-02T03:04:05Z\"",
    "\"2026-01-02T03:04:05.000006+01:00\"",
    "\"1h0m0s\"",
    "\"aGk=\"",
    "\"aGk\"",
    "\"a!\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u00e9\\u4e2d\"",
    "\"\\ud83d\\ude00\"",
    "\"\\uD83D\\uDE00 and more than eight\"",
    "\"\\ud83d\"",
    "\"\\ude00\"",
    "\"\\ud83d\\n\"",
    "\"\\ud83dx\"",
    "\"\\ud83d\\ud83d\\ude00\"",
    "\"\\x\"",
    "\"\\u12g4\"",
    "\"\\u+123\"",
    "\"tab\there\"",
    "\"\u{0}\"",
    "\"\u{7f}\u{80}é中😀\"",
    "\"0123456789abcdef0123456789abcdef\"",
    "\"0123456789abcde\\n\"",
    "\"open",
];

/// JSON of any shape, more often than not of one that fits, and now and then malformed.
fn random_json(random: &mut Random, levels: usize, out: &mut String) {
    let space = |random: &mut Random, out: &mut String| {
        out.push_str(random.pick(&["", "", "", "", " ", "\n", "\t\r\n"]))
    };
    let kind = if levels == 0 { 0 } else { random.below(5) };
    space(random, out);
    match kind {
        0 | 1 => out.push_str(random.pick(SCALARS)),
        2 => {
            let count = random.below(4);
            out.push('[');
            for index in 0..count {
                if index > 0 {
                    out.push(',');
                }
                random_json(random, levels - 1, out);
            }
            out.push(']');
        }
        _ => {
            let count = random.below(6);
            out.push('{');
            for index in 0..count {
                if index > 0 {
                    out.push(',');
                }
                space(random, out);
                out.push('"');
                out.push_str(random.pick(KEYS));
                out.push('"');
                space(random, out);
                out.push(':');
                random_json(random, levels - 1, out);
            }
            out.push('}');
        }
    }
    space(random, out);
}

const FULL: &str = r#"{"kind":"Thing","apiVersion":"demo.example.com/v1","metadata":{"name":"t","namespace":"web",
 "labels":{"b":"2","a":"1"},"managedFields":[{"manager":"m","operation":"Update","fieldsV1":{"f:spec":{ ".":{}}}}]},
 "replicas":0,"count":7,"big":-9007199254740993,"ratio":0.5,"ready":true,"names":["a","",null],"required":[],
 "parts":[{"name":"v","path":"/","more":{"x":[1,"\u00e9"]}},null],"limits":{"cpu":"100m","memory":1024},
 "extra":{"a":["1","2"],"b":[]},"port":"http","since":"2026-01-02T03:04:05Z","until":"2026-01-02T03:04:05.000006Z",
 "every":"1h0m0s","template":{"z" : [1, {"a": null}]},"selector":{"matchLabels":{"app":"web"}},"numbers":[1,-1],
 "schema":{"name":"p"},"items":[{"name":"a"},{"name":"b"}],"nested":{"m":{"n":[1,2]}},"data":{"k":"aGk="},
 "byName":{"x":{"name":"y"}},"next":{"count":1e3,"schema":false,"items":{"name":"one"},"unknown":{"a":["\ud83d"]}}}"#;

fn thing() -> Thing {
    Thing::decode(Format::Json, FULL.replace(r"\ud83d", "").as_bytes()).unwrap()
}

fn things() -> List<Thing> {
    let mut list = List {
        items: vec![thing(), Thing::default(), thing()],
        ..List::default()
    };
    list.metadata.resource_version = "42".into();
    list
}

#[test]
fn json_is_read_and_written_as_through_serde() {
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        [open.repeat(count), inner.to_owned(), close.repeat(count)]
            .concat()
            .into_bytes()
    };
    let mut seeds = vec![
        FULL.into(),
        thing().encode(Format::Json).unwrap(),
        b" null ".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
    ];
    for count in [1, 126, 127, 128, 199, 200, 201] {
        targets::json(&nested("{\"next\":", "{}", "}", count));
        targets::json(&nested("{\"unknown\":", "1", "}", count));
        targets::json(
            &[
                b"{\"template\":".to_vec(),
                nested("[", "", "]", count),
                b"}".to_vec(),
            ]
            .concat(),
        );
    }
    for scalar in SCALARS {
        for key in KEYS {
            targets::json(format!("{{\"{key}\":{scalar}}}").as_bytes());
            targets::json(format!("{{\"{key}\":[{scalar}], \"{key}\" : {{\"k\":{scalar}}}}}").as_bytes());
        }
        seeds.push(format!("{{\"template\":{scalar},\"x\":{scalar}}}").into_bytes());
    }
    run(targets::json, &seeds, 100);
    let mut random = Random(2);
    for _ in 0..5_000 {
        let mut text = String::new();
        random_json(&mut random, 5, &mut text);
        targets::json(text.as_bytes());
    }
}

#[test]
fn protobuf_is_written_as_it_was_read() {
    run(
        targets::protobuf,
        &[thing().encode(Format::Protobuf).unwrap(), b"k8s\0".to_vec()],
        5_000,
    );
}

#[test]
fn lists_are_read_in_pieces_as_they_are_whole() {
    let status =
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone","code":410}"#;
    let pieces = |size: u8, body: &[u8]| [&[size], body].concat();
    let mut seeds = Vec::new();
    for size in [1, 7, 255] {
        for format in [Format::Json, Format::Protobuf] {
            seeds.push(pieces(size, &things().encode(format).unwrap()));
        }
        seeds.push(pieces(size, status.as_bytes()));
        seeds.push(pieces(
            size,
            b" { \"items\" : [ null , {} ,12, {\"count\":\"x\"}] , \"metadata\" : { } , \"n\" : 12 } ",
        ));
    }
    run(targets::list, &seeds, 300);
}

#[test]
fn watch_frames_never_panic() {
    let event = format!(r#"{{"type":"ADDED","object":{FULL}}}"#);
    run(
        targets::watch,
        &[
            event.into_bytes(),
            b"\x0a\x05ADDED\x12\x08\x0a\x06k8s\0\x12\x00".to_vec(),
        ],
        5000,
    );
}

#[test]
fn a_bad_object_is_named_and_the_others_are_read() {
    let body = format!(
        r#"{{"kind":"ThingList","items":[{FULL},{{"metadata":{{"name":"bad","namespace":"web"}},"parts":[{{}},{{"path":{{"hunter2":1}}}}]}},
        {{"metadata":{{"name":7}}}},17,{{"data":{{"hunter2":"!"}}}},{{"count":9}}],"metadata":{{"continue":"more"}}}}"#
    );
    for size in 1..body.len() {
        let (list, errors) = read_list(Format::Json, Mode::Lenient, body.as_bytes().chunks(size)).unwrap();
        assert_eq!((list.len(), list.metadata.continue_.as_str()), (2, "more"));
        let told: Vec<String> = errors
            .iter()
            .map(|error| format!("{error}: {}", error.error))
            .collect();
        assert_eq!(
            told,
            [
                "item 1 (web/bad): not valid application/json: parts[1].path: a string expected, an object found at line 1 \
                 column 66",
                "item 2: not valid application/json: metadata.name: a string expected, a number found at line 1 column 21",
                "item 3: not valid application/json: an object expected, a number found at line 1 column 1",
                "item 4: not valid application/json: data: base64 text expected, other text found at line 1 column 20",
            ]
        );
        let error = read_list(Format::Json, Mode::Strict, body.as_bytes().chunks(size)).unwrap_err();
        let ListError::Decode(error) = error else {
            panic!("a status")
        };
        assert!(
            error.to_string().contains("item 1 (web/bad): parts[1].path")
                || error.to_string().contains("item 1 (web/bad)")
        );
    }
}

#[test]
fn a_bad_message_is_named_and_the_others_are_read() {
    // The second item's name is followed by a field of a wrong wire type.
    let good = kubeloom::wire::write_message(&thing()).unwrap();
    let bad = [
        &kubeloom::wire::write_message(&thing()).unwrap()[..],
        &[0x3a, 1, 0xff],
    ]
    .concat();
    let field = |tag: u8, content: &[u8]| {
        let mut out = vec![
            tag << 3 | 2,
            (content.len() & 0x7f) as u8 | 0x80,
            (content.len() >> 7) as u8,
        ];
        out.extend_from_slice(content);
        out
    };
    let message = [
        field(2, &good),
        field(2, &bad),
        field(1, b"\x12\x0242"),
        field(2, &good),
    ]
    .concat();
    let body = [b"k8s\0".to_vec(), field(2, &message)].concat();
    for size in 1..body.len() {
        let (list, errors) = read_list(Format::Protobuf, Mode::Lenient, body.chunks(size)).unwrap();
        assert_eq!((list.len(), list.metadata.resource_version.as_str()), (2, "42"));
        assert_eq!(
            (errors.len(), errors[0].index, errors[0].name.as_str()),
            (1, 1, "t")
        );
        assert!(read_list(Format::Protobuf, Mode::Strict, body.chunks(size)).is_err());
        let cut = &body[..body.len() - 1];
        assert!(read_list(Format::Protobuf, Mode::Lenient, cut.chunks(size)).is_err());
    }
}

#[test]
fn a_status_is_told_apart_in_either_format() {
    let status = Status {
        status: "Failure".into(),
        message: "too old".into(),
        code: 410,
        ..Status::default()
    };
    for format in [Format::Json, Format::Protobuf] {
        let body = status.encode(format).unwrap();
        for size in 1..=body.len() {
            match read_list(format, Mode::Lenient, body.chunks(size)) {
                Err(ListError::Status(told)) => {
                    assert_eq!((told.code, told.message.as_str()), (410, "too old"))
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn what_is_held_of_a_body_is_bounded() {
    let item = thing().encode(Format::Json).unwrap();
    let mut reader = kubeloom::wire::ListReader::<Thing>::new(Format::Json, Mode::Strict);
    reader.push(b"{\"items\":[").unwrap();
    for index in 0..2000 {
        reader.push(if index == 0 { b"" } else { b"," }).unwrap();
        reader.push(&item).unwrap();
        assert!(
            reader.unread() < (64 << 10) + item.len(),
            "{} bytes",
            reader.unread()
        );
    }
    reader.push(b"]}").unwrap();
    assert_eq!(reader.finish().unwrap().0.len(), 2000);
}
