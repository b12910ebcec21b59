//! [`DynamicApi`]: all verbs and subresources of a resource known by name.

use super::{DynamicList, DynamicObject, MetadataApi};
use crate::meta::Table;
use crate::rest::{
    Apply, ApplyBody, Call, Create, Delete, DeleteCollection, Get, GroupVersionResource, List, Logs, Patch,
    PatchBody, RestClient, Target, Update, Watch,
};
use crate::transport::Method;

/// What to ask for to get a [`Table`]; a server that knows no tables answers with the objects.
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

impl RestClient {
    /// Any resource by name, as JSON objects: those of cluster scope, and those of all namespaces until
    /// [`DynamicApi::namespace`] names one.
    pub fn dynamic(&self, resource: GroupVersionResource) -> DynamicApi {
        DynamicApi {
            client: self.clone(),
            target: Target {
                resource,
                namespace: None,
                namespaced: false,
            },
            namespaced: None,
        }
    }
}

/// A handle of a resource known by name: in one namespace, in the cluster, or over all namespaces.
///
/// Whether the server offers a verb turns out when it is called; [`Error::is_method_not_allowed`] tells. Objects travel
/// as JSON. Cheap to clone; used from any number of tasks at once.
///
/// [`Error::is_method_not_allowed`]: crate::Error::is_method_not_allowed
#[derive(Clone, Debug)]
pub struct DynamicApi {
    client: RestClient,
    target: Target,
    /// Whether the resource lives in namespaces, if that is known.
    namespaced: Option<bool>,
}

impl DynamicApi {
    /// A handle of which it is known whether its objects live in namespaces: calls on one object are then refused here
    /// when the namespace is missing, and do not go to the server as calls on an object of cluster scope.
    #[must_use]
    pub fn with_scope(mut self, namespaced: bool) -> Self {
        self.namespaced = Some(namespaced);
        self
    }

    /// The objects of one namespace.
    #[must_use]
    pub fn namespace(&self, namespace: &str) -> Self {
        let mut api = self.clone();
        api.target.namespace = Some(namespace.to_owned());
        api
    }

    /// The objects of all namespaces, or of the cluster.
    #[must_use]
    pub fn all_namespaces(&self) -> Self {
        let mut api = self.clone();
        api.target.namespace = None;
        api
    }

    /// The objects of one namespace, unless it is known that the resource lives in none.
    #[must_use]
    pub fn namespace_if_any(&self, namespace: &str) -> Self {
        if self.namespaced == Some(false) {
            self.all_namespaces()
        } else {
            self.namespace(namespace)
        }
    }

    /// The same objects, metadata alone.
    pub fn metadata_only(&self) -> MetadataApi {
        MetadataApi::new(self.clone())
    }

    /// The client behind the handle.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// The resource and namespace.
    pub fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn on_collection(&self, verb: &'static str, method: Method) -> Call {
        Call::new(&self.client, verb, method, &self.target, false)
    }

    pub(crate) fn on_object(&self, verb: &'static str, method: Method) -> Call {
        let mut target = self.target.clone();
        target.namespaced = self.namespaced == Some(true);
        Call::new(&self.client, verb, method, &target, false)
    }

    /// Reads the objects.
    pub fn list(&self) -> List<DynamicList> {
        List::new(self.on_collection("list", Method::Get))
    }

    /// Follows the changes of the objects.
    pub fn watch(&self) -> Watch<DynamicObject> {
        Watch::new(self.on_collection("watch", Method::Get))
    }

    /// Reads one object.
    pub fn get(&self, name: &str) -> Get<DynamicObject> {
        Get::new(self.on_object("get", Method::Get).name(name))
    }

