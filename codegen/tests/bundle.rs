//! The embedded bundle, the committed crate, and what both promise.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use kubeloom_codegen::sources::{self, Descriptions, Document, Documents, Snapshot, Source};
use kubeloom_codegen::{Manifest, Options, generate, output};
use serde_json::Value;
use support::path;

fn options() -> Options {
    Options {
        manifest: Manifest::Workspace,
        ..Options::new("kubeloom-k8s")
    }
}

#[test]
fn the_committed_crate_is_what_would_be_generated() {
    let generated = generate(&sources::embedded(), &options()).unwrap();
    let drift = output::compare(&path("../generated/k8s"), &generated.files).unwrap();
    assert!(
        drift.is_empty(),
        "{drift}to repair: cargo run -p kubeloom-codegen -- generate --out generated/k8s"
    );
    assert!(generated.warnings.is_empty(), "{}", generated.warnings);
}

#[test]
fn the_bundle_is_in_the_form_that_a_snapshot_has() {
    let bundle = sources::embedded();
    let from_files = sources::read(&[Source::Path(path("specs/kubernetes-1.37"))]).unwrap();
    assert_eq!(bundle, from_files);
    let again = Snapshot::from_documents(&bundle, Descriptions::Strip).unwrap();
    assert_eq!(again.documents(), bundle);
}

#[test]
fn no_generated_file_is_too_large() {
    let generated = generate(&sources::embedded(), &options()).unwrap();
    for (path, text) in &generated.files {
        assert!(text.len() <= 200_000, "{path}: {} bytes", text.len());
    }
}

/// The words between `start` and the next `}`.
fn body_of<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let body = text.split_once(start).map_or("", |(_, rest)| rest);
    let body = body.split('}').next().unwrap_or_default();
    body.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

/// An informer for each resource that offers both list and watch, by the name of its handle, and for no other.
#[test]
fn what_can_be_listed_and_watched_has_an_informer() {
    let generated = generate(&sources::embedded(), &options()).unwrap();
    let mut informers = 0;
    for (path, text) in &generated.files {
        let Some(module) = path
            .strip_prefix("src/")
            .and_then(|path| path.strip_suffix("/mod.rs"))
        else {
            continue;
        };
        let files = generated
            .files
            .range(format!("src/{module}/")..format!("src/{module}0"));
        let mut expected: Vec<String> = Vec::new();
        for (_, file) in files {
            for offer in file.split("offers! { ").skip(1) {
                let kind = offer.split(' ').next().unwrap_or_default();
                let verbs = body_of(offer, &format!("{kind} {{"));
                if verbs.contains(&"verb::List") && verbs.contains(&"verb::Watch") {
                    expected.push(kind.to_owned());
                }
            }
        }
        let lines = body_of(text, "Informers {");
        let mut kinds = Vec::new();
        for line in lines {
            let (method, kind) = line.split_once(": ").unwrap();
            assert!(
                text.contains(&format!("pub fn {method}(")),
                "{path}: {method} is a handle too"
            );
            kinds.push(kind.to_owned());
        }
        informers += kinds.len();
        kinds.sort();
        expected.sort();
        assert_eq!(kinds, expected, "{path}");
    }
    assert!(informers > 60, "{informers}");
}

fn json(document: &Document) -> Value {
    serde_json::from_slice(&document.bytes).unwrap()
}

fn words<'a>(value: &'a Value, key: &str) -> BTreeSet<&'a str> {
    value[key]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// `group/version/plural` or `group/version/plural/subresource`, with verbs, as discovery lists them; streams apart.
fn discovered() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    let bundle = sources::embedded();
    for group in bundle
        .iter()
        .filter(|d| d.path.starts_with("discovery/"))
        .flat_map(|d| json(d)["items"].as_array().unwrap().clone())
    {
        let name = group["metadata"]["name"].as_str().unwrap_or_default();
        for version in group["versions"].as_array().unwrap() {
            for resource in version["resources"].as_array().unwrap() {
                let plural = resource["resource"].as_str().unwrap();
                let base = format!("{name}/{}/{plural}", version["version"].as_str().unwrap());
                let owned = |value, key| {
                    words(value, key)
                        .into_iter()
                        .map(str::to_owned)
                        .collect::<BTreeSet<_>>()
                };
                found.insert(base.clone(), owned(resource, "verbs"));
                for sub in resource["subresources"].as_array().into_iter().flatten() {
                    let name = sub["subresource"].as_str().unwrap();
                    let verbs = match ["attach", "exec", "portforward", "proxy"].contains(&name) {
                        true => BTreeSet::from(["connect".to_owned()]),
                        false => owned(sub, "verbs"),
                    };
                    found.insert(format!("{base}/{name}"), verbs);
                }
            }
        }
    }
    found
}

