//! Who owns which field: from client-side to server-side apply.
//!
//! Objects that were once written by client-side apply, or by plain updates, have their fields owned by that manager with
//! the operation `Update`. Server-side apply by another name then never removes a field that the old manager still owns.
//! [`migrate_ownership`] hands those fields over.

use serde_json::{Map, Value};

use super::{ManagedFieldsEntry, Object};
use crate::value::RawJson;
use crate::wire::DecodeError;

/// Hands the fields that the managers `from` own by updates over to the manager `to`, who owns them by apply from then on.
/// Says whether something changed.
///
/// `subresource` is the one whose fields are meant; empty for the object itself. The first entry of `to` is kept and
/// gets the fields that a manager of `from` owns in the same API version; where `to` has none yet, the first of `from`
/// becomes it. Entries of `from` are gone afterwards. Twice is as good as once.
///
/// # Errors
/// Paths that are no `FieldsV1`; nothing is changed then.
pub fn migrate_ownership(
    entries: &mut Vec<ManagedFieldsEntry>,
    from: &[&str],
    to: &str,
    subresource: &str,
) -> Result<bool, DecodeError> {
    let mut migrated = entries.clone();
    let mut changed = false;
    for manager in from {
        changed |= migrate_one(&mut migrated, manager, to, subresource)?;
    }
    if changed {
        *entries = migrated;
    }
    Ok(changed)
}

/// The JSON patch (RFC 6902) that does on the server what [`migrate_ownership`] does in memory; `None` if there is nothing
/// to do. It fails with a conflict if the object has changed since it was read.
///
/// ```no_run
/// # use kubeloom::{RestClient, rest::{GroupVersionResource, PatchBody}};
/// # async fn example(client: RestClient) -> Result<(), Box<dyn std::error::Error>> {
/// use kubeloom::meta::ownership_patch;
///
/// let deployments = client.dynamic(GroupVersionResource::new("apps", "v1", "deployments")).namespace("web");
/// let front = deployments.get("front").await?;
/// if let Some(patch) = ownership_patch(&front, &["kubectl-client-side-apply"], "my-tool", "")? {
///     deployments.patch("front", PatchBody::json(&patch)).await?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`migrate_ownership`].
pub fn ownership_patch(
    object: &impl Object,
    from: &[&str],
    to: &str,
    subresource: &str,
) -> Result<Option<Value>, DecodeError> {
    let meta = object.object_meta();
    let mut entries = meta.managed_fields.clone();
    if !migrate_ownership(&mut entries, from, to, subresource)? {
        return Ok(None);
    }
    let entries = serde_json::to_value(&entries).map_err(DecodeError::other)?;
    Ok(Some(serde_json::json!([
        {"op": "replace", "path": "/metadata/managedFields", "value": entries},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": meta.resource_version},
    ])))
}

fn migrate_one(
    entries: &mut Vec<ManagedFieldsEntry>,
    from: &str,
    to: &str,
    subresource: &str,
) -> Result<bool, DecodeError> {
    let is_old = |entry: &ManagedFieldsEntry| {
        entry.manager == from && entry.operation == "Update" && entry.subresource == subresource
    };
    let is_new = |entry: &ManagedFieldsEntry| {
        entry.manager == to && entry.operation == "Apply" && entry.subresource == subresource
    };
    // Servers put the entry that changed last first.
    let Some(first_old) = entries.iter().position(is_old) else {
        return Ok(false);
    };
    let target = match entries.iter().position(is_new) {
        Some(target) => target,
        None => {
            entries[first_old].operation = "Apply".into();
            entries[first_old].manager = to.into();
            first_old
        }
    };
    let version = entries[target].api_version.clone();
    let same = entries
        .iter()
        .find(|entry| is_old(entry) && entry.api_version == version);
    if let Some(old) = same {
        let mut fields = fields_of(&entries[target])?;
        unite(&mut fields, fields_of(old)?);
        entries[target].fields_v1 = Some(RawJson::from_value(&Value::Object(fields)));
    }
    entries.retain(|entry| !is_old(entry));
    Ok(true)
}

/// The paths of an entry.
fn fields_of(entry: &ManagedFieldsEntry) -> Result<Map<String, Value>, DecodeError> {
    let Some(fields) = &entry.fields_v1 else {
        return Ok(Map::new());
    };
    fields
        .parse()
        .map_err(|error| DecodeError::other(error).within(format!("managedFields of {}", entry.manager)))
}

