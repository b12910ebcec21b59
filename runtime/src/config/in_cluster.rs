//! The configuration of a pod, by the rules of client-go: the environment names the server, the mounted service account
//! has token, CA and namespace.

use super::kubeconfig::unreadable;
use super::{AuthConfig, Config, ConfigError, DataSource, Environment, SecretString, TlsConfig, Trust};

impl Environment {
    /// Whether this looks like a pod with a service account; nothing is read.
    pub fn is_in_cluster(&self) -> bool {
        self.service_host.is_some()
            && self.service_port.is_some()
            && self
                .service_account
                .join("token")
                .metadata()
                .is_ok_and(|token| !token.is_dir())
    }

    /// The namespace of the pod: `POD_NAMESPACE`, else the service account's.
    pub(super) fn pod_namespace(&self) -> Option<String> {
        self.pod_namespace.clone().or_else(|| {
            let text = std::fs::read_to_string(self.service_account.join("namespace")).ok()?;
            Some(text.trim().to_owned()).filter(|namespace| !namespace.is_empty())
        })
    }
}

impl Config {
    /// The configuration of the pod this process runs in.
    ///
    /// The token's file is read again as it ages. A missing CA file means the host's authorities are trusted instead.
    ///
    /// # Errors
    /// [`ConfigError::NotInCluster`] outside of a pod; [`ConfigError::Unreadable`] or [`ConfigError::EmptyToken`] when
    /// the service account's token is not there.
    pub fn in_cluster() -> Result<Self, ConfigError> {
        Self::in_cluster_of(&Environment::of_process())
    }

    /// The configuration of the pod that has this environment.
    ///
    /// # Errors
    /// As [`Config::in_cluster`].
    pub fn in_cluster_of(environment: &Environment) -> Result<Self, ConfigError> {
        let missing = |missing| ConfigError::NotInCluster { missing };
        let host = environment
            .service_host
            .as_deref()
            .ok_or_else(|| missing("KUBERNETES_SERVICE_HOST"))?;
        let port = environment
            .service_port
            .as_deref()
            .ok_or_else(|| missing("KUBERNETES_SERVICE_PORT"))?;

        let path = environment.service_account.join("token");
        let token =
            std::fs::read_to_string(&path).map_err(|source| unreadable("in-cluster token", &path, source))?;
        let token = SecretString::from(token.trim());
        if token.expose().is_empty() {
            return Err(ConfigError::EmptyToken { path });
        }

        let authority = environment.service_account.join("ca.crt");
        let trust = match std::fs::File::open(&authority) {
            Ok(_) => Trust::Authority(DataSource::File(authority)),
            Err(error) => {
                let path = authority.display();
                tracing::warn!(%error, %path, "no in-cluster certificate authority; the host's are trusted");
                Trust::System
            }
        };
        let mut config = Self::new(server(host, port));
        config.tls = TlsConfig {
            trust,
            ..TlsConfig::default()
        };
        config.auth = AuthConfig::TokenFile {
            path,
            fallback: Some(token),
        };
        config.namespace = environment
            .pod_namespace()
            .unwrap_or_else(|| "default".to_owned());
        Ok(config)
    }
}

/// The URL of the server; an IPv6 address goes in brackets, the default port is left out.
fn server(host: &str, port: &str) -> String {
    let host = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    match port {
        "443" => format!("https://{host}"),
        port => format!("https://{host}:{port}"),
    }
}
