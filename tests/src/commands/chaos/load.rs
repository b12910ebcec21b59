//! Writers of objects, past the proxies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom_k8s::core_v1::ConfigMap;
use tokio::sync::RwLock;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::arbitrary::Rng;

/// How many objects there may be at once.
const NAMES: usize = 60;
/// Lines of text in an object.
const LINES: usize = 20;

/// Creates, updates and deletes objects, without end. Dropping it stops it.
pub(super) struct Load {
    /// Held by a writer while it writes.
    turn: Arc<RwLock<()>>,
    writes: Arc<AtomicU64>,
    tasks: Vec<JoinHandle<()>>,
}

impl Load {
    pub(super) fn start(client: &RestClient, namespace: &str, seed: u64) -> Self {
        let (turn, writes) = (Arc::new(RwLock::new(())), Arc::new(AtomicU64::new(0)));
        let tasks = (0..3).map(|writer| {
            let (client, namespace) = (client.clone(), namespace.to_owned());
            let (turn, writes) = (turn.clone(), writes.clone());
            let mut random = Rng::new(seed ^ (writer << 32));
            tokio::spawn(async move {
                loop {
                    let turn = turn.read().await;
                    if write(&client, &namespace, &mut random).await {
                        writes.fetch_add(1, Ordering::Relaxed);
                    }
                    drop(turn);
                    sleep(Duration::from_millis(random.below(30) as u64)).await;
                }
            })
        });
        let tasks = tasks.collect();
        Self { turn, writes, tasks }
    }

    /// Nothing is written for as long as this is held.
    pub(super) async fn pause(&self) -> tokio::sync::OwnedRwLockWriteGuard<()> {
        self.turn.clone().write_owned().await
    }

    /// How many writes the server has taken.
    pub(super) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// One write. Whether the server took it: it may be away, or the object there or not.
async fn write(client: &RestClient, namespace: &str, random: &mut Rng) -> bool {
    let api = client.namespaced::<ConfigMap>(namespace);
    let name = format!("object-{}", random.below(NAMES));
    let mut object = ConfigMap::default();
    object.metadata.name = name.as_str().into();
    object.metadata.namespace = namespace.into();
    for line in 0..LINES {
        let text = format!("line {line} of a text that all objects have in common, more or less");
        object
            .data
            .insert(format!("line-{line}").as_str().into(), text.as_str().into());
    }
    object
        .data
        .insert("own".into(), random.bits().to_string().as_str().into());
    let wait = Duration::from_secs(5);
    let done = match random.below(10) {
        0..2 => tokio::time::timeout(wait, async { api.delete(&name).await.is_ok() }).await,
        2..5 => tokio::time::timeout(wait, async { api.create(&object).await.is_ok() }).await,
        _ => tokio::time::timeout(wait, async { api.update(&object).await.is_ok() }).await,
    };
    done.unwrap_or(false)
}
