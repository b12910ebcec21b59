//! [`DiscoveryClient`]: asks a server what it offers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;

use super::aggregated::{self, is_aggregated};
use super::legacy;
use super::openapi::{OpenApiIndex, OpenApiPath};
use super::types::{ApiGroup, Discovered, DiscoveryFailure, FailureReason, ServerVersion};
use crate::error::{CallContext, Error, ErrorKind};
use crate::meta::{APIGroupList, APIResourceList, APIVersions};
use crate::rest::{Document, RestClient};
use crate::transport::{Method, Request};
use crate::wire::{DecodeError, Format, Wire};

/// The longest that one document may take, as in client-go.
const TIMEOUT: Duration = Duration::from_secs(32);
/// How many group-versions are asked for at once in the legacy form.
const AT_ONCE: usize = 32;
/// The media type of the OpenAPI v2 document in protobuf, which servers make much faster than JSON.
const OPENAPI_V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// Asks a server what it offers. Asks anew each time; [`DiscoveryCache`](super::DiscoveryCache) remembers.
///
/// Cheap to clone; used from any number of tasks at once.
#[derive(Clone, Debug)]
pub struct DiscoveryClient {
    client: RestClient,
}

/// The document of `/api` or of `/apis`.
enum Root {
    /// Whole, with the validator that says whether it has changed since.
    Aggregated(AggregatedRoot),
    /// Groups and versions alone.
    Legacy(Vec<ApiGroup>),
}

/// What one root said in the aggregated form.
#[derive(Clone, Debug)]
struct AggregatedRoot {
    groups: Arc<Vec<ApiGroup>>,
    etag: Option<String>,
}

/// What both roots said in the aggregated form, to ask whether they have changed since.
#[derive(Clone, Debug)]
pub(super) struct Roots {
    core: AggregatedRoot,
    named: AggregatedRoot,
}

impl DiscoveryClient {
    /// Asks the server of `client`.
    pub fn new(client: &RestClient) -> Self {
        Self {
            client: client.clone(),
        }
    }

    /// The client behind it.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// All groups, versions and resources: two requests of a server that has the aggregated form, else one more for each
    /// group-version, 32 at a time. Each may take 32 seconds. Group-versions that cannot be read do not keep the others
    /// back: they are in [`Discovered::failures`].
    ///
    /// # Errors
    /// `/api` or `/apis` cannot be read; one of them may be missing (404).
    pub async fn discover(&self) -> Result<Discovered, Error> {
        self.discover_since(None).await.map(|(discovered, _)| discovered)
    }

    /// The same, asking only for what has changed since `known`.
    pub(super) async fn discover_since(
        &self,
        known: Option<&Roots>,
    ) -> Result<(Discovered, Option<Roots>), Error> {
        let (core, named) = futures_util::future::join(
            self.root("/api", known.map(|roots| &roots.core), core_root),
            self.root("/apis", known.map(|roots| &roots.named), named_root),
        )
        .await;
        let (core, named) = match (core, named) {
            (Err(error), Ok(named)) if error.is_not_found() => (Root::empty_like(&named), named),
            (Ok(core), Err(error)) if error.is_not_found() => {
                let named = Root::empty_like(&core);
                (core, named)
            }
            (core, named) => (core?, named?),
        };
        if let (Root::Aggregated(core), Root::Aggregated(named)) = (&core, &named) {
            let groups: Vec<ApiGroup> = core.groups.iter().chain(&*named.groups).cloned().collect();
            let discovered = Discovered {
                failures: stale(&groups),
                groups,
            };
            let roots = Roots {
                core: core.clone(),
                named: named.clone(),
            };
            return Ok((discovered, Some(roots)));
        }
        // A server that aggregates one half only is asked for everything the old way.
        let groups = core
            .into_groups()
            .into_iter()
            .chain(named.into_groups())
            .collect();
        Ok((self.discover_legacy(groups).await, None))
    }

