//! Objects of every kind that servers store, written, read back in both formats, and encoded again to what was read.
//!
//! The objects are the documents in `tests/objects`, in the order of the files' names, since some need others. Those of
//! namespaced kinds name no namespace. A `status` is written through the subresource after the object is created.
//!
//! The server is this test's own: its objects (webhooks, quotas, aggregated APIs, service CIDRs) would disturb other tests,
//! and all feature gates are on, so that no field is dropped for being too new.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::Pin;

use kubeloom::Error;
use kubeloom::record::{self, Record, Value};
use kubeloom::resource::{KindVisitor, Resource, Scope};
use kubeloom::rest::{
    Call, Create, Delete, FieldValidation, Get, GroupVersionResource, RestClient, Target, Update,
};
use kubeloom::transport::Method;
use kubeloom::wire::Format;
use kubeloom_k8s::Clientset;
use kubeloom_tests::apiserver::{ApiServer, Options};
use kubeloom_tests::require_apiserver;
use serde_json::Value as Json;

use crate::server::clientset;

#[path = "objects_lost.rs"]
mod lost;

/// `apiVersion` and kind.
type Kind = (String, String);
/// Puts one document through all of it; answers with what is wrong.
type Check =
    for<'a> fn(&'a Bench, &'a str) -> Pin<Box<dyn Future<Output = Result<Vec<String>, String>> + 'a>>;

/// The server and what it says about itself.
struct Bench {
    client: RestClient,
    namespace: String,
    with_status: BTreeSet<Kind>,
}

/// The kinds of the generated crate.
struct Kinds(BTreeMap<Kind, Check>);

impl KindVisitor for Kinds {
    fn visit<K: Resource + Record + Value + Default>(&mut self) {
        let kind = (K::API_VERSION.to_owned(), K::KIND.to_owned());
        self.0
            .insert(kind, |bench, text| Box::pin(check::<K>(bench, text)));
    }
}

fn kinds() -> BTreeMap<Kind, Check> {
    let mut kinds = Kinds(BTreeMap::new());
    kubeloom_k8s::visit_kinds(&mut kinds);
    kinds.0
}

/// The documents of the files, in order, each with `apiVersion` and kind.
fn documents() -> Vec<(Kind, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("objects");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut documents = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for document in text.split("\n---\n") {
            let line = |key: &str| {
                let found = document.lines().find_map(|line| line.strip_prefix(key));
                found
                    .unwrap_or_else(|| panic!("no {key} in {}:\n{document}", file.display()))
                    .trim()
                    .to_owned()
            };
            documents.push(((line("apiVersion:"), line("kind:")), document.to_owned()));
        }
    }
    documents
}

/// What discovery says is stored (may be created and read), and which of it has a status of its own to write.
async fn stored(client: &RestClient) -> (BTreeSet<Kind>, BTreeSet<Kind>) {
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let (mut all, mut with_status) = (BTreeSet::new(), BTreeSet::new());
    for root in ["/api", "/apis"] {
        let document = client.document(root, accept).await.unwrap();
        let groups: Json = serde_json::from_slice(&document.body).unwrap();
        for group in groups["items"].as_array().unwrap() {
            let name = group["metadata"]["name"].as_str().unwrap_or_default();
            for version in group["versions"].as_array().unwrap() {
                let served = version["version"].as_str().unwrap();
                let api_version = if name.is_empty() {
                    served.to_owned()
                } else {
                    format!("{name}/{served}")
                };
                for resource in version["resources"].as_array().into_iter().flatten() {
                    let has = |verb: &str| {
                        resource["verbs"]
                            .as_array()
                            .unwrap()
                            .iter()
                            .any(|one| one == verb)
                    };
                    let kind = (
                        api_version.clone(),
                        resource["responseKind"]["kind"].as_str().unwrap().to_owned(),
                    );
                    let parts = resource["subresources"].as_array();
                    if parts
                        .into_iter()
                        .flatten()
                        .any(|part| part["subresource"] == "status")
                    {
                        with_status.insert(kind.clone());
                    }
                    if has("create") && has("get") {
                        all.insert(kind);
                    }
                }
            }
        }
    }
    (all, with_status)
}

fn target<K: Resource>(bench: &Bench) -> Target {
    Target {
        resource: GroupVersionResource::of::<K>(),
        namespace: K::Scope::NAMESPACED.then(|| bench.namespace.clone()),
        namespaced: K::Scope::NAMESPACED,
    }
}

fn json<K: Resource>(object: &K) -> Json {
    serde_json::from_slice(&object.encode(Format::Json).unwrap()).unwrap()
}

