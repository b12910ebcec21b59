//! A transport and what all calls share.

use std::fmt;
use std::sync::Arc;

use super::{Api, GroupVersionResource, Target};
use crate::config::Config;
use crate::error::Error;
use crate::resource::{AllNamespaces, Cluster, Namespaced, Resource};
use crate::transport::{HttpTransport, Transport};
use crate::wire::Format;

/// What all calls of a client share.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The format that built-in kinds travel in, with JSON to fall back on. Kinds without protobuf always travel as JSON.
    pub format: Format,
    /// The largest answer that is read into memory, in bytes. Lists are unbounded in principle; this bounds them.
    pub max_body: usize,
    /// The largest event of a watch, in bytes.
    pub max_event: usize,
    /// The field manager of writes that name none; empty leaves the choice to the server.
    pub field_manager: String,
    /// The namespace of calls that name none, from the configuration.
    pub default_namespace: String,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            format: Format::Protobuf,
            max_body: 2 << 30,
            max_event: 256 << 20,
            field_manager: String::new(),
            default_namespace: "default".to_owned(),
        }
    }
}

/// A client of one API server. Cheap to clone; clones share connections. Used from any number of tasks at once.
#[derive(Clone)]
pub struct RestClient {
    shared: Arc<Shared>,
}

struct Shared {
    transport: Arc<dyn Transport>,
    options: ClientOptions,
}

impl fmt::Debug for RestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestClient").field("transport", &self.shared.transport).finish_non_exhaustive()
    }
}

impl RestClient {
    /// A client of the server that the kubeconfig or, inside a pod, the service account names.
    ///
    /// # Errors
    /// See [`Config::from_env`] and [`RestClient::new`].
    pub async fn from_env() -> Result<Self, Error> {
        Self::new(&Config::from_env()?)
    }

    /// A client of the server that `config` names. Connects at the first call.
    ///
    /// # Errors
    /// Certificates or keys that cannot be used.
    pub fn new(config: &Config) -> Result<Self, Error> {
        let transport = HttpTransport::new(config)?;
        let options = ClientOptions { default_namespace: config.namespace.clone(), ..ClientOptions::default() };
        Ok(Self::with_transport(transport, options))
    }

    /// A client over any transport.
    pub fn with_transport(transport: impl Transport + 'static, options: ClientOptions) -> Self {
        Self { shared: Arc::new(Shared { transport: Arc::new(transport), options }) }
    }

    /// The same connections with other options.
    #[must_use]
    pub fn with_options(&self, change: impl FnOnce(&mut ClientOptions)) -> Self {
        let mut options = self.shared.options.clone();
        change(&mut options);
        Self { shared: Arc::new(Shared { transport: self.shared.transport.clone(), options }) }
    }

    /// What all calls share.
    pub fn options(&self) -> &ClientOptions {
        &self.shared.options
    }

    /// The way to the server.
    pub fn transport(&self) -> &dyn Transport {
        &*self.shared.transport
    }

    /// The namespace that the configuration names.
    pub fn default_namespace(&self) -> &str {
        &self.shared.options.default_namespace
    }

    /// The objects of a namespaced kind in one namespace.
    pub fn namespaced<K: Resource<Scope = Namespaced>>(&self, namespace: &str) -> Api<K, Namespaced> {
        Api::new(self.clone(), target::<K>(Some(namespace.to_owned()), true))
    }

    /// The objects of a kind of cluster scope.
    pub fn cluster<K: Resource<Scope = Cluster>>(&self) -> Api<K, Cluster> {
        Api::new(self.clone(), target::<K>(None, false))
    }

    /// The objects of a namespaced kind in all namespaces: list and watch only.
    pub fn all_namespaces<K: Resource<Scope = Namespaced>>(&self) -> Api<K, AllNamespaces> {
        Api::new(self.clone(), target::<K>(None, false))
    }
}

fn target<K: Resource>(namespace: Option<String>, namespaced: bool) -> Target {
    Target { resource: GroupVersionResource::of::<K>(), namespace, namespaced }
}
