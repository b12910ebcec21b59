//! Exec, attach and port-forward against a scripted WebSocket server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use kubeloom::config::Config;
use kubeloom::generated::*;
use kubeloom::rest::TerminalSize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};

#[derive(Clone, Default)]
struct Pod {
    metadata: ObjectMeta,
}
record! { Pod = "v1" "Pod" { 0 metadata "metadata" [1] KEEP; } }

impl Resource for Pod {
    type Scope = Namespaced;
    const GROUP: &'static str = "";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "v1";
    const KIND: &'static str = "Pod";
    const PLURAL: &'static str = "pods";
    const SINGULAR: &'static str = "pod";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
offers! { Pod / sub::Exec { verb::Connect } }
offers! { Pod / sub::Attach { verb::Connect } }
offers! { Pod / sub::PortForward { verb::Connect } }

type Socket = WebSocketStream<TcpStream>;

/// Serves WebSockets, each by `serve`; the URIs and offered protocols are noted.
async fn pods<F, R>(serve: F) -> (kubeloom::Api<Pod>, Arc<Mutex<Vec<(String, String)>>>)
where
    F: Fn(Socket) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let noted = seen.clone();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let noted = noted.clone();
            #[allow(clippy::result_large_err, reason = "the library's type")]
            let choose = |request: &Request, mut response: Response| -> Result<Response, ErrorResponse> {
                let offered = request.headers()["sec-websocket-protocol"]
                    .to_str()
                    .unwrap()
                    .to_owned();
                let best = offered.split(", ").next().unwrap().parse().unwrap();
                response.headers_mut().insert("sec-websocket-protocol", best);
                noted.lock().unwrap().push((request.uri().to_string(), offered));
                Ok(response)
            };
            let socket = tokio_tungstenite::accept_hdr_async(tcp, choose).await.unwrap();
            tokio::spawn(serve(socket));
        }
    });
    let mut config = Config::new(url);
    config.proxy = kubeloom::config::Proxy::Direct;
    (
        kubeloom::RestClient::new(&config).unwrap().namespaced("web"),
        seen,
    )
}

fn framed(channel: u8, bytes: impl AsRef<[u8]>) -> Message {
    let mut message = vec![channel];
    message.extend_from_slice(bytes.as_ref());
    Message::Binary(message.into())
}

/// The next message with content: its channel and bytes; none at the end.
async fn next(socket: &mut Socket) -> Option<(u8, Vec<u8>)> {
    loop {
        match socket.next().await?.ok()? {
            Message::Binary(bytes) => return Some((bytes[0], bytes[1..].to_vec())),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

fn exited(code: i32) -> Message {
    let text = match code {
        0 => r#"{"metadata":{},"status":"Success"}"#.to_owned(),
        code => format!(
            r#"{{"metadata":{{}},"status":"Failure","reason":"NonZeroExitCode","message":"command terminated with exit code {code}",
            "details":{{"causes":[{{"reason":"ExitCode","message":"{code}"}}]}}}}"#
        ),
    };
    framed(3, text)
}

/// `cat`: what comes in goes out, until the input ends.
async fn cat(mut socket: Socket) {
    while let Some((channel, bytes)) = next(&mut socket).await {
        match channel {
            0 => socket.send(framed(1, bytes)).await.unwrap(),
            255 => break,
            other => panic!("channel {other}"),
        }
    }
    socket.send(exited(0)).await.unwrap();
    let _ = socket.close(None).await;
}

async fn within<T>(future: impl IntoFuture<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), future.into_future())
        .await
        .expect("no deadlock")
}