    async fn root(
        &self,
        path: &'static str,
        known: Option<&AggregatedRoot>,
        legacy: fn(&[u8]) -> Result<Vec<ApiGroup>, DecodeError>,
    ) -> Result<Root, Error> {
        let mut request = request(path, aggregated::ACCEPT);
        if let Some(etag) = known.and_then(|root| root.etag.as_deref()) {
            request.headers.set("if-none-match", etag);
        }
        let answer = self.client.read_document(request).await?;
        let (headers, body) = match (answer, known) {
            (Some(answer), _) => answer,
            (None, Some(known)) => return Ok(Root::Aggregated(known.clone())),
            // read_document says so only of requests with a validator.
            (None, None) => Default::default(),
        };
        if !is_aggregated(headers.get("content-type").unwrap_or_default()) {
            return legacy(&body)
                .map(Root::Legacy)
                .map_err(|error| unreadable(path, error));
        }
        let groups = aggregated::read(&body).map_err(|error| unreadable(path, DecodeError::other(error)))?;
        Ok(Root::Aggregated(AggregatedRoot {
            groups: Arc::new(groups),
            etag: headers.get("etag").map(str::to_owned),
        }))
    }

    async fn discover_legacy(&self, mut groups: Vec<ApiGroup>) -> Discovered {
        // By position, since answers come in any order.
        let mut failures = BTreeMap::new();
        for group in &mut groups {
            for version in &mut group.versions {
                (version.resources, version.subresources) = Default::default();
            }
        }
        let names: Vec<(usize, usize, String)> = groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| {
                let path = |version| group_version_path(&group.name, version);
                group
                    .versions
                    .iter()
                    .enumerate()
                    .map(move |(index, one)| (at, index, path(&one.version)))
            })
            .collect();
        let asked = names.into_iter().map(|(at, index, path)| async move {
            let mut answer = self.resource_list(&path).await;
            if answer.as_ref().is_err_and(may_pass) {
                answer = self.resource_list(&path).await;
            }
            (at, index, answer)
        });
        let mut answers = futures_util::stream::iter(asked).buffer_unordered(AT_ONCE);
        while let Some((at, index, answer)) = answers.next().await {
            let group = &mut groups[at];
            let version = &mut group.versions[index];
            match answer {
                Ok(list) => legacy::fill(&group.name, version, list),
                // An aggregated API server may serve no core group at all.
                Err(error) if group.name.is_empty() && error.is_not_found() => {}
                Err(error) => {
                    version.stale = true;
                    let failure = DiscoveryFailure {
                        group: group.name.clone(),
                        version: version.version.clone(),
                        reason: FailureReason::Failed(Arc::new(error)),
                    };
                    failures.insert((at, index), failure);
                }
            }
        }
        drop(answers);
        Discovered {
            groups,
            failures: failures.into_values().collect(),
        }
    }

    async fn resource_list(&self, path: &str) -> Result<APIResourceList, Error> {
        let document = self.read(path, Format::Json.content_type()).await?;
        decode(path, &document.body)
    }

    /// What the server is.
    ///
    /// # Errors
    /// No answer, or one that cannot be read.
    pub async fn server_version(&self) -> Result<ServerVersion, Error> {
        let document = self.read("/version", Format::Json.content_type()).await?;
        serde_json::from_slice(&document.body)
            .map_err(|error| unreadable("/version", DecodeError::other(error)))
    }

    /// Which OpenAPI v3 documents there are, and the hash of each.
    ///
    /// # Errors
    /// No answer, or one that cannot be read. Servers before 1.24 have none, which is 404.
    pub async fn openapi_v3(&self) -> Result<OpenApiIndex, Error> {
        let path = "/openapi/v3";
        let document = self.read(path, Format::Json.content_type()).await?;
        OpenApiIndex::read(&document.body).map_err(|error| unreadable(path, DecodeError::other(error)))
    }

    /// The OpenAPI v3 document of a group-version, as JSON. The address has its hash, so that an answer never changes.
    ///
    /// # Errors
    /// No answer; an address that is not one of this server.
    pub async fn openapi_v3_document(&self, path: &OpenApiPath) -> Result<Bytes, Error> {
        if !path.url.starts_with('/') || path.url.starts_with("//") {
            let what = format!("{:?} is no path on the server", path.url);
            return Err(Error::new(
                context("/openapi/v3"),
                ErrorKind::InvalidRequest(what),
            ));
        }
        let document = self.read(&path.url, Format::Json.content_type()).await?;
        Ok(document.body)
    }

    /// The OpenAPI v2 document of all groups in one, as JSON. Custom resources in it have lost what v2 cannot say.
    ///
    /// # Errors
    /// No answer.
    pub async fn openapi_v2(&self) -> Result<Bytes, Error> {
        let document = self.read("/openapi/v2", Format::Json.content_type()).await?;
        Ok(document.body)
    }

    /// The same document in protobuf (gnostic's `openapi.v2.Document`, without an envelope), for those who have its
    /// types. Servers write it in a fraction of the time.
    ///
    /// # Errors
    /// No answer.
    pub async fn openapi_v2_protobuf(&self) -> Result<Bytes, Error> {
        let document = self.read("/openapi/v2", OPENAPI_V2_PROTOBUF).await?;
        Ok(document.body)
    }

    async fn read(&self, path: &str, accept: &str) -> Result<Document, Error> {
        let (headers, body) = self
            .client
            .read_document(request(path, accept))
            .await?
            .unwrap_or_default();
        Ok(Document {
            content_type: headers.get("content-type").unwrap_or_default().to_owned(),
            body,
        })
    }
}