/// The same, read out of the generated text.
fn offered() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let generated = generate(&sources::embedded(), &options()).unwrap();
    for text in generated
        .files
        .values()
        .filter(|text| text.contains("impl Resource for "))
    {
        for part in text.split("impl Resource for ").skip(1) {
            let constant = |name: &str| {
                let start = part
                    .split_once(&format!("const {name}: &'static str = \""))
                    .unwrap()
                    .1;
                start.split_once('"').unwrap().0.to_owned()
            };
            let base = format!(
                "{}/{}/{}",
                constant("GROUP"),
                constant("VERSION"),
                constant("PLURAL")
            );
            for offer in part.split("offers! {").skip(1) {
                let (head, body) = offer.split_once('{').unwrap();
                let body = body.split_once('}').unwrap().0;
                let sub = head
                    .split_once("sub::")
                    .map(|(_, sub)| sub.trim().to_ascii_lowercase());
                let key = match sub.as_deref() {
                    None | Some("root") => base.clone(),
                    Some(sub) => format!("{base}/{sub}"),
                };
                let verbs = body.split("verb::").skip(1).map(|verb| {
                    let end = verb
                        .find(|c: char| !c.is_ascii_alphanumeric())
                        .unwrap_or(verb.len());
                    verb[..end].to_ascii_lowercase()
                });
                found.entry(key).or_default().extend(verbs);
            }
        }
    }
    found
}

#[test]
fn every_verb_of_discovery_is_offered_and_no_other() {
    let (discovered, offered) = (discovered(), offered());
    assert!(discovered.len() >= 150, "{}", discovered.len());
    assert_eq!(offered, discovered);
}

#[test]
fn openapi_v3_alone_and_a_part_of_it_give_the_same_types() {
    let all = generate(&sources::embedded(), &options()).unwrap();
    let some = Options {
        groups: vec!["apps/v1".to_owned()],
        ..options()
    };
    let part = generate(&sources::embedded(), &some).unwrap();
    assert_eq!(
        part.files["src/apps_v1/deployment.rs"],
        all.files["src/apps_v1/deployment.rs"]
    );
    // What apps/v1 needs of core/v1 is there, without a client.
    assert!(!part.files["src/core_v1/mod.rs"].contains("pub struct CoreV1"));
    let core = |path: &str, text: &str| {
        path.starts_with("src/core_v1/") && text.contains("pub struct PodTemplateSpec {")
    };
    assert_eq!(
        part.files.iter().filter(|(path, text)| core(path, text)).count(),
        1
    );
    assert!(!part.files.contains_key("src/rbac_v1/mod.rs"));
    let manifest = &part.files["Cargo.toml"];
    assert!(
        manifest.contains("\napps_v1 = [\"autoscaling_v1\", \"core_v1\"]\n"),
        "{manifest}"
    );

    // The documents of apps/v1 on their own say the same about it.
    let mut alone = Documents::default();
    for document in sources::embedded().iter() {
        if document.path.ends_with("apis/apps/v1.json") || !document.path.starts_with("openapi") {
            alone.insert(document.path.as_str(), document.bytes.as_slice());
        }
    }
    let alone = generate(&alone, &some).unwrap();
    assert_eq!(
        alone.files["src/apps_v1/deployment.rs"],
        all.files["src/apps_v1/deployment.rs"]
    );
}

#[test]
fn fields_are_as_the_go_types_are() {
    let files = generate(&sources::embedded(), &options()).unwrap().files;
    let all: String = files
        .iter()
        .filter(|(path, _)| path.starts_with("src/core_v1/"))
        .map(|(_, text)| text.as_str())
        .collect();
    for expected in [
        "pub node_name: Str,",
        "pub host_network: bool,",
        "pub termination_grace_period_seconds: Option<i64>,",
        "pub security_context: Option<Box<PodSecurityContext>>,",
        "pub containers: Vec<Container>,",
        "pub pod_cidrs: Vec<Str>,",
        "pub cluster_ips: Vec<Str>,",
        "pub target_wwns: Vec<Str>,",
        "pub data: Map<ByteString>,",
        "record! { Pod = \"v1\" \"Pod\" {",
        "node_name \"nodeName\" [10] OMIT;",
        "containers \"containers\" [2] NIL;",
        "security_context \"securityContext\" [14] OPT;",
        "host_path \"hostPath\" [2, 1] OPT;",
        "data \"data\" [2] OMIT | SENSITIVE;",
        "offers! { Pod / sub::Eviction { verb::Create: policy_v1::Eviction => Status } }",
        "offers! { Pod / sub::Log { verb::Get: () => Text } }",
        "offers! { ServiceAccount / sub::Token {\n    verb::Create: authentication_v1::TokenRequest => authentication_v1::TokenRequest,\n} }",
    ] {
        assert!(all.contains(expected), "{expected}");
    }
}
