//! Round the loop: Rust types, their definitions (`fixtures/derived`), the types that the generator makes of those
//! (`kubeloom-derived`), and the same JSON.

use kubeloom::resource::Resource;
use kubeloom_derived::{derive_v1, derive_v1alpha1};
use kubeloom_tests::kubeloom_command;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kinds::{Region, Shapes, Website};
use crate::objects;

/// The JSON of a derived object through the generated type and back.
#[track_caller]
fn around<D, G>(object: &D)
where
    D: Resource + Serialize + DeserializeOwned + PartialEq,
    G: Resource + Serialize + DeserializeOwned,
{
    assert_eq!(
        (D::API_VERSION, D::KIND, D::PLURAL),
        (G::API_VERSION, G::KIND, G::PLURAL)
    );
    assert_eq!((D::SHORT_NAMES, D::CATEGORIES), (G::SHORT_NAMES, G::CATEGORIES));
    let written: Value = serde_json::to_value(object).unwrap();
    let generated: G = serde_json::from_value(written.clone()).unwrap();
    let mut back = serde_json::to_value(&generated).unwrap();
    for key in ["apiVersion", "kind"] {
        back.as_object_mut().unwrap().remove(key);
    }
    assert_eq!(plain(&back), plain(&written));
    let read: D = serde_json::from_value(back).unwrap();
    assert_eq!(&read, object);
}

/// The value with what is the same in Kubernetes written in one way: `null` is absence, and `0.0` is `0`.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            members
                .map(|(key, value)| (key.clone(), plain(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Number(number) if number.as_f64() == Some(0.0) => 0.into(),
        other => other.clone(),
    }
}

#[test]
fn the_generated_crate_is_fresh() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let arguments = [
        "generate",
        "tests/fixtures/derived",
        "--out",
        "tests/derived",
        "--name",
        "kubeloom-derived",
    ];
    let mut command = kubeloom_command!();
    let output = command
        .args(arguments)
        .args(["--workspace", "--check"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_rich_object_is_the_same_json_to_both() {
    around::<Shapes, derive_v1::Shape>(&objects::shapes("full", objects::full()));
}

#[test]
fn each_variant_is_the_same_json_to_both() {
    for spec in objects::variants() {
        around::<Shapes, derive_v1::Shape>(&objects::shapes("variant", spec));
    }
}

#[test]
fn kinds_with_status_and_without_spec_are_too() {
    let mut website = Website::default();
    website.metadata.name = "a".into();
    website.spec.domain = "example.com".into();
    website.status = Some(Default::default());
    around::<Website, derive_v1::Website>(&website);
    let mut region = Region::default();
    region.metadata.name = "a".into();
    region.zones = vec!["z".into()];
    around::<Region, derive_v1alpha1::Region>(&region);
}
