//! CustomResourceDefinitions that are broken, odd or old: errors that name their place, or types that lose nothing; no panic.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use kubeloom_codegen::sources::{self, Source};
use kubeloom_codegen::{Options, generate};
use serde_json::{Value, json};
use support::mill::{documents, mill, run, sails};

#[test]
fn what_is_broken_is_named_by_file_document_and_pointer() {
    let good = sails().to_string();
    let broken = |pointer: &str, value: Value| {
        let mut crd = sails();
        *crd.pointer_mut(pointer).unwrap() = value;
        format!("{good}\n---\n{}", crd.to_string().replace("mills", "others"))
    };
    for (text, code, place) in [
        (
            broken("/spec/group", json!("")),
            "KL004",
            "a.yaml (document 2)#/spec/group",
        ),
        (
            broken("/spec/group", json!("A b")),
            "KL004",
            "a.yaml (document 2)#/spec/group",
        ),
        (
            broken("/spec/names/kind", json!("")),
            "KL004",
            "a.yaml (document 2)#/spec/names/kind",
        ),
        (
            broken("/spec/names", json!(null)),
            "KL004",
            "a.yaml (document 2)#/spec/names",
        ),
        (
            broken("/spec/scope", json!("Global")),
            "KL004",
            "a.yaml (document 2)#/spec/scope",
        ),
        (
            broken("/spec/versions", json!([])),
            "KL004",
            "a.yaml (document 2)#/spec/versions",
        ),
        (
            broken("/spec/versions", json!("v1")),
            "KL004",
            "a.yaml (document 2)#/spec/versions",
        ),
        (
            broken("/spec/versions/0", json!("v1")),
            "KL004",
            "a.yaml (document 2)#/spec/versions/0",
        ),
        (
            broken("/spec/versions/0/name", json!("a/b")),
            "KL004",
            "a.yaml (document 2)#/spec/versions/0/schema",
        ),
        (broken("/spec", json!(3)), "KL004", "a.yaml (document 2)#/spec"),
        (
            format!("{good}\n---\na: {{{{ template }}}}\n  b"),
            "KL002",
            "a.yaml (document 2)",
        ),
        (format!("{good}\n---\n\"\\x\"\n"), "KL002", "a.yaml (document 2)"),
    ] {
        let report = generate(&documents(&[("a.yaml", &text)]), &Options::new("demo")).unwrap_err();
        let shown = report.to_string();
        assert!(shown.contains(code) && shown.contains(place), "{text}: {shown}");
    }
}

#[test]
fn what_is_not_structural_is_said_and_kept_as_json() {
    for (schema, place, held) in [
        (json!({"type": "BoolString"}), "/odd/type", "RawJson"),
        (json!({}), "/odd", "RawJson"),
        (json!(null), "/odd", "RawJson"),
        (json!(true), "/odd", "RawJson"),
        (
            json!({"type": "object", "$ref": "#/x"}),
            "/odd/$ref",
            "Map<RawJson>",
        ),
        (
            json!({"type": "array", "items": [{"type": "string"}]}),
            "/odd/items",
            "Vec<RawJson>",
        ),
        (json!({"type": ["string", "integer"]}), "/odd/type", "RawJson"),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "array"}]}),
            "/odd",
            "RawJson",
        ),
    ] {
        let crd = mill(&json!({"type": "object", "properties": {"odd": schema}}));
        let generated = run(&documents(&[("a.json", &crd.to_string())]));
        let pointer = format!("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties{place}");
        let warnings: Vec<_> = generated
            .warnings
            .diagnostics()
            .iter()
            .map(|one| one.location.pointer.as_str())
            .collect();
        assert_eq!(warnings, [pointer.as_str()], "{schema}");
        let text = &generated.files["src/demo_v1/mill.rs"];
        assert!(
            text.contains(&format!("pub odd: Option<{held}>")),
            "{schema}: {text}"
        );
    }
}

#[test]
fn anything_at_all_ends_without_a_panic() {
    let odd = [
        json!(null),
        json!(true),
        json!(3),
        json!("x"),
        json!([]),
        json!({}),
        json!([{}]),
        json!({"type": 3}),
    ];
    let whole = sails();
    let mut pointers = Vec::new();
    collect(&whole, String::new(), &mut pointers);
    assert!(pointers.len() > 30);
    for pointer in &pointers {
        for value in &odd {
            let mut crd = whole.clone();
            *crd.pointer_mut(pointer).unwrap() = value.clone();
            let result = generate(&documents(&[("a.json", &crd.to_string())]), &Options::new("demo"));
            if let Err(report) = result {
                assert!(report.has_errors(), "{pointer}");
            }
        }
    }
    for (levels, readable) in [(25, true), (35, true), (400, false)] {
        let mut deep = "{\"type\": \"string\"}".to_owned();
        for _ in 0..levels {
            deep = format!(
                "{{\"type\": \"object\", \"properties\": {{\"a\": {{\"type\": \"array\", \"items\": {deep}}}}}}}"
            );
        }
        let text = mill(&json!("SPEC")).to_string().replace("\"SPEC\"", &deep);
        let result = generate(&documents(&[("a.yaml", &text)]), &Options::new("demo"));
        assert_eq!(result.is_ok(), readable, "{levels}");
    }
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(index, value)| (index.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (key, value) in below {
        let at = format!("{at}/{key}");
        collect(value, at.clone(), pointers);
        pointers.push(at);
    }
}

/// What comes of real definitions that are broken, odd or old: `ok` or the codes, by file. `KUBELOOM_UPDATE=1` writes it.
#[test]
fn outcomes_of_odd_real_definitions() {
    let given = std::env::var_os("KUBELOOM_CORPUS").map(PathBuf::from);
    let corpus = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"));
    if !corpus.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", corpus.display());
        return;
    }
    let mut outcomes = String::new();
    for folder in ["crds-invalid", "crds-nonstructural", "crds-v1beta1"] {
        let mut files = Vec::new();
        walk(&corpus.join(folder), &mut files);
        for file in files {
            let relative = file.strip_prefix(&corpus).unwrap().display().to_string();
            let result = sources::read(&[Source::Path(file)])
                .and_then(|documents| generate(&documents, &Options::new("demo")));
            let (word, report) = match result {
                Ok(generated) => ("ok", generated.warnings),
                Err(report) => ("error", report),
            };
            let mut codes: Vec<_> = report.diagnostics().iter().map(|one| one.code.id()).collect();
            codes.dedup();
            outcomes.push_str(&format!("{relative}: {word} {}\n", codes.join(" ")));
        }
    }
    let expected = support::path("tests/expected/odd-definitions.txt");
    if std::env::var_os("KUBELOOM_UPDATE").is_some() {
        fs::write(&expected, &outcomes).unwrap();
    }
    assert_eq!(
        outcomes,
        fs::read_to_string(expected).unwrap_or_default(),
        "KUBELOOM_UPDATE=1 writes it"
    );
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|suffix| suffix != "md") {
            files.push(path);
        }
    }
}
