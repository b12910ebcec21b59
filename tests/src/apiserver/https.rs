//! The few HTTPS calls the harness makes itself: readiness, and a namespace to work in.
//!
//! It is no client: one blocking call per connection, HTTP/1.0 so that the end of the connection is the end of the
//! body, no redirects. Whatever tests the client uses the client.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::Credential;

/// A call that takes longer has met a server that hangs.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A look at readiness is short: whoever else holds the port may accept and never say a word.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// What a call sends besides its path.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    /// `GET` with the given `Accept` header.
    Get {
        /// Media types the caller takes.
        accept: &'a str,
    },
    /// `POST` of a JSON document.
    Post {
        /// The document.
        json: &'a str,
    },
}

/// A whole reply.
#[derive(Clone, Debug)]
pub struct Reply {
    /// HTTP status code.
    pub status: u16,
    /// The body, as sent.
    pub body: Vec<u8>,
}

impl Reply {
    /// The body as text, for messages.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Calls one server.
pub(super) struct Caller {
    roots: Arc<RootCertStore>,
}

impl Caller {
    pub(super) fn new(ca_pem: &str) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca_pem.as_bytes()).context("read the authority")?)?;
        Ok(Self {
            roots: Arc::new(roots),
        })
    }

    /// One call to the loopback port.
    pub(super) fn call(
        &self,
        port: u16,
        credential: Credential<'_>,
        path: &str,
        call: Call<'_>,
    ) -> Result<Reply> {
        self.exchange(port, credential, &request(path, credential, call), CALL_TIMEOUT)
    }

    /// Whether the server on the loopback port says that it is ready.
    pub(super) fn is_ready(&self, port: u16, credential: Credential<'_>) -> bool {
        let request = request("/readyz", credential, Call::Get { accept: "*/*" });
        self.exchange(port, credential, &request, PROBE_TIMEOUT)
            .is_ok_and(|reply| reply.status == 200)
    }

    /// `timeout` bounds each read and write, not the whole.
    fn exchange(
        &self,
        port: u16,
        credential: Credential<'_>,
        request: &str,
        timeout: Duration,
    ) -> Result<Reply> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let tcp = TcpStream::connect_timeout(&address, timeout).context("connect")?;
        tcp.set_read_timeout(Some(timeout))?;
        tcp.set_write_timeout(Some(timeout))?;
        let name = ServerName::IpAddress(address.ip().into());
        let mut stream = StreamOwned::new(ClientConnection::new(Arc::new(self.tls(credential)?), name)?, tcp);
        stream.write_all(request.as_bytes()).context("send")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).context("receive")?;
        parse(&answer)
    }

    fn tls(&self, credential: Credential<'_>) -> Result<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(Arc::clone(&self.roots));
        let Credential::Certificate(certificate) = credential else {
            return Ok(builder.with_no_client_auth());
        };
        let chain = vec![CertificateDer::from_pem_slice(
            certificate.certificate_pem.as_bytes(),
        )?];
        let key = PrivateKeyDer::from_pem_slice(certificate.key_pem.as_bytes())?;
        builder
            .with_client_auth_cert(chain, key)
            .context("use the client certificate")
    }
}

fn request(path: &str, credential: Credential<'_>, call: Call<'_>) -> String {
    let (method, accept, body) = match call {
        Call::Get { accept } => ("GET", accept, ""),
        Call::Post { json } => ("POST", "application/json", json),
    };
    let authorization = match credential {
        Credential::Token(token) => format!("Authorization: Bearer {token}\r\n"),
        Credential::Anonymous | Credential::Certificate(_) => String::new(),
    };
    format!(
        "{method} {path} HTTP/1.0\r\nHost: localhost\r\n{authorization}Accept: {accept}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    )
}

fn parse(answer: &[u8]) -> Result<Reply> {
    let end = answer
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .context("a reply without a head")?;
    let head = String::from_utf8_lossy(&answer[..end]);
    let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok());
    Ok(Reply {
        status: status.context("a reply without a status")?,
        body: answer[end + 4..].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_split_at_the_first_empty_line() {
        let reply = parse(b"HTTP/1.0 201 Created\r\nA: b\r\n\r\none\r\n\r\ntwo").unwrap();
        assert_eq!(
            (reply.status, reply.body.as_slice()),
            (201, b"one\r\n\r\ntwo".as_slice())
        );
    }

    #[test]
    fn broken_replies_are_errors() {
        for answer in [
            "",
            "HTTP/1.0 200 OK\r\n",
            "\r\n\r\n",
            "HTTP/1.0 abc\r\n\r\n",
            "HTTP/1.0 99999\r\n\r\n",
        ] {
            assert!(parse(answer.as_bytes()).is_err(), "{answer:?}");
        }
    }
}
