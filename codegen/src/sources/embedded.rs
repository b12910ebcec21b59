//! The bundle that is part of the binary: `codegen/specs/kubernetes-<minor>`, a snapshot without descriptions.

use super::Documents;

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

/// The documents of the newest Kubernetes minor that the generator was built with.
pub fn embedded() -> Documents {
    let mut documents = Documents::default();
    for (path, text) in BUNDLE {
        documents.insert(*path, text.as_bytes());
    }
    documents
}
