//! The settings of credential plugins and authentication providers.

use std::collections::BTreeMap;
use std::path::MAIN_SEPARATOR;

use serde_json::Value;

use super::fields::Fields;
use super::resolve::At;
use super::{AuthProviderConfig, ConfigError, ExecConfig, InteractiveMode, Opaque, SecretString};

impl At<'_> {
    /// The settings of a credential plugin; a command that is a path starts from the file.
    pub(super) fn exec(&self, exec: &Opaque) -> Result<ExecConfig, ConfigError> {
        let mut fields = Fields::new(exec.expose().clone(), self.key("exec"), self.origin)?;
        let api_version = match fields.string("apiVersion")?.as_deref() {
            Some(known @ ("client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1")) => {
                known.to_owned()
            }
            _ => {
                let problem = "the version of the plugin protocol is missing or unknown";
                let remedy = "set client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1";
                return Err(fields.invalid("apiVersion", problem, remedy));
            }
        };
        let Some(command) = fields.string("command")? else {
            return Err(fields.invalid("command", "the plugin's program is missing", "name it"));
        };
        let command = if command.contains(['/', MAIN_SEPARATOR]) {
            self.path(&command).to_string_lossy().into_owned()
        } else {
            command
        };
        let interactive_mode = match (
            fields.string("interactiveMode")?.as_deref(),
            api_version.ends_with("/v1"),
        ) {
            (Some("Never"), _) => InteractiveMode::Never,
            (Some("IfAvailable"), _) | (None, false) => InteractiveMode::IfAvailable,
            (Some("Always"), _) => InteractiveMode::Always,
            _ => {
                let problem = "the mode is missing or unknown";
                return Err(fields.invalid("interactiveMode", problem, "set Never, IfAvailable or Always"));
            }
        };
        Ok(ExecConfig {
            command,
            args: fields
                .strings("args")?
                .into_iter()
                .map(SecretString::from)
                .collect(),
            env: self.exec_env(fields.list("env")?)?,
            install_hint: fields.string("installHint")?,
            provide_cluster_info: fields.boolean("provideClusterInfo")?,
            cluster_extension: None,
            interactive_mode,
            api_version,
        })
    }

    fn exec_env(&self, items: Vec<Value>) -> Result<Vec<(String, SecretString)>, ConfigError> {
        let mut env = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let mut fields = Fields::new(item, self.key(&format!("exec.env[{index}]")), self.origin)?;
            let Some(name) = fields.string("name")? else {
                return Err(fields.invalid("name", "the variable's name is missing", "set it"));
            };
            env.push((
                name,
                SecretString::from(fields.string("value")?.unwrap_or_default()),
            ));
        }
        Ok(env)
    }

    /// The settings of an authentication provider.
    pub(super) fn provider(&self, provider: &Opaque) -> Result<AuthProviderConfig, ConfigError> {
        let mut fields = Fields::new(provider.expose().clone(), self.key("auth-provider"), self.origin)?;
        let Some(name) = fields.string("name")? else {
            return Err(fields.invalid("name", "the provider's name is missing", "set it, such as oidc"));
        };
        let mut entries = fields.entries("config")?;
        let mut settings = BTreeMap::new();
        for key in entries.names() {
            if let Some(value) = entries.string(&key)? {
                settings.insert(key, SecretString::from(value));
            }
        }
        Ok(AuthProviderConfig { name, settings })
    }
}
