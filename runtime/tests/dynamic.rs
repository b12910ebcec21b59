//! Objects, lists and handles of resources that are known by name.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scripted;

use std::time::Duration;

use kubeloom::dynamic::{DynamicList, DynamicObject};
use kubeloom::error::ErrorKind;
use kubeloom::generated::*;
use kubeloom::meta::{OwnerReference, Table};
use kubeloom::rest::{Deletion, GroupVersionKind, GroupVersionResource, PatchBody, WatchEvent};
use kubeloom::wire::{Format, Wire};
use scripted::{Reply, Script};
use serde_json::json;

#[derive(Clone, Default)]
struct Widget {
    metadata: ObjectMeta,
    size: i32,
}
record! { Widget = "demo.example.com/v1" "Widget" { 0 metadata "metadata" [1] KEEP; 1 size "size" [2] KEEP; } }

impl Resource for Widget {
    type Scope = Namespaced;
    const GROUP: &'static str = "demo.example.com";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "demo.example.com/v1";
    const KIND: &'static str = "Widget";
    const PLURAL: &'static str = "widgets";
    const SINGULAR: &'static str = "widget";
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

fn read(text: &str) -> DynamicObject {
    DynamicObject::decode(Format::Json, text.as_bytes()).unwrap()
}

fn widgets() -> GroupVersionResource {
    GroupVersionResource::new("demo.example.com", "v1", "widgets")
}

#[test]
fn numbers_keep_their_kind_through_a_round_trip() {
    for number in [
        "1",
        "1.0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "0.1",
        "1e300",
        "9007199254740993",
    ] {
        let text = format!(r#"{{"apiVersion":"v1","kind":"X","metadata":{{}},"n":{number}}}"#);
        let object = read(&text);
        let again = String::from_utf8(object.encode(Format::Json).unwrap()).unwrap();
        assert_eq!(read(&again), object);
        let value = object.pointer("/n").unwrap();
        let is_float = number.contains(['.', 'e']);
        assert_eq!(value.is_f64(), is_float, "{number}");
        if !is_float {
            assert_eq!(again, text);
        }
    }
}

#[test]
fn null_equals_absent() {
    let object = read(r#"{"apiVersion":null,"kind":null,"metadata":null,"spec":null}"#);
    assert_eq!(object.metadata, ObjectMeta::default());
    assert_eq!(object.read::<i64>("/spec").unwrap(), None);
    assert_eq!(object.read::<i64>("/spec/replicas").unwrap(), None);
    let list = DynamicList::decode(
        Format::Json,
        br#"{"kind":"XList","apiVersion":"v1","items":null,"metadata":null}"#,
    );
    assert!(list.unwrap().items.is_empty());
    let list = DynamicList::decode(
        Format::Json,
        br#"{"kind":"XList","apiVersion":"v1","items":[null]}"#,
    )
    .unwrap();
    assert_eq!(
        list.items,
        [DynamicObject {
            api_version: "v1".into(),
            kind: "X".into(),
            ..Default::default()
        }]
    );
}

#[test]
fn items_know_their_kind() {
    let rows = [
        // (kind and apiVersion of the list, of the item as written, of the item as read)
        (("PodList", "v1"), "", ("Pod", "v1")),
        (("DeploymentList", "apps/v1"), "", ("Deployment", "apps/v1")),
        (
            ("WidgetList", "demo.example.com/v1"),
            r#""kind":"Gadget","apiVersion":"other/v2","#,
            ("Gadget", "other/v2"),
        ),
        (
            ("List", "v1"),
            r#""kind":"Pod","apiVersion":"v1","#,
            ("Pod", "v1"),
        ),
        (("List", "v1"), "", ("", "")),
        (("Things", "v1"), "", ("", "")),
    ];
    for ((kind, version), written, expected) in rows {
        let text = format!(
            r#"{{"kind":"{kind}","apiVersion":"{version}","metadata":{{}},"items":[{{{written}"metadata":{{"name":"a"}}}}]}}"#
        );
        let list = DynamicList::decode(Format::Json, text.as_bytes()).unwrap();
        let item = &list.items[0];
        assert_eq!(
            (item.kind.as_str(), item.api_version.as_str()),
            expected,
            "{kind} {written}"
        );
    }
}

#[test]
fn pointers_read_and_write() {
    let mut object = read(
        r#"{"kind":"X","apiVersion":"v1","metadata":{"name":"a"},"spec":{"a/b":{"~":5},"list":[{"x":1}],"text":"t","":7}}"#,
    );
    assert_eq!(object.read::<i64>("/spec/a~1b/~0").unwrap(), Some(5));
    assert_eq!(object.read::<i64>("/spec/list/0/x").unwrap(), Some(1));
    assert_eq!(object.read::<i64>("/spec/").unwrap(), Some(7));
    for nothing in [
        "",
        "spec",
        "/metadata/name",
        "/spec/list/1",
        "/spec/list/x",
        "/spec/text/0",
        "/other",
    ] {
        assert_eq!(object.pointer(nothing), None, "{nothing}");
    }
    let error = object.read::<i64>("/spec/text").unwrap_err().to_string();
    assert!(error.contains("/spec/text"), "{error}");

    object.set("/spec/new/deep~1er", "yes").unwrap();
    object.set("/spec/list/-/x", 2).unwrap();
    object.set("/spec/list/0", json!({"x": 9})).unwrap();
    object.set("/status", json!(null)).unwrap();
    assert_eq!(object.pointer("/spec/new"), Some(&json!({"deep/er": "yes"})));
    assert_eq!(object.pointer("/spec/list"), Some(&json!([{"x": 9}, {"x": 2}])));
    for bad in [
        "",
        "spec",
        "/metadata/name",
        "/kind",
        "/spec/text/a",
        "/spec/list/7",
        "/spec/list/x",
    ] {
        assert!(object.set(bad, 1).is_err(), "{bad}");
    }
    *object.pointer_mut("/spec/new").unwrap() = json!(1);
    assert_eq!(object.read::<i64>("/spec/new").unwrap(), Some(1));
}

#[test]
fn typed_objects_convert_both_ways() {
    let widget = Widget {
        metadata: ObjectMeta {
            name: "a".into(),
            labels: [("k", "v")].into(),
            ..Default::default()
        },
        size: 3,
    };
    let mut dynamic = DynamicObject::from_typed(&widget).unwrap();
    assert_eq!(dynamic.group_version_kind(), GroupVersionKind::of::<Widget>());
    assert_eq!(dynamic.to_typed::<Widget>().unwrap(), widget);
    dynamic.set("/size", "many").unwrap();
    assert!(dynamic.to_typed::<Widget>().is_err());
    dynamic.set("/size", 3).unwrap();
    dynamic.kind = "Gadget".into();
    let error = dynamic.to_typed::<Widget>().unwrap_err().to_string();
    assert!(error.contains("Gadget") && error.contains("Widget"), "{error}");
    dynamic.kind = "".into();
    assert_eq!(dynamic.to_typed::<Widget>().unwrap(), widget);
}

#[test]
fn references_to_owners_are_whole_or_not_there() {
    let mut object = DynamicObject::new("v1", "ConfigMap", "a").within("web");
    assert!(OwnerReference::to(&object).is_err(), "without a UID");
    object.metadata.uid = "u".into();
    let reference = OwnerReference::to(&object).unwrap();
    assert_eq!(
        (reference.api_version.as_str(), reference.kind.as_str()),
        ("v1", "ConfigMap")
    );
    object.kind = "".into();
    assert!(OwnerReference::to(&object).is_err(), "without a kind");
}

#[test]
fn protobuf_is_refused_and_yaml_is_read() {
    assert!(DynamicObject::decode(Format::Protobuf, b"k8s\0").is_err());
    assert!(DynamicObject::default().encode(Format::Protobuf).is_err());
    let yaml = "apiVersion: v1\nkind: X\nmetadata: {name: a}\nspec: {port: 80, ratio: 1.5, on: true}\n";
    let object = DynamicObject::decode(Format::Yaml, yaml.as_bytes()).unwrap();
    assert_eq!(object.data["spec"], json!({"port": 80, "ratio": 1.5, "on": true}));
    for broken in ["", "[]", "3", "{", r#"{"metadata":"text"}"#, r#"{"kind":3}"#] {
        assert!(
            DynamicObject::decode(Format::Json, broken.as_bytes()).is_err(),
            "{broken}"
        );
    }
}

const BASE: &str = "/apis/demo.example.com/v1/namespaces/web/widgets";
const ALL: &str = "/apis/demo.example.com/v1/widgets";

#[tokio::test]
async fn each_verb_sends_its_request() {
    let server = Script::new();
    let api = server.client().dynamic(widgets()).namespace("web");
    let object = DynamicObject::new("demo.example.com/v1", "Widget", "a");
    let reply = Reply::ok(
        &json!({"kind": "Widget", "apiVersion": "demo.example.com/v1", "metadata": {"name": "a", "uid": "u"}}),
    );
    for request in [
        format!("GET {BASE}/a"),
        format!("POST {BASE}"),
        format!("PUT {BASE}/a"),
        format!("PATCH {BASE}/a"),
        format!("PATCH {BASE}/a?fieldManager=me&force=true"),
        format!("DELETE {BASE}/a"),
        format!("GET {BASE}/a/status"),
        format!("PUT {BASE}/a/status"),
        format!("PATCH {BASE}/a/status"),
        format!("POST {BASE}/a/pause/now"),
    ] {
        server.on(&request, reply.clone());
    }
    assert_eq!(api.get("a").await.unwrap().metadata.uid, "u");
    api.create(&object).await.unwrap();
    api.update(&object).await.unwrap();
    api.patch("a", PatchBody::merge(&json!({}))).await.unwrap();
    api.apply(&object).manager("me").force().await.unwrap();
    assert!(matches!(api.delete("a").await.unwrap(), Deletion::Object(_)));
    api.get_status("a").await.unwrap();
    api.update_status(&object).await.unwrap();
    api.patch_status("a", PatchBody::merge(&json!({}))).await.unwrap();
    api.subresource("pause/now").create("a", &object).await.unwrap();
    for request in server.take() {
        assert_eq!(
            request.headers.get("accept"),
            Some("application/json"),
            "{request:?}"
        );
    }

    server.on(
        &format!("GET {ALL}?labelSelector=x&limit=2"),
        Reply::ok(&json!({"kind": "WidgetList", "apiVersion": "demo.example.com/v1", "items": [{}]})),
    );
    let list = api.all_namespaces().list().labels("x").limit(2).await.unwrap();
    assert_eq!(list.items[0].kind, "Widget");
    server.on(
        &format!("DELETE {BASE}"),
        Reply::ok(&json!({"kind": "Status", "status": "Success"})),
    );
    assert!(matches!(
        api.delete_collection().await.unwrap(),
        Deletion::Status(_)
    ));
}

#[tokio::test]
async fn objects_of_any_kind_can_be_watched() {
    let server = Script::new();
    let event = |kind: &str, rv: &str| json!({"type": kind, "object": {"kind": "Widget", "apiVersion": "demo.example.com/v1", "metadata": {"name": "a", "resourceVersion": rv}}});
    server.on(
        &format!("GET {BASE}?watch=true&allowWatchBookmarks=true"),
        Reply::events(&[event("ADDED", "1"), event("BOOKMARK", "2"), event("DELETED", "3")]),
    );
    let api = server.client().dynamic(widgets()).namespace("web");
    let mut stream = api.watch().await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(WatchEvent::Added(object))) if object.kind == "Widget"));
    assert!(matches!(stream.next().await, Some(Ok(WatchEvent::Bookmark(_)))));
    assert!(matches!(stream.next().await, Some(Ok(WatchEvent::Deleted(_)))));
    assert!(stream.next().await.is_none());
    let mut stream = api.metadata_only().watch().await.unwrap();
    assert!(
        matches!(stream.next().await, Some(Ok(WatchEvent::Added(object))) if object.metadata.name == "a")
    );
}

