//! A factory over several kinds while their objects change.

use kubeloom::cache::{
    InformerSetup, MutationCache, Object, ObjectKey, PackedOptions, QueueKind, ReflectorOptions,
    SharedInformer, Storage, WatchList,
};
use kubeloom::resource::Resource;
use kubeloom::rest::GroupVersionResource;
use kubeloom_k8s::apps_v1::Deployment;
use kubeloom_k8s::core_v1::{ConfigMap, Namespace, Secret};
use kubeloom_k8s::{Clientset, SharedInformerFactory};
use kubeloom_tests::require_apiserver;

use crate::changes::Changes;
use crate::history::History;
use crate::{agrees, clientset, config_map, eventually};

/// `name@version` of what an informer holds.
fn held<K: Object>(informer: &SharedInformer<K>) -> Vec<String> {
    let objects = informer.lister().list_sorted();
    let texts = objects.iter().map(|object| {
        let meta = object.object_meta();
        format!("{}@{}", ObjectKey::of(&**object), meta.resource_version)
    });
    texts.collect()
}

fn packed() -> Storage {
    Storage::Packed(PackedOptions::default())
}

/// The same in memory whatever it was read as.
async fn agree<A: Object, B: Object>(left: &SharedInformer<A>, right: &SharedInformer<B>) {
    eventually("the same", || held(left) == held(right)).await;
}

async fn churn(clientset: &Clientset, namespace: &str, watch_list: WatchList, queue: QueueKind) {
    let options = ReflectorOptions {
        watch_list,
        page_size: Some(5),
        ..ReflectorOptions::default()
    };
    let factory = SharedInformerFactory::new(clientset)
        .namespace(namespace)
        .reflector(options)
        .configure(InformerSetup::<ConfigMap>::new().queue(queue))
        .configure(InformerSetup::<Deployment>::new().queue(queue));
    let mut changes = Changes::new(clientset, namespace, 7);
    for number in 0..40 {
        changes.step(number).await;
    }
    let config_maps = factory.core_v1().config_maps();
    let secrets = factory.core_v1().secrets();
    let deployments = factory.apps_v1().deployments();
    let front = factory.clone().labels("tier=front").core_v1().config_maps();
    let packed = factory.informer_with(InformerSetup::<Deployment>::new().storage(packed()));
    let objects = factory.for_resource(&GroupVersionResource::of::<Deployment>());
    let metadata = factory.metadata_of::<Secret>();
    let early = (
        History::of(&config_maps),
        History::of(&front),
        History::of(&deployments),
    );
    factory.start();
    factory.wait_synced().await.unwrap();
    let mut late = Vec::new();
    for number in 40..240 {
        changes.step(number).await;
        if number % 50 == 0 {
            late.push(History::of(&config_maps));
        }
    }
    let core = clientset.core_v1();
    agrees(&config_maps, &core.config_maps(namespace), "").await;
    agrees(&front, &core.config_maps(namespace), "tier=front").await;
    agrees(&secrets, &core.secrets(namespace), "").await;
    agrees(&deployments, &clientset.apps_v1().deployments(namespace), "").await;
    agrees(&packed, &clientset.apps_v1().deployments(namespace), "").await;
    let stats = |informer: &SharedInformer<Deployment>| informer.store().packed_stats();
    assert!(
        stats(&packed).is_some() && stats(&deployments).is_none(),
        "two stores of one kind"
    );
    agree(&objects, &deployments).await;
    agree(&metadata, &secrets).await;
    for history in late.iter().chain([&early.0]) {
        history.agrees(&config_maps).await;
    }
    early.1.agrees(&front).await;
    early.2.agrees(&deployments).await;
    let object = objects.lister().list().pop().unwrap();
    assert_eq!((&*object.api_version, &*object.kind), ("apps/v1", "Deployment"));
    for overview in factory.overview() {
        assert_eq!(overview.reflector.watch_list, watch_list, "{overview:?}");
        assert_eq!((overview.reflector.skipped, overview.reflector.panics), (0, 0));
    }
    factory.shutdown().await;
}

