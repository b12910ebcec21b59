//! The fuzz targets of the client, each over seeds, cuts and mutations of them, the same on every run.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../fuzz/client.rs"]
mod client;
#[path = "../fuzz/mutate.rs"]
mod mutate;

use kubeloom::meta::{PartialObjectMetadata, Status};
use kubeloom::wire::{Format, Wire};
use mutate::run;

const KUBECONFIG: &str = r#"apiVersion: v1
kind: Config
current-context: "dev"
preferences: {colors: true}
extensions: [{name: x, extension: {a: [1, 2.5, null, "é\u0000"]}}]
clusters:
- name: dev
  cluster:
    server: https://jane:urlpass@host:6443/prefix
    certificate-authority-data: aHVudGVyMg==
    tls-server-name: other
    proxy-url: socks5://jane:urlpass@proxy:1080
    disable-compression: true
    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: hunter2-audience}}]
contexts:
- {name: dev, context: {cluster: dev, user: jane, namespace: web, more: ~}}
- name: exec
  context: {cluster: dev, user: exec}
users:
- name: jane
  user:
    token: hunter2-token
    as: root
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {scopes: [view]}
- name: exec
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./get, args: [hunter2-arg], env: [{name: A, value: hunter2-env}],
      interactiveMode: Never, provideClusterInfo: true, installHint: "install\nit"}
- name: basic
  user: {username: u, password: hunter2-password, client-certificate: a.crt, client-key-data: c2VjcmV0}
- name: oidc
  user:
    auth-provider:
      name: oidc
      config: {id-token: hunter2-id, refresh-token: hunter2-refresh}
"#;

#[test]
fn kubeconfigs_are_written_as_they_were_read() {
    let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = "\u{feff}clusters: [{name: é}]\n---\nusers: ~\n";
        text.encode_utf16().flat_map(bytes).collect()
    };
    let seeds = [
        KUBECONFIG.into(),
        br#"{"clusters":null,"users":[{"name":"a","user":null}],"current-context":""}"#.to_vec(),
        b"a: &a [*a]\nclusters: *a\n".to_vec(),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
    ];
    run(client::kubeconfig, &seeds, 1_000);
}

#[test]
fn no_beginning_of_a_kubeconfig_shows_its_secrets() {
    for end in 0..=KUBECONFIG.len() {
        let cut = &KUBECONFIG.as_bytes()[..end];
        for broken in [
            cut.to_vec(),
            [cut, b"\n\t]: {"].concat(),
            [cut, b"\": [1"].concat(),
        ] {
            let shown = client::shown(&broken);
            assert!(
                !shown.contains("hunter2") && !shown.contains("c2VjcmV0"),
                "{shown}"
            );
            // Before the '@' the password is the port of a host.
            if !cut.ends_with(b"urlpass") {
                assert!(!shown.contains("urlpass"), "{shown}");
            }
        }
    }
}

#[test]
fn headers_are_read_whatever_they_hold() {
    let seeds = [
        &b"120"[..],
        b" 18446744073709551616 ",
        b"Wed, 21 Oct 2015 07:28:00 GMT",
        b"Fri, 31 Dec 9999 23:59:59 GMT",
        b"299 - \"v1beta1 is deprecated\"",
        b"299 - \"a, \\\"b\\\"\" \"Wed, 21 Oct 2015 07:28:00 GMT\", 199 kube \"\xc3\xa9\", 299 - \"\\\x1b[31m\"",
    ];
    run(client::headers, &seeds.map(<[u8]>::to_vec), 5_000);
}

#[test]
fn every_failure_becomes_an_error_of_bounded_length() {
    let json = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired",
        "details":{"name":"a","kind":"pods","causes":[{"reason":"ExitCode","message":"3","field":"x"}],"retryAfterSeconds":7},"code":410}"#;
    let status = Status::decode(Format::Json, json).unwrap();
    let bodies = [
        json.to_vec(),
        status.encode(Format::Protobuf).unwrap(),
        b"<html>\xff<h1>502 Bad Gateway</h1>".to_vec(),
        b"30".to_vec(),
    ];
    for (index, body) in bodies.iter().enumerate() {
        for first in 0..56 {
            client::status(&[&[first], &body[..]].concat());
        }
        run(
            client::status,
            &[[&[4 * 7 + index.min(3) as u8], &body[..]].concat()],
            1_000,
        );
    }
}

