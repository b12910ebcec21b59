//! A transport and what all calls share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;

use super::call::MAX_FAILURE;
use super::failure::{is_success, status};
use super::{Api, GroupVersionResource, Target};
use crate::config::Config;
use crate::error::{CallContext, Error, ErrorKind};
use crate::resource::{AllNamespaces, Cluster, Namespaced, Resource};
use crate::transport::{Headers, HttpTransport, Method, Request, Transport};
use crate::wire::Format;

/// What all calls of a client share.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The format that objects travel in, with JSON to fall back on. With [`Format::Protobuf`], kinds without protobuf
    /// travel as JSON. With [`Format::Cbor`], a server that answers a body with 415 gets bodies as JSON from then on.
    pub format: Format,
    /// The largest answer that is read into memory, in bytes. Lists are unbounded in principle; this bounds them.
    pub max_body: usize,
    /// The largest event of a watch, in bytes.
    pub max_event: usize,
    /// The field manager of writes that name none; empty leaves the choice to the server.
    pub field_manager: String,
    /// The namespace of calls that name none, from the configuration.
    pub default_namespace: String,
    /// The timeout of unary calls that set none, from the configuration. The server is told of it and gives up too.
    pub timeout: Option<Duration>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            format: Format::Protobuf,
            max_body: 2 << 30,
            max_event: 256 << 20,
            field_manager: String::new(),
            default_namespace: "default".to_owned(),
            timeout: None,
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
    /// Whether the server has refused a body in CBOR. One server, one answer: clients with other options share it.
    refuses_cbor: Arc<AtomicBool>,
}

/// A document that is no resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The media type of the answer, with its parameters.
    pub content_type: String,
    /// The answer as it is.
    pub body: Bytes,
}

impl fmt::Debug for RestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestClient")
            .field("transport", &self.shared.transport)
            .finish_non_exhaustive()
    }
}

impl AsRef<Self> for RestClient {
    fn as_ref(&self) -> &Self {
        self
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
        let options = ClientOptions {
            default_namespace: config.namespace.clone(),
            timeout: config.timeout,
            ..ClientOptions::default()
        };
        Ok(Self::with_transport(transport, options))
    }

    /// A client over any transport.
    pub fn with_transport(transport: impl Transport + 'static, options: ClientOptions) -> Self {
        Self {
            shared: Arc::new(Shared {
                transport: Arc::new(transport),
                options,
                refuses_cbor: Arc::default(),
            }),
        }
    }

    /// The same connections with other options.
    #[must_use]
    pub fn with_options(&self, change: impl FnOnce(&mut ClientOptions)) -> Self {
        let mut options = self.shared.options.clone();
        change(&mut options);
        Self {
            shared: Arc::new(Shared {
                transport: self.shared.transport.clone(),
                options,
                refuses_cbor: self.shared.refuses_cbor.clone(),
            }),
        }
    }

    /// What all calls share.
    pub fn options(&self) -> &ClientOptions {
        &self.shared.options
    }

    /// Whether the server has refused a body in CBOR.
    pub(super) fn refuses_cbor(&self) -> bool {
        self.shared.refuses_cbor.load(Ordering::Relaxed)
    }

    /// From now on bodies go out as JSON where they would as CBOR.
    pub(super) fn cbor_refused(&self) {
        self.shared.refuses_cbor.store(true, Ordering::Relaxed);
    }

    /// The way to the server.
    pub fn transport(&self) -> &dyn Transport {
        &*self.shared.transport
    }

    /// The namespace that the configuration names.
    pub fn default_namespace(&self) -> &str {
        &self.shared.options.default_namespace
    }

    /// Reads a document that is no resource: `/version`, `/openapi/v3`, `/readyz`. `path` is escaped and may have a query;
    /// `accept` is the media type asked for.
    ///
    /// # Errors
    /// No answer, or one that says failure.
    pub async fn document(&self, path: &str, accept: &str) -> Result<Document, Error> {
        let mut request = Request::new(Method::Get, path);
        request.headers.set("accept", accept);
        let (headers, body) = self.read_document(request).await?.unwrap_or_default();
        Ok(Document {
            content_type: headers.get("content-type").unwrap_or_default().to_owned(),
            body,
        })
    }

    /// Sends a request for a document and reads the answer; `None` if the server says 304, that it has not changed.
    pub(crate) async fn read_document(&self, request: Request) -> Result<Option<(Headers, Bytes)>, Error> {
        let context = CallContext {
            verb: "get",
            resource: request.path.clone(),
            ..CallContext::default()
        };
        let fail = |kind| Error::new(context.clone(), kind);
        let conditional = request.headers.contains("if-none-match");
        let response = self
            .transport()
            .send(request)
            .await
            .map_err(|error| fail(ErrorKind::Transport(error)))?;
        let (code, headers) = (response.status, response.headers);
        if conditional && code == 304 {
            return Ok(None);
        }
        if is_success(code) {
            let body = response.body.collect(self.shared.options.max_body).await;
            let body = body.map_err(|error| fail(ErrorKind::Transport(error)))?;
            return Ok(Some((headers, body)));
        }
        let body = response.body.collect(MAX_FAILURE).await.unwrap_or_default();
        Err(fail(ErrorKind::Api(Box::new(status(
            &context, None, code, &headers, &body,
        )))))
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
    Target {
        resource: GroupVersionResource::of::<K>(),
        namespace,
        namespaced,
    }
}
