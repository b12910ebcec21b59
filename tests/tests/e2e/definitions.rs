//! CustomResourceDefinitions in, against the real server: what is generated from the live cluster is what is generated from the
//! files, and the generated clients do all that clients of built-in kinds do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::dynamic::DynamicObject;
use kubeloom::record::{Nullable, Record};
use kubeloom::resource::Resource;
use kubeloom::rest::{GroupVersionResource, PatchBody, RestClient, WatchEvent};
use kubeloom_codegen::live::{self, Cluster};
use kubeloom_codegen::sources::{self, Source};
use kubeloom_codegen::{Options, Runtime, generate};
use kubeloom_k8s::apiextensions_v1::CustomResourceDefinition;
use kubeloom_shapes::{
    SharedInformerFactory, defaults_v1, enums_v1, free_v1, names_v1, nullable_v1, numbers_v1, versions_v1,
};
use kubeloom_tests::apiserver::ApiServer;
use kubeloom_tests::definitions::collect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::fixture;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn client(server: &ApiServer) -> RestClient {
    let config = Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    RestClient::new(&config).unwrap()
}

/// Installs definitions that are not there yet and waits until the server has taken them in.
async fn install(clientset: &kubeloom_k8s::Clientset, mut definitions: Vec<Value>) {
    let crds = clientset.apiextensions_v1().custom_resource_definitions();
    for definition in &mut definitions {
        // Without it the server takes no definition of a group of Kubernetes.
        definition["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "https://example.com"});
        let wanted: CustomResourceDefinition = serde_json::from_value(definition.clone()).unwrap();
        match crds.create(&wanted).await {
            Err(error) if error.is_already_exists() => {}
            answer => _ = answer.unwrap(),
        }
    }
    for definition in &definitions {
        let name = definition["metadata"]["name"].as_str().unwrap();
        let established = async {
            loop {
                let found = crds.get(name).await.unwrap();
                let conditions = found.status.conditions;
                if conditions
                    .iter()
                    .any(|one| one.type_ == "Established" && one.status == "True")
                {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), established)
            .await
            .expect(name);
    }
}

/// The definitions of the files below a folder.
fn definitions(folder: &str, wanted: &[&str]) -> Vec<Value> {
    let collected = collect::collect(&[repository(folder)], 1).unwrap();
    let all = collected.shards.into_iter().flat_map(|shard| shard.definitions);
    let values = all.map(|definition| definition.value);
    values
        .filter(|value| {
            let group = value["spec"]["group"].as_str().unwrap();
            wanted.is_empty() || wanted.iter().any(|start| group.starts_with(start))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_cluster_gives_the_code_that_its_files_give() {
    let server = kubeloom_tests::require_apiserver!();
    let clientset = crate::server::clientset(server);
    let folders = [
        "generated/gateway-api/crds",
        "generated/cert-manager/crds",
        "generated/calico/crds",
    ];
    for folder in folders {
        install(&clientset, definitions(folder, &[])).await;
    }
    let cluster = Cluster {
        kubeconfig: Some(server.kubeconfig_path().to_owned()),
        context: None,
    };
    let fetched = tokio::task::spawn_blocking(move || live::fetch(&cluster, &mut |_| {}))
        .await
        .unwrap()
        .unwrap();
    let files = folders.map(|folder| Source::Path(repository(folder)));
    let files = sources::read(&files).unwrap();
    let options = Options {
        groups: [
            "gateway.networking.k8s.io",
            "cert-manager.io",
            "acme.cert-manager.io",
            "projectcalico.org",
        ]
        .map(str::to_owned)
        .to_vec(),
        kubernetes: Some(Runtime::default()),
        ..Options::new("demo")
    };
    let code = |documents| -> BTreeMap<String, String> {
        let generated = generate(documents, &options).unwrap();
        let files = generated.files.into_iter();
        files
            .filter(|(path, _)| path.starts_with("src/") && path != "src/lib.rs")
            .collect()
    };
    let (live, of_files) = (code(&fetched.documents), code(&files));
    assert_eq!(
        live.keys().collect::<Vec<_>>(),
        of_files.keys().collect::<Vec<_>>()
    );
    assert!(live.len() > 50, "{}", live.len());
    for (path, text) in &live {
        assert_eq!(*text, of_files[path], "{path}");
    }
}

#[tokio::test]
async fn generated_clients_do_what_clients_do() {
    let (clientset, namespace) = fixture!("scalers");
    install(
        &clientset,
        definitions("tests/fixtures/definitions", &["versions."]),
    )
    .await;
    let server = kubeloom_tests::require_apiserver!();
    let client = client(server);
    let shapes = kubeloom_shapes::Clientset::new(&client);
    let scalers = shapes.versions_v1().scalers(&namespace);
    let mut events = scalers.watch().await.unwrap();

    let mut wanted = versions_v1::Scaler::default();
    wanted.metadata.name = "a".into();
    wanted.spec.color = Some("red".into());
    let created = scalers.create(&wanted).await.unwrap();
    // The server filled in the default, which the type leaves to it.
    assert_eq!(created.spec.replicas, Some(1));
    let event = tokio::time::timeout(Duration::from_secs(20), events.next())
        .await
        .unwrap();
    assert!(matches!(event, Some(Ok(WatchEvent::Added(object))) if object.metadata.name == "a"));
    assert_eq!(
        scalers.list().fields("spec.color=red").await.unwrap().items.len(),
        1
    );
    assert_eq!(
        scalers
            .list()
            .fields("spec.color=blue")
            .await
            .unwrap()
            .items
            .len(),
        0
    );

    let mut scale = scalers.get_scale("a").await.unwrap();
    assert_eq!(scale.spec.replicas, 1);
    scale.spec.replicas = 3;
    assert_eq!(scalers.update_scale("a", &scale).await.unwrap().spec.replicas, 3);

    let mut current = scalers.get("a").await.unwrap();
    assert_eq!(current.spec.replicas, Some(3));
    current.status.get_or_insert_default().replicas = Some(2);
    current.spec.replicas = Some(7);
    let updated = scalers.update_status(&current).await.unwrap();
    // Of an update of the status only the status counts.
    assert_eq!(
        (updated.spec.replicas, updated.status.unwrap().replicas),
        (Some(3), Some(2))
    );

    let factory = SharedInformerFactory::new(&shapes).namespace(&namespace);
    let informer = factory.versions_v1().scalers();
    factory.start();
    tokio::time::timeout(Duration::from_secs(20), factory.wait_synced())
        .await
        .unwrap()
        .unwrap();
    let cached = informer.lister().namespace(&namespace).get("a").unwrap();
    assert_eq!(cached.spec.replicas, Some(3));

    // Another version of the same object, with its own types.
    let beta = shapes
        .versions_v1beta1()
        .scalers(&namespace)
        .get("a")
        .await
        .unwrap();
    assert_eq!(beta.spec.unwrap().size, None);
    scalers
        .patch("a", PatchBody::merge(&json!({"spec": {"color": null}})))
        .await
        .unwrap();
    assert_eq!(scalers.get("a").await.unwrap().spec.color, None);
    scalers.delete("a").await.unwrap();
    assert!(scalers.get("a").await.unwrap_err().is_not_found());
}

/// Creates an object from JSON; what the server keeps of its `spec`, and what the type makes of that.
async fn kept<K: Resource + Record + serde::Serialize>(
    client: &RestClient,
    namespace: &str,
    name: &str,
    spec: Value,
) -> (Value, Value) {
    let resource = GroupVersionResource::new(K::GROUP, K::VERSION, K::PLURAL);
    let api = client.dynamic(resource).namespace(namespace);
    let mut object = DynamicObject::new(K::API_VERSION, K::KIND, name);
    object.set("/spec", spec).unwrap();
    let stored = loop {
        match api.create(&object).await {
            // A definition is established a moment before its paths are.
            Err(error) if error.is_not_found() => tokio::time::sleep(Duration::from_millis(100)).await,
            answer => break answer.unwrap(),
        }
    };
    let stored = serde_json::to_value(&stored).unwrap()["spec"].take();
    let typed: K = client
        .dynamic(GroupVersionResource::new(K::GROUP, K::VERSION, K::PLURAL))
        .namespace(namespace)
        .get(name)
        .await
        .unwrap()
        .to_typed()
        .unwrap();
    (stored, serde_json::to_value(&typed).unwrap()["spec"].take())
}

#[tokio::test]
async fn types_keep_what_the_server_keeps() {
    let (clientset, namespace) = fixture!("pruning");
    let groups = ["defaults.", "enums.", "free.", "names.", "nullable.", "numbers."];
    let wanted = definitions("tests/fixtures/definitions", &groups)
        .into_iter()
        .map(structural)
        .collect();
    install(&clientset, wanted).await;
    let client = client(kubeloom_tests::require_apiserver!());

    let (stored, typed) = kept::<defaults_v1::Defaulted>(
        &client,
        &namespace,
        "a",
        json!({"name": "a", "dropped": 1, "object": {}}),
    )
    .await;
    assert_eq!(typed, stored);
    assert_eq!(
        (&stored["size"], &stored["text"], stored.get("dropped")),
        (&json!(3), &json!("a \"b\" \\ c"), None)
    );

    let spec = json!({"neededText": null, "neededList": null, "neededObject": null, "withDefault": null, "items": [1, null],
        "values": {"a": null}, "objects": [null, {"a": "b", "dropped": 1}]});
    let (stored, typed) = kept::<nullable_v1::Holder>(&client, &namespace, "a", spec).await;
    assert_eq!(typed, stored);
    assert_eq!(
        (&stored["withDefault"], &stored["numberWithDefault"]),
        (&Value::Null, &json!(3))
    );
    // Not wanting the default is said with null, also by the typed client.
    let shapes = kubeloom_shapes::Clientset::new(&client);
    let mut holder = nullable_v1::Holder::default();
    holder.metadata.name = "b".into();
    holder.spec = Some(Box::new(nullable_v1::HolderSpec {
        number_with_default: Some(Nullable::Null),
        ..Default::default()
    }));
    let created = shapes
        .nullable_v1()
        .holders(&namespace)
        .create(&holder)
        .await
        .unwrap();
    let spec = created.spec.unwrap();
    assert_eq!(
        (spec.number_with_default, spec.with_default),
        (Some(Nullable::Null), Some(Nullable::Value("given".into())))
    );

    let spec = json!({"needed": {}, "neededMap": {}, "object": {"dropped": 1}, "any": [1], "both": {"known": "a", "kept": {"b": [null]}},
        "embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"b": "c"}}, "kept": 1},
        "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}, "spec": {"size": 1, "dropped": 2}, "dropped": 3},
        "deep": {"a": {"b": [{"a": "c", "dropped": 1}]}}, "dropped": 1, "objects": [{"kept": 1}]});
    let (stored, typed) = kept::<free_v1::Free>(&client, &namespace, "a", spec).await;
    assert_eq!(typed, stored);
    assert_eq!(
        (&stored["object"], &stored["both"]["kept"]["b"]),
        (&json!({}), &json!([null]))
    );

    let spec = json!({"port": 3_000_000_000_i64, "marked": "80", "memory": "1024Mi", "limits": {"cpu": "100m"}, "ports": [1, "a"],
        "sixtyFour": i64::MAX, "unsigned": 4_294_967_295_u32, "part": 0.5, "thirtyTwos": [1]});
    let (stored, typed) = kept::<numbers_v1::Numbers>(&client, &namespace, "a", spec).await;
    assert_eq!(typed, stored);
    let spec = json!({"needed": "One", "needsEmpty": "", "case": "REPLACE", "symbols": "!~", "level": null, "statusCode": 301,
        "debug": true, "ratio": 0.5, "numbers": [3], "map": {"a": "read"}});
    let (stored, mut typed) = kept::<enums_v1::Choice>(&client, &namespace, "a", spec).await;
    // An optional field without a default: null is as good as nothing.
    typed["level"] = Value::Null;
    assert_eq!(typed, stored);
    let spec = json!({"self": "a", "$schema": "b", "3scale": "c", "a-b": "d", "a.b": "e", "a/b": "f", "jwksUri": "g", "jwks_uri": "h",
        "jwks-uri": "i", "größe": "j", "hostAliases": [{"ip": "k"}], "rest": "l", "kept": [1]});
    let (stored, typed) = kept::<names_v1::Names>(&client, &namespace, "a", spec).await;
    assert_eq!(typed, stored);
}

/// Takes out of a definition what no server takes.
fn structural(mut definition: Value) -> Value {
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    if let Some(Value::Object(fields)) = definition.pointer_mut(spec) {
        for name in [
            "nothing",
            "untyped",
            "items",
            "lists",
            "more",
            "keeps",
            "asString",
            "asInteger",
            "nested",
            "port_",
        ] {
            let is_list = fields
                .get(name)
                .is_some_and(|field| field["type"] == "array" && name == "items");
            if !is_list {
                fields.remove(name);
            }
        }
    }
    definition
}
