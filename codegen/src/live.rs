//! What a running API server says about itself.
//!
//! This is the one place that needs a client; the rest of the generator works on [`Documents`].

use std::path::PathBuf;

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::meta::{APIGroupList, APIVersions};
use kubeloom::rest::Document;
use kubeloom::wire::{Format, Wire};
use kubeloom::{Error, RestClient};
use serde::Deserialize;

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::sources::Documents;

/// Which cluster to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The kubeconfig file; found as kubectl finds it if `None`.
    pub kubeconfig: Option<PathBuf>,
    /// The context; the current one if `None`.
    pub context: Option<String>,
}

const JSON: &str = "application/json";

/// Asks for aggregated discovery (KEP-3352) and takes the older documents from servers that do not have it.
const DISCOVERY: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// Fetches the documents of a cluster: `/version`, discovery (`/api`, `/apis`, aggregated if the server can), OpenAPI v2,
/// OpenAPI v3 of each group-version, and the CustomResourceDefinitions. `progress` hears of each request before it is made.
///
/// Paths of the result are the paths of the requests. What a server does not have is left out: OpenAPI v3 before 1.24,
/// definitions on servers without the group, and definitions that the user may not list.
///
/// # Errors
/// That the configuration cannot be used, and that the cluster cannot be reached or refuses.
pub fn fetch(cluster: &Cluster, progress: &mut dyn FnMut(&str)) -> Result<Documents, Report> {
    block_on(cluster, async |client| {
        Fetch {
            client: &client,
            documents: Documents::default(),
            progress,
        }
        .all()
        .await
    })
}

/// Runs `work` with a client of the cluster, on this thread.
pub(crate) fn block_on<T>(
    cluster: &Cluster,
    work: impl AsyncFnOnce(RestClient) -> Result<T, Report>,
) -> Result<T, Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    let client = client(cluster).map_err(|error| failed(&error))?;
    runtime.block_on(work(client))
}

/// Says what failed, without a place: the message names it.
pub(crate) fn failed(error: &dyn std::fmt::Display) -> Report {
    Diagnostic::new(Code::Io, Location::default(), error.to_string()).into()
}

/// A client of the cluster.
///
/// # Errors
/// That the configuration cannot be used.
pub fn client(cluster: &Cluster) -> Result<RestClient, Error> {
    let options = KubeconfigOptions {
        context: cluster.context.clone(),
        ..KubeconfigOptions::default()
    };
    let config = match &cluster.kubeconfig {
        Some(path) => Config::from_kubeconfig(path, &options)?,
        None if cluster.context.is_none() => Config::from_env()?,
        None => Config::from_environment(&kubeloom::config::Environment::of_process(), &options)?,
    };
    RestClient::new(&config)
}

struct Fetch<'a> {
    client: &'a RestClient,
    documents: Documents,
    progress: &'a mut dyn FnMut(&str),
}

impl Fetch<'_> {
    async fn all(mut self) -> Result<Documents, Report> {
        self.keep("/version", JSON).await?;
        self.discovery().await?;
        self.keep_if_there("/openapi/v2", JSON).await?;
        self.open_api_v3().await?;
        self.keep_if_there("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", JSON)
            .await?;
        Ok(self.documents)
    }

    async fn get(&mut self, path: &str, accept: &str) -> Result<Document, Error> {
        (self.progress)(path);
        self.client.document(path, accept).await
    }

    async fn keep(&mut self, path: &str, accept: &str) -> Result<Document, Report> {
        let document = self.get(path, accept).await.map_err(|error| failed(&error))?;
        self.documents
            .insert(path.trim_start_matches('/'), document.body.as_ref());
        Ok(document)
    }

    async fn keep_if_there(&mut self, path: &str, accept: &str) -> Result<Option<Document>, Report> {
        match self.get(path, accept).await {
            Ok(document) => {
                self.documents
                    .insert(path.trim_start_matches('/'), document.body.as_ref());
                Ok(Some(document))
            }
            Err(error) if error.is_not_found() || error.is_forbidden() => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    async fn discovery(&mut self) -> Result<(), Report> {
        let core = self.keep_if_there("/api", DISCOVERY).await?;
        let groups = self.keep("/apis", DISCOVERY).await?;
        if let Some(core) = core.filter(|document| !is_aggregated(document)) {
            let versions = read::<APIVersions>("/api", &core)?.versions;
            for version in versions {
                self.keep_if_there(&format!("/api/{version}"), JSON).await?;
            }
        }
        if !is_aggregated(&groups) {
            for group in read::<APIGroupList>("/apis", &groups)?.groups {
                for version in group.versions {
                    // A group-version whose server is down is left out, as kubectl does.
                    self.keep_if_served(&format!("/apis/{}", version.group_version))
                        .await?;
                }
            }
        }
        Ok(())
    }

    async fn keep_if_served(&mut self, path: &str) -> Result<(), Report> {
        match self.get(path, JSON).await {
            Ok(document) => self
                .documents
                .insert(path.trim_start_matches('/'), document.body.as_ref()),
            Err(error) if error.code().is_some() => {}
            Err(error) => return Err(failed(&error)),
        }
        Ok(())
    }

    async fn open_api_v3(&mut self) -> Result<(), Report> {
        #[derive(Deserialize)]
        struct Index {
            paths: std::collections::BTreeMap<String, Entry>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Entry {
            #[serde(rename = "serverRelativeURL")]
            url: String,
        }
        let index = match self.get("/openapi/v3", JSON).await {
            Ok(document) => document,
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(failed(&error)),
        };
        let index: Index = serde_json::from_slice(&index.body).map_err(|error| {
            Diagnostic::new(Code::Io, Location::document("/openapi/v3"), error.to_string())
        })?;
        // Documents of paths without a group-version (logs, version, the discovery documents) describe no resources.
        for (path, entry) in index.paths.iter().filter(|(path, _)| is_group_version(path)) {
            match self.get(&entry.url, JSON).await {
                Ok(document) => self
                    .documents
                    .insert(format!("openapi/v3/{path}"), document.body.as_ref()),
                Err(error) if error.code().is_some() => {}
                Err(error) => return Err(failed(&error)),
            }
        }
        Ok(())
    }
}

/// `api/v1`, `apis/apps/v1`.
fn is_group_version(path: &str) -> bool {
    matches!(
        path.split('/').collect::<Vec<_>>()[..],
        ["api", _] | ["apis", _, _]
    )
}

fn is_aggregated(document: &Document) -> bool {
    document
        .content_type
        .split(';')
        .any(|parameter| parameter.trim() == "as=APIGroupDiscoveryList")
}

fn read<T: Wire>(path: &str, document: &Document) -> Result<T, Report> {
    T::decode(Format::Json, &document.body).map_err(|error| {
        Diagnostic::new(Code::Io, Location::document(path), error.to_string())
            .help("is this the URL of a Kubernetes API server?")
            .into()
    })
}
