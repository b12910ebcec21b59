//! [`DiscoveryCache`]: what a server offers, asked once.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::client::{Roots, stale};
use super::types::{ApiGroup, Discovered};
use super::{DiscoveryClient, DiskCache, OpenApiIndex, OpenApiPath};
use crate::clock::{Clock, TokioClock};
use crate::error::Error;

const GROUPS: &str = "groups.json";

/// When a cache asks again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CacheOptions {
    /// How long an answer that lacks group-versions is believed. They are usually those of an aggregated API whose
    /// server is down, and come back.
    pub partial_ttl: Duration,
    /// After a name was not found, an answer that is older than this is asked for anew; a younger one is believed. So
    /// names that do not exist cost at most one request in this time.
    pub miss_ttl: Duration,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            partial_ttl: Duration::from_secs(30),
            miss_ttl: Duration::from_secs(5),
        }
    }
}

/// What a server offers, asked at the first use and kept in memory and, if wished, in files.
///
/// A complete answer is kept until [`invalidate`](Self::invalidate); an incomplete one for a while. When a group-version
/// can no longer be read, the resources it had before stay known, marked stale. A refresh asks only whether the answer
/// has changed, where the server has validators. Used from any number of tasks at once; those that ask at the same time
/// share one answer. Errors are not kept.
#[derive(Debug)]
pub struct DiscoveryCache {
    client: DiscoveryClient,
    options: CacheOptions,
    clock: Arc<dyn Clock>,
    disk: Option<DiskCache>,
    state: Mutex<State>,
    /// Held by whoever asks the server; it guards no data.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    held: Option<Held>,
    /// Counts answers, so that who waited for a turn knows that another has asked meanwhile.
    answers: u64,
    /// Whether files count: not once the cache was invalidated.
    distrusts_disk: bool,
    documents: BTreeMap<String, Bytes>,
}

#[derive(Clone, Debug)]
struct Held {
    discovered: Arc<Discovered>,
    roots: Option<Roots>,
    /// When the answer was given; `None` if that was before this process's clock began.
    at: Option<Instant>,
    from: From,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Server,
    Disk,
    /// Kept for what survives of it, not to be handed out.
    Invalidated,
}

