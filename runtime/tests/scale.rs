//! The scale of resources known by name, against a scripted server.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scripted;

use kubeloom::dynamic::ScaleClient;
use scripted::{Reply, Script};
use serde_json::json;

const GROUP: &str = "GET /apis";
const CORE: &str = "GET /api";

fn server() -> Script {
    let resource = |plural: &str, subresources: serde_json::Value| {
        json!({"resource": plural, "responseKind": {"group": "", "version": "", "kind": "X"}, "scope": "Namespaced",
            "singularResource": "x", "verbs": ["get"], "subresources": subresources})
    };
    let scale =
        |kind: serde_json::Value| json!([{"subresource": "scale", "responseKind": kind, "verbs": ["get"]}]);
    let list = |items: serde_json::Value| {
        let body = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items});
        let content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        Reply::new(200, content_type, body.to_string())
    };
    let server = Script::new();
    server.on(CORE, list(json!([])));
    server.on(
        GROUP,
        list(json!([{"metadata": {"name": "apps"}, "versions": [
            {"version": "v2", "freshness": "Current", "resources": [resource("things", json!([]))]},
            {"version": "v1", "freshness": "Current", "resources": [
                resource("things", scale(json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}))),
                resource("plain", json!([])),
            ]},
        ]}])),
    );
    server
}

#[tokio::test]
async fn the_scale_is_found_by_discovery_and_written_in_its_kind() {
    let server = server();
    let scales = ScaleClient::new(&server.client());
    let things = scales.resource("apps", "things").await.unwrap().namespace("web");
    assert_eq!(things.kind().to_string(), "autoscaling/v1 Scale");
    assert_eq!(server.seen().len(), 2);

    let path = "/apis/apps/v1/namespaces/web/things/a/scale";
    let body = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "a", "namespace": "web", "resourceVersion": "7"},
        "spec": {"replicas": 2}, "status": {"replicas": 1, "selector": "app=a"}});
    for verb in ["GET", "PUT", "PATCH"] {
        server.on(&format!("{verb} {path}"), Reply::ok(&body));
    }
    let mut scale = things.get("a").await.unwrap();
    assert_eq!(
        (scale.replicas, scale.observed_replicas, scale.selector.as_str()),
        (2, 1, "app=a")
    );
    scale.replicas = 5;
    things.update("a", &scale).await.unwrap();
    things.set_replicas("a", 6).await.unwrap();
    let requests = server.take();
    let bodies: Vec<serde_json::Value> = requests[1..]
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    assert_eq!(bodies[0]["kind"], "Scale");
    assert_eq!(bodies[0]["apiVersion"], "autoscaling/v1");
    assert_eq!(bodies[0]["metadata"]["resourceVersion"], "7");
    assert_eq!(bodies[0]["spec"]["replicas"], 5);
    assert_eq!(bodies[1], json!({"spec": {"replicas": 6}}));

    // Discovery is not asked again.
    scales.resource("apps", "things").await.unwrap();
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn what_has_no_scale_is_told() {
    let scales = ScaleClient::new(&server().client());
    for (group, plural) in [("apps", "plain"), ("apps", "nothing"), ("none", "things")] {
        let error = scales.resource(group, plural).await.unwrap_err();
        assert!(
            error.is_no_match() && error.to_string().contains(plural),
            "{error}"
        );
    }
}
