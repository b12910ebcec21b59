//! [`Tls`]: the TLS side of a connection, and its failures in words a user can act on.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use super::endpoint::Endpoint;
use super::error::chain;
use super::{TransportError, TransportErrorKind};
use crate::config::{ClientIdentity, DataSource, HttpVersions, SecretBytes, SecretSource, TlsConfig, Trust};

/// The ALPN name of HTTP/2.
pub(super) const ALPN_HTTP2: &[u8] = b"h2";
const ALPN_HTTP1: &[u8] = b"http/1.1";

/// What a TLS handshake needs. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    pub(super) config: Arc<ClientConfig>,
    pub(super) server_name: ServerName<'static>,
}

impl Tls {
    /// Reads certificates and keys. Reads files, and blocks while it does.
    pub(super) fn new(
        tls: &TlsConfig,
        http: HttpVersions,
        endpoint: &Endpoint,
    ) -> Result<Self, TransportError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| config_error("TLS cannot be set up").with_source(error))?;
        let builder = match &tls.trust {
            Trust::Insecure => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Unverified(provider))),
            Trust::System => builder.with_root_certificates(system_roots()?),
            Trust::Authority(source) => builder.with_root_certificates(roots(source)?),
        };
        let mut config = match &tls.identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let (chain, key) = identity_of(identity)?;
                builder.with_client_auth_cert(chain, key).map_err(|error| {
                    config_error(
                        "the client certificate and its key cannot be used, or do not belong together",
                    )
                    .with_source(error)
                })?
            }
        };
        config.alpn_protocols = match http {
            HttpVersions::Http2AndHttp1 => vec![ALPN_HTTP2.to_vec(), ALPN_HTTP1.to_vec()],
            HttpVersions::Http1 => vec![ALPN_HTTP1.to_vec()],
        };
        let name = tls.server_name.as_ref().unwrap_or(&endpoint.host);
        let server_name = ServerName::try_from(name.clone()).map_err(|error| {
            config_error(format!(
                "{name:?} is neither a DNS name nor an address to verify a certificate for"
            ))
            .with_source(error)
        })?;
        Ok(Self {
            config: Arc::new(config),
            server_name,
        })
    }

    /// The same, offering HTTP/1.1 only.
    pub(super) fn http1_only(&self) -> Self {
        let mut config = (*self.config).clone();
        config.alpn_protocols = vec![ALPN_HTTP1.to_vec()];
        Self {
            config: Arc::new(config),
            server_name: self.server_name.clone(),
        }
    }
}

fn config_error(message: impl Into<String>) -> TransportError {
    TransportError::new(TransportErrorKind::Config, message)
}

fn read(what: &str, path: &Path) -> Result<Vec<u8>, TransportError> {
    std::fs::read(path).map_err(|error| {
        let message = format!("the {what} {} cannot be read: {}", path.display(), error.kind());
        config_error(message).with_source(error)
    })
}

fn system_roots() -> Result<RootCertStore, TransportError> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(config_error(
            "this host has no certificate authorities to trust; set 'certificate-authority' or \
             'certificate-authority-data' to the cluster's, or SSL_CERT_FILE to a bundle",
        ));
    }
    Ok(roots)
}

fn roots(source: &DataSource) -> Result<RootCertStore, TransportError> {
    let (what, pem) = match source {
        DataSource::File(path) => (path.display().to_string(), read("certificate authority", path)?),
        DataSource::Inline(pem) => ("'certificate-authority-data'".to_owned(), pem.clone()),
    };
    let mut roots = RootCertStore::empty();
    // A bundle may hold what this library cannot use (old versions, odd extensions); the rest of it still serves.
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok));
    match roots.is_empty() {
        true => Err(config_error(format!(
            "the certificate authority {what} holds no usable certificate in PEM"
        ))),
        false => Ok(roots),
    }
}

