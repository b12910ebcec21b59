//! [`Route`]: the way to the server, through a proxy or not.
//!
//! A server behind TLS is reached through an HTTP proxy by CONNECT, one in the clear by requests in absolute form; SOCKS5
//! carries both. Of the environment, `HTTPS_PROXY` or `HTTP_PROXY` (by the server's scheme), `ALL_PROXY` and `NO_PROXY`
//! (names, domains, addresses, the same with a port, networks such as `10.0.0.0/8`, `*`) count, in capitals or not. Without `proxy-url` a server
//! on this host is always reached directly, as Go has it.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use super::body::Duplex;
use super::dial::Dialer;
use super::endpoint::Endpoint;
use super::tls::Tls;
use super::{BoxFuture, ConnectFailure, TransportError, TransportErrorKind};
use crate::config::Proxy;

/// The way to the server.
#[derive(Clone)]
pub(super) enum Route {
    Direct,
    Through(Arc<Hop>),
}

/// A proxy.
pub(super) struct Hop {
    intercept: Intercept,
    kind: Kind,
    /// For a proxy that is reached by TLS itself.
    tls: Option<Tls>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Http,
    /// Names are resolved by the proxy if `remote_dns`.
    Socks5 {
        remote_dns: bool,
    },
}

impl Route {
    /// The route that a configuration and the environment ask for.
    pub(super) fn new(proxy: &Proxy, endpoint: &Endpoint) -> Result<Self, TransportError> {
        let matcher = match proxy {
            Proxy::Direct => return Ok(Self::Direct),
            Proxy::Environment if is_local(&endpoint.host) => return Ok(Self::Direct),
            Proxy::Environment if is_exempt(&no_proxy(), &endpoint.host, endpoint.port) => {
                return Ok(Self::Direct);
            }
            Proxy::Environment => Matcher::from_env(),
            Proxy::Url(url) => {
                // The matcher drops what it does not know without a word.
                scheme(url.expose()).ok_or_else(|| unusable(&url.to_string()))?;
                Matcher::builder().all(url.expose()).build()
            }
        };
        let target = target(endpoint)?;
        let Some(intercept) = matcher.intercept(&target) else {
            return match proxy {
                Proxy::Url(url) => Err(unusable(&url.to_string())),
                _ => Ok(Self::Direct),
            };
        };
        let uri = intercept.uri().clone();
        let kind = scheme(&uri.to_string()).ok_or_else(|| unusable(&address(&uri)))?;
        let tls = match uri.scheme_str() {
            Some("https") => Some(Tls::of_proxy(uri.host().unwrap_or_default())?),
            _ => None,
        };
        Ok(Self::Through(Arc::new(Hop { intercept, kind, tls })))
    }

    /// Address and host of the proxy.
    pub(super) fn proxy(&self) -> Option<(String, String)> {
        match self {
            Self::Direct => None,
            Self::Through(hop) => {
                let uri = hop.intercept.uri();
                Some((address(uri), uri.host().unwrap_or_default().to_owned()))
            }
        }
    }

    /// For requests that go to an HTTP proxy in absolute form: the value of `Proxy-Authorization`, if it wants one.
    pub(super) fn absolute_form(&self, endpoint: &Endpoint) -> Option<Option<&::http::HeaderValue>> {
        match self {
            Self::Through(hop) if hop.kind == Kind::Http && !endpoint.tls => Some(hop.intercept.basic_auth()),
            _ => None,
        }
    }

