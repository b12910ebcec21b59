//! Kubeconfig documents for a server and one of its users.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Credential;

/// A kubeconfig with one cluster, one user and one current context, all named `kubeloom-tests`, everything inline.
///
/// It is JSON, which is YAML too; so no value needs quoting rules of its own.
pub(super) fn render(url: &str, ca_pem: &str, credential: Credential<'_>) -> String {
    const NAME: &str = "kubeloom-tests";
    let user = match credential {
        Credential::Anonymous => json!({}),
        Credential::Certificate(certificate) => json!({
            "client-certificate-data": STANDARD.encode(&certificate.certificate_pem),
            "client-key-data": STANDARD.encode(&certificate.key_pem),
        }),
        Credential::Token(token) => json!({ "token": token }),
    };
    let document: Value = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{
            "name": NAME,
            "cluster": { "server": url, "certificate-authority-data": STANDARD.encode(ca_pem) },
        }],
        "users": [{ "name": NAME, "user": user }],
        "contexts": [{ "name": NAME, "context": { "cluster": NAME, "user": NAME } }],
        "current-context": NAME,
    });
    format!("{document:#}\n")
}
