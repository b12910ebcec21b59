//! Admission reviews in, admission reviews out.

use std::future::Future;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::admission::{AdmissionRequest, AdmissionResponse};
use super::overlay::overlay;
use crate::error::reason;
use crate::field::InvalidFields;
use crate::wire::{Format, Wire};

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

/// Answers a review with what `handler` says. An error of the handler refuses the object (500).
pub async fn serve<F, R, E>(body: &[u8], handler: F) -> Vec<u8>
where
    F: FnOnce(AdmissionRequest) -> R,
    R: Future<Output = Result<AdmissionResponse, E>>,
    E: std::fmt::Display,
{
    match read(body) {
        Ok(request) => {
            let uid = request.uid.clone();
            let response = handler(request).await.unwrap_or_else(|error| {
                AdmissionResponse::refuse(500, reason::INTERNAL_ERROR, error.to_string())
            });
            write(&uid, response)
        }
        Err(refusal) => refusal,
    }
}

/// Answers a review of objects of a type by a check: the object as it would be (`None` for a deletion), the object as
/// it is (`None` for a creation), and the request.
pub fn validate<K: Wire>(
    body: &[u8],
    check: impl FnOnce(Option<&K>, Option<&K>, &AdmissionRequest) -> Result<(), InvalidFields>,
) -> Vec<u8> {
    answer(body, |request| {
        let (object, old) = (request.object::<K>(), request.old_object::<K>());
        let (object, old) = match (object, old) {
            (Ok(object), Ok(old)) => (object, old),
            (Err(error), _) | (_, Err(error)) => return unreadable(&error),
        };
        match check(object.as_ref(), old.as_ref(), request) {
            Ok(()) => AdmissionResponse::allow(),
            Err(fields) => AdmissionResponse::invalid(request, fields),
        }
    })
}

/// Answers a review of objects of a type by a change. Deletions, which have nothing to change, are allowed.
///
/// The answer holds the changes alone: fields that the type does not know are left as they are.
pub fn mutate<K: Wire>(
    body: &[u8],
    change: impl FnOnce(&mut K, &AdmissionRequest) -> Result<(), InvalidFields>,
) -> Vec<u8> {
    answer(body, |request| {
        let mut object = match request.object::<K>() {
            Ok(Some(object)) => object,
            Ok(None) => return AdmissionResponse::allow(),
            Err(error) => return unreadable(&error),
        };
        let before = object.encode(Format::Json);
        if let Err(fields) = change(&mut object, request) {
            return AdmissionResponse::invalid(request, fields);
        }
        match (before, object.encode(Format::Json)) {
            (Ok(before), Ok(after)) => changed(request, &before, &after),
            (Err(error), _) | (_, Err(error)) => {
                AdmissionResponse::refuse(500, reason::INTERNAL_ERROR, error.to_string())
            }
        }
    })
}

/// The response whose patch makes the changes between two encodings of a typed object.
fn changed(request: &AdmissionRequest, before: &[u8], after: &[u8]) -> AdmissionResponse {
    let read = |json: &[u8]| serde_json::from_slice::<Value>(json);
    let raw = read(request.object.get().as_bytes());
    let (Ok(raw), Ok(before), Ok(after)) = (raw, read(before), read(after)) else {
        return AdmissionResponse::refuse(500, reason::INTERNAL_ERROR, "the object is no JSON");
    };
    let mut wanted = raw.clone();
    overlay(&mut wanted, &before, &after);
    let patch = json_patch::diff(&raw, &wanted);
    AdmissionResponse {
        patch: (!patch.0.is_empty()).then(|| json!(patch)),
        ..AdmissionResponse::allow()
    }
}

fn answer(body: &[u8], respond: impl FnOnce(&AdmissionRequest) -> AdmissionResponse) -> Vec<u8> {
    match read(body) {
        Ok(request) => write(&request.uid, respond(&request)),
        Err(refusal) => refusal,
    }
}

fn unreadable(error: &crate::wire::DecodeError) -> AdmissionResponse {
    AdmissionResponse::refuse(400, reason::BAD_REQUEST, format!("the object is {error}"))
}

/// The request of a review, or the answer to a body that has none.
fn read(body: &[u8]) -> Result<AdmissionRequest, Vec<u8>> {
    let refuse = |uid: &str, message: String| {
        Err(write(
            uid,
            AdmissionResponse::refuse(400, reason::BAD_REQUEST, message),
        ))
    };
    let review: Value = match serde_json::from_slice(body) {
        Ok(review) => review,
        Err(error) => return refuse("", format!("the review is no JSON: {error}")),
    };
    let text = |key: &str| review.get(key).and_then(Value::as_str).unwrap_or_default();
    let uid = review
        .pointer("/request/uid")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if (text("apiVersion"), text("kind")) != (API_VERSION, KIND) {
        let found = format!("{} {}", text("apiVersion"), text("kind"));
        return refuse(uid, format!("{found:?} is no {KIND} of {API_VERSION}"));
    }
    match review.get("request").map(AdmissionRequest::deserialize) {
        Some(Ok(request)) if !request.uid.is_empty() => Ok(request),
        Some(Err(error)) => refuse(uid, format!("the request cannot be read: {error}")),
        _ => refuse(uid, "the review has no request with a uid".to_owned()),
    }
}

fn write(uid: &str, response: AdmissionResponse) -> Vec<u8> {
    let mut out = Map::from_iter([
        ("uid".to_owned(), uid.into()),
        ("allowed".to_owned(), response.allowed.into()),
    ]);
    if let Some(status) = response.status {
        let mut status = serde_json::to_value(&status).unwrap_or_default();
        if let Some(status) = status.as_object_mut() {
            // A part of the response, not an object of its own.
            status.remove("apiVersion");
            status.remove("kind");
        }
        out.insert("status".to_owned(), status);
    }
    if let Some(patch) = response.patch {
        out.insert("patch".to_owned(), STANDARD.encode(patch.to_string()).into());
        out.insert("patchType".to_owned(), "JSONPatch".into());
    }
    if !response.audit_annotations.is_empty() {
        out.insert("auditAnnotations".to_owned(), json!(response.audit_annotations));
    }
    if !response.warnings.is_empty() {
        out.insert("warnings".to_owned(), json!(response.warnings));
    }
    json!({"apiVersion": API_VERSION, "kind": KIND, "response": out})
        .to_string()
        .into_bytes()
}
