//! Kubeconfig files: reading, merging, writing, and what becomes of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use base64::Engine;
use kubeloom::config::{
    AuthConfig, Compression, Config, ConfigError, DataSource, Environment, InteractiveMode, Kubeconfig,
    KubeconfigOptions, Origin, Proxy, SecretSource, Trust,
};

/// A kubeconfig with one context `c`, whose cluster and user have these keys (indented by four blanks).
fn one(cluster: &str, user: &str) -> String {
    format!(
        "current-context: c\ncontexts:\n- name: c\n  context: {{cluster: k, user: u}}\nclusters:\n- name: k\n  cluster:\n    server: https://host:6443\n{cluster}users:\n- name: u\n  user:\n    as: \n{user}"
    )
}

fn parse(text: &str) -> Result<Kubeconfig, ConfigError> {
    Kubeconfig::parse(
        text.as_bytes(),
        Origin::File(PathBuf::from("/home/jane/.kube/config")),
    )
}

fn resolve(text: &str) -> Result<Config, ConfigError> {
    Config::from_loaded(&parse(text)?, &KubeconfigOptions::default())
}

fn base64(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[test]
fn what_a_cluster_says_is_used() {
    let data = base64("ca pem");
    let config = resolve(&one(
        &format!(
            "    certificate-authority-data: {data}\n    certificate-authority: ignored.crt\n    tls-server-name: kubernetes\n    proxy-url: http://jane:hunter2@proxy:3128\n    disable-compression: true\n"
        ),
        "",
    ))
    .unwrap();
    assert_eq!(config.server.expose(), "https://host:6443");
    assert_eq!(
        config.tls.trust,
        Trust::Authority(DataSource::Inline(b"ca pem".to_vec()))
    );
    assert_eq!(config.tls.server_name.as_deref(), Some("kubernetes"));
    assert_eq!(config.proxy, Proxy::Url("http://jane:hunter2@proxy:3128".into()));
    assert_eq!(config.compression, Compression::Off);
    assert_eq!(config.namespace, "default");
    assert_eq!(config.auth, AuthConfig::Anonymous);
}

#[test]
fn what_a_user_says_is_used() {
    let auth = |user: &str| resolve(&one("", user)).unwrap().auth;
    assert_eq!(auth("    token: t\n"), AuthConfig::Token("t".into()));
    let file = |fallback: Option<&str>| AuthConfig::TokenFile {
        path: "/home/jane/.kube/tok".into(),
        fallback: fallback.map(Into::into),
    };
    assert_eq!(auth("    tokenFile: tok\n"), file(None));
    assert_eq!(auth("    tokenFile: tok\n    token: t\n"), file(Some("t")));
    let basic = |password: &str| AuthConfig::Basic {
        username: "jane".into(),
        password: password.into(),
    };
    assert_eq!(auth("    username: jane\n    password: pw\n"), basic("pw"));
    assert_eq!(auth("    username: jane\n    password:\n"), basic(""));
    assert_eq!(auth("    password: ''\n"), AuthConfig::Anonymous);

    let identity = resolve(&one(
        "",
        &format!(
            "    client-certificate: c.pem\n    client-key-data: {}\n    exec: {{}}\n",
            base64("key")
        ),
    ));
    let config = identity.unwrap();
    let identity = config.tls.identity.unwrap();
    assert_eq!(
        identity.certificate,
        DataSource::File("/home/jane/.kube/c.pem".into())
    );
    assert_eq!(identity.key, SecretSource::Inline(b"key".to_vec().into()));
    assert_eq!(
        config.auth,
        AuthConfig::Anonymous,
        "a certificate wins over a plugin"
    );
}

#[test]
fn impersonation_is_read_whole() {
    let user = "    as: x\n    as-uid: u-1\n    as-groups: [a, b]\n    as-user-extra:\n      scopes: [r, w]\n      none: []\n";
    let config = resolve(&one("", user).replace("    as: \n", "")).unwrap();
    let impersonation = config.impersonate.unwrap();
    assert_eq!(
        (impersonation.user.as_str(), impersonation.uid.as_deref()),
        ("x", Some("u-1"))
    );
    assert_eq!(impersonation.groups, ["a", "b"]);
    assert_eq!(impersonation.extra["scopes"], ["r", "w"]);
    assert!(impersonation.extra["none"].is_empty());
}

#[test]
fn a_plugin_is_read_and_its_command_resolved_only_if_it_is_a_path() {
    let exec = |version: &str, command: &str, rest: &str| {
        let user = format!(
            "    exec:\n      apiVersion: client.authentication.k8s.io/{version}\n      command: {command}\n{rest}"
        );
        match resolve(&one("", &user)).unwrap().auth {
            AuthConfig::Exec(exec) => *exec,
            other => panic!("{other:?}"),
        }
    };
    let rest = "      args: [get-token]\n      env: [{name: A, value: b}]\n      installHint: install it\n      provideClusterInfo: true\n      interactiveMode: Never\n";
    let read = exec("v1", "aws", rest);
    assert_eq!(
        (read.command.as_str(), read.interactive_mode),
        ("aws", InteractiveMode::Never)
    );
    assert_eq!(read.args, ["get-token".into()]);
    assert_eq!(read.env, [("A".to_owned(), "b".into())]);
    assert_eq!(read.install_hint.as_deref(), Some("install it"));
    assert!(read.provide_cluster_info);
    assert_eq!(
        exec("v1beta1", "aws", "").interactive_mode,
        InteractiveMode::IfAvailable
    );
    assert_eq!(
        exec("v1beta1", "./bin/aws", "").command,
        "/home/jane/.kube/./bin/aws"
    );
    assert_eq!(exec("v1beta1", "/bin/aws", "").command, "/bin/aws");
}

#[test]
fn a_provider_is_read() {
    let user = "    auth-provider:\n      name: oidc\n      config: {client-id: kubernetes, refresh-token: hunter2, unset: null}\n";
    let AuthConfig::Provider(provider) = resolve(&one("", user)).unwrap().auth else {
        panic!()
    };
    assert_eq!(provider.name, "oidc");
    assert_eq!(
        provider.settings.keys().collect::<Vec<_>>(),
        ["client-id", "refresh-token"]
    );
}

#[test]
fn credentials_are_used_only_with_tls() {
    let text = one("", "    token: t\n").replace("https://host", "http://host");
    assert_eq!(resolve(&text).unwrap().auth, AuthConfig::Anonymous);
    let text = one("    insecure-skip-tls-verify: true\n", "    token: t\n").replace("https://host", "host");
    let config = resolve(&text).unwrap();
    assert_eq!(
        (config.auth, config.tls.trust),
        (AuthConfig::Token("t".into()), Trust::Insecure)
    );
}

#[test]
fn a_context_without_a_known_user_is_anonymous() {
    for user in ["", "user: null", "user: ''", "user: nobody"] {
        let text = one("", "    token: t\n").replace("user: u}", &format!("{user}}}"));
        assert_eq!(resolve(&text).unwrap().auth, AuthConfig::Anonymous, "{user:?}");
    }
}

#[test]
fn mistakes_are_named_with_file_key_and_remedy() {
    let check = |text: String, words: &[&str]| {
        let error = resolve(&text).unwrap_err();
        let shown = error.to_string();
        for word in ["/home/jane/.kube/config"].iter().chain(words) {
            assert!(shown.contains(word), "{word:?} is missing in: {shown}");
        }
        assert!(!format!("{shown} {error:?}").contains("hunter2"), "{error:?}");
    };
    let context = |name: &str| one("", "").replace("current-context: c", &format!("current-context: {name}"));
    check(context("prod"), &["context \"prod\"", "known contexts: c"]);
    check(context(""), &["no current-context", "known contexts: c"]);
    check(
        one("", "").replace("cluster: k,", "cluster: gone,"),
        &["cluster \"gone\"", "context \"c\"", "known clusters: k"],
    );
    check(
        one("", "").replace("cluster: k,", ""),
        &["contexts[c].context.cluster", "name one"],
    );
    check(
        one("", "").replace("server: https://host:6443", "server: ''"),
        &["clusters[k].cluster.server", "missing"],
    );
    check(String::new(), &["is empty"]);
    check("apiVersion: v1\nkind: Config\n".to_owned(), &["is empty"]);
    check(
        "contexts: {}".to_owned(),
        &["contexts: expected a list, found a mapping"],
    );
    check(
        "hunter2".to_owned(),
        &["the document: expected a mapping, found a string"],
    );
    check("users: [hunter2]".to_owned(), &["users[0]: expected a mapping"]);
    check(
        one("", "    token: 0123\n"),
        &["users[u].user.token: expected a string, found a number", "quotes"],
    );
    check(one("", "    token: [hunter2]\n"), &["users[u].user.token"]);
    check(
        one("    certificate-authority-data: hunter2!\n", ""),
        &["clusters[k].cluster.certificate-authority-data", "base64"],
    );
    check(
        one("", "    client-certificate: c\n    client-key-data: hunter2!\n"),
        &["client-key-data", "base64"],
    );
    check(
        one("", "    client-certificate: c\n"),
        &["users[u].user.client-key", "no key", "client-key-data"],
    );
    check(
        one("", "    client-key: k\n"),
        &["users[u].user.client-certificate", "no certificate"],
    );
    check(
        one("", "    token: hunter2\n    username: jane\n"),
        &["users[u].user.token", "remove one"],
    );
    check(
        one("", "    as-groups: [a]\n"),
        &["users[u].user.as:", "user's name"],
    );
    check(
        one("", "    exec: {command: hunter2}\n"),
        &["users[u].user.exec.apiVersion", "v1beta1"],
    );
    let exec = |rest: &str| {
        one(
            "",
            &format!("    exec: {{apiVersion: client.authentication.k8s.io/v1, {rest}}}\n"),
        )
    };
    check(exec("interactiveMode: Never"), &["users[u].user.exec.command"]);
    check(exec("command: aws"), &["users[u].user.exec.interactiveMode"]);
    check(
        exec("command: aws, interactiveMode: Never, env: [{value: hunter2}]"),
        &["exec.env[0].name"],
    );
    let both = "    insecure-skip-tls-verify: true\n    certificate-authority: ca.crt\n";
    check(one(both, ""), &["insecure-skip-tls-verify", "remove one"]);
    let twice = one("", "    token: t\n") + "- name: u\n  user: {token: hunter2}\n";
    check(twice, &["users[1].name", "used twice"]);
}

#[test]
fn invalid_yaml_is_named_with_its_line_and_not_quoted() {
    let check = |text: &str, line: &str| {
        let error = parse(text).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.contains("/home/jane/.kube/config is not valid YAML") && shown.contains(line),
            "{shown}"
        );
        assert!(!format!("{shown} {error:?}").contains("hunter2"), "{error:?}");
    };
    check("users:\n- name: u\n  user:\n    token: \"hunter2\n", "line ");
    check("a: 1\nb: [hunter2\nc: }\n", "line ");
    check("a: 1\n  hunter2: 2\n", "line 2");
    check("a: 1\na: hunter2\n", "\"a\" appears twice");
    for value in [
        "*hunter2",
        "!!int hunter2",
        "!!float hunter2",
        "!!bool hunter2",
        "!!binary hunter2!",
        "{[hunter2]: 1}",
    ] {
        check(&format!("token: {value}\n"), "line 1");
    }
    check("<<: hunter2\n", "line 1");
    check("{\"users\": [{\"user\": {\"token\": \"hunter2\"}", "line 1");
    let error = Kubeconfig::parse(b"a: 1\nb: \xff\n", Origin::Memory)
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 2") && error.contains("UTF-8"), "{error}");
}

