//! Derived kinds through the typed client, informers and listers.

use std::time::Duration;

use kubeloom::cache::SharedInformerFactory;
use kubeloom::field::CauseType;
use kubeloom::resource::Resource as _;
use kubeloom_k8s::Clientset;

use crate::fixture;
use crate::kinds::{OwnCondition, Region, Tier, Website, WebsiteSpec, WebsiteStatus};
use crate::server::install;

fn website(name: &str) -> Website {
    let mut website = Website::default();
    website.metadata.name = name.into();
    website.spec = WebsiteSpec {
        domain: "example.com".into(),
        replicas: 2,
        tier: Tier::Back,
        listeners: Vec::new(),
    };
    website
}

#[tokio::test]
async fn a_derived_kind_has_the_client_of_a_generated_one() {
    let (client, namespace) = fixture!("derived");
    install(&client, &Website::crd().unwrap()).await;
    let clientset = Clientset::new(&client);
    let websites = clientset.resource::<Website>(&namespace);

    let created = websites.create(&website("front")).await.unwrap();
    assert_eq!(created.spec, website("front").spec);
    let mut seen = websites.get("front").await.unwrap();
    seen.status = Some(WebsiteStatus {
        replicas: 1,
        selector: "app=front".into(),
        conditions: vec![OwnCondition {
            type_: "Ready".into(),
            status: "True".into(),
        }],
    });
    // The subresource changes the status alone.
    seen.spec.replicas = 7;
    let updated = websites.update_status(&seen).await.unwrap();
    assert_eq!((updated.spec.replicas, updated.status), (2, seen.status.clone()));
    let read = websites.get_status("front").await.unwrap();
    assert_eq!(read.status, seen.status);

    let mut scale = websites.get_scale("front").await.unwrap();
    assert_eq!(
        (
            scale.spec.replicas,
            scale.status.replicas,
            &*scale.status.selector
        ),
        (2, 1, "app=front")
    );
    scale.spec.replicas = 4;
    let scale = websites.update_scale("front", &scale).await.unwrap();
    assert_eq!(scale.spec.replicas, 4);
    assert_eq!(websites.get("front").await.unwrap().spec.replicas, 4);

    let selected = websites.list().fields("spec.tier=Back").await.unwrap();
    assert_eq!(selected.len(), 1);
    assert_eq!(websites.list().fields("spec.tier=Front").await.unwrap().len(), 0);
    let every = client.all_namespaces::<Website>().list().await.unwrap();
    assert!(every.iter().any(|one| one.metadata.namespace == *namespace));
    websites.delete("front").await.unwrap();
}

#[tokio::test]
async fn informers_and_listers_take_derived_kinds() {
    let (client, namespace) = fixture!("derived-cache");
    install(&client, &Website::crd().unwrap()).await;
    install(&client, &Region::crd().unwrap()).await;
    let websites = client.namespaced::<Website>(&namespace);
    websites.create(&website("one")).await.unwrap();
    let mut region = Region::default();
    region.metadata.name = format!("region-{namespace}").into();
    region.zones = vec!["a".into()];
    client.cluster::<Region>().create(&region).await.unwrap();

    let factory = SharedInformerFactory::new(&client);
    let (sites, regions) = (factory.informer::<Website>(), factory.informer::<Region>());
    factory.start();
    tokio::time::timeout(Duration::from_secs(20), factory.wait_synced())
        .await
        .unwrap()
        .unwrap();
    let one = sites.lister().namespace(&namespace).get("one").unwrap();
    assert_eq!(one.spec.domain, "example.com");
    assert!(
        regions
            .lister()
            .list()
            .iter()
            .any(|one| one.metadata.name == region.metadata.name)
    );
    websites.create(&website("two")).await.unwrap();
    let arrived = async {
        while sites.lister().namespace(&namespace).get("two").is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), arrived)
        .await
        .unwrap();
    factory.shutdown().await;
    client
        .cluster::<Region>()
        .delete(&region.metadata.name)
        .await
        .unwrap();
}

#[tokio::test]
async fn rules_refuse_with_field_reason_and_words() {
    let (client, namespace) = fixture!("derived-rules");
    install(&client, &Website::crd().unwrap()).await;
    let websites = client.namespaced::<Website>(&namespace);
    let mut many = website("small");
    many.spec.replicas = 11;
    let error = websites.create(&many).await.unwrap_err();
    assert!(error.is_invalid(), "{error}");
    let causes = &error.status().unwrap().details.as_ref().unwrap().causes;
    assert_eq!((causes.len(), &*causes[0].field), (1, "spec.replicas"));
    assert_eq!(causes[0].reason, CauseType::Forbidden.as_str());
    assert!(
        causes[0].message.contains("at most 10 replicas"),
        "{:?}",
        causes[0]
    );
    many.metadata.name = "big-site".into();
    let mut big = websites.create(&many).await.unwrap();

    big.spec.domain = "other.example.com".into();
    let error = websites.update(&big).await.unwrap_err().to_string();
    assert!(error.contains("a site cannot move"), "{error}");
    let listener = |name: &str, min, max| crate::kinds::Listener {
        name: name.into(),
        min,
        max,
    };
    for (listeners, expected) in [
        (vec![listener("a", 2, 1)], "min is above max"),
        (vec![listener("a", 1, 2), listener("a", 3, 4)], "Duplicate value"),
    ] {
        let mut site = website("listeners");
        site.spec.listeners = listeners;
        let error = websites.create(&site).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(Website::SHORT_NAMES, ["ws"]);
}
