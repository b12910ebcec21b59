//! The keys and certificates of one server: a certificate authority, the serving certificate, client certificates
//! and the key that signs service account tokens.
//!
//! One authority signs both sides; the server trusts it for clients and clients trust it for the server.

use std::fmt;

use anyhow::{Context, Result, ensure};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::crypto::ring::default_provider;

/// Names and addresses in the serving certificate, the in-cluster ones included.
const SERVING_NAMES: [&str; 5] = [
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default.svc",
];

/// Groups that a client certificate can carry.
///
/// The certificate library holds one value per attribute type; a second organization goes in as the same attribute
/// under its numeric name. Users with more groups have a token.
pub const MAX_CERTIFICATE_GROUPS: usize = 2;

/// `id-at-organizationName` (X.520), which the server reads as a group.
const ORGANIZATION: [u64; 4] = [2, 5, 4, 10];

/// A certificate authority with its key.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(super) fn new() -> Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name = DistinguishedName::new();
        params
            .distinguished_name
            .push(DnType::CommonName, "kubeloom-tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer =
            CertifiedIssuer::self_signed(params, KeyPair::generate()?).context("sign the authority")?;
        Ok(Self { issuer })
    }

    pub(super) fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for serving on the loopback interface.
    pub(super) fn serving(&self) -> Result<Certificate> {
        let names: Vec<String> = SERVING_NAMES.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = DistinguishedName::new();
        params
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        self.sign(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A certificate that the server takes for `user` (common name) in `groups` (organizations).
    pub(super) fn client(&self, user: &str, groups: &[&str]) -> Result<Certificate> {
        ensure!(
            groups.len() <= MAX_CERTIFICATE_GROUPS,
            "a client certificate carries at most {MAX_CERTIFICATE_GROUPS} groups, {user:?} has {}; use a token",
            groups.len(),
        );
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, user);
        let types = [
            DnType::OrganizationName,
            DnType::CustomDnType(ORGANIZATION.to_vec()),
        ];
        for (kind, &group) in types.into_iter().zip(groups) {
            params.distinguished_name.push(kind, group);
        }
        self.sign(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, mut params: CertificateParams, usage: ExtendedKeyUsagePurpose) -> Result<Certificate> {
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params
            .signed_by(&key, &self.issuer)
            .context("sign a certificate")?;
        Ok(Certificate {
            certificate_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
        })
    }
}

/// A certificate and its private key. `Debug` prints neither.
#[derive(Clone)]
pub struct Certificate {
    /// The certificate, PEM.
    pub certificate_pem: String,
    /// Its private key, PKCS #8 PEM.
    pub key_pem: String,
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}

/// A key pair for service account tokens, PEM. The server does not take the public half out of a PKCS #8 file.
pub(super) struct SigningKey {
    pub(super) private_pem: String,
    pub(super) public_pem: String,
}

pub(super) fn signing_key() -> Result<SigningKey> {
    let key = KeyPair::generate()?;
    Ok(SigningKey {
        private_pem: key.serialize_pem(),
        public_pem: key.public_key_pem(),
    })
}

/// A bearer token of 128 random bits, hexadecimal.
pub(super) fn random_token() -> Result<String> {
    let mut bytes = [0_u8; 16];
    default_provider()
        .secure_random
        .fill(&mut bytes)
        .ok()
        .context("no randomness")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_groups_are_refused_not_dropped() {
        let authority = Authority::new().unwrap();
        assert!(authority.client("u", &["a", "b"]).is_ok());
        let error = authority.client("u", &["a", "b", "c"]).unwrap_err();
        assert!(error.to_string().contains("at most 2 groups"), "{error}");
    }

    #[test]
    fn debug_shows_no_key() {
        let certificate = Authority::new().unwrap().client("u", &[]).unwrap();
        let text = format!("{certificate:?}");
        assert!(!text.contains("BEGIN"), "{text}");
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(random_token().unwrap(), random_token().unwrap());
    }
}
