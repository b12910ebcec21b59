//! Who is let in, and what the errors say when somebody is not.

use kubeloom::config::{Config, KubeconfigOptions};
use kubeloom::error::ErrorKind;
use kubeloom_k8s::Clientset;
use kubeloom_tests::apiserver::Credential;
use kubeloom_tests::require_apiserver;

fn clientset(kubeconfig: &str) -> Clientset {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), kubeconfig).unwrap();
    let config = Config::from_kubeconfig(file.path(), &KubeconfigOptions::default()).unwrap();
    Clientset::from_config(&config).unwrap()
}

#[tokio::test]
async fn tokens_and_certificates_log_in() {
    let server = require_apiserver!();
    let certificate = server.client_certificate("someone", &["system:masters"]).unwrap();
    for credential in [
        Credential::Token(server.admin_token()),
        Credential::Certificate(&certificate),
    ] {
        let clientset = clientset(&server.kubeconfig_for(credential));
        assert!(!clientset.core_v1().namespaces().list().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn who_may_not_is_told_so() {
    let server = require_apiserver!();
    let nobody = server.client_certificate("nobody", &[]).unwrap();
    let clientset_of_nobody = clientset(&server.kubeconfig_for(Credential::Certificate(&nobody)));
    let error = clientset_of_nobody
        .core_v1()
        .secrets("default")
        .get("s")
        .await
        .unwrap_err();
    assert!(error.is_forbidden(), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("cannot get secrets default/s: 403 Forbidden: "),
        "{error}"
    );

    let stranger = clientset(&server.kubeconfig_for(Credential::Token("hunter2-is-no-token")));
    let error = stranger.core_v1().nodes().list().await.unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
    assert!(!format!("{error} {error:?} {stranger:?}").contains("hunter2"));
}

#[tokio::test]
async fn an_untrusted_certificate_is_named_with_its_remedy() {
    let server = require_apiserver!();
    let mut config =
        Config::from_kubeconfig(server.kubeconfig_path(), &KubeconfigOptions::default()).unwrap();
    config.tls.trust = kubeloom::config::Trust::default();
    let error = Clientset::from_config(&config)
        .unwrap()
        .core_v1()
        .nodes()
        .list()
        .await
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Transport(_)), "{error:?}");
    assert!(error.to_string().contains("certificate-authority"), "{error}");
}
