use std::sync::Arc;
use std::time::Duration;

use kubeloom::cache::{EventHandler, Transform};
use kubeloom::generated::*;

use super::eventually;
use super::history::History;
use super::server::{Server, Streams, Thing};

informers! { DemoV1Informers { things: Thing } }

informer_factory! { SharedInformerFactory {
    /// `demo.example.com/v1`
    demo_v1: DemoV1Informers,
} }

struct DemoV1;
impl DemoV1 {
    fn new(_: &RestClient) -> Self {
        Self
    }
}
clientset! { Clientset {
    /// `demo.example.com/v1`
    demo_v1: DemoV1,
} }

/// A handler with state of its own.
#[derive(Default)]
struct Sizes(Arc<std::sync::Mutex<Vec<i64>>>);

impl EventHandler<Thing> for Sizes {
    fn on_add(&mut self, object: Arc<Thing>, initial: bool) {
        assert!(initial);
        self.0.lock().unwrap().push(object.size);
    }
}

#[tokio::test(start_paused = true)]
async fn a_generated_factory_reads_as_it_should() {
    let server = Server::new(Streams::Offered);
    server.put("web/web-0", 3);
    server.put("db/db-0", 4);
    let clientset = Clientset::new(&server.client());
    let _ = clientset.demo_v1();
    let factory = SharedInformerFactory::new(&clientset)
        .namespace("web")
        .transform(Transform::new(|thing: &mut Thing| thing.size *= 10));
    let things = factory.demo_v1().things();
    let sizes = Sizes::default();
    let seen = sizes.0.clone();
    things.add_event_handler(sizes);
    let again = factory.demo_v1().things();
    let history = History::default();
    again.add_event_handler(history.handler());
    factory.start();
    factory.wait_synced().await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [30]);
    assert_eq!(history.told(), ["+web/web-0@11=30"]);
    let found: Option<Arc<Thing>> = things.lister().namespace("web").get("web-0");
    assert_eq!(found.unwrap().size, 30);
    assert_eq!(server.watchers(), 1, "one informer for both");

    // Another selection is another informer.
    let other = (*factory).clone().labels("a=b").informer::<Thing>();
    assert!(!other.is_running());
    factory.start();
    factory.wait_synced().await.unwrap();
    assert_eq!(server.watchers(), 2);
    assert!(
        server
            .state()
            .requests
            .last()
            .unwrap()
            .contains("labelSelector=a%3Db")
    );

    let metrics = tokio::runtime::Handle::current().metrics();
    assert!(metrics.num_alive_tasks() > 0);
    factory.shutdown().await;
    assert_eq!(metrics.num_alive_tasks(), 0, "no task is left");
    factory.start();
    assert!(!things.is_running());
    assert_eq!(things.lister().list().len(), 1, "the store can be read");
}

#[tokio::test(start_paused = true)]
async fn dropping_a_factory_stops_what_nobody_else_holds() {
    let server = Server::new(Streams::Offered);
    let factory = SharedInformerFactory::new(&server.client())
        .resync(Duration::from_secs(5))
        .labels("")
        .fields("");
    let all = factory.demo_v1().things();
    factory.start();
    factory.wait_synced().await.unwrap();
    drop(factory);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(all.is_running());
    drop(all);
    eventually("stopped", || server.watchers() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn resources_known_by_name_have_informers_too() {
    let server = Server::new(Streams::Offered);
    server.put("web/web-0", 3);
    let factory = SharedInformerFactory::new(&server.client());
    let resource = kubeloom::rest::GroupVersionResource::new("demo.example.com", "v1", "things");
    let objects = factory.for_resource(&resource);
    let metadata = factory.metadata_for(&resource);
    let history = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = history.clone();
    factory
        .for_resource(&resource)
        .add_event_handler(move |event: kubeloom::cache::Event<_>| {
            told.lock().unwrap().push(event.key().to_string());
        });
    factory.start();
    factory.wait_synced().await.unwrap();
    assert_eq!(server.watchers(), 2);
    assert_eq!(*history.lock().unwrap(), ["web/web-0"]);
    let found = objects.lister().namespace("web").get("web-0").unwrap();
    assert_eq!(found.read::<i64>("/size").unwrap(), Some(3));
    assert_eq!(metadata.lister().list()[0].metadata.resource_version, "11");
    server.cut(super::server::Cut::Expired);
    server.put("web/web-0", 4);
    eventually("both follow", || {
        let size = objects
            .lister()
            .namespace("web")
            .get("web-0")
            .unwrap()
            .read::<i64>("/size")
            .unwrap();
        let version = metadata.lister().list()[0].metadata.resource_version.clone();
        (size, &*version) == (Some(4), "12")
    })
    .await;
    factory.shutdown().await;
}
