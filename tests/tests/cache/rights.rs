//! An informer that may not read, and then may.

use kubeloom::RestClient;
use kubeloom::cache::{Failed, ReflectorState};
use kubeloom::config::Impersonation;
use kubeloom_k8s::rbac_v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject};
use kubeloom_k8s::{Clientset, SharedInformerFactory};
use kubeloom_tests::require_apiserver;

use crate::{admin, agrees, clientset, config_map, eventually};

fn role() -> Role {
    let rule = PolicyRule {
        api_groups: vec!["".into()],
        resources: vec!["configmaps".into()],
        verbs: vec!["list".into(), "watch".into()],
        ..PolicyRule::default()
    };
    let mut role = Role {
        rules: vec![rule],
        ..Role::default()
    };
    role.metadata.name = "reader".into();
    role
}

fn binding(user: &str) -> RoleBinding {
    let mut binding = RoleBinding {
        role_ref: RoleRef {
            api_group: "rbac.authorization.k8s.io".into(),
            kind: "Role".into(),
            name: "reader".into(),
        },
        subjects: vec![Subject {
            kind: "User".into(),
            name: user.into(),
            api_group: "rbac.authorization.k8s.io".into(),
            ..Subject::default()
        }],
        ..RoleBinding::default()
    };
    binding.metadata.name = "readers".into();
    binding
}

/// Why nothing comes can be seen, and once it may it does.
#[tokio::test]
async fn what_is_forbidden_is_shown_and_tried_again() {
    let server = require_apiserver!();
    let namespace = server.namespace("forbidden").unwrap();
    let admins = clientset(server);
    admins
        .core_v1()
        .config_maps(&namespace)
        .create(&config_map("a"))
        .await
        .unwrap();
    let mut config = admin(server);
    config.impersonate = Some(Impersonation {
        user: format!("reader-of-{namespace}"),
        ..Impersonation::default()
    });
    let reader = Clientset::new(&RestClient::new(&config).unwrap());
    let factory = SharedInformerFactory::new(&reader).namespace(&namespace);
    let informer = factory.core_v1().config_maps();
    factory.start();
    eventually("forbidden", || {
        let overview = &factory.overview()[0];
        let is_forbidden = |failed: &Failed| matches!(failed, Failed::Call(error) if error.is_forbidden());
        let shown = matches!(&overview.reflector.state,
            ReflectorState::BackingOff { last_error, .. } if is_forbidden(last_error));
        shown && !overview.synced && overview.running
    })
    .await;
    let rights = admins.rbac_v1();
    rights.roles(&namespace).create(&role()).await.unwrap();
    let user = format!("reader-of-{namespace}");
    rights
        .role_bindings(&namespace)
        .create(&binding(&user))
        .await
        .unwrap();
    factory.wait_synced().await.unwrap();
    agrees(&informer, &admins.core_v1().config_maps(&namespace), "").await;
    factory.shutdown().await;
}
