//! The runtime's own records of leases and events have the fields of the generated types, under the same names, numbers
//! and rules.

use kubeloom::events;
use kubeloom::leader_election as election;
use kubeloom::record::Record;
use kubeloom_k8s::{coordination_v1, coordination_v1beta1, core_v1, events_v1};

fn lines(record: &dyn Record) -> Vec<String> {
    let fields = record.table().fields.iter();
    fields
        .map(|field| format!("{} {:?} {}", field.json, field.tags, field.flags))
        .collect()
}

/// `left_out` are fields that the record does without; they are absent from what it writes.
fn check<A: Record + Default, B: Record + Default>(left_out: &[&str]) {
    let (ours, mut generated) = (A::default(), lines(&B::default()));
    generated.retain(|line| !left_out.iter().any(|name| line.starts_with(&format!("{name} "))));
    assert_eq!(lines(&ours), generated, "{}", ours.table().name);
    assert_eq!(ours.type_meta(), B::default().type_meta());
}

#[test]
fn records_are_those_of_the_api() {
    check::<election::Lease, coordination_v1::Lease>(&[]);
    check::<election::LeaseSpec, coordination_v1::LeaseSpec>(&[]);
    check::<election::LeaseCandidate, coordination_v1beta1::LeaseCandidate>(&[]);
    check::<election::LeaseCandidateSpec, coordination_v1beta1::LeaseCandidateSpec>(&[]);
    check::<events::ObjectReference, core_v1::ObjectReference>(&[]);
    check::<events::Event, events_v1::Event>(&[]);
    check::<events::EventSeries, events_v1::EventSeries>(&[]);
    check::<events::EventSource, core_v1::EventSource>(&[]);
    check::<events::CoreEvent, core_v1::Event>(&["series"]);
}
