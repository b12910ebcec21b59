//! What a website consists of: a ConfigMap with the page, and a Deployment of servers that show it.

use kubeloom::generated::*;
use kubeloom::meta::OwnerError;
use kubeloom::value::map;
use kubeloom_k8s::apps_v1::{Deployment, DeploymentSpec};
use kubeloom_k8s::core_v1::{
    ConfigMap, ConfigMapVolumeSource, Container, PodSpec, PodTemplateSpec, Volume, VolumeMount,
};

use super::website::Website;

const PAGE: &str = "index.html";
const IMAGE: &str = "registry.example.com/httpd:1";

/// The children's metadata: the name of the website, which controls them.
fn metadata(site: &Website) -> Result<ObjectMeta, OwnerError> {
    let mut meta = ObjectMeta {
        name: site.metadata.name.clone(),
        namespace: site.metadata.namespace.clone(),
        labels: labels(site),
        ..Default::default()
    };
    meta.set_controller(site)?;
    Ok(meta)
}

fn labels(site: &Website) -> Map<Str> {
    map([("demo.kubeloom.dev/website", site.metadata.name.as_str())])
}

pub fn config_map(site: &Website) -> Result<ConfigMap, OwnerError> {
    Ok(ConfigMap {
        metadata: metadata(site)?,
        data: map([(PAGE, site.spec.html.as_str())]),
        ..Default::default()
    })
}

pub fn deployment(site: &Website) -> Result<Deployment, OwnerError> {
    let container = Container {
        name: "httpd".into(),
        image: IMAGE.into(),
        volume_mounts: vec![VolumeMount {
            name: "page".into(),
            mount_path: "/srv".into(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let page = Volume {
        name: "page".into(),
        config_map: Some(Box::new(ConfigMapVolumeSource {
            name: site.metadata.name.clone(),
            ..Default::default()
        })),
        ..Default::default()
    };
    Ok(Deployment {
        metadata: metadata(site)?,
        spec: DeploymentSpec {
            replicas: Some(site.spec.replicas),
            selector: Some(Box::new(LabelSelector {
                match_labels: labels(site),
                ..Default::default()
            })),
            template: PodTemplateSpec {
                metadata: ObjectMeta {
                    labels: labels(site),
                    ..Default::default()
                },
                spec: PodSpec {
                    containers: vec![container],
                    volumes: vec![page],
                    ..Default::default()
                },
            },
            ..Default::default()
        },
        ..Default::default()
    })
}

/// Whether what is there is as wished, as far as this controller has a wish. Servers fill in defaults, and others may add
/// what they like: the whole objects are never equal.
pub fn is_as_wished(there: &ConfigMap, wish: &ConfigMap) -> bool {
    there.data == wish.data && there.metadata.owner_references == wish.metadata.owner_references
}

pub fn shows_as_wished(there: &Deployment, wish: &Deployment) -> bool {
    let image = |deployment: &Deployment| {
        let containers = &deployment.spec.template.spec.containers;
        containers.first().map(|container| container.image.clone())
    };
    there.spec.replicas == wish.spec.replicas
        && image(there) == image(wish)
        && there.metadata.owner_references == wish.metadata.owner_references
}