#[test]
fn encodings_of_windows_are_read() {
    let text = one("", "    token: grüße\n");
    let utf16 = |bom: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        bom.into_iter()
            .chain(text.encode_utf16().flat_map(bytes))
            .collect::<Vec<u8>>()
    };
    let little = utf16([0xff, 0xfe], u16::to_le_bytes);
    let variants = [
        text.clone().into_bytes(),
        [&b"\xef\xbb\xbf"[..], text.as_bytes()].concat(),
        little.clone(),
        utf16([0xfe, 0xff], u16::to_be_bytes),
        text.replace('\n', "\r\n").into_bytes(),
    ];
    for bytes in variants {
        let kubeconfig = Kubeconfig::parse(&bytes, Origin::Memory).unwrap();
        let config = Config::from_loaded(&kubeconfig, &KubeconfigOptions::default()).unwrap();
        assert_eq!(config.auth, AuthConfig::Token("grüße".into()));
    }
    assert!(Kubeconfig::parse(&little[..little.len() - 1], Origin::Memory).is_err());
    assert!(Kubeconfig::parse(b"\xff\xfe\x00\xd8", Origin::Memory).is_err());
}

#[test]
fn json_null_sections_and_several_documents_are_read() {
    let json = "{\n\t\"current-context\": \"c\",\n\t\"contexts\": [{\"name\": \"c\", \"context\": {\"cluster\": \"k\"}}],\n\t\"clusters\": [{\"name\": \"k\", \"cluster\": {\"server\": \"https://h\"}}],\n\t\"users\": null\n}";
    assert_eq!(resolve(json).unwrap().server.expose(), "https://h");

    let nulls = "clusters:\ncontexts: null\nusers: ~\ncurrent-context:\npreferences:\n";
    assert!(parse(nulls).unwrap().is_empty());
    let entries =
        parse("users:\n- name: u\n  user:\n- name: v\n  user: null\nclusters:\n- name: k\n").unwrap();
    assert_eq!((entries.users.len(), entries.clusters.len()), (2, 1));

    let documents = "---\n---\ncurrent-context: a\nusers: [{name: u, user: {token: first}}]\n---\ncurrent-context: b\nusers: [{name: u, user: {token: second}}, {name: v}]\n";
    let merged = parse(documents).unwrap();
    assert_eq!(merged.current_context.as_deref(), Some("a"));
    assert_eq!(merged.users.len(), 2);
    assert_eq!(merged.users[0].value.token, Some("first".into()));
}

fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn files_merge_by_whole_entries_the_first_winning() {
    let directory = tempfile::tempdir().unwrap();
    let first = write(
        directory.path(),
        "one/config",
        "clusters: [{name: k, cluster: {server: https://one, certificate-authority: ca.crt}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n",
    );
    let second = write(
        directory.path(),
        "two/config",
        "current-context: c\nclusters: [{name: k, cluster: {server: https://two, tls-server-name: lost}}]\nusers: [{name: u, user: {tokenFile: tok}}]\npreferences: {colors: true}\n",
    );
    let third = write(
        directory.path(),
        "three",
        "current-context: other\npreferences: {colors: false}\n",
    );
    let missing = directory.path().join("missing");
    let paths = [&first, &missing, &second, &first, &third];
    let merged = Kubeconfig::read_merged(paths).unwrap();
    assert_eq!(merged.origins.len(), 3);
    assert_eq!(merged.remaining.expose()["preferences"]["colors"], true);
    let config = Config::from_loaded(&merged, &KubeconfigOptions::default()).unwrap();
    assert_eq!(config.server.expose(), "https://one");
    assert_eq!(config.tls.server_name, None);
    assert_eq!(
        config.tls.trust,
        Trust::Authority(DataSource::File(directory.path().join("one/ca.crt")))
    );
    let token = AuthConfig::TokenFile {
        path: directory.path().join("two/tok"),
        fallback: None,
    };
    assert_eq!(config.auth, token);

    let error = Kubeconfig::read_merged([&first, &write(directory.path(), "bad", "a: [")]).unwrap_err();
    assert!(error.to_string().contains("bad is not valid YAML"), "{error}");
}

