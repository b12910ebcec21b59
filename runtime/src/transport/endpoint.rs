//! [`Endpoint`]: the server a configuration means, taken apart.

use std::sync::Arc;

use super::{Method, TransportError, TransportErrorKind};
use crate::config::{Config, SecretString};

/// The server a configuration means.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// Whether it is reached by TLS.
    pub(crate) tls: bool,
    /// The host name or address; an IPv6 address without brackets.
    pub(crate) host: String,
    /// The port.
    pub(crate) port: u16,
    /// Scheme and authority: `https://host:6443`.
    origin: String,
    /// The path prefix without its last slash: empty or `/prefix`.
    base: String,
    /// User and password from the URL.
    pub(crate) userinfo: Option<(String, SecretString)>,
}

impl Endpoint {
    /// Takes the server's URL apart: `scheme://authority/prefix`, or `host` or `host:port` alone, as client-go has it.
    pub(crate) fn new(config: &Config) -> Result<Self, TransportError> {
        let invalid = |problem: &str| {
            let shown = &config.server;
            let message =
                format!("the server {shown} {problem}; give a URL such as https://host:6443, or host:port");
            TransportError::new(TransportErrorKind::Config, message)
        };
        let server = match config.server.expose() {
            "" => "localhost",
            server => server,
        };
        let tls = config.uses_tls();
        let (scheme, rest) = match server.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, server),
        };
        if !matches!(scheme.as_deref(), None | Some("http" | "https")) {
            return Err(invalid("has a scheme other than http and https"));
        }
        if scheme.is_none() && rest.contains('/') {
            return Err(invalid("has a path but no scheme"));
        }
        if rest.contains(['?', '#']) {
            return Err(invalid("has a query or a fragment"));
        }
        let (authority, base) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (userinfo, authority) = match authority.rsplit_once('@') {
            Some((userinfo, authority)) => (Some(userinfo), authority),
            None => (None, authority),
        };
        let scheme = if tls { "https" } else { "http" };
        let origin = format!("{scheme}://{authority}");
        let uri: ::http::Uri = format!("{origin}{base}")
            .parse()
            .map_err(|_| invalid("is not a URL"))?;
        let host = uri
            .host()
            .filter(|host| !host.is_empty())
            .ok_or_else(|| invalid("has no host"))?;
        // A port that is no number, or too large, is dropped by the parser without a word.
        let after_host = authority.rsplit_once(']').map_or(authority, |(_, rest)| rest);
        let port = match (after_host.rsplit_once(':'), uri.port_u16()) {
            (None, _) => {
                if tls {
                    443
                } else {
                    80
                }
            }
            (Some(_), Some(port)) => port,
            (Some(_), None) => return Err(invalid("has an invalid port")),
        };
        Ok(Self {
            tls,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port,
            origin,
            base: base.trim_end_matches('/').to_owned(),
            userinfo: userinfo.map(|userinfo| {
                let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
                (unescape(user), SecretString::from(unescape(password)))
            }),
        })
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        let mut url = String::with_capacity(self.origin.len() + self.base.len() + path.len());
        for part in [&self.origin, &self.base, path] {
            url.push_str(part);
        }
        url
    }

    /// A request in an error's words: `GET https://host:6443/api/v1/pods`.
    pub(crate) fn call(&self, method: Method, path: &str) -> Arc<str> {
        format!("{method} {}", self.url(path)).into()
    }

    /// Host and port: `host:6443`, `[fd00::1]:6443`.
    pub(crate) fn address(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

/// Undoes percent-escapes; what is not one stays.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                digit(*high)
                    .zip(digit(*low))
                    .and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{TlsConfig, Trust};

    fn parse(server: &str, trust: Trust) -> Result<Endpoint, TransportError> {
        let mut config = Config::new(server);
        config.tls = TlsConfig {
            trust,
            ..TlsConfig::default()
        };
        Endpoint::new(&config)
    }

    #[test]
    fn servers_are_taken_apart_as_client_go_does() {
        let check = |server: &str, trust: Trust, url: &str, address: &str| {
            let endpoint = parse(server, trust).unwrap();
            assert_eq!(
                (endpoint.url("/api?x=1").as_str(), endpoint.address().as_str()),
                (url, address),
                "{server}"
            );
        };
        let (plain, secure) = (|| Trust::System, || Trust::Insecure);
        check("https://h:6443", plain(), "https://h:6443/api?x=1", "h:6443");
        check("HTTPS://h", plain(), "https://h/api?x=1", "h:443");
        check(
            "https://h/k8s/clusters/c1/",
            plain(),
            "https://h/k8s/clusters/c1/api?x=1",
            "h:443",
        );
        check("http://h/p", secure(), "http://h/p/api?x=1", "h:80");
        check("h", plain(), "http://h/api?x=1", "h:80");
        check("h:6443", secure(), "https://h:6443/api?x=1", "h:6443");
        check("", plain(), "http://localhost/api?x=1", "localhost:80");
        check(
            "https://[fd00::1]:6443/p",
            plain(),
            "https://[fd00::1]:6443/p/api?x=1",
            "[fd00::1]:6443",
        );
        check(
            "https://[fd00::1]",
            plain(),
            "https://[fd00::1]/api?x=1",
            "[fd00::1]:443",
        );
        check("https://u:p@h/p", plain(), "https://h/p/api?x=1", "h:443");
    }

    #[test]
    fn unusable_servers_are_named_without_their_password() {
        for server in [
            "ftp://h",
            "h/path",
            "https://",
            "https://h:port",
            "https://h:99999",
            "https://h?x",
            "https://u:hunter2@a b",
        ] {
            let error = parse(server, Trust::System).unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Config, "{server}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn userinfo_is_unescaped() {
        let endpoint = parse("https://us%40er:p%3Ass%@h", Trust::System).unwrap();
        let (user, password) = endpoint.userinfo.unwrap();
        assert_eq!((user.as_str(), password.expose().as_str()), ("us@er", "p:ss%"));
    }
}
