//! What a server is started with, and who calls it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::Certificate;

/// The user of [`kubeconfig`](super::ApiServer::kubeconfig) and [`admin_token`](super::ApiServer::admin_token).
pub const ADMIN: &str = "admin";

/// The group that may do everything, whatever RBAC says.
pub const MASTERS: &str = "system:masters";

/// A user that the server knows by a bearer token; RBAC decides what it may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// User name.
    pub name: String,
    /// Groups, besides `system:authenticated`.
    pub groups: Vec<String>,
}

impl User {
    /// A user in `groups`.
    #[must_use]
    pub fn new(name: &str, groups: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
        }
    }
}

/// How a caller proves who it is. `Debug` prints no token and no key.
#[derive(Clone, Copy)]
pub enum Credential<'a> {
    /// Not at all: `system:anonymous`.
    Anonymous,
    /// With a bearer token.
    Token(&'a str),
    /// With a client certificate.
    Certificate(&'a Certificate),
}

impl fmt::Debug for Credential<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token(_) => "Token",
            Self::Certificate(_) => "Certificate",
        })
    }
}

/// What distinguishes one server from another. The default is a server with Kubernetes' own defaults, one
/// administrator, and a folder that vanishes with it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Feature gates by name (`ShardedListAndWatch`).
    pub feature_gates: BTreeMap<String, bool>,
    /// Users with a token besides [`ADMIN`]; see [`token`](super::ApiServer::token).
    pub users: Vec<User>,
    /// An `audit.k8s.io/v1` `Policy` document. With one, every event is in the
    /// [`audit_log`](super::ApiServer::audit_log) before its request is answered.
    pub audit_policy: Option<String>,
    /// A folder to keep, with what etcd holds; created when missing. Keys and tokens in it are new with each server.
    pub data_dir: Option<PathBuf>,
    /// The port to serve on; a free one is chosen when absent.
    pub port: Option<u16>,
    /// Further flags of kube-apiserver, `--name=value`; of a flag given twice the last counts.
    pub extra_args: Vec<String>,
}
