//! What a credential plugin is told, and what it answers.

use base64::Engine;
use serde_json::{Value, json};

use crate::config::{
    ClientIdentity, Config, DataSource, ExecConfig, Proxy, SecretBytes, SecretSource, SecretString, Trust,
};
use crate::transport::{TransportError, TransportErrorKind};

/// What a plugin answered.
#[derive(Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) token: Option<SecretString>,
    pub(super) certificate: Option<ClientIdentity>,
    /// When the credentials expire; never if they do not say.
    pub(super) expires: Option<jiff::Timestamp>,
}

/// What is told about the cluster. Reads the authority's file, and blocks while it does.
pub(super) fn cluster(config: &Config, exec: &ExecConfig) -> Result<Value, TransportError> {
    let mut cluster = json!({ "server": config.server.expose() });
    if let Some(name) = &config.tls.server_name {
        cluster["tls-server-name"] = json!(name);
    }
    match &config.tls.trust {
        Trust::System => {}
        Trust::Insecure => cluster["insecure-skip-tls-verify"] = json!(true),
        Trust::Authority(source) => {
            let pem = match source {
                DataSource::Inline(pem) => pem.clone(),
                DataSource::File(path) => std::fs::read(path).map_err(|error| {
                    let message = format!(
                        "the certificate authority {} cannot be read: {}",
                        path.display(),
                        error.kind()
                    );
                    TransportError::new(TransportErrorKind::Config, message).with_source(error)
                })?,
            };
            let encoded = base64::engine::general_purpose::STANDARD.encode(pem);
            cluster["certificate-authority-data"] = json!(encoded);
        }
    }
    if let Proxy::Url(url) = &config.proxy {
        cluster["proxy-url"] = json!(url.expose());
    }
    if config.compression == crate::config::Compression::Off {
        cluster["disable-compression"] = json!(true);
    }
    if let Some(extension) = &exec.cluster_extension {
        cluster["config"] = extension.expose().clone();
    }
    Ok(cluster)
}

/// The value of `KUBERNETES_EXEC_INFO`.
pub(super) fn info(exec: &ExecConfig, cluster: Option<&Value>, interactive: bool) -> String {
    let mut spec = json!({ "interactive": interactive });
    if let Some(cluster) = cluster {
        spec["cluster"] = cluster.clone();
    }
    json!({ "apiVersion": exec.api_version, "kind": "ExecCredential", "spec": spec }).to_string()
}

/// Reads an answer. No error repeats any of it.
pub(super) fn parse(exec: &ExecConfig, output: &[u8]) -> Result<Answer, String> {
    let value: Value = serde_json::from_slice(output).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("its output is not valid JSON (line {line}, column {column})")
    })?;
    if value["kind"] != "ExecCredential" {
        return Err("its output is not of kind ExecCredential".to_owned());
    }
    if value["apiVersion"] != exec.api_version.as_str() {
        return Err(format!(
            "its output is not of the configured apiVersion {}",
            exec.api_version
        ));
    }
    let status = &value["status"];
    let text = |key: &str| match &status[key] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        _ => Err(format!("its output has a status.{key} that is no string")),
    };
    let token = text("token")?.map(|token| SecretString::from(token.trim()));
    let certificate = match (text("clientCertificateData")?, text("clientKeyData")?) {
        (Some(certificate), Some(key)) => Some(ClientIdentity {
            certificate: DataSource::Inline(certificate.into_bytes()),
            key: SecretSource::Inline(SecretBytes::from(key.into_bytes())),
        }),
        (None, None) => None,
        _ => return Err("its output has only one of client certificate and key".to_owned()),
    };
    if token.is_none() && certificate.is_none() {
        return Err("its output has neither a token nor a client certificate".to_owned());
    }
    let expires =
        match text("expirationTimestamp")? {
            None => None,
            Some(at) => Some(at.parse().map_err(|_| {
                "its output has an expirationTimestamp that is no time of RFC 3339".to_owned()
            })?),
        };
    Ok(Answer {
        token,
        certificate,
        expires,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Opaque, UrlString};

    #[test]
    fn answers_are_taken_or_refused_without_quoting_them() {
        let exec = ExecConfig::new("x");
        let check = |status: &str, expected: Result<(Option<&str>, bool, bool), &str>| {
            let text = format!(
                r#"{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{status}}}"#
            );
            match (parse(&exec, text.as_bytes()), expected) {
                (Ok(answer), Ok((token, certificate, expires))) => {
                    assert_eq!(
                        answer.token.as_ref().map(|t| t.expose().as_str()),
                        token,
                        "{status}"
                    );
                    assert_eq!(answer.certificate.is_some(), certificate, "{status}");
                    assert_eq!(answer.expires.is_some(), expires, "{status}");
                }
                (Err(error), Err(word)) => {
                    assert!(error.contains(word), "{error}");
                    assert!(!error.contains("hunter2"), "{error}");
                }
                (got, expected) => panic!("{status}: {:?} for {expected:?}", got.map(|_| ())),
            }
        };
        check(r#"{"token":"t"}"#, Ok((Some("t"), false, false)));
        check(r#"{"token":" t\n"}"#, Ok((Some("t"), false, false)));
        let certificate = r#"{"clientCertificateData":"c","clientKeyData":"k"}"#;
        check(certificate, Ok((None, true, false)));
        let expiring = r#"{"token":"t","expirationTimestamp":"2030-01-02T03:04:05Z"}"#;
        check(expiring, Ok((Some("t"), false, true)));
        check(r#"{"clientKeyData":"hunter2"}"#, Err("only one"));
        check(r#"{"token":""}"#, Err("neither"));
        check(r#"{"token":["hunter2"]}"#, Err("no string"));
        check("null", Err("neither"));
        check(
            r#"{"token":"hunter2","expirationTimestamp":"soon"}"#,
            Err("RFC 3339"),
        );
        check(r#"{"token":"hunter2""#, Err("valid JSON"));
        let other = br#"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"t"}}"#;
        assert!(parse(&exec, other).is_err_and(|error| error.contains("apiVersion")));
    }

    #[test]
    fn the_plugin_is_told_about_the_cluster_only_if_it_is_to_know() {
        let mut exec = ExecConfig::new("x");
        exec.cluster_extension = Some(Opaque::new(json!({ "audience": "a" })));
        let mut config = Config::new(UrlString::from("https://h:6443"));
        config.tls.trust = Trust::Authority(DataSource::Inline(b"PEM".to_vec()));
        config.tls.server_name = Some("n".to_owned());
        config.proxy = Proxy::Url("socks5://p:1".into());
        let cluster = cluster(&config, &exec).unwrap();
        let told: Value = serde_json::from_str(&info(&exec, Some(&cluster), true)).unwrap();
        let expected = json!({
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "spec": {
                "interactive": true,
                "cluster": {
                    "server": "https://h:6443",
                    "tls-server-name": "n",
                    "certificate-authority-data": "UEVN",
                    "proxy-url": "socks5://p:1",
                    "config": { "audience": "a" },
                },
            },
        });
        assert_eq!(told, expected);
        let told: Value = serde_json::from_str(&info(&exec, None, false)).unwrap();
        assert_eq!(told["spec"], json!({ "interactive": false }));
    }
}