#[test]
fn a_named_file_must_be_there() {
    let directory = tempfile::tempdir().unwrap();
    for (path, what) in [
        (
            directory.path().join("missing"),
            "there is no such file; check the path",
        ),
        (directory.path().to_owned(), "it is a folder; name a file in it"),
    ] {
        let error = Config::from_kubeconfig(&path, &KubeconfigOptions::default()).unwrap_err();
        assert!(matches!(error, ConfigError::Unreadable { .. }), "{error:?}");
        let text = error.to_string();
        assert!(
            text.contains(&path.display().to_string()) && text.contains(what),
            "{text}"
        );
    }
}

#[test]
fn options_replace_what_the_file_says() {
    let text = "contexts:\n- {name: a, context: {cluster: k, user: u, namespace: web}}\n- {name: b, context: {cluster: l}}\nclusters:\n- {name: k, cluster: {server: 'https://k'}}\n- {name: l, cluster: {server: 'https://l'}}\nusers:\n- {name: u, user: {token: u}}\n- {name: v, user: {token: v}}\n";
    let kubeconfig = parse(text).unwrap();
    let some = |text: &str| Some(text.to_owned());
    let check = |options: KubeconfigOptions, server: &str, auth: AuthConfig, namespace: &str| {
        let config = Config::from_loaded(&kubeconfig, &options).unwrap();
        assert_eq!(
            (config.server.expose(), &config.auth, config.namespace.as_str()),
            (server, &auth, namespace)
        );
    };
    let base = KubeconfigOptions {
        context: some("a"),
        ..Default::default()
    };
    check(base.clone(), "https://k", AuthConfig::Token("u".into()), "web");
    let options = KubeconfigOptions {
        context: some("b"),
        ..Default::default()
    };
    check(options, "https://l", AuthConfig::Anonymous, "default");
    let options = KubeconfigOptions {
        cluster: some("l"),
        user: some("v"),
        namespace: some("x"),
        ..base.clone()
    };
    check(options, "https://l", AuthConfig::Token("v".into()), "x");
    let options = KubeconfigOptions {
        cluster: some("k"),
        user: some("v"),
        ..Default::default()
    };
    check(options, "https://k", AuthConfig::Token("v".into()), "default");

    let refused = |options: KubeconfigOptions, words: &[&str]| {
        let error = Config::from_loaded(&kubeconfig, &options)
            .unwrap_err()
            .to_string();
        words
            .iter()
            .for_each(|word| assert!(error.contains(word), "{word:?} is missing in: {error}"));
    };
    refused(
        KubeconfigOptions {
            user: some("w"),
            ..base.clone()
        },
        &["user \"w\"", "known users: u, v"],
    );
    refused(
        KubeconfigOptions {
            cluster: some("m"),
            ..base
        },
        &["cluster \"m\" is", "known clusters: k, l"],
    );
    refused(KubeconfigOptions::default(), &["no current-context", "a, b"]);
}

