//! The controller: brings what a website consists of to where the website says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::cache::{Lister, ObjectKey, SharedInformerFactory};
use kubeloom::controller::{Action, BoxError, Controller, ControllerHandle, Finalizer};
use kubeloom::events::{Recorder, Type};
use kubeloom::generated::*;
use kubeloom::leader_election::LeaderElector;
use kubeloom::rest::PatchBody;
use kubeloom_k8s::apps_v1::Deployment;
use kubeloom_k8s::core_v1::ConfigMap;

use super::children;
use super::website::{Website, WebsiteStatus};

/// While a website has it, its entry in the directory has to be withdrawn before it goes.
const DIRECTORY: Finalizer = Finalizer::new("demo.kubeloom.dev/directory");

/// Whose fields the children's are.
const MANAGER: &str = "website-controller";

/// Something outside of the cluster that has to be told of websites: here a map, elsewhere a provider of DNS.
pub type Directory = Arc<Mutex<BTreeMap<String, String>>>;

/// What a run needs.
struct Websites {
    client: RestClient,
    websites: Lister<Website>,
    config_maps: Lister<ConfigMap>,
    deployments: Lister<Deployment>,
    recorder: Recorder,
    directory: Directory,
}

/// Starts the controller. Informers are the factory's; events are told to `recorder`; with an elector only the leader works.
pub fn start(
    factory: &SharedInformerFactory,
    recorder: Recorder,
    directory: Directory,
    elector: Option<&LeaderElector>,
) -> ControllerHandle {
    let websites = factory.informer::<Website>();
    let config_maps = factory.informer::<ConfigMap>();
    let deployments = factory.informer::<Deployment>();
    let world = Arc::new(Websites {
        client: factory.client().clone(),
        websites: websites.lister(),
        config_maps: config_maps.lister(),
        deployments: deployments.lister(),
        recorder,
        directory,
    });
    let mut controller = Controller::new("websites")
        .reconciles(&websites)
        .owns::<Website, _>(&config_maps)
        .owns::<Website, _>(&deployments)
        .workers(8)
        .timeout(Duration::from_secs(60));
    if let Some(elector) = elector {
        controller = controller.elected(elector);
    }
    controller.start(move |_context, key| {
        let world = world.clone();
        async move { world.reconcile(&key).await }
    })
}

impl Websites {
    /// One website, from whatever state it is in. What is as wished is not written again.
    async fn reconcile(&self, key: &ObjectKey) -> Result<Action, BoxError> {
        let Some(site) = self.websites.namespace(&key.namespace).get(&key.name) else {
            // Its children are garbage-collected; the finalizer has seen to the rest.
            return Ok(Action::Done);
        };
        let api: Api<Website> = self.client.namespaced(&key.namespace);
        if site.metadata.deletion_timestamp.is_some() {
            return self.withdraw(&api, key, &site).await;
        }
        // Before anything is made outside that would have to be undone.
        let site = DIRECTORY.add(&api, &site).await?;
        self.publish(key);
        self.ensure_config_map(key, &site).await?;
        let available = self.ensure_deployment(key, &site).await?;
        self.report(&api, &site, available).await?;
        Ok(Action::Done)
    }

    async fn withdraw(
        &self,
        api: &Api<Website>,
        key: &ObjectKey,
        site: &Website,
    ) -> Result<Action, BoxError> {
        if DIRECTORY.is_on(site) {
            if let Ok(mut directory) = self.directory.lock() {
                directory.remove(&key.to_string());
            }
            DIRECTORY.remove(api, site).await?;
        }
        Ok(Action::Done)
    }

    fn publish(&self, key: &ObjectKey) {
        if let Ok(mut directory) = self.directory.lock() {
            directory.insert(key.to_string(), format!("http://{}.{}", key.name, key.namespace));
        }
    }

    async fn ensure_config_map(&self, key: &ObjectKey, site: &Website) -> Result<(), BoxError> {
        let wish = children::config_map(site)?;
        let there = self.config_maps.namespace(&key.namespace).get(&key.name);
        if there.is_none_or(|there| !children::is_as_wished(&there, &wish)) {
            let api: Api<ConfigMap> = self.client.namespaced(&key.namespace);
            let body = PatchBody::apply(&wish);
            let made = api.patch(&key.name, body).manager(MANAGER).force().await?;
            see(&self.config_maps, &made).await;
        }
        Ok(())
    }

    /// How many pods show the website.
    async fn ensure_deployment(&self, key: &ObjectKey, site: &Website) -> Result<i32, BoxError> {
        let wish = children::deployment(site)?;
        let there = self.deployments.namespace(&key.namespace).get(&key.name);
        if let Some(there) = there.filter(|there| children::shows_as_wished(there, &wish)) {
            return Ok(there.status.available_replicas);
        }
        let api: Api<Deployment> = self.client.namespaced(&key.namespace);
        let body = PatchBody::apply(&wish);
        let made = api.patch(&key.name, body).manager(MANAGER).force().await?;
        see(&self.deployments, &made).await;
        Ok(made.status.available_replicas)
    }

    /// Writes the status, if it is another one.
    async fn report(&self, api: &Api<Website>, site: &Website, available: i32) -> Result<(), BoxError> {
        let now = Time::from(jiff::Timestamp::now());
        let generation = site.metadata.generation;
        let enough = available >= site.spec.replicas;
        let text = format!("{available} of {} pods are available", site.spec.replicas);
        let mut status = WebsiteStatus {
            available_replicas: available,
            conditions: site.status.conditions.clone(),
        };
        let was_published = status.conditions.holds("Published");
        status.conditions.merge(
            [
                Condition::new(
                    "Published",
                    true,
                    "ChildrenApplied",
                    "The page and its servers are as wished",
                )
                .observed(generation),
                Condition::new(
                    "Available",
                    enough,
                    if enough { "EnoughPods" } else { "TooFewPods" },
                    text,
                )
                .observed(generation),
            ],
            now,
        );
        if status == site.status {
            return Ok(());
        }
        let mut changed = site.clone();
        changed.status = status;
        // With the resourceVersion that was read: a conflict is a failure like any other, and the next run sees more.
        let written = api.update_status(&changed).await?;
        see(&self.websites, &written).await;
        if !was_published {
            let note = format!("{} pods will show the page", site.spec.replicas);
            self.recorder
                .about(site)
                .emit(Type::Normal, "Published", "Publish", note);
        }
        Ok(())
    }
}

/// Waits until the informer has what was just written, so that the next run does not write it again. If that takes long, the
/// next run reads what is old, writes too much, and is right all the same.
async fn see<K: Object>(lister: &Lister<K>, written: &K) {
    let version = &written.object_meta().resource_version;
    let _ = tokio::time::timeout(Duration::from_secs(5), lister.store().at_least(version)).await;
}