    /// Creates an object. For review kinds the answer has the verdict.
    pub fn create<'a>(&self, object: &'a DynamicObject) -> Create<'a, DynamicObject, DynamicObject> {
        Create::new(self.on_object("create", Method::Post), object)
    }

    /// Puts a whole object in place of the one of its name.
    pub fn update<'a>(&self, object: &'a DynamicObject) -> Update<'a, DynamicObject, DynamicObject> {
        Update::new(
            self.on_object("update", Method::Put).name(&object.metadata.name),
            object,
        )
    }

    /// Changes one object in part.
    pub fn patch(&self, name: &str, body: PatchBody) -> Patch<DynamicObject> {
        Patch::new(self.on_object("patch", Method::Patch).name(name), body)
    }

    /// Applies the fields that a manager wants (server-side apply); creates the object if it is not there.
    pub fn apply(&self, wanted: &impl ApplyBody) -> Apply<DynamicObject> {
        Patch::new(
            self.on_object("apply", Method::Patch).name(wanted.name()),
            wanted.body(),
        )
    }

    /// Deletes one object.
    pub fn delete(&self, name: &str) -> Delete<DynamicObject> {
        Delete::new(self.on_object("delete", Method::Delete).name(name))
    }

    /// Deletes the objects that match the selectors of the request; without selectors, all in reach of the handle.
    pub fn delete_collection(&self) -> DeleteCollection<DynamicList> {
        DeleteCollection::new(self.on_collection("deletecollection", Method::Delete))
    }

    /// A subresource by the last segments of its path, such as `status` or `scale`.
    pub fn subresource(&self, part: &str) -> DynamicSubApi {
        DynamicSubApi {
            api: self.clone(),
            part: part.to_owned(),
        }
    }

    /// Reads the observed state of one object.
    pub fn get_status(&self, name: &str) -> Get<DynamicObject> {
        self.subresource("status").get(name)
    }

    /// Puts the observed state in place of the old one; the name is that of the object.
    pub fn update_status<'a>(&self, object: &'a DynamicObject) -> Update<'a, DynamicObject, DynamicObject> {
        self.subresource("status").update(&object.metadata.name, object)
    }

    /// Changes the observed state of one object in part.
    pub fn patch_status(&self, name: &str, body: PatchBody) -> Patch<DynamicObject> {
        self.subresource("status").patch(name, body)
    }

    /// Applies the fields of the observed state that a manager wants.
    pub fn apply_status(&self, wanted: &impl ApplyBody) -> Apply<DynamicObject> {
        self.subresource("status").apply(wanted)
    }

    /// Reads the output of a container; of pods and of what else has logs.
    pub fn logs(&self, name: &str) -> Logs {
        Logs::new(self.on_object("get", Method::Get).name(name).subresource("log"))
    }

    /// Reads the objects as the server would print them. A server that has no table for the resource answers with a
    /// table of names and ages.
    pub fn list_table(&self) -> List<Table> {
        List::new(as_table(self.on_collection("list", Method::Get)))
    }

    /// Reads one object as the server would print it.
    pub fn get_table(&self, name: &str) -> Get<Table> {
        Get::new(as_table(self.on_object("get", Method::Get).name(name)))
    }
}

fn as_table(call: Call) -> Call {
    call.header("accept", TABLE)
}

/// A handle of a subresource known by name.
#[derive(Clone, Debug)]
pub struct DynamicSubApi {
    api: DynamicApi,
    part: String,
}

impl DynamicSubApi {
    fn call(&self, verb: &'static str, method: Method, name: &str) -> Call {
        self.api
            .on_object(verb, method)
            .name(name)
            .subresource(&self.part)
    }

    /// Reads the subresource of one object.
    pub fn get(&self, name: &str) -> Get<DynamicObject> {
        Get::new(self.call("get", Method::Get, name))
    }

    /// Sends an object to the subresource of one object; the answer may be of another kind, such as a `Status`.
    pub fn create<'a>(
        &self,
        name: &str,
        body: &'a DynamicObject,
    ) -> Create<'a, DynamicObject, DynamicObject> {
        Create::new(self.call("create", Method::Post, name), body)
    }

    /// Puts the subresource of one object in place of the old one.
    pub fn update<'a>(
        &self,
        name: &str,
        body: &'a DynamicObject,
    ) -> Update<'a, DynamicObject, DynamicObject> {
        Update::new(self.call("update", Method::Put, name), body)
    }

    /// Changes the subresource of one object in part.
    pub fn patch(&self, name: &str, body: PatchBody) -> Patch<DynamicObject> {
        Patch::new(self.call("patch", Method::Patch, name), body)
    }

    /// Applies the fields of the subresource that a manager wants.
    pub fn apply(&self, wanted: &impl ApplyBody) -> Apply<DynamicObject> {
        Patch::new(self.call("apply", Method::Patch, wanted.name()), wanted.body())
    }

    /// Deletes the subresource of one object.
    pub fn delete(&self, name: &str) -> Delete<DynamicObject> {
        Delete::new(self.call("delete", Method::Delete, name))
    }
}
