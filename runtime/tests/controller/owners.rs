//! Owner references, and controllers that follow them.

use kubeloom::cache::ListWatch;
use kubeloom::generated::{ObjectMeta, OwnerReference};
use kubeloom::meta::OwnerError;
use serde_json::json;

use super::*;

fn thing(namespace: &str, name: &str, uid: &str) -> Thing {
    Thing {
        metadata: ObjectMeta {
            namespace: namespace.into(),
            name: name.into(),
            uid: uid.into(),
            ..ObjectMeta::default()
        },
        size: 0,
    }
}

#[test]
fn an_object_has_one_controller() {
    let (first, second) = (thing("web", "first", "1"), thing("web", "second", "2"));
    let mut child = ObjectMeta {
        namespace: "web".into(),
        ..ObjectMeta::default()
    };
    child.set_controller(&first).unwrap();
    child.set_controller(&first).unwrap();
    assert_eq!(child.owner_references.len(), 1);
    let taken = child.set_controller(&second).unwrap_err();
    assert_eq!(
        taken.to_string(),
        "the object is controlled by Thing first already; it has to be released first"
    );
    child.add_owner(&second).unwrap();
    // Named as an owner once more, the controller stays it.
    child.add_owner(&first).unwrap();
    assert!(child.is_controlled_by(&first.metadata) && !child.is_controlled_by(&second.metadata));
    assert_eq!(child.owner_references.len(), 2);
    let controller = child.controller_owner().unwrap();
    assert_eq!(
        (controller.controller, controller.block_owner_deletion),
        (Some(true), Some(true))
    );
    assert!(controller.is_of::<Thing>());
    assert!(child.remove_owner(&first.metadata) && !child.remove_owner(&first.metadata));
    child.set_controller(&second).unwrap();
    assert_eq!(child.owner_references.len(), 1);
}

#[test]
fn owners_in_other_namespaces_and_without_identity_are_refused() {
    let owner = thing("web", "owner", "1");
    for namespace in ["other", ""] {
        let mut child = ObjectMeta {
            namespace: namespace.into(),
            ..ObjectMeta::default()
        };
        for refused in [child.set_controller(&owner), child.add_owner(&owner)] {
            assert!(
                matches!(refused, Err(OwnerError::OtherNamespace { .. })),
                "{refused:?}"
            );
        }
        assert!(child.owner_references.is_empty());
    }
    let mut child = thing("web", "child", "2").metadata;
    assert_eq!(
        child.set_controller(&thing("web", "owner", "")),
        Err(OwnerError::NoIdentity)
    );
}

#[test]
fn a_reference_is_of_a_kind_in_any_version() {
    let reference = |api_version: &str, kind: &str| OwnerReference {
        api_version: api_version.into(),
        kind: kind.into(),
        ..OwnerReference::default()
    };
    let cases = [
        ("demo.example.com/v1", "Thing", true),
        ("demo.example.com/v2beta1", "Thing", true),
        ("example.com/v1", "Thing", false),
        ("v1", "Thing", false),
        ("demo.example.com/v1", "Other", false),
    ];
    for (api_version, kind, expected) in cases {
        assert_eq!(
            reference(api_version, kind).is_of::<Thing>(),
            expected,
            "{api_version} {kind}"
        );
    }
}

/// Sets the owners of an object on the server.
fn own(server: &Server, key: &str, owners: serde_json::Value) {
    let (namespace, name) = key.split_once('/').unwrap();
    let place = (namespace.to_owned(), name.to_owned());
    if !server.state().objects.contains_key(&place) {
        server.put(key, 0);
    }
    server.change(key, |object| object["metadata"]["ownerReferences"] = owners);
}

fn owner(name: &str, controller: bool) -> serde_json::Value {
    json!({"apiVersion": "demo.example.com/v1", "kind": "Thing", "name": name, "uid": name, "controller": controller})
}

#[tokio::test(start_paused = true)]
async fn changes_of_children_are_changes_of_their_controllers() {
    let world = World::new();
    own(
        &world.server,
        "web/child",
        json!([owner("friend", false), owner("parent", true)]),
    );
    world.server.put("web/orphan", 1);
    assert_eq!(
        ApiListWatch::<Thing>::new(&world.server.client(), None)
            .resource()
            .resource,
        "things"
    );
    let controller = Controller::new("parents").owns::<Thing, _>(&world.informer);
    let handle = world.start(controller, |_, _| Ok(Action::Done));
    handle.ready().await;
    eventually("the first list", || world.runs.len() == 1).await;
    assert_eq!(world.runs.take(), ["web/parent"]);
    world.server.put("web/orphan", 2);
    // Handed over: both have to know.
    own(&world.server, "web/child", json!([owner("heir", true)]));
    eventually("handed over", || world.runs.len() == 2).await;
    assert_eq!(world.runs.sorted(), ["web/heir", "web/parent"]);
    // Deleted while nobody looked.
    let lost = world.server.forget();
    world.server.delete("web/child");
    world.server.compact();
    drop(lost);
    eventually("the deletion", || world.runs.len() == 1).await;
    assert_eq!(world.runs.take(), ["web/heir"]);
    handle.stop().await;
}
