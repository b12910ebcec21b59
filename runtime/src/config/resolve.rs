//! From a [`Kubeconfig`] to a [`Config`], by the rules of client-go.

use std::path::{Path, PathBuf};

use base64::Engine;

use super::fields::invalid;
use super::{
    AuthConfig, ClientIdentity, Cluster, Compression, Config, ConfigError, Context, DataSource,
    Impersonation, Kubeconfig, Named, Opaque, Origin, Proxy, SecretBytes, SecretSource, TlsConfig, Trust,
    User,
};

/// What to use of a kubeconfig in place of what it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KubeconfigOptions {
    /// The context, in place of `current-context`.
    pub context: Option<String>,
    /// The cluster, in place of the context's.
    pub cluster: Option<String>,
    /// The user, in place of the context's.
    pub user: Option<String>,
    /// The namespace, in place of the context's.
    pub namespace: Option<String>,
}

impl Config {
    /// The configuration of one kubeconfig file. The file must exist; nothing is merged into it.
    ///
    /// Reads files, and blocks while it does.
    ///
    /// # Errors
    /// What is wrong with the file, or that it lacks what `options` ask for.
    pub fn from_kubeconfig(path: impl AsRef<Path>, options: &KubeconfigOptions) -> Result<Self, ConfigError> {
        Self::from_loaded(&Kubeconfig::read(path)?, options)
    }

    /// The configuration of a kubeconfig in memory.
    ///
    /// A user's credentials are used only if the server is reached by TLS. A context without a user, or with one that
    /// is not there, is anonymous.
    ///
    /// # Errors
    /// What is wrong with it, or that it lacks what `options` ask for.
    pub fn from_loaded(kubeconfig: &Kubeconfig, options: &KubeconfigOptions) -> Result<Self, ConfigError> {
        let context = kubeconfig.context(options)?;
        let cluster = kubeconfig.cluster(context, options)?;
        let user = kubeconfig.user(context, options)?;

        let at = At {
            list: "clusters",
            name: &cluster.name,
            inner: "cluster",
            origin: &cluster.origin,
        };
        if cluster.value.server.is_empty() {
            return Err(at.invalid(
                "server",
                "the server's URL is missing",
                "set it, such as https://host:6443",
            ));
        }
        let mut config = Self::new(cluster.value.server.clone());
        config.tls = TlsConfig {
            trust: at.trust(&cluster.value)?,
            identity: None,
            server_name: cluster.value.tls_server_name.clone(),
        };
        if let Some(url) = &cluster.value.proxy_url {
            config.proxy = Proxy::Url(url.clone());
        }
        if cluster.value.disable_compression {
            config.compression = Compression::Off;
        }
        if let Some(user) = user {
            let at = At {
                list: "users",
                name: &user.name,
                inner: "user",
                origin: &user.origin,
            };
            config.impersonate = at.impersonation(&user.value)?;
            let identity = at.identity(&user.value)?;
            let mut auth = at.auth(&user.value, identity.is_some())?;
            if let AuthConfig::Exec(exec) = &mut auth {
                exec.cluster_extension = exec_extension(&cluster.value);
            }
            if config.uses_tls() {
                (config.tls.identity, config.auth) = (identity, auth);
            } else if identity.is_some() || auth != AuthConfig::Anonymous {
                tracing::warn!(
                    server = %config.server,
                    user = user.name,
                    "the user's credentials are not used because the server is reached without TLS"
                );
            }
        }
        if let Some(namespace) = options
            .namespace
            .clone()
            .or_else(|| kubeconfig.namespace(options))
        {
            config.namespace = namespace;
        }
        Ok(config)
    }

    /// Whether the server is reached by TLS: its URL says so, or has no scheme and something else in here is about TLS.
    pub fn uses_tls(&self) -> bool {
        let server = self.server.expose();
        match server.split_once("://") {
            Some((scheme, _)) => scheme.eq_ignore_ascii_case("https"),
            None => self.tls.trust != Trust::System || self.tls.identity.is_some(),
        }
    }
}

impl Kubeconfig {
    /// The namespace of the context in use, when it names one.
    pub(super) fn namespace(&self, options: &KubeconfigOptions) -> Option<String> {
        self.context(options).ok().flatten()?.value.namespace.clone()
    }