impl DiscoveryCache {
    /// A cache in memory over the real clock.
    pub fn new(client: DiscoveryClient) -> Self {
        Self {
            client,
            options: CacheOptions::default(),
            clock: Arc::new(TokioClock),
            disk: None,
            state: Mutex::default(),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// The same, with files that outlive the process. They are read before the server is asked for the first time.
    #[must_use]
    pub fn with_disk(mut self, disk: DiskCache) -> Self {
        self.disk = Some(disk);
        self
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, change: impl FnOnce(&mut CacheOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The client that asks.
    pub fn client(&self) -> &DiscoveryClient {
        &self.client
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code that panics runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the server offers. Asks it if nothing is known, or if what is known is incomplete and some time old; if it
    /// cannot be asked then, the incomplete answer still counts.
    ///
    /// # Errors
    /// As [`DiscoveryClient::discover`].
    pub async fn discovered(&self) -> Result<Arc<Discovered>, Error> {
        if let Some(discovered) = self.usable() {
            return Ok(discovered);
        }
        match (self.ask(|| self.usable(), true).await, self.valid()) {
            (Err(error), Some(held)) => {
                tracing::warn!(%error, "discovery is incomplete and cannot be completed now");
                Ok(held.discovered)
            }
            (answer, _) => answer,
        }
    }

    /// Asks the server, whatever is known. Who calls this while another asks gets the next answer.
    ///
    /// # Errors
    /// As [`DiscoveryClient::discover`]; what is known stays.
    pub async fn refresh(&self) -> Result<Arc<Discovered>, Error> {
        self.ask(|| None, false).await
    }

    /// For a name that `seen` does not have: what the server offers now, or `None` if `seen` is young enough to be
    /// believed.
    pub(super) async fn after_miss(&self, seen: &Arc<Discovered>) -> Result<Option<Arc<Discovered>>, Error> {
        let newer = || {
            let held = self.valid()?;
            let young = held.from == From::Server && self.is_within(held.at, self.options.miss_ttl);
            young.then_some(held.discovered)
        };
        let now = match newer() {
            Some(discovered) => discovered,
            None => self.ask(newer, false).await?,
        };
        Ok(if Arc::ptr_eq(&now, seen) { None } else { Some(now) })
    }

    /// Makes the next call ask the server. Files of other processes are not read again either.
    pub fn invalidate(&self) {
        let mut state = self.state();
        state.distrusts_disk = true;
        if let Some(held) = &mut state.held {
            held.from = From::Invalidated;
        }
    }

    /// Whether what is known was asked of the server by this cache, and not invalidated since.
    pub fn is_fresh(&self) -> bool {
        self.state()
            .held
            .as_ref()
            .is_some_and(|held| held.from == From::Server)
    }

    fn is_within(&self, at: Option<Instant>, limit: Duration) -> bool {
        at.is_some_and(|at| self.clock.now().saturating_duration_since(at) < limit)
    }

    /// What is known and not invalidated.
    fn valid(&self) -> Option<Held> {
        self.state()
            .held
            .clone()
            .filter(|held| held.from != From::Invalidated)
    }

    fn usable(&self) -> Option<Arc<Discovered>> {
        let held = self.valid()?;
        let usable = held.discovered.failures.is_empty() || self.is_within(held.at, self.options.partial_ttl);
        usable.then_some(held.discovered)
    }

    /// Waits for its turn, takes what has come `meanwhile`, and else asks: the files if `files` says so, then the server.
    async fn ask(
        &self,
        meanwhile: impl Fn() -> Option<Arc<Discovered>>,
        files: bool,
    ) -> Result<Arc<Discovered>, Error> {
        let before = self.state().answers;
        let _turn = self.turn.lock().await;
        if let Some(discovered) = meanwhile() {
            return Ok(discovered);
        }
        if files
            && self.load().await
            && let Some(discovered) = self.usable()
        {
            return Ok(discovered);
        }
        let known = {
            let state = self.state();
            // Two answers later than the call at least one was begun after it.
            match &state.held {
                Some(held) if state.answers >= before + 2 && held.from == From::Server => {
                    return Ok(held.discovered.clone());
                }
                held => held.clone(),
            }
        };
        let roots = known.as_ref().and_then(|held| held.roots.as_ref());
        let (mut discovered, roots) = self.client.discover_since(roots).await?;
        if let Some(held) = &known {
            keep_known(&mut discovered, &held.discovered);
        }
        let discovered = Arc::new(discovered);
        self.hold(Held {
            discovered: discovered.clone(),
            roots,
            at: Some(self.clock.now()),
            from: From::Server,
        });
        if let Some(disk) = &self.disk {
            let stored = disk
                .store(GROUPS, &discovered.groups, self.clock.wall().as_second())
                .await;
            note(stored);
        }
        Ok(discovered)
    }

    fn hold(&self, held: Held) {
        let mut state = self.state();
        state.answers += u64::from(held.from == From::Server);
        state.held = Some(held);
    }

    /// Takes what a file has; whether there was one.
    async fn load(&self) -> bool {
        let Some(disk) = self.disk.as_ref().filter(|_| self.may_use_disk()) else {
            return false;
        };
        let now = self.clock.wall().as_second();
        let Some((groups, age)) = disk.load::<Vec<ApiGroup>>(GROUPS, now).await else {
            return false;
        };
        let discovered = Discovered {
            failures: stale(&groups),
            groups,
        };
        self.hold(Held {
            discovered: Arc::new(discovered),
            roots: None,
            at: self.clock.now().checked_sub(age),
            from: From::Disk,
        });
        true
    }

    fn may_use_disk(&self) -> bool {
        let state = self.state();
        !state.distrusts_disk && state.held.is_none()
    }

    /// Which OpenAPI v3 documents there are. Always asked; documents that are no longer listed are forgotten.
    ///
    /// # Errors
    /// As [`DiscoveryClient::openapi_v3`].
    pub async fn openapi_v3(&self) -> Result<OpenApiIndex, Error> {
        let index = self.client.openapi_v3().await?;
        let hashes: Vec<String> = index
            .paths
            .values()
            .filter_map(|path| path.hash().map(str::to_owned))
            .collect();
        self.state().documents.retain(|hash, _| hashes.contains(hash));
        if let Some(disk) = &self.disk {
            let pruned = disk
                .prune_openapi(move |hash| hashes.iter().any(|one| one == hash))
                .await;
            note(pruned.or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            }));
        }
        Ok(index)
    }

    /// An OpenAPI v3 document, asked for once as long as its hash stays.
    ///
    /// # Errors
    /// As [`DiscoveryClient::openapi_v3_document`].
    pub async fn openapi_v3_document(&self, path: &OpenApiPath) -> Result<Bytes, Error> {
        let Some(hash) = path.hash() else {
            return self.client.openapi_v3_document(path).await;
        };
        let held = self.state().documents.get(hash).cloned();
        if let Some(document) = held {
            return Ok(document);
        }
        let filed = match &self.disk {
            Some(disk) => disk.load_openapi(hash).await,
            None => None,
        };
        let document = match filed {
            Some(document) => document,
            None => {
                let document = self.client.openapi_v3_document(path).await?;
                if let Some(disk) = &self.disk {
                    note(disk.store_openapi(hash, document.clone()).await);
                }
                document
            }
        };
        self.state().documents.insert(hash.to_owned(), document.clone());
        Ok(document)
    }
}

/// A cache that cannot be written to is no reason to fail, but it is said.
fn note(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "the discovery cache cannot be written");
    }
}

/// Gives group-versions that can no longer be read the resources that they had.
fn keep_known(now: &mut Discovered, before: &Discovered) {
    for group in &mut now.groups {
        for version in &mut group.versions {
            let is_unread = version.stale && version.resources.is_empty() && version.subresources.is_empty();
            if let (true, Some(known)) = (is_unread, before.version(&group.name, &version.version)) {
                version.resources.clone_from(&known.resources);
                version.subresources.clone_from(&known.subresources);
            }
        }
    }
}
