//! Bodies that qualify a request.

use crate::record;
use crate::record::{OMIT, OPT};
use crate::value::Str;

/// The body of a deletion.
#[derive(Clone, Default)]
pub struct DeleteOptions {
    /// Seconds before the object goes; 0 is at once, `None` the default of the kind.
    pub grace_period_seconds: Option<i64>,
    /// What must hold, else the call fails with a conflict.
    pub preconditions: Option<Box<Preconditions>>,
    /// Deprecated; use `propagation_policy`.
    pub orphan_dependents: Option<bool>,
    /// `Orphan`, `Background` or `Foreground`.
    pub propagation_policy: Option<Str>,
    /// `All` or nothing.
    pub dry_run: Vec<Str>,
    /// Deletes an object that the server cannot read, without its finalizers.
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

record! { DeleteOptions = "v1" "DeleteOptions" {
    0 grace_period_seconds "gracePeriodSeconds" [1] OPT;
    1 preconditions "preconditions" [2] OPT;
    2 orphan_dependents "orphanDependents" [3] OPT;
    3 propagation_policy "propagationPolicy" [4] OPT;
    4 dry_run "dryRun" [5] OMIT;
    5 ignore_store_read_error_with_cluster_breaking_potential "ignoreStoreReadErrorWithClusterBreakingPotential" [6] OPT;
} }

/// What must hold of an object that is to be changed.
#[derive(Clone, Default)]
pub struct Preconditions {
    /// Its UID.
    pub uid: Option<Str>,
    /// Its resourceVersion.
    pub resource_version: Option<Str>,
}

record! { Preconditions {
    0 uid "uid" [1] OPT;
    1 resource_version "resourceVersion" [2] OPT;
} }