    /// The context in use; none when both cluster and user are chosen without one.
    fn context(&self, options: &KubeconfigOptions) -> Result<Option<&Named<Context>>, ConfigError> {
        let Some(name) = options.context.as_ref().or(self.current_context.as_ref()) else {
            if options.cluster.is_some() {
                return Ok(None);
            }
            let origins = self.origins.clone();
            if self.contexts.is_empty() && self.clusters.is_empty() {
                return Err(ConfigError::Empty { origins });
            }
            return Err(ConfigError::NoContext {
                known: names(&self.contexts),
                origins,
            });
        };
        let context = find(&self.contexts, name).ok_or_else(|| ConfigError::UnknownContext {
            name: name.clone(),
            known: names(&self.contexts),
            origins: self.origins.clone(),
        })?;
        Ok(Some(context))
    }

    fn cluster(
        &self,
        context: Option<&Named<Context>>,
        options: &KubeconfigOptions,
    ) -> Result<&Named<Cluster>, ConfigError> {
        let from_context = context.and_then(|context| context.value.cluster.as_ref());
        let name = match (options.cluster.as_ref().or(from_context), context) {
            (Some(name), _) => name,
            (None, Some(context)) => {
                let key = format!("contexts[{}].context.cluster", context.name);
                return Err(invalid(
                    &context.origin,
                    key,
                    "no cluster is named",
                    "name one of the clusters",
                ));
            }
            (None, None) => {
                return Err(ConfigError::NoContext {
                    known: names(&self.contexts),
                    origins: self.origins.clone(),
                });
            }
        };
        find(&self.clusters, name).ok_or_else(|| ConfigError::UnknownCluster {
            name: name.clone(),
            context: context
                .filter(|_| options.cluster.is_none())
                .map(|context| context.name.clone()),
            known: names(&self.clusters),
            origins: self.origins.clone(),
        })
    }

    /// The user in use. One that was asked for must be there; one that the context names need not.
    fn user(
        &self,
        context: Option<&Named<Context>>,
        options: &KubeconfigOptions,
    ) -> Result<Option<&Named<User>>, ConfigError> {
        if let Some(name) = &options.user {
            return find(&self.users, name)
                .map(Some)
                .ok_or_else(|| ConfigError::UnknownUser {
                    name: name.clone(),
                    known: names(&self.users),
                    origins: self.origins.clone(),
                });
        }
        let name = context.and_then(|context| context.value.user.as_ref());
        Ok(name.and_then(|name| find(&self.users, name)))
    }
}

/// What a cluster's extension `client.authentication.k8s.io/exec` holds for credential plugins.
fn exec_extension(cluster: &Cluster) -> Option<Opaque> {
    let extensions = cluster.remaining.expose().get("extensions")?.as_array()?;
    extensions
        .iter()
        .find(|entry| entry["name"] == "client.authentication.k8s.io/exec")
        .and_then(|entry| entry.get("extension"))
        .filter(|extension| !extension.is_null())
        .map(|extension| Opaque::new(extension.clone()))
}

fn find<'a, T>(entries: &'a [Named<T>], name: &str) -> Option<&'a Named<T>> {
    entries.iter().find(|entry| entry.name == name)
}

fn names<T>(entries: &[Named<T>]) -> Vec<String> {
    let mut names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    names.sort();
    names
}

/// An entry's place in its file, for errors and for relative paths.
pub(super) struct At<'a> {
    list: &'static str,
    name: &'a str,
    inner: &'static str,
    pub(super) origin: &'a Origin,
}