/// Puts the object of a document through all of it. One that begins with `# subresource: ` and a name is no new object, but
/// what an earlier one gets written there.
async fn check<K: Resource + Record>(bench: &Bench, text: &str) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    let text = text.replace("$NAMESPACE", &bench.namespace);
    let wanted = K::decode(Format::Yaml, text.as_bytes()).map_err(|error| format!("decode YAML: {error}"))?;
    let plain: Json = serde_saphyr::from_str(&text).map_err(|error| format!("plain YAML: {error}"))?;
    let unread = lost::fields(&plain, &json(&wanted));
    faults.extend(
        unread
            .into_iter()
            .map(|path| format!("{path} of the YAML document is not in the object")),
    );

    let target = target::<K>(bench);
    let first = text.lines().next().unwrap_or_default();
    let mut part = first.strip_prefix("# subresource: ");
    let mut name = wanted.metadata().name.to_string();
    if part.is_none() {
        name = create(bench, &target, &wanted, &mut faults).await?;
        compare::<K>(bench, &path::<K>(&target, &name), &mut faults).await?;
        if plain.get("status").is_some() {
            if !bench
                .with_status
                .contains(&(K::API_VERSION.to_owned(), K::KIND.to_owned()))
            {
                return Err("has a status, but no subresource to write it through".to_owned());
            }
            part = Some("status");
        }
    }
    if let Some(part) = part {
        write_part(bench, &target, &name, part, wanted)
            .await
            .map_err(|error| format!("{part}: {error}"))?;
    }
    let stored = compare::<K>(bench, &path::<K>(&target, &name), &mut faults).await?;
    let dropped = lost::fields(&plain, &json(&stored))
        .into_iter()
        .filter(|path| !lost::is_expected(K::KIND, path));
    faults.extend(dropped.map(|path| format!("the server dropped {path}")));
    if !stored.metadata().finalizers.is_empty() && K::Scope::NAMESPACED {
        let call = Call::new(&bench.client, "delete", Method::Delete, &target, K::PROTOBUF).name(&name);
        Delete::<K>::new(call)
            .await
            .map_err(|error| format!("delete: {error}"))?;
        compare::<K>(bench, &path::<K>(&target, &name), &mut faults).await?;
    }
    Ok(faults)
}

/// Creates an object, as a dry run in JSON and then for good in protobuf; answers with its name.
async fn create<K: Resource>(
    bench: &Bench,
    target: &Target,
    wanted: &K,
    faults: &mut Vec<String>,
) -> Result<String, String> {
    let call = || Call::new(&bench.client, "create", Method::Post, target, K::PROTOBUF);
    let create = || Create::<K, K>::new(call(), wanted).field_validation(FieldValidation::Strict);
    let dry = create()
        .dry_run()
        .format(Format::Json)
        .await
        .map_err(|error| format!("JSON: {error}"))?;
    let created = create()
        .format(Format::Protobuf)
        .await
        .map_err(|error| format!("protobuf: {error}"))?;
    let [mut dry, mut kept] = [json(&dry), json(&created)];
    (dry["metadata"], kept["metadata"]) = (Json::Null, Json::Null);
    let apart = lost::differences(&dry, &kept)
        .into_iter()
        .filter(|line| !lost::is_chosen(line));
    faults.extend(apart.map(|line| format!("created from JSON and from protobuf it differs: {line}")));
    Ok(created.metadata().name.to_string())
}

/// Writes a subresource, again where the server itself came in between.
async fn write_part<K: Resource>(
    bench: &Bench,
    target: &Target,
    name: &str,
    part: &str,
    mut wanted: K,
) -> Result<(), Error> {
    let call = |verb, method| Call::new(&bench.client, verb, method, target, K::PROTOBUF).name(name);
    loop {
        *wanted.metadata_mut() = Get::<K>::new(call("get", Method::Get)).await?.metadata().clone();
        let update = Update::<K, K>::new(call("update", Method::Put).subresource(part), &wanted);
        match update.field_validation(FieldValidation::Strict).await {
            Err(error) if error.is_conflict() => {}
            answer => return answer.map(drop),
        }
    }
}

fn path<K: Resource>(target: &Target, name: &str) -> String {
    let root = if K::GROUP.is_empty() { "/api" } else { "/apis" };
    let namespace = target
        .namespace
        .as_ref()
        .map(|namespace| format!("/namespaces/{namespace}"));
    format!(
        "{root}/{}{}/{}/{name}",
        K::API_VERSION,
        namespace.unwrap_or_default(),
        K::PLURAL
    )
}