fn watched() -> [(Format, Vec<u8>); 3] {
    let mut object = PartialObjectMetadata::default();
    object.metadata.name = "a\u{e9}\"}{".into();
    object.metadata.resource_version = "7".into();
    let text = String::from_utf8(object.encode(Format::Json).unwrap()).unwrap();
    let bookmark = r#"{"kind":"Pod","metadata":{"resourceVersion":"8","annotations":{"k8s.io/initial-events-end":"true"}}}"#;
    let gone = r#"{"kind":"Status","status":"Failure","reason":"Expired","code":410}"#;
    let json = format!(
        "{{\"type\":\"ADDED\",\"object\":{text}}}\n {{ \"object\" : {text} , \"type\":\"DELETED\"}}{{\"type\":\"BOOKMARK\",\"object\":{bookmark}}}
        {{\"type\":\"MODIFIED\",\"object\":{{\"metadata\":{{\"name\":7}}}}}}{{\"type\":\"ERROR\",\"object\":{gone}}}"
    );
    let mut protobuf = Vec::new();
    let field = |tag: u8, content: &[u8]| [&[tag << 3 | 2, content.len() as u8], content].concat();
    for kind in ["ADDED", "MODIFIED", "BOOKMARK", "DELETED"] {
        let raw = field(1, &object.encode(Format::Protobuf).unwrap());
        let event = [field(1, kind.as_bytes()), field(2, &raw)].concat();
        protobuf.extend((event.len() as u32).to_be_bytes());
        protobuf.extend(event);
    }
    let cbor = serde_json::Deserializer::from_str(&json)
        .into_iter::<serde_json::Value>()
        .flat_map(|event| {
            let mut item = b"\xd9\xd9\xf7".to_vec();
            ciborium::into_writer(&event.unwrap(), &mut item).unwrap();
            item
        })
        .collect();
    [
        (Format::Json, json.into_bytes()),
        (Format::Protobuf, protobuf),
        (Format::Cbor, cbor),
    ]
}

#[test]
fn a_watch_cut_anywhere_says_the_same() {
    for (format, body) in watched() {
        let whole = client::events(format, vec![body.clone()]);
        let kinds: Vec<&str> = whole
            .iter()
            .map(|event| event.split(['(', ' ']).nth(1).unwrap())
            .collect();
        let expected: &[&str] = match format {
            Format::Json | Format::Yaml | Format::Cbor => &["Added", "Deleted", "Bookmark", "Error", "Error"],
            Format::Protobuf => &["Added", "Modified", "Bookmark", "Deleted"],
        };
        assert_eq!(kinds, expected, "{whole:#?}");
        for at in 0..=body.len() {
            let (one, two) = body.split_at(at);
            assert_eq!(
                client::events(format, vec![one.to_vec(), two.to_vec()]),
                whole,
                "at {at}"
            );
        }
        let bytes = body.iter().map(|byte| vec![*byte]).collect();
        assert_eq!(client::events(format, bytes), whole);
    }
}

#[test]
fn frames_of_a_watch_are_the_same_however_they_arrive() {
    for (index, (_, body)) in watched().into_iter().enumerate() {
        for size in [1, 7, 60] {
            run(
                client::frames,
                &[[&[size << 2 | index as u8], &body[..]].concat()],
                300,
            );
        }
    }
}

#[test]
fn the_output_of_a_process_is_what_was_sent() {
    let exited =
        br#"{"metadata":{},"status":"Failure","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#;
    let message = |channel: u8, content: &[u8]| [&[channel, content.len() as u8], content].concat();
    let messages = [
        message(1, b"out"),
        message(2, b"err"),
        message(1, &[b'x'; 200]),
        message(9, b"unknown"),
        message(255, &[2]),
        message(2, b"late"),
        message(3, exited),
    ]
    .concat();
    // As a WebSocket's bytes: text, a ping, a cut message, a length of 2^63, a close.
    let raw = [
        &b"\x81\x04\x01out\x89\x01p\x02\x03\x01ab\x80\x01c"[..],
        b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ]
    .concat();
    run(
        client::exec,
        &[messages, raw, b"\x82\x02\x01a\x88\x02\x03\xee".to_vec()],
        500,
    );
}
