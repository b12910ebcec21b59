//! What servers say about what they offer, in both forms, whole and in part; caches; names.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scripted;

use std::sync::Arc;
use std::time::Duration;

use kubeloom::clock::{Clock, TokioClock, VirtualClock};
use kubeloom::discovery::{
    CacheOptions, Discovered, DiscoveryCache, DiscoveryClient, DiskCache, FailureReason, MapError,
    OpenApiPath, RestMapper,
};
use kubeloom::dynamic::{DynamicClient, DynamicObject};
use kubeloom::rest::{GroupVersionKind, GroupVersionResource};
use scripted::{Reply, Script};
use serde_json::{Value, json};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn aggregated(groups: Value) -> Reply {
    let body = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": groups});
    Reply::new(200, AGGREGATED, body.to_string())
}

fn resource(plural: &str, kind: &str, more: Value) -> Value {
    let mut resource = json!({"resource": plural, "responseKind": {"group": "", "version": "", "kind": kind}, "scope": "Namespaced",
        "singularResource": kind.to_lowercase(), "verbs": ["get", "list"]});
    resource
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    resource
}

fn group(name: &str, versions: &[(&str, &[Value])]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|(version, resources)| json!({"version": version, "resources": resources, "freshness": "Current"}))
        .collect();
    json!({"metadata": {"name": name}, "versions": versions})
}

fn core() -> Value {
    group(
        "",
        &[(
            "v1",
            &[
                resource(
                    "pods",
                    "Pod",
                    json!({"shortNames": ["po"], "categories": ["all"]}),
                ),
                resource("nodes", "Node", json!({"scope": "Cluster", "shortNames": ["no"]})),
                resource("events", "Event", json!({"shortNames": ["ev"]})),
            ],
        )],
    )
}

fn apps() -> Value {
    group(
        "apps",
        &[(
            "v1",
            &[resource(
                "deployments",
                "Deployment",
                json!({"shortNames": ["deploy"], "categories": ["all"], "subresources": [
            {"subresource": "scale", "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}, "verbs": ["get"]},
            {"subresource": "status", "responseKind": {"group": "", "version": "", "kind": "Deployment"}, "verbs": ["get"]}]}),
            )],
        )],
    )
}

fn stale(name: &str, version: &str) -> Value {
    json!({"metadata": {"name": name}, "versions": [{"version": version, "freshness": "Stale"}]})
}

fn serve(server: &Script, core: Value, named: Value) {
    server.forget("GET /api").forget("GET /apis");
    server
        .on("GET /api", aggregated(json!([core])))
        .on("GET /apis", aggregated(named));
}

fn server(named: Value) -> Script {
    let server = Script::new();
    serve(&server, core(), named);
    server
}

async fn discover(server: &Script) -> Discovered {
    DiscoveryClient::new(&server.client()).discover().await.unwrap()
}

/// Group-versions with their resources, as one line each.
fn lines(discovered: &Discovered) -> Vec<String> {
    let line = |(group, version): (&kubeloom::discovery::ApiGroup, &kubeloom::discovery::ApiVersion)| {
        let resources: Vec<&str> = version
            .resources
            .iter()
            .map(|resource| resource.plural.as_str())
            .collect();
        let stale = if version.stale { " stale" } else { "" };
        format!(
            "{}/{}: {}{stale}",
            group.name,
            version.version,
            resources.join(" ")
        )
    };
    discovered.group_versions().map(line).collect()
}

fn failures(discovered: &Discovered) -> Vec<String> {
    discovered
        .failures
        .iter()
        .map(|failure| format!("{}/{}", failure.group, failure.version))
        .collect()
}

// ---- the aggregated form

#[tokio::test]
async fn aggregated_discovery_is_two_requests_in_the_servers_order() {
    let server = server(json!([
        group("zeta", &[("v1", &[resource("zs", "Z", json!({}))])]),
        apps()
    ]));
    let discovered = discover(&server).await;
    assert_eq!(
        lines(&discovered),
        ["/v1: pods nodes events", "zeta/v1: zs", "apps/v1: deployments"]
    );
    assert!(discovered.failures.is_empty());
    let requests = server.take();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        assert_eq!(request.timeout, Some(Duration::from_secs(32)));
        assert!(request.headers.get("accept").unwrap().starts_with(AGGREGATED));
    }
    let deployments = discovered
        .resource(&GroupVersionResource::new("apps", "v1", "deployments"))
        .unwrap();
    assert_eq!(
        deployments.kind,
        GroupVersionKind::new("apps", "v1", "Deployment")
    );
    assert!(deployments.offers("list") && !deployments.offers("watch"));
    assert!(
        !discovered
            .resource(&GroupVersionResource::new("", "v1", "nodes"))
            .unwrap()
            .namespaced
    );
    let subresources = &discovered.version("apps", "v1").unwrap().subresources;
    let kinds: Vec<_> = subresources
        .iter()
        .map(|part| (part.name.as_str(), part.kind.clone().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("scale", GroupVersionKind::new("autoscaling", "v1", "Scale")),
            ("status", GroupVersionKind::new("apps", "v1", "Deployment")),
        ]
    );
}

