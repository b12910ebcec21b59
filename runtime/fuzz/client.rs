//! What each fuzz target of the client does with its bytes. `tests/fuzz_client.rs` runs the same functions over seeds and
//! mutations of them.

#![allow(dead_code, unreachable_pub, reason = "each target uses its own part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a target tells by panicking")]

use std::fmt::Debug;
use std::time::Duration;

use kubeloom::config::{Config, Kubeconfig, KubeconfigOptions, Origin};
use kubeloom::error::{Error, ErrorKind};
use kubeloom::meta::PartialObjectMetadata;
use kubeloom::rest::{Call, ClientOptions, Exec, GroupVersionResource, RestClient, Watch};
use kubeloom::transport::{
    Body, BoxFuture, Headers, Method, Request, Response, Transport, TransportError, Upgraded, fuzzing,
};
use kubeloom::wire::Format;
use tokio::io::AsyncReadExt;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// A server that has one answer.
#[derive(Clone, Debug, Default)]
struct Answer {
    code: u16,
    headers: Vec<(&'static str, String)>,
    chunks: Vec<Vec<u8>>,
    /// What an upgraded connection sends.
    upgraded: Option<Vec<u8>>,
}

impl Transport for Answer {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let mut headers = Headers::new();
        for (name, value) in &self.headers {
            headers.set(*name, value.as_str());
        }
        let body = match self.upgraded.clone() {
            None => Body::stream(futures_util::stream::iter(
                self.chunks.clone().into_iter().map(|chunk| Ok(chunk.into())),
            )),
            Some(bytes) => {
                let key = request.headers.get("sec-websocket-key").unwrap();
                headers.set("upgrade", "websocket");
                headers.set("sec-websocket-accept", derive_accept_key(key.as_bytes()));
                headers.set("sec-websocket-protocol", "v5.channel.k8s.io");
                let io = tokio::io::join(std::io::Cursor::new(bytes), tokio::io::sink());
                Body::upgraded(Upgraded::new(io))
            }
        };
        let status = self.code;
        Box::pin(std::future::ready(Ok(Response {
            status,
            headers,
            body,
        })))
    }
}

impl Answer {
    fn call(self, verb: &'static str) -> Call {
        let client = RestClient::with_transport(self, ClientOptions::default());
        let pods = client
            .dynamic(GroupVersionResource::new("", "v1", "pods"))
            .namespace("web");
        Call::new(&client, verb, Method::Get, pods.target(), true)
    }
}

fn run<T>(future: impl IntoFuture<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(future.into_future())
}

/// What is read is written and read as the same again, and a configuration is made of it or refused.
pub fn kubeconfig(data: &[u8]) {
    let Ok(read) = Kubeconfig::parse(data, Origin::Memory) else {
        return;
    };
    let _ = Config::from_loaded(&read, &KubeconfigOptions::default());
    for context in &read.contexts {
        let options = KubeconfigOptions {
            context: Some(context.name.clone()),
            ..KubeconfigOptions::default()
        };
        let _ = Config::from_loaded(&read, &options);
    }
    let written = read.to_yaml().unwrap();
    let again = Kubeconfig::parse(written.as_bytes(), Origin::Memory);
    let again = again.unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(
        again.to_yaml().unwrap(),
        written,
        "{}",
        String::from_utf8_lossy(data)
    );
}

/// The value of a header.
pub fn headers(data: &[u8]) {
    let value = String::from_utf8_lossy(data);
    let wait = fuzzing::retry_after(&value, 1_700_000_000);
    if let Ok(seconds) = value.trim().parse::<u32>()
        && !value.trim().starts_with('+')
    {
        assert_eq!(wait, Some(Duration::from_secs(seconds.into())));
    }
    let bounded = |texts: &[String]| {
        assert!(
            texts.iter().map(String::len).sum::<usize>() <= value.len(),
            "{texts:?}"
        );
        assert!(
            texts
                .iter()
                .all(|text| !text.is_empty() && !text.contains(char::is_control)),
            "{texts:?}"
        );
    };
    bounded(&fuzzing::warnings(&value));
    // The same as the text of a warning between two others.
    let text: String = value
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    let all = format!("299 - \"a\", 299 agent \"{quoted}\" \"Wed, 21 Oct 2015 07:28:00 GMT\",299 - \"b\"");
    let told = fuzzing::warnings(&all);
    let expected: Vec<&str> = ["a", &text, "b"]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(told, expected);
}

const TYPES: [&str; 4] = [
    "application/json",
    "application/vnd.kubernetes.protobuf",
    "text/plain; charset=utf-8",
    "application/json;x=",
];

/// The bytes behind the first are the body of an answer; the first says its code and type.
pub fn status(data: &[u8]) {
    let Some((first, body)) = data.split_first() else {
        return;
    };
    let codes = [
        200, 301, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 504, 999,
    ];
    let code = codes[usize::from(first >> 2) % codes.len()];
    let content_type = TYPES[usize::from(first & 3)];
    let answer = Answer {
        code,
        headers: vec![
            ("content-type", content_type.to_owned()),
            (
                "retry-after",
                String::from_utf8_lossy(&body[..body.len().min(4)]).into_owned(),
            ),
        ],
        chunks: vec![body.to_vec()],
        upgraded: None,
    };
    let outcome = run(kubeloom::rest::Get::<PartialObjectMetadata>::new(
        answer.call("get"),
    ));
    match outcome {
        Ok(_) => assert_eq!(code, 200),
        Err(error) => judge(&error, code, body),
    }
}