    /// A byte stream to the server, or to the proxy that takes requests in absolute form.
    pub(super) async fn open(
        &self,
        dialer: &Dialer,
        endpoint: &Endpoint,
    ) -> Result<Box<dyn Duplex>, TransportError> {
        let target = target(endpoint)?;
        let hop = match self {
            Self::Direct => return Ok(Box::new(dialer.tcp(target).await?)),
            Self::Through(hop) => hop,
        };
        let to_proxy = ToProxy {
            dialer: dialer.clone(),
            hop: hop.clone(),
            failure: Arc::default(),
        };
        let failure = to_proxy.failure.clone();
        let proxy = hop.intercept.uri().clone();
        match hop.kind {
            Kind::Http if !endpoint.tls => Ok(to_proxy.connect(proxy).await?.into_inner()),
            Kind::Http => {
                let mut tunnel = Tunnel::new(proxy, to_proxy);
                if let Some(value) = hop.intercept.basic_auth() {
                    tunnel = tunnel.with_auth(value.clone());
                }
                let opened = tunnel.call(target).await;
                opened
                    .map(TokioIo::into_inner)
                    .map_err(|error| hop.failed(&failure, error))
            }
            Kind::Socks5 { remote_dns } => {
                let mut socks = SocksV5::new(proxy, to_proxy).local_dns(!remote_dns);
                if let Some((user, password)) = hop.intercept.raw_auth() {
                    socks = socks.with_auth(user.to_owned(), password.to_owned());
                }
                let opened = socks.call(target).await;
                opened
                    .map(TokioIo::into_inner)
                    .map_err(|error| hop.failed(&failure, error))
            }
        }
    }
}

/// What `NO_PROXY` says.
fn no_proxy() -> String {
    let set = |name| {
        std::env::var(name)
            .ok()
            .filter(|value: &String| !value.is_empty())
    };
    set("NO_PROXY").or_else(|| set("no_proxy")).unwrap_or_default()
}

/// Whether `NO_PROXY` names the server with its port, which the matcher of the library does not know: `host:6443`,
/// `.domain:6443`, `10.0.0.1:6443`, `[fd00::1]:6443`.
fn is_exempt(no_proxy: &str, host: &str, port: u16) -> bool {
    no_proxy.split(',').any(|entry| {
        let Some((name, own)) = entry.trim().rsplit_once(':') else {
            return false;
        };
        let name = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(name);
        let domain = name.trim_start_matches('*');
        let ending = host
            .len()
            .checked_sub(domain.len())
            .and_then(|at| host.split_at_checked(at));
        let matches = ending.is_some_and(|(before, end)| {
            let whole = before.is_empty() && !domain.starts_with('.');
            let below = !before.is_empty() && (domain.starts_with('.') || before.ends_with('.'));
            end.eq_ignore_ascii_case(domain) && (whole || below)
        });
        own.parse() == Ok(port) && !domain.is_empty() && matches
    })
}

impl Hop {
    /// A failure while the proxy was asked for the connection; one of reaching it passes unchanged.
    fn failed(
        &self,
        reaching: &OnceLock<TransportError>,
        error: impl std::error::Error + Send + Sync + 'static,
    ) -> TransportError {
        if let Some(failure) = reaching.get() {
            return failure.clone();
        }
        let message = format!(
            "the proxy {} does not pass connections on to the server; check its rules and its password",
            address(self.intercept.uri())
        );
        TransportError::new(TransportErrorKind::Connect(ConnectFailure::Other), message).with_source(error)
    }
}

/// Connects to the proxy, whatever is asked for.
#[derive(Clone)]
struct ToProxy {
    dialer: Dialer,
    hop: Arc<Hop>,
    /// Why the proxy could not be reached; those who ask for the connection keep it to themselves.
    failure: Arc<OnceLock<TransportError>>,
}

impl ToProxy {
    async fn connect(&self, proxy: ::http::Uri) -> Result<TokioIo<Box<dyn Duplex>>, TransportError> {
        let uri = with_port(&proxy).unwrap_or(proxy);
        let tcp = self.dialer.tcp(uri.clone()).await?;
        let Some(tls) = &self.hop.tls else {
            return Ok(TokioIo::new(Box::new(tcp)));
        };
        let connector = TlsConnector::from(tls.config.clone());
        match connector.connect(tls.server_name.clone(), tcp).await {
            Ok(stream) => Ok(TokioIo::new(Box::new(stream))),
            Err(error) => {
                let message = format!("TLS with the proxy {} failed", address(&uri));
                Err(TransportError::new(TransportErrorKind::Tls, message).with_source(error))
            }
        }
    }
}

impl Service<::http::Uri> for ToProxy {
    type Response = TokioIo<Box<dyn Duplex>>;
    type Error = TransportError;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: ::http::Uri) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let connected = this.connect(uri).await;
            connected.inspect_err(|error| {
                // There is one attempt only.
                let _ = this.failure.set(error.clone());
            })
        })
    }
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.proxy() {
            None => f.write_str("Direct"),
            Some((address, _)) => write!(f, "Through({address})"),
        }
    }
}