#[tokio::test]
async fn a_stale_group_version_is_a_failure_beside_the_rest() {
    let mixed = json!({"metadata": {"name": "mixed"}, "versions": [
        {"version": "v2", "freshness": "Stale"},
        {"version": "v1", "resources": [resource("as", "A", json!({}))], "freshness": "Current"}]});
    let discovered = discover(&server(json!([stale("gone.example.com", "v1"), mixed, apps()]))).await;
    assert_eq!(
        lines(&discovered)[1..],
        [
            "gone.example.com/v1:  stale",
            "mixed/v2:  stale",
            "mixed/v1: as",
            "apps/v1: deployments"
        ]
    );
    assert_eq!(failures(&discovered), ["gone.example.com/v1", "mixed/v2"]);
    assert!(matches!(discovered.failures[0].reason, FailureReason::Stale));
    assert!(discovered.failures[0].to_string().contains("gone.example.com/v1"));
    assert_eq!(discovered.group("mixed").unwrap().preferred, "v1");
    assert_eq!(discovered.group("gone.example.com").unwrap().preferred, "v1");
}

#[tokio::test]
async fn nulls_unknown_fields_and_parents_without_a_kind_are_read() {
    let parent = json!({"resource": "hidden", "responseKind": null, "scope": "Namespaced", "verbs": null, "shortNames": null,
        "subresources": [{"subresource": "part", "responseKind": {"kind": "Part"}, "verbs": ["create"]}, {"subresource": "bare"}]});
    let odd = json!({"metadata": {"name": "odd"}, "later": 1, "versions": [{"version": "v1", "freshness": null, "resources": [parent]}, {"version": "v0", "resources": null}]});
    let discovered = discover(&server(
        json!([odd, {"metadata": {"name": "empty"}, "versions": null}]),
    ))
    .await;
    assert_eq!(lines(&discovered)[1..], ["odd/v1: ", "odd/v0: "]);
    assert_eq!(discovered.group("empty").unwrap().preferred, "");
    let parts = &discovered.version("odd", "v1").unwrap().subresources;
    assert_eq!(
        (parts[0].resource.as_str(), parts[0].name.as_str()),
        ("hidden", "part")
    );
    assert_eq!(parts[0].kind, Some(GroupVersionKind::new("odd", "v1", "Part")));
    assert_eq!(parts[1].kind, None);
}

#[tokio::test]
async fn a_missing_root_is_tolerated_and_a_failing_one_is_not() {
    let server = Script::new();
    server.on("GET /apis", aggregated(json!([apps()])));
    assert_eq!(lines(&discover(&server).await), ["apps/v1: deployments"]);
    for (path, reply) in [
        ("GET /api", Reply::failure(403, "Forbidden")),
        ("GET /api", Reply::failure(503, "ServiceUnavailable")),
        ("GET /api", Reply::refused()),
        ("GET /api", Reply::new(200, "text/html", "<html>")),
        ("GET /api", Reply::new(200, AGGREGATED, "{\"items\": [")),
        ("GET /apis", Reply::failure(500, "InternalError")),
    ] {
        let server = Script::new();
        server.on(path, reply);
        let other = if path == "GET /api" {
            "GET /apis"
        } else {
            "GET /api"
        };
        server.on(other, aggregated(json!([])));
        DiscoveryClient::new(&server.client())
            .discover()
            .await
            .unwrap_err();
    }
    let nothing = DiscoveryClient::new(&Script::new().client()).discover().await;
    assert!(nothing.unwrap_err().is_not_found());
}

// ---- the legacy form

fn legacy_list(group_version: &str, resources: Value) -> Reply {
    Reply::ok(
        &json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources}),
    )
}

