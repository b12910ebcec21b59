//! What the macro writes, as text; `KUBELOOM_UPDATE=1` writes the files.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;

use syn::DeriveInput;

/// Compares the expansion of a struct with `snapshots/<name>.rs`.
#[track_caller]
fn check(name: &str, input: &str) {
    let input: DeriveInput = syn::parse_str(input).unwrap();
    let file = syn::parse2(crate::expand(&input)).unwrap();
    let found = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/snapshots/{name}.txt"));
    if std::env::var_os("KUBELOOM_UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is stale (KUBELOOM_UPDATE=1 writes it):\n{found}",
        path.display()
    );
}

#[test]
fn the_least() {
    check(
        "least",
        r#"
        #[resource(group = "demo.example.com", version = "v1", cluster)]
        struct Region {
            metadata: ObjectMeta,
        }
        "#,
    );
}

#[test]
fn all_keys() {
    check(
        "all_keys",
        r#"
        #[resource(
            crate = my::kubeloom, group = "demo.example.com", version = "v1beta1", namespaced, kind = "Website",
            plural = "sites", singular = "site", short_names("ws", "w"), categories("all"), status,
            scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas,
                label_selector_path = .status.selector),
            printer_column(name = "Ready", type = string, description = "Whether.", priority = 1, format = "int32",
                json_path = ".status.conditions[?(@.type==\"Ready\")].status"),
            printer_column(name = "Age", json_path = .metadata.creationTimestamp),
            selectable_field(.spec.color), selectable_field(.spec.size),
            rule("self.spec.replicas <= 10", message = "at most 10", reason = FieldValueForbidden,
                field_path = .spec.replicas, optional_old_self),
            rule("true", message_expression = "'no'"),
            deprecated = "use v1", served = false, storage = false, labels("a" = "b"), annotations("c" = "d", "e" = "")
        )]
        pub(crate) struct OldWebsite {
            metadata: ObjectMeta,
            spec: Spec,
            status: Option<Status>,
        }
        "#,
    );
}

#[test]
fn a_client_alone() {
    check(
        "without_crd",
        r#"
        #[resource(group = "demo.example.com", version = "v1", namespaced, without_crd)]
        struct Website {
            metadata: ObjectMeta,
            spec: Spec,
        }
        "#,
    );
}

#[test]
fn faults_stand_beside_the_implementations() {
    check(
        "faults",
        r#"
        #[resource(group = "demo", version = "v1", namespaced, shortname("ws"))]
        struct Website {
            spec: Spec,
        }
        "#,
    );
}

#[test]
fn plurals() {
    for (singular, plural) in [
        ("website", "websites"),
        ("policy", "policies"),
        ("gateway", "gateways"),
        ("class", "classes"),
        ("box", "boxes"),
        ("batch", "batches"),
        ("mesh", "meshes"),
        ("quiz", "quizes"),
    ] {
        assert_eq!(crate::names::plural(singular), plural);
    }
}
