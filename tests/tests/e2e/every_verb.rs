//! Every verb of every resource and subresource is called once and answers as discovery promises: with the object, or with
//! a refusal that shows that the server knows the path and the verb.

use kubeloom::Error;
use kubeloom::error::{ErrorKind, reason};
use kubeloom::record::Value;
use kubeloom::resource::{Cluster, Namespaced, Offers, Resource, Scope, Subresource, verb};
use kubeloom::rest::{Api, PatchBody, RestClient};
use kubeloom::wire::{Format, Wire};
use serde_json::json;

use crate::fixture;

#[path = "every_verb_table.rs"]
mod table;

/// A name that no object has.
const ABSENT: &str = "kubeloom-absent";

/// How to reach the objects of a scope.
pub(crate) trait Reach: Scope + Sized {
    fn api<K: Resource<Scope = Self>>(client: &RestClient, namespace: &str) -> Api<K, Self>;
}

impl Reach for Namespaced {
    fn api<K: Resource<Scope = Self>>(client: &RestClient, namespace: &str) -> Api<K, Self> {
        client.namespaced(namespace)
    }
}

impl Reach for Cluster {
    fn api<K: Resource<Scope = Self>>(client: &RestClient, _: &str) -> Api<K, Self> {
        client.cluster()
    }
}

/// Calls verbs and judges the answers.
pub(crate) struct Probe {
    client: RestClient,
    namespace: String,
    calls: usize,
    faults: Vec<String>,
}

impl Probe {
    fn api<K: Resource<Scope: Reach>>(&self) -> Api<K> {
        K::Scope::api::<K>(&self.client, &self.namespace)
    }

    /// A path that the server does not know is answered with a 404 that names no object; a verb that it does not know with
    /// a 405. Anything else is the word of the resource.
    fn judge<T>(&mut self, what: String, answer: Result<T, Error>) {
        self.calls += 1;
        let Err(error) = answer else { return };
        let is_known = match error.kind() {
            ErrorKind::Api(status) => match &*status.reason {
                reason::NOT_FOUND => status
                    .details
                    .as_ref()
                    .is_some_and(|details| !details.name.is_empty()),
                reason::METHOD_NOT_ALLOWED => false,
                _ => status.code != 405 && status.code != 415 && status.code != 406,
            },
            _ => false,
        };
        if !is_known {
            self.faults.push(format!("{what}: {error}"));
        }
    }

    fn describe<K: Resource>(verb: &str) -> String {
        format!("{verb} {} {}", K::API_VERSION, K::PLURAL)
    }

    pub(crate) async fn get<K: Resource<Scope: Reach> + Offers<verb::Get>>(&mut self) {
        let answer = self.api::<K>().get(ABSENT).await;
        self.judge(Self::describe::<K>("get"), answer);
    }

    pub(crate) async fn list<K: Resource<Scope: Reach> + Offers<verb::List> + Value + Default>(&mut self) {
        for format in [Format::Json, Format::Protobuf] {
            let answer = self.api::<K>().list().format(format).await;
            let is_list = answer.is_ok();
            self.judge(Self::describe::<K>("list"), answer);
            assert!(is_list, "{} is not listed", K::PLURAL);
        }
    }

    pub(crate) async fn watch<K: Resource<Scope: Reach> + Offers<verb::Watch>>(&mut self) {
        let answer = self.api::<K>().watch().await;
        assert!(answer.is_ok(), "{} is not watched: {answer:?}", K::PLURAL);
        self.judge(Self::describe::<K>("watch"), answer);
    }

    pub(crate) async fn create<K: Resource<Scope: Reach> + Offers<verb::Create> + Default>(&mut self) {
        let mut object = K::default();
        object.metadata_mut().generate_name = "kubeloom-".into();
        let answer = self.api::<K>().create(&object).dry_run().await;
        self.judge(Self::describe::<K>("create"), answer);
    }

