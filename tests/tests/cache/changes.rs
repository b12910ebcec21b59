//! Someone who changes objects of several kinds at random.

use kubeloom::Error;
use kubeloom::dynamic::{DynamicApi, DynamicObject};
use kubeloom::rest::{GroupVersionResource, PatchBody};
use kubeloom_k8s::Clientset;
use kubeloom_tests::arbitrary::Rng;
use serde_json::{Value, json};

/// Kinds with an object that their server takes.
fn kinds() -> Vec<(GroupVersionResource, &'static str, &'static str, Value)> {
    let labels = json!({"app": "web"});
    let deployment = json!({"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels},
        "spec": {"containers": [{"name": "a", "image": "b"}]}}});
    vec![
        (
            GroupVersionResource::new("", "v1", "configmaps"),
            "v1",
            "ConfigMap",
            json!({}),
        ),
        (
            GroupVersionResource::new("", "v1", "secrets"),
            "v1",
            "Secret",
            json!({}),
        ),
        (
            GroupVersionResource::new("apps", "v1", "deployments"),
            "apps/v1",
            "Deployment",
            deployment,
        ),
    ]
}

pub(crate) struct Changes {
    apis: Vec<(DynamicApi, DynamicObject)>,
    random: Rng,
}

impl Changes {
    pub(crate) fn new(clientset: &Clientset, namespace: &str, seed: u64) -> Self {
        let client = clientset.client();
        let apis = kinds().into_iter().map(|(resource, api_version, kind, spec)| {
            let mut object = DynamicObject::new(api_version, kind, "");
            if spec.as_object().is_some_and(|spec| !spec.is_empty()) {
                object.set("/spec", spec).unwrap();
            }
            (client.dynamic(resource).namespace(namespace), object)
        });
        Self {
            apis: apis.collect(),
            random: Rng::new(seed),
        }
    }

    /// Creates, changes or deletes one object.
    pub(crate) async fn step(&mut self, number: usize) {
        let (api, blank) = &self.apis[self.random.below(self.apis.len())];
        let name = format!("object-{}", self.random.below(12));
        let tier = self.random.pick(&["front", "back"]);
        let outcome = match self.random.below(4) {
            0 => api.delete(&name).await.map(drop),
            _ => {
                let change = json!({"metadata": {"labels": {"tier": tier}, "annotations": {"round": number.to_string()}}});
                match api.patch(&name, PatchBody::merge(&change)).await {
                    Err(error) if error.is_not_found() => {
                        let mut object = blank.clone();
                        object.metadata.name = name.into();
                        object.metadata.labels.insert("tier".into(), tier.into());
                        api.create(&object).await.map(drop)
                    }
                    other => other.map(drop),
                }
            }
        };
        match outcome {
            Ok(()) => {}
            Err(error) if is_expected(&error) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// What others who change the same objects cause.
fn is_expected(error: &Error) -> bool {
    error.is_not_found() || error.is_already_exists() || error.is_conflict()
}
