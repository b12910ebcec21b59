//! [`Api`]: a typed handle of a resource, with the verbs and subresources that servers offer.

use std::marker::PhantomData;

use super::{
    Apply, ApplyBody, Attach, Call, Create, Delete, DeleteCollection, Evict, Exec, Get, List, Logs, Patch,
    PatchBody, PortForward, RestClient, Target, Update, Watch,
};
use crate::meta::{self, ObjectMeta};
use crate::record::{Record, Value};
use crate::resource::{Offers, Resource, Scope, Subresource, sub, verb};
use crate::transport::Method;
use crate::wire::Wire;

/// A typed handle of a resource: in one namespace, in the cluster, or over all namespaces.
///
/// A method is there if the server offers its verb. Cheap to clone; used from any number of tasks at once.
#[derive(Debug)]
pub struct Api<K: Resource, S = <K as Resource>::Scope> {
    client: RestClient,
    target: Target,
    kind: PhantomData<fn() -> (K, S)>,
}

impl<K: Resource, S> Clone for Api<K, S> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            target: self.target.clone(),
            kind: PhantomData,
        }
    }
}

impl<K: Resource, S> Api<K, S> {
    pub(super) fn new(client: RestClient, target: Target) -> Self {
        Self {
            client,
            target,
            kind: PhantomData,
        }
    }

    /// The client behind the handle.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// The resource and namespace.
    pub fn target(&self) -> &Target {
        &self.target
    }

    fn call(&self, verb: &'static str, method: Method) -> Call {
        Call::new(&self.client, verb, method, &self.target, K::PROTOBUF)
    }

    /// Reads the objects.
    pub fn list(&self) -> List<meta::List<K>>
    where
        K: Offers<verb::List> + Value + Default,
    {
        List::new(self.call("list", Method::Get))
    }

    /// Follows the changes of the objects.
    pub fn watch(&self) -> Watch<K>
    where
        K: Offers<verb::Watch>,
    {
        Watch::new(self.call("watch", Method::Get))
    }
}

impl<K: Resource, S: Scope> Api<K, S> {
    /// Reads one object.
    pub fn get(&self, name: &str) -> Get<K>
    where
        K: Offers<verb::Get>,
    {
        Get::new(self.call("get", Method::Get).name(name))
    }

    /// Creates an object. For review kinds the answer has the verdict.
    pub fn create<'a>(&self, object: &'a K) -> Create<'a, K, K>
    where
        K: Offers<verb::Create>,
    {
        Create::new(self.call("create", Method::Post), object)
    }

    /// Puts a whole object in place of the one of its name.
    pub fn update<'a>(&self, object: &'a K) -> Update<'a, K, K>
    where
        K: Offers<verb::Update>,
    {
        Update::new(
            self.call("update", Method::Put).name(&object.metadata().name),
            object,
        )
    }

    /// Changes one object in part.
    pub fn patch(&self, name: &str, body: PatchBody) -> Patch<K>
    where
        K: Offers<verb::Patch>,
    {
        Patch::new(self.call("patch", Method::Patch).name(name), body)
    }

    /// Applies the fields that a manager wants (server-side apply); creates the object if it is not there.
    pub fn apply(&self, wanted: &impl ApplyBody) -> Apply<K>
    where
        K: Offers<verb::Patch>,
    {
        Patch::new(
            self.call("apply", Method::Patch).name(wanted.name()),
            wanted.body(),
        )
    }

    /// Deletes one object.
    pub fn delete(&self, name: &str) -> Delete<K>
    where
        K: Offers<verb::Delete>,
    {
        Delete::new(self.call("delete", Method::Delete).name(name))
    }

    /// Deletes the objects that match the selectors of the request; without selectors, all in reach of the handle.
    pub fn delete_collection(&self) -> DeleteCollection<meta::List<K>>
    where
        K: Offers<verb::DeleteCollection> + Value + Default,
    {
        DeleteCollection::new(self.call("deletecollection", Method::Delete))
    }

    /// A subresource by its type: for those that have no method here.
    pub fn subresource<P: Subresource>(&self) -> SubApi<K, S, P> {
        SubApi {
            api: self.clone(),
            part: PhantomData,
        }
    }
}

/// A typed handle of a subresource.
#[derive(Debug)]
pub struct SubApi<K: Resource, S, P> {
    api: Api<K, S>,
    part: PhantomData<fn() -> P>,
}