fn identity_of(
    identity: &ClientIdentity,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TransportError> {
    let (what, pem) = match &identity.certificate {
        DataSource::File(path) => (path.display().to_string(), read("client certificate", path)?),
        DataSource::Inline(pem) => ("'client-certificate-data'".to_owned(), pem.clone()),
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .filter_map(Result::ok)
        .collect();
    if chain.is_empty() {
        return Err(config_error(format!(
            "the client certificate {what} holds no certificate in PEM"
        )));
    }
    let (what, pem) = match &identity.key {
        SecretSource::File(path) => (
            path.display().to_string(),
            SecretBytes::from(read("client key", path)?),
        ),
        SecretSource::Inline(pem) => ("'client-key-data'".to_owned(), pem.clone()),
    };
    // The parser's error is left out: it may quote the key.
    let key = PrivateKeyDer::from_pem_slice(pem.expose()).map_err(|_| {
        config_error(format!(
            "the client key {what} holds no private key in PEM that is not encrypted"
        ))
    })?;
    Ok((chain, key))
}

/// The failure of a handshake, in words.
pub(super) fn handshake_error(endpoint: &Endpoint, error: io::Error) -> TransportError {
    let address = endpoint.address();
    let tls = chain(&error).find_map(|cause| cause.downcast_ref::<rustls::Error>());
    let (kind, message) = match (tls, error.kind()) {
        (Some(tls), _) => (TransportErrorKind::Tls, explain(&address, tls)),
        (None, io::ErrorKind::UnexpectedEof) => (
            TransportErrorKind::Closed,
            format!("{address} closed the connection during the TLS handshake; check what listens there"),
        ),
        (None, _) => (
            TransportErrorKind::Reset,
            format!("the connection to {address} broke during the TLS handshake; check what listens there"),
        ),
    };
    TransportError::new(kind, message).with_source(error)
}

/// What a TLS failure means and what can be done.
pub(super) fn explain(address: &str, error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(error) => explain_certificate(address, error),
        rustls::Error::AlertReceived(alert) => match alert {
            AlertDescription::BadCertificate
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRequired
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::UnsupportedCertificate => format!(
                "the server {address} refused the client certificate ({alert:?}); check that 'client-certificate-data' \
                 is of this cluster and has not expired"
            ),
            _ => format!(
                "the server {address} refused the TLS handshake ({alert:?}); check 'tls-server-name' and the server's \
                 TLS versions"
            ),
        },
        rustls::Error::InvalidMessage(_) => format!(
            "the server {address} does not speak TLS; check the port, or whether the server's URL should be http://"
        ),
        _ => format!("TLS with the server {address} failed; check what listens there"),
    }
}

fn explain_certificate(address: &str, error: &CertificateError) -> String {
    let what = format!("the certificate of the server {address}");
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => format!(
            "{what} is not trusted: none of the known authorities signed it; set 'certificate-authority-data' (or \
             'certificate-authority') to the authority that did, or 'insecure-skip-tls-verify' to trust any server"
        ),
        CertificateError::NotValidForName => {
            format!("{what} is for another name; set 'tls-server-name' to a name it is for")
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let (expected, presented) = (expected.to_str(), names(presented));
            format!(
                "{what} is not for {expected} but for {presented}; use a server URL with one of these names, or set \
                 'tls-server-name' to one"
            )
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("{what} has expired; renew it, and check this host's clock")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            format!("{what} is not valid yet; check this host's clock")
        }
        CertificateError::Revoked => format!("{what} was revoked; renew it"),
        _ => format!(
            "{what} cannot be verified; set 'certificate-authority-data' to the authority that signed it, or \
             'insecure-skip-tls-verify' to trust any server"
        ),
    }
}

/// The names as rustls shows them, `DnsName("a")`, without the wrapping.
fn names(presented: &[String]) -> String {
    let bare = |name: &String| match (name.find('('), name.rfind(')')) {
        (Some(open), Some(close)) if open < close => name[open + 1..close].replace('"', ""),
        _ => name.clone(),
    };
    match presented {
        [] => "no name at all".to_owned(),
        names => names.iter().map(bare).collect::<Vec<_>>().join(", "),
    }
}

/// Takes every certificate; that the peer holds its key is still verified.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
