//! `autoscaling/v1`, as far as custom resources have it.

use crate::generated::*;
use crate::record;
use crate::record::{KEEP, OMIT};

/// The number of replicas of an object: `Scale` of `autoscaling/v1`, body and answer of the subresource `scale`.
#[derive(Clone, Default)]
pub struct Scale {
    /// The metadata of the object that is scaled.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: ScaleSpec,
    /// What was seen.
    pub status: ScaleStatus,
}
record! { Scale = "autoscaling/v1" "Scale" {
    0 metadata "metadata" [1] KEEP;
    1 spec "spec" [2] KEEP;
    2 status "status" [3] KEEP;
} }

/// What is wanted.
#[derive(Clone, Default)]
pub struct ScaleSpec {
    /// The number of replicas.
    pub replicas: i32,
}
record! { ScaleSpec {
    0 replicas "replicas" [1] OMIT;
} }

/// What was seen.
#[derive(Clone, Default)]
pub struct ScaleStatus {
    /// The number of replicas.
    pub replicas: i32,
    /// The selector of the pods, as text.
    pub selector: Str,
}
record! { ScaleStatus {
    0 replicas "replicas" [1] KEEP;
    1 selector "selector" [2] OMIT;
} }
