//! Everything the server returns decodes and encodes to an equal JSON value.

use kubeloom::record::{Record, Value};
use kubeloom::resource::{KindVisitor, Resource};
use kubeloom::rest::GroupVersionResource;
use kubeloom::wire::{Format, Wire};
use kubeloom_k8s::Clientset;
use serde_json::Value as Json;

use crate::fixture;

/// A kind, the path of its list, and its list through our types.
struct Kind {
    path: String,
    api_version: &'static str,
    kind: &'static str,
    through: fn(&[u8]) -> Result<Json, String>,
}

struct Kinds(Vec<Kind>);

impl KindVisitor for Kinds {
    fn visit<K: Resource + Record + Value + Default>(&mut self) {
        let resource = GroupVersionResource::of::<K>();
        let root = if resource.group.is_empty() {
            "/api".to_owned()
        } else {
            format!("/apis/{}", resource.group)
        };
        self.0.push(Kind {
            path: format!("{root}/{}/{}", resource.version, resource.resource),
            api_version: K::API_VERSION,
            kind: K::KIND,
            through: |body| {
                let list = kubeloom::meta::List::<K>::decode(Format::Json, body)
                    .map_err(|error| error.to_string())?;
                serde_json::to_value(&list).map_err(|error| error.to_string())
            },
        });
    }
}

/// Servers leave apiVersion and kind out of the items of a list; our types always write them.
fn with_types(mut list: Json, kind: &Kind) -> Json {
    for item in list["items"].as_array_mut().into_iter().flatten() {
        item["apiVersion"] = kind.api_version.into();
        item["kind"] = kind.kind.into();
    }
    list
}

pub(crate) async fn check_all(clientset: &Clientset) -> (usize, usize) {
    let mut kinds = Kinds(Vec::new());
    kubeloom_k8s::visit_kinds(&mut kinds);
    let (mut lists, mut objects) = (0, 0);
    for kind in &kinds.0 {
        let Ok(document) = clientset.client().document(&kind.path, "application/json").await else {
            continue;
        };
        let raw: Json = serde_json::from_slice(&document.body).unwrap();
        let count = raw["items"].as_array().map_or(0, Vec::len);
        let ours = (kind.through)(&document.body).unwrap_or_else(|error| panic!("{}: {error}", kind.path));
        pretty_assertions::assert_eq!(ours, with_types(raw, kind), "{}", kind.path);
        lists += 1;
        objects += count;
    }
    (lists, objects)
}

#[tokio::test]
async fn every_list_of_a_new_server() {
    let (clientset, _) = fixture!("round-trip");
    let (lists, objects) = check_all(&clientset).await;
    // RBAC's bootstrap roles, priority classes, flow schemas, namespaces, leases ...
    assert!(lists > 80, "{lists} lists");
    assert!(objects > 150, "{objects} objects");
}
