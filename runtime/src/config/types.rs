//! [`Config`] and its parts. Plain data; nothing is read or checked here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Opaque, PluginPolicy, RateLimit, RetryConfig, SecretBytes, SecretString, UrlString};

/// How to reach one API server, and as whom.
///
/// Start from [`Config::new`], [`Config::from_env`](Config::from_env) or the other constructors and change what should
/// differ. `Debug` shows everything but secrets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The server: a URL, or `host` or `host:port`, for which the scheme is `https` when [`tls`](Self::tls) holds a CA,
    /// a client certificate or the insecure choice, else `http`. A path prefix is kept in front of every request's path.
    pub server: UrlString,
    /// Whom to trust and which certificate to show.
    pub tls: TlsConfig,
    /// Who the client says it is.
    pub auth: AuthConfig,
    /// On whose behalf requests are made.
    pub impersonate: Option<Impersonation>,
    /// The way to the server.
    pub proxy: Proxy,
    /// The namespace to use where none is said: the context's, the pod's, or `default`.
    pub namespace: String,
    /// The `User-Agent` header, in place of `kubeloom/<version> (<os>/<arch>)`.
    pub user_agent: Option<String>,
    /// The timeout of unary calls that set none themselves; `None` for no limit. Never applied to the body of a stream.
    pub timeout: Option<Duration>,
    /// Whether responses may arrive compressed.
    pub compression: Compression,
    /// Which versions of HTTP are offered to a TLS server.
    pub http: HttpVersions,
    /// How dead HTTP/2 connections are found.
    pub keep_alive: KeepAlive,
    /// How many calls share an HTTP/2 connection at most; more open further connections. A server that allows fewer is
    /// heeded. 100 unless set, which is what the more careful servers and proxies allow.
    pub streams_per_connection: u32,
    /// When a call is sent again.
    pub retry: RetryConfig,
    /// The client-side limit of the rate of calls; none unless set.
    pub rate_limit: Option<RateLimit>,
    /// Which credential plugins may run.
    pub plugin_policy: PluginPolicy,
}

impl Config {
    /// A configuration with the server's URL: system trust, anonymous, namespace `default`, no timeout.
    pub fn new(server: impl Into<UrlString>) -> Self {
        Self {
            server: server.into(),
            tls: TlsConfig::default(),
            auth: AuthConfig::Anonymous,
            impersonate: None,
            proxy: Proxy::Environment,
            namespace: "default".to_owned(),
            user_agent: None,
            timeout: None,
            compression: Compression::Gzip,
            http: HttpVersions::Http2AndHttp1,
            keep_alive: KeepAlive::default(),
            streams_per_connection: 100,
            retry: RetryConfig::default(),
            rate_limit: None,
            plugin_policy: PluginPolicy::AllowAll,
        }
    }
}

/// The TLS side of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TlsConfig {
    /// Which servers are trusted.
    pub trust: Trust,
    /// The client certificate.
    pub identity: Option<ClientIdentity>,
    /// The name the server's certificate must be valid for, in place of the URL's host; also sent as SNI.
    pub server_name: Option<String>,
}

/// Which servers are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those with a certificate from an authority the host trusts (`SSL_CERT_FILE` and `SSL_CERT_DIR` are honoured).
    #[default]
    System,
    /// Those with a certificate from an authority in this PEM bundle, and no others.
    Authority(DataSource),
    /// Every server, whatever certificate it shows. Whoever sits in between reads and changes everything.
    Insecure,
}

/// A client certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate, followed by intermediates if any, in PEM.
    pub certificate: DataSource,
    /// The private key in PEM: PKCS #8, PKCS #1 (RSA) or SEC 1 (EC), not encrypted.
    pub key: SecretSource,
}

/// Public bytes in place or in a file. `Debug` shows the path or the number of bytes.
#[derive(Clone, PartialEq, Eq)]
pub enum DataSource {
    /// The path of the file.
    File(PathBuf),
    /// The bytes themselves.
    Inline(Vec<u8>),
}

impl fmt::Debug for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "File({})", path.display()),
            Self::Inline(bytes) => write!(f, "Inline({} bytes)", bytes.len()),
        }
    }
}

/// Secret bytes in place or in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// The path of the file.
    File(PathBuf),
    /// The bytes themselves.
    Inline(SecretBytes),
}

impl DataSource {
    /// The file's path, when it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Inline(_) => None,
        }
    }
}

