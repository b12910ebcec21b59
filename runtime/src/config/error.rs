//! [`ConfigError`]: why there is no usable configuration.

use std::fmt;
use std::path::PathBuf;

/// Why there is no usable configuration.
///
/// Each text is one message that says what is wrong, in which file and at which key, and what to do. None contains a
/// secret. The underlying error, if any, is the source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file cannot be read.
    #[error(
        "cannot read the {role} {path}: {reason}",
        path = path.display(),
        reason = Reason(*.reason)
    )]
    Unreadable {
        /// What the file is: `kubeconfig`, `in-cluster token`.
        role: &'static str,
        /// The file.
        path: PathBuf,
        /// The kind of failure in words.
        reason: std::io::ErrorKind,
        /// The failure.
        #[source]
        source: std::io::Error,
    },
    /// A kubeconfig cannot be written.
    #[error(
        "cannot write the kubeconfig {path}: {reason}; check that this user may write there",
        path = path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The kind of failure in words.
        reason: std::io::ErrorKind,
        /// The failure.
        #[source]
        source: std::io::Error,
    },
    /// Somebody else changes a kubeconfig.
    #[error(
        "the kubeconfig {path} is being changed by another program: {lock} is there; try again, or remove it if no such \
         program runs",
        path = path.display(),
        lock = lock.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// The file that says so.
        lock: PathBuf,
    },
    /// A kubeconfig is not text in UTF-8 or UTF-16, or not valid YAML.
    #[error("the kubeconfig {origin} is not valid YAML{at}: {problem}; correct the file there", at = At(*.line, *.column))]
    InvalidYaml {
        /// The file, or a word for text from elsewhere.
        origin: Origin,
        /// The line, from 1; 0 when unknown.
        line: u64,
        /// The column, from 1; 0 when unknown.
        column: u64,
        /// What the parser says, without the text it stumbled over.
        problem: String,
    },
    /// A key holds something that cannot be used.
    #[error("in the kubeconfig {origin}, {key}: {problem}; {remedy}")]
    InvalidField {
        /// The file, or a word for text from elsewhere.
        origin: Origin,
        /// The key's path: `users[admin].user.client-key-data`.
        key: String,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The context that was asked for is in none of the files.
    #[error("the context {name:?} is not in the kubeconfig {origins}; {known}", origins = Files(.origins), known = Known("contexts", .known))]
    UnknownContext {
        /// The name asked for.
        name: String,
        /// The contexts there are, sorted.
        known: Vec<String>,
        /// The files that were looked at.
        origins: Vec<Origin>,
    },
    /// The context names a cluster that is in none of the files, or an override does.
    #[error("the cluster {name:?}{wanted_by} is not in the kubeconfig {origins}; {known}", wanted_by = WantedBy(.context), origins = Files(.origins), known = Known("clusters", .known))]
    UnknownCluster {
        /// The name asked for.
        name: String,
        /// The context that names it; `None` when it was asked for directly.
        context: Option<String>,
        /// The clusters there are, sorted.
        known: Vec<String>,
        /// The files that were looked at.
        origins: Vec<Origin>,
    },
    /// The user that was asked for is in none of the files.
    #[error("the user {name:?} is not in the kubeconfig {origins}; {known}", origins = Files(.origins), known = Known("users", .known))]
    UnknownUser {
        /// The name asked for.
        name: String,
        /// The users there are, sorted.
        known: Vec<String>,
        /// The files that were looked at.
        origins: Vec<Origin>,
    },
    /// No context is current and none was asked for.
    #[error("no current-context is set in the kubeconfig {origins}; name a context or set current-context; {known}", origins = Files(.origins), known = Known("contexts", .known))]
    NoContext {
        /// The contexts there are, sorted.
        known: Vec<String>,
        /// The files that were looked at.
        origins: Vec<Origin>,
    },
    /// A kubeconfig has neither contexts nor clusters.
    #[error("the kubeconfig {origins} is empty: it has neither contexts nor clusters; check that it is the file meant", origins = Files(.origins))]
    Empty {
        /// The files that were looked at.
        origins: Vec<Origin>,
    },
    /// There is neither a kubeconfig nor a pod's environment.
    #[error(
        "no configuration: {searched}; set KUBECONFIG to a kubeconfig file, or run in a pod with a service account"
    )]
    NoConfiguration {
        /// Where was looked, and what was found there.
        searched: String,
    },
    /// The process is not in a pod.
    #[error(
        "not in a cluster: the environment variable {missing} is not set; use a kubeconfig outside of a pod"
    )]
    NotInCluster {
        /// The variable that is missing.
        missing: &'static str,
    },
    /// The pod has an empty service account token.
    #[error("the in-cluster token {path} is empty; check that the pod's service account token is mounted", path = path.display())]
    EmptyToken {
        /// The token's file.
        path: PathBuf,
    },
}

/// Where a kubeconfig came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// A text in memory.
    Memory,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Memory => f.write_str("text"),
        }
    }
}

/// Why a file cannot be read, and what to do.
struct Reason(std::io::ErrorKind);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            std::io::ErrorKind::NotFound => f.write_str("there is no such file; check the path"),
            std::io::ErrorKind::PermissionDenied => {
                f.write_str("permission denied; let this user read it, or run as one who may")
            }
            std::io::ErrorKind::IsADirectory => f.write_str("it is a folder; name a file in it"),
            other => write!(f, "{other}; check that it exists and that this user may read it"),
        }
    }
}

struct At(u64, u64);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (0, _) => Ok(()),
            (line, 0) => write!(f, " at line {line}"),
            (line, column) => write!(f, " at line {line}, column {column}"),
        }
    }
}

struct Files<'a>(&'a [Origin]);

impl fmt::Display for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, origin) in self.0.iter().enumerate() {
            write!(f, "{}{origin}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

struct Known<'a>(&'static str, &'a [String]);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            [] => write!(f, "it has no {}", self.0),
            names => write!(f, "known {}: {}", self.0, names.join(", ")),
        }
    }
}

struct WantedBy<'a>(&'a Option<String>);

impl fmt::Display for WantedBy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(context) => write!(f, " of the context {context:?}"),
            None => Ok(()),
        }
    }
}