impl<K: Resource, S: Scope, P: Subresource> SubApi<K, S, P> {
    fn call(&self, verb: &'static str, method: Method, name: &str) -> Call {
        self.api.call(verb, method).name(name).subresource(P::NAME)
    }

    /// Reads the subresource of one object.
    pub fn get(&self, name: &str) -> Get<K::Output>
    where
        K: Offers<verb::Get, P, Output: Wire>,
    {
        Get::new(self.call("get", Method::Get, name))
    }

    /// Sends an object to the subresource of one object.
    pub fn create<'a>(&self, name: &str, body: &'a K::Input) -> Create<'a, K::Input, K::Output>
    where
        K: Offers<verb::Create, P, Input: Wire, Output: Wire>,
    {
        Create::new(self.call("create", Method::Post, name), body)
    }

    /// Puts the subresource of one object in place of the old one.
    pub fn update<'a>(&self, name: &str, body: &'a K::Input) -> Update<'a, K::Input, K::Output>
    where
        K: Offers<verb::Update, P, Input: Wire, Output: Wire>,
    {
        Update::new(self.call("update", Method::Put, name), body)
    }

    /// Changes the subresource of one object in part.
    pub fn patch(&self, name: &str, body: PatchBody) -> Patch<K::Output>
    where
        K: Offers<verb::Patch, P, Output: Wire>,
    {
        Patch::new(self.call("patch", Method::Patch, name), body)
    }

    /// Applies the fields of the subresource that a manager wants.
    pub fn apply(&self, wanted: &impl ApplyBody) -> Apply<K::Output>
    where
        K: Offers<verb::Patch, P, Output: Wire>,
    {
        Patch::new(self.call("apply", Method::Patch, wanted.name()), wanted.body())
    }
}

/// Methods named for a subresource; each hands on to [`SubApi`].
macro_rules! subresource_methods {
    ($(
        $part:ident $what:literal { $(get $get:ident;)? $(update $update:ident;)? $(patch $patch:ident;)? $(apply $apply:ident;)? }
    )*) => {
        impl<K: Resource, S: Scope> Api<K, S> { $(
            $(
                #[doc = concat!("Reads ", $what, " of one object.")]
                pub fn $get(&self, name: &str) -> Get<<K as Offers<verb::Get, sub::$part>>::Output>
                where
                    K: Offers<verb::Get, sub::$part, Output: Wire>,
                {
                    self.subresource::<sub::$part>().get(name)
                }
            )?
            $(
                #[doc = concat!("Puts ", $what, " in place of the old one; the name is that of the body.")]
                pub fn $update<'a>(
                    &self,
                    body: &'a <K as Offers<verb::Update, sub::$part>>::Input,
                ) -> Update<'a, <K as Offers<verb::Update, sub::$part>>::Input, <K as Offers<verb::Update, sub::$part>>::Output>
                where
                    K: Offers<verb::Update, sub::$part, Input: Resource, Output: Wire>,
                {
                    self.subresource::<sub::$part>().update(&body.metadata().name, body)
                }
            )?
            $(
                #[doc = concat!("Changes ", $what, " of one object in part.")]
                pub fn $patch(&self, name: &str, body: PatchBody) -> Patch<<K as Offers<verb::Patch, sub::$part>>::Output>
                where
                    K: Offers<verb::Patch, sub::$part, Output: Wire>,
                {
                    self.subresource::<sub::$part>().patch(name, body)
                }
            )?
            $(
                #[doc = concat!("Applies the fields of ", $what, " that a manager wants.")]
                pub fn $apply(&self, wanted: &impl ApplyBody) -> Apply<<K as Offers<verb::Patch, sub::$part>>::Output>
                where
                    K: Offers<verb::Patch, sub::$part, Output: Wire>,
                {
                    self.subresource::<sub::$part>().apply(wanted)
                }
            )?
        )* }
    };
}

subresource_methods! {
    Status "the observed state" {
        get get_status;
        update update_status;
        patch patch_status;
        apply apply_status;
    }
    Scale "the number of replicas" {
        get get_scale;
        patch patch_scale;
        apply apply_scale;
    }
    Approval "the decision on a certificate signing request" {
        get get_approval;
        update update_approval;
        patch patch_approval;
        apply apply_approval;
    }
    EphemeralContainers "the ephemeral containers" {
        get get_ephemeral_containers;
        update update_ephemeral_containers;
        patch patch_ephemeral_containers;
        apply apply_ephemeral_containers;
    }
    Resize "the resources of the containers" {
        get get_resize;
        update update_resize;
        patch patch_resize;
        apply apply_resize;
    }
    Finalize "the finalizers of the namespace" {
        update finalize;
    }
}

