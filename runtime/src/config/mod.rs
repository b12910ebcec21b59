//! How to reach a cluster: [`Config`], and where one comes from.
//!
//! | file | what is there |
//! |---|---|
//! | `types` | [`Config`] and its parts, plain data |
//! | `secret` | values that are never printed |
//! | `error` | [`ConfigError`] |
//! | `environment` | what of the process's environment is read, and the choice between kubeconfig and in-cluster |
//! | `in_cluster` | the configuration of a pod |
//! | `kubeconfig`, `entries` | the kubeconfig file: model, reading, merging |
//! | `write` | changing files: locks, permissions, which file an entry belongs to |
//! | `text` | its encodings and its YAML |
//! | `fields` | typed access to the keys of a mapping, with errors that name them |
//! | `resolve` | from a kubeconfig to a [`Config`] |
//! | `plugin` | the settings of credential plugins and providers |
//! | `policy` | repetition, pacing, and which plugins may run |
//!
//! ```
//! use kubeloom::config::{AuthConfig, Config};
//!
//! let mut config = Config::new("https://host:6443");
//! config.auth = AuthConfig::Token("t0ken".into());
//! assert!(!format!("{config:?}").contains("t0ken"));
//! ```
//!
//! This module must not know how a connection is made: no sockets, no TLS, no HTTP. It reads files and the environment,
//! each once, when asked to.

mod entries;
mod environment;
mod error;
mod fields;
mod in_cluster;
mod kubeconfig;
mod plugin;
mod policy;
mod resolve;
mod secret;
mod text;
mod types;
mod write;

pub use self::entries::{Cluster, Context, User};
pub use self::environment::Environment;
pub use self::error::{ConfigError, Origin};
pub use self::kubeconfig::{Kubeconfig, Named, Opaque, Remaining};
pub use self::policy::{PluginPolicy, RateLimit, RetryConfig, UrlBackoff};
pub use self::resolve::KubeconfigOptions;
pub use self::secret::{Secret, SecretBytes, SecretString, UrlString};
pub use self::types::{
    AuthConfig, AuthProviderConfig, ClientIdentity, Compression, Config, DataSource, ExecConfig,
    HttpVersions, Impersonation, InteractiveMode, KeepAlive, Proxy, SecretSource, TlsConfig, Trust,
};
