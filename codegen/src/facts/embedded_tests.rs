//! Tests of the committed table.

use std::collections::BTreeSet;

use super::{Facts, Holder, Kind, Message, OwnShape, Shape};

/// Package, message, JSON field, path, holder, kind.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [u32],
    Holder,
    Kind,
);

fn embedded_message(facts: &Facts, name: &str) -> Message {
    facts
        .messages
        .get(name)
        .unwrap_or_else(|| panic!("no {name}"))
        .clone()
}

#[test]
fn the_embedded_table_knows_the_hard_cases() {
    use Holder::{Map, Pointer, Slice, Value};
    let facts = Facts::embedded().unwrap();
    let core = "io.k8s.api.core.v1";
    let meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
    let extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
    let own = Kind::Own;
    let cases: [Case; 26] = [
        (core, "Pod", "spec", &[2], Value, Kind::Message),
        (core, "PodSpec", "nodeName", &[10], Value, Kind::String),
        (core, "PodSpec", "hostNetwork", &[11], Value, Kind::Bool),
        (
            core,
            "PodSpec",
            "terminationGracePeriodSeconds",
            &[4],
            Pointer,
            Kind::Int64,
        ),
        (core, "PodSpec", "overhead", &[32], Map, own(OwnShape::Quantity)),
        (core, "Volume", "name", &[1], Value, Kind::String),
        (core, "Volume", "hostPath", &[2, 1], Pointer, Kind::Message),
        (core, "Volume", "projected", &[2, 26], Pointer, Kind::Message),
        (core, "Probe", "exec", &[1, 1], Pointer, Kind::Message),
        (core, "EphemeralContainer", "name", &[1, 1], Value, Kind::String),
        (core, "SecretKeySelector", "name", &[1, 1], Value, Kind::String),
        (
            core,
            "PersistentVolumeClaimSpec",
            "storageClassName",
            &[5],
            Pointer,
            Kind::String,
        ),
        (core, "Secret", "data", &[2], Map, Kind::Bytes),
        (core, "NodeSystemInfo", "systemUUID", &[2], Value, Kind::String),
        (core, "Event", "eventTime", &[10], Value, own(OwnShape::MicroTime)),
        (
            "io.k8s.api.apps.v1",
            "DeploymentSpec",
            "replicas",
            &[1],
            Pointer,
            Kind::Int32,
        ),
        (
            "io.k8s.api.apps.v1",
            "DeploymentSpec",
            "progressDeadlineSeconds",
            &[9],
            Pointer,
            Kind::Int32,
        ),
        (
            "io.k8s.api.authentication.v1",
            "UserInfo",
            "extra",
            &[4],
            Map,
            own(OwnShape::StringList),
        ),
        (
            meta,
            "ObjectMeta",
            "creationTimestamp",
            &[8],
            Value,
            own(OwnShape::Time),
        ),
        (
            meta,
            "ObjectMeta",
            "deletionTimestamp",
            &[9],
            Pointer,
            own(OwnShape::Time),
        ),
        (meta, "ListMeta", "remainingItemCount", &[4], Pointer, Kind::Int64),
        (meta, "Status", "code", &[6], Value, Kind::Int32),
        (extensions, "JSONSchemaProps", "$ref", &[3], Pointer, Kind::String),
        (
            extensions,
            "JSONSchemaProps",
            "enum",
            &[20],
            Slice,
            own(OwnShape::Json),
        ),
        (
            extensions,
            "JSONSchemaProps",
            "x-kubernetes-list-map-keys",
            &[41],
            Slice,
            Kind::String,
        ),
        (
            "io.k8s.apimachinery.pkg.version",
            "Info",
            "major",
            &[],
            Value,
            Kind::String,
        ),
    ];
    for (package, name, json, path, holder, kind) in cases {
        let message = embedded_message(&facts, &format!("{package}.{name}"));
        let found = message
            .field(json)
            .map(|found| (found.path.as_slice(), found.holder, found.kind));
        assert_eq!(found, Some((path, holder, kind)), "{name}.{json}");
    }
    let rule = embedded_message(
        &facts,
        "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations",
    );
    assert_eq!(
        rule.field("apiGroups").map(|found| found.path.as_slice()),
        Some(&[2, 2, 1][..])
    );
    let created = embedded_message(&facts, &format!("{meta}.ObjectMeta"));
    let created = created.field("creationTimestamp").unwrap();
    assert!(created.omit_empty && created.omit_zero);
}

#[test]
fn the_embedded_table_keeps_the_order_of_go() {
    let facts = Facts::embedded().unwrap();
    let probe = embedded_message(&facts, "io.k8s.api.core.v1.Probe");
    let order: Vec<&str> = probe.fields().iter().map(|field| field.json.as_str()).collect();
    let expected = [
        "exec",
        "httpGet",
        "tcpSocket",
        "grpc",
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
        "terminationGracePeriodSeconds",
    ];
    assert_eq!(order, expected);
}

#[test]
fn the_embedded_table_is_whole() {
    let facts = Facts::embedded().unwrap();
    assert_eq!(facts.sources.len(), 4);
    assert!(facts.sources.iter().all(|source| source.sum.starts_with("h1:")));
    let shapes: BTreeSet<OwnShape> = facts
        .messages
        .values()
        .filter_map(|message| match message.shape {
            Shape::Own(shape) => Some(shape),
            Shape::Fields { .. } => None,
        })
        .collect();
    assert_eq!(
        shapes.len(),
        OwnShape::ALL.len() - 1,
        "every shape but StringList is a definition: {shapes:?}"
    );
    let type_meta = |name: &str| matches!(facts.messages[name].shape, Shape::Fields { type_meta: true, .. });
    assert!(
        type_meta("io.k8s.api.core.v1.Pod")
            && type_meta("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")
    );
    assert!(!type_meta("io.k8s.api.core.v1.PodSpec"));
    for (name, message) in &facts.messages {
        let has_paths = message
            .fields()
            .iter()
            .all(|field| field.path.is_empty() == message.proto.is_none());
        assert!(
            has_paths,
            "{name}: a field is in protobuf if and only if its message is"
        );
    }
}
