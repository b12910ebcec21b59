//! The entries of a kubeconfig: clusters, contexts, users.

use serde_json::{Map, Value};

use super::fields::Fields;
use super::kubeconfig::put;
use super::{ConfigError, Opaque, Remaining, SecretString, UrlString};

/// A cluster.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cluster {
    /// `server`: the URL.
    pub server: UrlString,
    /// `tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `insecure-skip-tls-verify`.
    pub insecure_skip_tls_verify: bool,
    /// `certificate-authority`: the path of a PEM bundle.
    pub certificate_authority: Option<String>,
    /// `certificate-authority-data`: a PEM bundle in base64; wins over the path.
    pub certificate_authority_data: Option<String>,
    /// `proxy-url`.
    pub proxy_url: Option<UrlString>,
    /// `disable-compression`.
    pub disable_compression: bool,
    /// The other keys, `extensions` among them.
    pub remaining: Remaining,
}

/// A context: a cluster, a user and a namespace.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Context {
    /// `cluster`: its name.
    pub cluster: Option<String>,
    /// `user`: its name; none means anonymous.
    pub user: Option<String>,
    /// `namespace`.
    pub namespace: Option<String>,
    /// The other keys.
    pub remaining: Remaining,
}

/// A user: how to authenticate, and whom to impersonate.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct User {
    /// `client-certificate`: the path of a PEM file.
    pub client_certificate: Option<String>,
    /// `client-certificate-data`: PEM in base64; wins over the path.
    pub client_certificate_data: Option<String>,
    /// `client-key`: the path of a PEM file.
    pub client_key: Option<String>,
    /// `client-key-data`: PEM in base64; wins over the path.
    pub client_key_data: Option<SecretString>,
    /// `token`.
    pub token: Option<SecretString>,
    /// `tokenFile`: the path; wins over the token.
    pub token_file: Option<String>,
    /// `username`.
    pub username: Option<String>,
    /// `password`.
    pub password: Option<SecretString>,
    /// `as`: the user to impersonate.
    pub impersonate: Option<String>,
    /// `as-uid`.
    pub impersonate_uid: Option<String>,
    /// `as-groups`.
    pub impersonate_groups: Vec<String>,
    /// `as-user-extra`: attributes with their values, in the order of the file's keys as sorted.
    pub impersonate_extra: Vec<(String, Vec<String>)>,
    /// `exec`: a credential plugin's settings.
    pub exec: Option<Opaque>,
    /// `auth-provider`: an authentication provider's settings.
    pub auth_provider: Option<Opaque>,
    /// The other keys.
    pub remaining: Remaining,
}

impl Cluster {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            server: fields.string("server")?.unwrap_or_default().into(),
            tls_server_name: fields.string("tls-server-name")?,
            insecure_skip_tls_verify: fields.boolean("insecure-skip-tls-verify")?,
            certificate_authority: fields.string("certificate-authority")?,
            certificate_authority_data: fields.string("certificate-authority-data")?,
            proxy_url: fields.string("proxy-url")?.map(UrlString::from),
            disable_compression: fields.boolean("disable-compression")?,
            remaining: Remaining::new(fields.rest()),
        })
    }

    pub(super) fn write(&self) -> Map<String, Value> {
        let mut map = self.remaining.expose().clone();
        map.insert("server".into(), self.server.expose().into());
        put(&mut map, "tls-server-name", self.tls_server_name.clone());
        put(
            &mut map,
            "insecure-skip-tls-verify",
            self.insecure_skip_tls_verify.then_some(true),
        );
        put(
            &mut map,
            "certificate-authority",
            self.certificate_authority.clone(),
        );
        put(
            &mut map,
            "certificate-authority-data",
            self.certificate_authority_data.clone(),
        );
        put(
            &mut map,
            "proxy-url",
            self.proxy_url.as_ref().map(UrlString::expose),
        );
        put(
            &mut map,
            "disable-compression",
            self.disable_compression.then_some(true),
        );
        map
    }
}

impl Context {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            cluster: fields.string("cluster")?,
            user: fields.string("user")?,
            namespace: fields.string("namespace")?,
            remaining: Remaining::new(fields.rest()),
        })
    }

    pub(super) fn write(&self) -> Map<String, Value> {
        let mut map = self.remaining.expose().clone();
        put(&mut map, "cluster", self.cluster.clone());
        put(&mut map, "user", self.user.clone());
        put(&mut map, "namespace", self.namespace.clone());
        map
    }
}

impl User {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, ConfigError> {
        let mut extra = fields.entries("as-user-extra")?;
        let impersonate_extra = extra
            .names()
            .into_iter()
            .map(|name| extra.strings(&name).map(|values| (name, values)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            client_certificate: fields.string("client-certificate")?,
            client_certificate_data: fields.string("client-certificate-data")?,
            client_key: fields.string("client-key")?,
            client_key_data: fields.string("client-key-data")?.map(SecretString::from),
            token: fields.string("token")?.map(SecretString::from),
            token_file: fields.string("tokenFile")?,
            username: fields.string("username")?,
            password: fields.string("password")?.map(SecretString::from),
            impersonate: fields.string("as")?,
            impersonate_uid: fields.string("as-uid")?,
            impersonate_groups: fields.strings("as-groups")?,
            impersonate_extra,
            exec: fields.opaque("exec")?.map(Opaque::new),
            auth_provider: fields.opaque("auth-provider")?.map(Opaque::new),
            remaining: Remaining::new(fields.rest()),
        })
    }

    pub(super) fn write(&self) -> Map<String, Value> {
        let secret = |value: &Option<SecretString>| value.as_ref().map(|value| value.expose().clone());
        let opaque = |value: &Option<Opaque>| value.as_ref().map(|value| value.expose().clone());
        let extra: Map<String, Value> = self
            .impersonate_extra
            .iter()
            .map(|(name, values)| (name.clone(), values.clone().into()))
            .collect();
        let mut map = self.remaining.expose().clone();
        put(&mut map, "client-certificate", self.client_certificate.clone());
        put(
            &mut map,
            "client-certificate-data",
            self.client_certificate_data.clone(),
        );
        put(&mut map, "client-key", self.client_key.clone());
        put(&mut map, "client-key-data", secret(&self.client_key_data));
        put(&mut map, "token", secret(&self.token));
        put(&mut map, "tokenFile", self.token_file.clone());
        put(&mut map, "username", self.username.clone());
        put(&mut map, "password", secret(&self.password));
        put(&mut map, "as", self.impersonate.clone());
        put(&mut map, "as-uid", self.impersonate_uid.clone());
        let groups = &self.impersonate_groups;
        put(
            &mut map,
            "as-groups",
            (!groups.is_empty()).then(|| groups.clone()),
        );
        put(&mut map, "as-user-extra", (!extra.is_empty()).then_some(extra));
        put(&mut map, "exec", opaque(&self.exec));
        put(&mut map, "auth-provider", opaque(&self.auth_provider));
        map
    }
}
