//! Who the client is to the server.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kubeloom::RestClient;
use kubeloom::clock::{Clock, TokioClock};
use kubeloom::config::{AuthConfig, ClientIdentity, DataSource, Impersonation, SecretSource};
use kubeloom::transport::BoxFuture;
use kubeloom_k8s::authentication_v1::{SelfSubjectReview, UserInfo};
use kubeloom_k8s::core_v1::{ConfigMap, Namespace};
use kubeloom_tests::apiserver::{ApiServer, Certificate, Options, User, binary};
use kubeloom_tests::require_apiserver;

use crate::{admin, client, client_with, config_map};

/// Time that is ahead of the real one by as much as the test says.
#[derive(Clone, Debug, Default)]
struct Ahead(Arc<AtomicU64>);

impl Ahead {
    fn skip(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }

    fn by(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

impl Clock for Ahead {
    fn now(&self) -> Instant {
        TokioClock.now() + self.by()
    }

    fn wall(&self) -> jiff::Timestamp {
        TokioClock.wall() + self.by()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        TokioClock.sleep(duration)
    }
}

async fn who(client: &RestClient) -> UserInfo {
    let review = client.cluster::<SelfSubjectReview>();
    review
        .create(&SelfSubjectReview::default())
        .await
        .unwrap()
        .status
        .user_info
}

#[tokio::test]
async fn the_server_sees_all_four_parts_of_an_impersonation() {
    let server = require_apiserver!();
    let mut config = admin(server);
    let extra = BTreeMap::from([
        (
            "scopes".to_owned(),
            vec!["view".to_owned(), "edit, and more".to_owned()],
        ),
        ("example.com/a key%20é".to_owned(), vec!["one".to_owned()]),
    ]);
    config.impersonate = Some(Impersonation {
        user: "jane.doe@example.com".to_owned(),
        uid: Some("0e5b8b0c-uid".to_owned()),
        groups: vec!["dev".to_owned(), "on call".to_owned()],
        extra: extra.clone(),
    });
    let client = client(&config);
    let seen = who(&client).await;
    assert_eq!(
        (&*seen.username, &*seen.uid),
        ("jane.doe@example.com", "0e5b8b0c-uid")
    );
    let groups: Vec<&str> = seen.groups.iter().map(|group| &**group).collect();
    assert_eq!(groups, ["dev", "on call", "system:authenticated"]);
    let seen_extra: BTreeMap<String, Vec<String>> = (seen.extra.iter())
        .map(|(key, values)| (key.to_string(), values.iter().map(ToString::to_string).collect()))
        .collect();
    assert_eq!(seen_extra, extra);

    // Those are her rights too: none.
    let error = client
        .namespaced::<ConfigMap>("default")
        .create(&config_map("a"))
        .await
        .unwrap_err();
    assert!(error.is_forbidden(), "{error}");
    assert!(error.to_string().contains("jane.doe@example.com"), "{error}");
    assert!(
        client
            .namespaced::<ConfigMap>("default")
            .watch()
            .await
            .unwrap_err()
            .is_forbidden()
    );
}

#[tokio::test]
async fn who_may_not_impersonate_is_told_whom() {
    let server = require_apiserver!();
    let mut config = admin(server);
    config.tls.identity = Some(identity_of(&server.client_certificate("nobody", &[]).unwrap()));
    config.impersonate = Some(Impersonation {
        user: "root".to_owned(),
        ..Impersonation::default()
    });
    let error = client(&config).cluster::<Namespace>().list().await.unwrap_err();
    assert!(error.is_forbidden(), "{error}");
    // Which right is missing differs with the server's version; whose is the same.
    let text = error.to_string();
    assert!(
        text.contains("cannot impersonate") && text.contains("\"nobody\""),
        "{text}"
    );
}

fn identity_of(certificate: &Certificate) -> ClientIdentity {
    ClientIdentity {
        certificate: DataSource::Inline(certificate.certificate_pem.clone().into_bytes()),
        key: SecretSource::Inline(certificate.key_pem.clone().into_bytes().into()),
    }
}

#[tokio::test]
async fn a_client_certificate_is_read_again_when_its_files_change() {
    let server = require_apiserver!();
    let dir = tempfile::tempdir().unwrap();
    let (certificate, key) = (dir.path().join("tls.crt"), dir.path().join("tls.key"));
    let write = |name: &str| {
        let pair = server.client_certificate(name, &["dev"]).unwrap();
        std::fs::write(&certificate, pair.certificate_pem).unwrap();
        std::fs::write(&key, pair.key_pem).unwrap();
    };
    write("first");
    let mut config = admin(server);
    config.tls.identity = Some(ClientIdentity {
        certificate: DataSource::File(certificate.clone()),
        key: SecretSource::File(key.clone()),
    });
    let clock = Ahead::default();
    let client = client_with(&config, |options| options.clock = Arc::new(clock.clone()));
    assert_eq!(who(&client).await.username, *"first");
    write("second");
    // The old connection serves until the files are due, and the old certificate with it.
    assert_eq!(who(&client).await.username, *"first");
    clock.skip(61);
    let seen = who(&client).await;
    assert_eq!((&*seen.username, &*seen.groups[0]), ("second", "dev"));
    // Half of a rotation: the pair does not fit and the last good one stays.
    std::fs::write(&key, "no key").unwrap();
    clock.skip(61);
    assert_eq!(who(&client).await.username, *"second");
    write("third");
    clock.skip(61);
    assert_eq!(who(&client).await.username, *"third");
}

#[tokio::test]
async fn a_token_is_read_again_when_its_file_changes() {
    if !binary::program().unwrap().obtainable_or_skip().unwrap() {
        return;
    }
    let server = ApiServer::start(Options {
        users: ["old", "new", "newest"]
            .iter()
            .map(|name| User::new(name, &[]))
            .collect(),
        ..Options::default()
    })
    .unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let write = |text: &str| std::fs::write(file.path(), text).unwrap();
    let token = |user: &str| format!("{}\n", server.token(user).unwrap());
    write(&token("old"));
    let mut config = admin(&server);
    config.tls.identity = None;
    config.auth = AuthConfig::TokenFile {
        path: file.path().to_owned(),
        fallback: None,
    };
    let clock = Ahead::default();
    let client = client_with(&config, |options| options.clock = Arc::new(clock.clone()));
    assert_eq!(who(&client).await.username, *"old");
    write(&token("new"));
    assert_eq!(who(&client).await.username, *"old");
    clock.skip(60);
    assert_eq!(who(&client).await.username, *"new");
    write("");
    clock.skip(60);
    assert_eq!(who(&client).await.username, *"new");
    // A token that is no longer good: the 401 makes the file be read at once, and the call goes through.
    write("revoked-token");
    clock.skip(60);
    let refused = client.cluster::<Namespace>().list().await.unwrap_err();
    assert!(refused.is_unauthorized(), "{refused}");
    assert!(!format!("{refused} {refused:?} {client:?}").contains("revoked-token"));
    write(&token("newest"));
    assert_eq!(who(&client).await.username, *"newest");
}