#[tokio::test]
async fn several_kinds_under_churn_read_as_streams() {
    let server = require_apiserver!();
    let namespace = server.namespace("churn-streams").unwrap();
    churn(
        &clientset(server),
        &namespace,
        WatchList::Used,
        QueueKind::InOrder,
    )
    .await;
}

#[tokio::test]
async fn several_kinds_under_churn_read_in_pages() {
    let server = require_apiserver!();
    let namespace = server.namespace("churn-pages").unwrap();
    churn(
        &clientset(server),
        &namespace,
        WatchList::TurnedOff,
        QueueKind::DeltaFifo,
    )
    .await;
}

/// One factory, all namespaces and one, and a resource of cluster scope that a namespace says nothing to.
#[tokio::test]
async fn a_namespace_bounds_what_has_one() {
    let server = require_apiserver!();
    let (one, other) = (
        server.namespace("one").unwrap(),
        server.namespace("other").unwrap(),
    );
    let clientset = clientset(server);
    for namespace in [&one, &other] {
        let api = clientset.core_v1().config_maps(namespace);
        api.create(&config_map("a")).await.unwrap();
    }
    let factory = SharedInformerFactory::new(&clientset).namespace(&one);
    let bounded = factory.core_v1().config_maps();
    let namespaces = factory.core_v1().namespaces();
    let all = factory.informer_with::<ConfigMap>(InformerSetup::new().all_namespaces());
    let metadata = factory.metadata_of::<Namespace>();
    factory.start();
    factory.wait_synced().await.unwrap();
    let names = |informer: &SharedInformer<ConfigMap>, namespace: &str| {
        informer
            .lister()
            .namespace(namespace)
            .get("a")
            .map(|object| object.metadata.name.to_string())
    };
    assert_eq!(
        (names(&bounded, &one), names(&bounded, &other)),
        (Some("a".to_owned()), None)
    );
    assert!(names(&all, &one).is_some() && names(&all, &other).is_some());
    assert!(namespaces.lister().get(&other).is_some());
    assert!(metadata.lister().require(&one).is_ok());
    let missing = namespaces.lister().require("no-such-namespace").unwrap_err();
    let answer = clientset
        .core_v1()
        .namespaces()
        .get("no-such-namespace")
        .await
        .unwrap_err();
    assert!(missing.is_not_found());
    assert_eq!(
        missing
            .status()
            .map(|status| (&*status.message, &*status.reason, status.code)),
        answer
            .status()
            .map(|status| (&*status.message, &*status.reason, status.code)),
        "the error of a lister is that of the server"
    );
    factory.shutdown().await;
}

/// What was written is read: at once through a mutation cache, and from the store as soon as it is at the version.
#[tokio::test]
async fn writes_of_this_program_are_read_back() {
    let server = require_apiserver!();
    let namespace = server.namespace("read-back").unwrap();
    let clientset = clientset(server);
    let api = clientset.core_v1().config_maps(&namespace);
    let factory = SharedInformerFactory::new(&clientset).namespace(&namespace);
    let informer = factory.core_v1().config_maps();
    let mutations = MutationCache::new(informer.store());
    factory.start();
    factory.wait_synced().await.unwrap();
    let mut object = api.create(&config_map("a")).await.unwrap();
    for round in 0..30 {
        object.data.insert("round".into(), round.to_string().into());
        object = api.update(&object).await.unwrap();
        mutations.mutated(std::sync::Arc::new(object.clone()));
        let seen = mutations.get(&namespace, "a").unwrap();
        assert_eq!(*seen, object, "at once");
        if round % 3 == 0 {
            informer
                .lister()
                .at_least(&object.metadata().resource_version)
                .await
                .unwrap();
            assert_eq!(
                *informer.lister().namespace(&namespace).require("a").unwrap(),
                object
            );
            assert!(mutations.is_empty(), "the store has it");
        }
    }
    // Deleted by someone: the store says so, and what was written here does not hide it.
    api.delete("a").await.unwrap();
    eventually("gone", || mutations.get(&namespace, "a").is_none()).await;
    factory.shutdown().await;
}
