//! The authentication provider `oidc`.

use std::sync::Arc;

use super::credentials::CredentialSource;
use super::{TransportError, TransportErrorKind};
use crate::clock::Clock;
use crate::config::AuthProviderConfig;

/// The source of credentials that a provider asks for.
pub(super) fn source(
    provider: &AuthProviderConfig,
    _clock: &Arc<dyn Clock>,
) -> Result<Box<dyn CredentialSource>, TransportError> {
    let message = format!("the authentication provider {:?} is not supported", provider.name);
    Err(TransportError::new(TransportErrorKind::Config, message))
}
