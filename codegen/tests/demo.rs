//! A small API without facts, as text.

mod support;

use std::fs;

use kubeloom_codegen::diagnostic::Code;
use support::{crate_of, demo, path};

/// Compares with `tests/expected`; `KUBELOOM_UPDATE=1` writes it instead.
#[test]
fn the_text_of_every_file() {
    let generated = crate_of(&demo());
    let expected = path("tests/expected/demo");
    if std::env::var_os("KUBELOOM_UPDATE").is_some() {
        kubeloom_codegen::output::write(&expected, &generated.files).unwrap();
    }
    for (name, text) in &generated.files {
        let wanted = fs::read_to_string(expected.join(name)).unwrap_or_default();
        assert_eq!(*text, wanted, "{name} (KUBELOOM_UPDATE=1 writes it)");
    }
    let drift = kubeloom_codegen::output::compare(&expected, &generated.files).unwrap();
    assert!(drift.is_empty(), "{drift}");
}

#[test]
fn what_is_left_out_is_said() {
    let generated = crate_of(&demo());
    let said: Vec<_> = generated
        .warnings
        .diagnostics()
        .iter()
        .map(|diagnostic| (diagnostic.code, diagnostic.location.pointer.as_str()))
        .collect();
    assert_eq!(said, [(Code::NoSchema, "/items/0/versions/0/resources/2")]);
}

#[test]
fn the_order_of_sources_changes_nothing() {
    use kubeloom_codegen::sources::{self, Source};
    let files =
        ["openapi.json", "discovery.json"].map(|name| Source::Path(path("tests/fixtures/demo").join(name)));
    let [first, second] = files;
    let forward = sources::read(&[first.clone(), second.clone()]).unwrap();
    let backward = sources::read(&[second.clone(), first, second]).unwrap();
    assert_eq!(crate_of(&forward).files, crate_of(&backward).files);
    assert_eq!(crate_of(&forward).files, crate_of(&demo()).files);
}

#[test]
fn the_order_of_keys_changes_nothing() {
    // JSON with the keys of each object reversed.
    fn reversed(value: &serde_json::Value) -> String {
        match value {
            serde_json::Value::Object(map) => {
                let entries: Vec<_> = map
                    .iter()
                    .rev()
                    .map(|(key, value)| format!("{:?}:{}", key, reversed(value)))
                    .collect();
                format!("{{{}}}", entries.join(","))
            }
            serde_json::Value::Array(items) => {
                format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(","))
            }
            other => other.to_string(),
        }
    }
    let mut documents = kubeloom_codegen::sources::Documents::default();
    for document in demo().iter() {
        documents.insert(
            document.path.as_str(),
            reversed(&serde_json::from_slice(&document.bytes).unwrap()),
        );
    }
    let (mut ours, mut theirs) = (crate_of(&demo()).files, crate_of(&documents).files);
    // The sums of the inputs differ, nothing else.
    let (a, b) = (
        ours.remove("kubeloom.lock.json"),
        theirs.remove("kubeloom.lock.json"),
    );
    assert_ne!(a, b);
    assert_eq!(ours, theirs);
}
