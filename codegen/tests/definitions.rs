//! CustomResourceDefinitions as sources: every form they come in, what is wrong with them, and the names that come out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use kubeloom_codegen::sources;
use kubeloom_codegen::{Generated, Options, Runtime, generate};
use serde_json::{Value, json};
use support::demo;
use support::mill::{documents, mill, run, sails};

/// The source files, without what says where they come from.
fn code(generated: &Generated) -> BTreeMap<&str, &str> {
    let files = generated
        .files
        .iter()
        .filter(|(path, _)| path.starts_with("src/"));
    files.map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[test]
fn every_form_gives_the_same_code() {
    let json = sails().to_string();
    let yaml = "# a comment\n---\n".to_owned() + &json + "\n---\n\n";
    let block = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: mills.demo.example.com\nspec:\n  \
                 group: demo.example.com\n  scope: Namespaced\n  names: {plural: mills, kind: Mill}\n  versions:\n    - name: v1\n      served: true\n      \
                 storage: true\n      subresources:\n        status: {}\n      schema:\n        openAPIV3Schema:\n          type: object\n          \
                 properties:\n            spec:\n              type: object\n              properties:\n                sails:\n                  \
                 type: array\n                  items:\n                    type: object\n                    properties:\n                      \
                 cloth:\n                        type: string\n                        enum: [linen, hemp]\n";
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [sails()]}).to_string();
    let mut item = sails();
    item.as_object_mut().unwrap().remove("kind");
    let crds = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinitionList", "items": [item]});
    let mixed = format!("apiVersion: v1\nkind: ConfigMap\n---\n{json}\n---\napiVersion: v1\nkind: Secret\n");
    let expected = run(&documents(&[("a.json", &json)]));
    assert!(expected.files["src/demo_v1/mill.rs"].contains("pub enum MillCloth {"));
    for (name, text) in [
        ("stream", yaml.as_str()),
        ("block", block),
        ("list", &list),
        ("list of definitions", &crds.to_string()),
        ("with other objects", &mixed),
        ("with a byte order mark", &format!("\u{feff}{json}")),
    ] {
        assert_eq!(
            code(&run(&documents(&[("a.yaml", text)]))),
            code(&expected),
            "{name}"
        );
    }
    let twice = run(&documents(&[("a.json", &json), ("b.yaml", block)]));
    assert_eq!(code(&twice), code(&expected));
}

#[test]
fn the_version_before_gives_the_same_types() {
    let mut old = sails();
    old["apiVersion"] = "apiextensions.k8s.io/v1beta1".into();
    old["spec"]["preserveUnknownFields"] = false.into();
    let version = old["spec"]["versions"][0].take();
    old["spec"]["validation"] = version["schema"].clone();
    old["spec"]["subresources"] = version["subresources"].clone();
    old["spec"]["versions"] = json!([{"name": "v1", "served": true, "storage": true}]);
    let expected = run(&documents(&[("a.json", &sails().to_string())]));
    assert_eq!(
        code(&run(&documents(&[("a.json", &old.to_string())]))),
        code(&expected)
    );
    // By default it keeps every field, whatever the schema names.
    old["spec"]
        .as_object_mut()
        .unwrap()
        .remove("preserveUnknownFields");
    let keeps = run(&documents(&[("a.json", &old.to_string())]));
    assert!(keeps.files["src/demo_v1/mill.rs"].contains("rest rest;"));
}

/// Runs the binary; its exit code, and what it says on standard error.
fn kubeloom(folder: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubeloom"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn files_folders_patterns_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("crds/below")).unwrap();
    fs::write(folder.path().join("crds/below/mill.yaml"), sails().to_string()).unwrap();
    fs::write(folder.path().join("crds/notes.txt"), "no document").unwrap();
    for (index, source) in ["crds", "crds/below/mill.yaml", "crds/**/*.yaml", "-"]
        .iter()
        .enumerate()
    {
        let out = format!("out{index}");
        let (code, said) = kubeloom(
            folder.path(),
            &["generate", source, "--out", &out, "--name", "demo"],
            &sails().to_string(),
        );
        assert_eq!((code, said.as_str()), (Some(0), ""), "{source}");
        let text = fs::read_to_string(folder.path().join(&out).join("src/demo_v1/mill.rs")).unwrap();
        assert!(text.contains("pub struct MillSail {"));
    }
    let (code, said) = kubeloom(folder.path(), &["generate", "crds/*.yml", "--out", "none"], "");
    assert_eq!(code, Some(1));
    assert!(said.contains("the pattern matches no file"), "{said}");
}

/// The types and enums of the kind, further names included.
fn names(spec: &Value) -> Vec<String> {
    let generated = run(&documents(&[("a.json", &mill(spec).to_string())]));
    let text = &generated.files["src/demo_v1/mill.rs"];
    let words = text.lines().filter_map(|line| {
        let rest = ["pub struct ", "pub enum ", "pub type "]
            .iter()
            .find_map(|start| line.strip_prefix(start))?;
        Some(rest.split([' ', '{']).next().unwrap_or_default().to_owned())
    });
    words.collect()
}

