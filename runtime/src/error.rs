//! What can go wrong with a call, said once: verb, resource, namespace and name, HTTP code and reason.

use std::fmt;
use std::time::Duration;

use crate::meta::Status;
use crate::transport::TransportError;
use crate::wire::{DecodeError, EncodeError};

/// Reasons of a [`Status`] that clients act on.
pub mod reason {
    /// The object or resource is not there (404).
    pub const NOT_FOUND: &str = "NotFound";
    /// An object of this name is there already (409).
    pub const ALREADY_EXISTS: &str = "AlreadyExists";
    /// The object has changed since it was read (409).
    pub const CONFLICT: &str = "Conflict";
    /// What was asked for is no longer there (410).
    pub const GONE: &str = "Gone";
    /// The resourceVersion or continue token is too old (410).
    pub const EXPIRED: &str = "Expired";
    /// The object does not pass validation (422).
    pub const INVALID: &str = "Invalid";
    /// Nobody is logged in (401).
    pub const UNAUTHORIZED: &str = "Unauthorized";
    /// The user may not do this (403).
    pub const FORBIDDEN: &str = "Forbidden";
    /// The server asks for fewer requests (429).
    pub const TOO_MANY_REQUESTS: &str = "TooManyRequests";
    /// The operation did not end in time (504).
    pub const TIMEOUT: &str = "Timeout";
    /// The server could not answer in time (500).
    pub const SERVER_TIMEOUT: &str = "ServerTimeout";
    /// The server failed (500).
    pub const INTERNAL_ERROR: &str = "InternalError";
    /// The verb is not offered (405).
    pub const METHOD_NOT_ALLOWED: &str = "MethodNotAllowed";
    /// The body's format is not understood (415).
    pub const UNSUPPORTED_MEDIA_TYPE: &str = "UnsupportedMediaType";
    /// The server cannot serve now (503).
    pub const SERVICE_UNAVAILABLE: &str = "ServiceUnavailable";
    /// The request makes no sense (400).
    pub const BAD_REQUEST: &str = "BadRequest";
    /// None of the accepted formats can be answered with (406).
    pub const NOT_ACCEPTABLE: &str = "NotAcceptable";
    /// The request is too large (413).
    pub const REQUEST_ENTITY_TOO_LARGE: &str = "RequestEntityTooLarge";
}

/// What a call was about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallContext {
    /// `get`, `list`, ...
    pub verb: &'static str,
    /// `pods`, `deployments.apps`, `pods/eviction`.
    pub resource: String,
    /// The namespace, if the call named one.
    pub namespace: Option<String>,
    /// The object, if the call named one.
    pub name: Option<String>,
}

impl fmt::Display for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => write!(f, " {namespace}/{name}"),
            (None, Some(name)) => write!(f, " {name}"),
            (Some(namespace), None) => write!(f, " in {namespace}"),
            (None, None) => Ok(()),
        }
    }
}

/// The kinds of failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered with a failure.
    Api(Box<Status>),
    /// There was no answer.
    Transport(TransportError),
    /// The answer could not be read.
    Decode(DecodeError),
    /// The body could not be written.
    Encode(EncodeError),
    /// The request makes no sense and was not sent.
    InvalidRequest(String),
    /// The configuration cannot be used.
    Config(crate::config::ConfigError),
}

/// A failed call. [`std::error::Error::source`] has the cause where there is one.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    context: Option<CallContext>,
    kind: ErrorKind,
}

