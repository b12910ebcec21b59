//! A small definition, and crates from such.

use kubeloom_codegen::sources::Documents;
use kubeloom_codegen::{Generated, Options, generate};
use serde_json::{Value, json};

/// A definition of `Mill` with this schema of `spec`.
pub(crate) fn mill(spec: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "mills.demo.example.com"},
        "spec": {"group": "demo.example.com", "scope": "Namespaced", "names": {"plural": "mills", "kind": "Mill"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

pub(crate) fn sails() -> Value {
    mill(
        &json!({"type": "object", "properties": {"sails": {"type": "array", "items": {"type": "object",
        "properties": {"cloth": {"type": "string", "enum": ["linen", "hemp"]}}}}}}),
    )
}

pub(crate) fn documents(files: &[(&str, &str)]) -> Documents {
    let mut documents = Documents::default();
    for (name, text) in files {
        documents.insert(*name, text.as_bytes());
    }
    documents
}

#[allow(clippy::panic, reason = "a test may panic")]
pub(crate) fn run(documents: &Documents) -> Generated {
    generate(documents, &Options::new("demo")).unwrap_or_else(|report| panic!("{report}"))
}
