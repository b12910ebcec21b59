//! An informer over HTTP and TLS: a streaming list that is compressed and stays open.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail as tests do"
)]

mod support;

use std::future::ready;
use std::io::Write as _;
use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use kubeloom::RestClient;
use kubeloom::cache::{DynamicListWatch, SharedInformer, WatchList};
use kubeloom::rest::{ClientOptions, GroupVersionResource};
use support::{Feed, Offer, reply, scripted, tls_server, transport};

/// A gzip stream that is never at the end of a block when it is flushed, nor at its own end.
struct Compressed {
    feed: Feed,
    encoder: flate2::write::GzEncoder<Vec<u8>>,
}

impl Compressed {
    fn send(&mut self, kind: &str, object: &serde_json::Value) {
        let event = serde_json::json!({"type": kind, "object": object});
        self.encoder.write_all(event.to_string().as_bytes()).unwrap();
        self.encoder.write_all(b"\n").unwrap();
        self.encoder.flush().unwrap();
        let bytes = Bytes::from(std::mem::take(self.encoder.get_mut()));
        // Cut in the middle of an event.
        let middle = bytes.len() / 2;
        self.feed.send(Ok(bytes.slice(..middle))).unwrap();
        self.feed.send(Ok(bytes.slice(middle..))).unwrap();
    }
}

fn thing(name: &str, version: &str) -> serde_json::Value {
    serde_json::json!({"apiVersion": "example.com/v1", "kind": "Thing",
        "metadata": {"name": name, "uid": name, "resourceVersion": version}})
}

#[tokio::test]
async fn each_event_of_a_compressed_stream_is_there_at_once() {
    for offer in [Offer::Http2AndHttp1, Offer::Http1] {
        let (feed, content) = scripted();
        let content = Mutex::new(Some(content));
        let (server, config) = tls_server(offer, move |_| {
            let mut response = reply(200, content.lock().unwrap().take().expect("one call"));
            let headers = response.headers_mut();
            headers.insert("content-encoding", "gzip".parse().unwrap());
            headers.insert("content-type", "application/json".parse().unwrap());
            ready(response)
        })
        .await;
        let mut stream = Compressed {
            feed,
            encoder: flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default()),
        };
        let client = RestClient::with_transport(transport(&config), ClientOptions::default());
        let resource = GroupVersionResource::new("example.com", "v1", "things");
        let informer = SharedInformer::new(DynamicListWatch::new(&client.dynamic(resource)));
        informer.start();
        stream.send("ADDED", &thing("a", "3"));
        stream.send("ADDED", &thing("b", "2"));
        let mark = serde_json::json!({"kind": "Thing", "apiVersion": "example.com/v1", "metadata": {
            "resourceVersion": "5", "annotations": {"k8s.io/initial-events-end": "true"}}});
        stream.send("BOOKMARK", &mark);
        let limit = Duration::from_secs(5);
        tokio::time::timeout(limit, informer.wait_synced())
            .await
            .expect("no event waits for another")
            .unwrap();
        assert_eq!(informer.lister().list().len(), 2);
        for version in 6..20 {
            stream.send("MODIFIED", &thing("a", &version.to_string()));
            let version = version.to_string();
            let seen = informer.store().at_least(&version);
            tokio::time::timeout(limit, seen)
                .await
                .expect("no event waits for another")
                .unwrap();
        }
        let [seen] = &server.seen()[..] else {
            panic!("one call")
        };
        assert_eq!(seen.header("accept-encoding"), Some("gzip"));
        assert_eq!(informer.status().borrow().watch_list, WatchList::Used);
        informer.stop().await;
    }
}
