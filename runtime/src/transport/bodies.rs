//! Bodies in the log, for whoever has to see what crosses the wire.
//!
//! They are logged at level TRACE under the target `kubeloom::bodies`, and only as far as [`LIMIT`]. Text stands there as
//! it is, with control characters escaped; anything else in hexadecimal. Bodies that are secret by their resource are left
//! out: Secrets, tokens and reviews of tokens. What else is secret in an object, its type does not say: the target is to
//! be turned on by name, where that is known.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;

use super::body::Chunks;
use super::{Body, CallKind, Method, Request, TransportError};

/// The longest part of a body that is logged, in bytes.
const LIMIT: usize = 4 << 10;

/// The call whose bodies are to be logged, if that is wanted and none of them is secret.
pub(super) fn wanted(request: &Request) -> Option<Call> {
    if !tracing::enabled!(target: "kubeloom::bodies", tracing::Level::TRACE) {
        return None;
    }
    let secret = is_secret(&request.template) || is_secret(&request.path);
    (!secret && request.kind != CallKind::Upgrade).then(|| Call {
        method: request.method,
        path: request.path.clone(),
        left: LIMIT,
    })
}

/// Whether the bodies at a path are secret whatever is in them.
fn is_secret(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    path.split('/').any(|segment| {
        matches!(
            segment,
            "secrets" | "token" | "tokenreviews" | "selfsubjectreviews"
        )
    })
}

/// A call whose bodies are logged.
pub(super) struct Call {
    method: Method,
    path: String,
    /// How much of the answer may still be logged.
    left: usize,
}

impl Call {
    pub(super) fn log_request(&self, body: &Bytes) {
        if !body.is_empty() {
            self.log("request body", body, body.len().min(LIMIT));
        }
    }

    /// The answer's body, which is logged as it is read.
    pub(super) fn log_answer(self, body: Body) -> Body {
        body.map_stream(|chunks| Logged { chunks, call: self })
    }

    fn log(&self, what: &'static str, body: &Bytes, shown: usize) {
        tracing::trace!(
            target: "kubeloom::bodies",
            method = %self.method,
            path = self.path,
            bytes = body.len(),
            body = %Shown(&body[..shown]),
            cut = shown < body.len(),
            "{what}"
        );
    }
}

struct Logged {
    chunks: Chunks,
    call: Call,
}

impl Stream for Logged {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = self.chunks.as_mut().poll_next(cx);
        if let Poll::Ready(Some(Ok(bytes))) = &chunk
            && self.call.left > 0
            && !bytes.is_empty()
        {
            let shown = bytes.len().min(self.call.left);
            self.call.log("answer body", bytes, shown);
            self.call.left -= shown;
        }
        chunk
    }
}

/// Bytes as text or in hexadecimal.
struct Shown<'a>(&'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A character may be cut at either end.
        let start = self
            .0
            .iter()
            .take(3)
            .take_while(|byte| (0x80..0xc0).contains(*byte))
            .count();
        let text = match std::str::from_utf8(&self.0[start..]) {
            Ok(text) => Some(text),
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&self.0[start..start + error.valid_up_to()]).ok()
            }
            Err(_) => None,
        };
        match text.filter(|text| !text.contains('\0')) {
            Some(text) => {
                for c in text.chars() {
                    match c {
                        '\n' | '\t' => write!(f, "{c}")?,
                        c if c.is_control() => write!(f, "{}", c.escape_default())?,
                        c => write!(f, "{c}")?,
                    }
                }
                Ok(())
            }
            None => {
                for byte in self.0 {
                    write!(f, "{byte:02x}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_and_all_else_in_hexadecimal() {
        let check = |bytes: &[u8], shown: &str| assert_eq!(Shown(bytes).to_string(), shown);
        check(b"{\"a\": 1}\n", "{\"a\": 1}\n");
        check("x\u{1b}[31m".as_bytes(), "x\\u{1b}[31m");
        check(b"k8s\0\x0a", "6b3873000a");
        check(&[0xff, 0xfe], "fffe");
        check(&"\u{e4}b\u{e4}".as_bytes()[1..4], "b");
    }

    #[test]
    fn secrets_and_tokens_are_not_for_the_log() {
        let check = |path: &str, secret: bool| assert_eq!(is_secret(path), secret, "{path}");
        check("/api/v1/namespaces/web/secrets/a", true);
        check("/api/v1/secrets?watch=true", true);
        check("/api/v1/namespaces/web/serviceaccounts/a/token", true);
        check("/apis/authentication.k8s.io/v1/tokenreviews", true);
        check("/api/v1/namespaces/web/pods/a", false);
        check("/api/v1/namespaces/web/configmaps?labelSelector=secrets", false);
    }
}
