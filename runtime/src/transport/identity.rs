//! [`Identity`]: says who calls (`User-Agent`) and on whose behalf (`Impersonate-*`).

use std::fmt::Write;
use std::sync::Arc;

use super::{BoxFuture, Headers, Request, Response, Transport, TransportError};
use crate::config::{Config, Impersonation};

/// Adds the user agent and the impersonation headers. A request that has its own keeps them.
#[derive(Debug)]
pub(super) struct Identity {
    next: Arc<dyn Transport>,
    user_agent: Headers,
    impersonation: Headers,
}

impl Identity {
    pub(super) fn new(config: &Config, next: Arc<dyn Transport>) -> Self {
        Self {
            next,
            user_agent: [(
                "user-agent",
                config.user_agent.clone().unwrap_or_else(default_user_agent),
            )]
            .into_iter()
            .collect(),
            impersonation: config
                .impersonate
                .as_ref()
                .map(impersonation_headers)
                .unwrap_or_default(),
        }
    }
}

impl Transport for Identity {
    fn send(&self, mut request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        if !request.headers.contains("user-agent") {
            request.headers.extend(&self.user_agent);
        }
        if !request.headers.contains("impersonate-user") {
            request.headers.extend(&self.impersonation);
        }
        self.next.send(request)
    }
}

/// `kubeloom/<version> (<os>/<arch>)`, the latter two in the words that Kubernetes uses.
fn default_user_agent() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        arch => arch,
    };
    format!("kubeloom/{} ({os}/{arch})", env!("CARGO_PKG_VERSION"))
}

fn impersonation_headers(impersonation: &Impersonation) -> Headers {
    let mut headers = Headers::new();
    headers.append("impersonate-user", &impersonation.user);
    if let Some(uid) = &impersonation.uid {
        headers.append("impersonate-uid", uid);
    }
    for group in &impersonation.groups {
        headers.append("impersonate-group", group);
    }
    for (key, values) in &impersonation.extra {
        let name = format!("impersonate-extra-{}", escape_key(key));
        for value in values {
            headers.append(&name, value);
        }
    }
    headers
}

/// Percent-escapes what may not stand in a header's name, and `%` itself; the server undoes it.
fn escape_key(key: &str) -> String {
    let mut escaped = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_keys_are_escaped() {
        let check = |key: &str, expected: &str| assert_eq!(escape_key(key), expected);
        check("acme.com/project", "acme.com%2Fproject");
        check("100%", "100%25");
        check("a:b c", "a%3Ab%20c");
        check("ü", "%C3%BC");
        check("Scopes", "Scopes");
    }
}