fn judge(error: &Error, code: u16, body: &[u8]) {
    let told = format!("{error}");
    // Four bytes at most for each one that is no text, and the words around it.
    assert!(told.len() < 4 * body.len() + 500, "{told}");
    let _ = (
        error.retry_after(),
        error.code(),
        error.is_gone(),
        error.is_conflict(),
        format!("{error:?}"),
    );
    match error.kind() {
        ErrorKind::Api(status) => {
            assert!(code == 200 || status.code != 0, "{status:?}");
            assert_eq!(error.status().unwrap().code, status.code);
        }
        // A success that cannot be read.
        ErrorKind::Decode(_) => assert_eq!(code, 200, "{error}"),
        other => panic!("{other:?}"),
    }
}

/// The bytes behind the first are those of a watch; the first says their format and how they are cut.
pub fn frames(data: &[u8]) {
    let Some((first, body)) = data.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(first & 3) % FORMATS.len()];
    let size = usize::from(first >> 2).max(1);
    let whole = events(format, vec![body.to_vec()]);
    let cut = events(format, body.chunks(size).map(<[u8]>::to_vec).collect());
    assert_eq!(cut, whole, "{}", String::from_utf8_lossy(body));
}

/// The formats of watches, by the number that stands for them in the input.
pub const FORMATS: [Format; 3] = [Format::Json, Format::Protobuf, Format::Cbor];

/// The events and errors of a watch, as text.
pub fn events(format: Format, chunks: Vec<Vec<u8>>) -> Vec<String> {
    let content_type = match format {
        Format::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        Format::Cbor => "application/cbor-seq",
        Format::Json | Format::Yaml => "application/json",
    };
    let length: usize = chunks.iter().map(Vec::len).sum();
    let answer = Answer {
        code: 200,
        headers: vec![("content-type", content_type.to_owned())],
        chunks,
        upgraded: None,
    };
    run(async {
        let mut watch = Watch::<PartialObjectMetadata>::new(answer.call("watch"))
            .await
            .unwrap();
        let mut told = Vec::new();
        while let Some(event) = watch.next().await {
            told.push(format!("{event:?}"));
            assert!(told.len() <= length + 1, "events from nothing");
        }
        told
    })
}

/// How a process ended, as text, and its outputs.
pub type Ended = (String, Vec<u8>, Vec<u8>);

/// What arrives of a process over a connection that carries `bytes` and then ends.
fn process(bytes: Vec<u8>) -> Ended {
    let answer = Answer {
        code: 101,
        upgraded: Some(bytes),
        ..Answer::default()
    };
    run(async {
        let mut process = Exec::new(answer.call("exec"), ["true"]).await.unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (mut stdout, mut stderr) = (process.stdout.take().unwrap(), process.stderr.take().unwrap());
        // They end with an error when the connection does.
        let _ = tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err));
        let ended = process.wait().await;
        (
            ended.map_or_else(|error| format!("{error}"), |status| format!("{status:?}")),
            out,
            err,
        )
    })
}

/// The bytes of a WebSocket, first as they are, then as its messages: a channel, a length and so many bytes each.
pub fn exec(data: &[u8]) {
    process(data.to_vec());
    let (mut wire, mut rest) = (Vec::new(), data);
    let (mut outputs, mut open) = ([Vec::new(), Vec::new()], [true; 2]);
    while let [channel, length, tail @ ..] = rest {
        let (content, tail) = tail.split_at(tail.len().min(usize::from(*length)));
        rest = tail;
        // A binary frame; lengths over 125 have a form of their own.
        match content.len() + 1 {
            short @ ..=125 => wire.extend([0x82, short as u8]),
            long => wire.extend([0x82, 126, (long >> 8) as u8, long as u8]),
        }
        wire.push(*channel);
        wire.extend_from_slice(content);
        match (channel, content) {
            (1 | 2, _) if open[usize::from(channel - 1)] => {
                outputs[usize::from(channel - 1)].extend_from_slice(content);
            }
            (255, [ended @ (1 | 2), ..]) => open[usize::from(ended - 1)] = false,
            _ => {}
        }
    }
    wire.extend([0x88, 0]);
    let (_, out, err) = process(wire);
    assert_eq!([out, err], outputs);
}

/// The text of everything that is shown of a kubeconfig.
pub fn shown(data: &[u8]) -> String {
    fn all<T: Debug, E: Debug + std::fmt::Display>(outcome: &Result<T, E>) -> String {
        match outcome {
            Ok(value) => format!("{value:?}"),
            Err(error) => format!("{error} {error:?}"),
        }
    }
    let read = Kubeconfig::parse(data, Origin::Memory);
    let config = read
        .as_ref()
        .ok()
        .map(|read| Config::from_loaded(read, &KubeconfigOptions::default()));
    format!("{} {}", all(&read), config.as_ref().map(all).unwrap_or_default())
}