fn legacy_groups(names: &[(&str, &[&str], &str)]) -> Reply {
    let groups: Vec<Value> = names
        .iter()
        .map(|(name, versions, preferred)| {
            let version = |version: &str| json!({"groupVersion": format!("{name}/{version}"), "version": version});
            json!({"name": name, "versions": versions.iter().map(|one| version(one)).collect::<Vec<_>>(), "preferredVersion": version(preferred)})
        })
        .collect();
    Reply::ok(&json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
}

fn legacy_server() -> Script {
    let server = Script::new();
    server.on(
        "GET /api",
        Reply::ok(&json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": null})),
    );
    server.on(
        "GET /apis",
        legacy_groups(&[("down", &["v1"], "v1"), ("apps", &["v1", "v1beta1"], "v1beta1")]),
    );
    server.on("GET /api/v1", legacy_list("v1", json!([
        {"name": "pods", "singularName": "", "namespaced": true, "kind": "Pod", "verbs": ["get"], "shortNames": ["po"]},
        {"name": "pods/log", "singularName": "", "namespaced": true, "kind": "Pod", "verbs": ["get"]},
        {"name": "pods/eviction", "singularName": "", "namespaced": true, "group": "policy", "version": "v1", "kind": "Eviction", "verbs": ["create"]},
        {"name": "kindless", "verbs": null},
    ])));
    server.on(
        "GET /apis/apps/v1",
        legacy_list(
            "apps/v1",
            json!([{"name": "deployments", "kind": "Deployment", "group": "ext", "version": "v3"}]),
        ),
    );
    server.on("GET /apis/apps/v1beta1", legacy_list("apps/v1beta1", Value::Null));
    server.on("GET /apis/down/v1", Reply::failure(503, "ServiceUnavailable"));
    server
}

#[tokio::test]
async fn old_servers_are_asked_for_each_group_version() {
    let server = legacy_server();
    let discovered = discover(&server).await;
    assert_eq!(
        lines(&discovered),
        [
            "/v1: pods",
            "down/v1:  stale",
            "apps/v1: deployments",
            "apps/v1beta1: "
        ]
    );
    assert_eq!(failures(&discovered), ["down/v1"]);
    assert!(
        matches!(&discovered.failures[0].reason, FailureReason::Failed(error) if error.is_service_unavailable())
    );
    assert_eq!(discovered.group("apps").unwrap().preferred, "v1beta1");
    let core = discovered.version("", "v1").unwrap();
    let parts: Vec<_> = core
        .subresources
        .iter()
        .map(|part| (part.name.as_str(), part.kind.clone().unwrap()))
        .collect();
    assert_eq!(
        parts,
        [
            ("log", GroupVersionKind::new("", "v1", "Pod")),
            ("eviction", GroupVersionKind::new("policy", "v1", "Eviction"))
        ]
    );
    assert_eq!(
        discovered.version("apps", "v1").unwrap().resources[0].kind,
        GroupVersionKind::new("ext", "v3", "Deployment")
    );
    let asked = server.seen();
    assert_eq!(
        asked
            .iter()
            .filter(|request| *request == "GET /apis/down/v1")
            .count(),
        2,
        "{asked:?}"
    );
    assert_eq!(asked.len(), 2 + 5);
}

#[tokio::test]
async fn a_failure_that_passes_is_no_failure() {
    let server = legacy_server();
    server.on(
        "GET /apis/down/v1",
        legacy_list("down/v1", json!([{"name": "ups", "kind": "Up"}])),
    );
    let discovered = discover(&server).await;
    assert!(failures(&discovered).is_empty());
    assert_eq!(lines(&discovered)[1], "down/v1: ups");
}

#[tokio::test]
async fn one_aggregated_root_is_not_enough() {
    let server = legacy_server();
    server
        .forget("GET /api")
        .on("GET /api", aggregated(json!([core()])));
    let discovered = discover(&server).await;
    // The resources are those of the legacy document, not the three of the aggregated one.
    assert_eq!(lines(&discovered)[0], "/v1: pods");
    assert_eq!(failures(&discovered), ["down/v1"]);
}

#[tokio::test(start_paused = true)]
async fn many_group_versions_are_asked_for_at_once_but_not_all() {
    let server = Script::new();
    let names: Vec<String> = (0..100).map(|index| format!("g{index}.example.com")).collect();
    let groups: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), &["v1"] as &[&str], "v1"))
        .collect();
    server.on("GET /apis", legacy_groups(&groups));
    for (index, name) in names.iter().enumerate() {
        let reply = legacy_list("", json!([{"name": "things", "kind": "Thing"}]))
            .after(Duration::from_secs(if index == 7 { 60 } else { 1 }));
        server.on(&format!("GET /apis/{name}/v1"), reply);
    }
    let started = TokioClock.now();
    let discovered = discover(&server).await;
    assert_eq!(server.most_at_once(), 32);
    // The one that hangs is given up after 32 s, while the others go on.
    assert_eq!(TokioClock.now() - started, Duration::from_secs(32));
    assert_eq!(failures(&discovered), ["g7.example.com/v1"]);
    assert!(matches!(&discovered.failures[0].reason, FailureReason::Failed(error) if error.is_timeout()));
    assert_eq!(lines(&discovered)[99], "g99.example.com/v1: things");
}

