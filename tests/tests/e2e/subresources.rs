//! Subresources with bodies and results of their own.

use std::time::Duration;

use kubeloom::meta::ObjectMeta;
use kubeloom::value::map;
use kubeloom_k8s::authentication_v1::{TokenRequest, TokenRequestSpec};
use kubeloom_k8s::certificates_v1::{
    CertificateSigningRequest, CertificateSigningRequestCondition, CertificateSigningRequestSpec,
};
use kubeloom_k8s::coordination_v1::{Lease, LeaseSpec};
use kubeloom_k8s::core_v1::{
    Binding, EphemeralContainer, Node, ObjectReference, ResourceRequirements, ServiceAccount,
};

use crate::fixture;
use crate::workloads::pod;

fn named(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: name.into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn service_accounts_give_tokens() {
    let (clientset, namespace) = fixture!("tokens");
    let accounts = clientset.core_v1().service_accounts(&namespace);
    accounts
        .create(&ServiceAccount {
            metadata: named("robot"),
            ..Default::default()
        })
        .await
        .unwrap();
    let request = TokenRequest {
        spec: TokenRequestSpec {
            expiration_seconds: Some(700),
            ..Default::default()
        },
        ..Default::default()
    };
    let answer = accounts.create_token("robot", &request).await.unwrap();
    assert_eq!(answer.status.token.split('.').count(), 3);
    let shown = format!("{answer:?}");
    assert!(
        !shown.contains(answer.status.token.as_str()),
        "a token is never printed"
    );
}

#[tokio::test]
async fn pods_are_bound_evicted_and_given_ephemeral_containers() {
    let (clientset, namespace) = fixture!("pod-parts");
    let pods = clientset.core_v1().pods(&namespace);
    let node = format!("node-{namespace}");
    clientset
        .core_v1()
        .nodes()
        .create(&Node {
            metadata: named(&node),
            ..Default::default()
        })
        .await
        .unwrap();
    pods.create(&pod("a")).await.unwrap();
    let binding = Binding {
        metadata: named("a"),
        target: ObjectReference {
            kind: "Node".into(),
            name: node.as_str().into(),
            ..Default::default()
        },
    };
    pods.bind("a", &binding).await.unwrap();
    let mut bound = pods.get("a").await.unwrap();
    assert_eq!(bound.spec.node_name, node);

    bound.spec.ephemeral_containers = vec![EphemeralContainer {
        name: "debug".into(),
        image: "example.com/debug:1".into(),
        ..Default::default()
    }];
    let debugged = pods.update_ephemeral_containers(&bound).await.unwrap();
    assert_eq!(debugged.spec.ephemeral_containers[0].name, "debug");
    assert_eq!(
        pods.get_ephemeral_containers("a")
            .await
            .unwrap()
            .spec
            .ephemeral_containers
            .len(),
        1
    );

    let mut resized = pods.get("a").await.unwrap();
    resized.spec.containers[0].resources = ResourceRequirements {
        requests: map([("cpu", "100m".parse::<kubeloom::value::Quantity>().unwrap())]),
        ..Default::default()
    };
    match pods.update_resize(&resized).await {
        Ok(pod) => assert_eq!(pod.spec.containers[0].resources.requests["cpu"].as_str(), "100m"),
        // The server refuses a change of the quality-of-service class; that it judged is the point.
        Err(error) => assert!(error.is_invalid(), "{error}"),
    }

    let status = pods.evict("a").grace_period(Duration::ZERO).await.unwrap();
    assert_eq!(status.status, "Success");
    assert!(pods.get("a").await.unwrap_err().is_not_found());
    clientset.core_v1().nodes().delete(&node).await.unwrap();
}

#[tokio::test]
async fn certificate_requests_are_approved() {
    let (clientset, namespace) = fixture!("csr");
    let requests = clientset.certificates_v1().certificate_signing_requests();
    let key = rcgen::KeyPair::generate().unwrap();
    let csr = rcgen::CertificateParams::default()
        .serialize_request(&key)
        .unwrap()
        .pem()
        .unwrap();
    let created = requests
        .create(&CertificateSigningRequest {
            metadata: named(&namespace),
            spec: CertificateSigningRequestSpec {
                request: csr.into_bytes().into(),
                signer_name: "example.com/signer".into(),
                usages: vec!["client auth".into()],
                ..Default::default()
            },
            ..Default::default()
        })
        .await
        .unwrap();
    let mut decided = created.clone();
    decided.status.conditions = vec![CertificateSigningRequestCondition {
        type_: "Approved".into(),
        status: "True".into(),
        reason: "Test".into(),
        ..Default::default()
    }];
    let approved = requests.update_approval(&decided).await.unwrap();
    assert_eq!(approved.status.conditions[0].type_, "Approved");
    assert_eq!(
        requests
            .get_approval(&namespace)
            .await
            .unwrap()
            .status
            .conditions
            .len(),
        1
    );
    requests.delete(&namespace).await.unwrap();
}

#[tokio::test]
async fn leases_keep_microseconds() {
    let (clientset, namespace) = fixture!("leases");
    let leases = clientset.coordination_v1().leases(&namespace);
    let time = kubeloom::value::MicroTime::from_wire("2026-01-02T03:04:05.000006Z").unwrap();
    let spec = LeaseSpec {
        holder_identity: Some("me".into()),
        lease_duration_seconds: Some(15),
        renew_time: Some(time),
        ..Default::default()
    };
    let created = leases
        .create(&Lease {
            metadata: named("lock"),
            spec,
        })
        .await
        .unwrap();
    assert_eq!(created.spec.renew_time, Some(time));
    let mut taken = created.clone();
    taken.spec.holder_identity = Some("you".into());
    assert_eq!(
        leases
            .update(&taken)
            .await
            .unwrap()
            .spec
            .holder_identity
            .as_deref(),
        Some("you")
    );
    assert!(leases.update(&taken).await.unwrap_err().is_conflict());
}
