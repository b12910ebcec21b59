//! The example controller with 2,000 websites: its children are deleted, the server restarts, it is killed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use kubeloom::cache::SharedInformerFactory;
use kubeloom::config::Config;
use kubeloom::controller::{ControllerHandle, Outcome};
use kubeloom::events::{EventOptions, Recorder};
use kubeloom::generated::*;
use kubeloom::leader_election::{ElectionOptions, ElectionTiming, LeaderElector};
use kubeloom::rest::PatchBody;
use kubeloom_k8s::apps_v1::Deployment;
use kubeloom_k8s::core_v1::ConfigMap;
use kubeloom_tests::apiserver::{ApiServer, Options, binary};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::parts::controller::{self, Directory};
use super::parts::website::{Website, WebsiteSpec};
use super::parts::{install, metrics};
use super::writes::{self, Writes};
use super::{admin, eventually};

/// How many websites; fewer make the test quicker while it is worked on.
fn count() -> usize {
    let asked = std::env::var("KUBELOOM_WEBSITES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

/// A controller on a runtime of its own, that can be killed.
struct Process {
    runtime: Option<tokio::runtime::Runtime>,
    handle: ControllerHandle,
    factory: SharedInformerFactory,
    recorder: Recorder,
}

impl Process {
    async fn start(config: &Config, namespace: &str, writes: &Arc<Writes>, directory: &Directory) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let (config, namespace) = (config.clone(), namespace.to_owned());
        let (writes, directory) = (writes.clone(), directory.clone());
        let start = async move {
            let client = writes::client(&config, &writes);
            let factory = SharedInformerFactory::new(&client).namespace(&namespace);
            let recorder = Recorder::start(&client, EventOptions::new("demo.kubeloom.dev/websites")).unwrap();
            let timing = ElectionTiming {
                lease: Duration::from_secs(4),
                renew: Duration::from_secs(3),
                retry: Duration::from_millis(500),
            };
            let options = ElectionOptions::new(&namespace, "websites").timing(timing);
            let elector = LeaderElector::new(&client, options).unwrap();
            let handle = controller::start(&factory, recorder.clone(), directory, Some(&elector));
            handle.ready().await;
            (handle, factory, recorder)
        };
        let (handle, factory, recorder) = runtime.spawn(start).await.unwrap();
        Self {
            runtime: Some(runtime),
            handle,
            factory,
            recorder,
        }
    }

    /// Ends it wherever it is: nothing is released, nothing is told.
    fn kill(mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    async fn stop(mut self) {
        self.handle.stop().await;
        self.factory.shutdown().await;
        let stats = self.recorder.shutdown(Duration::from_secs(20)).await;
        assert_eq!(stats.abandoned, 0);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

struct World {
    client: RestClient,
    namespace: String,
    count: usize,
    writes: Arc<Writes>,
    started: Instant,
}

impl World {
    fn websites(&self) -> Api<Website> {
        self.client.namespaced(&self.namespace)
    }

    fn name(number: usize) -> String {
        format!("site-{number:04}")
    }

    fn say(&self, what: &str) {
        let seconds = self.started.elapsed().as_secs();
        eprintln!("{seconds:3} s, {} writes: {what}", self.writes.count());
    }

    /// Does something for many names, 32 at a time.
    async fn each<F: Future<Output = ()>>(
        &self,
        numbers: impl Iterator<Item = usize>,
        act: impl Fn(String) -> F,
    ) {
        futures_util::stream::iter(numbers.map(|number| act(Self::name(number))))
            .for_each_concurrent(32, |done| done)
            .await;
    }

    async fn create(&self) {
        let api = self.websites();
        self.each(0..self.count, async |name| {
            let site = Website {
                metadata: ObjectMeta {
                    name: name.as_str().into(),
                    ..ObjectMeta::default()
                },
                spec: WebsiteSpec {
                    html: format!("<h1>{name}</h1>"),
                    replicas: 1,
                },
                ..Website::default()
            };
            api.create(&site).await.unwrap();
        })
        .await;
    }

    async fn rewrite(&self, numbers: impl Iterator<Item = usize>, html: &str) {
        let api = self.websites();
        self.each(numbers, async |name| {
            let body = json!({"spec": {"html": html, "replicas": 2}});
            api.patch(&name, PatchBody::merge(&body)).await.unwrap();
        })
        .await;
    }

    /// Whether all is as the websites say; asked of the server alone.
    async fn has_converged(&self) -> bool {
        // While the server restarts there is no answer.
        let Ok(sites) = self.websites().list().await else {
            return false;
        };
        let Ok(pages) = self.client.namespaced::<ConfigMap>(&self.namespace).list().await else {
            return false;
        };
        let Ok(servers) = self.client.namespaced::<Deployment>(&self.namespace).list().await else {
            return false;
        };
        let pages: BTreeMap<_, _> = pages
            .iter()
            .map(|page| (page.metadata.name.clone(), page))
            .collect();
        let servers: BTreeMap<_, _> = servers
            .iter()
            .map(|server| (server.metadata.name.clone(), server))
            .collect();
        let is_right = |site: &Website| {
            let (name, conditions) = (&site.metadata.name, &site.status.conditions);
            let (Some(page), Some(server)) = (pages.get(name), servers.get(name)) else {
                return false;
            };
            let seen = conditions.find("Available").map(|one| one.observed_generation);
            page.data
                .get("index.html")
                .is_some_and(|html| *html == *site.spec.html)
                && server.spec.replicas == Some(site.spec.replicas)
                && server.metadata.is_controlled_by(&site.metadata)
                && conditions.holds("Published")
                && seen == Some(site.metadata.generation)
        };
        sites.iter().all(is_right)
    }

    /// However long it takes, as long as something is done in two minutes.
    async fn converges(&self, what: &str) {
        let (mut written, mut moved) = (self.writes.count(), Instant::now());
        while !self.has_converged().await {
            if self.writes.count() != written {
                (written, moved) = (self.writes.count(), Instant::now());
            }
            let idle = moved.elapsed();
            assert!(
                idle < Duration::from_secs(120),
                "not done, and nothing done for {idle:?}: {what}"
            );
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        self.say(what);
    }
}

/// No more writes come, since nothing is left to be done; how many there were since `before`.
async fn quiet(world: &World, before: usize) -> usize {
    tokio::time::sleep(Duration::from_secs(2)).await;
    let after = world.writes.count();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(world.writes.count(), after, "it writes although nothing changes");
    after - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_websites_live_through_everything_without_a_storm() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let mut server = ApiServer::start(Options::default()).unwrap();
    let (namespace, config) = (server.namespace("websites").unwrap(), admin(&server));
    let world = World {
        client: RestClient::new(&config).unwrap(),
        namespace,
        count: count(),
        writes: Arc::default(),
        started: Instant::now(),
    };
    let (count, some) = (world.count, world.count / 10);
    install(&world.client).await.unwrap();
    world.create().await;
    world.say("websites are there");
    let directory = Directory::default();
    let process = Process::start(&config, &world.namespace, &world.writes, &directory).await;
    world.converges("all is made").await;
    // A finalizer, two children and a status each; a few more for what was read too early.
    let written = quiet(&world, 0).await;
    assert!(
        (4 * count..=4 * count + some).contains(&written),
        "{written} writes for {count} websites"
    );

    children_are_made_again(&world, some).await;
    server_restarts(&world, &mut server, some).await;
    let process = controller_is_killed(&world, process, &config, &directory, some).await;
    websites_go(&world, &directory, some).await;

    let text = scrape(&process.handle, "/metrics").await;
    assert!(
        text.contains("workqueue_depth{controller=\"websites\"} 0"),
        "{text}"
    );
    for (path, expected) in [
        ("/healthz", "200 OK"),
        ("/readyz", "200 OK"),
        ("/other", "404 Not Found"),
    ] {
        let answer = scrape(&process.handle, path).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {expected}")),
            "{path}: {answer}"
        );
    }
    let status = process.handle.status();
    assert_eq!(
        (status.count(Outcome::Panic), status.count(Outcome::Timeout)),
        (0, 0)
    );
    process.handle.health().unwrap();
    process.stop().await;
    world.say("stopped");
}

async fn children_are_made_again(world: &World, some: usize) {
    let before = world.writes.count();
    let (pages, servers) = (
        world.client.namespaced::<ConfigMap>(&world.namespace),
        world.client.namespaced::<Deployment>(&world.namespace),
    );
    world
        .each(0..some, async |name| drop(pages.delete(&name).await.unwrap()))
        .await;
    world
        .each(some..2 * some, async |name| {
            drop(servers.delete(&name).await.unwrap())
        })
        .await;
    world.converges("children that were deleted are made again").await;
    let written = quiet(world, before).await;
    assert!(
        (2 * some..=2 * some + some / 2).contains(&written),
        "{written} writes for {} children",
        2 * some
    );
}

async fn server_restarts(world: &World, server: &mut ApiServer, some: usize) {
    let before = world.writes.count();
    world.rewrite(0..some / 2, "<h1>before the restart</h1>").await;
    server.kill();
    tokio::time::sleep(Duration::from_secs(3)).await;
    server.resume().unwrap();
    world.rewrite(some / 2..some, "<h1>after the restart</h1>").await;
    world.converges("the server has restarted").await;
    let written = quiet(world, before).await;
    // A page, a deployment and a status each, and calls that were sent to a server that was not there.
    assert!(
        (3 * some..=8 * some).contains(&written),
        "{written} writes for {some} websites"
    );
}

async fn controller_is_killed(
    world: &World,
    process: Process,
    config: &Config,
    directory: &Directory,
    some: usize,
) -> Process {
    let before = world.writes.count();
    world.rewrite(0..some, "<h1>before the kill</h1>").await;
    process.kill();
    world.rewrite(some..2 * some, "<h1>after the kill</h1>").await;
    world.say("the controller was killed");
    let process = Process::start(config, &world.namespace, &world.writes, directory).await;
    world.converges("another one has taken over").await;
    let written = quiet(world, before).await;
    assert!(written <= 7 * some, "{written} writes for {} websites", 2 * some);
    process
}

async fn websites_go(world: &World, directory: &Directory, some: usize) {
    let api = world.websites();
    world
        .each(0..some, async |name| drop(api.delete(&name).await.unwrap()))
        .await;
    eventually("websites are gone", || async {
        api.list()
            .await
            .is_ok_and(|list| list.items.len() == world.count - some)
    })
    .await;
    let left = directory.lock().unwrap().len();
    assert_eq!(
        left,
        world.count - some,
        "finalizers have withdrawn what was outside"
    );
    world.converges("websites are gone").await;
}

/// What the example's endpoint answers.
async fn scrape(handle: &ControllerHandle, path: &str) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(metrics::serve(listener, handle.clone()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    server.abort();
    answer
}