#[test]
fn a_schema_that_grows_takes_no_name_away() {
    let object = |field: &str| json!({"type": "object", "properties": {field: {"type": "string"}}});
    let before = json!({"type": "object", "properties": {
        "wheel": object("teeth"),
        "shafts": {"type": "array", "items": {"type": "object", "properties": {"bearing": object("grease")}}},
        "mode": {"type": "string", "enum": ["on", "off"]}}});
    let expected = names(&before);
    assert_eq!(
        expected,
        [
            "Mill",
            "MillBearing",
            "MillShaft",
            "MillSpec",
            "MillWheel",
            "MillMode"
        ]
    );
    for (name, pointer, schema) in [
        (
            "a field below of another shape",
            "/properties/shafts/items/properties/wheel",
            object("other"),
        ),
        (
            "a field below of the same shape",
            "/properties/shafts/items/properties/wheel",
            object("teeth"),
        ),
        (
            "a field beside of the same shape",
            "/properties/axle",
            object("teeth"),
        ),
        (
            "a field before of the same shape",
            "/properties/aaa",
            object("teeth"),
        ),
        (
            "a field in a shared shape",
            "/properties/wheel/properties/more",
            object("x"),
        ),
        ("a value of the set", "/properties/mode/enum/2", json!("idle")),
    ] {
        let mut grown = before.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match grown.pointer_mut(parent).unwrap() {
            Value::Array(list) => list.push(schema),
            parent => parent[key] = schema,
        }
        let after = names(&grown);
        assert!(
            expected.iter().all(|name| after.contains(name)),
            "{name}: {after:?}"
        );
    }
}

#[test]
fn definitions_stand_beside_what_the_sources_say() {
    let mut both = demo();
    both.insert(
        "mill.json",
        sails()
            .to_string()
            .replace("demo.example.com", "mill.example.com"),
    );
    let generated = run(&both);
    assert!(generated.files.contains_key("src/mill_v1/mill.rs"));
    assert_eq!(code(&run(&demo())).len() + 2, code(&generated).len());
    // With the Kubernetes API that is built in, in one crate.
    let mut built_in = sources::embedded();
    built_in.insert("mill.json", sails().to_string());
    let options = Options {
        groups: vec!["demo".to_owned(), "core/v1".to_owned()],
        ..Options::new("demo")
    };
    let generated = generate(&built_in, &options).unwrap();
    assert!(
        generated.files.contains_key("src/demo_v1/mill.rs")
            && generated.files.contains_key("src/core_v1/pod.rs")
    );
}

#[test]
fn fields_of_kubernetes_own_types_become_these_types() {
    let toleration = json!({"type": "object", "properties": {"effect": {"type": "string"}, "key": {"type": "string"},
        "operator": {"type": "string"}, "tolerationSeconds": {"type": "integer", "format": "int64"}, "value": {"type": "string"}}});
    let selector = json!({"type": "object", "required": ["key"], "properties": {"key": {"type": "string"},
        "name": {"type": "string", "default": ""}, "optional": {"type": "boolean"}}});
    let mut almost = toleration.clone();
    almost["properties"]["more"] = json!({"type": "string"});
    let spec = json!({"type": "object", "properties": {
        "tolerations": {"type": "array", "items": toleration}, "almost": almost,
        "secretKeyRef": selector, "configMapKeyRef": selector, "anyRef": selector}});
    let sources = documents(&[("a.json", &mill(&spec).to_string())]);
    let shared = Options {
        kubernetes: Some(Runtime::Version("1".to_owned())),
        ..Options::new("demo")
    };
    let own = Options {
        own_shapes: true,
        ..shared.clone()
    };
    let text = |options: &Options| generate(&sources, options).unwrap().files["src/demo_v1/mill.rs"].clone();
    let found = text(&shared);
    for expected in [
        "pub tolerations: Option<Vec<kubeloom_k8s::core_v1::Toleration>>",
        "pub secret_key_ref: Option<Box<kubeloom_k8s::core_v1::SecretKeySelector>>",
        "pub config_map_key_ref: Option<Box<kubeloom_k8s::core_v1::ConfigMapKeySelector>>",
        "pub any_ref: Option<Box<MillAnyRef>>",
        "pub almost: Option<Box<MillAlmost>>",
    ] {
        assert!(found.contains(expected), "{expected}: {found}");
    }
    assert!(!text(&own).contains("kubeloom_k8s"));
    assert!(!text(&Options::new("demo")).contains("kubeloom_k8s"));
    let manifest = generate(&sources, &shared).unwrap().files["Cargo.toml"].clone();
    assert!(
        manifest.contains("demo_v1 = [\"kubeloom-k8s/core_v1\"]")
            && manifest.contains("\nkubeloom-k8s = \"1\"\n"),
        "{manifest}"
    );
}
