//! Kubeconfig files that are changed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kubeloom::config::{
    Config, ConfigError, Environment, HttpVersions, Kubeconfig, KubeconfigOptions, Named, SecretString,
};

const FIRST: &str = "
apiVersion: v1
kind: Config
current-context: dev
clusters: [{name: dev, cluster: {server: 'https://dev:6443', certificate-authority: ca.crt, unknown: {a: 1}}}]
contexts: [{name: dev, context: {cluster: dev, user: jane}, more: kept}]
users: [{name: jane, user: {token: old}}]
preferences: {colors: true}
";
const SECOND: &str = "
clusters: [{name: prod, cluster: {server: 'https://prod:6443'}}]
users: [{name: prod, user: {token: two}}]
";

fn files() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    fs::write(&first, FIRST).unwrap();
    fs::write(&second, SECOND).unwrap();
    (folder, first, second)
}

fn set_token(file: &mut Kubeconfig, token: &str) -> Result<(), ConfigError> {
    file.users[0].value.token = Some(SecretString::from(token));
    Ok(())
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_change_keeps_all_else_of_the_file() {
    let (folder, first, _) = files();
    Kubeconfig::modify(&first, |file| set_token(file, "new")).unwrap();
    let text = fs::read_to_string(&first).unwrap();
    assert!(text.contains("new") && !text.contains("old"), "{text}");
    for kept in [
        "unknown",
        "more: kept",
        "colors",
        "certificate-authority: ca.crt",
        "apiVersion: v1",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert_eq!(
        names(folder.path()),
        ["first", "second"],
        "neither lock nor half a file is left"
    );
    // What changes nothing writes nothing.
    let before = fs::metadata(&first).unwrap().modified().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    Kubeconfig::modify(&first, |file| set_token(file, "new")).unwrap();
    assert_eq!(fs::metadata(&first).unwrap().modified().unwrap(), before);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay_and_new_files_are_private() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let (folder, first, _) = files();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&first, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link");
    symlink(&first, &link).unwrap();
    Kubeconfig::modify(&link, |file| set_token(file, "by the link")).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(mode(&first), 0o640);
    assert!(fs::read_to_string(&first).unwrap().contains("by the link"));

    let fresh = folder.path().join("new/folder/config");
    Kubeconfig::modify(&fresh, |file| {
        file.current_context = Some("x".to_owned());
        Ok(())
    })
    .unwrap();
    assert_eq!(mode(&fresh), 0o600);
}

#[test]
fn a_locked_file_is_left_alone_and_the_lock_is_named() {
    let (folder, first, _) = files();
    let lock = folder.path().join("first.lock");
    fs::write(&lock, "").unwrap();
    let error = Kubeconfig::modify(&first, |file| set_token(file, "new")).unwrap_err();
    assert!(matches!(error, ConfigError::Locked { .. }), "{error:?}");
    assert!(error.to_string().contains("first.lock"), "{error}");
    assert!(fs::read_to_string(&first).unwrap().contains("old"));
    assert!(lock.exists(), "the lock is somebody else's");
    fs::remove_file(&lock).unwrap();
    // A change that fails changes nothing, and gives the lock up.
    let failed = Kubeconfig::modify(&first, |file| {
        set_token(file, "half")?;
        Err::<(), _>(ConfigError::NotInCluster { missing: "x" })
    });
    assert!(failed.is_err() && !lock.exists());
    assert!(fs::read_to_string(&first).unwrap().contains("old"));
    // What is broken stays broken.
    fs::write(&first, "a: [").unwrap();
    assert!(Kubeconfig::modify(&first, |_| Ok(())).is_err());
    assert_eq!(fs::read_to_string(&first).unwrap(), "a: [");
}

#[test]
fn each_entry_goes_to_the_file_it_came_from() {
    let (folder, first, second) = files();
    let missing = folder.path().join("missing");
    let environment = Environment {
        kubeconfig: Some(std::env::join_paths([&missing, &second, &first]).unwrap()),
        ..Environment::default()
    };
    environment
        .modify_kubeconfig(|merged| {
            merged.current_context = Some("prod".to_owned());
            let prod = merged.users.iter_mut().find(|user| user.name == "prod").unwrap();
            prod.value.token = Some("rotated".into());
            merged.users.retain(|user| user.name != "jane");
            let cluster = merged.clusters[0].value.clone();
            merged.clusters.push(Named::new("copy", cluster));
            Ok(())
        })
        .unwrap();
    let (one, two) = (
        fs::read_to_string(&first).unwrap(),
        fs::read_to_string(&second).unwrap(),
    );
    assert!(
        one.contains("current-context: prod") && one.contains("users: []"),
        "{one}"
    );
    assert!(
        two.contains("rotated") && two.contains("copy") && !two.contains("current-context"),
        "{two}"
    );
    assert!(!missing.exists());
    let again = Kubeconfig::read_merged([&missing, &second, &first]).unwrap();
    assert_eq!(
        again
            .clusters
            .iter()
            .map(|one| one.name.as_str())
            .collect::<Vec<_>>(),
        ["prod", "copy", "dev"]
    );
}

#[test]
fn with_no_file_yet_the_last_of_the_list_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let environment = Environment {
        kubeconfig: Some(std::env::join_paths([&one, &two]).unwrap()),
        ..Environment::default()
    };
    environment
        .modify_kubeconfig(|merged| {
            merged.current_context = Some("x".to_owned());
            Ok(())
        })
        .unwrap();
    assert!(!one.exists() && two.exists());
}

#[test]
fn variables_of_client_go_tune_the_configuration() {
    let (_folder, first, _) = files();
    let mut environment = Environment {
        kubeconfig: Some(first.into()),
        ..Environment::default()
    };
    let config = |environment: &Environment| {
        Config::from_environment(environment, &KubeconfigOptions::default()).unwrap()
    };
    assert_eq!(config(&environment).keep_alive.interval.as_secs(), 30);
    environment.http2_read_idle_timeout = Some("7".to_owned());
    environment.http2_ping_timeout = Some("nonsense".to_owned());
    environment.backoff_base = Some("1".to_owned());
    let tuned = config(&environment);
    assert_eq!(
        (
            tuned.keep_alive.interval.as_secs(),
            tuned.keep_alive.timeout.as_secs()
        ),
        (7, 15)
    );
    assert_eq!(
        (tuned.http, tuned.retry.backoff),
        (HttpVersions::Http2AndHttp1, None),
        "backoff needs both"
    );
    environment.backoff_duration = Some("120".to_owned());
    environment.disable_http2 = true;
    let tuned = config(&environment);
    assert_eq!(tuned.retry.backoff.unwrap().most, Duration::from_secs(120));
    assert_eq!(tuned.http, HttpVersions::Http1);
}