#[tokio::test]
async fn calls_that_would_miss_are_not_sent() {
    let server = Script::new();
    let api = server.client().dynamic(widgets());
    let read_object = {
        let mut object = DynamicObject::new("demo.example.com/v1", "Widget", "a");
        object.metadata.managed_fields = vec![ManagedFieldsEntry::default()];
        object
    };
    let scoped = api.clone().with_scope(true);
    let nameless = DynamicObject::default();
    let errors = [
        api.get("").await.unwrap_err(),
        api.get("a/b").await.unwrap_err(),
        api.namespace("").get("a").await.unwrap_err(),
        api.update(&nameless).await.unwrap_err(),
        api.apply(&nameless).manager("me").await.unwrap_err(),
        scoped.get("a").await.unwrap_err(),
        scoped.create(&read_object).await.unwrap_err(),
        scoped.metadata_only().delete("a").await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error.kind(), ErrorKind::InvalidRequest(_)), "{error}");
    }
    let error = api.apply(&read_object).manager("me").await.unwrap_err();
    assert!(error.to_string().contains("managedFields"), "{error}");
    assert!(server.seen().is_empty());

    assert!(scoped.list().await.unwrap_err().is_not_found());
    assert_eq!(server.seen(), [format!("GET {ALL}")]);
    let cluster = api.with_scope(false).namespace_if_any("web");
    assert!(cluster.get("a").await.unwrap_err().is_not_found());
    assert_eq!(server.seen(), [format!("GET {ALL}/a")]);
}