/// Who the client says it is, beside a client certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthConfig {
    /// Nobody.
    #[default]
    Anonymous,
    /// The bearer of a fixed token.
    Token(SecretString),
    /// The bearer of the token in a file, which is read again as it ages.
    TokenFile {
        /// The file; blanks around the token are removed.
        path: PathBuf,
        /// The token to use as long as the file could never be read.
        fallback: Option<SecretString>,
    },
    /// A user name and password.
    Basic {
        /// The user.
        username: String,
        /// The password.
        password: SecretString,
    },
    /// Whoever an external program says.
    Exec(Box<ExecConfig>),
    /// A named provider, such as `oidc`.
    Provider(AuthProviderConfig),
}

/// A credential plugin: a program that prints an `ExecCredential` of the group `client.authentication.k8s.io`.
///
/// `Debug` hides arguments and environment values, which may be secrets.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecConfig {
    /// `client.authentication.k8s.io/v1` or `.../v1beta1`.
    pub api_version: String,
    /// The program: an absolute path, or a name to look up in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<SecretString>,
    /// Variables added to the environment it inherits, in order.
    pub env: Vec<(String, SecretString)>,
    /// What to tell a user who does not have the program.
    pub install_hint: Option<String>,
    /// Whether the program is told about the cluster.
    pub provide_cluster_info: bool,
    /// What the cluster's extension `client.authentication.k8s.io/exec` holds for the program; told with the rest of the
    /// cluster.
    pub cluster_extension: Option<Opaque>,
    /// Whether the program may use the standard input.
    pub interactive_mode: InteractiveMode,
}

impl ExecConfig {
    /// A plugin of the protocol's version 1 without arguments that uses the standard input if there is one.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            api_version: "client.authentication.k8s.io/v1".to_owned(),
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            install_hint: None,
            provide_cluster_info: false,
            cluster_extension: None,
            interactive_mode: InteractiveMode::IfAvailable,
        }
    }
}

impl fmt::Debug for ExecConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecConfig")
            .field("api_version", &self.api_version)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &self.env)
            .field("install_hint", &self.install_hint)
            .field("provide_cluster_info", &self.provide_cluster_info)
            .field("cluster_extension", &self.cluster_extension)
            .field("interactive_mode", &self.interactive_mode)
            .finish()
    }
}

/// Whether a credential plugin may use the standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InteractiveMode {
    /// It never does.
    Never,
    /// It does when the standard input is a terminal; what v1beta1 means when it says nothing.
    #[default]
    IfAvailable,
    /// It cannot work without.
    Always,
}

/// A named authentication provider with its settings, of which several are secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthProviderConfig {
    /// The provider's name: `oidc`.
    pub name: String,
    /// Its settings, such as `idp-issuer-url`, `client-id`, `refresh-token`.
    pub settings: BTreeMap<String, SecretString>,
}

/// On whose behalf requests are made. The caller needs the right to impersonate each part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impersonation {
    /// The user's name; the server demands one.
    pub user: String,
    /// The user's unique id.
    pub uid: Option<String>,
    /// The groups the user is in.
    pub groups: Vec<String>,
    /// Further attributes, each with any number of values.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The way to the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxy {
    /// What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say.
    #[default]
    Environment,
    /// None, whatever the environment says.
    Direct,
    /// This one: `http://`, `https://` or `socks5://`.
    Url(UrlString),
}

/// Whether responses may arrive compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// gzip is asked for, and decoded as it arrives.
    #[default]
    Gzip,
    /// No compression; for fast links, where it costs more than it saves.
    Off,
}

/// Which versions of HTTP are offered to a TLS server. Without TLS it is always HTTP/1.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersions {
    /// HTTP/2, and HTTP/1.1 for servers that lack it.
    #[default]
    Http2AndHttp1,
    /// HTTP/1.1 only, one connection per call in flight; for proxies that mistreat HTTP/2.
    Http1,
}

/// How dead HTTP/2 connections are found: without pings, a watch on a half-open connection waits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// After this long without a byte from the server it is pinged, whether or not calls are in flight; zero for no pings.
    pub interval: Duration,
    /// A server that has not answered by then is taken for dead, and all calls on that connection fail.
    pub timeout: Duration,
}

impl Default for KeepAlive {
    /// 30 s and 15 s, as client-go.
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(30),
            timeout: Duration::from_secs(15),
        }
    }
}
