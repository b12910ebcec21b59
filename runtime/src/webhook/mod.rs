//! Webhooks without a server: a review in, a review out, as bytes. What carries them (hyper, axum, a test) is the caller's.
//!
//! | what | where |
//! |---|---|
//! | whether an object may be written, and as what | [`validate`], [`mutate`], [`serve`] |
//! | objects of one version as objects of another | [`Converter`] |
//!
//! Reviews are JSON, requests by POST; answer with `content-type: application/json` and code 200, whatever the verdict.
//! Servers wait 10 seconds for an admission review unless the webhook's configuration says otherwise, and 30 for a
//! conversion.
//!
//! A review that cannot be read is answered too: with a refusal of `admission.k8s.io/v1`, as servers ask for.
//!
//! ```
//! use kubeloom::field::{InvalidFields, Path};
//! use kubeloom::webhook;
//! # use kubeloom::meta::PartialObjectMetadata as Website;
//!
//! fn handle(body: &[u8]) -> Vec<u8> {
//!     webhook::validate(body, |website: Option<&Website>, _old, _request| {
//!         let mut errors = InvalidFields::default();
//!         if website.is_some_and(|one| !one.metadata.labels.contains_key("team")) {
//!             errors.required(&Path::new("metadata").child("labels").key("team"), "each website has a team");
//!         }
//!         errors.into_result()
//!     })
//! }
//! let answer = handle(br#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1",
//!     "operation": "CREATE", "kind": {"group": "demo.example.com", "version": "v1", "kind": "Website"},
//!     "object": {"metadata": {"name": "front"}}}}"#);
//! let answer: serde_json::Value = serde_json::from_slice(&answer)?;
//! assert_eq!(answer["response"]["allowed"], false);
//! assert_eq!(answer["response"]["status"]["details"]["causes"][0]["field"], "metadata.labels[team]");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod admission;
mod conversion;
mod overlay;
mod serve;
#[cfg(test)]
mod tests;

pub use admission::{AdmissionRequest, AdmissionResponse, Operation, RequestResource, UserInfo};
pub use conversion::{ConversionError, Converter};
pub use serve::{mutate, serve, validate};
