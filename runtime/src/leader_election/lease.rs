//! [`Lease`] and [`LeaseCandidate`]: what candidates and servers write to each other.
//!
//! The runtime does not depend on generated types, so it has these of its own; a test compares them with the generated
//! ones, field by field.

use std::cmp::Ordering;
use std::fmt;

use crate::cache::compare_resource_versions;
use crate::generated::*;

/// `Lease` of `coordination.k8s.io/v1`.
#[derive(Clone, Default)]
pub struct Lease {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// Who holds it, and for how long.
    pub spec: LeaseSpec,
}

record! { Lease = "coordination.k8s.io/v1" "Lease" {
    0 metadata "metadata" [1] KEEP;
    1 spec "spec" [2] KEEP;
} }

/// Who holds a [`Lease`], and for how long.
#[derive(Clone, Default)]
pub struct LeaseSpec {
    /// Who holds it; absent or empty if nobody does.
    pub holder_identity: Option<Str>,
    /// How long others wait, in seconds, after the last change that they have seen.
    pub lease_duration_seconds: Option<i32>,
    /// When the holder took it, by the holder's clock.
    pub acquire_time: Option<MicroTime>,
    /// When the holder renewed it, by the holder's clock. Others only see whether it changes.
    pub renew_time: Option<MicroTime>,
    /// How many times the holder has changed.
    pub lease_transitions: Option<i32>,
    /// The strategy of a coordinated election.
    pub strategy: Option<Str>,
    /// Who is to hold it next, in a coordinated election: the sign that the holder's term ends.
    pub preferred_holder: Option<Str>,
}

record! { LeaseSpec {
    0 holder_identity "holderIdentity" [1] OPT;
    1 lease_duration_seconds "leaseDurationSeconds" [2] OPT;
    2 acquire_time "acquireTime" [3] OPT;
    3 renew_time "renewTime" [4] OPT;
    4 lease_transitions "leaseTransitions" [5] OPT;
    5 strategy "strategy" [6] OPT;
    6 preferred_holder "preferredHolder" [7] OPT;
} }

/// `LeaseCandidate` of `coordination.k8s.io/v1beta1`: a wish to be elected (KEP-4355).
#[derive(Clone, Default)]
pub struct LeaseCandidate {
    /// The metadata; the name is the identity of the candidate.
    pub metadata: ObjectMeta,
    /// What the election goes by.
    pub spec: LeaseCandidateSpec,
}

record! { LeaseCandidate = "coordination.k8s.io/v1beta1" "LeaseCandidate" {
    0 metadata "metadata" [1] KEEP;
    1 spec "spec" [2] KEEP;
} }

/// What the election goes by.
#[derive(Clone, Default)]
pub struct LeaseCandidateSpec {
    /// The lease, in the same namespace.
    pub lease_name: Str,
    /// When the server last asked whether the candidate is there.
    pub ping_time: Option<MicroTime>,
    /// When the candidate last answered.
    pub renew_time: Option<MicroTime>,
    /// The version of the candidate, as semantic version.
    pub binary_version: Str,
    /// The version that it behaves as; not above `binary_version`.
    pub emulation_version: Str,
    /// How to choose among candidates.
    pub strategy: Str,
}

record! { LeaseCandidateSpec {
    0 lease_name "leaseName" [1] KEEP;
    1 ping_time "pingTime" [2] OPT;
    2 renew_time "renewTime" [3] OPT;
    3 binary_version "binaryVersion" [4] KEEP;
    4 emulation_version "emulationVersion" [5] OMIT;
    5 strategy "strategy" [6] OMIT;
} }

/// Names and verbs of the two kinds.
macro_rules! resource {
    ($kind:ident $version:literal $plural:literal $singular:literal) => {
        impl Resource for $kind {
            type Scope = Namespaced;
            const GROUP: &'static str = "coordination.k8s.io";
            const VERSION: &'static str = $version;
            const API_VERSION: &'static str = concat!("coordination.k8s.io/", $version);
            const KIND: &'static str = stringify!($kind);
            const PLURAL: &'static str = $plural;
            const SINGULAR: &'static str = $singular;
            const PROTOBUF: bool = true;
            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }

        offers! { $kind {
            verb::Create, verb::Delete, verb::DeleteCollection, verb::Get, verb::List, verb::Patch, verb::Update,
            verb::Watch,
        } }
    };
}

resource!(Lease "v1" "leases" "lease");
resource!(LeaseCandidate "v1beta1" "leasecandidates" "leasecandidate");

impl LeaseSpec {
    /// Who holds it; empty if nobody does.
    pub fn holder(&self) -> &str {
        self.holder_identity.as_deref().unwrap_or_default()
    }

    /// How long others wait; nothing if the record does not say, or says nonsense.
    pub(super) fn duration(&self) -> std::time::Duration {
        let seconds = self.lease_duration_seconds.unwrap_or_default();
        std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    }
}

/// A number of a term of leadership that grows from term to term.
///
/// What leaders write to can refuse the writes of a leader that was replaced and does not know it yet: it remembers
/// the highest token that it has seen and refuses lower ones. The token is the resourceVersion that the lease got when
/// this term began, with `leaseTransitions` beside it for people. It is promised that the token of a term is higher
/// than those of all terms that began before on the same lease, even if the lease was deleted between them; not across
/// a restore of etcd from a backup, where versions go back. Order tokens with `<`, or in other systems by the length of
/// [`FencingToken::version`] and then by its text (KEP-5504); never parse it into 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FencingToken {
    version: Str,
    transitions: i32,
}

impl FencingToken {
    pub(super) fn of(lease: &Lease) -> Self {
        Self {
            version: lease.metadata.resource_version.clone(),
            transitions: lease.spec.lease_transitions.unwrap_or_default(),
        }
    }

    /// The resourceVersion of the lease when the term began.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How many times the holder of the lease had changed when the term began. Begins anew with a lease that was
    /// deleted.
    pub fn transitions(&self) -> i32 {
        self.transitions
    }
}

impl PartialOrd for FencingToken {
    /// `None` if a server's versions are no numbers.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        compare_resource_versions(&self.version, &other.version).ok()
    }
}

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_ordered_as_numbers_of_any_length() {
        let token = |version: &str| FencingToken {
            version: version.into(),
            transitions: 0,
        };
        assert!(token("9") < token("10"));
        assert!(token("99999999999999999999998") < token("99999999999999999999999"));
        assert_eq!(token("a").partial_cmp(&token("10")), None);
    }

    #[test]
    fn durations_that_make_no_sense_are_none() {
        for (seconds, expected) in [(None, 0), (Some(0), 0), (Some(-5), 0), (Some(15), 15)] {
            let spec = LeaseSpec {
                lease_duration_seconds: seconds,
                ..LeaseSpec::default()
            };
            assert_eq!(spec.duration().as_secs(), expected);
        }
    }
}
