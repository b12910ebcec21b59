use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, copy_bidirectional, duplex};
use tokio::sync::Notify;

use super::*;
use crate::clock::TokioClock;

/// A connection to a server that answers each call with a header and never ends its body, over a line that can be cut
/// silently.
async fn connected(keep_alive: KeepAlive) -> (Connection, Arc<Notify>) {
    let (ours, mut near) = duplex(1 << 16);
    let (mut far, theirs) = duplex(1 << 16);
    let cut = Arc::new(Notify::new());
    let cutting = cut.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = copy_bidirectional(&mut near, &mut far) => {}
            () = cutting.notified() => std::future::pending().await,
        }
    });
    tokio::spawn(async move {
        let mut server = h2::server::handshake(theirs).await.unwrap();
        let mut open = Vec::new();
        while let Some(Ok((request, mut answer))) = server.accept().await {
            let body = answer.send_response(::http::Response::new(()), false).unwrap();
            open.push((request, body));
        }
    });
    let clock: Arc<dyn Clock> = Arc::new(TokioClock);
    let connection = Connection::open(Dialed::over(ours), keep_alive, &clock)
        .await
        .unwrap();
    (connection, cut)
}

fn message() -> Message {
    ::http::Request::get("https://host/api/v1/pods?watch=true")
        .body(Bytes::new())
        .unwrap()
}

async fn watch(connection: &Connection) -> RecvStream {
    let answer = connection.clone().send(message()).await;
    answer.map_err(|lost| lost.error).unwrap().into_body()
}

#[tokio::test(start_paused = true)]
async fn a_watch_in_a_black_hole_is_noticed_in_under_45_seconds() {
    let (connection, cut) = connected(KeepAlive::default()).await;
    let mut body = watch(&connection).await;
    // As long as pings are answered, silence is fine.
    let silence = tokio::time::timeout(Duration::from_secs(3600), body.data()).await;
    assert!(silence.is_err() && !connection.is_closed());
    for wait in [0, 7, 29] {
        tokio::time::sleep(Duration::from_secs(wait)).await;
        assert!(!connection.is_closed());
    }
    cut.notify_one();
    let before = tokio::time::Instant::now();
    let ended = body.data().await.unwrap().unwrap_err();
    let took = before.elapsed();
    assert!(
        took >= Duration::from_secs(15) && took <= Duration::from_secs(45),
        "{took:?}"
    );
    assert!(ended.is_io(), "{ended:?}");
    assert!(connection.is_closed());
    assert!(matches!(connection.ending().get(), Some(End::Silent(time)) if time.as_secs() == 45));
}

#[tokio::test(start_paused = true)]
async fn without_an_interval_nobody_is_pinged() {
    let keep_alive = KeepAlive {
        interval: Duration::ZERO,
        timeout: Duration::from_secs(15),
    };
    let (connection, cut) = connected(keep_alive).await;
    let mut body = watch(&connection).await;
    cut.notify_one();
    assert!(
        tokio::time::timeout(Duration::from_secs(86_400), body.data())
            .await
            .is_err()
    );
    assert!(!connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_nobody_holds_is_closed() {
    let (ours, mut theirs) = duplex(1 << 16);
    let clock: Arc<dyn Clock> = Arc::new(TokioClock);
    let connection = Connection::open(Dialed::over(ours), KeepAlive::default(), &clock)
        .await
        .unwrap();
    drop(connection);
    let mut all = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(1), theirs.read_to_end(&mut all)).await;
    assert!(closed.is_ok(), "still open");
}

#[test]
fn fields_about_the_connection_do_not_go_out() {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("connection", "close"),
        ("upgrade", "x"),
        ("te", "gzip"),
        ("accept", "a"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    prepare(&mut headers, 7);
    let left: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.contains(&("accept", "a")) && left.contains(&("content-length", "7")));
}