/// Adds the paths of `other`. A path that ends in `{}` is owned; one that goes on is owned if it also has the key `.`.
fn unite(fields: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, theirs) in other {
        match (fields.get_mut(&key), theirs) {
            (Some(Value::Object(ours)), Value::Object(mut theirs)) => {
                if ours.is_empty() != theirs.is_empty() {
                    for own in [&mut *ours, &mut theirs] {
                        if own.is_empty() {
                            own.insert(".".to_owned(), Value::Object(Map::new()));
                        }
                    }
                }
                unite(ours, theirs);
            }
            (Some(_), _) => {}
            (None, theirs) => {
                fields.insert(key, theirs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, operation: &str, version: &str, fields: Value) -> ManagedFieldsEntry {
        ManagedFieldsEntry {
            manager: manager.into(),
            operation: operation.into(),
            api_version: version.into(),
            fields_type: "FieldsV1".into(),
            fields_v1: Some(RawJson::from_value(&fields)),
            ..ManagedFieldsEntry::default()
        }
    }

    fn summary(entries: &[ManagedFieldsEntry]) -> Vec<(String, String, Value)> {
        let fields = |entry: &ManagedFieldsEntry| Value::Object(fields_of(entry).unwrap());
        entries
            .iter()
            .map(|entry| {
                (
                    entry.manager.to_string(),
                    entry.operation.to_string(),
                    fields(entry),
                )
            })
            .collect()
    }

    fn row(manager: &str, operation: &str, fields: Value) -> (String, String, Value) {
        (manager.to_owned(), operation.to_owned(), fields)
    }

    #[test]
    fn fields_go_to_the_new_manager() {
        let check = |mut entries: Vec<ManagedFieldsEntry>, expected: &[(String, String, Value)]| {
            let changed = migrate_ownership(&mut entries, &["old", "older"], "new", "").unwrap();
            assert_eq!(summary(&entries), expected);
            assert!(
                !migrate_ownership(&mut entries, &["old", "older"], "new", "").unwrap(),
                "twice"
            );
            changed
        };
        let (a, b) = (json!({"f:spec": {"f:a": {}}}), json!({"f:spec": {"f:b": {}}}));
        let both = json!({"f:spec": {"f:a": {}, "f:b": {}}});
        // Nobody to hand over from.
        assert!(!check(
            vec![entry("new", "Apply", "v1", a.clone())],
            &[row("new", "Apply", a.clone())]
        ));
        // The old manager becomes the new one.
        assert!(check(
            vec![entry("old", "Update", "v1", a.clone())],
            &[row("new", "Apply", a.clone())]
        ));
        // Both are united, and others are left alone.
        assert!(check(
            vec![
                entry("other", "Update", "v1", b.clone()),
                entry("old", "Update", "v1", a.clone()),
                entry("new", "Apply", "v1", b.clone()),
                entry("older", "Update", "v1", a.clone()),
            ],
            &[row("other", "Update", b.clone()), row("new", "Apply", both)],
        ));
        // Paths of another version mean something else.
        assert!(check(
            vec![
                entry("old", "Update", "v1beta1", a.clone()),
                entry("new", "Apply", "v1", b.clone())
            ],
            &[row("new", "Apply", b.clone())],
        ));
        // What was applied already stays with who applied it.
        assert!(!check(
            vec![entry("old", "Apply", "v1", a.clone())],
            &[row("old", "Apply", a)]
        ));
    }

    #[test]
    fn subresources_are_apart() {
        let mut status = entry("old", "Update", "v1", json!({"f:status": {}}));
        status.subresource = "status".into();
        let mut entries = vec![status];
        assert!(!migrate_ownership(&mut entries, &["old"], "new", "").unwrap());
        assert!(migrate_ownership(&mut entries, &["old"], "new", "status").unwrap());
        assert_eq!(
            (&*entries[0].manager, &*entries[0].subresource),
            ("new", "status")
        );
    }

    #[test]
    fn owning_a_path_and_what_is_below_it_are_two_things() {
        let check = |mut ours: Value, theirs: Value, expected: Value| {
            let (ours, theirs) = (ours.as_object_mut().unwrap(), theirs.as_object().unwrap());
            unite(ours, theirs.clone());
            assert_eq!(Value::Object(ours.clone()), expected);
        };
        check(
            json!({"f:a": {}}),
            json!({"f:a": {"f:b": {}}}),
            json!({"f:a": {".": {}, "f:b": {}}}),
        );
        check(
            json!({"f:a": {"f:b": {}}}),
            json!({"f:a": {}}),
            json!({"f:a": {".": {}, "f:b": {}}}),
        );
        check(json!({"f:a": {}}), json!({"f:a": {}}), json!({"f:a": {}}));
        check(
            json!({"k:{\"name\":\"x\"}": {".": {}}}),
            json!({"k:{\"name\":\"x\"}": {"f:image": {}}, "v:\"f\"": {}}),
            json!({"k:{\"name\":\"x\"}": {".": {}, "f:image": {}}, "v:\"f\"": {}}),
        );
    }

    #[test]
    fn broken_paths_change_nothing() {
        let mut entries = vec![
            entry("old", "Update", "v1", json!([1])),
            entry("new", "Apply", "v1", json!({})),
        ];
        assert!(migrate_ownership(&mut entries, &["old"], "new", "").is_err());
        assert_eq!(entries.len(), 2);
    }
}