impl At<'_> {
    pub(super) fn key(&self, field: &str) -> String {
        format!("{}[{}].{}.{field}", self.list, self.name, self.inner)
    }

    fn invalid(&self, field: &str, problem: &str, remedy: &str) -> ConfigError {
        invalid(self.origin, self.key(field), problem, remedy)
    }

    /// A path, from the file's directory if it is relative.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        match self.origin {
            Origin::File(file) => file.parent().unwrap_or(Path::new("")).join(path),
            Origin::Memory => PathBuf::from(path),
        }
    }

    fn base64(&self, field: &str, text: &str) -> Result<Vec<u8>, ConfigError> {
        let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        // The decoder's own error names the offending byte, which may be one of a key: it is left out.
        base64::engine::general_purpose::STANDARD
            .decode(packed)
            .map_err(|_| {
                self.invalid(
                    field,
                    "it is not valid base64",
                    "encode the PEM text anew, as `base64 -w0` does",
                )
            })
    }

    fn data(
        &self,
        inline: (&str, Option<&String>),
        file: Option<&String>,
    ) -> Result<Option<DataSource>, ConfigError> {
        match (inline, file) {
            ((field, Some(text)), _) => Ok(Some(DataSource::Inline(self.base64(field, text)?))),
            ((_, None), Some(path)) => Ok(Some(DataSource::File(self.path(path)))),
            ((_, None), None) => Ok(None),
        }
    }

    fn trust(&self, cluster: &Cluster) -> Result<Trust, ConfigError> {
        let inline = (
            "certificate-authority-data",
            cluster.certificate_authority_data.as_ref(),
        );
        let authority = self.data(inline, cluster.certificate_authority.as_ref())?;
        match (authority, cluster.insecure_skip_tls_verify) {
            (Some(_), true) => Err(self.invalid(
                "insecure-skip-tls-verify",
                "it contradicts the certificate authority that is set too",
                "remove one of them",
            )),
            (None, true) => Ok(Trust::Insecure),
            (Some(authority), false) => Ok(Trust::Authority(authority)),
            (None, false) => Ok(Trust::System),
        }
    }

    fn identity(&self, user: &User) -> Result<Option<ClientIdentity>, ConfigError> {
        let inline = ("client-certificate-data", user.client_certificate_data.as_ref());
        let certificate = self.data(inline, user.client_certificate.as_ref())?;
        let key = match (&user.client_key_data, &user.client_key) {
            (Some(text), _) => {
                let bytes = self.base64("client-key-data", text.expose())?;
                Some(SecretSource::Inline(SecretBytes::from(bytes)))
            }
            (None, Some(path)) => Some(SecretSource::File(self.path(path))),
            (None, None) => None,
        };
        match (certificate, key) {
            (Some(certificate), Some(key)) => Ok(Some(ClientIdentity { certificate, key })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(self.invalid(
                "client-key",
                "the client certificate has no key",
                "set client-key or client-key-data too",
            )),
            (None, Some(_)) => Err(self.invalid(
                "client-certificate",
                "the client key has no certificate",
                "set client-certificate or client-certificate-data too",
            )),
        }
    }

    fn impersonation(&self, user: &User) -> Result<Option<Impersonation>, ConfigError> {
        let Some(name) = &user.impersonate else {
            let asked = user.impersonate_uid.is_some()
                || !user.impersonate_groups.is_empty()
                || !user.impersonate_extra.is_empty();
            return match asked {
                false => Ok(None),
                true => Err(self.invalid(
                    "as",
                    "as-uid, as-groups or as-user-extra is set but no user to impersonate",
                    "set the user's name too",
                )),
            };
        };
        Ok(Some(Impersonation {
            user: name.clone(),
            uid: user.impersonate_uid.clone(),
            groups: user.impersonate_groups.clone(),
            extra: user.impersonate_extra.iter().cloned().collect(),
        }))
    }

    /// The one way to authenticate. A token or password, and a client certificate too, win over a plugin.
    fn auth(&self, user: &User, has_identity: bool) -> Result<AuthConfig, ConfigError> {
        let has_token = user.token.is_some() || user.token_file.is_some();
        let has_basic = user.username.is_some() || user.password.is_some();
        if has_token && has_basic {
            return Err(self.invalid(
                "token",
                "a token and a password are both set",
                "remove one of them",
            ));
        }
        if user.exec.is_some() && user.auth_provider.is_some() {
            return Err(self.invalid(
                "exec",
                "exec and auth-provider are both set",
                "remove one of them",
            ));
        }
        if let Some(path) = &user.token_file {
            return Ok(AuthConfig::TokenFile {
                path: self.path(path),
                fallback: user.token.clone(),
            });
        }
        if let Some(token) = &user.token {
            return Ok(AuthConfig::Token(token.clone()));
        }
        if has_basic {
            return Ok(AuthConfig::Basic {
                username: user.username.clone().unwrap_or_default(),
                password: user.password.clone().unwrap_or_default(),
            });
        }
        match (&user.exec, &user.auth_provider) {
            (Some(exec), _) if !has_identity => Ok(AuthConfig::Exec(Box::new(self.exec(exec)?))),
            (_, Some(provider)) if !has_identity => Ok(AuthConfig::Provider(self.provider(provider)?)),
            _ => Ok(AuthConfig::Anonymous),
        }
    }
}
