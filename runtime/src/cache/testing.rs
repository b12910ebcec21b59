//! Objects for the tests of this module.

use std::sync::Arc;

use super::Held;
use crate::meta::{ObjectMeta, PartialObjectMetadata};

pub(super) type Thing = PartialObjectMetadata;

/// An object `namespace/name` (or `name`) whose UID is `uid` and whose version is `version`.
pub(super) fn thing(key: &str, uid: &str, version: u64) -> Arc<Thing> {
    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
    let mut metadata = ObjectMeta {
        namespace: namespace.into(),
        name: name.into(),
        uid: uid.into(),
        resource_version: version.to_string().into(),
        ..ObjectMeta::default()
    };
    metadata.labels.insert(
        "parity".into(),
        if version.is_multiple_of(2) { "even" } else { "odd" }.into(),
    );
    Arc::new(Thing { metadata })
}

/// `key@version` for each object, sorted.
pub(super) fn texts(objects: &[Arc<Thing>]) -> Vec<String> {
    let mut texts: Vec<_> = objects.iter().map(|object| text(object)).collect();
    texts.sort();
    texts
}

pub(super) fn text(object: &Thing) -> String {
    format!(
        "{}@{}",
        super::ObjectKey::of(object),
        object.metadata.resource_version
    )
}

pub(super) fn whole(held: &[Held<Thing>]) -> Vec<Arc<Thing>> {
    held.iter().filter_map(Held::object).collect()
}