// ---- the cache

fn cache(server: &Script) -> DiscoveryCache {
    DiscoveryCache::new(DiscoveryClient::new(&server.client()))
}

#[tokio::test]
async fn the_server_is_asked_once_until_invalidated() {
    let server = server(json!([apps()]));
    let cache = cache(&server);
    assert!(server.seen().is_empty() && !cache.is_fresh());
    let (one, two) = futures_util::future::join(cache.discovered(), cache.discovered()).await;
    assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
    cache.discovered().await.unwrap();
    assert_eq!(server.seen().len(), 2);
    assert!(cache.is_fresh());
    cache.invalidate();
    assert!(!cache.is_fresh());
    cache.discovered().await.unwrap();
    assert_eq!(server.seen().len(), 2);
    cache.refresh().await.unwrap();
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn refreshes_at_the_same_time_share_answers_but_no_old_one() {
    let server = Script::new();
    server.on(
        "GET /api",
        aggregated(json!([core()])).after(Duration::from_secs(1)),
    );
    server.on("GET /apis", aggregated(json!([apps()])));
    let cache = cache(&server);
    let calls = (0..20).map(|_| cache.refresh());
    for answer in futures_util::future::join_all(calls).await {
        answer.unwrap();
    }
    // All twenty were called before the first was sent or while it was under way: two rounds serve all.
    assert!(server.seen().len() <= 4);
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let server = Script::new();
    server.on("GET /api", aggregated(json!([core()])).etag("\"a\""));
    server.on("GET /apis", aggregated(json!([apps()])).etag("\"b\""));
    let cache = cache(&server);
    let first = lines(&cache.discovered().await.unwrap());
    server
        .forget("GET /apis")
        .on("GET /apis", aggregated(json!([])).etag("\"c\""));
    server.take();
    assert_eq!(lines(&cache.refresh().await.unwrap()), first[..1]);
    let validators: Vec<_> = server
        .take()
        .iter()
        .map(|request| request.headers.get("if-none-match").unwrap().to_owned())
        .collect();
    assert_eq!(validators, ["\"a\"", "\"b\""]);
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_answer_is_asked_again_and_keeps_what_was_known() {
    let metrics = |resources: &[Value]| group("metrics.example.com", &[("v1", resources)]);
    let whole = json!([
        metrics(&[resource("nodemetrics", "NodeMetrics", json!({}))]),
        apps()
    ]);
    let server = server(whole.clone());
    let cache = cache(&server);
    cache.discovered().await.unwrap();
    serve(
        &server,
        core(),
        json!([
            stale("metrics.example.com", "v1"),
            stale("never.example.com", "v1"),
            apps()
        ]),
    );
    let partial = cache.refresh().await.unwrap();
    assert_eq!(
        lines(&partial)[1..3],
        [
            "metrics.example.com/v1: nodemetrics stale",
            "never.example.com/v1:  stale"
        ]
    );
    assert_eq!(
        failures(&partial),
        ["metrics.example.com/v1", "never.example.com/v1"]
    );
    server.take();

    tokio::time::advance(Duration::from_secs(29)).await;
    cache.discovered().await.unwrap();
    assert!(server.seen().is_empty(), "incomplete, but young");
    tokio::time::advance(Duration::from_secs(2)).await;
    serve(&server, core(), whole);
    assert!(cache.discovered().await.unwrap().failures.is_empty());
    assert_eq!(server.seen().len(), 2);
    tokio::time::advance(Duration::from_secs(100_000)).await;
    cache.discovered().await.unwrap();
    assert!(server.seen().is_empty(), "complete");

    serve(&server, core(), json!([stale("metrics.example.com", "v1")]));
    cache.refresh().await.unwrap();
    tokio::time::advance(Duration::from_secs(31)).await;
    server.forget("GET /api").on("GET /api", Reply::refused());
    assert_eq!(
        failures(&cache.discovered().await.unwrap()),
        ["metrics.example.com/v1"],
        "better than nothing"
    );
    cache.refresh().await.unwrap_err();
}

#[tokio::test]
async fn errors_are_not_kept() {
    let server = Script::new();
    server
        .on("GET /api", Reply::refused())
        .on("GET /apis", aggregated(json!([apps()])));
    let cache = cache(&server);
    cache.discovered().await.unwrap_err();
    serve(&server, core(), json!([]));
    cache.discovered().await.unwrap();
}

// ---- files

#[tokio::test(start_paused = true)]
async fn files_outlive_the_process_for_a_while() {
    let dir = tempfile::tempdir().unwrap();
    let hour = Duration::from_secs(3600);
    let clock = |wall: &str| Arc::new(VirtualClock::starting_at(wall.parse().unwrap()));
    let server = server(json!([apps()]));
    let disk = DiskCache::for_server(dir.path(), "https://10.0.0.1:6443", hour);
    let open = |wall: &str| cache(&server).with_disk(disk.clone()).with_clock(clock(wall));
    let first = lines(&open("2026-01-01T12:00:00Z").discovered().await.unwrap());
    assert_eq!(server.seen().len(), 2);

    let later = open("2026-01-01T12:59:00Z");
    assert_eq!(lines(&later.discovered().await.unwrap()), first);
    assert!(server.seen().is_empty());
    assert!(!later.is_fresh(), "it is not known from the server");
    later.invalidate();
    later.discovered().await.unwrap();
    assert_eq!(server.seen().len(), 2, "files do not count once invalidated");

    // Written at 12:59 by the one above.
    for wall in ["2026-01-01T14:00:00Z", "2026-01-01T12:58:00Z"] {
        open(wall).discovered().await.unwrap();
        assert_eq!(server.seen().len(), 2, "too old, or from the future: {wall}");
    }
    let file = disk.dir().join("groups.json");
    for broken in [
        "",
        "{",
        "null",
        r#"{"form":0,"written":1767268680,"content":[]}"#,
        r#"{"form":1,"written":1767268680,"content":{}}"#,
    ] {
        std::fs::write(&file, broken).unwrap();
        let cache = open("2026-01-01T12:58:00Z");
        assert_eq!(lines(&cache.discovered().await.unwrap()), first);
        assert_eq!(server.seen().len(), 2, "{broken}");
    }
    let left: Vec<_> = std::fs::read_dir(disk.dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["groups.json"], "nothing half written is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let server = server(json!([apps()]));
    let cache = cache(&server).with_disk(DiskCache::new(file.join("below"), DiskCache::DEFAULT_TTL));
    assert_eq!(cache.discovered().await.unwrap().groups.len(), 2);
}

#[test]
fn servers_do_not_share_folders() {
    let urls = [
        "https://a:6443",
        "https://a:6443/k8s/clusters/c1",
        "https://a:6443/k8s/clusters/c2",
        "https://a_6443",
        "https://A:6443",
        "https://[::1]:6443",
        "https://..",
        "a.b",
    ];
    let mut dirs: Vec<_> = urls
        .iter()
        .map(|url| {
            DiskCache::for_server("/base", url, Duration::ZERO)
                .dir()
                .to_owned()
        })
        .collect();
    for dir in &dirs {
        assert_eq!(dir.parent().unwrap(), std::path::Path::new("/base"), "{dir:?}");
    }
    dirs.sort();
    dirs.dedup();
    assert_eq!(dirs.len(), urls.len());
}

#[tokio::test]
async fn openapi_documents_are_asked_for_once_per_hash() {
    let dir = tempfile::tempdir().unwrap();
    let server = Script::new();
    let disk = DiskCache::new(dir.path(), DiskCache::DEFAULT_TTL);
    let index = |hash: &str| {
        Reply::ok(&json!({"paths": {
        "api/v1": {"serverRelativeURL": format!("/openapi/v3/api/v1?x=1&hash={hash}")},
        "apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1"}}}))
    };
    server
        .on("GET /openapi/v3", index("AA11"))
        .on("GET /openapi/v3", index("BB22"));
    for url in [
        "/openapi/v3/api/v1?x=1&hash=AA11",
        "/openapi/v3/api/v1?x=1&hash=BB22",
        "/openapi/v3/apis/apps/v1",
    ] {
        server.on(&format!("GET {url}"), Reply::ok(&json!({"url": url})));
    }
    let open = || cache(&server).with_disk(disk.clone());
    let one = open();
    let found = one.openapi_v3().await.unwrap();
    let core = found.group_version("", "v1").unwrap();
    assert_eq!(core.hash(), Some("AA11"));
    let document = one.openapi_v3_document(core).await.unwrap();
    assert_eq!(one.openapi_v3_document(core).await.unwrap(), document);
    assert_eq!(open().openapi_v3_document(core).await.unwrap(), document);
    assert_eq!(
        server.seen(),
        ["GET /openapi/v3", "GET /openapi/v3/api/v1?x=1&hash=AA11"]
    );

    let unhashed = found.group_version("apps", "v1").unwrap();
    assert_eq!(unhashed.hash(), None);
    one.openapi_v3_document(unhashed).await.unwrap();
    one.openapi_v3_document(unhashed).await.unwrap();
    assert_eq!(server.seen().len(), 2);

    let folder = dir.path().join("openapi-v3");
    std::fs::write(folder.join("AA11.json"), "{\"cut").unwrap();
    assert_eq!(
        open().openapi_v3_document(core).await.unwrap(),
        document,
        "a broken file counts as none"
    );
    let newer = one.openapi_v3().await.unwrap();
    assert!(!folder.join("AA11.json").exists(), "documents of the past go");
    assert_ne!(
        one.openapi_v3_document(newer.group_version("", "v1").unwrap())
            .await
            .unwrap(),
        document
    );
    assert!(folder.join("BB22.json").exists());
}

#[tokio::test]
async fn addresses_and_hashes_from_the_server_are_not_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let server = Script::new();
    let cache = cache(&server).with_disk(DiskCache::new(dir.path().join("in"), DiskCache::DEFAULT_TTL));
    for url in ["https://elsewhere/x", "//elsewhere/x", "relative"] {
        let error = cache
            .openapi_v3_document(&OpenApiPath { url: url.to_owned() })
            .await
            .unwrap_err();
        assert!(error.is_bad_request(), "{url}: {error}");
    }
    assert!(server.seen().is_empty());
    let url = "/openapi/v3/x?hash=../../out";
    server.on(&format!("GET {url}"), Reply::ok(&json!({})));
    cache
        .openapi_v3_document(&OpenApiPath { url: url.to_owned() })
        .await
        .unwrap();
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "nothing is written for such a hash"
    );
}