/// Reads the object in both formats, at one version, and compares what we make of it with what the server sent.
async fn compare<K: Resource + Record>(
    bench: &Bench,
    path: &str,
    faults: &mut Vec<String>,
) -> Result<K, String> {
    for _ in 0..20 {
        let read = async |format: Format| {
            let answer = bench
                .client
                .document(path, format.content_type())
                .await
                .map_err(|error| error.to_string())?;
            if answer.content_type != format.content_type() {
                return Err(format!("asked for {format:?}, got {}", answer.content_type));
            }
            let object = K::decode(format, &answer.body).map_err(|error| format!("{format:?}: {error}"))?;
            Ok((answer.body, object))
        };
        let (text, from_json) = read(Format::Json).await?;
        let (bytes, from_protobuf) = read(Format::Protobuf).await?;
        // The server itself writes the status of some kinds.
        if from_json.metadata().resource_version != from_protobuf.metadata().resource_version {
            continue;
        }
        let sent: Json = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let ours = json(&from_json);
        if sent != ours {
            let only = |left: &Json, right: &Json| lost::differences(left, right).join("\n    ");
            faults.push(format!("JSON differs:\n    {}", only(&sent, &ours)));
        }
        if !record::equal(&from_json, &from_protobuf) {
            let both = lost::differences(&ours, &json(&from_protobuf));
            faults.push(format!(
                "read from JSON and from protobuf it differs:\n    {}",
                both.join("\n    ")
            ));
        }
        for (what, object) in [("protobuf", &from_protobuf), ("JSON", &from_json)] {
            let again = object
                .encode(Format::Protobuf)
                .map_err(|error| error.to_string())?;
            let is_raw = what == "JSON" && lost::KEEPS_JSON_TEXT.contains(&K::KIND);
            if again != bytes
                && !(is_raw && record::equal(&K::decode(Format::Protobuf, &again).unwrap(), &from_json))
            {
                let at = again
                    .iter()
                    .zip(&bytes[..])
                    .take_while(|(ours, theirs)| ours == theirs)
                    .count();
                let around = |bytes: &[u8]| {
                    bytes[at.saturating_sub(40)..bytes.len().min(at + 40)]
                        .escape_ascii()
                        .to_string()
                };
                faults.push(format!(
                    "read from {what}, its protobuf differs from byte {at} (of {}, sent {}):\n    ours {}\n    sent {}",
                    again.len(),
                    bytes.len(),
                    around(&again),
                    around(&bytes)
                ));
            }
        }
        return Ok(from_json);
    }
    Err("changes all the time".to_owned())
}

#[test]
fn the_documents_are_of_kinds_that_the_crate_knows() {
    let kinds = kinds();
    let unknown: Vec<_> = documents()
        .into_iter()
        .map(|(kind, _)| kind)
        .filter(|kind| !kinds.contains_key(kind))
        .collect();
    assert_eq!(unknown, []);
}

/// The groups of the server's CustomResourceDefinitions.
async fn custom_groups(clientset: &Clientset) -> BTreeSet<String> {
    let definitions = clientset.apiextensions_v1().custom_resource_definitions();
    let list = definitions.list().await.unwrap();
    list.items
        .iter()
        .map(|definition| definition.spec.group.to_string())
        .collect()
}

#[tokio::test]
async fn every_kind_that_a_server_stores_is_known_and_has_a_document() {
    let shared = require_apiserver!();
    let clientset = clientset(shared);
    // CustomResourceDefinitions of other tests come and go.
    let mut custom = custom_groups(&clientset).await;
    let (stored, _) = stored(clientset.client()).await;
    custom.extend(custom_groups(&clientset).await);
    let stored: BTreeSet<_> = stored
        .into_iter()
        .filter(|(version, _)| !custom.contains(version.split('/').next().unwrap_or_default()))
        .collect();
    let kinds: BTreeSet<_> = kinds().into_keys().collect();
    let covered: BTreeSet<_> = documents().into_iter().map(|(kind, _)| kind).collect();
    pretty_assertions::assert_eq!(stored.difference(&kinds).collect::<Vec<_>>(), Vec::<&Kind>::new());
    pretty_assertions::assert_eq!(covered, stored);
    assert!(stored.len() >= 85, "{} kinds", stored.len());
}

#[tokio::test]
async fn objects_of_every_kind_in_both_formats() {
    let _ = require_apiserver!();
    let feature_gates = [("AllAlpha".to_owned(), true), ("AllBeta".to_owned(), true)].into();
    let server = ApiServer::start(Options {
        feature_gates,
        ..Options::default()
    })
    .unwrap();
    let client = clientset(&server).client().clone();
    let (_, with_status) = stored(&client).await;
    let bench = Bench {
        client,
        namespace: server.namespace("objects").unwrap(),
        with_status,
    };
    let kinds = kinds();
    let mut faults = Vec::new();
    for ((api_version, kind), text) in documents() {
        let check = kinds[&(api_version.clone(), kind.clone())];
        let found = check(&bench, &text).await.unwrap_or_else(|error| vec![error]);
        let name = text
            .lines()
            .find_map(|line| line.split_once("ame: "))
            .map_or("", |(_, name)| name.trim_end_matches('}'));
        faults.extend(
            found
                .into_iter()
                .map(|fault| format!("{api_version} {kind} {name}: {fault}")),
        );
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
