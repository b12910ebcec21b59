use std::sync::Arc;
use std::time::Duration;

use kubeloom::cache::{
    EventHandler, InformerSetup, QueueKind, ReadOptions, ReflectorState, SharedInformer, Transform, Tweak,
    WatchList,
};
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
    let error = factory.wait_synced().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of things.demo.example.com does not run: start it, or the factory that it is from"
    );
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
    assert!(factory.wait_synced().await.is_err(), "nothing runs");
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

/// The requests of streaming lists that the server saw, and forgets them.
fn lists(server: &Server) -> Vec<String> {
    let requests = std::mem::take(&mut server.state().requests);
    let lists = requests
        .into_iter()
        .filter(|path| path.contains("sendInitialEvents"));
    lists.collect()
}

#[tokio::test(start_paused = true)]
async fn informers_of_different_selections_live_in_one_factory() {
    let server = Server::new(Streams::Offered);
    server.put("web/web-0", 3);
    server.put("db/db-0", 4);
    let ten = Transform::new(|thing: &mut Thing| thing.size *= 10);
    let shard = Tweak::new(|options| match options {
        ReadOptions::List(list) => list.shard_selector = "s".into(),
        ReadOptions::Watch(watch) => watch.shard_selector = "s".into(),
    });
    let factory = SharedInformerFactory::new(&server.client()).labels("all=1");
    let setup = InformerSetup::<Thing>::new;
    let setups = [
        (setup(), "/things?", "labelSelector=all%3D1&"),
        (
            setup().namespace("db"),
            "/namespaces/db/things?",
            "labelSelector=all%3D1&",
        ),
        (setup().labels("a=b"), "/things?", "labelSelector=a%3Db&"),
        (setup().labels(""), "/things?", "watch=true&timeoutSeconds"),
        (
            setup().fields("c=d"),
            "/things?",
            "labelSelector=all%3D1&fieldSelector=c%3Dd&",
        ),
        (setup().tweak(shard.clone()), "/things?", "shardSelector=s&"),
        (
            setup().transform(ten.clone()),
            "/things?",
            "labelSelector=all%3D1&",
        ),
        (
            setup().queue(QueueKind::DeltaFifo),
            "/things?",
            "labelSelector=all%3D1&",
        ),
    ];
    let mut informers: Vec<SharedInformer<Thing>> = Vec::new();
    for (number, (setup, path, query)) in setups.iter().enumerate() {
        informers.push(factory.informer_with(setup.clone()));
        factory.start();
        factory.wait_synced().await.unwrap();
        let again = factory.informer_with(setup.clone());
        assert!(again.is_running(), "{number}: the same one");
        assert_eq!(server.watchers(), number + 1);
        let lists = lists(&server);
        assert_eq!(lists.len(), 1, "{lists:?}");
        assert!(
            lists[0].contains(path) && lists[0].contains(query),
            "{number}: {lists:?}"
        );
    }
    let sizes = |place: usize| {
        let mut sizes: Vec<_> = informers[place]
            .lister()
            .list()
            .iter()
            .map(|thing| thing.size)
            .collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(
        (sizes(0), sizes(1), sizes(6)),
        (vec![3, 4], vec![4], vec![30, 40])
    );
    // Views of the factory ask for the same ones.
    let views = [
        (*factory).clone().namespace("db"),
        (*factory).clone().labels("a=b"),
        (*factory).clone().tweak(shard),
        (*factory).clone().transform(ten),
        (*factory).clone().configure(setup().queue(QueueKind::DeltaFifo)),
    ];
    for view in views {
        assert!(view.informer::<Thing>().is_running(), "{view:?}");
    }
    assert_eq!(factory.overview().len(), 8);
    // A transform that was made apart is another one.
    let other = (*factory)
        .clone()
        .transform(Transform::new(|_: &mut Thing| {}))
        .informer::<Thing>();
    assert!(!other.is_running());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_may_be_configured_once_for_all() {
    let server = Server::new(Streams::Offered);
    server.put("web/web-0", 3);
    server.put("db/db-0", 4);
    let setup = InformerSetup::new()
        .namespace("db")
        .resync(Duration::from_secs(30));
    let factory = SharedInformerFactory::new(&server.client())
        .namespace("web")
        .configure::<Thing>(setup)
        .configure::<Thing>(
            InformerSetup::new().transform(Transform::new(|thing: &mut Thing| thing.size += 1)),
        );
    let things = factory.demo_v1().things();
    let (shown, never) = (History::default(), History::default());
    things.add_event_handler(shown.handler());
    // The period belongs to what was handed out, not to the informer.
    let quiet = factory.informer_with::<Thing>(InformerSetup::new().resync(None));
    quiet.add_event_handler(never.handler());
    factory.start();
    factory.wait_synced().await.unwrap();
    assert_eq!(server.watchers(), 1);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(shown.told(), ["+db/db-0@12=5", "=db/db-0@12=5"]);
    assert_eq!(never.told(), ["+db/db-0@12=5"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_factory_shows_how_its_informers_fare() {
    let server = Server::new(Streams::Offered);
    server.put("web/web-0", 3);
    let factory = SharedInformerFactory::new(&server.client());
    let _things = factory.demo_v1().things();
    let before = &factory.overview()[0];
    assert!(!before.running && !before.synced && before.objects == 0);
    factory.start();
    factory.wait_synced().await.unwrap();
    eventually("watching", || {
        matches!(factory.overview()[0].reflector.state, ReflectorState::Watching)
    })
    .await;
    let now = &factory.overview()[0];
    assert!(now.running && now.synced && (now.objects, now.queued) == (1, 0));
    assert_eq!(now.resource.resource, "things");
    factory.shutdown().await;
    assert!(matches!(
        factory.overview()[0].reflector.state,
        ReflectorState::Stopped
    ));
}

#[tokio::test(start_paused = true)]
async fn a_thousand_informers_of_a_factory_leave_no_task_behind() {
    let server = Server::new(Streams::Offered);
    server.put("web/a", 1);
    let metrics = tokio::runtime::Handle::current().metrics();
    let before = metrics.num_alive_tasks();
    let factory = SharedInformerFactory::new(&server.client());
    for number in 0..1000 {
        let setup = InformerSetup::<Thing>::new().labels(format!("number={number}"));
        factory
            .informer_with(setup)
            .add_event_handler(|_: kubeloom::cache::Event<Thing>| {});
    }
    factory.start();
    factory.wait_synced().await.unwrap();
    assert_eq!(server.watchers(), 1000);
    assert!(
        metrics.num_alive_tasks() >= before + 2000,
        "a task each, and one for its handler"
    );
    factory.shutdown().await;
    assert_eq!(metrics.num_alive_tasks(), before);
    assert_eq!(server.watchers(), 0);
}

/// Objects that are wrong in their metadata, which even those who read nothing else cannot read.
#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_read_costs_one_object_whatever_it_is_read_as() {
    for streams in [Streams::Offered, Streams::Refused] {
        let server = Server::new(streams);
        server.page();
        for number in 0..7 {
            server.put(&format!("web/{number}"), number);
        }
        for bad in ["2", "5"] {
            let key = ("web".to_owned(), bad.to_owned());
            server.state().objects.get_mut(&key).unwrap()["metadata"]["labels"] = serde_json::json!(7);
        }
        let options = kubeloom::cache::ReflectorOptions {
            page_size: Some(3),
            ..Default::default()
        };
        let factory = SharedInformerFactory::new(&server.client()).reflector(options);
        let resource = kubeloom::rest::GroupVersionResource::of::<Thing>();
        let objects = factory.for_resource(&resource);
        let metadata = factory.metadata_of::<Thing>();
        let things = factory.demo_v1().things();
        factory.start();
        factory.wait_synced().await.unwrap();
        assert_eq!(factory.overview().len(), 3);
        for overview in factory.overview() {
            assert_eq!(overview.objects, 5, "{streams:?} {overview:?}");
            assert_eq!(overview.reflector.skipped, 2);
            let skipped = overview.reflector.last_skipped.unwrap();
            assert_eq!(skipped.key.to_string(), "web/5", "{streams:?} {}", skipped.reason);
        }
        assert_eq!(things.lister().list().len(), metadata.lister().list().len());
        // Items of a list do not say what they are; what is kept does.
        let object = objects.lister().namespace("web").require("3").unwrap();
        if streams == Streams::Refused {
            assert_eq!(factory.overview()[0].reflector.watch_list, WatchList::Rejected);
            assert_eq!(
                (&*object.api_version, &*object.kind),
                ("demo.example.com/v1", "Thing")
            );
        }
        factory.shutdown().await;
    }
}