#[tokio::test]
async fn the_version_is_read() {
    let server = Script::new();
    server.on(
        "GET /version",
        Reply::ok(&json!({"major": "1", "minor": "27+", "gitVersion": "v1.27.3-gke.100", "later": {}})),
    );
    let version = DiscoveryClient::new(&server.client())
        .server_version()
        .await
        .unwrap();
    assert_eq!(
        (version.numbers(), version.git_version.as_str()),
        (Some((1, 27)), "v1.27.3-gke.100")
    );
}

// ---- names

fn names_server() -> Script {
    server(json!([
        group(
            "apps",
            &[(
                "v1",
                &[resource(
                    "deployments",
                    "Deployment",
                    json!({"shortNames": ["deploy"], "categories": ["all"]})
                )]
            )]
        ),
        group(
            "events.k8s.io",
            &[(
                "v1",
                &[resource("events", "Event", json!({"shortNames": ["ev"]}))]
            )]
        ),
        group(
            "autoscaling",
            &[
                (
                    "v2",
                    &[resource(
                        "hpas",
                        "HPA",
                        json!({"shortNames": ["h"], "categories": ["all"]})
                    )]
                ),
                (
                    "v1",
                    &[
                        resource("hpas", "HPA", json!({"categories": ["all"]})),
                        resource("olds", "Old", json!({"categories": ["all"]}))
                    ]
                ),
            ]
        ),
        group(
            "one.example.com",
            &[(
                "v1",
                &[
                    resource("widgets", "Widget", json!({"shortNames": ["po", "wd"]})),
                    resource("copies", "Widget", json!({}))
                ]
            )]
        ),
        group(
            "oneself.example.com",
            &[(
                "v1",
                &[resource(
                    "widgets",
                    "Widget",
                    json!({"shortNames": ["wd"], "singularResource": ""})
                )]
            )]
        ),
        group(
            "v1.example.com",
            &[("v1alpha1", &[resource("gears", "Gear", json!({}))])]
        ),
        group(
            "short.example.com",
            &[(
                "v1",
                &[resource("longs", "Long", json!({"shortNames": ["pods", "node"]}))]
            )]
        ),
        stale("gone.example.com", "v1"),
    ]))
}

