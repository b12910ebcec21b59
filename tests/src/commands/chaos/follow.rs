//! [`Follower`]: an informer behind a proxy of its own, with handlers that keep histories.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use anyhow::Result;
use futures_core::future::BoxFuture;
use kubeloom::RestClient;
use kubeloom::cache::{
    ApiListWatch, DynamicListWatch, HandlerOptions, InformerOptions, ListWatch, Object, Overflow,
    PackedOptions, ReflectorBackoff, SharedInformer, Storage,
};
use kubeloom::config::{Config, Kubeconfig, KubeconfigOptions, Origin};
use kubeloom::dynamic::DynamicObject;
use kubeloom::rest::GroupVersionResource;
use kubeloom::wire::{Format, Wire};
use kubeloom_k8s::core_v1::ConfigMap;

use super::history::{Content, History, Objects, identity};
use crate::apiserver::{ApiServer, FaultProxy};

/// An informer of any kind, and what is known of it.
pub(super) trait Followed: Send + Sync {
    fn name(&self) -> &str;
    fn proxy(&self) -> &FaultProxy;
    /// What the store has.
    fn stored(&self) -> Objects;
    /// What the server has, read past the proxy.
    fn truth(&self) -> BoxFuture<'_, Result<Objects>>;
    fn histories(&self) -> &[History];
    /// How often it noticed that the server's version went back.
    fn went_back(&self) -> u64;
    /// What it does now, for messages.
    fn status(&self) -> String;
    fn stop(&self) -> BoxFuture<'_, ()>;
}

struct Follower<K: Object> {
    name: String,
    proxy: FaultProxy,
    informer: SharedInformer<K>,
    histories: Vec<History>,
    content: Content<K>,
    list: Box<dyn Fn() -> BoxFuture<'static, Result<Vec<K>>> + Send + Sync>,
}

/// A client of whoever a kubeconfig document names.
pub(super) fn client(kubeconfig: &str) -> Result<RestClient> {
    let loaded = Kubeconfig::parse(kubeconfig.as_bytes(), Origin::Memory)?;
    let config = Config::from_loaded(&loaded, &KubeconfigOptions::default())?;
    Ok(RestClient::new(&config)?)
}

/// The three: typed and kept whole, typed and packed, and as JSON objects.
pub(super) fn followers(server: &ApiServer, namespace: &str) -> Result<Vec<Box<dyn Followed>>> {
    let direct = client(&server.kubeconfig())?;
    let mut all: Vec<Box<dyn Followed>> = Vec::new();
    let forms = [
        ("typed", Storage::Whole),
        ("packed", Storage::Packed(PackedOptions::default().hot(4))),
    ];
    for (name, storage) in forms {
        let proxy = FaultProxy::start(server)?;
        let source = ApiListWatch::<ConfigMap>::new(
            &client(&proxy.kubeconfig(server.admin_token()))?,
            Some(namespace),
        );
        let api = direct.namespaced::<ConfigMap>(namespace);
        let list = move || -> BoxFuture<'static, Result<Vec<ConfigMap>>> {
            let api = api.clone();
            Box::pin(async move { Ok(api.list().await?.items) })
        };
        all.push(Box::new(Follower::start(
            name,
            proxy,
            source,
            storage,
            typed,
            Box::new(list),
        )));
    }
    let proxy = FaultProxy::start(server)?;
    let resource = || GroupVersionResource::new("", "v1", "configmaps");
    let through = client(&proxy.kubeconfig(server.admin_token()))?;
    let source = DynamicListWatch::new(&through.dynamic(resource()).namespace(namespace));
    let api = direct.dynamic(resource()).namespace(namespace);
    let list = move || -> BoxFuture<'static, Result<Vec<DynamicObject>>> {
        let api = api.clone();
        Box::pin(async move { Ok(api.list().await?.items) })
    };
    let follower = Follower::start("dynamic", proxy, source, Storage::Whole, dynamic, Box::new(list));
    all.push(Box::new(follower));
    Ok(all)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn typed(object: &ConfigMap) -> u64 {
    hash(&object.encode(Format::Json).unwrap_or_default())
}

fn dynamic(object: &DynamicObject) -> u64 {
    let mut object = object.clone();
    // The items of a list come without them.
    object.api_version = "v1".into();
    object.kind = "ConfigMap".into();
    hash(&object.encode(Format::Json).unwrap_or_default())
}

impl<K: Object> Follower<K> {
    fn start(
        name: &str,
        proxy: FaultProxy,
        source: impl ListWatch<Object = K>,
        storage: Storage,
        content: Content<K>,
        list: Box<dyn Fn() -> BoxFuture<'static, Result<Vec<K>>> + Send + Sync>,
    ) -> Self {
        let mut options = InformerOptions {
            storage,
            ..InformerOptions::default()
        };
        // A run of minutes is to see what a cluster sees in days.
        options.reflector.watch_timeout = Duration::from_secs(10);
        options.reflector.watch_grace = Duration::from_secs(3);
        options.reflector.initial_events_idle = Duration::from_secs(3);
        options.reflector.initial_events_limit = Duration::from_secs(15);
        options.reflector.backoff = ReflectorBackoff {
            initial: Duration::from_millis(100),
            max: Duration::from_secs(2),
            ..ReflectorBackoff::default()
        };
        let informer = SharedInformer::with_options(source, options);
        let handlers = [
            (Overflow::Coalesce, 8, None),
            (Overflow::Block, 8, None),
            (Overflow::Coalesce, 1024, Some(Duration::from_secs(5))),
        ];
        let histories = handlers.map(|(overflow, buffer, resync)| {
            let history = History::default();
            let options = HandlerOptions {
                buffer,
                overflow,
                resync,
                ..HandlerOptions::default()
            };
            informer.add_event_handler_with(history.handler(content), options);
            history
        });
        informer.start();
        Self {
            name: name.to_owned(),
            proxy,
            informer,
            histories: histories.into(),
            content,
            list,
        }
    }

    fn objects<'a>(&self, objects: impl Iterator<Item = &'a K>) -> Objects {
        let pairs = objects.map(|object| {
            let key = kubeloom::cache::ObjectKey::of(object).to_string();
            (key, identity(object, self.content))
        });
        pairs.collect()
    }
}

impl<K: Object> Followed for Follower<K> {
    fn name(&self) -> &str {
        &self.name
    }
    fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }
    fn stored(&self) -> Objects {
        self.objects(self.informer.store().list().iter().map(|object| &**object))
    }
    fn truth(&self) -> BoxFuture<'_, Result<Objects>> {
        Box::pin(async { Ok(self.objects((self.list)().await?.iter())) })
    }
    fn histories(&self) -> &[History] {
        &self.histories
    }
    fn went_back(&self) -> u64 {
        self.informer.status().borrow().went_back
    }
    fn status(&self) -> String {
        let status = self.informer.status();
        let status = status.borrow();
        format!(
            "{:?}, {} lists, {} skipped",
            status.state, status.lists, status.skipped
        )
    }
    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.informer.stop())
    }
}
