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

/// Certificates and keys as they were read.
pub(super) struct Material {
    /// The authorities in PEM; none if there is no such bundle.
    authority: Option<Vec<u8>>,
    /// Certificate and key in PEM.
    identity: Option<(Vec<u8>, SecretBytes)>,
}

impl Material {
    /// Reads what `tls` names. Reads files, and blocks while it does.
    pub(super) fn read(tls: &TlsConfig) -> Result<Self, TransportError> {
        let authority = match &tls.trust {
            Trust::Authority(source) => Some(public("certificate authority", source)?),
            Trust::System | Trust::Insecure => None,
        };
        let identity = match &tls.identity {
            None => None,
            Some(identity) => {
                let certificate = public("client certificate", &identity.certificate)?;
                let key = match &identity.key {
                    SecretSource::File(path) => SecretBytes::from(read("client key", path)?),
                    SecretSource::Inline(pem) => pem.clone(),
                };
                Some((certificate, key))
            }
        };
        Ok(Self { authority, identity })
    }

    /// Whether the authorities are others, and whether certificate or key are.
    pub(super) fn differs_from(&self, other: &Self) -> (bool, bool) {
        (self.authority != other.authority, self.identity != other.identity)
    }
}

impl Tls {
    /// The TLS side for certificates and keys that were read by the same `tls`. May read the host's authorities.
    pub(super) fn new(
        tls: &TlsConfig,
        material: &Material,
        http: HttpVersions,
        endpoint: &Endpoint,
    ) -> Result<Self, TransportError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| config_error("TLS cannot be set up").with_source(error))?;
        let builder = match (&tls.trust, &material.authority) {
            (Trust::Insecure, _) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Unverified(provider))),
            (Trust::Authority(source), Some(pem)) => builder.with_root_certificates(roots(source, pem)?),
            _ => builder.with_root_certificates(system_roots()?),
        };
        let mut config = match (&tls.identity, &material.identity) {
            (Some(identity), Some(pem)) => {
                let (chain, key) = identity_of(identity, pem)?;
                builder.with_client_auth_cert(chain, key).map_err(|error| {
                    config_error(
                        "the client certificate and its key cannot be used, or do not belong together",
                    )
                    .with_source(error)
                })?
            }
            _ => builder.with_no_client_auth(),
        };
        config.alpn_protocols = match http {
            HttpVersions::Http2AndHttp1 => vec![ALPN_HTTP2.to_vec(), ALPN_HTTP1.to_vec()],
            HttpVersions::Http1 => vec![ALPN_HTTP1.to_vec()],
        };
        let name = tls.server_name.as_ref().unwrap_or(&endpoint.host);
        Ok(Self {
            config: Arc::new(config),
            server_name: server_name(name)?,
        })
    }

    /// The TLS side towards a proxy: the host's authorities, HTTP/1.1.
    pub(super) fn of_proxy(host: &str) -> Result<Self, TransportError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| config_error("TLS cannot be set up").with_source(error))?
            .with_root_certificates(system_roots()?)
            .with_no_client_auth();
        config.alpn_protocols = vec![ALPN_HTTP1.to_vec()];
        Ok(Self {
            config: Arc::new(config),
            server_name: server_name(host)?,
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

fn server_name(name: &str) -> Result<ServerName<'static>, TransportError> {
    ServerName::try_from(name.to_owned()).map_err(|error| {
        config_error(format!(
            "{name:?} is neither a DNS name nor an address to verify a certificate for"
        ))
        .with_source(error)
    })
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

fn public(what: &str, source: &DataSource) -> Result<Vec<u8>, TransportError> {
    match source {
        DataSource::File(path) => read(what, path),
        DataSource::Inline(pem) => Ok(pem.clone()),
    }
}

/// Where bytes came from, for errors: the path, or the key they stand under.
fn origin(source: &DataSource, key: &str) -> String {
    match source {
        DataSource::File(path) => path.display().to_string(),
        DataSource::Inline(_) => format!("'{key}'"),
    }
}

fn roots(source: &DataSource, pem: &[u8]) -> Result<RootCertStore, TransportError> {
    let mut roots = RootCertStore::empty();
    // A bundle may hold what this library cannot use (old versions, odd extensions); the rest of it still serves.
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
    match roots.is_empty() {
        true => Err(config_error(format!(
            "the certificate authority {} holds no usable certificate in PEM",
            origin(source, "certificate-authority-data")
        ))),
        false => Ok(roots),
    }
}

fn identity_of(
    identity: &ClientIdentity,
    (certificate, key): &(Vec<u8>, SecretBytes),
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TransportError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
        .filter_map(Result::ok)
        .collect();
    if chain.is_empty() {
        return Err(config_error(format!(
            "the client certificate {} holds no certificate in PEM",
            origin(&identity.certificate, "client-certificate-data")
        )));
    }
    // The parser's error is left out: it may quote the key.
    let key = PrivateKeyDer::from_pem_slice(key.expose()).map_err(|_| {
        let what = match &identity.key {
            SecretSource::File(path) => path.display().to_string(),
            SecretSource::Inline(_) => "'client-key-data'".to_owned(),
        };
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
