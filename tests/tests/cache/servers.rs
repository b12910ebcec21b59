//! Servers that are not as usual.

use std::collections::BTreeMap;

use kubeloom::cache::WatchList;
use kubeloom::rest::GroupVersionResource;
use kubeloom::transport::{CallKind, HttpTransport, Method, Request, Transport};
use kubeloom_k8s::SharedInformerFactory;
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::{ApiServer, Options, binary};
use kubeloom_tests::require_apiserver;

use crate::changes::Changes;
use crate::history::History;
use crate::{admin, agrees, clientset, config_map};

/// All other tests here read compressed streams: this is what their client asks for and what the server answers.
#[tokio::test]
async fn a_streaming_list_is_compressed() {
    let server = require_apiserver!();
    let namespace = server.namespace("compressed").unwrap();
    let api = clientset(server).core_v1().config_maps(&namespace);
    api.create(&config_map("a")).await.unwrap();
    let path = format!(
        "/api/v1/namespaces/{namespace}/configmaps?watch=1&timeoutSeconds=5&allowWatchBookmarks=true\
         &sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    );
    let mut request = Request::new(Method::Get, path);
    request.kind = CallKind::Stream;
    // Who asks by himself gets the answer as it is.
    request.headers = [("accept-encoding", "gzip")].into_iter().collect();
    let transport = HttpTransport::new(&admin(server)).unwrap();
    let response = transport.send(request).await.unwrap();
    assert_eq!(
        (response.status, response.headers.get("content-encoding")),
        (200, Some("gzip"))
    );
}

/// A server that streams no lists says so at the first call; each informer notices by itself and lists.
#[tokio::test]
async fn a_server_that_streams_no_lists_is_noticed() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let options = Options {
        feature_gates: BTreeMap::from([("WatchList".to_owned(), false)]),
        ..Options::default()
    };
    let server = ApiServer::start(options).unwrap();
    let namespace = server.namespace("no-streams").unwrap();
    let clientset = clientset(&server);
    let mut changes = Changes::new(&clientset, &namespace, 3);
    for number in 0..30 {
        changes.step(number).await;
    }
    let factory = SharedInformerFactory::new(&clientset).namespace(&namespace);
    let config_maps = factory.core_v1().config_maps();
    let objects = factory.for_resource(&GroupVersionResource::of::<ConfigMap>());
    let metadata = factory.metadata_of::<ConfigMap>();
    let histories = (
        History::of(&config_maps),
        History::of(&objects),
        History::of(&metadata),
    );
    factory.start();
    factory.wait_synced().await.unwrap();
    for overview in factory.overview() {
        assert_eq!(overview.reflector.watch_list, WatchList::Rejected, "{overview:?}");
        assert_eq!(overview.reflector.lists, 1);
    }
    for object in objects.lister().list() {
        assert_eq!(
            (&*object.api_version, &*object.kind),
            ("v1", "ConfigMap"),
            "an item says what it is"
        );
    }
    for number in 30..90 {
        changes.step(number).await;
    }
    agrees(&config_maps, &clientset.core_v1().config_maps(&namespace), "").await;
    histories.0.agrees(&config_maps).await;
    histories.1.agrees(&objects).await;
    histories.2.agrees(&metadata).await;
    assert_eq!(objects.lister().list().len(), config_maps.lister().list().len());
    assert_eq!(metadata.lister().list().len(), config_maps.lister().list().len());
    factory.shutdown().await;
}
