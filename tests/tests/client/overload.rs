//! A server that turns calls away: priority and fairness.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kubeloom::config::Impersonation;
use kubeloom::dynamic::DynamicObject;
use kubeloom::rest::GroupVersionResource;
use kubeloom::transport::{Labels, Metrics};
use kubeloom::{Error, RestClient};
use kubeloom_k8s::authentication_v1::SelfSubjectReview;
use kubeloom_tests::require_apiserver;
use serde_json::json;

use crate::{admin, client, client_with};

#[derive(Debug, Default)]
struct Counts {
    retries: AtomicU32,
    codes: Mutex<Vec<Option<u16>>>,
}

impl Metrics for Counts {
    fn answered(&self, _: &Labels<'_>, status: Option<u16>, _: Duration) {
        self.codes.lock().unwrap().push(status);
    }

    fn retry(&self, _: &Labels<'_>, _: u32) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }
}

const API: &str = "flowcontrol.apiserver.k8s.io";
const USER: &str = "crowd";

/// A level with room for one call at a time; the rest is turned away.
async fn one_seat(admins: &RestClient) {
    let resource = |group: &str, plural: &str| {
        let resource = GroupVersionResource::new(group, "v1", plural);
        admins.dynamic(resource).with_scope(false)
    };
    let limited = json!({"nominalConcurrencyShares": 0, "lendablePercent": 0, "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Reject"}});
    let mut level = DynamicObject::new(format!("{API}/v1"), "PriorityLevelConfiguration", "one-seat");
    level
        .set("/spec", json!({"type": "Limited", "limited": limited}))
        .unwrap();
    resource(API, "prioritylevelconfigurations")
        .create(&level)
        .await
        .unwrap();

    let resources = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"]}]);
    let rules = json!([{
        "subjects": [{"kind": "User", "user": {"name": USER}}],
        "resourceRules": resources,
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }]);
    let mut schema = DynamicObject::new(format!("{API}/v1"), "FlowSchema", "crowd");
    schema
        .set("/spec", json!({"priorityLevelConfiguration": {"name": "one-seat"}, "matchingPrecedence": 2, "rules": rules}))
        .unwrap();
    resource(API, "flowschemas").create(&schema).await.unwrap();
}

/// So many calls at once, each with its outcome.
async fn crowd(client: &RestClient) -> Vec<Result<SelfSubjectReview, Error>> {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let review = client.cluster::<SelfSubjectReview>();
        calls.spawn(async move { review.create(&SelfSubjectReview::default()).await });
    }
    calls.join_all().await
}

#[tokio::test]
async fn calls_that_are_turned_away_are_sent_again_as_the_server_asks() {
    let server = require_apiserver!();
    one_seat(&client(&admin(server))).await;
    let mut config = admin(server);
    config.impersonate = Some(Impersonation {
        user: USER.to_owned(),
        ..Impersonation::default()
    });
    config.retry.max_attempts = 1;
    let hasty = client(&config);
    let started = Instant::now();
    let error = loop {
        if let Some(error) = crowd(&hasty).await.into_iter().find_map(Result::err) {
            break error;
        }
        // The server has yet to notice the new level.
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "nothing is turned away"
        );
    };
    assert!(error.is_too_many_requests(), "{error:?}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)), "{error:?}");

    // With repetitions all of them go through, although they are POSTs.
    config.retry.max_attempts = 60;
    let counts = Arc::new(Counts::default());
    let patient = client_with(&config, |options| options.metrics = counts.clone());
    let mut rounds = 0;
    loop {
        rounds += 1;
        for answer in crowd(&patient).await {
            assert_eq!(answer.unwrap().status.user_info.username, *USER);
        }
        if counts.retries.load(Ordering::Relaxed) > 0 {
            break;
        }
        assert!(rounds < 1000, "nothing is turned away");
    }
    let codes = counts.codes.lock().unwrap().clone();
    let of = |code| codes.iter().filter(|one| **one == Some(code)).count();
    assert_eq!(
        (of(201), of(201) + of(429)),
        (40 * rounds, codes.len()),
        "{codes:?}"
    );
    assert_eq!(counts.retries.load(Ordering::Relaxed) as usize, of(429));
}