fn scheme(url: &str) -> Option<Kind> {
    // Without a scheme it is an HTTP proxy, as curl and Go have it.
    let scheme = url.split_once("://").map_or("http", |(scheme, _)| scheme);
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => Some(Kind::Http),
        // Go lets the proxy resolve names under either.
        "socks5" | "socks5h" => Some(Kind::Socks5 { remote_dns: true }),
        _ => None,
    }
}

fn unusable(shown: &str) -> TransportError {
    let message = format!(
        "the proxy {shown} cannot be used; give a URL such as http://, https:// or socks5://host:port"
    );
    TransportError::new(TransportErrorKind::Config, message)
}

fn target(endpoint: &Endpoint) -> Result<::http::Uri, TransportError> {
    let scheme = if endpoint.tls { "https" } else { "http" };
    format!("{scheme}://{}", endpoint.address())
        .parse()
        .map_err(|error| {
            TransportError::new(TransportErrorKind::Config, "the server's URL has no usable host")
                .with_source(error)
        })
}

/// The address of a proxy without its password.
fn address(uri: &::http::Uri) -> String {
    let host = uri.host().unwrap_or_default();
    match uri.port_u16() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The URL with the port that its scheme implies.
fn with_port(uri: &::http::Uri) -> Option<::http::Uri> {
    let port = match (uri.port_u16(), uri.scheme_str()) {
        (Some(port), _) => port,
        (None, Some("https")) => 443,
        (None, Some("http")) => 80,
        (None, _) => 1080,
    };
    format!("http://{}:{port}", uri.host()?).parse().ok()
}

/// Whether a host is this one.
fn is_local(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn no_proxy_names_hosts_domains_and_networks() {
        let exceptions = "10.0.0.0/8,fd00::/8,.svc,exact.example,192.0.2.7";
        let matcher = Matcher::builder().all("http://proxy:3128").no(exceptions).build();
        let check = |server: &str, proxied: bool| {
            let endpoint = Endpoint::new(&Config::new(server)).unwrap();
            let found = matcher.intercept(&target(&endpoint).unwrap()).is_some();
            assert_eq!(found, proxied, "{server}");
        };
        check("https://10.1.2.3:6443", false);
        check("https://11.1.2.3:6443", true);
        check("https://[fd00::1]:6443", false);
        check("https://[2001:db8::1]:6443", true);
        check("https://kubernetes.default.svc", false);
        check("https://svc.example", true);
        check("https://exact.example:6443", false);
        check("https://192.0.2.7", false);
        check("http://192.0.2.8", true);
    }

    #[test]
    fn a_server_on_this_host_needs_no_proxy_unless_one_is_named() {
        for server in [
            "https://localhost:6443",
            "https://127.0.0.1",
            "https://[::1]:6443",
        ] {
            let endpoint = Endpoint::new(&Config::new(server)).unwrap();
            assert!(is_local(&endpoint.host), "{server}");
            let named = Proxy::Url("http://proxy:3128".into());
            let route = Route::new(&named, &endpoint).unwrap();
            assert_eq!(route.proxy().unwrap().0, "proxy:3128");
        }
        assert!(!is_local("localhost.example"));
    }

    #[test]
    fn servers_are_exempt_by_their_port() {
        let check = |no_proxy: &str, host: &str, expected: bool| {
            assert_eq!(is_exempt(no_proxy, host, 6443), expected, "{no_proxy} {host}");
        };
        check("a.example.com:6443", "a.example.com", true);
        check("x, A.Example.com:6443", "a.example.com", true);
        check("a.example.com:443", "a.example.com", false);
        check("example.com:6443", "a.example.com", true);
        check("example.com:6443", "anexample.com", false);
        check(".example.com:6443", "a.example.com", true);
        check(".example.com:6443", "example.com", false);
        check("*.example.com:6443", "a.example.com", true);
        check("10.0.0.1:6443", "10.0.0.1", true);
        check("[fd00::1]:6443", "fd00::1", true);
        check("fd00::1", "fd00::1", false);
        check(":6443", "a", false);
        check("", "a", false);
    }
}