impl Error {
    pub(crate) fn new(context: CallContext, kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            context: Some(context),
            kind,
        }))
    }

    /// What failed.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What the call was about; `None` if no call was made.
    pub fn context(&self) -> Option<&CallContext> {
        self.0.context.as_ref()
    }

    /// The server's answer, if it answered.
    pub fn status(&self) -> Option<&Status> {
        match &self.0.kind {
            ErrorKind::Api(status) => Some(status),
            _ => None,
        }
    }

    /// The HTTP code of the server's answer, if it answered.
    pub fn code(&self) -> Option<u16> {
        self.status().and_then(|status| u16::try_from(status.code).ok())
    }

    fn is(&self, reason: &str, code: i32) -> bool {
        self.status().is_some_and(|status| {
            // An unknown or missing reason is judged by its code, as client-go does.
            status.reason == reason || (status.code == code && !is_known(&status.reason))
        })
    }

    /// The object or resource is not there.
    pub fn is_not_found(&self) -> bool {
        self.is(reason::NOT_FOUND, 404)
    }

    /// An object of this name is there already.
    pub fn is_already_exists(&self) -> bool {
        self.status()
            .is_some_and(|status| status.reason == reason::ALREADY_EXISTS)
    }

    /// The object has changed since it was read: read it again and redo the change.
    pub fn is_conflict(&self) -> bool {
        self.is(reason::CONFLICT, 409)
    }

    /// The resourceVersion or continue token is too old, in either of the two ways of saying so: list again.
    pub fn is_gone(&self) -> bool {
        self.is(reason::GONE, 410) || self.is_expired()
    }

    /// The resourceVersion or continue token is too old.
    pub fn is_expired(&self) -> bool {
        self.status()
            .is_some_and(|status| status.reason == reason::EXPIRED)
    }

    /// The object does not pass validation; [`Error::status`] lists the causes.
    pub fn is_invalid(&self) -> bool {
        self.is(reason::INVALID, 422)
    }

    /// The request makes no sense: refused by the server or before it was sent.
    pub fn is_bad_request(&self) -> bool {
        self.is(reason::BAD_REQUEST, 400) || matches!(self.0.kind, ErrorKind::InvalidRequest(_))
    }

    /// Nobody is logged in.
    pub fn is_unauthorized(&self) -> bool {
        self.is(reason::UNAUTHORIZED, 401)
    }

    /// The user may not do this.
    pub fn is_forbidden(&self) -> bool {
        self.is(reason::FORBIDDEN, 403)
    }

    /// The server does not offer the verb.
    pub fn is_method_not_allowed(&self) -> bool {
        self.is(reason::METHOD_NOT_ALLOWED, 405)
    }

    /// The server does not understand the format of the body.
    pub fn is_unsupported_media_type(&self) -> bool {
        self.is(reason::UNSUPPORTED_MEDIA_TYPE, 415)
    }

    /// The server asks for fewer requests.
    pub fn is_too_many_requests(&self) -> bool {
        self.is(reason::TOO_MANY_REQUESTS, 429)
    }

    /// The server failed.
    pub fn is_internal(&self) -> bool {
        self.is(reason::INTERNAL_ERROR, 500)
    }

    /// The server cannot serve now.
    pub fn is_service_unavailable(&self) -> bool {
        self.is(reason::SERVICE_UNAVAILABLE, 503)
    }

    /// The operation did not end in time, by the server's word or by ours.
    pub fn is_timeout(&self) -> bool {
        self.is(reason::TIMEOUT, 504)
            || self
                .status()
                .is_some_and(|status| status.reason == reason::SERVER_TIMEOUT)
            || matches!(&self.0.kind, ErrorKind::Transport(error) if error.is_timeout())
    }

    /// How long the server asks to wait before another attempt.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.status()?.details.as_ref()?.retry_after_seconds;
        u64::try_from(seconds)
            .ok()
            .filter(|seconds| *seconds > 0)
            .map(Duration::from_secs)
    }

    /// Whether the status names a cause of this reason.
    pub fn has_cause(&self, reason: &str) -> bool {
        self.status()
            .and_then(|status| status.details.as_ref())
            .is_some_and(|details| details.causes.iter().any(|cause| cause.reason == reason))
    }
}

fn is_known(text: &str) -> bool {
    use reason::*;
    [
        NOT_FOUND,
        ALREADY_EXISTS,
        CONFLICT,
        GONE,
        EXPIRED,
        INVALID,
        UNAUTHORIZED,
        FORBIDDEN,
        TOO_MANY_REQUESTS,
        TIMEOUT,
        SERVER_TIMEOUT,
        INTERNAL_ERROR,
        METHOD_NOT_ALLOWED,
        UNSUPPORTED_MEDIA_TYPE,
        SERVICE_UNAVAILABLE,
        BAD_REQUEST,
        NOT_ACCEPTABLE,
        REQUEST_ENTITY_TOO_LARGE,
    ]
    .contains(&text)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(context) = &self.0.context {
            write!(f, "cannot {context}: ")?;
        }
        match &self.0.kind {
            ErrorKind::Api(status) => {
                let reason = if status.reason.is_empty() {
                    "Unknown"
                } else {
                    &status.reason
                };
                write!(f, "{} {reason}", status.code)?;
                if !status.message.is_empty() {
                    write!(f, ": {}", status.message)?;
                }
                Ok(())
            }
            ErrorKind::Transport(error) => error.fmt(f),
            ErrorKind::Decode(error) => write!(f, "the answer is {error}"),
            ErrorKind::Encode(error) => write!(f, "the body cannot be written: {error}"),
            ErrorKind::InvalidRequest(message) => f.write_str(message),
            ErrorKind::Config(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Api(_)
            | ErrorKind::InvalidRequest(_)
            | ErrorKind::Decode(_)
            | ErrorKind::Encode(_) => None,
            ErrorKind::Transport(error) => std::error::Error::source(error),
            ErrorKind::Config(error) => std::error::Error::source(error),
        }
    }
}

impl From<crate::config::ConfigError> for Error {
    fn from(error: crate::config::ConfigError) -> Self {
        Self(Box::new(Inner {
            context: None,
            kind: ErrorKind::Config(error),
        }))
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Self(Box::new(Inner {
            context: None,
            kind: ErrorKind::Transport(error),
        }))
    }
}
