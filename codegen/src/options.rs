//! What is asked for.

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic, Location, Report};

/// What to generate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The name of the crate: ASCII letters, digits, `-` and `_`.
    pub name: String,
    /// Groups and group-versions (`apps`, `core/v1`, `networking.k8s.io/v1`); all if empty.
    pub groups: Vec<String>,
    /// What the manifest is like.
    pub manifest: Manifest,
    /// Where `kubeloom-k8s` is, if types of Kubernetes' own come from there: those that sources refer to, and those whose fields a
    /// CustomResourceDefinition repeats. In a workspace it is the workspace's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<Runtime>,
    /// Whether schemas that repeat the fields of Kubernetes' own types become types of this crate all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_shapes: bool,
}

/// The manifest of a generated crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Manifest {
    /// Version, edition, lints and the runtime come from the workspace that the crate is part of.
    Workspace,
    /// Everything stands in the manifest.
    Standalone(Runtime),
}

/// Where the runtime comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Runtime {
    /// A version requirement of the registry.
    Version(String),
    /// A path, relative to the generated manifest.
    Path(String),
}

impl Default for Runtime {
    /// The version of the generator.
    fn default() -> Self {
        Self::Version(env!("CARGO_PKG_VERSION").to_owned())
    }
}

impl Default for Manifest {
    /// Standalone, over the runtime of the generator's version.
    fn default() -> Self {
        Self::Standalone(Runtime::default())
    }
}

impl Options {
    /// A standalone crate of this name with all groups.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            groups: Vec::new(),
            manifest: Manifest::default(),
            kubernetes: None,
            own_shapes: false,
        }
    }

    pub(crate) fn check(&self, report: &mut Report) {
        let letters = self
            .name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if !letters || !self.name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            report.push(
                Diagnostic::new(
                    Code::Option,
                    Location::default(),
                    format!("{:?} cannot be the name of a crate", self.name),
                )
                .help("a name starts with a letter and has letters, digits, `-` and `_`"),
            );
        }
    }
}