#[tokio::test]
async fn cat_ends_when_its_input_does() {
    let (pods, seen) = pods(cat).await;
    let mut process = pods
        .exec("web-0", ["cat", "-u x&y"])
        .container("app")
        .stdin()
        .await
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let writing = tokio::spawn(async move {
        for _ in 0..100 {
            stdin.write_all(&[b'x'; 10_000]).await.unwrap();
        }
        stdin.shutdown().await.unwrap();
    });
    let (status, stdout, stderr) = within(process.output(2 << 20)).await.unwrap();
    writing.await.unwrap();
    assert!(status.success());
    assert_eq!((stdout.len(), stderr.len()), (1_000_000, 0));
    let (uri, offered) = seen.lock().unwrap()[0].clone();
    assert_eq!(
        uri,
        "/api/v1/namespaces/web/pods/web-0/exec?command=cat&command=-u%20x%26y&container=app&stdin=true&stdout=true&stderr=true"
    );
    assert_eq!(offered, "v5.channel.k8s.io");
}

#[tokio::test]
async fn exit_codes_and_both_outputs_arrive() {
    let (pods, seen) = pods(|mut socket| async move {
        socket.send(framed(1, "")).await.unwrap();
        socket.send(framed(1, "out")).await.unwrap();
        socket.send(framed(2, "err")).await.unwrap();
        socket.send(exited(3)).await.unwrap();
        let _ = socket.close(None).await;
    })
    .await;
    let process = pods.exec("web-0", ["false"]).await.unwrap();
    let (status, stdout, stderr) = within(process.output(100)).await.unwrap();
    assert_eq!(
        (status.code, &stdout[..], &stderr[..]),
        (3, &b"out"[..], &b"err"[..])
    );
    assert_eq!(seen.lock().unwrap()[0].1, "v5.channel.k8s.io, v4.channel.k8s.io");
}

#[tokio::test]
async fn waiting_does_not_deadlock_on_output_that_nobody_reads() {
    let (pods, _) = pods(|mut socket| async move {
        for _ in 0..1000 {
            socket.send(framed(1, [7u8; 32 << 10])).await.unwrap();
        }
        socket.send(exited(0)).await.unwrap();
        let _ = socket.close(None).await;
    })
    .await;
    let process = pods.exec("web-0", ["yes"]).await.unwrap();
    assert!(within(process.wait()).await.unwrap().success());
}

#[tokio::test]
async fn dropping_all_closes_the_connection() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let (pods, _) = pods(move |mut socket| {
        let tell = tell.lock().unwrap().take();
        async move {
            while next(&mut socket).await.is_some() {}
            tell.unwrap().send(()).unwrap();
        }
    })
    .await;
    let process = pods.attach("web-0").stdin().tty().await.unwrap();
    assert!(process.stderr.is_none() && process.stdout.is_some());
    drop(process);
    within(told).await.unwrap();
}