#[test]
fn what_is_written_reads_as_the_same_with_unknown_keys() {
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: c\nfuture: {a: [1, 2.5, null]}\npreferences: {}\nclusters:\n- name: k\n  note: kept\n  cluster:\n    server: https://host\n    insecure-skip-tls-verify: true\n    future: x\n    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: me}}]\ncontexts:\n- name: c\n  context: {cluster: k, user: u, namespace: 'on', future: true}\nusers:\n- name: u\n  user:\n    token: '0123'\n    tokenFile: rel/tok\n    as: x\n    as-groups: [g]\n    as-user-extra: {k: [v]}\n    future: '1e3'\n    exec: {apiVersion: v, command: ./x, future: 1}\n    auth-provider: {name: oidc, config: {id-token: 'null'}}\n";
    let read = parse(text).unwrap();
    let written = read.to_yaml().unwrap();
    let value = |text: &str| serde_saphyr::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&written), value(text), "{written}");
    assert_eq!(parse(&written).unwrap().to_yaml().unwrap(), written);
}

#[test]
fn nothing_that_is_debugged_shows_a_secret() {
    let secrets = "    token: hunter2\n    client-certificate: c\n    client-key-data: aHVudGVyMg==\n    password: ''\n    future: {password: hunter2}\n    exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: Never, args: [hunter2], env: [{name: A, value: hunter2}]}\n";
    let provider = "    auth-provider: {name: oidc, config: {refresh-token: hunter2}}\n";
    let cluster = "    proxy-url: http://jane:hunter2@proxy\n    extensions: [{name: x, extension: {secret: hunter2}}]\n";
    let bytes = format!("{:?}", b"hunter2".to_vec());
    let users = [
        secrets.to_owned(),
        secrets
            .lines()
            .filter(|line| !line.contains("token:") && !line.contains("client-"))
            .collect::<Vec<_>>()
            .join("\n"),
        provider.to_owned(),
        "    username: jane\n    password: hunter2\n".to_owned(),
        "    tokenFile: t\n    token: hunter2\n".to_owned(),
    ];
    for user in users {
        let text = one(cluster, &user).replace("https://host", "https://jane:hunter2@host");
        let kubeconfig = parse(&text).unwrap();
        let config = Config::from_loaded(&kubeconfig, &KubeconfigOptions::default()).unwrap();
        for shown in [
            format!("{kubeconfig:?}"),
            format!("{config:?}"),
            format!("{config:#?}"),
        ] {
            for secret in ["hunter2", "aHVudGVyMg", &bytes] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }
}

/// An environment in `directory`: a home there, and a mounted service account if there is one.
fn environment(directory: &Path) -> Environment {
    Environment {
        home: Some(directory.to_owned()),
        service_account: directory.join("sa"),
        ..Default::default()
    }
}

fn pod(directory: &Path, host: &str, port: &str) -> Environment {
    write(directory, "sa/token", "pod-token\n");
    Environment {
        service_host: Some(host.to_owned()),
        service_port: Some(port.to_owned()),
        ..environment(directory)
    }
}

fn from(environment: &Environment) -> Result<Config, ConfigError> {
    Config::from_environment(environment, &KubeconfigOptions::default())
}

#[test]
fn a_pod_finds_its_server() {
    let check = |host: &str, port: &str, server: &str| {
        let directory = tempfile::tempdir().unwrap();
        let config = Config::in_cluster_of(&pod(directory.path(), host, port)).unwrap();
        assert_eq!(config.server.expose(), server);
    };
    check("10.0.0.1", "443", "https://10.0.0.1");
    check("10.0.0.1", "6443", "https://10.0.0.1:6443");
    check("fd00::1", "6443", "https://[fd00::1]:6443");
    check("fd00::1", "443", "https://[fd00::1]");
    check("kubernetes.default.svc", "443", "https://kubernetes.default.svc");
}

#[test]
fn a_pod_uses_its_service_account() {
    let directory = tempfile::tempdir().unwrap();
    let mut environment = pod(directory.path(), "10.0.0.1", "443");
    let config = from(&environment).unwrap();
    let path = directory.path().join("sa/token");
    assert_eq!(
        config.auth,
        AuthConfig::TokenFile {
            path: path.clone(),
            fallback: Some("pod-token".into())
        }
    );
    assert_eq!(
        (config.tls.trust, config.namespace.as_str()),
        (Trust::System, "default")
    );

    let authority = write(directory.path(), "sa/ca.crt", "pem");
    write(directory.path(), "sa/namespace", "web\n");
    let config = from(&environment).unwrap();
    assert_eq!(config.tls.trust, Trust::Authority(DataSource::File(authority)));
    assert_eq!(config.namespace, "web");
    environment.pod_namespace = Some("other".to_owned());
    assert_eq!(from(&environment).unwrap().namespace, "other");

    std::fs::write(&path, "\n").unwrap();
    let error = Config::in_cluster_of(&environment).unwrap_err();
    assert!(matches!(error, ConfigError::EmptyToken { .. }), "{error:?}");
    std::fs::remove_file(&path).unwrap();
    let error = Config::in_cluster_of(&environment).unwrap_err();
    assert!(matches!(error, ConfigError::Unreadable { .. }), "{error:?}");
    environment.service_port = None;
    let error = Config::in_cluster_of(&environment).unwrap_err();
    assert!(error.to_string().contains("KUBERNETES_SERVICE_PORT"), "{error}");
}

#[test]
fn the_kubeconfig_comes_before_the_pod() {
    let directory = tempfile::tempdir().unwrap();
    let mut environment = pod(directory.path(), "10.0.0.1", "443");
    write(directory.path(), "sa/namespace", "pod-ns");
    let server = |environment: &Environment| from(environment).unwrap().server.expose().to_owned();

    write(directory.path(), ".kube/config", "apiVersion: v1\nkind: Config\n");
    assert_eq!(
        server(&environment),
        "https://10.0.0.1",
        "a file that says nothing does not count"
    );
    write(directory.path(), ".kube/config", &one("", ""));
    assert_eq!(server(&environment), "https://host:6443");
    assert_eq!(
        from(&environment).unwrap().namespace,
        "pod-ns",
        "the pod's where the context names none"
    );
    write(
        directory.path(),
        ".kube/config",
        &one("", "").replace("user: u}", "user: u, namespace: ctx}"),
    );
    assert_eq!(from(&environment).unwrap().namespace, "ctx");

    let other = write(
        directory.path(),
        "other",
        &one("", "").replace("//host", "//other"),
    );
    let list = std::env::join_paths([directory.path().join("missing"), other]).unwrap();
    environment.kubeconfig = Some(list);
    assert_eq!(server(&environment), "https://other:6443");
    environment.kubeconfig = Some(directory.path().join("missing").into());
    assert_eq!(server(&environment), "https://10.0.0.1");
    write(directory.path(), "broken", "a: [");
    environment.kubeconfig = Some(directory.path().join("broken").into());
    assert!(matches!(
        from(&environment).unwrap_err(),
        ConfigError::InvalidYaml { .. }
    ));
}

#[test]
fn without_any_configuration_the_error_says_where_was_looked() {
    let directory = tempfile::tempdir().unwrap();
    let mut environment = environment(directory.path());
    let error = from(&environment).unwrap_err().to_string();
    let looked = directory.path().join(".kube/config").display().to_string();
    assert!(
        error.contains(&looked) && error.contains("KUBECONFIG is not set"),
        "{error}"
    );
    environment.kubeconfig = Some("/no/such/file".into());
    let error = from(&environment).unwrap_err().to_string();
    assert!(error.contains("KUBECONFIG names /no/such/file"), "{error}");
}