#[tokio::test]
async fn metadata_is_asked_for_in_protobuf_then_json() {
    let server = Script::new();
    let api = server.client().namespaced::<Widget>("web").metadata_only();
    let partial = PartialObjectMetadata {
        metadata: ObjectMeta {
            name: "a".into(),
            ..Default::default()
        },
    };
    let list = kubeloom::meta::PartialObjectMetadataList {
        items: vec![partial.clone()],
        ..Default::default()
    };
    let protobuf = |object: Vec<u8>| Reply::new(200, "application/vnd.kubernetes.protobuf;as=X", object);
    server.on(
        &format!("GET {BASE}/a"),
        protobuf(partial.encode(Format::Protobuf).unwrap()),
    );
    server.on(
        &format!("GET {BASE}"),
        protobuf(list.encode(Format::Protobuf).unwrap()),
    );
    server.on(
        &format!("PATCH {BASE}/a"),
        Reply::ok(&json!({"kind": "Widget", "metadata": {"name": "a"}, "spec": {}})),
    );
    server.on(
        &format!("DELETE {BASE}/a"),
        Reply::ok(&json!({"kind": "Status", "status": "Success"})),
    );
    assert_eq!(api.get("a").await.unwrap(), partial);
    assert_eq!(api.list().await.unwrap(), list);
    // A server that does not reduce objects answers with whole ones; their metadata is read all the same.
    assert_eq!(
        api.patch("a", PatchBody::merge(&json!({}))).await.unwrap(),
        partial
    );
    assert!(matches!(
        api.delete("a").grace_period(Duration::ZERO).await.unwrap(),
        Deletion::Status(_)
    ));
    let accepts: Vec<String> = server
        .take()
        .iter()
        .map(|request| request.headers.get("accept").unwrap().to_owned())
        .collect();
    let one = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let many = one.replace("Metadata;", "MetadataList;");
    assert_eq!(accepts, [one, &many, one, one]);
}

#[tokio::test]
async fn tables_are_read_whatever_is_in_their_cells() {
    let server = Script::new();
    server.on(
        &format!("GET {BASE}"),
        Reply::ok(&json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "7"},
            "columnDefinitions": [{"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}, {"name": "Size", "type": "integer", "priority": 1}],
            "rows": [{"cells": ["a", 3], "object": {"metadata": {"name": "a"}}}, {"cells": ["b", null, {"x": [1]}], "object": null}], })),
    );
    let table: Table = server
        .client()
        .dynamic(widgets())
        .namespace("web")
        .list_table()
        .await
        .unwrap();
    assert_eq!(table.column_definitions[1].priority, 1);
    assert_eq!(
        table.rows[0].cells,
        [RawJson::from(json!("a")), RawJson::from(json!(3))]
    );
    assert!(table.rows[1].cells[1].is_null() && table.rows[1].object.is_null());
    assert_eq!(
        server.take()[0].headers.get("accept"),
        Some("application/json;as=Table;v=v1;g=meta.k8s.io")
    );
}