    pub(crate) async fn update<K: Resource<Scope: Reach> + Offers<verb::Update> + Default>(&mut self) {
        let mut object = K::default();
        object.metadata_mut().name = ABSENT.into();
        let answer = self.api::<K>().update(&object).dry_run().await;
        self.judge(Self::describe::<K>("update"), answer);
    }

    pub(crate) async fn patch<K: Resource<Scope: Reach> + Offers<verb::Patch>>(&mut self) {
        let body = json!({"metadata": {"labels": {"a": "b"}}});
        let answer = self
            .api::<K>()
            .patch(ABSENT, PatchBody::merge(&body))
            .dry_run()
            .await;
        self.judge(Self::describe::<K>("patch"), answer);
        let wanted = json!({"apiVersion": K::API_VERSION, "kind": K::KIND, "metadata": {"name": ABSENT}});
        let answer = self.api::<K>().apply(&wanted).manager("e2e").dry_run().await;
        self.judge(Self::describe::<K>("apply"), answer);
    }

    pub(crate) async fn delete<K: Resource<Scope: Reach> + Offers<verb::Delete>>(&mut self) {
        let answer = self.api::<K>().delete(ABSENT).await;
        self.judge(Self::describe::<K>("delete"), answer);
    }

    pub(crate) async fn delete_collection<K>(&mut self)
    where
        K: Resource<Scope: Reach> + Offers<verb::DeleteCollection> + Value + Default,
    {
        let answer = self
            .api::<K>()
            .delete_collection()
            .labels("kubeloom=absent")
            .dry_run()
            .await;
        self.judge(Self::describe::<K>("deletecollection"), answer);
    }

    pub(crate) async fn get_part<K, P>(&mut self)
    where
        K: Resource<Scope: Reach> + Offers<verb::Get, P, Output: Wire>,
        P: Subresource,
    {
        let answer = self.api::<K>().subresource::<P>().get(ABSENT).await;
        self.judge(Self::describe::<K>(P::NAME), answer);
    }

    pub(crate) async fn update_part<K, P>(&mut self)
    where
        K: Resource<Scope: Reach> + Offers<verb::Update, P, Input: Wire + Default, Output: Wire>,
        P: Subresource,
    {
        let body = K::Input::default();
        let answer = self
            .api::<K>()
            .subresource::<P>()
            .update(ABSENT, &body)
            .dry_run()
            .await;
        self.judge(Self::describe::<K>(P::NAME), answer);
    }

    pub(crate) async fn patch_part<K, P>(&mut self)
    where
        K: Resource<Scope: Reach> + Offers<verb::Patch, P, Output: Wire>,
        P: Subresource,
    {
        let body = PatchBody::merge(&json!({"metadata": {"labels": {"a": "b"}}}));
        let answer = self
            .api::<K>()
            .subresource::<P>()
            .patch(ABSENT, body)
            .dry_run()
            .await;
        self.judge(Self::describe::<K>(P::NAME), answer);
    }

    pub(crate) async fn create_part<K, P>(&mut self)
    where
        K: Resource<Scope: Reach> + Offers<verb::Create, P, Input: Wire + Default, Output: Wire>,
        P: Subresource,
    {
        let body = K::Input::default();
        let answer = self
            .api::<K>()
            .subresource::<P>()
            .create(ABSENT, &body)
            .dry_run()
            .await;
        self.judge(Self::describe::<K>(P::NAME), answer);
    }
}

#[tokio::test]
async fn every_verb_of_every_resource() {
    let (clientset, namespace) = fixture!("every-verb");
    let mut probe = Probe {
        client: clientset.client().clone(),
        namespace,
        calls: 0,
        faults: Vec::new(),
    };
    table::call_all(&mut probe).await;
    assert!(probe.calls > 700, "{} calls", probe.calls);
    assert!(
        probe.faults.is_empty(),
        "{} faults of {} calls:\n{}",
        probe.faults.len(),
        probe.calls,
        probe.faults.join("\n")
    );
}