#[tokio::test]
async fn the_size_of_the_terminal_is_told_in_pascal_case() {
    let (pods, _) = pods(|mut socket| async move {
        let (channel, bytes) = next(&mut socket).await.unwrap();
        assert_eq!(channel, 4);
        socket.send(framed(1, bytes)).await.unwrap();
        socket.send(exited(0)).await.unwrap();
        let _ = socket.close(None).await;
    })
    .await;
    let process = pods.exec("web-0", ["sh"]).tty().await.unwrap();
    process
        .resize(TerminalSize {
            width: 80,
            height: 24,
        })
        .await
        .unwrap();
    let (_, stdout, _) = within(process.output(100)).await.unwrap();
    assert_eq!(stdout, r#"{"Width":80,"Height":24}"#);
}

#[tokio::test]
async fn a_connection_that_is_cut_is_an_error_and_no_end() {
    let (pods, _) = pods(|mut socket| async move {
        socket.send(framed(1, "half")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        // No closing frame: code 1006.
        drop(socket);
    })
    .await;
    let mut process = pods.exec("web-0", ["tail"]).await.unwrap();
    let mut stdout = process.stdout.take().unwrap();
    let mut bytes = Vec::new();
    let error = within(stdout.read_to_end(&mut bytes)).await.unwrap_err();
    assert_eq!(
        (&bytes[..], error.kind()),
        (&b"half"[..], std::io::ErrorKind::ConnectionReset)
    );
    let error = within(process.wait()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot connect pods/exec web/web-0: "),
        "{error}"
    );
}

#[tokio::test]
async fn a_process_that_cannot_start_says_why() {
    let (pods, _) = pods(|mut socket| async move {
        let text = r#"{"status":"Failure","reason":"InternalError","message":"no such file","code":500}"#;
        socket.send(framed(3, text)).await.unwrap();
        let _ = socket.close(None).await;
    })
    .await;
    let error = within(pods.exec("web-0", ["nope"]).await.unwrap().wait())
        .await
        .unwrap_err();
    assert!(
        error.is_internal() && error.to_string().contains("no such file"),
        "{error}"
    );
}

#[tokio::test]
async fn idle_connections_are_pinged() {
    let (pods, _) = pods(|mut socket| async move {
        while let Some(Ok(message)) = socket.next().await {
            if message.is_ping() {
                socket.send(exited(0)).await.unwrap();
                let _ = socket.close(None).await;
                return;
            }
        }
    })
    .await;
    let started = std::time::Instant::now();
    let process = pods.exec("web-0", ["sleep"]).await.unwrap();
    assert!(within(process.wait()).await.unwrap().success());
    assert!(
        (4..8).contains(&started.elapsed().as_secs()),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn ports_carry_bytes_both_ways_and_errors() {
    let (pods, seen) = pods(|mut socket| async move {
        for (channel, port) in [(0u8, 80u16), (1, 80), (2, 81), (3, 81)] {
            socket.send(framed(channel, port.to_le_bytes())).await.unwrap();
        }
        socket.send(framed(3, "connection refused")).await.unwrap();
        while let Some((channel, bytes)) = next(&mut socket).await {
            socket
                .send(framed(channel, bytes.to_ascii_uppercase()))
                .await
                .unwrap();
        }
    })
    .await;
    let mut forwarded = pods.port_forward("web-0", &[80, 81]).await.unwrap();
    let (mut good, mut bad) = (forwarded.take(80).unwrap(), forwarded.take(81).unwrap());
    assert!(forwarded.take(80).is_none());
    good.write_all(b"hello").await.unwrap();
    let mut answer = [0; 5];
    within(good.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HELLO");
    let error = within(bad.read_u8()).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    assert!(error.to_string().contains("connection refused"), "{error}");
    assert_eq!(
        seen.lock().unwrap()[0].0,
        "/api/v1/namespaces/web/pods/web-0/portforward?ports=80&ports=81"
    );
}

#[tokio::test]
async fn nonsense_is_refused_before_it_is_sent() {
    let (pods, seen) = pods(cat).await;
    for ports in [&[][..], &[0], &[80, 80]] {
        assert!(
            pods.port_forward("web-0", ports)
                .await
                .unwrap_err()
                .is_bad_request(),
            "{ports:?}"
        );
    }
    assert!(
        pods.exec("web-0", Vec::<String>::new())
            .await
            .unwrap_err()
            .is_bad_request()
    );
    assert!(pods.exec("", ["ls"]).await.unwrap_err().is_bad_request());
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn servers_without_websocket_are_told_apart() {
    let check = async |answer: &'static str, words: &[&str]| {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut config = Config::new(format!("http://{}", listener.local_addr().unwrap()));
        config.proxy = kubeloom::config::Proxy::Direct;
        tokio::spawn(async move {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let mut head = [0; 4096];
            let _ = tcp.read(&mut head).await.unwrap();
            tcp.write_all(answer.as_bytes()).await.unwrap();
            let _ = tcp.read(&mut head).await;
        });
        let pods: kubeloom::Api<Pod> = kubeloom::RestClient::new(&config).unwrap().namespaced("web");
        let error = within(pods.exec("web-0", ["ls"])).await.unwrap_err();
        for word in words {
            assert!(error.to_string().contains(word), "{word} is missing in: {error}");
        }
    };
    check(
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        &["answered 200", "WebSocket", "1.30"],
    )
    .await;
    check(
        "HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\ncontent-length: 78\r\n\r\n{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\",\"message\":\"m\",\"code\":403}",
        &["403"],
    )
    .await;
    check(
        "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n",
        &["handshake is not valid"],
    )
    .await;
}
