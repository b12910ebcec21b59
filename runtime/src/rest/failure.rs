//! Failures: a `Status` read from the answer, or made from its code.

use super::target::GroupVersionResource;
use crate::error::{CallContext, reason};
use crate::meta::{Status, StatusDetails};
use crate::transport::Headers;
use crate::value::Str;
use crate::wire::{Format, Wire, cbor, split_envelope};

/// At most so much of a text answer stands in an error, in bytes.
const EXCERPT: usize = 2048;

/// What a JSON text of the kind `Status` has somewhere.
const STATUS: &[u8] = b"\"Status\"";

/// Whether an answer is a success: client-go takes 200 to 206.
pub(super) fn is_success(code: u16) -> bool {
    (200..=206).contains(&code)
}

/// The failure that an answer says. A body that is a `Status` is believed; anything else becomes one from the code, the
/// call and the text.
pub(super) fn status(
    context: &CallContext,
    resource: Option<&GroupVersionResource>,
    code: u16,
    headers: &Headers,
    body: &[u8],
) -> Status {
    let format = headers.get("content-type").and_then(Format::from_content_type);
    let mut status = match format.and_then(|format| read_status(format, body)) {
        Some(status) => status,
        None => synthesise(context, resource, code, body),
    };
    if status.code == 0 {
        status.code = i32::from(code);
    }
    let asked = headers
        .get("retry-after")
        .and_then(|text| text.trim().parse::<i32>().ok());
    if let Some(seconds) = asked {
        let details = status.details.get_or_insert_default();
        if details.retry_after_seconds == 0 {
            details.retry_after_seconds = seconds;
        }
    }
    status
}

/// The `Status` in a body of any outcome, if it is one.
pub(super) fn read_status(format: Format, body: &[u8]) -> Option<Status> {
    let is_status = match format {
        Format::Protobuf => split_envelope(body).is_ok_and(|unknown| unknown.kind == "Status"),
        Format::Cbor => cbor::kind_of(body).is_some_and(|kind| kind == "Status"),
        Format::Json | Format::Yaml => kind_of(body).is_some_and(|kind| kind == "Status"),
    };
    if is_status {
        Status::decode(format, body).ok()
    } else {
        None
    }
}

/// The kind of a JSON object.
pub(super) fn kind_of(body: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Kind {
        kind: String,
    }
    serde_json::from_slice::<Kind>(body)
        .ok()
        .map(|object| object.kind)
}

/// Whether a body of a successful code is a failure all the same.
pub(super) fn hidden_failure(format: Format, body: &[u8]) -> Option<Status> {
    // Every Status is small; a long body is an object or a list. One that is text names its kind.
    let named = || body.windows(STATUS.len()).any(|part| part == STATUS);
    if body.len() > 64 << 10 || (matches!(format, Format::Json | Format::Yaml) && !named()) {
        return None;
    }
    read_status(format, body).filter(|status| status.status == "Failure")
}

fn synthesise(
    context: &CallContext,
    resource: Option<&GroupVersionResource>,
    code: u16,
    body: &[u8],
) -> Status {
    let known = match code {
        400 => reason::BAD_REQUEST,
        401 => reason::UNAUTHORIZED,
        403 => reason::FORBIDDEN,
        404 => reason::NOT_FOUND,
        405 => reason::METHOD_NOT_ALLOWED,
        406 => reason::NOT_ACCEPTABLE,
        409 if context.verb == "create" => reason::ALREADY_EXISTS,
        409 => reason::CONFLICT,
        410 => reason::GONE,
        413 => reason::REQUEST_ENTITY_TOO_LARGE,
        415 => reason::UNSUPPORTED_MEDIA_TYPE,
        422 => reason::INVALID,
        429 => reason::TOO_MANY_REQUESTS,
        500 => reason::INTERNAL_ERROR,
        503 => reason::SERVICE_UNAVAILABLE,
        504 => reason::TIMEOUT,
        _ => "",
    };
    Status {
        status: "Failure".into(),
        code: i32::from(code),
        reason: known.into(),
        message: excerpt(body),
        details: Some(Box::new(StatusDetails {
            name: context.name.as_deref().unwrap_or_default().into(),
            group: resource.map_or("", |resource| &resource.group).into(),
            kind: resource.map_or("", |resource| &resource.resource).into(),
            ..StatusDetails::default()
        })),
        ..Status::default()
    }
}

fn excerpt(body: &[u8]) -> Str {
    let text = String::from_utf8_lossy(&body[..body.len().min(EXCERPT)]);
    let text = text.trim();
    if body.len() > EXCERPT {
        Str::from(format!("{text} ..."))
    } else {
        Str::from(text)
    }
}