impl Root {
    /// The root that is not there, in the form of the one that is.
    fn empty_like(other: &Self) -> Self {
        match other {
            Self::Aggregated(_) => Self::Aggregated(AggregatedRoot {
                groups: Arc::default(),
                etag: None,
            }),
            Self::Legacy(_) => Self::Legacy(Vec::new()),
        }
    }

    fn into_groups(self) -> Vec<ApiGroup> {
        match self {
            Self::Aggregated(root) => root.groups.to_vec(),
            Self::Legacy(groups) => groups,
        }
    }
}

fn request(path: &str, accept: &str) -> Request {
    let mut request = Request::new(Method::Get, path);
    request.headers.set("accept", accept);
    request.timeout = Some(TIMEOUT);
    request
}

fn group_version_path(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("/api/{version}")
    } else {
        format!("/apis/{group}/{version}")
    }
}

fn core_root(body: &[u8]) -> Result<Vec<ApiGroup>, DecodeError> {
    APIVersions::decode(Format::Json, body).map(legacy::core_group)
}

fn named_root(body: &[u8]) -> Result<Vec<ApiGroup>, DecodeError> {
    let list = APIGroupList::decode(Format::Json, body)?;
    Ok(list.groups.into_iter().map(legacy::named_group).collect())
}

pub(super) fn stale(groups: &[ApiGroup]) -> Vec<DiscoveryFailure> {
    let versions = groups
        .iter()
        .flat_map(|group| group.versions.iter().map(move |version| (group, version)));
    let stale = versions.filter(|(_, version)| version.stale);
    stale
        .map(|(group, version)| DiscoveryFailure {
            group: group.name.clone(),
            version: version.version.clone(),
            reason: FailureReason::Stale,
        })
        .collect()
}

/// Whether the same request may succeed a moment later. One that took all its time is not given it twice.
fn may_pass(error: &Error) -> bool {
    !error.is_timeout() && error.code().is_none_or(|code| code >= 500 || code == 429)
}

fn decode<T: Wire>(path: &str, body: &[u8]) -> Result<T, Error> {
    T::decode(Format::Json, body).map_err(|error| unreadable(path, error))
}

fn unreadable(path: &str, error: DecodeError) -> Error {
    Error::new(context(path), ErrorKind::Decode(error))
}

fn context(path: &str) -> CallContext {
    CallContext {
        verb: "get",
        resource: path.to_owned(),
        ..CallContext::default()
    }
}
