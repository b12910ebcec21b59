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
use serde_json::Value;

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

/// What a cluster said.
#[derive(Clone, Debug, Default)]
pub struct Fetched {
    /// The documents.
    pub documents: Documents,
    /// What is there and could not be had: documents of a server that is down, or that the user may not read.
    pub warnings: Report,
}

const JSON: &str = "application/json";

/// Asks for aggregated discovery (KEP-3352) and takes the older documents from servers that do not have it.
const DISCOVERY: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// Fetches the documents of a cluster: `/version`, discovery (`/api`, `/apis`, aggregated if the server can), OpenAPI v2,
/// OpenAPI v3 of each group-version, and the CustomResourceDefinitions. `progress` hears of each request before it is made.
///
/// Paths of the documents are the paths of the requests. What a server does not have is left out: OpenAPI v3 before 1.24,
/// definitions on servers without the group.
///
/// # Errors
/// That the configuration cannot be used, and that the cluster cannot be reached or refuses.
pub fn fetch(cluster: &Cluster, progress: &mut dyn FnMut(&str)) -> Result<Fetched, Report> {
    block_on(cluster, async |client| {
        Fetch {
            client: &client,
            documents: Documents::default(),
            warnings: Report::default(),
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
    let client = client(cluster).map_err(|error| told(&error))?;
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
    /// What is there and could not be had.
    warnings: Report,
    progress: &'a mut dyn FnMut(&str),
}

/// Why a document is not there.
struct Refusal {
    /// The HTTP code, if the server answered.
    code: Option<u16>,
    report: Report,
}

impl From<Refusal> for Report {
    fn from(refusal: Refusal) -> Self {
        refusal.report
    }
}

impl Fetch<'_> {
    async fn all(mut self) -> Result<Fetched, Report> {
        let version = self.get("/version", JSON).await?;
        let known = serde_json::from_slice::<Value>(&version.body)
            .is_ok_and(|version| version.get("gitVersion").is_some_and(Value::is_string));
        if !known {
            let message = "the answer names no `gitVersion`, which every API server does";
            return Err(Diagnostic::new(Code::Io, Location::document("/version"), message)
                .help(RIGHT_URL)
                .into());
        }
        self.insert("/version", &version);
        self.discovery().await?;
        self.keep_if_there("/openapi/v2", JSON).await?;
        self.open_api_v3().await?;
        self.keep_if_there("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", JSON)
            .await?;
        Ok(Fetched {
            documents: self.documents,
            warnings: self.warnings,
        })
    }

    async fn get(&mut self, path: &str, accept: &str) -> Result<Document, Refusal> {
        (self.progress)(path);
        let document = self
            .client
            .document(path, accept)
            .await
            .map_err(|error| Refusal {
                code: error.code(),
                report: told(&error),
            })?;
        let body = document.body.trim_ascii_start();
        if body.first().is_some_and(|first| matches!(first, b'{' | b'[')) {
            return Ok(document);
        }
        let content_type = match document.content_type.as_str() {
            "" => "something without a content type",
            known => known,
        };
        let message = format!("the server answered with {content_type}, not with JSON");
        let report = Diagnostic::new(Code::Io, Location::document(path), message)
            .help(RIGHT_URL)
            .into();
        Err(Refusal { code: None, report })
    }

    fn insert(&mut self, path: &str, document: &Document) {
        self.documents
            .insert(path.trim_start_matches('/'), document.body.as_ref());
    }

    /// A document that some servers do not have. One that the user may not read is said.
    async fn keep_if_there(&mut self, path: &str, accept: &str) -> Result<Option<Document>, Report> {
        match self.get(path, accept).await {
            Ok(document) => {
                self.insert(path, &document);
                Ok(Some(document))
            }
            Err(refusal) if refusal.code == Some(404) => Ok(None),
            Err(refusal) if refusal.code == Some(403) => {
                self.left_out(path, &refusal);
                Ok(None)
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// A document of one group-version. Where its server is down, it is left out, as kubectl does, and said.
    async fn keep_if_served(&mut self, path: &str, name: &str) -> Result<(), Report> {
        match self.get(path, JSON).await {
            Ok(document) => self.insert(name, &document),
            Err(refusal) if refusal.code.is_some() => self.left_out(path, &refusal),
            Err(refusal) => return Err(refusal.into()),
        }
        Ok(())
    }

    fn left_out(&mut self, path: &str, refusal: &Refusal) {
        let why = refusal
            .report
            .diagnostics()
            .first()
            .map_or("", |diagnostic| diagnostic.message.as_str());
        let message = format!("left out: {why}");
        self.warnings.push(Diagnostic::new(
            Code::NotServed,
            Location::document(path),
            message,
        ));
    }

    async fn discovery(&mut self) -> Result<(), Report> {
        let core = self.keep_if_there("/api", DISCOVERY).await?;
        let groups = self.get("/apis", DISCOVERY).await?;
        self.insert("/apis", &groups);
        if let Some(core) = core.filter(|document| !is_aggregated(document)) {
            for version in read::<APIVersions>("/api", &core)?.versions {
                let path = format!("/api/{version}");
                self.keep_if_served(&path, &path).await?;
            }
        }
        if !is_aggregated(&groups) {
            for group in read::<APIGroupList>("/apis", &groups)?.groups {
                for version in group.versions {
                    let path = format!("/apis/{}", version.group_version);
                    self.keep_if_served(&path, &path).await?;
                }
            }
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
            Err(refusal) if refusal.code == Some(404) => return Ok(()),
            Err(refusal) => return Err(refusal.into()),
        };
        let index: Index = serde_json::from_slice(&index.body).map_err(|error| {
            let message = format!("this is no list of OpenAPI documents: {error}");
            Diagnostic::new(Code::Io, Location::document("/openapi/v3"), message).help(RIGHT_URL)
        })?;
        // Documents of paths without a group-version (logs, version, the discovery documents) describe no resources.
        for (path, entry) in index.paths.iter().filter(|(path, _)| is_group_version(path)) {
            self.keep_if_served(&entry.url, &format!("openapi/v3/{path}"))
                .await?;
        }
        Ok(())
    }
}

const RIGHT_URL: &str = "is the server's URL in the kubeconfig that of an API server? A proxy or a login page may stand before it";

/// Says why a call failed, and what can be done. Errors of the connection and of the configuration say it themselves.
fn told(error: &Error) -> Report {
    let message = match (error.status(), error.context()) {
        (Some(status), Some(context)) if status.message.trim_start().starts_with('<') => {
            format!("cannot {context}: {} with an HTML page", status.code)
        }
        _ => error.to_string(),
    };
    let diagnostic = Diagnostic::new(Code::Io, Location::default(), message);
    let help = match error.code() {
        Some(401) => {
            "the server does not know the user: check the credentials in the kubeconfig, or log in again"
        }
        Some(403) => {
            "the user must read /version, /api, /apis and /openapi, as the ClusterRole system:discovery allows"
        }
        Some(_) => RIGHT_URL,
        None => return diagnostic.into(),
    };
    diagnostic.help(help).into()
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
        let message = format!("this is no discovery document: {error}");
        Diagnostic::new(Code::Io, Location::document(path), message)
            .help(RIGHT_URL)
            .into()
    })
}