impl<K: Resource, S: Scope> Api<K, S> {
    /// Evicts a pod: deletes it unless that would break its disruption budget.
    pub fn evict(&self, name: &str) -> Evict<<K as Offers<verb::Create, sub::Eviction>>::Output>
    where
        K: Offers<verb::Create, sub::Eviction, Input: Record + Default, Output: Wire>,
    {
        let api_version = <K as Offers<verb::Create, sub::Eviction>>::Input::default().type_meta();
        let api_version = api_version.map_or("policy/v1", |meta| meta.api_version);
        let metadata = ObjectMeta {
            name: name.into(),
            namespace: self.target.namespace.as_deref().unwrap_or_default().into(),
            ..ObjectMeta::default()
        };
        let call = self
            .call("create", Method::Post)
            .name(name)
            .subresource(<sub::Eviction as Subresource>::NAME);
        Evict::new(call, api_version, metadata)
    }

    /// Sets the number of replicas.
    pub fn update_scale<'a>(
        &self,
        name: &str,
        scale: &'a <K as Offers<verb::Update, sub::Scale>>::Input,
    ) -> Update<
        'a,
        <K as Offers<verb::Update, sub::Scale>>::Input,
        <K as Offers<verb::Update, sub::Scale>>::Output,
    >
    where
        K: Offers<verb::Update, sub::Scale, Input: Wire, Output: Wire>,
    {
        self.subresource::<sub::Scale>().update(name, scale)
    }

    /// Assigns a pod to a node: what a scheduler does.
    pub fn bind<'a>(
        &self,
        name: &str,
        binding: &'a <K as Offers<verb::Create, sub::Binding>>::Input,
    ) -> Create<
        'a,
        <K as Offers<verb::Create, sub::Binding>>::Input,
        <K as Offers<verb::Create, sub::Binding>>::Output,
    >
    where
        K: Offers<verb::Create, sub::Binding, Input: Wire, Output: Wire>,
    {
        self.subresource::<sub::Binding>().create(name, binding)
    }

    /// Asks for a token of a service account; the answer has it.
    pub fn create_token<'a>(
        &self,
        name: &str,
        request: &'a <K as Offers<verb::Create, sub::Token>>::Input,
    ) -> Create<
        'a,
        <K as Offers<verb::Create, sub::Token>>::Input,
        <K as Offers<verb::Create, sub::Token>>::Output,
    >
    where
        K: Offers<verb::Create, sub::Token, Input: Wire, Output: Wire>,
    {
        self.subresource::<sub::Token>().create(name, request)
    }

    /// Reads the output of a container.
    pub fn logs(&self, name: &str) -> Logs
    where
        K: Offers<verb::Get, sub::Log>,
    {
        Logs::new(
            self.call("get", Method::Get)
                .name(name)
                .subresource(<sub::Log as Subresource>::NAME),
        )
    }
}

impl<K: Resource, S: Scope> Api<K, S> {
    fn connect<P: Subresource>(&self, name: &str) -> Call {
        self.call("connect", Method::Get).name(name).subresource(P::NAME)
    }

    /// Runs a command in a container.
    ///
    /// ```text
    /// let mut process = pods.exec("web-0", ["cat"]).stdin().await?;
    /// process.stdin.take().unwrap().write_all(b"hello").await?;
    /// let (status, stdout, _) = process.output(1 << 20).await?;
    /// ```
    pub fn exec(&self, name: &str, command: impl IntoIterator<Item = impl Into<String>>) -> Exec
    where
        K: Offers<verb::Connect, sub::Exec>,
    {
        Exec::new(self.connect::<sub::Exec>(name), command)
    }

    /// Connects to the main process of a container.
    pub fn attach(&self, name: &str) -> Attach
    where
        K: Offers<verb::Connect, sub::Attach>,
    {
        Attach::new(self.connect::<sub::Attach>(name))
    }

    /// Connects to ports of a pod, once each.
    pub fn port_forward(&self, name: &str, ports: &[u16]) -> PortForward
    where
        K: Offers<verb::Connect, sub::PortForward>,
    {
        PortForward::new(self.connect::<sub::PortForward>(name), ports)
    }
}
