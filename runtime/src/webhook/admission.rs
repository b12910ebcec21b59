//! `admission.k8s.io/v1`: what servers ask and what they are told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::dynamic::DynamicObject;
use crate::error::reason;
use crate::field::InvalidFields;
use crate::meta::Status;
use crate::rest::GroupVersionKind;
use crate::value::RawJson;
use crate::wire::{DecodeError, Format, Wire};

/// What is done to an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum Operation {
    /// A new object.
    #[default]
    Create,
    /// A change.
    Update,
    /// The object goes; it is in [`AdmissionRequest::old_object`].
    Delete,
    /// A connection to a subresource such as `exec`.
    Connect,
    /// Another one.
    Other(String),
}

impl From<String> for Operation {
    fn from(text: String) -> Self {
        match text.as_str() {
            "CREATE" => Self::Create,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            "CONNECT" => Self::Connect,
            _ => Self::Other(text),
        }
    }
}

impl From<Operation> for String {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Create => "CREATE".to_owned(),
            Operation::Update => "UPDATE".to_owned(),
            Operation::Delete => "DELETE".to_owned(),
            Operation::Connect => "CONNECT".to_owned(),
            Operation::Other(text) => text,
        }
    }
}

/// Group, version and plural of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestResource {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural.
    pub resource: String,
}

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserInfo {
    /// The name.
    pub username: String,
    /// The identity behind the name.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What the authenticator knows besides.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// What a server asks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AdmissionRequest {
    /// Tells the request apart; the answer carries it.
    pub uid: String,
    /// The kind of the object as the webhook is shown it.
    pub kind: GroupVersionKind,
    /// The resource as the webhook is shown it.
    pub resource: RequestResource,
    /// The subresource; empty for the object itself.
    pub sub_resource: String,
    /// The kind of the request before conversion for the webhook.
    pub request_kind: Option<GroupVersionKind>,
    /// The resource of the request before conversion for the webhook.
    pub request_resource: Option<RequestResource>,
    /// The subresource of the request.
    pub request_sub_resource: String,
    /// The name of the object; empty where the server makes it.
    pub name: String,
    /// The namespace; empty for objects of cluster scope.
    pub namespace: String,
    /// What is done.
    pub operation: Operation,
    /// Who does it.
    pub user_info: UserInfo,
    /// The object as it would be; `null` for a deletion.
    pub object: RawJson,
    /// The object as it is; `null` for a creation.
    pub old_object: RawJson,
    /// Whether nothing is to be stored: a webhook must then have no effects besides.
    pub dry_run: Option<bool>,
    /// The options of the call, such as `CreateOptions`.
    pub options: RawJson,
}

impl AdmissionRequest {
    /// The object as it would be; `None` for a deletion.
    ///
    /// # Errors
    /// An object of another shape than the type.
    pub fn object<K: Wire>(&self) -> Result<Option<K>, DecodeError> {
        read(&self.object, "/request/object")
    }

    /// The object as it is; `None` for a creation.
    ///
    /// # Errors
    /// An object of another shape than the type.
    pub fn old_object<K: Wire>(&self) -> Result<Option<K>, DecodeError> {
        read(&self.old_object, "/request/oldObject")
    }

    /// The object as it would be, of any kind; `None` for a deletion.
    ///
    /// # Errors
    /// No Kubernetes object.
    pub fn dynamic_object(&self) -> Result<Option<DynamicObject>, DecodeError> {
        self.object()
    }
}

fn read<K: Wire>(json: &RawJson, place: &str) -> Result<Option<K>, DecodeError> {
    if json.is_null() {
        return Ok(None);
    }
    K::decode(Format::Json, json.get().as_bytes())
        .map(Some)
        .map_err(|error| error.within(place))
}

/// What the server is told.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmissionResponse {
    /// Whether the object may be written.
    pub allowed: bool,
    /// Why not.
    pub status: Option<Status>,
    /// What is changed before it is written: operations of a JSON patch (RFC 6902).
    pub patch: Option<serde_json::Value>,
    /// Entries of the audit log; servers put the webhook's name before the keys.
    pub audit_annotations: BTreeMap<String, String>,
    /// Warnings that the user is shown, of at most 120 characters each.
    pub warnings: Vec<String>,
}

impl AdmissionResponse {
    /// The object may be written.
    #[must_use]
    pub fn allow() -> Self {
        Self {
            allowed: true,
            status: None,
            patch: None,
            audit_annotations: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// The object may not be written (403), for a reason that people understand.
    #[must_use]
    pub fn deny(message: impl Into<String>) -> Self {
        Self::refuse(403, reason::FORBIDDEN, message)
    }

    /// The object is not as it must be (422); a cause for each field.
    #[must_use]
    pub fn invalid(request: &AdmissionRequest, fields: InvalidFields) -> Self {
        Self {
            allowed: false,
            status: Some(fields.into_status(&request.kind.group, &request.kind.kind, &request.name)),
            ..Self::allow()
        }
    }

    /// The object may not be written, with a code and reason.
    #[must_use]
    pub fn refuse(code: i32, reason: &str, message: impl Into<String>) -> Self {
        Self {
            allowed: false,
            status: Some(Status {
                status: "Failure".into(),
                message: message.into().into(),
                reason: reason.into(),
                code,
                ..Status::default()
            }),
            ..Self::allow()
        }
    }

    /// The same with a warning.
    #[must_use]
    pub fn warning(mut self, text: impl Into<String>) -> Self {
        self.warnings.push(text.into());
        self
    }

    /// The same with an entry of the audit log.
    #[must_use]
    pub fn audit(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.audit_annotations.insert(key.into(), value.into());
        self
    }
}