#[tokio::test]
async fn names_mean_what_kubectl_takes_them_for() {
    let server = names_server();
    let names = RestMapper::new(&server.client()).names().await.unwrap();
    let check = |arg: &str, expected: &str| {
        let found = names.resolve(&kubeloom::discovery::ResourceArg::new(arg));
        let found = match found {
            Ok(resolved) => {
                let GroupVersionResource {
                    group,
                    version,
                    resource,
                } = resolved.mapping.resource;
                format!("{group}/{version} {resource}")
            }
            Err(MapError::Ambiguous { matches, .. }) => format!("ambiguous {}", matches.len()),
            Err(error) => {
                assert!(error.is_no_match());
                "none".to_owned()
            }
        };
        assert_eq!(found, expected, "{arg}");
    };
    for (arg, expected) in [
        ("pods", "/v1 pods"),
        ("pod", "/v1 pods"),
        ("po", "/v1 pods"),
        ("Pods", "/v1 pods"),
        ("POD", "/v1 pods"),
        ("deploy", "apps/v1 deployments"),
        ("deployments.apps", "apps/v1 deployments"),
        ("deployment.v1.apps", "apps/v1 deployments"),
        ("deploy.app", "apps/v1 deployments"),
        ("deploy.v1.app", "apps/v1 deployments"),
        ("deployments.", "apps/v1 deployments"),
        ("events", "/v1 events"),
        ("ev", "/v1 events"),
        ("events.events.k8s.io", "events.k8s.io/v1 events"),
        ("ev.events", "events.k8s.io/v1 events"),
        ("hpa", "autoscaling/v2 hpas"),
        ("h", "autoscaling/v2 hpas"),
        ("hpas.v1.autoscaling", "autoscaling/v1 hpas"),
        ("hpas.autosc", "autoscaling/v2 hpas"),
        ("olds", "autoscaling/v1 olds"),
        ("hpas.v3.autoscaling", "none"),
        ("po.one.example.com", "one.example.com/v1 widgets"),
        ("wd", "one.example.com/v1 widgets"),
        ("widget", "one.example.com/v1 widgets"),
        ("widgets.one.example.com", "one.example.com/v1 widgets"),
        ("widgets.one", "ambiguous 2"),
        ("wd.one", "ambiguous 2"),
        ("widgets.onese", "oneself.example.com/v1 widgets"),
        ("gears.v1.example.com", "v1.example.com/v1alpha1 gears"),
        ("gears.v1alpha1.v1.example.com", "v1.example.com/v1alpha1 gears"),
        ("node", "/v1 nodes"),
        ("pods.short", "short.example.com/v1 longs"),
        ("nothing", "none"),
        ("", "none"),
        (".", "none"),
        ("pods.nothing", "none"),
        ("pods.v9.", "none"),
        ("pods/log", "none"),
    ] {
        check(arg, expected);
    }
    check("pods.v1.", "/v1 pods");

    let hidden = names
        .resolve(&kubeloom::discovery::ResourceArg::new("wd"))
        .unwrap()
        .hidden;
    assert_eq!(hidden.len(), 1);
    assert_eq!(hidden[0].resource.group, "oneself.example.com");
    assert!(
        names
            .resolve(&kubeloom::discovery::ResourceArg::new("hpas"))
            .unwrap()
            .hidden
            .is_empty(),
        "versions hide nothing"
    );
    let error = names
        .resolve(&kubeloom::discovery::ResourceArg::new("gadgets"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("gadgets") && error.contains("gone.example.com/v1"),
        "{error}"
    );
    let error = names
        .resolve(&kubeloom::discovery::ResourceArg::new("widgets.one"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("one.example.com/v1 widgets, oneself.example.com/v1 widgets"),
        "{error}"
    );
    assert_eq!(
        names.singular(&GroupVersionResource::new("oneself.example.com", "v1", "widgets")),
        Some("widget")
    );
}

#[tokio::test]
async fn kinds_lead_to_resources() {
    let server = names_server();
    let names = RestMapper::new(&server.client()).names().await.unwrap();
    let plural = |group: &str, version: Option<&str>, kind: &str| {
        let mapping = names
            .kind(group, version, kind)
            .map_err(|error| error.is_ambiguous())?;
        Ok(format!(
            "{} {}",
            mapping.resource.version, mapping.resource.resource
        ))
    };
    for (group, version, kind, expected) in [
        ("", Some("v1"), "Pod", Ok("v1 pods")),
        ("", None, "Event", Ok("v1 events")),
        ("events.k8s.io", None, "Event", Ok("v1 events")),
        ("autoscaling", None, "HPA", Ok("v2 hpas")),
        ("autoscaling", Some("v1"), "HPA", Ok("v1 hpas")),
        ("autoscaling", None, "Old", Ok("v1 olds")),
        ("autoscaling", Some("v2"), "Old", Err(false)),
        ("", Some("v1"), "pod", Err(false)),
        ("app", None, "Deployment", Err(false)),
        ("one.example.com", None, "Widget", Err(true)),
    ] {
        assert_eq!(
            plural(group, version, kind),
            expected.map(str::to_owned),
            "{group} {version:?} {kind}"
        );
    }
    let all: Vec<String> = names
        .category("all")
        .iter()
        .map(|mapping| format!("{} {}", mapping.resource, mapping.resource.version))
        .collect();
    assert_eq!(
        all,
        [
            "pods v1",
            "deployments.apps v1",
            "hpas.autoscaling v2",
            "olds.autoscaling v1"
        ]
    );
    assert!(names.category("none").is_empty());
    assert!(
        !names
            .resource(&GroupVersionResource::new("", "v1", "nodes"))
            .unwrap()
            .namespaced
    );
    assert!(
        names
            .resource(&GroupVersionResource::new("", "v2", "nodes"))
            .unwrap_err()
            .is_no_match()
    );
}

#[tokio::test(start_paused = true)]
async fn a_miss_asks_the_server_once_in_a_while() {
    let server = server(json!([apps()]));
    let mapper = RestMapper::new(&server.client());
    let wanted = GroupVersionKind::new("apps", "v2", "Deployment");
    mapper.kind(&wanted).await.unwrap_err();
    assert_eq!(server.seen().len(), 2, "the first answer is young: no second one");
    for _ in 0..100 {
        mapper.kind(&wanted).await.unwrap_err();
        mapper.resource("nothing").await.unwrap_err();
    }
    assert!(server.seen().is_empty());

    // A new version of a known group.
    let newer = group(
        "apps",
        &[
            ("v1", &[]),
            ("v2", &[resource("deployments", "Deployment", json!({}))]),
        ],
    );
    serve(&server, core(), json!([newer]));
    tokio::time::advance(CacheOptions::default().miss_ttl).await;
    let calls = (0..10).map(|_| mapper.kind(&wanted));
    for found in futures_util::future::join_all(calls).await {
        assert_eq!(found.unwrap().resource.version, "v2");
    }
    assert_eq!(server.seen().len(), 2, "all ten share one");
    mapper.kind(&wanted).await.unwrap();
    assert!(server.seen().is_empty());

    tokio::time::advance(Duration::from_secs(60)).await;
    server.forget("GET /api").on("GET /api", Reply::refused());
    assert!(
        matches!(mapper.resource("nothing").await, Err(MapError::Discovery(_))),
        "not the same as: there is none"
    );
    mapper.kind(&wanted).await.unwrap();
}

#[tokio::test]
async fn objects_lead_to_their_resource() {
    let server = names_server();
    let client = DynamicClient::new(&server.client());
    let object = |version: &str, kind: &str| DynamicObject::new(version, kind, "a");
    let api = client.of(&object("v1", "Node").within("ignored")).await.unwrap();
    assert_eq!(
        (
            api.target().resource.to_string().as_str(),
            api.target().namespace.as_deref()
        ),
        ("nodes", None)
    );
    let api = client.of(&object("apps/v1", "Deployment")).await.unwrap();
    assert_eq!(
        (
            api.target().resource.to_string().as_str(),
            api.target().namespace.as_deref()
        ),
        ("deployments.apps", Some("default"))
    );
    let api = client
        .of(&object("apps/v1", "Deployment").within("web"))
        .await
        .unwrap();
    assert_eq!(api.target().namespace.as_deref(), Some("web"));
    assert!(
        client
            .named("deploy")
            .await
            .unwrap()
            .get("a")
            .await
            .unwrap_err()
            .is_bad_request(),
        "no namespace"
    );
    assert!(client.of(&object("", "")).await.unwrap_err().is_no_match());
}
