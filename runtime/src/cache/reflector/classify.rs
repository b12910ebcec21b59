//! Which failure an error is.

use super::state::Failure;
use crate::error::{Error, ErrorKind};
use crate::transport::TransportErrorKind;

/// The cause that says that a server is not yet at a version.
const TOO_LARGE: &str = "ResourceVersionTooLarge";
/// What servers before 1.17 and some aggregated ones say instead.
const TOO_LARGE_TEXT: &str = "Too large resource version";

pub(super) fn classify(error: &Error) -> Failure {
    let is_too_large = || {
        let text = error
            .status()
            .is_some_and(|status| status.message.contains(TOO_LARGE_TEXT));
        error.has_cause(TOO_LARGE) || (error.is_timeout() && text)
    };
    if error.is_gone() || error.code() == Some(410) {
        return Failure::Expired;
    }
    if is_too_large() {
        return Failure::TooLarge;
    }
    let after = error.retry_after();
    if error.is_too_many_requests() {
        return Failure::TooMany { after };
    }
    match error.kind() {
        ErrorKind::Transport(transport) => match transport.kind() {
            _ if transport.is_connection_refused() => Failure::Refused,
            TransportErrorKind::Connect(_)
            | TransportErrorKind::Tls
            | TransportErrorKind::Timeout
            | TransportErrorKind::Reset
            | TransportErrorKind::Closed
            | TransportErrorKind::Protocol => Failure::Transport,
            _ => Failure::Other { after },
        },
        ErrorKind::Api(_) if matches!(error.code(), Some(400 | 405 | 415 | 422)) => Failure::Rejected,
        _ => Failure::Other { after },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CallContext;
    use crate::meta::{Status, StatusCause, StatusDetails};
    use crate::transport::{ConnectFailure, TransportError};

    fn api(code: i32, reason: &str, message: &str, cause: &str) -> Error {
        let causes = if cause.is_empty() {
            Vec::new()
        } else {
            vec![StatusCause {
                reason: cause.into(),
                ..StatusCause::default()
            }]
        };
        let status = Status {
            code,
            reason: reason.into(),
            message: message.into(),
            details: Some(Box::new(StatusDetails {
                causes,
                retry_after_seconds: 3,
                ..StatusDetails::default()
            })),
            ..Status::default()
        };
        Error::new(CallContext::default(), ErrorKind::Api(Box::new(status)))
    }

    #[test]
    fn every_form_of_every_failure() {
        let after = Some(std::time::Duration::from_secs(3));
        let rows = [
            (api(410, "Expired", "", ""), Failure::Expired),
            (api(410, "Gone", "", ""), Failure::Expired),
            (api(410, "", "", ""), Failure::Expired),
            (api(410, "SomethingElse", "", ""), Failure::Expired),
            (api(0, "Expired", "", ""), Failure::Expired),
            (api(504, "Timeout", "x", TOO_LARGE), Failure::TooLarge),
            (
                api(504, "Timeout", "Too large resource version: 9, current: 3", ""),
                Failure::TooLarge,
            ),
            (api(504, "Timeout", "slow", ""), Failure::Other { after }),
            (api(429, "TooManyRequests", "", ""), Failure::TooMany { after }),
            (api(429, "", "", ""), Failure::TooMany { after }),
            (api(422, "Invalid", "", ""), Failure::Rejected),
            (api(400, "BadRequest", "", ""), Failure::Rejected),
            (api(403, "Forbidden", "", ""), Failure::Other { after }),
            (api(500, "InternalError", "", ""), Failure::Other { after }),
        ];
        for (error, expected) in rows {
            assert_eq!(classify(&error), expected, "{error}");
        }
        let rows = [
            (
                TransportErrorKind::Connect(ConnectFailure::Refused),
                Failure::Refused,
            ),
            (
                TransportErrorKind::Connect(ConnectFailure::Dns),
                Failure::Transport,
            ),
            (TransportErrorKind::Reset, Failure::Transport),
            (TransportErrorKind::TooLarge, Failure::Other { after: None }),
        ];
        for (kind, expected) in rows {
            assert_eq!(classify(&TransportError::new(kind, "x").into()), expected);
        }
    }
}
